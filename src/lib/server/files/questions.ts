/** Describes readings of a file that have alternatives, with cells as each of them reads. */
import { decimalsWarning } from '../../contract/decimals';
import {
  DASHES_AS,
  FILE_DATE_ORDERS,
  FILE_DECIMALS,
  type FileEncoding,
  type FileQuestion,
  type FileType,
  MISSING_NAMES,
  SHORT_ROWS_AS,
  TOTALS_AS,
} from '../../contract/files';
import { EMPTY_LABEL } from '../../contract/slices';
import { shortened } from '../../xlsx/fault';
import type { ColumnFacts, SampleCell } from './column-facts';
import { convert, type Notations } from './convert';
import type { SampleLine } from './encoding';
import { decoded, LEGACY_ENCODINGS } from './likely-encoding';
import type { ShortRows } from './short-rows';
import type { TotalRow } from './total-rows';

/** Number of cells that are examples of a reading. */
const EXAMPLES = 3;

const many = (n: number, one: string, more: string): string => `${n} ${n === 1 ? one : more}`;
const quoted = (text: string): string => `“${shortened(text)}”`;

type Reading = FileQuestion['readings'][number];
type Examples = Reading['examples'];

/** A column with its facts and the type that it gets. */
export interface DescribedColumn {
  cname: string;
  facts: ColumnFacts;
  type: FileType;
  /** Decimals of a numeric column; null for any number of them. */
  scale: number | null;
}

/** What the columns leave open. */
export function columnQuestions(
  columns: readonly DescribedColumn[],
  notations: Notations,
): FileQuestion[] {
  return [
    ...notationQuestions(columns, notations),
    ...dashQuestion(columns, notations),
    ...columns.flatMap((column) => [
      ...typeQuestion(column, notations),
      ...decimalsQuestion(column, notations),
    ]),
  ];
}

/** Cells as a type reads them with some notations. */
function examplesOf(
  cells: readonly SampleCell[],
  type: FileType,
  notations: Notations,
  decimals: number | null = null,
): Examples {
  return cells.slice(0, EXAMPLES).map(({ line, cell, isNumber }) => {
    const read = convert(cell, type, notations, { isNumber, decimals });
    return { line, cell: shortened(cell), reads: read === null ? EMPTY_LABEL : (read ?? null) };
  });
}

function notationQuestions(
  columns: readonly DescribedColumn[],
  notations: Notations,
): FileQuestion[] {
  const decimals = columns.filter(({ facts }) => facts.leavesDecimalOpen);
  const dates = columns.filter(({ facts }) => facts.leavesDateOrderOpen);
  const open = decimals.flatMap(({ facts }) => facts.openDecimals.cells);
  const days = dates.flatMap(({ facts }) => facts.openDates.cells);
  return [
    ...(open.length > 0
      ? [
          {
            ...{ parameter: 'decimal' as const, cname: null, value: notations.decimal },
            why: 'Numbers have another value with the other decimal sign.',
            readings: FILE_DECIMALS.map((decimal) => ({
              value: decimal,
              examples: examplesOf(open, 'numeric', { ...notations, decimal }),
            })),
          },
        ]
      : []),
    ...(days.length > 0
      ? [
          {
            ...{ parameter: 'date_order' as const, cname: null, value: notations.dateOrder },
            why: 'Day and month of dates can be exchanged.',
            readings: FILE_DATE_ORDERS.filter((order) => order !== 'ymd').map((dateOrder) => ({
              value: dateOrder,
              examples: examplesOf(days, 'date', { ...notations, dateOrder }),
            })),
          },
        ]
      : []),
  ];
}

function dashQuestion(columns: readonly DescribedColumn[], notations: Notations): FileQuestion[] {
  const dashed = columns.filter(({ facts }) => facts.hasDashesAmongNumbers);
  const cells = dashed.flatMap(({ facts }) => facts.dashes.cells);
  const count = dashed.reduce((sum, { facts }) => sum + facts.dashes.count, 0);
  if (count === 0) return [];
  return [
    {
      ...{ parameter: 'dashes', cname: null, value: notations.dashes },
      why: `${many(count, 'cell is', 'cells are')} a dash among numbers.`,
      readings: DASHES_AS.map((dashes) => ({
        value: dashes,
        examples: examplesOf(cells, dashes === 'text' ? 'text' : 'numeric', {
          ...notations,
          dashes,
        }),
      })),
    },
  ];
}

/** Whether the cells are codes, numbers or dates. */
function typeQuestion({ cname, facts, type }: DescribedColumn, notations: Notations) {
  const asked = facts.openType(notations.decimal);
  if (!asked) return [];
  const { types, why, cells } = asked;
  const question: FileQuestion = {
    ...{ parameter: 'types', cname, why, value: type },
    readings: types.map((each) => ({ value: each, examples: examplesOf(cells, each, notations) })),
  };
  return [question];
}

