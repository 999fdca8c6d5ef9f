import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { CellValue } from '../values/engine-types';
import { aboutSheet } from './about-sheet';
import { serialOf } from './dates';
import { NumberFormat } from './number-format';
import { pivotSheet, whyNoWorkbook, type TakenPivot } from './pivot-sheet';
import { cellXml, texts } from './sheet-xml';
import { writeWorkbook, type WorkbookRow } from './workbook';

const JAN = Date.UTC(2027, 0, 1);
const FEB = Date.UTC(2027, 1, 1);

const leaf = (path: CellValue[], measure: string, at: number) => ({
  ...{ path, measure, leaves: [at], isClosed: false },
});

/** Two regions, one of them open, split by month, with a total. */
const PIVOT: TakenPivot = {
  group_by: ['region', 'product'],
  split_by: ['month'],
  totals: { total_column: 'end' },
  paths: [[], [null], ['=1+1'], ['=1+1', '']],
  columns: [
    leaf([JAN], 'Sales', 0),
    leaf([FEB], 'Sales', 1),
    { path: [], measure: 'Sales', leaves: [0, 1], isClosed: false },
  ],
  values: [
    [3, 1, 2, 2],
    [0.5, null, 0.5, 0.5],
    [3.5, 1, 2.5, 2.5],
  ],
  count: 4,
  kinds: new Map([['Sales', 'float']]),
  styles: new Map([
    ['region', 'string'],
    ['product', 'string'],
    ['month', 'month'],
  ]),
  formats: new Map(),
  closed: { has: () => false },
  labelOf: (name) => name,
};

const shape = ({ cells, level }: WorkbookRow) => [level, ...cells.map(({ value }) => value)];

