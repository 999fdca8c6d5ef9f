/** Prepares the rows of a version for the engine. */
import { type ColumnEntry, isLeaf, measuresOf } from '../../contract/columns';
import type { MeasureDecimals } from '../../contract/decimals';
import type { Layout } from '../../contract/stored-layout';
import { decimalsIn } from '../rows/measure-decimals';
import { columnsIn, type ArrowColumns } from '../rows/arrow-columns';
import type { Attributes } from '../rows/attributes';
import { rowsOfPlan } from '../rows/origin-columns';
import { Buckets } from './buckets';
import { byName } from '../values/cell-value';
import type { ColumnFacts } from '../rows/column-facts';
import { columnsNeeded } from '../layout/columns-needed';
import { typesOf, whyApart, wideColumns } from '../rows/rows';
import { KnownDays } from '../rows/days';
import type { Schema } from '../values/engine-types';
import { datesGrouped, expectedLayout, factsIn } from '../layout/expected-layout';
import { KnownValues } from '../rows/known-values';
import { usedExpressions, usualGroups } from '../layout/layout';
import { priceFormula, type PivotFormula } from '../rows/formula-columns';
import { Origins, type OtherVersion } from '../rows/origins';
import { partsBehind } from '../values/ratios';

/** Columns that the table always has, since filters by log entry use them. */
const ALWAYS = ['pf_logid'];

/** Another version for the comparison: the rows of its plan as Arrow streams of one record batch each. */
export interface ComparedRows extends Omit<OtherVersion, 'wide'> {
  batches: readonly ArrayBuffer[];
}

/** Options for the rows of a pivot, and the layout to prepare them for. */
export interface RowsOptions {
  index: 'pf_id' | 'pf_gkey';
  columns: readonly ColumnEntry[];
  /** Iterations whose rows are not part of the plan. */
  excluded: readonly string[];
  /** The stored formulas that can be used. */
  formulas: readonly PivotFormula[];
  /** The known parts of the layout to show. */
  layout: Layout;
  /** The attributes of the source's lookups, for the rows of all versions. */
  attributes: Attributes;
  /** The versions for the comparison, which {@link whyNotBeside} has accepted. */
  compared: readonly ComparedRows[];
}

/** The rows of a pivot prepared for the engine, and facts about them. */
interface ReadyRows {
  /** All columns, including derived columns. */
  columns: ArrowColumns;
  /** The columns that the table starts with. */
  names: ReadonlySet<string>;
  /** The types of all columns. */
  whole: Schema;
  /** The types of the columns that layouts can name: all columns except bucket columns. */
  schema: Schema;
  origins: Origins;
  /** The attributes that the rows can have. */
  attributes: Attributes;
  /** The decimals with which the measures are written. */
  decimals: MeasureDecimals;
  buckets: Buckets;
  /** The days of the version's own rows; after {@link rest}, also those of the other versions. */
  days: KnownDays;
  /** Does the slow reading that can wait until the engine is loading. Call it once. */
  rest(): RestOfRows;
}

interface RestOfRows {
  facts: ReadonlyMap<string, ColumnFacts>;
  /** The values of the dimensions in the version's own rows. */
  known: KnownValues;
  /** The rows of the versions in the comparison. Their days are already in `days`. */
  others: readonly ArrowColumns[];
}

/** Prepares the rows of a version for loading; see {@link ReadyRows}. */
export async function readyRows(bytes: ArrayBuffer, options: RowsOptions): Promise<ReadyRows> {
  const received = columnsIn(bytes);
  const attributes = options.attributes.within(received);
  const plans = options.compared.map((version) => {
    const excluded = new Set(version.excluded);
    const batches = version.batches.map((batch) => rowsOfPlan(columnsIn(batch), excluded));
    return { version, batches };
  });
  // Rows may have come after the lookups were read.
  await attributes.cover(received, 'own');
  for (const { version, batches } of plans)
    for (const batch of batches) await attributes.cover(batch, version.id);
  const loaded = attributes.extend(received);
  const compared = plans.map(({ version, ...plan }) => {
    const batches = plan.batches.map((batch) => attributes.extend(batch));
    return { ...version, batches, wide: wideColumns(typesOf(loaded), batches.map(typesOf)) };
  });
  const batches = compared.flatMap((version) => version.batches);
  const measures = measuresOf(options.columns);
  const nameOf = (wanted: string) => measures.find(({ key }) => key === wanted)?.column.cname;
  const [value, units] = [nameOf('value'), nameOf('units')];
  const price = value !== undefined && units !== undefined ? [priceFormula(value, units)] : [];
  const decimals = decimalsIn(loaded, options.columns);
  const prepared = Origins.prepare(
    loaded,
    measures.map(({ column }) => column.cname),
    options.excluded,
    compared,
    [...price, ...options.formulas],
    new Map(measures.map(({ key, column }) => [column.cname, decimals[key] ?? decimals.value])),
  );
  const { origins } = prepared;
  const dates = options.columns.filter(({ role }) => role === 'date').map((c) => c.cname);
  const days = new KnownDays([...dates, ...datesGrouped(options.layout)]);
  days.add(loaded);
  const usual = dates.find((name) => loaded.has(name));
  const buckets = Buckets.of(prepared.columns, {
    ...(usual !== undefined && usualGroups(usual, days.months(usual)).expressions),
    ...usedExpressions(options.layout),
  });
  const columns = buckets.extend(prepared.columns);
  const whole = typesOf(columns);
  const schema = byName(buckets.loaded(whole));
  const dimensions = options.columns.filter((c) => isLeaf(c.role)).map((c) => c.cname);
  const expected = expectedLayout([loaded, ...batches], options, dimensions, schema, origins);
  const shown = (expected.layout.columns ?? []).filter((name) => name !== null);
  const needed = { ...expected.layout, columns: [...shown, ...partsBehind(shown, origins.ratios)] };
  const names = new Set([...ALWAYS, options.index, ...columnsNeeded(needed, whole)]);

  const rest = (): RestOfRows => {
    const unread = dimensions.filter((name) => !expected.facts.has(name));
    const facts = new Map([...expected.facts, ...factsIn([loaded, ...batches], unread)]);
    const known = new KnownValues(prepared.columns, dimensions);
    const others = compared.flatMap((version) =>
      version.batches.map((batch) => buckets.extend(origins.extendOther(batch, version.id))),
    );
    for (const each of others) {
      days.add(each);
      known.noteOthers(each);
    }
    return { facts, known, others };
  };
  return { columns, names, whole, schema, origins, attributes, decimals, buckets, days, rest };
}

/**
 * Returns why the rows of another version cannot be compared with those of this one; null if they can.
 *
 * @param own the types of this version's columns, as received
 */
export function whyNotBeside(
  own: Schema,
  { batches, name }: Pick<ComparedRows, 'batches' | 'name'>,
): string | null {
  return batches.reduce<string | null>(
    (found, batch) => found ?? whyApart(own, typesOf(columnsIn(batch)), name),
    null,
  );
}
