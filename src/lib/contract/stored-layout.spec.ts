import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { Layout } from './stored-layout';

describe('Layout', () => {
  it('keeps every part that a pivot stores', () => {
    const layout: Layout = {
      group_by: ['Region'],
      split_by: ['Order Date (month)'],
      columns: ['Sales', null],
      filter: [
        ['Region', '==', 'West'],
        ['Size', 'in', [1, null]],
        ['Segment', 'is null', null],
      ],
      filter_op: 'or',
      sort: [['Sales', 'col desc']],
      expressions: { 'Order Date (month)': `bucket("Order Date", 'M')` },
      aggregates: { Sales: 'sum', Price: ['weighted mean', ['Quantity']] },
      columns_config: { Sales: { number_format: { maximumFractionDigits: 2 } } },
      plugin: 'Datagrid',
      plugin_config: { edit_mode: 'READ_ONLY' },
      depth: 1,
    };
    expect(v.parse(Layout, layout)).toEqual(layout);
  });

  it('treats null as missing, and omits parts that do not belong to a layout', () => {
    expect(
      v.parse(Layout, { group_by: null, theme: 'Pro Dark', settings: true, plugin: 'Y Bar' }),
    ).toEqual({ plugin: 'Y Bar' });
  });

  it('accepts a filter without a term', () => {
    expect(v.parse(Layout, { filter: [['Segment', 'is null']] })).toEqual({
      filter: [['Segment', 'is null', null]],
    });
  });

  it('keeps columns named like properties of an object', () => {
    const aggregates = JSON.parse('{"constructor":"sum","__proto__":"avg"}') as unknown;
    const parsed = v.parse(Layout, { aggregates });
    expect(Object.entries(parsed.aggregates ?? {})).toEqual([
      ['constructor', 'sum'],
      ['__proto__', 'avg'],
    ]);
  });

  it.each([
    null,
    'Region',
    { group_by: 'Region' },
    { filter: [['Region']] },
    { sort: [['Sales', 1]] },
    { filter_op: 'xor' },
    { expressions: ['1 + 1'] },
    { depth: 'all' },
  ])('refuses %j', (stored) => {
    expect(v.is(Layout, stored)).toBe(false);
  });
});
