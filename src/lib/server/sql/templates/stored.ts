import type { ColumnUse } from '../columns';

/**
 * The columns that a stored `scale` template works with. The metadata may have changed since it was
 * generated, and nothing else remembers how it was then.
 *
 * @returns undefined if the template was not written by the generator
 */
export function columnsOfScale(template: string): Map<string, ColumnUse> | undefined {
  const list =
    /INSERT INTO \{\{fc_table\}\} \(\s*((?:"(?:[^"]|"")*",\s*)+)pf_iter,\s*pf_logid\s*\)/;
  const names = [...(list.exec(template)?.[1] ?? '').matchAll(/"((?:[^"]|"")*)"/g)].map(
    ([, name]) => name!.replaceAll('""', '"'),
  );
  const measures = (['value', 'units'] as const).filter((role) =>
    template.includes(`{{${role}_incr}}`),
  );
  if (names.length <= measures.length) return undefined;
  // The generator writes the leaves first, then value, then units.
  const leaves = names.length - measures.length;
  return new Map(names.map((each, i) => [each, i < leaves ? 'leaf' : measures[i - leaves]!]));
}
