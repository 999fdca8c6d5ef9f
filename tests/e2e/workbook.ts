import type { Page } from '@playwright/test';
import { strFromU8, unzipSync } from 'fflate';

/** A cell of a workbook; a date is still a number of days here. */
export interface SheetCell {
  value: string | number | null;
  format: string;
  bold: boolean;
}

interface SheetRow {
  level: number;
  cells: SheetCell[];
}

export interface ReadSheet {
  rows: SheetRow[];
  /** The number of frozen rows and columns. */
  frozen: [rows: number, columns: number];
  columnLevels: number[];
}

/** Reads a workbook from its XML with the browser's parser. Returns the sheets by name. */
export async function readWorkbook(page: Page, file: Uint8Array): Promise<Map<string, ReadSheet>> {
  const parts = Object.entries(unzipSync(file)).map(([name, bytes]) => [name, strFromU8(bytes)]);
  const sheets = await page.evaluate(
    (files: Record<string, string>) => {
      const parse = (name: string) => {
        const xml = new DOMParser().parseFromString(files[name] ?? '', 'text/xml');
        if (xml.querySelector('parsererror')) throw new Error(`${name} is no XML`);
        return xml;
      };
      const number = (of: Element | null | undefined, name: string) =>
        Number(of?.getAttribute(name) ?? 0);
      const styles = parse('xl/styles.xml');
      const codes = new Map(
        [...styles.querySelectorAll('numFmt')].map((each) => [
          each.getAttribute('numFmtId'),
          each.getAttribute('formatCode') ?? '',
        ]),
      );
      const fonts = [...styles.querySelectorAll('fonts > font')];
      const looks = [...styles.querySelectorAll('cellXfs > xf')].map((xf) => ({
        format: codes.get(xf.getAttribute('numFmtId')) ?? '',
        bold: fonts[number(xf, 'fontId')]?.querySelector('b') != null,
      }));
      const placeOf = (ref: string) =>
        [...ref.replace(/\d+$/, '')].reduce((at, c) => at * 26 + c.charCodeAt(0) - 64, 0) - 1;
      return [...parse('xl/workbook.xml').querySelectorAll('sheet')].map((named, i) => {
        const sheet = parse(`xl/worksheets/sheet${i + 1}.xml`);
        const pane = sheet.querySelector('pane[state=frozen]');
        const rows = [...sheet.querySelectorAll('row')].map((row) => {
          const cells: SheetCell[] = [];
          for (const c of row.querySelectorAll('c')) {
            const at = placeOf(c.getAttribute('r') ?? '');
            while (cells.length < at) cells.push({ value: null, format: '', bold: false });
            const text = c.textContent;
            const value = c.getAttribute('t') === 'inlineStr' ? text : Number(text);
            cells.push({ value, ...(looks[number(c, 's')] ?? { format: '', bold: false }) });
          }
          return { level: number(row, 'outlineLevel'), cells };
        });
        return [
          named.getAttribute('name') ?? '',
          {
            rows,
            frozen: [number(pane, 'ySplit'), number(pane, 'xSplit')],
            columnLevels: [...sheet.querySelectorAll('col')].map((c) => number(c, 'outlineLevel')),
          },
        ] as [string, ReadSheet];
      });
    },
    Object.fromEntries(parts) as Record<string, string>,
  );
  return new Map(sheets);
}
