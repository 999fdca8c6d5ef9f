import { describe, expect, it } from 'vitest';
import { CsvReader, type FileRow } from './csv';
import { type MonthChoices, monthOf, withMonths } from './months';

describe('The name of a column', () => {
  it.each([
    ['Jan', 1, null],
    ['Sept.', 9, null],
    ['März', 3, null],
    ['Mrz', 3, null],
    ['DEZEMBER', 12, null],
    ['Jan 2027', 1, 2027],
    ['Jan-27', 1, 2027],
    ["Feb '27", 2, 2027],
    ['2027 Okt', 10, 2027],
    ['2027-01', 1, 2027],
    ['2027/1', 1, 2027],
    ['202712', 12, 2027],
    ['2027-01-01', 1, 2027],
    ['12.2027', 12, 2027],
    ['01/2027', 1, 2027],
  ])('%s is a month', (name, month, year) => {
    expect(monthOf(name)).toEqual({ month, year });
  });

  it.each([
    'Mark',
    'Marketing',
    'Ja',
    'Junk',
    'Decimal',
    '2027',
    '13.2027',
    '2027-13',
    'Jan 3027',
    '200000',
    '',
    'Q1',
  ])('%s is no month', (name) => expect(monthOf(name)).toBeNull());
});

async function read(text: string, choices: MonthChoices = {}, titles: string[] = []) {
  const rows: FileRow[] = new CsvReader(',').take(text);
  const open = async function* () {
    yield rows;
  };
  const { months, read } = await withMonths(open, choices, titles);
  const lines: string[] = [];
  for await (const batch of read()) {
    for (const { cells, line, problem } of batch) lines.push(`${line} ${problem ?? cells.join()}`);
  }
  return { months, lines };
}

describe('Months', () => {
  const PLAN = 'Region,Nov,Dec,Jan,Total\nNorth,1,,3,4\nSouth,4,5,6,15\n';

  it('become rows, empty ones none, and sums are left out', async () => {
    const { months, lines } = await read(PLAN, {}, ['Budget', 'plan 2026.csv']);
    expect(months).toEqual({
      ...{ as: 'rows', year: 2026, asks_year: true },
      names: ['Nov', 'Dec', 'Jan'],
    });
    expect(lines).toEqual([
      '1 Region,Month,Amount',
      ...['2 North,2026-11-01,1', '2 North,2027-01-01,3'],
      ...['3 South,2026-11-01,4', '3 South,2026-12-01,5', '3 South,2027-01-01,6'],
    ]);
  });

  it('without a year stay columns until one is said', async () => {
    for (const titles of [[], ['2026-2027'], ['v12345']]) {
      const { months, lines } = await read(PLAN, {}, titles);
      expect([months?.as, months?.year, lines[1]]).toEqual(['columns', null, '2 North,1,,3,4']);
    }
    const said = await read(PLAN, { year: 2030 }, ['plan 2026.csv']);
    expect(said.lines[1]).toBe('2 North,2030-11-01,1');
    await expect(read(PLAN, { months: 'rows' })).rejects.toThrow('year is missing');
  });

  it('stay columns if columns are chosen', async () => {
    const { months, lines } = await read(PLAN, { months: 'columns', year: 2027 });
    expect([months?.as, lines[0]]).toEqual(['columns', '1 Region,Nov,Dec,Jan,Total']);
  });

  it('that have their own years need none', async () => {
    const text = 'A,2027-01,2027-02,2028-01,Q1 2027\nx,1,2,3,3\n';
    const { months, lines } = await read(text, {}, ['plan 1999']);
    expect(months).toMatchObject({ as: 'rows', year: null, asks_year: false });
    expect(lines).toEqual([
      ...['1 A,Month,Amount', '2 x,2027-01-01,1', '2 x,2027-02-01,2', '2 x,2028-01-01,3'],
    ]);
  });

  it('are no months if they are few, mixed or come twice, or if nothing is named', async () => {
    for (const names of [
      'A,Jan,Feb',
      'Jan,Feb 2027,Mar',
      'Jan,Feb,Jan',
      'Month,Amount,May',
      'Jan-27,Jan-28,Jan-29',
    ]) {
      const { months } = await read(`${names}\n1,2,3\n`, {}, ['2027']);
      expect(months).toBeUndefined();
    }
    expect((await read(PLAN, { header: 'no' }, ['2027'])).months).toBeUndefined();
    await expect(read('a,b\n', { months: 'rows' })).rejects.toThrow(
      'months: the first line does not name 3 months or more',
    );
  });

  it('of a row that is too short or too long do not fit', async () => {
    const { lines } = await read('A,Jan,Feb,Mar\nx,1\ny,1,2,3,4\nz,1,2,3,\n', { year: 2027 });
    expect(lines.slice(1)).toEqual([
      '2 it has only 2 of 4 cells',
      '3 it has 5 cells, and the first line 4',
      ...['4 z,2027-01-01,1', '4 z,2027-02-01,2', '4 z,2027-03-01,3'],
    ]);
  });
});