function decimalsQuestion(
  { cname, facts, type, scale }: DescribedColumn,
  notations: Notations,
): FileQuestion[] {
  if (type !== 'numeric') return [];
  const { noise, long } = facts;
  const warning = decimalsWarning(scale);
  if (noise.count === 0 && warning === null) return [];
  const why = [
    ...(noise.count > 0
      ? [
          `${many(noise.count, 'number has', 'numbers have')} more than the 15 digits that spreadsheets show.`,
        ]
      : []),
    ...(warning === null ? [] : [warning]),
  ];
  const most = facts.scale(notations.decimal) ?? 15;
  const choices = [...new Set([scale ?? most, 2, Math.min(most, 6), most])];
  return [
    {
      ...{ parameter: 'decimals', cname, why: why.join(' '), value: String(scale ?? most) },
      readings: choices.map((decimals) => ({
        value: String(decimals),
        examples: examplesOf([...noise.cells, ...long.cells], 'numeric', notations, decimals),
      })),
    },
  ];
}

/** Which of the encodings that are not Unicode it is. @param lines lines with bytes beyond ASCII */
export function encodingQuestion(
  encoding: FileEncoding,
  lines: readonly SampleLine[],
): FileQuestion[] {
  const shown = lines.slice(0, EXAMPLES);
  if (shown.length === 0) return [];
  const readings = LEGACY_ENCODINGS.flatMap((value): Reading[] => {
    const examples = shown.flatMap(({ line, bytes }) => {
      const text = decoded(bytes, value);
      return text === null
        ? []
        : [
            {
              line,
              cell: bytesText(bytes),
              reads: shortened(text.replace(/\p{Cc}/gu, ' ').trim()),
            },
          ];
    });
    return examples.length === shown.length ? [{ value, examples }] : [];
  });
  return [
    {
      ...{ parameter: 'encoding', cname: null, value: encoding, readings },
      why: 'The file is not Unicode and does not say its encoding.',
    },
  ];
}

/** Bytes beyond ASCII as their codes: `Gr\xf6\xdfe`. */
const bytesText = (bytes: Uint8Array): string =>
  shortened(
    Array.from(bytes, (byte) =>
      byte > 0x7f ? `\\x${byte.toString(16)}` : byte < 0x20 ? ' ' : String.fromCharCode(byte),
    )
      .join('')
      .trim(),
  );

/** What a completed header, short rows and totals leave open. @param sums names of columns that add up months */
export function rowQuestions(
  missing: { value: string; names: readonly string[] } | null,
  short: { as: string; rows: ShortRows },
  totals: { as: string; rows: readonly TotalRow[]; sums: readonly string[] },
): FileQuestion[] {
  const { rowCount, first } = short.rows;
  const labels = totals.rows.slice(0, EXAMPLES);
  return [
    ...(missing
      ? [
          {
            ...{ parameter: 'missing_name' as const, cname: null, value: missing.value },
            why: 'The first line has one name fewer than each row has cells.',
            readings: MISSING_NAMES.map((value) => {
              const named = missing.names;
              const all = value === 'first' ? ['(no name)', ...named] : [...named, '(no name)'];
              const reads = shortened(all.join(', '));
              return { value, examples: [{ line: 1, cell: shortened(named.join(', ')), reads }] };
            }),
          },
        ]
      : []),
    ...(rowCount > 0
      ? [
          {
            ...{ parameter: 'short_rows' as const, cname: null, value: short.as },
            why: `${many(rowCount, 'row ends', 'rows end')} before the last column, from line ${first[0]?.line ?? 1} on.`,
            readings: SHORT_ROWS_AS.map((value) => ({
              value,
              examples: first.map(({ line, cells }) => {
                const cell = shortened(cells.join(', '));
                return { line, cell, reads: value === 'fill' ? `${cell}, ${EMPTY_LABEL}` : null };
              }),
            })),
          },
        ]
      : []),
    ...(totals.rows.length + totals.sums.length > 0
      ? [
          {
            ...{ parameter: 'totals' as const, cname: null, value: totals.as },
            why: totalsText(totals),
            readings: TOTALS_AS.map((value) => ({
              value,
              examples: labels.map(({ line, label }) => ({
                ...{ line, cell: shortened(label) },
                reads: value === 'keep' ? shortened(label) : null,
              })),
            })),
          },
        ]
      : []),
  ];
}

function totalsText({ rows, sums }: { rows: readonly TotalRow[]; sums: readonly string[] }) {
  const lines = rows.slice(0, 5).map(({ line, label }) => `${quoted(label)} in line ${line}`);
  const more = rows.length > 5 ? ', …' : '';
  return [
    ...(sums.length > 0
      ? [
          `${many(sums.length, 'column adds', 'columns add')} up months: ${sums.map(quoted).join(', ')}.`,
        ]
      : []),
    ...(rows.length > 0
      ? [
          `${many(rows.length, 'row adds', 'rows add')} up the rows above: ${lines.join(', ')}${more}.`,
        ]
      : []),
  ].join(' ');
}
