/** Turns the rows of a file into the text of a COPY, and lists those that do not fit. */
import { Buffer } from 'node:buffer';
import { isExact } from '../../contract/decimals';
import type { FileType, Misfits } from '../../contract/files';
import type { Row } from '../../contract/primitives';
import { shortened } from '../../xlsx/fault';
import { type FileRow, lastFilled } from './csv';
import { convert } from './convert';
import type { FilePlan } from './recognise';

/** Number of rows of a preview, and of misfits that are listed. */
const LISTED = 20;
/** Number of characters that are sent at a time, at least. */
const PART = 65_536;

const NAMES: Record<FileType, string> = {
  integer: 'a whole number',
  numeric: 'a number',
  date: 'a date',
  timestamp: 'a date without an offset from UTC',
  timestamptz: 'a date with a time and an offset from UTC',
  boolean: 'true or false',
  text: 'text',
};

/** The converted rows of a file. */
export class ConvertedRows {
  /** Number of rows that fit. */
  rowCount = 0;
  readonly misfits: Misfits = { row_count: 0, rows: [] };
  /** The first rows that fit, as JSON. */
  readonly first: Row[] = [];

  /**
   * @param plan how the file is read
   * @param taken is called with the values of each row that fits, in the order of the columns
   */
  constructor(
    private readonly plan: FilePlan,
    private readonly taken: (values: readonly (string | null)[]) => void = () => {},
  ) {}

  /** Reads the whole file. Yields the rows that fit, in batches, as the text format of a COPY. */
  async *copyText(): AsyncGenerator<Buffer> {
    const { read, header } = this.plan;
    let isFirst = header === 'yes';
    let text = '';
    for await (const rows of read()) {
      for (const row of rows) {
        if (isFirst) isFirst = false;
        else text += this.line(row);
      }
      if (text.length < PART) continue;
      yield Buffer.from(text);
      text = '';
    }
    if (text) yield Buffer.from(text);
  }

  private line(row: FileRow): string {
    const { columns } = this.plan;
    if (row.problem) return this.misfit(row, null, row.problem);
    const width = row.cells.length > columns.length ? lastFilled(row.cells) : row.cells.length;
    // A row may end with empty cells that spreadsheets add.
    if (width > columns.length) {
      return this.misfit(
        row,
        null,
        `it has ${width} cells, and the table ${columns.length} columns`,
      );
    }
    if (width < columns.length && row.numbers === undefined) {
      return this.misfit(row, null, `it has only ${width} of ${columns.length} cells`);
    }
    const values: (string | null)[] = [];
    for (const [i, { cname, type, rounded, mostDecimals }] of columns.entries()) {
      const cell = row.cells[i] ?? '';
      const value = convert(cell, type, this.plan, {
        isNumber: row.numbers?.[i],
        decimals: rounded,
      });
      if (value === undefined) {
        return this.misfit(row, cname, `“${shortened(cell.trim())}” is not ${NAMES[type]}`);
      }
      if (
        mostDecimals != null &&
        type === 'numeric' &&
        (value?.split('.')[1]?.length ?? 0) > mostDecimals
      ) {
        return this.misfit(
          row,
          cname,
          `“${shortened(cell.trim())}” has more than ${mostDecimals} decimals, and the table has no more`,
        );
      }
      values.push(value);
    }
    this.rowCount++;
    this.taken(values);
    if (this.first.length < LISTED) this.first.push(this.asJson(values));
    return `${values.map(escaped).join('\t')}\n`;
  }

  private misfit({ line }: FileRow, cname: string | null, problem: string): '' {
    this.misfits.row_count++;
    if (this.misfits.rows.length < LISTED) this.misfits.rows.push({ line, cname, problem });
    return '';
  }

  private asJson(values: readonly (string | null)[]): Row {
    return Object.fromEntries(
      this.plan.columns.map(({ cname, type }, i) => {
        const value = values[i] ?? null;
        if (value === null) return [cname, null];
        if (type === 'boolean') return [cname, value === 't'];
        const isNumber = type === 'integer' || type === 'numeric';
        // JSON would round other numbers.
        return [cname, isNumber && isExact(value) ? Number(value) : value];
      }),
    );
  }
}

/** The rows that do not fit, as one sentence. @param isNew whether a table was to be made */
export function misfitSentence(misfits: Misfits, isNew = true): string {
  const { row_count } = misfits;
  const count = row_count === 1 ? '1 row does not fit' : `${row_count} rows do not fit`;
  return isNew
    ? `${count}, and no table was made. Change the types, or leave these rows out. ${listed(misfits)}`
    : `${count}, and the table was not changed. Change the file, or leave these rows out. ${listed(misfits)}`;
}

/** The same if no row is left without them. */
export const noRowSentence = (misfits: Misfits, isNew = true): string =>
  isNew
    ? `No row fits, and no table was made. Change the types. ${listed(misfits)}`
    : `No row fits, and the table was not changed. ${listed(misfits)}`;

function listed({ row_count, rows }: Misfits): string {
  const problems = rows.map(({ line, cname, problem }) =>
    cname === null ? `line ${line}: ${problem}` : `line ${line}, “${cname}”: ${problem}`,
  );
  const more = row_count > rows.length ? [`and ${row_count - rows.length} more`] : [];
  return [...problems, ...more].join('; ');
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const escaped = (value: string | null): string =>
  value === null ? '\\N' : value.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? '');
