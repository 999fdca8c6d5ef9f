/** Previews operations: runs them in a transaction that is rolled back. */
import type { ReverseRequest, SliceOperation, SliceRequests } from '../../../contract/operations';
import { shapeOf } from '../../../contract/amounts';
import type {
  PreviewFacts,
  SeveralPreviewFacts,
  SeveralPreviewRequest,
  ShapedGroup,
  TriedOperation,
} from '../../../contract/previews';
import type { StoredShape, WeightedGroup } from '../../../contract/shapes';
import { figureOf, figuresBy } from '../../../contract/measures';
import type { Column } from '../../arrow/column-plan';
import { getEntry } from '../../db/log/log';
import { AppError, inEntry } from '../../errors';
import { headerList, headerNames } from '../../header-list';
import { measureKeys } from '../../sql/forecast-columns';
import { sql } from '../../sql/quote';
import type { OpenEntry } from '../entries/open-entry';
import type { TrialWriter } from '../entries/trial';
import { trying } from '../entries/trial';
import type { Held, Resources } from '../entries/writer';
import { lookupRows } from '../reading/lookup-rows';
import { sliceOf } from '../version/forecast-version';
import { importIn } from './import';
import { operateIn } from './operate';
import type { OperationResult } from './operation-steps';
import { reverseIn } from './reverse';
import { storedWeights } from './shapes';
import { totalsByGroup } from './slice';

/** The rows of a preview, in the form of an operation, and its facts (docs/contract/05-operations.md). */
interface PreviewResult extends OperationResult {
  facts: PreviewFacts;
}

/**
 * Previews an operation: runs it and rolls it back (docs/contract/05-operations.md#trying-before-writing).
 *
 * @throws AppError as the operation, but not 403: a closed version can be tried on
 */
export const previewOperation = <O extends SliceOperation>(
  resources: Resources,
  versionId: number,
  operation: O,
  request: SliceRequests[O],
): Promise<Held<PreviewResult>> =>
  trying(resources, versionId, (writer) =>
    preview(writer, 'edits' in request, () => operateIn(writer, operation, request)),
  );

/**
 * Previews a reverse of an entry like {@link previewOperation}.
 *
 * @throws AppError 404 if there is no such entry, and as {@link reverseIn}
 */
export async function previewReverse(
  resources: Resources,
  logid: number,
  request: ReverseRequest,
): Promise<Held<PreviewResult>> {
  const { version_id } = await getEntry(resources.db, logid);
  return trying(resources, version_id, (writer) =>
    preview(writer, false, () => reverseIn(writer, logid, request)),
  );
}

/** The steps of a preview of several operations. */
interface SeveralPreviewResult {
  facts: SeveralPreviewFacts;
  /** The rows of all steps, step by step. */
  columns: Column[];
  /** The ignored slice keys of all steps. */
  skipped: string;
}

/**
 * Previews several operations, each on the result of the previous ones
 * (docs/contract/05-operations.md#post-versionsidpreview).
 *
 * @throws AppError as {@link previewOperation}, beginning with the place of the operation; 404 for lookups
 */
export const previewSeveral = (
  resources: Resources,
  versionId: number,
  { operations, lookups }: Pick<SeveralPreviewRequest, 'operations' | 'lookups'>,
): Promise<Held<SeveralPreviewResult>> =>
  trying(
    resources,
    versionId,
    async (writer) => {
      const before = await writer.all();
      const steps: SeveralPreviewFacts['steps'] = [];
      const skipped = new Set<string>();
      let isGrain = false;
      for (const [i, asked] of operations.entries()) {
        const step = await inEntry(`operations.${i}`, () =>
          preview(writer, 'edits' in asked && asked.operation !== 'import', () =>
            runTried(writer, asked),
          ),
        );
        steps.push({ logid: writer.entries.at(-1)?.logid ?? 0, ...step.facts });
        for (const name of headerNames(step.skipped)) skipped.add(name);
        isGrain = step.columns.some(({ name }) => name === 'pf_gkey');
      }
      const totals = { before, after: await writer.all() };
      // The answers of the steps are not kept: together they could exceed the reserved memory.
      const { columns } = await writer.rows(isGrain);
      const joined = lookups && (await lookupsAfter(writer, lookups));
      const facts = { steps, totals, ...(joined && { lookups: joined }) };
      return { facts, columns, skipped: headerList(skipped) };
    },
    operations.length,
  );

