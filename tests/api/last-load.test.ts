import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { planToRefresh, type Row } from '../support/refreshing';

describe('the time of the last load', () => {
  it('is that of a refresh that found nothing, but not of its preview', async ({ service }) => {
    const plan = await planToRefresh(service);
    const listed = async (): Promise<Row> =>
      (await service.api.get(`/sources/${plan.sourceId}/versions`)).body[0];
    expect(await plan.refreshed()).toMatchObject({ logid: null, loads: [] });
    expect(await listed()).not.toHaveProperty('last_load');
    await plan.load();
    const [load] = await plan.entries();
    await plan.preview();
    expect(await listed()).toMatchObject({ last_load: load!.stamp });

    expect(await plan.refreshed()).toMatchObject({ logid: null });
    const { last_load, last_change } = await listed();
    expect(String(last_load) > String(load!.stamp)).toBe(true);
    expect(last_change).toBe(load!.stamp);
    expect(await plan.entries()).toEqual([load]);

    // A later load is newer than the refresh that found nothing.
    await plan.load({}, 'reference');
    const [reference] = await plan.entries();
    expect(await listed()).toMatchObject({ last_load: reference!.stamp });
    expect(String(reference!.stamp) > String(last_load)).toBe(true);
  });

  it('is that of the newest load or refresh; of a replay, that of the replay', async ({
    service,
  }) => {
    const plan = await planToRefresh(service);
    const listed = async (): Promise<Row[]> =>
      (await service.api.get(`/sources/${plan.sourceId}/versions`)).body;
    expect((await listed())[0]).not.toHaveProperty('last_load');
    await plan.load();
    const [load] = await plan.entries();
    await plan.done('scale', { slice: {}, pct: 10 });
    expect((await listed())[0]).toMatchObject({ last_load: load!.stamp });

    await plan.change(`UPDATE SOURCE SET "Sales" = 150 WHERE "Sales" = 100`);
    await plan.refreshed();
    const [refresh] = await plan.entries();
    expect((await listed())[0]).toMatchObject({ last_load: refresh!.stamp });
    expect(String(refresh!.stamp) > String(load!.stamp)).toBe(true);

    // The entries of the replay keep their times; a copy has read nothing.
    for (const [how, name] of [
      ['replay', 'Again'],
      ['copy', 'Same'],
    ]) {
      plan.ok(await service.api.post(`${plan.path}/${how}`, { name, pf_user: 'eve' }));
    }
    const [, replay, copy] = await listed();
    expect(replay!.last_load).toBe(replay!.created_at);
    expect(copy!.last_load).toBe(refresh!.stamp);
  });
});
