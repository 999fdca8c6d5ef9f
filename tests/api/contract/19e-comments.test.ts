// Tests comments of docs/contract/19-planning-together.md.
import { describe, expect } from 'vitest';
import type { Comment, Mention } from '../../../src/lib/contract/comments';
import { openEvents } from '../../support/events';
import type { Answer } from '../../support/http';
import { hold } from '../../support/race';
import type { Service } from '../../support/service';
import { it, makePlan, makeSmallSource, makeSource, ok, ORDERS, refused } from './orders';

const ann = { pf_user: 'ann' };
const bea = { pf_user: 'bea' };
const NORTH = { region: 'North' };

const write = async (
  { api }: Service,
  path: string,
  body: Record<string, unknown>,
): Promise<Comment> => ok(await api.post(`${path}/comments`, { ...ann, ...body })).body;

const list = async ({ api }: Service, path: string) => ok(await api.get(`${path}/comments`)).body;

const mentionsOf = async ({ api }: Service, name: string): Promise<Mention[]> =>
  ok(await api.get(`/comments/mentions?user=${encodeURIComponent(name)}`)).body;

describe('Comments', () => {
  it('are written on a slice, and listed oldest first', async ({ service, sourceId }) => {
    const { path, versionId } = await makePlan(service, sourceId);
    expect(await list(service, path)).toEqual([]);
    const slice = { 'Order Date': { to: '2026-03-31' }, region: [null, 'North'] };
    const text = ' Why so low?\n\n@bea <b>“März” ';
    const answer = await service.api.post(`${path}/comments`, { ...ann, slice, text });
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        ...{ id: expect.any(Number), version_id: versionId, slice, text },
        ...{ created_by: 'ann', created_at: expect.any(String) },
      },
    ]);
    const whole = await write(service, path, { slice: {}, text: 'All of it' });
    expect(whole.slice).toEqual({});
    // Ignored keys are omitted, so that the comment names its rows.
    const region = await write(service, path, { slice: { ...NORTH, pf_iter: 'scale' }, text: 'x' });
    expect(region.slice).toEqual(NORTH);
    expect(await list(service, path)).toEqual([answer.body, whole, region]);
  });

  it('are answered in threads of one level', async ({ service, sourceId }) => {
    const { path, versionId } = await makePlan(service, sourceId);
    const other = await makePlan(service, sourceId);
    const thread = await write(service, path, { slice: NORTH, text: 'Too low?' });
    const reply = await write(service, path, { ...bea, parent: thread.id, text: 'No.' });
    expect(reply).toEqual({
      ...{ id: expect.any(Number), version_id: versionId, slice: NORTH, parent: thread.id },
      ...{ text: 'No.', created_by: 'bea', created_at: expect.any(String) },
    });
    const post =
      (body: object, at = path) =>
      () =>
        service.api.post(`${at}/comments`, { ...ann, text: 'x', ...body });
    await refused(
      service,
      post({ parent: reply.id }),
      400,
      `parent: comment ${reply.id} is a reply itself; reply to comment ${thread.id}`,
    );
    await refused(
      service,
      post({ parent: thread.id }, other.path),
      400,
      `parent: version ${other.versionId} has no comment ${thread.id}`,
    );
    await refused(service, post({ parent: 2147483647 }), 400, /has no comment 2147483647/);
    await refused(service, post({ parent: thread.id, slice: NORTH }), 400, /^slice: a reply/);
    expect(await list(service, path)).toEqual([thread, reply]);
  });

  it('are listed with the threads that were resolved last, if only some are wanted', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path } = await makePlan(service, sourceId);
    const threads: Comment[] = [];
    for (const text of ['a', 'b', 'c', 'open']) {
      threads.push(await write(service, path, { slice: NORTH, text }));
    }
    const [a, b, c, open] = threads.map(({ id }) => id);
    const reply = await write(service, path, { ...bea, parent: b, text: 'reply' });
    for (const id of [b, c, a]) {
      ok(await api.patch(`/comments/${id}`, { ...bea, resolved: true }));
    }
    const ids = async (query: string) =>
      ok(await api.get(`${path}/comments${query}`)).body.map(({ id }: Comment) => id);
    expect(await ids('?resolved=0')).toEqual([open]);
    expect(await ids('?resolved=1')).toEqual([a, open]);
    expect(await ids('?resolved=2')).toEqual([a, c, open]);
    expect(await ids('?resolved=3')).toEqual([a, b, c, open, reply.id]);
    expect(await ids('')).toEqual([a, b, c, open, reply.id]);
    for (const wrong of ['-1', '10001', 'x', '']) {
      await refused(
        service,
        () => api.get(`${path}/comments?resolved=${wrong}`),
        400,
        'resolved must be a whole number from 0 to 10000',
      );
    }
  });

  it.for<[string, Record<string, unknown>, string | RegExp]>([
    ['no slice', { slice: undefined }, 'slice is missing'],
    ['a slice of null', { slice: null }, 'slice is missing'],
    ['a slice that is a list', { slice: [] }, /^slice/],
    ['a slice of no column', { slice: { amount: 5, nothing: 1 } }, /would select every row/],
    ['a day that is none', { slice: { 'Order Date': 'soon' } }, /Order Date/],
    ['an empty list', { slice: { region: [] } }, /region/],
    ['no text', { text: undefined }, 'text is missing'],
    ['a blank text', { text: ' \n ' }, 'text: must not be empty'],
    ['a text of 10,001 characters', { text: 'x'.repeat(10_001) }, /10,000 characters/],
    ['a text with U+0000', { text: 'a\u0000' }, /U\+0000/],
    ['a text that is a number', { text: 5 }, /^text/],
    ['a parent that is a text', { slice: undefined, parent: '1' }, /^parent/],
    ['a parent of 0', { slice: undefined, parent: 0 }, /^parent/],
    ['a parent beyond all ids', { slice: undefined, parent: 2147483648 }, /^parent/],
    ['no user', { pf_user: undefined }, 'pf_user is missing'],
  ])('are refused with %s', async ([, body, message], { service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const request = { ...ann, slice: NORTH, text: 'x', ...body };
    await refused(service, () => service.api.post(`${path}/comments`, request), 400, message);
  });

  it('are changed and deleted by their authors only', async ({ service, sourceId }) => {
    const { api } = service;
    const { path } = await makePlan(service, sourceId);
    const comment = await write(service, path, { slice: NORTH, text: 'Frist' });
    const at = `/comments/${comment.id}`;
    const edited = ok(await api.patch(at, { ...ann, text: 'First' })).body;
    expect(edited).toEqual({ ...comment, text: 'First', edited_at: expect.any(String) });
    expect(ok(await api.patch(at, { ...ann, text: 'First' })).body).toEqual(edited);
    expect(ok(await api.patch(at, bea)).body).toEqual(edited);
    await refused(
      service,
      () => api.patch(at, { ...bea, text: 'Mine', resolved: true }),
      403,
      'Only ann, who wrote this comment, may change its text',
    );
    await refused(service, () => api.patch(at, { ...ann, text: '' }), 400, /^text/);
    await refused(service, () => api.patch(at, { text: 'x' }), 400, 'pf_user is missing');
    await refused(
      service,
      () => api.send(at, { method: 'DELETE' }),
      400,
      'The body is missing; send JSON',
    );
    const remove = (body: object) => () => del(service, at, body);
    await refused(service, remove(bea), 403, /^Only ann.*may delete it$/);

    const reply = await write(service, path, { ...bea, parent: comment.id, text: 'And?' });
    await refused(
      service,
      remove(ann),
      409,
      `Comment ${comment.id} has replies, so it cannot be deleted; resolve it`,
    );
    const gone = await del(service, `/comments/${reply.id}`, bea);
    expect([gone.status, gone.bytes.length]).toEqual([204, 0]);
    expect((await remove(ann)()).status).toBe(204);
    await refused(service, remove(ann), 404, `There is no comment ${comment.id}`);
    await refused(service, () => api.patch(at, { ...ann, text: 'x' }), 404, /no comment/);
    await refused(service, () => api.patch('/comments/x', ann), 400, /whole number/);
    expect(await list(service, path)).toEqual([]);
  });

  it('are resolved and reopened by anyone, and a reply reopens them', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path } = await makePlan(service, sourceId);
    const thread = await write(service, path, { slice: NORTH, text: 'Too low?' });
    const patch = async (body: object) =>
      ok(await api.patch(`/comments/${thread.id}`, { ...bea, ...body })).body;
    const resolved = await patch({ resolved: true });
    expect(resolved).toEqual({
      ...thread,
      resolved_at: expect.any(String),
      resolved_by: 'bea',
    });
    expect(await patch({ ...ann, resolved: true })).toEqual(resolved);
    expect(await patch({ ...ann, resolved: false })).toEqual(thread);
    await patch({ resolved: true });
    const reply = await write(service, path, { parent: thread.id, text: 'No, it is right.' });
    expect(await list(service, path)).toEqual([thread, reply]);
    await refused(
      service,
      () => api.patch(`/comments/${reply.id}`, { ...ann, resolved: true }),
      400,
      `resolved: comment ${reply.id} is a reply; only its thread, comment ${thread.id}, can be resolved`,
    );
  });

  it('are written once for each key', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const send = (text: string, key: string) =>
      service.api.send(`${path}/comments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ ...ann, slice: NORTH, text }),
      });
    const first = await send('Once', 'comment 1');
    const again = await send('Once', 'comment 1');
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    await refused(service, () => send('Twice', 'comment 1'), 409, /Idempotency-Key/);
    expect((await send('Once', 'comment 2')).body.id).toBeGreaterThan(first.body.id);
    expect(await list(service, path)).toHaveLength(2);
  });

  it('are possible on a closed version, stay out of its copies and replays, and go with it', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path } = await makePlan(service, sourceId);
    const thread = await write(service, path, { slice: NORTH, text: 'Ready?' });
    ok(await api.post(`${path}/close`, ann));
    const reply = await write(service, path, { ...bea, parent: thread.id, text: 'Approved' });
    const late = await write(service, path, { slice: {}, text: 'late' });
    ok(await api.patch(`/comments/${thread.id}`, { ...bea, resolved: true }));
    ok(await api.patch(`/comments/${late.id}`, { ...ann, text: 'Late' }));
    expect((await del(service, `/comments/${late.id}`, ann)).status).toBe(204);
    expect(await list(service, path)).toMatchObject([{ resolved_by: 'bea' }, reply]);

    const copy = ok(await api.post(`${path}/copy`, { ...ann, name: 'Without comments' })).body;
    expect(await list(service, `/versions/${copy.id}`)).toEqual([]);
    const replayed = ok(await api.post(`${path}/replay`, { ...ann, name: 'Nor here' })).body;
    expect(await list(service, `/versions/${replayed.version.id}`)).toEqual([]);

    ok(await api.post(`${path}/open`, ann));
    ok(await api.del(path));
    const left = 'SELECT FROM pf.comment WHERE id = ANY ($1)';
    expect(await service.query(left, [[thread.id, reply.id]])).toEqual([]);
    await refused(service, () => api.patch(`/comments/${thread.id}`, ann), 404, /no comment/);
  });

  it('do not wait for a load', async ({ service, sourceId }) => {
    const { path, versionId } = await makePlan(service, sourceId);
    const load = await hold(service, `SELECT FROM pf.version WHERE id = ${versionId} FOR SHARE`);
    expect((await write(service, path, { slice: NORTH, text: 'x' })).text).toBe('x');
    await load.release();
  });

  it('of the same thread cannot lose a reply to a delete', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    for (let round = 0; round < 5; round++) {
      const { id } = await write(service, path, { slice: NORTH, text: 'x' });
      const [replied, deleted] = await Promise.all([
        service.api.post(`${path}/comments`, { ...bea, parent: id, text: 'y' }),
        del(service, `/comments/${id}`, ann),
      ]);
      expect([
        [201, 409],
        [400, 204],
      ]).toContainEqual([replied.status, deleted.status]);
    }
  });

  it('keep their slice if its columns change, while new ones are refused', async ({ service }) => {
    const id = await makeSmallSource(service, 'discussed');
    const { path } = await makePlan(service, id);
    const comment = await write(service, path, { slice: { select: 'x' }, text: 'x' });
    const roles = [{ cname: 'select', role: 'ignore', is_key: false }];
    ok(await service.api.put(`/sources/${id}/columns`, roles));
    const again = { ...ann, slice: { select: 'x' }, text: 'y' };
    await refused(service, () => service.api.post(`${path}/comments`, again), 409, /"select"/);
    expect(await list(service, path)).toEqual([comment]);
  });

  it('appear on the event stream', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const stream = await openEvents(service.url, path);
    const { id } = await write(service, path, { slice: NORTH, text: 'x' });
    ok(await service.api.patch(`/comments/${id}`, { ...bea, resolved: true }));
    // Changes nothing, so it is no event.
    ok(await service.api.patch(`/comments/${id}`, { ...bea, resolved: true }));
    expect((await del(service, `/comments/${id}`, ann)).status).toBe(204);
    const next = await write(service, path, { slice: NORTH, text: 'y' });
    const events = await stream.events(4);
    expect(events.map(({ event, data }) => [event, data])).toEqual(
      [id, id, id, next.id].map((each) => ['comment', { id: each }]),
    );
  });
});

describe('Mentions', () => {
  it('list the comments in unresolved threads that name a user, newest first', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path, versionId } = await makePlan(service, sourceId, { name: 'Mentioning' });
    const first = await write(service, path, { slice: NORTH, text: 'Ask @Dora. And @dora@x.org' });
    const reply = await write(service, path, { parent: first.id, text: '@"Eve Fox", @DORA?' });
    await write(service, path, { slice: {}, text: 'dora, mail dora@x.org or @dorathy' });
    const place = { version_name: 'Mentioning', source_id: sourceId, source_label: 'orders' };
    expect(await mentionsOf(service, 'dora')).toEqual([
      { ...reply, ...place },
      { ...first, ...place },
    ]);
    expect(await mentionsOf(service, 'dora@x.org')).toEqual([{ ...first, ...place }]);
    expect(await mentionsOf(service, 'eve fox')).toEqual([{ ...reply, ...place }]);
    expect(await mentionsOf(service, 'nobody')).toEqual([]);

    ok(await api.patch(`/comments/${first.id}`, { ...ann, text: 'Ask @fay' }));
    expect(await mentionsOf(service, 'DORA')).toMatchObject([{ id: reply.id }]);
    ok(await api.patch(`/comments/${first.id}`, { ...bea, resolved: true }));
    for (const name of ['dora', 'fay']) expect(await mentionsOf(service, name)).toEqual([]);
    ok(await api.patch(`/comments/${first.id}`, { ...bea, resolved: false }));
    expect(await mentionsOf(service, 'fay')).toMatchObject([{ version_id: versionId }]);
  });

  it('need a name, and end with an archived source', async ({ service }) => {
    await refused(service, () => service.api.get('/comments/mentions'), 400, /user is missing/);
    await service.query(ORDERS.replaceAll('public.orders', 'public.shelved'));
    const id = await makeSource(service, 'shelved', [
      { cname: 'region', role: 'dimension' },
      { cname: 'amount', role: 'value' },
    ]);
    const { path } = await makePlan(service, id);
    await write(service, path, { slice: {}, text: '@gil' });
    expect(await mentionsOf(service, 'gil')).toHaveLength(1);
    ok(await service.api.patch(`/sources/${id}`, { status: 'archived' }));
    expect(await mentionsOf(service, 'gil')).toEqual([]);
    expect(await list(service, path)).toHaveLength(1);
  });

  it('are the newest 100', async ({ service, sourceId }) => {
    const { versionId } = await makePlan(service, sourceId);
    await service.query(
      `INSERT INTO pf.comment (version_id, slice, text, mentions, created_by)
       SELECT $1, '{}', i::text, '{hal}', 'ann' FROM generate_series(1, 101) AS i`,
      [versionId],
    );
    const found = await mentionsOf(service, 'hal');
    expect([found.length, found[0]!.text, found.at(-1)!.text]).toEqual([100, '101', '2']);
  });
});

const del = ({ api }: Service, path: string, body: object): Promise<Answer> =>
  api.send(path, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
