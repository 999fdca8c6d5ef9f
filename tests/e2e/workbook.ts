import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { expect } from '../support/e2e';

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

/** The address of the Sales of 2028 in a row: the second column of Sales. */
export async function addressIn(page: Page, file: Uint8Array, row: string): Promise<string> {
  const { rows = [] } = (await readWorkbook(page, file)).get('Pivot') ?? {};
  const y = rows.findIndex(({ cells }) => cells[0]?.value === row);
  const sales = rows[1]?.cells.flatMap(({ value }, x) => (value === 'Sales' ? [x] : [])) ?? [];
  const [, x = -1] = sales;
  expect([y > 1, x]).toEqual([true, 3]);
  return `D${y + 1}`;
}

/** Changes numbers of the first sheet, as a spreadsheet would. */
export function withNumbers(
  file: Uint8Array,
  numbers: Record<string, number | string>,
): Uint8Array {
  const parts = unzipSync(file);
  const name = 'xl/worksheets/sheet1.xml';
  let xml = strFromU8(parts[name] ?? new Uint8Array());
  for (const [address, value] of Object.entries(numbers)) {
    const cell = new RegExp(`<c r="${address}"( s="\\d+")?><v>[^<]*</v></c>`);
    expect(xml).toMatch(cell);
    const made = typeof value === 'number' ? `<v>${value}</v></c>` : `<is><t>${value}</t></is></c>`;
    const type = typeof value === 'number' ? '' : ' t="inlineStr"';
    xml = xml.replace(cell, (_, style = '') => `<c r="${address}"${style}${type}>${made}`);
  }
  return zipSync({ ...parts, [name]: strToU8(xml) });
}

/** Drops files on the page, one right after the other. */
export const dropAll = (
  page: Page,
  files: readonly (readonly [name: string, bytes: Uint8Array])[],
) =>
  page.evaluate(
    (sent) => {
      for (const [name, list] of sent) {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([new Uint8Array(list)], name));
        for (const type of ['dragover', 'drop']) {
          document.body.dispatchEvent(
            new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
          );
        }
      }
    },
    files.map(([name, bytes]) => [name, [...bytes]] as const),
  );

/** Drops a file on the page. */
export const drop = (page: Page, name: string, bytes: Uint8Array) => dropAll(page, [[name, bytes]]);

/** Exports the pivot as a workbook. */
export async function exportWorkbook(page: Page): Promise<Uint8Array> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'Excel workbook of the pivot' }).click();
  return readFile(await (await download).path());
}
