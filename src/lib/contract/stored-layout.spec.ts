import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { Layout, Limit } from './stored-layout';

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

  it('says which numbers a limit takes', () => {
    const of = (keep: string, number: number) =>
      v
        .safeParse(Limit, { keep, number, by: 'Sales' })
        .issues?.map(({ message, path }) => [path?.map(({ key }) => key).join('.'), message]);
    const why = [['number', 'must be a whole number from 1 on with top and bottom']];
    expect(of('top', 0)).toEqual(why);
    expect(of('bottom', 1.5)).toEqual(why);
    expect(of('top', 1)).toBeUndefined();
    expect(of('above', -0.05)).toBeUndefined();
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
