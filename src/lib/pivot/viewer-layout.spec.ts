import { describe, expect, it } from 'vitest';
import { Buckets } from './buckets';
import { groupedBy } from './time-unit';
import { ViewerLayout } from './viewer-layout';

const MONTHS = groupedBy('Order Date', 'month');
const ROWS = ['Region', 'Category', MONTHS.name];

/** A viewer that shows what it was told last. */
function shownBy(levels: number) {
  let saved: Record<string, unknown> = {};
  const buckets = Buckets.of(new Set(['Order Date']), MONTHS.expressions);
  const layout = new ViewerLayout({ save: async () => saved }, buckets, () => levels);
  const shows = (config: Record<string, unknown>) => (saved = { ...saved, ...config });
  return { layout, shows };
}

describe('what the viewer is told of a layout', () => {
  it('are the levels that are open, and the whole is read again', async () => {
    const { layout, shows } = shownBy(1);
    const told = layout.told({
      group_by: ROWS,
      expressions: MONTHS.expressions,
      columns: ['Sales'],
    });
    expect(told).toEqual({ group_by: ['Region'], expressions: {}, columns: ['Sales'] });
    shows(told);
    expect(await layout.read()).toEqual({
      ...{ group_by: ROWS, columns: ['Sales'] },
      expressions: MONTHS.expressions,
    });
    // What is not named stays.
    expect(layout.told({ filter: [] })).toEqual({ filter: [] });
    expect((await layout.read()).group_by).toEqual(ROWS);
  });

  it('is read as it was told before while the viewer does not show the last yet', async () => {
    const { layout, shows } = shownBy(2);
    shows(layout.told({ group_by: ROWS }));
    const told = layout.told({ group_by: ['Segment', 'City', 'State'] });
    expect((await layout.read()).group_by).toEqual(ROWS);
    shows(told);
    expect((await layout.read()).group_by).toEqual(['Segment', 'City', 'State']);
  });

  it('are all levels while they can be arranged in the viewer’s own settings, which then say what there is', async () => {
    const { layout, shows } = shownBy(1);
    layout.isWhole = true;
    shows(layout.told({ group_by: ROWS }));
    expect(await layout.read()).toMatchObject({ group_by: ROWS });
    shows({ group_by: ['Region', 'Category'] });
    expect(await layout.read()).toEqual({ group_by: ['Region', 'Category'] });
    shows({ group_by: [...ROWS, 'City'] });
    expect((await layout.read()).group_by).toEqual([...ROWS, 'City']);
  });
});
