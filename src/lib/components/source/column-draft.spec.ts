import { describe, expect, it } from 'vitest';
import { ApiError } from '$lib/client/api';
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
  it('sends the changed fields of the changed columns, and nothing while nothing has changed', () => {
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

  it('sends the new places of a moved column and of those it passed', () => {
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

  it('takes suggestions only where no role was given, and never a second value column', () => {
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
});
