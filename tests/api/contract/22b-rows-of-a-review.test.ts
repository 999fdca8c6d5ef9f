// Tests docs/contract/22-sign-off.md: rows of a review, changes since its approval, and requests at the same time.
import { describe, expect } from 'vitest';
import { holdVersion, race } from '../../support/race';
import { it, makePlan, makeSmallSource, ok, refused } from './orders';
import { make, step, list, ann, NORTH, cem, bea, del, recode } from './reviews';

describe('Rows of a review', () => {
  it('are locked for all but the reviewers while it is submitted', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path } = await makePlan(service, sourceId);
    const review = await make(service, path, { reviewers: ['bea', 'dora'] });
    ok(await api.post(`${path}/scale`, { ...cem, slice: NORTH, pct: 10 }));
    await step(service, review, 'submit', ann);
    const sentence = `Review ${review.id} of ann is submitted, so only bea or dora can change its rows`;
    const held = `Nothing was changed, because a review holds some of these rows. ${sentence}`;
    for (const who of [ann, cem]) {
      await refused(service, () => recode(api, path, who), 423, held);
      const north = { ...who, slice: NORTH, pct: 10 };
      await refused(
        service,
        () => api.post(`${path}/scale`, north),
        422,
        `Every row of the slice is held or locked; there is nothing to spread over. ${sentence}`,
      );
    }
    ok(await api.post(`${path}/scale`, { ...bea, slice: NORTH, pct: 10 }));
    // The other rows take the whole increment.
    const tried = { ...cem, slice: {}, value_incr: 5 };
    const preview = ok(await api.post(`${path}/scale/preview`, tried)).body;
    expect(preview.held.row_count).toBeGreaterThan(0);
    const seen = async (more: object) =>
      ok(await api.post(`${path}/slice`, { slice: NORTH, ...more })).body.held.row_count > 0;
    expect([await seen(cem), await seen({}), await seen(bea)]).toEqual([true, true, false]);
    await step(service, review, 'return', bea);
    ok(await api.post(`${path}/scale`, { ...cem, slice: NORTH, pct: 10 }));
  });

  it('keep their totals: the excluded origins cannot change while it is submitted or approved', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path } = await makePlan(service, sourceId);
    ok(await api.post(`${path}/scale`, { ...cem, slice: NORTH, value_incr: 500 }));
    const exclude = (exclude_iters: string[]) => api.patch(path, { ...cem, exclude_iters });
    const of = (state: string) =>
      `Review ${review.id} of ann is ${state}, so the origins that operations skip cannot change`;
    const total = async () => ok(await api.get(`${path}/totals`)).body.plan.value_total;
    const review = await make(service, path);
    await step(service, review, 'submit', ann);
    const before = await total();
    await refused(
      service,
      () => exclude(['reference', 'scale']),
      409,
      `${of('submitted')}; return it first`,
    );
    await step(service, review, 'approve', bea);
    await refused(
      service,
      () => exclude(['reference', 'scale']),
      409,
      `${of('approved')}; reopen it first`,
    );
    expect(await total()).toBe(before);
    // The same origins, and other fields.
    ok(await api.patch(path, { ...cem, description: 'x', exclude_iters: ['reference'] }));
    await step(service, review, 'reopen', bea);
    ok(await exclude(['reference', 'scale']));
    expect(await total()).not.toBe(before);
  });

  it('are checked by every kind of write while it is approved', async ({ service, sourceId }) => {
    const { api } = service;
    const { path, baseline } = await makePlan(service, sourceId);
    const post = async (to: string, body: object): Promise<number> => {
      const { logid, ...answer } = ok(await api.post(`${path}/${to}`, { ...ann, ...body })).body;
      return Number(logid ?? answer[0].pf_logid);
    };
    const scaled = await post('scale', { slice: NORTH, value_incr: 3 });
    const undone = await post('scale', { slice: NORTH, pct: 5 });
    ok(await api.del(`/log/${undone}`));
    const review = await make(service, path);
    await step(service, review, 'submit', ann);
    await step(service, review, 'approve', bea);
    const message = new RegExp(
      `Review ${review.id} of ann is approved; bea or an admin can reopen it`,
    );
    const load = { raw_where: "region = 'North'" };
    const days = { through: '2026-02-28' };
    for (const who of [ann, bea, cem]) {
      const to = (name: string, body: object) => () =>
        api.post(`${path}/${name}`, { ...who, ...body });
      for (const request of [
        to('baseline', load),
        to('reference', load),
        to('recode', { slice: NORTH, set: { region: 'South' } }),
        to('recode', { slice: { region: 'South' }, set: { region: 'North' } }),
        to('clone', { slice: { region: 'South' }, set: { region: 'North' } }),
        to('clone/preview', { slice: { region: 'South' }, set: { region: 'North' } }),
        to('preview', {
          operations: [{ operation: 'recode', slice: NORTH, set: { region: 'South' } }],
        }),
        to('actuals', { ...days, ...load }),
        to('actuals/preview', { ...days, ...load }),
        () => del(service, `/log/${scaled}`, who),
        () => del(service, `/log/${baseline}`, who),
        () => del(service, `${path}/baseline`, who),
      ]) {
        await refused(service, request, 423, message);
      }
      for (const request of [
        to('scale', { slice: NORTH, value_incr: 1 }),
        to(`redo/${undone}`, {}),
        () => api.post(`/log/${scaled}/reverse`, who),
      ]) {
        await refused(service, request, 422, message);
      }
      const edits = [{ slice: NORTH, value_incr: 1 }];
      const file = { name: 'a.xlsx', sha256: 'a'.repeat(64) };
      await refused(service, to('import', { file, edits }), 422, /edits\.0 is locked/);
      const { cells } = ok(await to('import/preview', { edits })()).body;
      expect(cells).toMatchObject([{ refusal: 'locked' }]);
    }
    // Other rows are free, and scales leave these rows alone.
    await post('recode', { slice: { region: 'South' }, set: { select: 'z' } });
    await post('scale', { slice: {}, value_incr: 10 });
    const rows = `SELECT FROM pf.log WHERE version_id = $1 AND operation = 'scale'`;
    expect(await service.query(rows, [review.version_id])).toHaveLength(2);
    await step(service, review, 'reopen', bea);
    expect((await del(service, `/log/${scaled}`, ann)).status).toBe(200);
  });

  it('of an edited load are checked under the name of its sender', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path, baseline } = await makePlan(service, sourceId);
    const review = await make(service, path);
    await step(service, review, 'submit', ann);
    const edit = (who: object) => () =>
      api.put(`${path}/baseline/${baseline}`, { ...who, raw_where: 'true' });
    await refused(service, edit(cem), 423, /only bea can change its rows/);
    expect(ok(await edit(bea)()).body.row_count).toBe(12);
  });

  it('cannot be determined after a change of roles, until the review is returned', async ({
    service,
  }) => {
    const id = await makeSmallSource(service, 'reviewed');
    const { path } = await makePlan(service, id);
    const review = await make(service, path, { slice: { select: 'x' } });
    await step(service, review, 'submit', ann);
    const roles = [{ cname: 'select', role: 'ignore', is_key: false }];
    ok(await service.api.put(`/sources/${id}/columns`, roles));
    const scale = () => service.api.post(`${path}/scale`, { ...cem, slice: NORTH, pct: 1 });
    await refused(service, scale, 409, new RegExp(`or return review ${review.id}$`));
    const approve = () => service.api.post(`/reviews/${review.id}/approve`, bea);
    await refused(service, approve, 409);
    await step(service, review, 'return', bea);
    ok(await scale());
    expect(await list(service, path)).toMatchObject([{ state: 'returned' }]);
  });
});

