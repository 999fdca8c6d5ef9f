/** A workbook that is read back: compares it with the export and the plan, and writes its changes. */
import * as api from '../../client/api';
import { messageOf } from '../../client/message-of';
import { user } from '../../client/user.svelte';
import type { Changes, Written } from '../changes/changes.svelte';
import type { Log } from '../records/log.svelte';
import type { FileImport } from '../amounts/operation';
import type { PlannedVersion } from '../version/planned-version.svelte';
import { sha256 } from '../version/sha256';
import type { Attempt } from '../changes/trial.svelte';
import { isOvertaken } from '../changes/trying';
import type { FileChanges, FileFault } from './workbook-changes';
import {
  amountAfter,
  asChosen,
  asTotal,
  compare,
  editsOf,
  type WorkbookChoice,
  type ComparedChange,
} from './workbook-compared';

/** A workbook, compared with the plan. */
interface Compared {
  changes: readonly ComparedChange[];
  /** Changed cells that cannot be written. */
  faults: readonly FileFault[];
  /** The newest entry of the plan that it was compared with. */
  newest: number;
}

/** The answer for a file without changes. */
const NOTHING = { cells: [], newest: 0 };

/** A file that was read. */
interface ReadFile extends FileChanges {
  name: string;
  sha256: string;
  /** When it was exported, as ISO text. */
  exported: string;
  /** Sentences about rows and columns that were moved. */
  notes: readonly string[];
  /** The newest entry of the export; null if the database was replaced since. */
  since: number | null;
}

const OVERTAKEN =
  'Nothing was written: somebody has changed these cells meanwhile. The file was compared again; check it, and write it then.';

const otherVersion = (name: string, source: string) =>
  `This workbook was exported from the version “${name}” of ${source}. Open that version, and drop the file there.`;

/** A workbook dropped on the pivot page (docs/decisions/0034-a-workbook-of-our-own.md). */
export class WorkbookReading {
  /** Name of the file that is being read or shown; null if there is none. */
  name = $state.raw<string | null>(null);
  /** Why it cannot be read back, as a sentence. */
  failure = $state.raw<string | null>(null);
  file = $state.raw<ReadFile | null>(null);
  compared = $state.raw<Compared | null>(null);
  choices = $state.raw<Readonly<Record<string, WorkbookChoice>>>({});
  /** Counts the comparisons; only the newest one is shown. */
  private asked = 0;

  /** The cells that somebody else has changed meanwhile. */
  readonly conflicts: readonly ComparedChange[] = $derived(
    (this.compared?.changes ?? []).filter(({ isConflict }) => isConflict),
  );
  /** The cells that the planner has to decide on. */
  readonly undecided: readonly ComparedChange[] = $derived(
    this.conflicts.filter(({ address }) => !this.choices[address]),
  );

  constructor(
    private readonly planned: PlannedVersion,
    private readonly changes: Changes,
    private readonly log: Log,
    private readonly timeline: () => string | null,
  ) {}

  /** Reads a file and compares it with the plan. Failures are shown as {@link failure}. */
  async read(file: File): Promise<void> {
    this.close();
    this.name = file.name;
    await this.newest(async (isNewest) => {
      const [{ readBook }, { changesOf }] = await Promise.all([
        import('../../pivot/excel/read-back'),
        import('./workbook-changes'),
      ]);
      const book = await readBook(file);
      const { version, source, timeline, newest, exported } = book.origin;
      const { id, source: own } = this.planned;
      if (version.id !== id || source.name !== `${own.schema}.${own.tname}`) {
        throw new Error(otherVersion(version.name, source.name));
      }
      const isSame = timeline === null || timeline === this.timeline();
      const read = {
        ...changesOf(book, this.planned.fixedDecimals),
        ...{ name: file.name, exported, notes: book.notes, since: isSame ? newest : null },
        sha256: sha256(new Uint8Array(await file.arrayBuffer())),
      };
      if (!isNewest()) return;
      this.file = read;
      await this.compareFile(read, isNewest);
    });
  }

  /** Compares the file with the plan, again after somebody else has changed it, or after a failure. */
  compare(): Promise<void> {
    return this.newest(async (isNewest) => {
      if (this.file) await this.compareFile(this.file, isNewest);
    });
  }

  private async compareFile(
    { changes, faults, since }: ReadFile,
    isNewest: () => boolean,
  ): Promise<void> {
    const { edits, places } = editsOf(changes, asTotal);
    const [{ cells, newest }, { entries }] = await Promise.all([
      edits.length > 0
        ? api.call('POST /versions/{id}/import/preview', {
            id: this.planned.id,
            body: {
              edits,
              since,
              ...(user.name && { pf_user: user.name }),
            },
          })
        : NOTHING,
      this.log.stored(),
    ]);
    if (!isNewest()) return;
    const found = places.map((place) => cells[place]);
    const compared = compare(changes, found, entries, this.planned.fixedDecimals);
    const all = [...faults, ...compared.faults];
    this.compared = { changes: compared.changes, faults: all, newest };
    this.failure = null;
  }

  /** Decides on one cell, or on all that somebody else has changed. */
  choose(choice: WorkbookChoice, address?: string): void {
    const meant = address === undefined ? this.conflicts.map((each) => each.address) : [address];
    this.choices = { ...this.choices, ...Object.fromEntries(meant.map((each) => [each, choice])) };
  }

  /** Returns what a cell becomes; null while the planner has not decided. */
  after(change: ComparedChange): number | null {
    return amountAfter(change, this.choices, this.planned.fixedDecimals);
  }

  /** Closes the file. */
  close(): void {
    this.asked++;
    this.name = null;
    this.failure = null;
    this.file = null;
    this.compared = null;
    this.choices = {};
  }

  /**
   * Writes the changes as one entry, and closes the file.
   *
   * @throws ApiError, or an error with a sentence if the file had to be compared again; nothing is written then
   */
  write(pf_user: string): Promise<Written> {
    return this.closing((body) => this.changes.importCells({ ...body, pf_user }));
  }

  /** Tries the changes, and closes the file. @throws as {@link write} */
  try(pf_user: string, add: (attempt: Attempt) => Promise<void>): Promise<void> {
    return this.closing((body) =>
      add({ operation: { kind: 'import', body }, slice: {}, cells: [], pf_user }),
    );
  }

  private async closing<Result>(
    send: (body: FileImport['body']) => Promise<Result>,
  ): Promise<Result> {
    const { file, compared } = this;
    if (!file || !compared) throw new Error('No workbook is open.');
    const chosen = asChosen(this.choices, this.planned.fixedDecimals);
    const { edits } = editsOf(compared.changes, chosen);
    const { name, sha256 } = file;
    try {
      const result = await send({ file: { name, sha256 }, edits, seen: compared.newest });
      if (this.file === file) this.close();
      return result;
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      await this.compare();
      throw new Error(OVERTAKEN, { cause: error });
    }
  }

  private async newest(work: (isNewest: () => boolean) => Promise<void>): Promise<void> {
    const asked = ++this.asked;
    const isNewest = () => asked === this.asked;
    try {
      await work(isNewest);
    } catch (error) {
      if (isNewest()) this.failure = messageOf(error);
    }
  }
}
