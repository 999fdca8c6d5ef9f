import { columnFromArray, dateDay } from '@uwdata/flechette';
import { describe, expect, it } from 'vitest';
import { Buckets } from './buckets';
import { groupedBy } from '../values/time-unit';
import { ViewerLayout } from './viewer-layout';

const MONTHS = groupedBy('Order Date', 'month');
const ROWS = ['Region', 'Category', MONTHS.name];

/** Creates the layout of a viewer that accepts each configuration at once, unless the test delays it. */
function shownBy(levels: number) {
  let saved: Record<string, unknown> = {};
  const buckets = Buckets.of(
    new Map([['Order Date', columnFromArray([0], dateDay())]]),
    MONTHS.expressions,
  );
  const layout = new ViewerLayout({ save: async () => saved }, buckets, () => levels);
  const shows = (config: Record<string, unknown>) => (saved = { ...saved, ...config });
  const take = (config: Parameters<ViewerLayout['tell']>[0]) => {
    const told = layout.tell(config);
    shows(told.config);
    layout.settle(told, true);
    return told.config;
  };
  const rows = async () => (await layout.read()).group_by;
  return { layout, shows, take, rows };
}

describe('the configuration that the viewer gets for a layout', () => {
  it('has the open levels only, while reading returns all levels', async () => {
    const { layout, take, rows } = shownBy(1);
    const { expressions } = MONTHS;
    const told = take({ group_by: ROWS, expressions, columns: ['Sales'] });
    expect(told).toEqual({ group_by: ['Region'], expressions: {}, columns: ['Sales'] });
    expect(await layout.read()).toEqual({ group_by: ROWS, columns: ['Sales'], expressions });
    // Settings that the configuration omits stay the same.
    expect(take({ filter: [] })).toEqual({ filter: [] });
    expect(await rows()).toEqual(ROWS);
    expect(layout.rows).toEqual(ROWS);
  });

  it('reads as the previous one while the viewer does not show the last one yet, or has refused it', async () => {
    const { layout, take, rows } = shownBy(2);
    take({ group_by: ROWS });
    const refused = ['Segment', 'City'].map((last) =>
      layout.tell({ group_by: ['Ship Mode', 'A', last] }),
    );
    expect(await rows()).toEqual(ROWS);
    for (const each of refused) layout.settle(each, false);
    expect(await rows()).toEqual(ROWS);
    expect(layout.rows).toEqual(ROWS);
    take({ group_by: ['Segment', 'City', 'State'] });
    expect(await rows()).toEqual(['Segment', 'City', 'State']);
  });

  it('follows levels that others arrange in the viewer', async () => {
    const { layout, shows, take, rows } = shownBy(1);
    take({ group_by: ROWS });
    shows({ group_by: ['Category'] });
    expect(await rows()).toEqual(['Category']);
    shows({ group_by: [...ROWS, 'City'] });
    expect(await rows()).toEqual([...ROWS, 'City']);
    expect(layout.rows).toEqual(ROWS);
    await layout.follow();
    expect(layout.rows).toEqual([...ROWS, 'City']);
    // A configuration that is sent during `follow` is newer.
    shows({ group_by: ['City'] });
    const following = layout.follow();
    layout.tell({ group_by: ['State'] });
    await following;
    expect(layout.rows).toEqual(['State']);
  });
});