describe('Changes since the approval', () => {
  it('are in the answer for a reopened review, undone entries included', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path } = await makePlan(service, sourceId);
    const scale = async (slice: object, value_incr: number) =>
      Number(ok(await api.post(`${path}/scale`, { ...cem, slice, value_incr })).body[0].pf_logid);
    const early = await scale(NORTH, 12.34);
    const review = await make(service, path);
    const changed = async () => (await list(service, path))[0]!.changed;
    await step(service, review, 'submit', ann);
    await step(service, review, 'approve', bea);
    await scale({ region: 'South' }, 1);
    expect(await changed()).toBeUndefined();
    await step(service, review, 'reopen', bea);
    const none = { entries: 0, row_count: 0, value_total: 0, units_total: 0 };
    expect(await changed()).toEqual(none);
    await scale(NORTH, 0.1);
    await scale(NORTH, 0.2);
    await scale({ region: 'South' }, 100);
    ok(await api.post(`${path}/reference`, { ...ann, raw_where: "region = 'North'" }));
    expect(await changed()).toMatchObject({ entries: 2, value_total: 0.3, units_total: 0 });
    ok(await api.del(`/log/${early}`));
    expect(await changed()).toMatchObject({ entries: 2, value_total: -12.04 });
    const submitted = await step(service, review, 'submit', ann);
    expect(submitted.changed).toMatchObject({ entries: 2, value_total: -12.04 });
    expect((await step(service, review, 'approve', bea)).changed).toBeUndefined();
    expect((await step(service, review, 'reopen', bea)).changed).toEqual(none);
  });
});

describe('At the same time', () => {
  it('two reviewers decide once', async ({ service, sourceId }) => {
    const { path, versionId } = await makePlan(service, sourceId);
    const review = await make(service, path, { reviewers: ['bea', 'dora'] });
    await step(service, review, 'submit', ann);
    const decide = (name: string, pf_user: string) => () =>
      service.api.post(`/reviews/${review.id}/${name}`, { pf_user });
    const answers = await race(service, await holdVersion(service, versionId), [
      decide('approve', 'bea'),
      decide('return', 'dora'),
      decide('approve', 'dora'),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const [{ steps, state } = review] = await list(service, path);
    expect(steps).toHaveLength(3);
    expect(['approved', 'returned']).toContain(state);
  });

  it('a write is part of the submitted totals or judged by the submit', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const outcomes = new Set<number>();
    for (let round = 0; round < 8; round++) {
      const { path, versionId, table } = await makePlan(service, sourceId);
      const review = await make(service, path);
      const write = () =>
        round % 2 === 0
          ? api.post(`${path}/baseline`, { ...cem, raw_where: "region = 'North'" })
          : recode(api, path, cem);
      const submit = () => api.post(`/reviews/${review.id}/submit`, ann);
      const requests = round % 4 < 2 ? [write, submit] : [submit, write];
      const answers = await race(service, await holdVersion(service, versionId), requests);
      const written = answers[requests.indexOf(write)]!;
      expect([200, 423]).toContain(written.status);
      outcomes.add(written.status);
      const [{ n, sum }] = await service.query(
        `SELECT count(*) AS n, sum(amount) AS sum FROM ${table} WHERE region = 'North'`,
      );
      const [{ steps } = review] = await list(service, path);
      expect(steps[1]!.totals).toMatchObject({ row_count: n, value_total: Number(sum) });
    }
    expect([...outcomes].toSorted()).toEqual([200, 423]);
  });
});
