/** Tries several changes: asks the service for their effects, and writes them. */
import * as v from 'valibot';
import * as api from '../../client/api';
import { ApiError } from '../../client/http';
import { messageOf } from '../../client/message-of';
import {
  PREVIEW_METADATA,
  SeveralPreviewFacts,
  type TriedOperation,
} from '../../contract/previews';
import { columnsIn } from '../../pivot/rows/arrow-columns';
import { AnsweredRows } from '../../pivot/rows/rows';
import type { Changes, Written } from './changes.svelte';
import { bodyOf } from '../amounts/operation';
import type { PlannedVersion } from '../version/planned-version.svelte';
import type { Selection } from '../selection/selection.svelte';
import {
  ONE_LIST,
  type Attempt,
  type LineOutcome,
  type Trial,
  type TriedLine,
  type TriedList,
  type TriedLists,
} from './trial.svelte';
import { TriedRows } from '../amounts/tried-rows';

/** The parts of the page that show the changes that are being tried. */
interface TrialParts {
  trial: Trial;
  selection: Selection;
}

/** The lines that were written, each with its entry, and why the next one was not. */
export interface Kept {
  written: readonly { line: TriedLine; entry: Written }[];
  /** Number of lines that remain in the list. */
  left: number;
  /** Why the first line that remains was not written; null if it was not sent, because it is refused already. */
  failure: string | null;
  /** The alternatives that were discarded; none while lines remain. */
  discarded: readonly TriedList[];
}

/** Number of lists that can be tried as alternatives. */
export const MOST_LISTS = 5;

/** The answers about the lines of a list, and the rows of those that are not refused. */
interface Answered {
  lines: TriedLine[];
  rows: TriedRows | null;
}

const AS_OF =
  'An earlier state of the plan is shown. The changes come back when you go back to now.';

const OVERTAKEN =
  'Somebody has changed cells of the file since it was compared. Take it out, and read the file again.';

/** Whether an error says that cells of a file have changed since they were compared. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof ApiError && /(^|\.)seen$/.test(error.field ?? '');

/** Adds changes to the list of those that are being tried, and calculates, keeps and discards them. */
export class Trying {
  /** The number of lines that were ever added. */
  private added = 0;
  /** Whether a calculation waits for its turn, and includes all changes until then. */
  private isQueued = false;

  constructor(
    private readonly planned: PlannedVersion,
    private readonly changes: Changes,
    private readonly parts: TrialParts,
    private readonly onCalculated: (why: string) => void,
  ) {}

  /**
   * Adds a change to the end of the list.
   *
   * @param giveBack restores the form that it came from
   * @throws ApiError with the service's sentence if it is refused; the list stays as it was
   */
  add(attempt: Attempt, giveBack: () => void): Promise<void> {
    return this.changes.runAfter('Trying …', async () => {
      const { trial } = this.parts;
      this.added += 1;
      const line = { ...attempt, id: this.added, giveBack, outcome: null };
      const answered = await this.ask([...trial.lines, line]);
      const outcome = answered.lines.at(-1)?.outcome;
      if (outcome?.kind === 'refused') {
        const { cause, why } = outcome;
        throw isOvertaken(cause) ? cause : new ApiError(422, why);
      }
      const before = trial.lines;
      await this.show(answered).catch(async (error: unknown) => {
        await this.calculate(before);
        throw error;
      });
    });
  }

  /** Takes a change out of the list. */
  async remove(line: TriedLine): Promise<void> {
    await this.change((lines) => lines.filter(({ id }) => id !== line.id));
  }

  /** Moves a change up or down by one place. */
  async move(line: TriedLine, by: -1 | 1): Promise<void> {
    await this.change((lines) => {
      const at = lines.findIndex(({ id }) => id === line.id);
      const other = lines[at + by];
      if (at < 0 || !other) return lines;
      return lines.map((each, i) => (i === at ? other : i === at + by ? line : each));
    });
  }

  /** Begins an empty list as an alternative to the one on screen, which stays beside it. */
  another(): Promise<void> {
    return this.changes.runAfter('Trying …', async () => {
      const { all } = this.parts.trial;
      if (this.parts.trial.lines.length === 0 || all.length >= MOST_LISTS) return;
      const id = Math.max(...all.map((list) => list.id)) + 1;
      const list = { id, name: freeName(all) };
      await this.show({ lines: [], rows: null }, { list, others: all });
    });
  }

