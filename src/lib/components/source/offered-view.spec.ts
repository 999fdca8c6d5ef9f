import { describe, expect, it } from 'vitest';
import { offeredView } from './offered-view';

const published = (name: string, version_id: number, current: string | null = null) => ({
  name,
  version_id,
  current,
});

describe('The view that a dialog offers to publish', () => {
  it('has the first current name of the version, and follows it', () => {
    expect(offeredView(1, ['budget', 'plan'], [])).toEqual({ name: 'budget', current: 'budget' });
    expect(offeredView(1, [], [])).toEqual({ name: '', current: null });
  });

  it('is the next one once a view has the name or follows it', () => {
    const names = ['budget', 'plan'];
    expect(offeredView(1, names, [published('Budget', 1)])).toMatchObject({ name: 'plan' });
    expect(offeredView(1, names, [published('Numbers', 1, 'budget')])).toMatchObject({
      name: 'plan',
    });
  });

  it('is none if each name is published', () => {
    const all = [published('Budget', 1, 'budget'), published('plan', 1)];
    expect(offeredView(1, ['budget', 'plan'], all)).toEqual({ name: '', current: null });
  });

  it('is the view of another version whose name differs in case alone, which then moves', () => {
    const views = [published('Budget', 2), published('Other', 2)];
    expect(offeredView(1, ['budget'], views)).toEqual({ name: 'Budget', current: 'budget' });
  });
});
