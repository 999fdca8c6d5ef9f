// Tests docs/contract/09-errors-limits-guards.md.

import { describe, expect } from 'vitest';
import { sendAsIs } from '../../support/http';
import { it, makePlan, refused } from './orders';

let path: string;
let baseline: number;
const user = { pf_user: 'ann' };

it.beforeAll(async ({ service, sourceId }) => {
  ({ path, baseline } = await makePlan(service, sourceId));
});

describe('400 and 404: ids', () => {
  it('accepts only whole numbers in range', async ({ service }) => {
    for (const id of [
      '0',
      '-1',
      '1.5',
      'abc',
      '1e3',
      '0x1',
      '2147483648',
      '99999999999999999999',
      '%20',
      "1'",
      'null',
      'NaN',
      '١',
    ]) {
      for (const target of [
        `/versions/${id}`,
        `/sources/${id}`,
        `/versions/${id}/data`,
        `/versions/${id}/log`,
      ]) {
        await refused(service, () => service.api.get(target), 400, /whole number/);
      }
    }
    for (const logid of ['0', '-1', 'abc', '9007199254740993', '99999999999999999999']) {
      await refused(service, () => service.api.del(`/log/${logid}`), 400, /whole number/);
      await refused(service, () => service.api.put(`${path}/baseline/${logid}`, user), 400);
    }
  });

  it('returns 404 for an unknown id', async ({ service }) => {
    const gone = 2147483647;
    const slice = { ...user, slice: {} };
    const requests: [string, () => ReturnType<typeof service.api.get>][] = [
      ...[
        '',
        '/columns',
        '/sql',
        '/sql/preview',
        '/versions',
        '/views',
        '/profiles',
        '/formulas',
        '/values?cname=a',
      ].map(
        (p) =>
          [`GET source${p}`, () => service.api.get(`/sources/${gone}${p}`)] as [
            string,
            () => ReturnType<typeof service.api.get>,
          ],
      ),
      ['PATCH source', () => service.api.patch(`/sources/${gone}`, { label: 'x' })],
      ['DELETE source', () => service.api.del(`/sources/${gone}`)],
      ['PUT columns', () => service.api.put(`/sources/${gone}/columns`, [])],
      ['POST sql', () => service.api.post(`/sources/${gone}/sql`)],
      ['POST versions', () => service.api.post(`/sources/${gone}/versions`, { name: 'x' })],
      [
        'POST grain-estimate',
        () => service.api.post(`/sources/${gone}/grain-estimate`, { columns: ['a'] }),
      ],
      ...['', '/data', '/agg', '/log', '/segments'].map(
        (p) =>
          [`GET version${p}`, () => service.api.get(`/versions/${gone}${p}`)] as [
            string,
            () => ReturnType<typeof service.api.get>,
          ],
      ),
      ['PATCH version', () => service.api.patch(`/versions/${gone}`, { name: 'x' })],
      ['DELETE version', () => service.api.del(`/versions/${gone}`)],
      ['close', () => service.api.post(`/versions/${gone}/close`, user)],
      ['open', () => service.api.post(`/versions/${gone}/open`, user)],
      ['baseline', () => service.api.post(`/versions/${gone}/baseline`, user)],
      ['baseline preview', () => service.api.post(`/versions/${gone}/baseline/preview`, {})],
      ...['preview', 'levels'].map(
        (what) =>
          [
            `forecast ${what}`,
            () =>
              service.api.post(`/versions/${gone}/forecast/${what}`, {
                history: { through: '2026-12-31' },
                horizon: { from: '2027-01-01', through: '2027-12-31' },
                unit: 'month',
              }),
          ] as [string, () => ReturnType<typeof service.api.get>],
      ),
      ['PUT baseline', () => service.api.put(`/versions/${gone}/baseline/${baseline}`, user)],
      ['DELETE baseline', () => service.api.del(`/versions/${gone}/baseline`)],
      ['copy', () => service.api.post(`/versions/${gone}/copy`, { ...user, name: 'x' })],
      ['locks', () => service.api.get(`/versions/${gone}/locks`)],
      ['POST locks', () => service.api.post(`/versions/${gone}/locks`, { ...user, slice: {} })],
      ['DELETE lock', () => service.api.del(`/locks/${gone}`)],
      ['comments', () => service.api.get(`/versions/${gone}/comments`)],
      [
        'POST comments',
        () => service.api.post(`/versions/${gone}/comments`, { ...user, slice: {}, text: 'x' }),
      ],
      ['PATCH comment', () => service.api.patch(`/comments/${gone}`, { ...user, text: 'x' })],
      ['undone', () => service.api.get(`/versions/${gone}/undone`)],
      ['redo', () => service.api.post(`/versions/${gone}/redo/1`, user)],
      ['reference', () => service.api.post(`/versions/${gone}/reference`, user)],
      ['scale', () => service.api.post(`/versions/${gone}/scale`, { ...slice, pct: 1 })],
      [
        'recode',
        () => service.api.post(`/versions/${gone}/recode`, { ...slice, set: { region: 'x' } }),
      ],
      ['clone', () => service.api.post(`/versions/${gone}/clone`, { ...slice, set: {} })],
      ['slice', () => service.api.post(`/versions/${gone}/slice`, { slice: {} })],
      ['DELETE log', () => service.api.del(`/log/${gone}`)],
      ['PATCH log', () => service.api.patch(`/log/${gone}`, { note: 'x' })],
      ['GET table', () => service.api.get('/tables/public/nowhere')],
      ['POST source', () => service.api.post('/sources', { schema: 'public', tname: 'nowhere' })],
    ];
    for (const [name, request] of requests) {
      expect([name, await refused(service, request, 404)]).toEqual([
        name,
        expect.stringMatching(/no |has no/),
      ]);
    }
  });
});

describe('404 and 405: paths and methods', () => {
  it('returns JSON for an unknown path', async ({ service }) => {
    for (const target of [
      '/',
      '',
      '/nothing',
      '/versions',
      '/log',
      '/versions/1/nothing',
      '/sources/1/2/3',
      '/v1/sources',
    ]) {
      await refused(
        service,
        () => service.api.get(target),
        404,
        'There is no such path in this API',
      );
      await refused(service, () => service.api.post(target, {}), 404);
    }
  });

  it('returns JSON for an unsupported method', async ({ service }) => {
    for (const [method, target] of [
      ['PUT', '/health'],
      ['DELETE', '/tables'],
      ['GET', `${path}/scale`],
      ['POST', path],
      ['PUT', path],
      ['GET', `/log/${baseline}`],
      ['PATCH', `${path}/baseline`],
    ] as const) {
      const answer = await service.api.send(target, { method });
      expect([answer.status, Object.keys(answer.body)]).toEqual([405, ['error']]);
      expect(answer.headers.get('allow')).toMatch(/[A-Z]/);
    }
  });

  it('returns JSON for a path that cannot be decoded', async ({ service }) => {
    const answer = await sendAsIs(service.url, 'GET', '/api/tables/%ff/x', {});
    expect([answer.status, Object.keys(JSON.parse(answer.text))]).toEqual([400, ['error']]);
  });

  it('answers HEAD like GET without a body', async ({ service }) => {
    const answer = await service.api.send(`${path}/data`, { method: 'HEAD' });
    expect([answer.status, answer.bytes.length]).toEqual([200, 0]);
    expect(answer.headers.get('x-row-count')).toBe('12');
  });
});
