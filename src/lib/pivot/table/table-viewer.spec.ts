import { describe, expect, it } from 'vitest';
import { Busy } from '../waiting';
import type { Viewer } from '../values/engine-types';
import type { TableRows } from './table-rows';
import { TableViewer } from './table-viewer';

const SORTED = { sort: [['Sales', 'desc']] };

/**
 * Creates a viewer that applies its configuration when `draw` is called, and a table without the column
 * Profit.
 */
function shown() {
  const has = new Set(['Region', 'Sales']);
  let config: Record<string, unknown> = {};
  let drawing: (() => void)[] = [];
  const element = Object.assign(new EventTarget(), {
    restore: async (part: Record<string, unknown>) => {
      await new Promise<void>((resolve) => drawing.push(resolve));
      config = { ...config, ...part };
      element.dispatchEvent(new Event('perspective-config-update'));
    },
    load: async () => undefined,
    save: async () => config,
    flush: async () => undefined,
    resetError: async () => undefined,
    setThrottle: () => undefined,
  }) as unknown as Viewer;
  const table = { delete: async () => undefined };
  const rows = {
    table,
    has: (names: string[]) => names.every((name) => has.has(name)),
    bring: async (names: string[]) => {
      for (const name of names) has.add(name);
      return table;
    },
  } as unknown as TableRows;
  const whole = { Region: 'string', Sales: 'float', Profit: 'float' } as const;
  const viewer = new TableViewer(element, rows, whole, new Busy(() => undefined));
  const heard: unknown[] = [];
  viewer.listen(async () => void heard.push(config.sort ?? null));
  const draw = async () => {
    // Wait until the earlier calls have reached the viewer.
    await new Promise((resolve) => setTimeout(resolve));
    for (const done of drawing) done();
    drawing = [];
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { element, viewer, heard, draw };
}

/** Creates a viewer that already shows the sales of regions. */
async function opened() {
  const all = shown();
  const first = all.viewer.show({ group_by: ['Region'], columns: ['Sales'] }, [], () => undefined);
  await all.draw();
  await first;
  expect(all.heard).toEqual([]);
  return all;
}

describe('changes of the viewer by others', () => {
  it('are reported once', async () => {
    const { element, heard, draw } = await opened();
    const sorting = element.restore(SORTED);
    await draw();
    await sorting;
    expect(heard).toEqual([SORTED.sort]);
  });

  it('are reported if they load columns', async () => {
    const { element, heard, draw } = await opened();
    const sorting = element.restore({ ...SORTED, columns: ['Profit'] });
    await draw();
    await sorting;
    expect(heard).toEqual([SORTED.sort]);
  });

  it('are reported if somebody else loads columns before the viewer shows them', async () => {
    const { element, viewer, heard, draw } = await opened();
    const sorting = element.restore(SORTED);
    await new Promise((resolve) => setTimeout(resolve));
    const bringing = viewer.bring(['Profit']);
    await draw();
    await draw();
    await Promise.all([sorting, bringing]);
    expect(heard).toEqual([SORTED.sort]);
  });
});