  /** Shows another list, or the one after the list on screen. An empty list is dropped when it is left. */
  async showList(id?: number): Promise<void> {
    await this.changes.runAfter('Trying …', async () => {
      const { all, lists } = this.parts.trial;
      const next = all.find((list) => list.id > lists.list.id) ?? all[0];
      const list = id === undefined ? next : all.find((each) => each.id === id);
      if (!list || list.id === lists.list.id) return;
      const others = all.filter((each) => each.id !== list.id && each.lines.length > 0);
      await this.calculate(list.lines, { list, others });
    });
  }

  /**
   * Shows lists again that were discarded: the first of them on screen. A list that had no alternatives comes before
   * the lines that were tried since.
   */
  async restore(discarded: readonly TriedList[], wasAlone: boolean): Promise<void> {
    await this.changes.runAfter('Trying …', async () => {
      const { lines, all } = this.parts.trial;
      if (wasAlone) return this.calculate([...discarded.flatMap((each) => each.lines), ...lines]);
      const present = all.filter((each) => each.lines.length > 0);
      const [list, ...others] = besideLists(discarded, present);
      if (list) await this.calculate(list.lines, { list, others: [...others, ...present] });
    });
  }

  /**
   * Calculates the list again, once for all changes of the rows until its turn comes.
   *
   * @param why a sentence about it to show, if there is a list
   */
  async calculateAgain(why?: string): Promise<void> {
    if (!this.parts.trial.isStanding || this.isQueued) return;
    this.isQueued = true;
    const isStanding = await this.changes
      .runAfter('Trying …', async () => {
        this.isQueued = false;
        await this.calculateAll(this.parts.trial.lines);
        return this.parts.trial.isStanding;
      })
      .finally(() => (this.isQueued = false));
    if (isStanding && why) this.onCalculated(why);
  }

  /** Discards the list on screen, and shows one of its alternatives. @returns the list, and whether it had none */
  discard(): Promise<{ list: TriedList; wasAlone: boolean }> {
    return this.changes.runAfter('Discarding …', async () => {
      const { lines, lists } = this.parts.trial;
      const [next, ...others] = lists.others;
      if (next) await this.calculate(next.lines, { list: next, others });
      else await this.show({ lines: [], rows: null }, ONE_LIST);
      return { list: { ...lists.list, lines }, wasAlone: next === undefined };
    });
  }

  /**
   * Writes the lines that are not refused, in order, each as an entry. The first failure ends it: that line and
   * the later ones stay in the list.
   *
   * @throws ApiError if there is nothing to write
   */
  keep(): Promise<Kept> {
    return this.changes.runAfter('Saving …', async () => {
      const { trial } = this.parts;
      if (trial.problem !== null) throw new ApiError(0, trial.problem);
      const lines = trial.lines.filter(({ outcome }) => outcome?.kind === 'shown');
      if (lines.length === 0) {
        const why =
          trial.lines.length > 0 ? 'the service refuses these changes' : 'the list is empty';
        throw new ApiError(0, `There is nothing to save: ${why}.`);
      }
      const answers: { line: TriedLine; answer: ArrayBuffer }[] = [];
      let failure: unknown = null;
      for (const [i, line] of lines.entries()) {
        if (lines.length > 1) this.changes.busy = `Saving ${i + 1} of ${lines.length} …`;
        try {
          answers.push({ line, answer: await send(this.planned.id, line) });
        } catch (error) {
          failure = isOvertaken(error) ? new ApiError(409, OVERTAKEN) : error;
          break;
        }
      }
      const left = trial.lines.filter((each) => !answers.some(({ line }) => line === each));
      const discarded = left.length === 0 ? trial.lists.others : [];
      await this.show({ lines: left, rows: null }, left.length === 0 ? ONE_LIST : trial.lists);
      const written: { line: TriedLine; entry: Written }[] = [];
      if (answers.length > 0) this.changes.own.forgetUndone();
      for (const { line, answer } of answers) {
        written.push({ line, entry: await this.changes.showRows(answer) });
      }
      if (left.length > 0) await this.calculateAll(left);
      if (failure instanceof ApiError && failure.status === 403) await this.planned.refresh();
      if (failure !== null && written.length === 0) throw failure;
      const why = failure === null ? null : messageOf(failure);
      return { written, left: left.length, failure: why, discarded };
    });
  }

