/** Current names: names of a source that stay while the version behind them changes. */
import * as v from 'valibot';
import { pfUser, shortName, timestamp } from './primitives';

/** The largest number of moves of a name in an answer; the audit has all of them. */
export const MOST_MOVES = 20;

/** A change of the version that a name stands for. */
const Move = v.object({
  stamp: timestamp,
  pf_user: v.pipe(v.nullable(v.string()), v.description('null if nobody is known')),
  from: v.pipe(v.nullable(v.number()), v.description('The version before; null of a new name')),
  to: v.pipe(v.nullable(v.number()), v.description('The version since; null of a removed name')),
});

/** A current name with its latest moves (docs/contract/23-names-and-published-plans.md#current-names). */
export const CurrentName = v.object({
  name: v.string(),
  version_id: v.pipe(v.nullable(v.number()), v.description('null if the name was removed')),
  moves: v.pipe(v.array(Move), v.description(`Newest first; at most ${MOST_MOVES}`)),
});
export type CurrentName = v.InferOutput<typeof CurrentName>;

/** Answer of GET current: the names of a source. */
export const CurrentNamesAnswer = v.array(CurrentName);

/** A name that is a part of an address. */
const addressName = v.pipe(
  shortName,
  v.check((name) => !/[/\\]/.test(name), 'must not contain / or \\: it is a part of an address'),
  v.check((name) => !/^\.{1,2}$/.test(name), 'must not be . or ..: it is a part of an address'),
);

/** Body of PUT current: the name stands for the version from now on, or is removed. */
export const SetCurrentRequest = v.object({
  name: addressName,
  version_id: v.pipe(
    v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2147483647))),
    v.description('A version of the source; null removes the name'),
  ),
  pf_user: pfUser,
});
export type SetCurrentRequest = v.InferOutput<typeof SetCurrentRequest>;
