// Tests docs/contract/22-sign-off.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { PROJECT } from '../../../src/cli/prepare.js';
import { startServer, type Server } from '../../../src/demo/server';
import { REVIEW_STATES, REVIEW_STEP_NAMES, type Review } from '../../../src/lib/contract/reviews';
import { openEvents } from '../../support/events';
import { type Answer, apiAt, type Api } from '../../support/http';
import type { Service } from '../../support/service';
import { it, makePlan, ok, refused } from './orders';
import { make, step, list, ann, NORTH, cem, bea, del, recode } from './reviews';

/** The steps that lead to each state, and who takes them. */
const WAYS: Record<Review['state'], [string, typeof ann][]> = {
  open: [],
  submitted: [['submit', ann]],
  returned: [
    ['submit', ann],
    ['return', bea],
  ],
  approved: [
    ['submit', ann],
    ['approve', bea],
  ],
  reopened: [
    ['submit', ann],
    ['approve', bea],
    ['reopen', bea],
  ],
};

/** The table of the page: the actions of each person in each state. */
function tableOfThePage(): Map<string, Map<string, string[]>> {
  const page = readFileSync(join(PROJECT, 'docs/contract/22-sign-off.md'), 'utf8');
  const lines = page.split('\n');
  const from = lines.findIndex((line) => /^\| State +\| Owner/.test(line));
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [, ...people] = cells(lines[from]!);
  const rows = lines.slice(from + 2, lines.indexOf('', from)).map(cells);
  return new Map(
    rows.map(([state = '', ...actions]) => [
      state,
      new Map(people.map((who, i) => [who, actions[i]!.split(', ').filter(Boolean)])),
    ]),
  );
}

const ACTIONS = [...REVIEW_STEP_NAMES, 'change', 'delete', 'write'];

describe('The table of states and people', () => {
  const TABLE = tableOfThePage();
  let server: Server | undefined;
  afterAll(() => server?.stop());

  /** The people of the table, signed in. */
  const PEOPLE: Record<string, [name: string, groups: string]> = {
    Owner: ['ann', 'planners'],
    Reviewer: ['bea', 'planners'],
    Admin: ['eve', 'admins'],
    'Other planner': ['cem', 'planners'],
  };
  const as = (who: string): Api => {
    const [name = '', groups = ''] = PEOPLE[who] ?? [];
    return apiAt(server!.url, { 'x-forwarded-user': name, 'x-forwarded-groups': groups });
  };

  const signedIn = async ({ database }: Service) =>
    (server ??= await startServer({
      database,
      env: {
        PF_USER_HEADER: 'X-Forwarded-User',
        PF_GROUPS_HEADER: 'X-Forwarded-Groups',
        PF_PLANNERS: 'planners',
        PF_ADMINS: 'admins',
      },
    }));

  const act = (api: Api, path: string, { id }: Review, action: string): Promise<Answer> => {
    if (action === 'write') return recode(api, path, {});
    if (action === 'change') return api.patch(`/reviews/${id}`, { due: '2027-01-15' });
    if (action === 'delete') return del({ api }, `/reviews/${id}`, {});
    return api.post(`/reviews/${id}/${action}`, {});
  };

  it('has every state and every person', () => {
    expect([...TABLE.keys()]).toEqual([...REVIEW_STATES]);
    for (const row of TABLE.values()) expect([...row.keys()]).toEqual(Object.keys(PEOPLE));
  });

  it.for([...REVIEW_STATES])(
    'holds for a review that is %s',
    async (state, { service, sourceId }) => {
      await signedIn(service);
      /** A review in this state, in a plan of its own. */
      const inState = async () => {
        const { path } = await makePlan(service, sourceId);
        let review = await make(service, path);
        for (const [name, who] of WAYS[state]) review = await step(service, review, name, who);
        expect(review.state).toBe(state);
        return { path, review };
      };
      const row = TABLE.get(state)!;
      const possible = new Set([...row.values()].flat());
      const refusing = await inState();
      for (const who of Object.keys(PEOPLE)) {
        const may = row.get(who)!;
        for (const action of ACTIONS) {
          if (may.includes(action)) {
            const { path, review } = await inState();
            const answer = await act(as(who), path, review, action);
            expect([who, action, answer.status]).toEqual([
              who,
              action,
              action === 'delete' ? 204 : 200,
            ]);
          } else {
            const status = action === 'write' ? 423 : possible.has(action) ? 403 : 409;
            const { path, review } = refusing;
            await refused(service, () => act(as(who), path, review, action), status);
          }
        }
      }
    },
  );
});

