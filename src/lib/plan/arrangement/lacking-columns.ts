/** Keeps the columns of formulas and lookups in the arrangement while they cannot be read. */
import type { Layout } from '../../contract/stored-layout';

/** The parts of a layout that come back whole. */
const WHOLE = ['group_by', 'split_by', 'filter', 'sort', 'limits'] as const;

/** A layout that a pivot opened without some of its columns. */
export interface Lacking {
  /** The layout with those columns. */
  wanted: Layout;
  /** The layout that the pivot opened with. */
  opened: Layout;
  /** The columns and expressions that the pivot lacks. */
  names: readonly string[];
}

/**
 * Returns a layout with the columns that the pivot lacks. If somebody has changed the columns since the pivot
 * opened, each follows the column that it followed. Groups, filters, limits and the sort order come back unless
 * somebody has changed them.
 *
 * @param shown the current layout
 */
export function withLacking(shown: Layout, { wanted, opened, names }: Lacking): Layout {
  const lacking = Object.entries(wanted.expressions ?? {}).filter(([name]) => names.includes(name));
  const expressions = { ...shown.expressions, ...Object.fromEntries(lacking) };
  const isSame = (part: 'columns' | (typeof WHOLE)[number]) =>
    JSON.stringify(shown[part] ?? []) === JSON.stringify(opened[part] ?? []);
  const { columns = [] } = wanted;
  const whole = WHOLE.filter((part) => wanted[part] && isSame(part)).map(
    (part) => [part, wanted[part]] as const,
  );
  return {
    ...shown,
    expressions,
    ...Object.fromEntries(whole),
    ...(columns.length > 0 && {
      columns: isSame('columns') ? columns : inserted(shown.columns ?? [], columns, names),
    }),
  };
}

type Columns = NonNullable<Layout['columns']>;

function inserted(shown: Columns, wanted: Columns, names: readonly string[]): Columns {
  return wanted.reduce<Columns>((columns, name, i) => {
    if (name === null || !names.includes(name) || columns.includes(name)) return columns;
    const before = wanted.slice(0, i).findLast((each) => columns.includes(each));
    return columns.toSpliced(before === undefined ? 0 : columns.indexOf(before) + 1, 0, name);
  }, shown);
}
