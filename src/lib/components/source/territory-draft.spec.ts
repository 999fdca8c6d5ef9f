import { describe, expect, it } from 'vitest';
import type { ColumnEntry } from '$lib/contract/columns';
import type { Slice } from '$lib/contract/slices';
import type { Territory } from '$lib/contract/territories';
import {
  changesOf,
  selectingColumns,
  selectingFields,
  SliceDraft,
  TerritoryDraft,
} from './territory-draft.svelte';

const column = (cname: string, role: ColumnEntry['role'], type: string, is_key = false) =>
  ({ cname, role, type, is_key, label: cname === 'region' ? 'Region' : null }) as ColumnEntry;
const COLUMNS = [
  column('region', 'dimension', 'text'),
  column('Online', 'dimension', 'boolean'),
  column('Year', 'dimension', 'integer'),
  column('Day', 'date', 'date'),
  column('Sales', 'value', 'numeric(12,2)'),
];

const territory = (read: Slice, write: Slice | null): Territory => ({
  ...{ id: 1, source_id: 1, member: 'north', read, write },
  ...{ created_by: 'eve', created_at: '2027-01-01T00:00:00.000Z' },
});

describe('a slice while it is edited', () => {
  it.each<Slice>([
    { region: 'North' },
    { region: ['North', null, ''] },
    { region: null, Online: true, Year: [2027, 2028] },
    { Day: { from: '2027-01-01', to: '2027-12-31' } },
    { Day: { from: '2027-01-01' }, region: ['North', 'East'] },
    { Day: ['2027-01-01', '2027-02-01'] },
    { gone: 'x' },
  ])('is saved as it was loaded: %j', (slice) => {
    expect(new SliceDraft(COLUMNS, slice).toSlice()).toEqual(slice);
  });

  it('says which condition is incomplete', () => {
    const draft = new SliceDraft(COLUMNS, {});
    expect([draft.toSlice(), draft.fault]).toEqual([null, 'Choose at least one value of Region.']);
    draft.remove(draft.conditions[0]!.key);
    expect([draft.toSlice(), draft.fault]).toEqual([null, 'Choose at least one column.']);
    draft.add();
    const [condition] = draft.conditions;
    draft.move(condition!, 'Day');
    expect([draft.toSlice(), draft.fault]).toEqual([
      null,
      'Enter the first or the last day of Day.',
    ]);
    Object.assign(condition!, { from: '2027-02-01', to: '2027-01-31' });
    expect([draft.toSlice(), draft.fault]).toEqual([
      null,
      'The period of Day ends before it begins.',
    ]);
    condition!.to = '';
    expect([draft.toSlice(), draft.fault]).toEqual([{ Day: { from: '2027-02-01' } }, null]);
  });

  it('selects by attributes of lookups too, but by none that is empty', () => {
    const fields = selectingFields(COLUMNS, [
      { attributes: [{ cname: 'family', label: 'Family', order_by: null }] },
    ]);
    const draft = new SliceDraft(fields, { Family: 'Chairs', region: 'North' });
    expect(draft.toSlice()).toEqual({ Family: 'Chairs', region: 'North' });
    expect(['Family', 'region'].map((cname) => draft.takesEmpty(cname))).toEqual([false, true]);
  });

  it('offers each date and dimension once, and of dimensions only the keys if some are marked', () => {
    const draft = new SliceDraft(selectingColumns(COLUMNS), { Year: 2027 });
    expect(draft.unused.map(({ cname }) => cname)).toEqual(['region', 'Online', 'Day']);
    const marked = [...COLUMNS, column('Store', 'dimension', 'text', true)];
    expect(selectingColumns(marked).map(({ cname }) => cname)).toEqual(['Day', 'Store']);
  });
});

describe('a territory while it is edited', () => {
  it.each([
    territory({}, {}),
    territory({}, null),
    territory({ region: 'North' }, null),
    territory({ region: 'North' }, { region: 'North' }),
    territory({ region: ['North', 'East'] }, { region: 'North' }),
  ])('is saved as it was loaded: $read, $write', (stored) => {
    const { member, read, write } = stored;
    expect(new TerritoryDraft(COLUMNS, stored).toRequest()).toEqual({ member, read, write });
  });

  it('gives all that may be read if the whole source may be changed', () => {
    const stored = territory({ region: 'North' }, {});
    expect(changesOf(stored)).toBe('all');
    expect(new TerritoryDraft(COLUMNS, stored).toRequest()?.write).toEqual({ region: 'North' });
  });

  it('needs a name, and a part that is complete', () => {
    const draft = new TerritoryDraft(COLUMNS, null);
    draft.changes = 'part';
    expect(draft.toRequest()).toBeNull();
    expect([draft.memberFault, draft.read.fault, draft.write.fault]).toEqual([
      'Enter the name of a person or a group.',
      'Choose at least one value of Region.',
      'Choose at least one value of Region.',
    ]);
    draft.member = ' north ';
    draft.reads = 'all';
    draft.changes = 'nothing';
    expect(draft.toRequest()).toEqual({ member: 'north', read: {}, write: null });
  });
});
