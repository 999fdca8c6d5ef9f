import { ident } from './identifiers';
import type { ForecastColumn } from './forecast-columns';
import { grainColumns, measureColumns, toldApart } from './forecast-columns';

/** The characters that a grain key is built with: in place of null, and between its parts. */
const NULL_PART = 'chr(30)';
const SEPARATOR = 'chr(31)';

/** The two of them, which no value of a key may hold: as text, as a pattern in SQL, in words. */
export const KEY_CHARACTERS = ['\u001e', '\u001f'];
export const KEY_CHARACTERS_PATTERN = '[\\x1e\\x1f]';
export const HOLDS_KEY_CHARACTER = `holds the character ${NULL_PART} or ${SEPARATOR}, which separates the parts of a key`;

/**
 * `pf_gkey`: unique text for one grain row
 * (docs/contract/02-resources-and-their-fields.md#display-grain). The sentinel keeps a null apart
 * from the empty string, and ('a', null) apart from (null, 'a').
 */
export function grainKey(grain: readonly ForecastColumn[]): string {
  const parts = grain.map((c) => `COALESCE(${ident(c.name)}::text, ${NULL_PART})`);
  return `concat_ws(${SEPARATOR}, ${[...parts, 'pf_iter', 'pf_logid::text'].join(', ')})`;
}

/** Types that Arrow and JSON carry as they are; every other type travels as text. */
const TRAVELS = ['text', 'bigint', 'numeric', 'double precision', 'date', 'boolean'];

/** A forecast column as it leaves the database, under its own name. */
function travelling(column: ForecastColumn): string {
  const name = ident(column.name);
  return TRAVELS.includes(column.type) ? name : `${name}::text AS ${name}`;
}

/** The select list of a grain row: grain columns, `pf_iter`, `pf_logid`, `pf_gkey`, summed measures. */
export function grainSelectList(columns: readonly ForecastColumn[]): string[] {
  const grain = grainColumns(columns);
  return [
    ...grain.map(travelling),
    'pf_iter',
    'pf_logid',
    `${grainKey(grain)} AS pf_gkey`,
    ...measureColumns(columns).map((m) => `SUM(${ident(m.name)}) AS ${ident(m.name)}`),
  ];
}

/** What rows are grouped by so that the values of these columns are told apart. */
export const groupedBy = (columns: readonly ForecastColumn[], of = ''): string[] =>
  columns.flatMap((c) => [
    ...new Set([`${of}${ident(c.name)}`, toldApart(c, `${of}${ident(c.name)}`)]),
  ]);

/** The grouping of a grain row. */
export const grainGroupBy = (columns: readonly ForecastColumn[]): string[] => [
  ...groupedBy(grainColumns(columns)),
  'pf_iter',
  'pf_logid',
];

/** The select list of a raw row: data columns, then the system columns. */
export const rawSelectList = (columns: readonly ForecastColumn[]): string[] => [
  ...columns.map(travelling),
  'pf_id',
  'pf_iter',
  'pf_logid',
  'pf_created_at',
];
