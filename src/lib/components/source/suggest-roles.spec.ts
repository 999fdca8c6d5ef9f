import { describe, expect, it } from 'vitest';
import { suggestRoles, type SuggestInput } from './suggest-roles';

const column = (cname: string, type: string | null, samples: unknown[] = []): SuggestInput => ({
  cname,
  type,
  samples,
});
const roleOf = (cname: string, type: string | null, samples: unknown[] = []) =>
  suggestRoles([column(cname, type, samples)]).get(cname);
const few = Array.from({ length: 40 }, (_, i) => `v${i % 4}`);
const unique = Array.from({ length: 40 }, (_, i) => `v${i}`);

describe('suggestRoles', () => {
  it('reads an order book as a planner would', () => {
    const roles = suggestRoles([
      column('Row ID', 'integer'),
      column('Order ID', 'text', unique),
      column('Order Date', 'date'),
      column('Ship Date', 'date'),
      column('Segment', 'text', few),
      column('Postal Code', 'integer'),
      column('Sub-Category', 'text', few),
      column('Product Name', 'text', unique),
      column('Sales', 'numeric(12,4)'),
      column('Quantity', 'integer'),
      column('Discount', 'numeric(4,2)'),
      column('Profit', 'double precision'),
    ]);
    expect(Object.fromEntries(roles)).toEqual({
      'Row ID': 'filter',
      'Order ID': 'filter',
      'Order Date': 'date',
      'Ship Date': 'date',
      Segment: 'dimension',
      'Postal Code': 'dimension',
      'Sub-Category': 'dimension',
      'Product Name': 'filter',
      Sales: 'value',
      Quantity: 'units',
      Discount: 'ignore',
      Profit: 'ignore',
    });
  });

  it('gives value and units to one column each, by the plainest name', () => {
    const roles = suggestRoles([
      column('net_total', 'numeric'),
      column('revenue', 'numeric'),
      column('qty_returned', 'integer'),
      column('quantity', 'integer'),
    ]);
    expect([...roles].filter(([, role]) => role === 'value')).toEqual([['revenue', 'value']]);
    expect([...roles].filter(([, role]) => role === 'units')).toEqual([['quantity', 'units']]);
  });

  it('does not take a price or a rate for a measure to add up', () => {
    expect(roleOf('unit_price', 'numeric')).toBe('ignore');
    expect(roleOf('taxAmount', 'numeric')).toBe('ignore');
  });

  it('reads words out of camel case, snake case and blanks', () => {
    for (const name of ['orderQty', 'order_qty', 'Order Qty']) {
      expect(roleOf(name, 'integer')).toBe('units');
    }
    expect(roleOf('Paid', 'text', few)).toBe('dimension');
  });

  it('keeps dates of bookkeeping out of the plan', () => {
    expect(roleOf('created_at', 'timestamp with time zone')).toBe('filter');
    expect(roleOf('due', 'timestamp without time zone')).toBe('date');
  });

  it('ignores what the service cannot use: reserved names, lost columns, structured types', () => {
    expect(roleOf('pf_id', 'bigint')).toBe('ignore');
    expect(roleOf('gone', null)).toBe('ignore');
    expect(roleOf('payload', 'json')).toBe('ignore');
    expect(roleOf('payload', 'jsonb')).toBe('ignore');
    expect(roleOf('tags', 'text[]')).toBe('ignore');
  });

  it('judges repetition only by enough rows', () => {
    expect(roleOf('customer', 'text', unique.slice(0, 5))).toBe('dimension');
    expect(roleOf('customer', 'text', unique)).toBe('filter');
  });
});
