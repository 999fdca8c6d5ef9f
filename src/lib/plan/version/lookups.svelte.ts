/** Reads the lookups of a source for the rows that a pivot shows. */
import * as api from '../../client/api';
import { messageOf } from '../../client/message-of';
import { type CheckedLookup, joiningColumns } from '../../contract/lookups';
import { type ArrowColumns, columnsIn } from '../../pivot/rows/arrow-columns';
import { Attributes, type JoinedLookup } from '../../pivot/rows/attributes';
import { isOfOneLookup } from './lookups';
import type { PlannedVersion } from './planned-version.svelte';

/** A lookup whose attributes the pivot cannot show, and the reason as a sentence. */
interface AbsentLookup {
  name: string;
  why: string;
}

/** The lookups of a source, as they were when the rows of a version were loaded (docs/contract/24-lookups.md). */
export class Lookups {
  /** The lookups that cannot be joined. */
  absent = $state.raw<readonly AbsentLookup[]>([]);
  /** Why the lookups could not be read, so that the pivot shows no attributes; null if they were. */
  failure = $state.raw<string | null>(null);
  private own: readonly { lookup: JoinedLookup; rows: ArrowColumns }[] = [];

  constructor(private readonly planned: PlannedVersion) {}

  /** Reads the lookups with their rows for the version. Never throws: {@link failure} says what failed. */
  async read(signal: AbortSignal): Promise<void> {
    const absent: AbsentLookup[] = [];
    try {
      const { id } = this.planned.source;
      const all = await api.call('GET /sources/{id}/lookups', { id, signal });
      const read = all.map(async (checked) => {
        const lookup = joinedOf(checked);
        const { name, problem } = checked;
        if (problem !== null) return void absent.push({ name, why: problem });
        try {
          return { lookup, rows: await rowsOf(lookup, this.planned.id, signal) };
        } catch (error) {
          if (!isOfOneLookup(error)) throw error;
          return void absent.push({ name, why: error.message });
        }
      });
      const own = await Promise.all(read);
      if (signal.aborted) return;
      this.own = own.filter((each) => each !== undefined);
      this.absent = absent;
      this.failure = null;
    } catch (error) {
      if (!signal.aborted) this.fail(error);
    }
  }

  /**
   * Returns the attributes of the rows of the version and of other versions beside it. Never throws.
   *
   * @param others the ids of the other versions
   */
  async join(others: readonly number[], signal: AbortSignal): Promise<Attributes> {
    const { id } = this.planned;
    try {
      const lookups = this.own.map(async ({ lookup, rows }) => {
        // A version without rows has no columns; rows may have come since.
        const own = rows.size > 0 ? rows : await rowsOf(lookup, id, signal);
        const beside = await Promise.all(others.map((other) => rowsOf(lookup, other, signal)));
        return { lookup, rows: [own, ...beside] };
      });
      return Attributes.of(await Promise.all(lookups), (lookup, side) =>
        rowsOf(lookup, side === 'own' ? id : side),
      );
    } catch (error) {
      if (!signal.aborted) this.fail(error);
      return Attributes.NONE;
    }
  }

  private fail(error: unknown): void {
    this.own = [];
    this.absent = [];
    this.failure = messageOf(error);
  }
}

const joinedOf = (lookup: CheckedLookup): JoinedLookup => ({
  id: lookup.id,
  keys: joiningColumns(lookup),
  attributes: lookup.attributes.map(({ label }) => label),
  conversions: lookup.conversions.map(({ label, measure }) => ({ name: label, measure })),
});

async function rowsOf(
  { id }: JoinedLookup,
  version: number,
  signal?: AbortSignal,
): Promise<ArrowColumns> {
  const bytes = await api.loadLookup(id, version, { signal });
  return bytes.byteLength === 0 ? new Map() : columnsIn(bytes);
}
