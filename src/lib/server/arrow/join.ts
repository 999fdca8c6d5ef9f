/** Joins runs of rows to one block. */
import { DataType, type Data } from 'apache-arrow';
import { Turns } from '../turns';
import { dataIn, rowsOf, type RowBlock, type RowRun } from './blocks';
import type { Column } from './column-plan';
import { rowCountOf } from './column-values';
import { BitJoiner, integerJoiner, numberJoiner } from './join-numbers';
import { CodeJoiner, TextJoiner } from './join-texts';
import { isWhole, mismatch, type Joiner, type Part } from './joiner';

/** Number of rows of a column that are processed before other requests get a turn. */
const ROWS_AT_ONCE = 65_536;

/**
 * Makes one block of each group of runs. The blocks equal those that a decoder makes of the same rows: a dictionary
 * has only texts that occur, in the order of first appearance, and an integer column is Int32 if every value
 * fits.
 *
 * Rows stay in their memory if they are alone in their group and most of that memory is theirs. Other rows
 * are copied.
 *
 * @param groups of runs whose columns have the same names in the same order; at least one run
 * @param integers names of the integer columns
 * @throws Error if the types of a column do not match, or its text exceeds what Arrow can hold
 */
export async function joinRuns(
  groups: readonly (readonly RowRun[])[],
  integers: ReadonlySet<string>,
): Promise<RowBlock[]> {
  const first = groups[0]?.[0];
  if (!first) throw new Error('No rows to join');
  const lead = leadOf(groups.flat());
  const inPlace = groups.map(staysInPlace);
  const made = groups.map((): Column[] => []);
  const turns = new Turns();
  for (const [i, { name }] of blockAt(first).columns.entries()) {
    const parts = groups.map((runs) => runs.map((run) => partOf(run, i, name, lead.has(run))));
    const joiner = joinerOf(parts.flat(), integers.has(name));
    for (const [g, group] of parts.entries()) {
      const data = await joined(joiner, group, inPlace[g] ?? false, turns);
      made[g]?.push({ name, data });
    }
  }
  return groups.map((runs, g) => ({
    columns: made[g] ?? [],
    held: inPlace[g] && runs[0] ? blockAt(runs[0]).held : rowsOf(runs),
  }));
}

/** Joins the rows of a group in one piece of memory. */
async function joined(
  joiner: Joiner,
  parts: readonly Part[],
  inPlace: boolean,
  turns: Turns,
): Promise<Data> {
  const [only] = parts;
  const writer = joiner.block(parts, inPlace);
  if (only && inPlace && only.isLead && isWhole(only) && only.data.type.typeId === joiner.typeId) {
    return only.data;
  }
  let sinceTurn = 0;
  for (const part of parts) {
    for (let from = part.start; from < part.end; from += ROWS_AT_ONCE) {
      const to = Math.min(part.end, from + ROWS_AT_ONCE);
      writer.append(part, from, to);
      sinceTurn += to - from;
      if (sinceTurn < ROWS_AT_ONCE) continue;
      await turns.give();
      sinceTurn = 0;
    }
  }
  await turns.give();
  return writer.finish();
}

const blockAt = ({ blocks, index }: RowRun): RowBlock => {
  const block = blocks[index];
  if (!block) throw new Error(`There is no block ${index}`);
  return block;
};

/**
 * Whether a group is a single run that takes up most of its memory. Keeping the rest then costs less than
 * copying.
 */
function staysInPlace([run, ...others]: readonly RowRun[]): boolean {
  return run !== undefined && others.length === 0 && 4 * rowsOf([run]) >= 3 * blockAt(run).held;
}

/**
 * The runs that lead: they start at the first row of the first block and follow one another without a gap.
 * Their dictionary is already in the order of first appearance.
 */
function leadOf(runs: readonly RowRun[]): Set<RowRun> {
  const lead = new Set<RowRun>();
  for (const [i, run] of runs.entries()) {
    if (run.blocks !== runs[0]?.blocks || run.index !== i || run.start > 0) break;
    lead.add(run);
    if (run.end < rowCountOf(blockAt(run).columns)) break;
  }
  return lead;
}

function partOf(run: RowRun, i: number, name: string, isLead: boolean): Part {
  return { data: dataIn(blockAt(run), i, name), start: run.start, end: run.end, isLead };
}

function joinerOf(parts: readonly Part[], isInteger: boolean): Joiner {
  const first = parts[0]?.data;
  if (!first) throw new Error('A column without a type');
  const { type } = first;
  if (isInteger && parts.some(({ data }) => DataType.isFloat(data.type))) {
    return integerJoiner(parts);
  }
  const other = parts.find(({ data }) => data.type.typeId !== type.typeId);
  if (other) throw mismatch(other.data, type);
  if (DataType.isDictionary(type)) return new CodeJoiner();
  if (DataType.isUtf8(type)) return new TextJoiner();
  if (DataType.isBool(type)) return new BitJoiner(type);
  return numberJoiner(first);
}