/**
 * The rows of some lookups after everything that was tried, in base64; null for a lookup whose rows cannot be answered
 * now. @throws AppError 404 if there is no such lookup; 422 for more memory than there is
 */
async function lookupsAfter(
  { tx, target, memory }: TrialWriter,
  ids: readonly number[],
): Promise<NonNullable<SeveralPreviewFacts['lookups']>> {
  const answers: NonNullable<SeveralPreviewFacts['lookups']> = [];
  for (const id of ids) {
    const read = await tx.attempt(() => lookupRows(tx, target, id, memory));
    if (read instanceof AppError) {
      if (read.status === 404) throw read;
      answers.push({ id, rows: null });
      continue;
    }
    const rows = Buffer.concat(read.parts).toString('base64');
    // The text stays until the answer is sent, and the answer has a copy of it.
    memory.grow(memory.bytes + 2 * rows.length);
    answers.push({ id, rows });
  }
  return answers;
}

function runTried(writer: TrialWriter, asked: TriedOperation): Promise<OperationResult> {
  switch (asked.operation) {
    case 'scale':
      return operateIn(writer, 'scale', asked);
    case 'recode':
      return operateIn(writer, 'recode', asked);
    case 'clone':
      return operateIn(writer, 'clone', asked);
    case 'reverse':
      return reverseIn(writer, asked.logid, asked);
    case 'import':
      return importIn(writer, asked);
  }
}

/**
 * Runs an operation and returns its rows, statements and totals.
 *
 * @param hasEdits whether its totals are a list, one for each edit
 */
async function preview(
  writer: TrialWriter,
  hasEdits: boolean,
  run: () => Promise<OperationResult>,
): Promise<PreviewResult> {
  const from = writer.tried.length;
  const result = await run();
  const opened = writer.entries.at(-1);
  const groups = opened && (await shapedGroups(writer, opened));
  const tried = writer.tried.slice(from);
  const totals = tried.flatMap((statement) => statement.totals ?? []);
  const [only, ...others] = totals;
  const single = !hasEdits && others.length === 0 ? only : undefined;
  const facts = {
    // Statements name the slices of locks and reviews, which may name rows that the sender does not see.
    sql: writer.target.limit ? '' : tried.map(({ statement }) => statement.trim()).join(';\n\n'),
    totals: single ?? totals,
    held: await writer.held(tried),
    ...(groups && { groups }),
  };
  return { ...result, facts };
}

/** Returns the groups of a scale with a shape, before and after its entry; undefined for anything else. */
async function shapedGroups(
  { tx, target }: TrialWriter,
  { entry, logid }: OpenEntry,
): Promise<ShapedGroup[] | undefined> {
  if (entry.slice === null || !entry.params || !('spread' in entry.params)) return;
  const shape = shapeOf<StoredShape>(entry.params);
  if (!shape) return;
  const { by, weights } = storedWeights(shape, target.columns);
  const { where } = sliceOf(target, entry.slice);
  const earlier = sql`(${where}) AND pf_logid <> ${logid}`;
  const before = await totalsByGroup(tx, target, earlier, by);
  const after = await totalsByGroup(tx, target, where, by);
  const keyOf = (group: WeightedGroup['group']) => JSON.stringify(group);
  const [weightsOf, beforeOf] = [
    new Map(weights.map((each) => [keyOf(each.group), each])),
    new Map(before.map((each) => [keyOf(each.group), each])),
  ];
  return after.map(({ group, ...totals }) => {
    const weighted = weightsOf.get(keyOf(group)) ?? { group };
    const { group: _, ...earlierTotals } = beforeOf.get(keyOf(group)) ?? { group, ...totals };
    const weight = (key: string) => {
      const text = figureOf(weighted, key);
      return text === null ? null : Number(text);
    };
    return {
      group,
      weights: figuresBy(measureKeys(target.columns), weight),
      ...{ before: earlierTotals, after: totals },
    };
  });
}