  /** Changes the list and calculates it. @returns whether there is one */
  private change(how: (lines: readonly TriedLine[]) => readonly TriedLine[]): Promise<boolean> {
    return this.changes.runAfter('Trying …', async () => {
      const lines = how(this.parts.trial.lines);
      await this.calculate(lines);
      return lines.length > 0;
    });
  }

  /**
   * Asks the service about a list and shows it. If that fails, the list is shown without its rows and with the
   * reason.
   */
  private async calculate(
    lines: readonly TriedLine[],
    lists: TriedLists = this.parts.trial.lists,
  ): Promise<void> {
    const { trial } = this.parts;
    const unknown = lines.map((line) => ({ ...line, outcome: null }));
    try {
      if (this.planned.asOf === null) return await this.show(await this.ask(lines), lists);
      await this.show({ lines: unknown, rows: null }, lists);
      trial.problem = AS_OF;
    } catch (error) {
      await this.show({ lines: unknown, rows: null }, lists);
      trial.problem = messageOf(error);
    }
  }

  /**
   * Calculates and shows a list, and calculates its alternatives without showing them. An alternative has no totals if
   * it cannot be calculated, or while an earlier state of the plan is shown.
   */
  private async calculateAll(lines: readonly TriedLine[]): Promise<void> {
    await this.calculate(lines);
    const { trial } = this.parts;
    for (const list of trial.lists.others) {
      const unknown = list.lines.map((line) => ({ ...line, outcome: null }));
      const answered =
        this.planned.asOf === null
          ? await this.ask(list.lines).then(
              (answer) => answer.lines,
              () => unknown,
            )
          : unknown;
      trial.noteOutcomes({ ...list, lines: answered });
    }
  }

  /** Shows a list, and reads the selected cells and their totals again, which include it. */
  private async show(
    { lines, rows }: Answered,
    lists: TriedLists = this.parts.trial.lists,
  ): Promise<void> {
    const { trial, selection } = this.parts;
    try {
      await trial.show(lines, rows, lists);
    } catch (error) {
      if (lines.length > 0) throw error;
      this.changes.stale =
        'The changes you tried could not be removed from the page. They are not saved.';
    }
    await selection.readAgain();
    void selection.readTotals();
  }

  /**
   * Asks the service for the effect of a list. A line that it refuses is left out, and the others are asked for
   * again.
   *
   * @throws ApiError if the service refuses no single line, or does not answer
   */
  private async ask(lines: readonly TriedLine[]): Promise<Answered> {
    const outcomes = new Map<number, LineOutcome>();
    for (;;) {
      const asked = lines.filter(({ id }) => !outcomes.has(id));
      const answer = asked.length > 0 ? await this.preview(asked, outcomes) : null;
      if (answer === 'refused') continue;
      const { measureColumns, joined } = this.planned;
      const rows = answer && new TriedRows(answer, measureColumns, joined);
      if (answer && rows) await noteShown(asked, answer, rows, outcomes);
      const answered = lines.map((line) => ({ ...line, outcome: outcomes.get(line.id) ?? null }));
      return { lines: answered, rows };
    }
  }

  /** Returns the rows of some lines. If one is refused, notes why. */
  private async preview(
    asked: readonly TriedLine[],
    outcomes: Map<number, LineOutcome>,
  ): Promise<AnsweredRows | 'refused'> {
    const operations = asked.map(triedOperation);
    const pf_user = asked.at(-1)?.pf_user ?? '';
    const ask = async (lookups?: number[]) =>
      new AnsweredRows(
        await api.previewRows('POST /versions/{id}/preview', {
          id: this.planned.id,
          body: { operations, lookups, pf_user },
        }),
      );
    try {
      return await this.withAttributes(await ask(), ask);
    } catch (error) {
      const refusal = refusalIn(error);
      const line = refusal && asked[refusal.at];
      if (!line) throw error;
      outcomes.set(line.id, { kind: 'refused', why: refusal.why, cause: error });
      return 'refused';
    }
  }

