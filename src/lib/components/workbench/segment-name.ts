/** Names of segments. */
import type { Segment } from '$lib/contract/log';
import { iterName } from '../iter-name';

/** Returns the name of a segment within its version: "Baseline 1" is the first one loaded. */
export function segmentName(
  segment: Pick<Segment, 'id' | 'operation'>,
  all: readonly Pick<Segment, 'id' | 'operation'>[],
): string {
  const earlier = all.filter(
    ({ id, operation }) => operation === segment.operation && id < segment.id,
  );
  return `${iterName(segment.operation)} ${earlier.length + 1}`;
}
