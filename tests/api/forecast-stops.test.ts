import { describe, expect } from 'vitest';
import { it as base } from '../support/api';
import { planTable } from '../support/planned-table';
import { hold, until, untilWaiting, waitingForLocks } from '../support/race';
import type { Service } from '../support/service';

// The metrics count the requests of this file only. A statement that is not cancelled outlasts the test.
const it = base.extend('env', { scope: 'file' }, { PF_STATEMENT_TIMEOUT: '10min' });

const ENDPOINTS = ['forecast', 'forecast/preview', 'forecast/levels'];

let id: number;
it.beforeAll(async ({ service }) => {
  await service.query(`CREATE TABLE public.many (line integer, day date, amount numeric(12,2));
    INSERT INTO public.many
    SELECT line, date '2020-01-01' + make_interval(months => t),
      100 + t + 40 * sin(t * pi() / 6 + line) + (line * 7919 + t * 104729) % 23
    FROM generate_series(1, 3000) AS line, generate_series(0, 71) AS t`);
  const columns = { line: 'dimension', day: 'date', amount: 'value' } as const;
  ({ versionId: id } = await planTable(service, 'many', columns));
});

/** The request of a forecast of at most this number of lines. */
const requestOf = (lines: number) => ({
  ...{ history: { through: '2025-12-31' }, unit: 'month', by: ['line'] },
  horizon: { from: '2026-01-01', through: '2026-06-30' },
  filters: [[{ cname: 'line', op: '<=', value: lines }]],
});

const ask = (service: Service, endpoint: string, lines: number, signal: AbortSignal) =>
  service.api.send(`/versions/${id}/${endpoint}`, {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...requestOf(lines),
      ...(endpoint === 'forecast' ? { pf_user: 'ann' } : {}),
    }),
  });

async function metrics({ api }: Service): Promise<string> {
  return new TextDecoder().decode((await api.get('/metrics')).bytes);
}

/** The number of answers of an endpoint by status. */
async function answersOf(service: Service, endpoint: string): Promise<Record<string, number>> {
  const start = `forecast_pivot_request_duration_seconds_count{method="POST",route="/api/versions/[id]/${endpoint}",status="`;
  const lines = (await metrics(service)).split('\n').filter((line) => line.startsWith(start));
  return Object.fromEntries(
    lines.map((line) => {
      const [status = '', count] = line.slice(start.length).split('"} ');
      return [status, Number(count)];
    }),
  );
}

it('A preview tells its progress in lines, the last of which is the answer', async ({
  service,
}) => {
  const preview = (lines: number, accept: string) =>
    service.api.send(`/versions/${id}/forecast/preview`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify(requestOf(lines)),
    });
  const textOf = ({ bytes }: { bytes: Uint8Array }) => new TextDecoder().decode(bytes);
  const answer = await preview(300, 'application/json');
  const inLines = await preview(300, 'application/x-ndjson');
  expect([answer, inLines].map(({ headers }) => headers.get('content-type'))).toEqual([
    'application/json',
    'application/x-ndjson',
  ]);
  const lines = textOf(inLines).split('\n');
  expect(lines.splice(-2)).toEqual([textOf(answer), '']);
  const progress = lines.map((line) => JSON.parse(line));
  expect(progress[0]).toEqual({ fitted: 0, series: 300 });
  const fitted = progress.map((line) => line.fitted);
  expect(fitted).toEqual(fitted.toSorted((a, b) => a - b));
  expect(Math.max(...fitted)).toBeLessThan(300);

  // A refusal before the first line of progress is an ordinary answer.
  const refused = await preview(0, 'application/x-ndjson');
  expect([refused.status, refused.body.error]).toEqual([
    422,
    'No row of the source matches in the history',
  ]);
});

