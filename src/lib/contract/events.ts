/** Events of a version's stream. */
import * as v from 'valibot';

/** The media type of server-sent events. */
export const EVENT_STREAM = 'text/event-stream';

const kind = <const Kind extends string, Entries extends v.ObjectEntries>(
  name: Kind,
  entries: Entries,
) => v.object({ kind: v.literal(name), ...entries });

const logid = v.number();

/**
 * An event of a version (docs/contract/19-planning-together.md#live): `kind` is the event's name, the other
 * fields are its data.
 */
export const VersionEvent = v.variant('kind', [
  kind('written', { logid, operation: v.string(), pf_user: v.string() }),
  kind('undone', { logid }),
  kind('cleared', {}),
  kind('note', { logid }),
  kind('status', {
    excluded: v.optional(
      v.pipe(
        v.object({ exclude_iters: v.array(v.string()), pf_user: v.nullable(v.string()) }),
        v.description(
          'The origins that operations skip from now on, if these changed, and who changed them',
        ),
      ),
    ),
  }),
  kind('locks', {}),
  kind('comment', { id: v.number() }),
  kind('review', { id: v.number() }),
  kind('alert', {
    id: v.number(),
    pending: v.optional(
      v.pipe(v.literal(true), v.description('It is new or was changed, so an evaluation follows')),
    ),
    began: v.optional(
      v.pipe(v.number(), v.description('The number of groups for which it has begun to hold')),
    ),
    ended: v.optional(
      v.pipe(v.number(), v.description('The number of groups for which it has ended')),
    ),
  }),
  kind('deleted', {}),
  kind('resync', {}),
]);
export type VersionEvent = v.InferOutput<typeof VersionEvent>;

/**
 * The event `heartbeat`, sent at the start of every stream and then after each interval. A client that misses
 * two has lost the stream.
 */
export const HEARTBEAT = 'heartbeat';
export const Heartbeat = v.object({ interval_ms: v.number() });
export type Heartbeat = v.InferOutput<typeof Heartbeat>;

/** The kinds of events. */
export const EVENT_KINDS = VersionEvent.options.map(({ entries }) => entries.kind.literal);
