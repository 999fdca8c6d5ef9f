/** The audit: who changed what everybody depends on, and which requests were refused. */
import * as v from 'valibot';
import { anyJson, byColumn, timestamp } from './primitives';

/** The largest number of entries of one answer, and the number without `limit`. */
export const MOST_AUDITED = 1000;
export const AUDITED_BY_DEFAULT = 100;

/** What an entry of the audit records. */
export const AUDITED = [
  'calendar made',
  'source registered',
  'source changed',
  'source deleted',
  'columns changed',
  'territory created',
  'territory changed',
  'territory deleted',
  'token created',
  'token revoked',
  'version changed',
  'version closed',
  'version opened',
  'version deleted',
  'name moved',
  'plan published',
  'plan withdrawn',
  'refused',
] as const;
export type Audited = (typeof AUDITED)[number];

/** An entry of the audit (docs/contract/20-who-is-signed-in.md#audit). */
export const AuditEntry = v.object({
  id: v.number(),
  stamp: timestamp,
  pf_user: v.pipe(v.nullable(v.string()), v.description('null if nobody is known')),
  action: v.picklist(AUDITED),
  source_id: v.nullable(v.number()),
  version_id: v.nullable(v.number()),
  territory_id: v.nullable(v.number()),
  token_id: v.nullable(v.number()),
  before: v.pipe(
    v.nullable(byColumn(anyJson)),
    v.description('The changed fields before; null of a new object and of a refusal'),
  ),
  after: v.pipe(
    v.nullable(byColumn(anyJson)),
    v.description('The changed fields after; null of a deleted object and of a refusal'),
  ),
  request: v.pipe(
    v.nullable(v.string()),
    v.description('Of a refusal: method and path of the first request'),
  ),
  status: v.pipe(v.nullable(v.number()), v.description('Of a refusal: its status')),
  count: v.pipe(
    v.number(),
    v.description('Of a refusal: how many requests of its minute were alike'),
  ),
});
export type AuditEntry = v.InferOutput<typeof AuditEntry>;

/** Answer of GET audit. */
export const AuditAnswer = v.object({ entries: v.array(AuditEntry) });
export type AuditAnswer = v.InferOutput<typeof AuditAnswer>;