describe('the sheet of a pivot', () => {
  it('has the open rows with their levels, and months as dates', () => {
    const { rows, columns, frozen, depth } = pivotSheet(PIVOT);
    const all = [...rows];
    expect(all.map(shape)).toEqual([
      [0, 'month', serialOf(JAN), serialOf(FEB), 'Total'],
      [0, 'region / product', 'Sales', 'Sales', 'Sales'],
      [0, 'TOTAL', 3, 0.5, 3.5],
      [1, '(empty)', 1, null, 1],
      [1, '=1+1', 2, 0.5, 2.5],
      [2, '(blank)', 2, 0.5, 2.5],
    ]);
    expect(columns.map(({ level }) => level)).toEqual([0, 1, 1, 0]);
    expect(frozen).toEqual({ rows: 2, columns: 1 });
    expect(depth).toBe(2);
    const bold = all.map(({ cells }) => cells.map(({ style }) => style.bold ?? false));
    expect(bold.slice(2)).toEqual([
      [true, true, true, true],
      [false, false, false, true],
      [true, true, true, true],
      [false, false, false, true],
    ]);
    expect(all[0]?.cells[1]?.style.format).toBe('mmm yyyy');
    expect(all[2]?.cells[1]?.style.format).toBe('#,##0.00');
  });

  it('has the marks of cells as colours, and as signs before their numbers', () => {
    const markAt = (x: number, y: number) => {
      if (x === 0 && y === 1) return { sign: 'above' } as const;
      if (x === 1 && y === 2) return { sign: 'step-1', fill: { kind: 'low', share: 1 } } as const;
      return x === 2 && y === 3 ? ({ fill: { kind: 'bar', share: 0.5 } } as const) : null;
    };
    const rows = [...pivotSheet({ ...PIVOT, markAt }).rows];
    const styleOf = (x: number, y: number) => rows[y + 2]?.cells[x + 1]?.style;
    expect(styleOf(0, 1)).toEqual({ format: '"▲"* #,##0.00;"▲"* -#,##0.00', fill: 'D8EAEC' });
    expect(styleOf(1, 2)).toMatchObject({ format: '"▁"* #,##0.00;"▁"* -#,##0.00', fill: 'EFD3C0' });
    expect(styleOf(2, 3)).toMatchObject({ format: '"▄"* #,##0.00;"▄"* -#,##0.00', bold: true });
    expect(styleOf(0, 2)?.fill).toBeUndefined();
    const both = { sign: 'below', fill: { kind: 'high', share: 0.5 } } as const;
    const [, , total] = [...pivotSheet({ ...PIVOT, markAt: () => both }).rows];
    expect(total?.cells[1]?.style).toMatchObject({ fill: 'F7E9DF' });
    expect(rows.map(shape)).toEqual([...pivotSheet(PIVOT).rows].map(shape));
  });

  it('writes the colours of cells, after the two fills that Excel reserves', async () => {
    const markAt = (x: number) => (x === 0 ? ({ sign: 'below' } as const) : null);
    const parts = await writeWorkbook([pivotSheet({ ...PIVOT, markAt })]);
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    const styles = strFromU8(unzipSync(bytes)['xl/styles.xml'] ?? new Uint8Array());
    expect(styles).toContain('<fills count="3">');
    expect(styles).toContain('<patternFill patternType="solid"><fgColor rgb="FFF5E4D8"/>');
    expect(styles).toMatch(/fillId="2" borderId="0" xfId="0" applyFill="1"/);
    expect(styles).toContain('formatCode="&quot;▼&quot;* #,##0.00;&quot;▼&quot;* -#,##0.00"');
  });

  it('names columns by their labels', () => {
    const labels: Record<string, string> = { region: 'Sales region', month: 'Month', Sales: 'Net' };
    const { rows } = pivotSheet({ ...PIVOT, labelOf: (name) => labels[name] ?? name });
    expect([...rows].slice(0, 2).map(({ cells }) => cells.map(({ value }) => value))).toEqual([
      ['Month', serialOf(JAN), serialOf(FEB), 'Total'],
      ['Sales region / product', 'Net', 'Net', 'Net'],
    ]);
  });

  it('writes a quarter as text, because Excel has no format for it', () => {
    const { rows } = pivotSheet({ ...PIVOT, styles: new Map([['month', 'quarter']]) });
    expect(shape([...rows][0]!)).toEqual([0, 'month', 'Q1 2027', 'Q1 2027', 'Total']);
  });

  it('marks the headers of closed months, and leaves dates as dates', () => {
    const closed = {
      has: (names: readonly string[], path: readonly CellValue[]) =>
        names[path.length - 1] === 'month' && path.at(-1) === JAN,
    };
    const [head] = pivotSheet({ ...PIVOT, closed }).rows;
    expect(shape(head!)).toEqual([0, 'month', serialOf(JAN), serialOf(FEB), 'Total']);
    expect(head!.cells.map(({ style }) => style.format)).toEqual([
      ...[undefined, 'mmm yyyy" ✓"', 'mmm yyyy', undefined],
    ]);
    const quarters = { ...PIVOT, closed, styles: new Map([['month', 'quarter' as const]]) };
    expect(shape([...pivotSheet(quarters).rows][0]!)).toContain('Q1 2027 ✓');
    const down = { ...PIVOT, closed, group_by: ['month'], split_by: [], paths: [[], [JAN], [FEB]] };
    const rows = [...pivotSheet({ ...down, columns: PIVOT.columns.slice(0, 1), count: 3 }).rows];
    expect(rows.map(({ cells }) => cells[0]?.style.format)).toEqual([
      ...[undefined, undefined, 'mmm yyyy" ✓"', 'mmm yyyy'],
    ]);
  });

  it('has no tree and no outline for an ungrouped view', () => {
    const list = { ...PIVOT, group_by: [], split_by: [], paths: [], count: 2 };
    const { rows, columns, frozen, depth } = pivotSheet(list);
    expect([...rows].map(shape)).toEqual([
      [0, 'Sales', 'Sales', 'Sales'],
      [0, 3, 0.5, 3.5],
      [0, 1, null, 1],
    ]);
    expect([columns.length, frozen, depth]).toEqual([3, { rows: 1, columns: 0 }, 0]);
  });

  it('is rejected if it is too large', () => {
    expect(whyNoWorkbook(PIVOT)).toBeNull();
    expect(whyNoWorkbook({ ...PIVOT, count: 400_000 })).toMatch(
      /^The pivot has 400,002 rows and 4 columns, and a workbook can have at most 1,000,000 cells\. /,
    );
  });
});

