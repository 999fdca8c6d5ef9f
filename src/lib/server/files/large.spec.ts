import { expect, it } from 'vitest';
import { filesOf, zipped } from '../../../../tests/support/workbook-files';
import { blobBytes } from '../../xlsx/bytes';
import { CsvReader } from './csv';
import { openSheet } from './sheet-rows';

it('reads a part once that several empty sheets share', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `<sheet name="${i}" r:id="s1"/>`);
  const files = filesOf(' '.repeat(200_000), {
    'xl/workbook.xml': `<workbook><sheets>${names.join('')}</sheets></workbook>`,
  });
  let steps = 0;
  const bytes = {
    ...blobBytes(new Blob([zipped(files)])),
    step: () => Promise.resolve(void steps++),
  };
  await expect(openSheet(bytes, undefined, undefined)).rejects.toThrow('The sheet is empty');
  const all = steps;
  steps = 0;
  const one = {
    ...files,
    'xl/workbook.xml':
      files['xl/workbook.xml']?.replace(/(<sheet name="0".*?>).*(?=<\/sheets>)/, '$1') ?? '',
  };
  const single = { ...bytes, ...blobBytes(new Blob([zipped(one)])) };
  await expect(openSheet(single, undefined, undefined)).rejects.toThrow('The sheet is empty');
  expect(all).toBe(steps);
});

it('makes no rows of empty lines, and counts them', () => {
  const reader = new CsvReader(',');
  const rows = [...reader.take('\n\r\n\r\na,b\n\n'), ...reader.take('\n""\n1'), ...reader.end()];
  expect(rows).toEqual([
    { cells: ['a', 'b'], line: 4 },
    { cells: [''], line: 7 },
    { cells: ['1'], line: 8 },
  ]);
});
