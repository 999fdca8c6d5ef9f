import { describe, expect, it } from 'vitest';
import type { FileRow } from './csv';
import { rowsFrom, startOf } from './title-rows';

const reading = (lines: readonly string[]) =>
  async function* () {
    const rows = lines.map((line, i): FileRow => ({ cells: line.split(';'), line: i + 1 }));
    yield rows.slice(0, 2);
    yield rows.slice(2);
  };

const start = (lines: readonly string[], chosen?: number) => startOf(reading(lines), chosen);

describe('The names of the columns', () => {
  it.each([
    ['in the first line', 1, ['Region;Sales', 'North;1', 'South;2']],
    ['below a title', 2, ['Plan 2027', 'Region;Sales', 'North;1']],
    ['below a title and blank lines', 4, ['Plan 2027;;', ';;', '', 'Region;Day;Sales', 'N;D;1']],
    ['below pairs', 3, ['Plan', 'Unit;EUR', 'A;B;C;D', 'a;b;c;1']],
    ['below pairs and a blank line', 4, ['Plan', 'Unit;EUR', '', 'A;B;C', 'a;b;1']],
    ['that are years', 2, ['Plan', 'Region;2026;2027', 'North;1;2']],
    ['that are months', 2, ['Plan', 'Region;2027-01-01;Feb 27', 'North;1;2']],
    ['of which one is missing', 1, ['Region;;Sales', 'North;x;y', 'South;x;y']],
    ['of one column', 1, ['Note', 'one', 'two']],
    ['that are not there', 1, ['North;1;5.5', 'South;2;6.5']],
    ['that are not below the title', 1, ['Plan', 'North;1;5.5', 'South;2;6.5']],
    ['without a row below them', 1, ['Plan', 'Region;Sales']],
  ])('%s are in line %i', async (_, line, lines) => {
    expect((await start(lines)).line).toBe(line);
  });
});

it('lists the titles, and reads the rows from the chosen line on', async () => {
  const lines = ['Plan ;  2027', 'Unit;EUR', 'Region;Day;Sales;Units', 'N;D;1;2', 'S;D;3;4'];
  expect(await start(lines)).toEqual({ line: 3, titles: ['Plan 2027', 'Unit EUR'] });
  const chosen = await start(lines, 4);
  expect(chosen).toEqual({ line: 4, titles: ['Plan 2027', 'Unit EUR', 'Region Day Sales Units'] });
  expect(await start(lines, 1)).toEqual({ line: 1, titles: [] });
  const read: number[] = [];
  for await (const rows of rowsFrom(reading(lines), chosen)())
    read.push(...rows.map(({ line }) => line));
  expect(read).toEqual([4, 5]);
  await expect(start(lines, 6)).rejects.toThrow('first_line: the file has no row from line 6 on');
});
