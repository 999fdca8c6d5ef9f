// Shared by the tests of reviews: people, a slice, and requests.
import { type Review } from '../../../src/lib/contract/reviews';
import { type Api } from '../../support/http';
import type { Service } from '../../support/service';
import { ok } from './orders';

export const ann = { pf_user: 'ann' };
export const bea = { pf_user: 'bea' };
export const cem = { pf_user: 'cem' };
export const NORTH = { region: 'North' };

export const make = async ({ api }: Service, path: string, more: object = {}): Promise<Review> =>
  ok(await api.post(`${path}/reviews`, { ...ann, slice: NORTH, reviewers: ['bea'], ...more })).body;

/** Takes a step of a review. */
export const step = async (
  { api }: Service,
  { id }: Review,
  name: string,
  who: object,
): Promise<Review> => ok(await api.post(`/reviews/${id}/${name}`, who)).body;

export const list = async ({ api }: Service, path: string): Promise<Review[]> =>
  ok(await api.get(`${path}/reviews`)).body;

export const del = ({ api }: { api: Api }, path: string, body: object) =>
  api.send(path, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** A write that concerns the rows of the slice, and is refused as a whole if one of them is locked. */
export const recode = (api: Api, path: string, who: object) =>
  api.post(`${path}/recode`, { ...who, slice: NORTH, set: { select: 'z' } });