  /**
   * Returns the answer to a preview after the page knows the attributes of its keys. Keys that no stored row has are
   * known to the preview alone, so it is asked for again with the lookups that lack them.
   */
  private async withAttributes(
    answer: AnsweredRows,
    ask: (lookups: number[]) => Promise<AnsweredRows>,
  ): Promise<AnsweredRows> {
    const { joined } = this.planned;
    const lacking = joined.lacking(answer.columns);
    if (lacking.length === 0) return answer;
    // Without an answer, these attributes are empty.
    const again = await ask(lacking).catch(() => null);
    if (!again) return answer;
    for (const { id, rows } of factsOf(again).lookups ?? []) {
      const bytes = Uint8Array.from(atob(rows ?? ''), (char) => char.charCodeAt(0));
      if (bytes.length > 0) joined.add(id, columnsIn(bytes.buffer));
    }
    return again;
  }
}

/** The facts about the steps of a preview. */
const factsOf = ({ metadata }: AnsweredRows): SeveralPreviewFacts =>
  v.parse(SeveralPreviewFacts, JSON.parse(metadata.get(PREVIEW_METADATA) ?? ''));

type Sent = Omit<Attempt, 'cells'>;

/** Writes a change. @returns its rows, as an Arrow stream */
function send(id: number, { operation, slice, pf_user }: Sent): Promise<ArrayBuffer> {
  if (operation.kind === 'import')
    return api.writeRows('POST /versions/{id}/import', {
      id,
      body: { ...operation.body, pf_user },
    });
  return api.writeRows('POST /versions/{id}/{operation}', {
    id,
    operation: operation.kind,
    body: bodyOf(operation, slice, pf_user),
  });
}

/** Returns a change as a step of a preview. */
export function triedOperation({ operation, slice, pf_user }: Sent): TriedOperation {
  if (operation.kind === 'import') return { operation: 'import', ...operation.body, pf_user };
  const body = bodyOf(operation, slice, pf_user);
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the kind decides the body
  return { operation: operation.kind, ...body } as TriedOperation;
}

/** Returns lists with numbers and names that no other list has. */
function besideLists(lists: readonly TriedList[], present: readonly TriedList[]): TriedList[] {
  const all = [...present];
  return lists.map((list) => {
    const isTaken = all.some(({ id }) => id === list.id);
    const id = isTaken ? Math.max(...all.map((each) => each.id)) + 1 : list.id;
    const name = all.some((each) => each.name === list.name) ? freeName(all) : list.name;
    const kept = { ...list, id, name };
    all.push(kept);
    return kept;
  });
}

/** Returns the first letter that no list is named by. */
function freeName(lists: readonly TriedList[]): string {
  const isFree = (letter: string) => lists.every(({ name }) => name !== letter);
  return [...'ABCDEFGHIJ'].find(isFree) ?? '';
}

/** Reads the facts about the steps of a preview that come beside its rows. @throws if they are missing */
export const stepsOf = (answer: AnsweredRows): SeveralPreviewFacts['steps'] =>
  factsOf(answer).steps;

/** Notes the effect of each line, from the facts that the service sends beside the rows. */
async function noteShown(
  asked: readonly TriedLine[],
  answer: AnsweredRows,
  rows: TriedRows,
  outcomes: Map<number, LineOutcome>,
): Promise<void> {
  const steps = stepsOf(answer);
  const effects = await rows.effects();
  for (const [i, { id }] of asked.entries()) {
    const step = steps[i];
    const effect = step && effects.get(step.logid);
    if (!step || !effect) throw new Error('The service has not answered every change.');
    const { sql, totals, held } = step;
    outcomes.set(id, { kind: 'shown', effect, sql, totals, held });
  }
}

/**
 * Returns the place of the operation that the service refuses, and its sentence; null if an error is not the
 * refusal of a single operation.
 */
export function refusalIn(error: unknown): { at: number; why: string } | null {
  if (!(error instanceof ApiError)) return null;
  const at = /^operations\.(\d+)(\.|$)/.exec(error.field ?? '')?.[1];
  if (at === undefined) return null;
  const why = error.message.replace(/\boperations\.\d+(: |\.)?/, '');
  return { at: Number(at), why: isOvertaken(error) ? OVERTAKEN : why };
}