describe('a format', () => {
  it('has the decimals and signs of the grid', () => {
    const share = {
      style: 'percent',
      minimumFractionDigits: 1,
      signDisplay: 'exceptZero',
    } as const;
    const code = (number_format: Intl.NumberFormatOptions | undefined, value: number) =>
      new NumberFormat('float', number_format ? { number_format } : {}).codeOf(value);
    expect(code(undefined, 3)).toBe('#,##0.00');
    expect(code(share, 0.123)).toBe('+#,##0.0%;-#,##0.0%;#,##0.0%');
    expect(code({ maximumFractionDigits: 2 }, 5)).toBe('#,##0');
    expect(code({ maximumFractionDigits: 2 }, 5.504)).toBe('#,##0.0');
    expect(code({ useGrouping: false, maximumFractionDigits: 0 }, 5000)).toBe('0');
    expect(code({ style: 'currency', currency: 'EUR' }, 5)).toBe('"€"#,##0.00');
    expect(new NumberFormat('integer', {}).codeOf(5)).toBe('#,##0');
  });

  it('counts days like Excel, from March 1900 on', () => {
    expect(serialOf(Date.UTC(2024, 1, 29))).toBe(45_351);
    expect(serialOf(Date.UTC(1900, 2, 1))).toBe(61);
    expect(serialOf(Date.UTC(1900, 1, 28))).toBeNull();
    expect(serialOf(Date.UTC(10_000, 0, 1))).toBeNull();
  });
});

describe('a cell', () => {
  it('keeps texts as texts, and escapes characters that XML cannot contain', () => {
    expect(cellXml(27, 3, '=A1 & <b>', 2)).toBe(
      '<c r="AB3" s="2" t="inlineStr"><is><t xml:space="preserve">=A1 &amp; &lt;b&gt;</t></is></c>',
    );
    expect(texts.content('\u0001 _x0041_ \ud800')).toBe('_x0001_ _x005F_x0041_ \ufffd');
    expect(cellXml(0, 1, Infinity, 0)).toBe('<c r="A1" s="0"/>');
    expect(texts.content(`${'a'.repeat(32_766)}😀`)).toHaveLength(32_767);
  });
});

describe('a workbook', () => {
  it('is a package of its sheets with their outlines and frozen panes', async () => {
    const made = new Date(2027, 4, 6, 12, 30);
    const about = aboutSheet([
      ['Version', '+Plan "A"'],
      ['Made', made],
    ]);
    const parts = await writeWorkbook([pivotSheet(PIVOT), about]);
    const files = unzipSync(new Uint8Array(await new Blob(parts).arrayBuffer()));
    const read = (name: string) => strFromU8(files[name] ?? new Uint8Array());
    expect(Object.keys(files)).toEqual([
      ...['[Content_Types].xml', '_rels/.rels', 'xl/workbook.xml', 'xl/_rels/workbook.xml.rels'],
      ...['xl/worksheets/sheet1.xml', 'xl/worksheets/sheet2.xml', 'xl/styles.xml'],
    ]);
    expect(read('xl/workbook.xml')).toContain('<sheet name="About" sheetId="2"');
    const sheet = read('xl/worksheets/sheet1.xml');
    expect(sheet).toContain('<outlinePr summaryBelow="0" summaryRight="1"/>');
    expect(sheet).toContain('outlineLevelRow="2" outlineLevelCol="1"');
    expect(sheet).toContain('xSplit="1" ySplit="2" topLeftCell="B3" activePane="bottomRight"');
    expect(sheet).toContain('<row r="6" outlineLevel="2">');
    expect(sheet).toContain('<col min="2" max="2" width="14" customWidth="1" outlineLevel="1"/>');
    const facts = read('xl/worksheets/sheet2.xml');
    expect(facts).toContain('>+Plan "A"<');
    const noon = serialOf(Date.UTC(2027, 4, 6, 12, 30));
    expect(facts).toContain(`<v>${noon}</v>`);
    const styles = read('xl/styles.xml');
    expect(styles).toContain('formatCode="mmm yyyy"');
    expect(styles).toContain('quotePrefix="1"');
    expect(styles).not.toContain('undefined');
  });
});
