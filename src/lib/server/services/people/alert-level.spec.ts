import { describe, expect, it } from 'vitest';
import type { PeriodUnit } from '../../../contract/shapes';
import type { Slice } from '../../../contract/slices';
import type { GroupedField } from '../../sql/alerts';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { sql, type SqlText } from '../../sql/quote';
import { hasGroupsInside, membersOf, sliceOfGroup } from './alert-level';

const type: ForecastColumn['source'] = {
  ...{ declared: sql`text`, base: sql`text`, name: 'text', isEnum: false },
  ...{ scale: null, comparable: true },
};
const column = (name: string, of: SqlText, role: 'dimension' | 'date' = 'dimension') => ({
  ...{ name, role, type: of, source: type, isKey: false, inGrain: false },
  ...{ dimGroup: null, periodColumn: null, timeZone: null },
});
const date = (unit: PeriodUnit): GroupedField => ({
  column: column('Day', sql`date`, 'date'),
  unit,
});
const dimension = (of: SqlText): GroupedField => ({ column: column('Code', of) });

describe('sliceOfGroup', () => {
  it.each<[PeriodUnit, string, Slice[string] | undefined, Slice[string]]>([
    ['month', '2027-02-01', undefined, { from: '2027-02-01', to: '2027-02-28' }],
    ['week', '2027-02-01', undefined, { from: '2027-02-01', to: '2027-02-07' }],
    ['year', '2028-01-01', undefined, { from: '2028-01-01', to: '2028-12-31' }],
    ['quarter', '2027-01-01', { from: '2027-02-10' }, { from: '2027-02-10', to: '2027-03-31' }],
    ['quarter', '2027-01-01', { to: '2027-02-10' }, { from: '2027-01-01', to: '2027-02-10' }],
    ['month', '2027-02-01', ['2027-01-31', '2027-02-03', null], ['2027-02-03']],
    ['month', '2027-02-01', '2027-02-03', ['2027-02-03']],
  ])('selects the days of a %s from %s in %j', (unit, first, selected, expected) => {
    const slice: Slice = selected === undefined ? {} : { Day: selected };
    expect(sliceOfGroup(slice, membersOf([date(unit)], [first]))).toEqual({ Day: expected });
  });

  it.each<[SqlText, string | null, Slice[string]]>([
    [sql`text`, '1', '1'],
    [sql`bigint`, '12', 12],
    [sql`numeric`, '0.5', 0.5],
    // A double has 15 digits.
    [sql`numeric`, '0.12345678901234567', '0.12345678901234567'],
    [sql`double precision`, '0.1', 0.1],
    [sql`double precision`, 'NaN', 'NaN'],
    [sql`boolean`, 'true', true],
    [sql`boolean`, 'false', false],
    [sql`text`, null, null],
  ])('takes a member of type %s', (of, text, expected) => {
    const slice = { Code: ['1', '2'], Region: 'A' };
    const members = membersOf([dimension(of)], [text]);
    expect(members).toEqual({ Code: expected });
    expect(sliceOfGroup(slice, members)).toEqual({ Region: 'A', Code: expected });
  });
});

describe('hasGroupsInside', () => {
  const territories = [{ Region: ['A', 'B'], Product: 'x' }];
  it.each([
    [{}, ['Region', 'Product'], true],
    [{ Region: 'A' }, ['Product'], true],
    [{ Region: 'C' }, ['Product'], false],
    [{ Region: ['A', 'C'] }, ['Product'], false],
    [{ Region: ['A', 'C'] }, ['Product', 'Region'], true],
    [{}, ['Region'], false],
  ])('of %j by %j: %s', (slice, fields, expected) => {
    const level = fields.map((field) => ({ field }));
    expect(hasGroupsInside({ slice, level }, territories)).toBe(expected);
  });
});