describe('Reviews', () => {
  it('are made on a slice, taken through their steps and listed with their history', async ({
    service,
    sourceId,
  }) => {
    const { path, versionId, baseline } = await makePlan(service, sourceId);
    expect(await list(service, path)).toEqual([]);
    const answer = await service.api.post(`${path}/reviews`, {
      ...{ ...ann, slice: { ...NORTH, pf_iter: 'scale' }, reviewers: ['bea', 'dora'] },
      ...{ due: '2026-12-15', comment: 'For the board' },
    });
    const stamp = expect.any(String);
    const terms = { owner: 'ann', reviewers: ['bea', 'dora'], due: '2026-12-15' };
    const opened = {
      ...{ step: 'open', ...ann, stamp, comment: 'For the board', newest_entry: baseline },
      ...terms,
    };
    const review = answer.body as Review;
    expect([answer.status, review]).toEqual([
      201,
      {
        ...{ id: expect.any(Number), version_id: versionId, slice: NORTH, ...terms },
        ...{ state: 'open', steps: [opened] },
      },
    ]);
    const scaled = ok(
      await service.api.post(`${path}/scale`, { ...cem, slice: NORTH, value_incr: 0.25 }),
    ).body;
    const logid = Number(scaled[0].pf_logid);
    await step(service, review, 'submit', { ...ann, comment: 'Ready' });
    await step(service, review, 'return', { pf_user: 'dora', comment: 'Too low' });
    await step(service, review, 'submit', ann);
    const approved = await step(service, review, 'approve', bea);
    const totals = { row_count: 6, value_total: 176, units_total: 17 };
    expect(approved).toEqual({
      ...{ ...review, state: 'approved' },
      steps: [
        opened,
        { step: 'submit', ...ann, stamp, comment: 'Ready', newest_entry: logid, totals },
        { step: 'return', pf_user: 'dora', stamp, comment: 'Too low', newest_entry: logid },
        { step: 'submit', ...ann, stamp, newest_entry: logid, totals },
        { step: 'approve', ...bea, stamp, newest_entry: logid, totals },
      ],
    });
    expect(await list(service, path)).toEqual([approved]);
    const stamps = approved.steps.map((each) => each.stamp);
    expect(stamps).toEqual(stamps.toSorted());
  });

  it.for<[string, object, RegExp]>([
    ['no slice', { slice: undefined }, /^slice/],
    ['a slice of no column', { slice: { amount: 5 } }, /would select every row/],
    ['no reviewers', { reviewers: undefined }, /^reviewers is missing/],
    ['an empty list of reviewers', { reviewers: [] }, /^reviewers/],
    ['a reviewer without a name', { reviewers: [' '] }, /^reviewers/],
    ['the same reviewer twice', { reviewers: ['bea', 'bea'] }, /once/],
    ['21 reviewers', { reviewers: Array.from({ length: 21 }, (_, i) => `r${i}`) }, /at most 20/],
    ['the sender as reviewer', { reviewers: ['ann'] }, /^reviewers: ann owns the review/],
    [
      'the sender in another case as reviewer',
      { reviewers: ['Ann'] },
      /^reviewers: ann owns the review, and Ann looks like the same person/,
    ],
    ['its owner as reviewer', { owner: 'bea' }, /^reviewers: bea owns the review/],
    ['a day that is none', { due: '2026-02-30' }, /^due/],
    ['a blank comment', { comment: ' ' }, /^comment/],
    ['no user', { pf_user: undefined }, /^pf_user is missing/],
  ])('are refused with %s', async ([, body, message], { service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const request = { ...ann, slice: NORTH, reviewers: ['bea'], ...body };
    await refused(service, () => service.api.post(`${path}/reviews`, request), 400, message);
  });

  it('are changed with a step in their history, and deleted before their first submit', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path } = await makePlan(service, sourceId);
    const review = await make(service, path);
    const at = `/reviews/${review.id}`;
    expect(ok(await api.patch(at, ann)).body).toEqual(review);
    const changed = ok(
      await api.patch(at, { ...ann, owner: 'cem', reviewers: ['bea', 'dora'], comment: 'Moved' }),
    ).body;
    const terms = { owner: 'cem', reviewers: ['bea', 'dora'], due: null };
    expect(changed).toMatchObject({ ...terms, state: 'open' });
    expect(changed.steps[1]).toMatchObject({ step: 'change', ...ann, comment: 'Moved', ...terms });
    await refused(
      service,
      () => api.patch(at, { ...ann, due: null }),
      403,
      /^Only cem or an admin/,
    );
    const own = { ...cem, reviewers: ['cem'] };
    await refused(service, () => api.patch(at, own), 400, /^reviewers: cem owns/);
    await refused(service, () => del(service, at, ann), 403, /may delete review/);
    await step(service, review, 'submit', cem);
    await refused(
      service,
      () => api.patch(at, { ...cem, reviewers: ['eve'] }),
      403,
      `Only an admin may change review ${review.id} while it is submitted`,
    );
    await step(service, review, 'return', bea);
    await refused(
      service,
      () => del(service, at, cem),
      409,
      `Review ${review.id} has been submitted, so its history stays`,
    );
    const other = await make(service, path);
    expect((await del(service, `/reviews/${other.id}`, ann)).status).toBe(204);
    await refused(service, () => del(service, `/reviews/${other.id}`, ann), 404);
    await refused(service, () => api.post(`/reviews/${other.id}/submit`, ann), 404);
    await refused(service, () => api.post('/reviews/x/submit', ann), 400, /whole number/);
    expect((await list(service, path)).map(({ id }) => id)).toEqual([review.id]);
  });

  it('are possible on a closed version, stay out of its copies and replays, and go with it', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path } = await makePlan(service, sourceId);
    const review = await make(service, path);
    ok(await api.post(`${path}/close`, ann));
    await step(service, review, 'submit', ann);
    await step(service, review, 'approve', bea);
    await make(service, path, { slice: {} });

    const copy = ok(await api.post(`${path}/copy`, { ...ann, name: 'Without reviews' })).body;
    expect(await list(service, `/versions/${copy.id}`)).toEqual([]);
    expect((await recode(api, `/versions/${copy.id}`, cem)).status).toBe(200);
    const replayed = ok(await api.post(`${path}/replay`, { ...ann, name: 'Replayed' })).body;
    expect(await list(service, `/versions/${replayed.version.id}`)).toEqual([]);

    ok(await api.post(`${path}/open`, ann));
    ok(await api.del(path));
    const left = 'SELECT FROM pf.review_step WHERE review_id = $1';
    expect(await service.query(left, [review.id])).toEqual([]);
  });

  it('are made, and take their steps, once for each key', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const send = (to: string, body: object) =>
      service.api.send(to, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': `review of ${path}` },
        body: JSON.stringify(body),
      });
    const body = { ...ann, slice: NORTH, reviewers: ['bea'] };
    const first = await send(`${path}/reviews`, body);
    expect(await send(`${path}/reviews`, body)).toMatchObject({ status: 201, body: first.body });
    const submit = `/reviews/${first.body.id}/submit`;
    const submitted = await send(submit, ann);
    expect(await send(submit, ann)).toMatchObject({ status: 200, body: submitted.body });
    expect(await list(service, path)).toEqual([submitted.body]);
    await refused(service, () => service.api.post(submit, ann), 409, /is submitted; only an open/);
  });

  it('are sent as events', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const stream = await openEvents(service.url, path);
    const review = await make(service, path);
    await step(service, review, 'submit', ann);
    // Refused, so it is no event.
    await service.api.post(`/reviews/${review.id}/approve`, ann);
    await step(service, review, 'return', bea);
    const other = await make(service, path);
    await del(service, `/reviews/${other.id}`, ann);
    const events = await stream.events(5);
    expect(events.map(({ event, data }) => [event, data])).toEqual(
      [review, review, review, other, other].map(({ id }) => ['review', { id }]),
    );
  });
});

