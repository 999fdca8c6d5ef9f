// Shared by the tests of replays: requests, and results to compare.
import * as v from 'valibot';
import { expect } from 'vitest';
import type { ColumnSave } from '../../../src/lib/contract/columns';
import { ReplayAnswer, ReplayedAnswer } from '../../../src/lib/contract/replays';
import { type Answer } from '../../support/http';
import type { Service } from '../../support/service';
import { makeSource, ok, ORDERS } from './orders';

export const user = { pf_user: 'ann' };

let names = 0;

export const name = () => `Replay ${(names += 1)}`;

/** Creates a separate source of orders for a test that changes them. */
export async function ordersIn(service: Service, tname: string, columns: readonly ColumnSave[]) {
  await service.query(ORDERS.replaceAll('public.orders', `public.${tname}`));
  return makeSource(service, tname, columns);
}

export const replay = (service: Service, path: string, body: object = {}): Promise<Answer> =>
  service.api.post(`${path}/replay`, { pf_user: 'eve', name: name(), ...body });

/** Expects a successful replay, checked against the contract. */
export async function replayed(service: Service, path: string, body: object = {}) {
  const answer = await replay(service, path, body);
  expect(ok(answer).status).toBe(201);
  return v.parse(ReplayAnswer, answer.body);
}

/** Returns the result of each entry, checked against the contract. */
export const listOf = async ({ api }: Service, version: number) =>
  v.parse(ReplayedAnswer, ok(await api.get(`/versions/${version}/replayed`)).body);

export const logOf = async ({ api }: Service, path: string) =>
  ok(await api.get(`${path}/log`)).body;

/** Returns the totals of each leaf of a version, without leaves that net to zero. */
export const leavesOf = ({ query }: Service, tname: string, version: number) =>
  query(
    `SELECT "Order Date", "Order Year", region, "sub-category", "select", "a""b", pf_iter,
       sum(amount) AS amount, sum(pieces) AS pieces
     FROM pf."fc_${tname}_${version}" GROUP BY 1, 2, 3, 4, 5, 6, 7
     HAVING sum(amount) <> 0 OR sum(pieces) <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7`,
  );

export const totals = (
  entries: { row_count: number; value_total: number | null; units_total: number | null }[],
) =>
  entries.map(({ row_count, value_total, units_total }) => ({
    row_count,
    value_total,
    units_total,
  }));

export const north = { ...user, slice: { region: 'North' } };
