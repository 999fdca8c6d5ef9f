import { describe, expect, it } from 'vitest';
import { othersValue } from '../../values/others';
import { membersIn } from './found-members';

const columns = [
  { path: ['2027', 'West'], isClosed: false },
  { path: ['2027', 'West'], isClosed: false },
  { path: ['2027', 'South'], isClosed: false },
  { path: ['2028'], isClosed: true },
];
const searched = {
  group_by: ['Category', 'Product'],
  split_by: ['Year', 'Region'],
  paths: [[], ['Furniture'], ['Furniture', 'Chairs'], ['Furniture', 'Café wests'], ['Paper']],
  columns,
  styleOf: () => 'string' as const,
};
const found = (text: string, more = {}) =>
  membersIn({ ...searched, ...more }, text).members.map(({ cell, at }) => [
    cell.columnPath ?? cell.rowPath,
    at,
  ]);

describe('membersIn', () => {
  it('finds each header of columns once, at its first column, before the rows', () => {
    expect(found('WEST')).toEqual([
      [['2027', 'West'], { x: 0, y: 0 }],
      [['Furniture', 'Café wests'], { x: null, y: 3 }],
    ]);
    expect(found('20')).toEqual([
      [['2027'], { x: 0, y: 0 }],
      [['2028'], { x: 3, y: 0 }],
    ]);
  });

  it('finds a row by its own member, not by those above it', () => {
    expect(found('furniture')).toEqual([[['Furniture'], { x: null, y: 1 }]]);
  });

  it('finds a group that is not shown at the row that adds it up', () => {
    const others = ['Furniture', othersValue(2)];
    const limited = {
      paths: [[], ['Furniture'], ['Furniture', 'Chairs'], others],
      membersOf: (path: unknown) => (path === others ? ['Tables', 'Café wests'] : null),
    };
    expect(found('tables', limited)).toEqual([[others, { x: null, y: 3 }]]);
    expect(found('others (2)', limited)).toHaveLength(1);
    expect(found('lamps', limited)).toEqual([]);
  });

  it('ignores the Unicode form, as all searches do', () => {
    expect(found('cafe\u{301}')).toHaveLength(1);
    expect(found('cafe')).toEqual([]);
  });

  it('finds labels as they are shown', () => {
    const styled = {
      paths: [[], [null], [Date.UTC(2028, 2, 1)]],
      styleOf: () => 'quarter' as const,
    };
    expect(found('empty', styled)).toHaveLength(1);
    expect(found('Q1 2028', styled)).toHaveLength(1);
  });

  it('says whether groups are closed', () => {
    const hasClosed = (more = {}) => membersIn({ ...searched, ...more }, 'x').hasClosed;
    expect(hasClosed()).toBe(true);
    expect(hasClosed({ columns: columns.slice(0, 3), paths: searched.paths.slice(0, 4) })).toBe(
      false,
    );
    expect(hasClosed({ columns: columns.slice(0, 3) })).toBe(true);
    const others = { columns: columns.slice(0, 3), paths: [[], [othersValue(3)]] };
    expect(hasClosed(others)).toBe(false);
    const emptied = { columns: columns.slice(0, 3), paths: [[], ['Paper']], isEmptied: () => true };
    expect(hasClosed(emptied)).toBe(false);
    expect(hasClosed({ paths: searched.paths.slice(0, 4) })).toBe(true);
  });

  it('finds nothing in rows that are not grouped, and nothing by an empty text', () => {
    expect(found('a', { group_by: [] })).toEqual([]);
    expect(found('')).toEqual([]);
  });
});
