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
  const { describe, read } = await withMonths(open, choices, titles);
  const lines: string[] = [];
  for await (const batch of read()) {
    for (const { cells, line, problem } of batch) lines.push(`${line} ${problem ?? cells.join()}`);
  }
  return { months: describe(), lines };
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

  it('take the year of a title, and none from a date', async () => {
    const yearOf = async (...titles: string[]) => (await read(PLAN, {}, titles)).months?.year;
    expect(await yearOf('Sales plan 2027', 'Sheet1', 'plan 2025.csv')).toBe(2027);
    expect(await yearOf('Plan FY2027, as of 2026-11-27')).toBe(2027);
    expect(await yearOf('Stand: 27.11.2026', 'Plan 2027')).toBe(2027);
    expect(await yearOf('plan 11/27/2026.csv', 'plan 2026-1-7.csv')).toBe(null);
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

  it('without an amount in a line are counted, with the line', async () => {
    const { months, lines } = await read('A,Jan,Feb,Mar\nx,1,2,3\ny,,,\nz,, ,\n', { year: 2027 });
    expect(lines.slice(1).map((line) => line[0])).toEqual(['2', '2', '2']);
    expect(months?.empty_lines).toEqual({ count: 2, lines: [3, 4] });
    const columns = await read('A,Jan,Feb,Mar\ny,,,\n', { months: 'columns' });
    expect(columns.months).not.toHaveProperty('empty_lines');
  });

  it.each([
    ['Dec,Nov,Oct', ['2027-10-01', '2027-11-01', '2027-12-01'], 'Oct'],
    ['Feb,Jan,Dec,Nov', ['2027-11-01', '2027-12-01', '2028-01-01', '2028-02-01'], 'Nov'],
    ['Oct,Jul,Apr,Jan', ['2027-01-01', '2027-04-01', '2027-07-01', '2027-10-01'], 'Jan'],
    ['Apr,Aug,Feb,Jan', ['2027-01-01', '2027-02-01', '2027-04-01', '2027-08-01'], 'Jan'],
  ])('in the order %s are of as few years as they can be', async (names, dates, first) => {
    const amounts = names.replace(/\w+/g, '1');
    const { months, lines } = await read(`A,${names}\nx,${amounts}\n`, { year: 2027 });
    expect(lines.slice(1)).toEqual(dates.map((date) => `2 x,${date},1`));
    expect(months?.names[0]).toBe(first);
  });

  it.each([
    ['Year', ['2026', '2027', ''], true],
    ['Jahr', ['2026/27', '2027/28', '2028-29'], true],
    ['FY', ['FY27', "FY '28", 'fy 2029'], true],
    ['Year', ['6', '2027', ''], false],
    ['FY', ['2026.5', '2027', '2028'], false],
    ['FY27', ['2026', '2027', '2028'], false],
  ])('keep a column %s of %j as a key: %j', async (name, cells, isKept) => {
    const text = cells.map((cell) => `${cell},1,2,3\n`).join('');
    const { lines } = await read(`${name},Jan,Feb,Mar\n${text}`, { year: 2027 });
    expect(lines[0]).toBe(isKept ? `1 ${name},Month,Amount` : '1 Month,Amount');
    expect(lines[1]).toBe(isKept ? `2 ${cells[0]},2027-01-01,1` : '2 2027-01-01,1');
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