it('A comparison and a load tell their progress in lines, too', async ({ service }) => {
  const send = async (endpoint: string, accept: string, more: object) => {
    const answer = await service.api.send(`/versions/${id}/${endpoint}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...more },
      body: JSON.stringify({
        ...requestOf(300),
        ...(endpoint === 'forecast' ? { pf_user: 'ann' } : {}),
      }),
    });
    return { answer, text: new TextDecoder().decode(answer.bytes) };
  };
  for (const [endpoint, series, more] of [
    ['forecast/levels', 301, {}],
    ['forecast', 300, { 'idempotency-key': 'in-lines' }],
  ] as const) {
    const { answer, text } = await send(endpoint, 'application/x-ndjson', more);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = text.split('\n');
    // A repeated load gets the stored answer of the first one.
    const whole = await send(endpoint, 'application/json', more);
    expect(lines.splice(-2)).toEqual([whole.text, '']);
    expect(lines.map((line) => JSON.parse(line))[0]).toEqual({ fitted: 0, series });
  }
  const { entries } = (await service.api.get(`/versions/${id}/log`)).body;
  expect(entries).toMatchObject([{ operation: 'forecast' }, { operation: 'baseline' }]);
  await service.api.send(`/log/${entries[0].id}`, { method: 'DELETE' });
});

it('A load in lines writes nothing if its client closes the connection', async ({ service }) => {
  /** Begins a request of all lines, which has then reported its first progress. */
  const begin = async (endpoint: string, more: object, signal?: AbortSignal) => {
    const answer = await fetch(`${service.url}/api/versions/${id}/${endpoint}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
      body: JSON.stringify({ ...requestOf(3000), ...more }),
      ...(signal && { signal }),
    });
    expect(answer.status).toBe(200);
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(JSON.parse((await reader?.read())?.value ?? '')).toEqual({ fitted: 0, series: 3000 });
    return reader;
  };
  const gone = new AbortController();
  const reader = await begin('forecast', { pf_user: 'ann' }, gone.signal);
  gone.abort();
  await expect(reader?.read()).rejects.toThrow(/abort/);
  // The load has fewer series left than these previews have, so it would end before them.
  for (let i = 0; i < 2; i++) {
    const preview = await begin('forecast/preview', {});
    while (!(await preview?.read())?.done);
  }
  expect((await service.api.get(`/versions/${id}/log`)).body.entries).toMatchObject([
    { operation: 'baseline' },
  ]);
});

describe('If its client closes the connection', () => {
  it.for(ENDPOINTS)('POST %s reads no further', async (endpoint, { service }) => {
    const before = await answersOf(service, endpoint);
    const held = await hold(service, 'LOCK TABLE public.many');
    const gone = new AbortController();
    const answer = ask(service, endpoint, 3000, gone.signal);
    await untilWaiting(service, 1);
    gone.abort();
    await expect(answer).rejects.toThrow(/abort/);
    await until(async () => (await waitingForLocks(service)) === 0);
    await until(async () => (await answersOf(service, endpoint))['400'] !== before['400']);
    await held.release();
  });

  // A comparison fits at most 1,000 series.
  it.for([
    ['forecast', 3000],
    ['forecast/preview', 3000],
    ['forecast/levels', 999],
  ] as const)('POST %s fits no further', async ([endpoint, lines], { service }) => {
    const before = await answersOf(service, endpoint);
    const held = await hold(service, 'LOCK TABLE public.many');
    const gone = new AbortController();
    const answer = ask(service, endpoint, lines, gone.signal);
    await untilWaiting(service, 1);
    await held.release();
    // The series are fitted without a connection.
    await until(async () => /^forecast_pivot_connections_in_use 0$/m.test(await metrics(service)));
    gone.abort();
    await expect(answer).rejects.toThrow(/abort/);
    const after = await until(async () => {
      const counts = await answersOf(service, endpoint);
      return JSON.stringify(counts) !== JSON.stringify(before) && counts;
    });
    expect(after).toEqual({ ...before, '400': (before['400'] ?? 0) + 1 });
    expect((await service.api.get(`/versions/${id}/log`)).body.entries).toMatchObject([
      { operation: 'baseline' },
    ]);
  });
});
