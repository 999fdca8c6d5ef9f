import { describe, expect, it } from 'vitest';
import { ApiError } from '$lib/client/http';
import type { ColumnEntry } from '$lib/contract/columns';
import { ColumnDraft } from './column-draft.svelte';

const column = (
  cname: string,
  opos: number | null,
  more: Partial<ColumnEntry> = {},
): ColumnEntry => ({
  cname,
  label: null,
  role: 'ignore',
  is_key: false,
  opos,
  dim_group: null,
  dim_period_col: null,
  in_grain: false,
  type: 'text',
  ...more,
});
const stored = [
  column('Region', 1, { role: 'dimension', is_key: true, in_grain: true }),
  column('Sales', 2, { role: 'value', type: 'numeric' }),
  column('Note', 3),
];
const row = (draft: ColumnDraft, cname: string) => draft.rows.find((r) => r.cname === cname)!;

describe('ColumnDraft', () => {
  it('sends the changed fields of the changed columns, and nothing without changes', () => {
    const draft = new ColumnDraft(stored);
    expect(draft.dirty).toBe(false);
    draft.set(row(draft, 'Note'), 'role', 'filter');
    draft.set(row(draft, 'Sales'), 'label', 'Net sales');
    expect(draft.changes).toEqual([
      { cname: 'Sales', label: 'Net sales' },
      { cname: 'Note', role: 'filter' },
    ]);
    draft.discard();
    expect(draft.changes).toEqual([]);
  });

  it('clears what the new role does not allow', () => {
    const draft = new ColumnDraft(stored);
    draft.set(row(draft, 'Region'), 'role', 'filter');
    expect(draft.changes).toEqual([
      { cname: 'Region', role: 'filter', is_key: false, in_grain: false },
    ]);
    expect(draft.grain).toEqual([]);
  });

  it('sends the new positions of a moved column and of the columns it passed', () => {
    const draft = new ColumnDraft(stored);
    draft.move(2, 0);
    expect(draft.rows.map((r) => r.cname)).toEqual(['Note', 'Region', 'Sales']);
    expect(draft.changes).toEqual([
      { cname: 'Note', opos: 1 },
      { cname: 'Region', opos: 2 },
      { cname: 'Sales', opos: 3 },
    ]);
    draft.move(0, 2);
    expect(draft.dirty).toBe(false);
  });

  it('sends a chosen time zone, and null for UTC', () => {
    const at = { role: 'date' as const, type: 'timestamp with time zone' };
    const draft = new ColumnDraft([column('at', 1, { ...at, time_zone: 'Asia/Kolkata' })]);
    draft.set(row(draft, 'at'), 'time_zone', 'America/Los_Angeles');
    expect(draft.changes).toEqual([{ cname: 'at', time_zone: 'America/Los_Angeles' }]);
    draft.set(row(draft, 'at'), 'time_zone', undefined);
    expect(draft.changes).toEqual([{ cname: 'at', time_zone: null }]);
    draft.discard();
    draft.set(row(draft, 'at'), 'role', 'filter');
    expect(draft.changes).toEqual([{ cname: 'at', role: 'filter', time_zone: null }]);
  });

  it('names the dimensions that a load copies although it moves their date', () => {
    const draft = new ColumnDraft([
      column('Day', 1, { role: 'date', type: 'date', dim_group: 'd' }),
      column('Month', 2, { role: 'dimension', dim_group: 'd' }),
      column('Year', 3, { role: 'dimension', dim_group: 'd', dim_period_col: 'cal_year' }),
      column('Region', 4, { role: 'dimension' }),
      column('Stray', 5, { role: 'dimension', dim_group: 'no date' }),
    ]);
    expect(draft.rows.filter((r) => draft.isCopied(r)).map((r) => r.cname)).toEqual(['Month']);
  });

  it('suggests the role filter for a number that repeats a month and has no role yet', () => {
    const number = { type: 'integer' };
    const day = column('Day', 1, { role: 'date', type: 'date' });
    const pairs = [{ dimension: 'YearMonth', date: 'Day', period: null }];
    const draft = new ColumnDraft([day, column('YearMonth', 2, number)]);
    draft.suggest(new Map([['YearMonth', 'dimension']]));
    expect(draft.suggestPairs(pairs)).toEqual(pairs);
    expect(row(draft, 'YearMonth')).toMatchObject({ role: 'filter', dim_group: null });
    const chosen = new ColumnDraft([day, column('YearMonth', 2, { ...number, role: 'dimension' })]);
    expect(chosen.suggestPairs(pairs)).toEqual([]);
    expect(row(chosen, 'YearMonth')).toMatchObject({ role: 'dimension', dim_group: null });
  });

  it('applies suggestions only to columns without a role, and never a second value column', () => {
    const draft = new ColumnDraft([...stored, column('Amount', 4, { type: 'numeric' })]);
    const changed = draft.suggest(
      new Map([
        ['Region', 'filter'],
        ['Note', 'dimension'],
        ['Amount', 'value'],
      ]),
    );
    expect(changed).toBe(1);
    expect(draft.changes).toEqual([{ cname: 'Note', role: 'dimension' }]);
  });

  it('marks the cell that the service names', () => {
    const draft = new ColumnDraft([...stored, column('a"b', 4)]);
    const message = 'Column "a"b", role: date needs a date or timestamp, and this column is text';
    draft.refuse(new ApiError(400, message, { field: '0.role', column: 'a"b' }));
    expect(draft.refusal).toEqual({ cname: 'a"b', field: 'role', message });
    draft.refuse(new ApiError(400, 'Something else'));
    expect(draft.refusal).toEqual({ cname: null, field: null, message: 'Something else' });
  });

  it('derives dimensions from a date by a shared group', () => {
    const draft = new ColumnDraft([
      column('Order Date', 1, { role: 'date', label: 'Ordered', type: 'date' }),
      column('Month', 2, { role: 'dimension' }),
      column('Year', 3, { role: 'dimension', dim_group: 'lost' }),
    ]);
    expect(draft.dates).toEqual([
      { group: 'Order Date', cname: 'Order Date', label: 'Ordered' },
      { group: 'lost', cname: null, label: 'lost (no date column)' },
    ]);
    // With only one date, a calendar column can only be derived from it.
    draft.follow(row(draft, 'Year'), null);
    draft.fillFrom(row(draft, 'Month'), 'period_key');
    expect(draft.changes).toEqual([
      { cname: 'Order Date', dim_group: 'Order Date' },
      { cname: 'Month', dim_group: 'Order Date', dim_period_col: 'period_key' },
      { cname: 'Year', dim_group: null },
    ]);
    expect(draft.followers(row(draft, 'Order Date')).map(({ cname }) => cname)).toEqual(['Month']);
    draft.follow(row(draft, 'Month'), null);
    expect(row(draft, 'Month')).toMatchObject({ dim_group: null, dim_period_col: null });
  });

  it('applies a suggested pair only to a dimension that is not derived from a date yet', () => {
    const draft = new ColumnDraft([
      column('Order Date', 1, { role: 'date', dim_group: 'order' }),
      column('Ship Date', 2, { role: 'date', dim_group: 'Month' }),
      column('Month', 3, { role: 'dimension' }),
      column('Year', 4, { role: 'dimension', dim_group: 'order', dim_period_col: 'fisc_year' }),
    ]);
    const pairs = [
      { dimension: 'Month', date: 'Order Date', period: null },
      { dimension: 'Year', date: 'Order Date', period: 'cal_year' as const },
    ];
    expect(draft.suggestPairs(pairs)).toEqual([pairs[0]]);
    expect(draft.changes).toEqual([{ cname: 'Month', dim_group: 'order' }]);
  });
});
