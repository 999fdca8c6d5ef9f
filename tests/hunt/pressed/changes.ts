/** Compares the changes of a log entry with the expected ones. */
import { incrementOf, type Asked, type LeafChange, type Meaning, type Oracle } from '../oracle';
import type { HuntTable } from '../table';

/** Describes the first unexpected change of a log entry; null if there is none. */
export async function wrongChange(
  oracle: Oracle,
  { measures }: HuntTable,
  behind: string,
  asked: Asked,
  entry: number,
): Promise<string | null> {
  const leaves = await oracle.changes(behind, asked, entry);
  for (const { name, type } of measures) {
    const unit = type === 'integer' ? 1 : 0.01;
    const isOff = ({ expected, actual }: LeafChange) => {
      const want = expected[name] ?? 0;
      return Math.abs(want - (actual[name] ?? 0)) > 1.02 * unit + Math.abs(want) * 1e-9;
    };
    const wrong = leaves.filter(isOff);
    if (wrong.length > 0) {
      const [first] = wrong as [LeafChange];
      return `${wrong.length} of ${leaves.length} leaves changed wrongly, such as ${first.leaf}: ${name} ${first.actual[name]} instead of ${first.expected[name]}`;
    }
    const sum = (of: 'expected' | 'actual') =>
      leaves.reduce((all, leaf) => all + (leaf[of][name] ?? 0), 0);
    const want =
      asked.kind === 'scale' && asked.measure === name && asked.by !== 'Percent'
        ? await increment(oracle, behind, asked, entry)
        : sum('expected');
    if (Math.abs(sum('actual') - want) > 0.6 * unit + Math.abs(want) * 1e-9) {
      return `${name} changed by ${sum('actual')} instead of ${want}`;
    }
  }
  return null;
}

async function increment(
  oracle: Oracle,
  behind: string,
  asked: Extract<Asked, { kind: 'scale' }>,
  entry: number,
): Promise<number> {
  const { sums } = await oracle.totals(`(${behind}) AND pf_logid < ${entry}`);
  return incrementOf(asked, sums[asked.measure] ?? 0);
}

/** Whether there are rows behind each of some cells. */
export async function areAllFull(oracle: Oracle, meanings: readonly Meaning[]): Promise<boolean> {
  const counts = await Promise.all(
    meanings.map(async (meaning) => {
      const behind = oracle.behind([meaning]);
      return behind === null ? 0 : (await oracle.totals(behind)).rows;
    }),
  );
  return !counts.includes(0);
}
