import { describe, expect, it } from 'vitest';
import { columnsNeeded } from './columns-needed';
import type { Schema } from '../values/engine-types';

const SCHEMA: Schema = {
  Region: 'string',
  State: 'string',
  Date: 'date',
  'Date (month)': 'date',
  Sales: 'float',
  Units: 'float',
  'a"b': 'string',
};

describe('the columns that a layout needs', () => {
  it('are exactly those that it names', () => {
    expect(columnsNeeded({}, SCHEMA)).toEqual([]);
    expect(
      columnsNeeded({ group_by: ['Region', 'Gone'], columns: ['Sales', null] }, SCHEMA),
    ).toEqual(['Region', 'Sales']);
    expect(
      columnsNeeded(
        {
          split_by: ['Date (month)'],
          filter: [['State', '==', 'Ohio']],
          sort: [['Units', 'desc']],
        },
        SCHEMA,
      ),
    ).toEqual(['State', 'Date (month)', 'Units']);
  });

  it('include those that any expression may need, used or not, since the engine computes all of them', () => {
    const needed = (text: string) => columnsNeeded({ expressions: { e: text } }, SCHEMA);
    // A name that needs quotes could be written in another way.
    expect(needed('upper("Region")')).toEqual(['Region', 'a"b']);
    expect(needed('bucket("Date", \'M\')')).toEqual(['Date', 'a"b']);
    expect(needed("vlookup('Reg' + 'ion', 1)")).toEqual(Object.keys(SCHEMA));
  });

  it('include the weights of the measures that are shown', () => {
    const aggregates: Record<string, string | [string, string[]]> = {
      Sales: ['weighted mean', ['Units']],
      State: ['weighted mean', ['Region']],
      Region: 'count',
    };
    expect(columnsNeeded({ columns: ['Sales'], aggregates }, SCHEMA)).toEqual(['Sales', 'Units']);
  });
});
