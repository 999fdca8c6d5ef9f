import { describe, expect, it } from 'vitest';
import type { RefreshPreview } from '$lib/contract/refreshes';
import {
  clearedReferenceText,
  leftAloneTexts,
  leftOfRefreshesText,
  loadTexts,
  nothingText,
  refreshable,
  refreshedText,
} from './refresh-text';

const CENTS = { least: 2, most: 2 };
const MEASURES = [
  { key: 'value', column: 'sales', name: 'Sales', decimals: CENTS },
  { key: 'units', column: 'pieces', name: 'Units', decimals: { least: 0, most: 0 } },
  { key: 'cost', column: 'cost', name: 'Cost', decimals: CENTS },
];
const WORDS = { labelOf: (name: string) => (name === 'day' ? 'Order Date' : name) };

const SEGMENTS = [
  { id: 7, operation: 'forecast' },
  { id: 4, operation: 'reference' },
  { id: 9, operation: 'baseline' },
  { id: 2, operation: 'baseline' },
] as const;

const NOTHING_HELD = { closed: 0, locked: 0, reviewed: 0, forecasts: [], held: [] };
const preview = (left: Partial<RefreshPreview['left_alone']>, row_count = 0): RefreshPreview => ({
  ...{ row_count, loads: [], column: 'day', months: [] },
  left_alone: { ...NOTHING_HELD, ...left },
});

describe('refreshable', () => {
  it('has the loads of rows, oldest first, and no forecast', () => {
    expect(refreshable(SEGMENTS).map(({ id }) => id)).toEqual([2, 4, 9]);
  });
});

describe('loadTexts', () => {
  it('lists rows and totals before and after, and those that stay once', () => {
    const before = { value_total: 410, units_total: 5, measures: { cost: 12.5 } };
    const after = { value_total: 1305.75, units_total: 5, measures: { cost: 0 } };
    expect(
      loadTexts({ logid: 2, rows_before: 9994, rows_now: 10012, before, after }, MEASURES),
    ).toEqual(['9,994 → 10,012 rows', '410 → 1,305.75 Sales', '5 Units', '12.50 → 0 Cost']);
  });

  it('leaves out a measure that the source does not have', () => {
    const totals = { value_total: 1, units_total: null };
    expect(
      loadTexts({ logid: 2, rows_before: 1, rows_now: 1, before: totals, after: totals }, MEASURES),
    ).toEqual(['1 row', '1 Sales']);
  });
});

describe('nothingText', () => {
  it('says whether the loads equal the source, or what differs is left alone', () => {
    expect(nothingText(preview({}))).toBe('Nothing to write: the loads equal the source.');
    for (const held of [{ closed: 1 }, { locked: 1 }, { reviewed: 1 }]) {
      expect(nothingText(preview(held))).toBe(
        'Nothing to write: all rows that differ are left alone.',
      );
    }
    expect(nothingText(preview({ closed: 1 }, 1))).toBeNull();
  });
});

describe('leftAloneTexts', () => {
  it('names the rows, their months and why they stay, and the forecasts', () => {
    const slice = { day: { from: '2027-01-01', to: '2027-03-31' } };
    const left = preview({
      closed: 12,
      locked: 1,
      reviewed: 2,
      forecasts: [7],
      held: [
        {
          ...{ kind: 'closed', id: 1, slice },
          months: [
            { month: '2027-01-01', rows: 5 },
            { month: '2027-02-01', rows: 7 },
          ],
        },
        { kind: 'locked', id: 2, slice: {}, months: [{ month: null, rows: 1 }] },
        {
          ...{ kind: 'reviewed', id: 1, slice: { Region: 'West' } },
          months: [{ month: '2027-05-01', rows: 2 }],
        },
      ],
    });
    expect(leftAloneTexts(left, SEGMENTS, WORDS)).toEqual([
      '12 rows in Jan 2027 and Feb 2027 are closed: Order Date in Jan 2027 to Mar 2027.',
      '1 row without a date is locked: everything.',
      '2 rows in May 2027 are held by a review: Region = West.',
      'Forecast 1 is not read again.',
    ]);
  });

  it('counts rows without a date beside those of months', () => {
    const months = [
      { month: '2026-02-01', rows: 2 },
      { month: '2026-03-01', rows: 3 },
      { month: null, rows: 1 },
    ];
    const held = [{ kind: 'locked' as const, id: 1, slice: { Region: 'West' }, months }];
    expect(leftAloneTexts(preview({ locked: 6, held }), SEGMENTS, WORDS)).toEqual([
      '5 rows in Feb 2026 and Mar 2026 and 1 row without a date are locked: Region = West.',
    ]);
  });

  it('names the first and the last of many months', () => {
    const months = [1, 2, 3, 5, 9].map((n) => ({ month: `2027-0${n}-01`, rows: 2 }));
    const held = [{ kind: 'locked' as const, id: 1, slice: { Region: 'West' }, months }];
    expect(leftAloneTexts(preview({ locked: 10, held }), SEGMENTS, WORDS)).toEqual([
      '10 rows in 5 months from Jan 2027 to Sep 2027 are locked: Region = West.',
    ]);
  });

  it('is empty if everything is refreshed', () => {
    expect(leftAloneTexts(preview({}, 3), SEGMENTS, WORDS)).toEqual([]);
  });
});

const refreshOf = (id: number, ...loads: [logid: number, iter: 'baseline' | 'reference'][]) => ({
  ...{ id, operation: 'refresh' as const },
  params: { loads: loads.map(([logid, iter]) => ({ logid, iter, rows: 1, written_at: '' })) },
});

describe('leftOfRefreshesText', () => {
  const log = [
    refreshOf(8, [2, 'baseline']),
    { id: 4, operation: 'baseline' as const, params: null },
    { id: 2, operation: 'baseline' as const, params: null },
  ];

  it('says that rows of refreshes stay if a refreshed load is undone', () => {
    expect(leftOfRefreshesText([2], log)).toBe(
      'What refreshes have added to it stays until the next refresh of all loads.',
    );
    expect(leftOfRefreshesText([4, 2], log)).toBe(
      'What refreshes have added to undone loads stays until the next refresh of all loads.',
    );
  });

  it('is null for other entries, and if the refreshes are undone, too', () => {
    for (const undone of [[4], [8], [8, 2]]) expect(leftOfRefreshesText(undone, log)).toBeNull();
  });
});

describe('clearedReferenceText', () => {
  it('says that refreshes of both origins are deleted as a whole', () => {
    const apart = [refreshOf(8, [2, 'baseline']), refreshOf(9, [3, 'reference'])];
    expect(clearedReferenceText(apart)).toBe('Reference segments stay.');
    const both = refreshOf(10, [2, 'baseline'], [3, 'reference']);
    expect(clearedReferenceText([both, ...apart])).toBe(
      'Reference segments stay, but what these refreshes added to them is deleted, too, until the next refresh.',
    );
  });
});

describe('refreshedText', () => {
  const written = (row_count: number, left: Partial<RefreshPreview['left_alone']> = {}) =>
    refreshedText({ logid: 5, ...preview(left, row_count) });

  it('counts the new rows, and those that are left alone', () => {
    expect(written(1)).toBe('Refreshed: saved as 1 new row.');
    expect(written(1204, { closed: 1, locked: 2 })).toBe(
      'Refreshed: saved as 1,204 new rows. 3 rows left alone.',
    );
  });

  it('says that nothing was written', () => {
    expect(written(0)).toBe('Nothing to write: the loads equal the source.');
  });
});
