import { describe, expect, it } from 'vitest';
import { ApiError } from '../../client/http';
import type { ColumnEntry } from '../../contract/columns';
import type { Attributes } from '../../pivot/rows/attributes';
import { isOfOneLookup, withAttributes } from './lookups';

const column = (cname: string, role: ColumnEntry['role'], is_key = false) =>
  ({ cname, role, is_key, dim_group: null }) as ColumnEntry;

/** Attributes with the columns that they follow from. */
const attributesOf = (keys: Record<string, string[]>) =>
  ({
    types: Object.fromEntries(Object.keys(keys).map((name) => [name, 'string'])),
    keysOf: (name: string) => keys[name] ?? null,
    conversions: [],
  }) as unknown as Attributes;

const ATTRIBUTES = attributesOf({ 'Fiscal year': ['Day'], Family: ['Product'] });
const keysAmong = (columns: readonly ColumnEntry[]) =>
  withAttributes(columns, ATTRIBUTES).flatMap(({ cname, is_key }) => (is_key ? [cname] : []));

describe('An attribute is marked as a key', () => {
  it('in no source that marks none, so that other dimensions may select rows', () => {
    const columns = [column('Day', 'date'), column('Product', 'dimension')];
    expect(keysAmong([...columns, column('Region', 'dimension')])).toEqual([]);
  });

  it('if the source marks keys and all columns that it follows from may select rows', () => {
    const columns = [column('Day', 'date'), column('Product', 'dimension')];
    const region = column('Region', 'dimension', true);
    expect(keysAmong([...columns, region])).toEqual(['Region', 'Fiscal year']);
    const marked = column('Product', 'dimension', true);
    expect(keysAmong([column('Day', 'date'), marked, region])).toEqual([
      ...['Product', 'Region', 'Fiscal year', 'Family'],
    ]);
  });
});

it.each([
  [409, true],
  [422, true],
  [401, false],
  [500, false],
  [0, false],
])('A failure with status %d concerns one lookup only: %j', (status, isOfOne) => {
  expect(isOfOneLookup(new ApiError(status, 'No.'))).toBe(isOfOne);
});