describe('Waiting reviews', () => {
  const waiting = async ({ api }: Service, user: string) =>
    ok(await api.get(`/reviews/waiting?user=${user}`)).body;

  it('are the submitted ones of a reviewer and the returned ones of an owner', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId, { name: 'Waited for' });
    const people = { pf_user: 'olga', reviewers: ['rosa'] };
    const late = await make(service, path, people);
    const soon = await make(service, path, { ...people, due: '2026-12-01' });
    expect([await waiting(service, 'rosa'), await waiting(service, 'olga')]).toEqual([[], []]);
    for (const review of [late, soon]) await step(service, review, 'submit', people);
    const place = { version_name: 'Waited for', source_id: sourceId, source_label: 'orders' };
    const [first, second] = await list(service, path);
    expect(await waiting(service, 'rosa')).toEqual([
      { ...second, ...place },
      { ...first, ...place },
    ]);
    expect(await waiting(service, 'olga')).toEqual([]);
    await step(service, late, 'return', { pf_user: 'rosa' });
    await step(service, soon, 'approve', { pf_user: 'rosa' });
    expect(await waiting(service, 'rosa')).toEqual([]);
    expect(await waiting(service, 'olga')).toMatchObject([{ id: late.id, state: 'returned' }]);
    ok(await service.api.patch(`/sources/${sourceId}`, { status: 'archived' }));
    expect(await waiting(service, 'olga')).toEqual([]);
    ok(await service.api.patch(`/sources/${sourceId}`, { status: 'active' }));
    await refused(service, () => service.api.get('/reviews/waiting'), 400, /user is missing/);
  });
});
