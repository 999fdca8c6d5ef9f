/** Taking back a part of an entry, after the user has seen what would change. */
import * as api from '../../client/api';
import { Latest } from '../../client/latest.svelte';
import type { OperationPreview } from '../../contract/previews';
import type { Slice } from '../../contract/slices';
import type { Changes, Written } from './changes.svelte';

/** The rows of an entry in a slice, except locked ones. */
interface EntryPart {
  logid: number;
  slice: Slice;
  pf_user: string;
}

/** The part of an entry that waits for a confirmation. */
export class TakeBack {
  /** Null if nothing waits for a confirmation. */
  part = $state.raw<EntryPart | null>(null);
  /** The effect of taking it back. */
  readonly preview = new Latest<OperationPreview>();

  constructor(private readonly changes: Changes) {}

  /** Opens the confirmation of a part, and requests a preview of its effect. */
  ask(part: EntryPart): void {
    const { logid, ...body } = part;
    this.part = part;
    this.preview.clear();
    this.preview.ask((signal) =>
      api.call('POST /log/{logid}/reverse/preview', { logid, body, signal }),
    );
  }

  /** Closes the confirmation. */
  cancel(): void {
    this.part = null;
    this.preview.clear();
  }

  /** Takes back the part; its confirmation stays open. @throws ApiError if it cannot be taken back: nothing is written */
  async confirm(): Promise<Written> {
    const { part } = this;
    if (!part) throw new Error('Nothing waits for a confirmation.');
    const { logid, ...body } = part;
    return this.changes.reverse(logid, body);
  }
}
