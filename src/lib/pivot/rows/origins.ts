/** Loads each measure of a pivot as one column per origin. */
import type { Column } from '@uwdata/flechette';
import type { Decimals } from '../../contract/decimals';
import { OPERATIONS } from '../../contract/operations';
import type { Ratio } from '../values/ratios';
import { type ArrowColumns, mapped, numbersOf, whole, widened } from './arrow-columns';
import {
  columnOf,
  masked,
  type Origin,
  ORIGINS,
  rowsByIter,
  SHARES,
  WITH_OTHER,
  WITH_REFERENCE,
} from './origin-columns';

/** The column with the log entry that wrote a row. */
const LOGID = 'pf_logid';
/** The key of a single row, which is unique within its own version only. */
const ID = 'pf_id';

/** The suffix of the column names of each origin, after the name of the measure. */
type Suffixes = Readonly<Partial<Record<Origin, string>>>;
const SUFFIXES: Suffixes = {
  price: 'price',
  baseline: 'baseline',
  changes: 'changes',
  reference: 'reference',
  difference: 'Δ',
  percent: 'Δ %',
};
const otherSuffixes = (name: string): Suffixes => ({
  other: name,
  otherDifference: `Δ to ${name}`,
  otherPercent: `Δ % to ${name}`,
});

/** Returns the name of a measure's column for one origin. */
const nameOf = (measure: string, origin: Origin, suffixes: Suffixes) =>
  `${measure}: ${suffixes[origin]}`;

/** Another version of the source, whose rows are loaded beside the plan's for a comparison. */
export interface OtherVersion {
  id: number;
  name: string;
  /** Iterations whose rows are not part of its plan. */
  excluded: readonly string[];
  /**
   * Columns with larger or finer numbers in the other version than in this one; both are loaded with the
   * wider type.
   */
  wide: ReadonlySet<string>;
}

/** Offset of the other version's row keys, by key type; no key of this version lies there. */
const SHIFTS = { integer: 2 ** 31, float: 2 ** 53 } as const;

/** The other version, with the offset that separates its rows from those of this one. */
interface Other {
  id: number;
  excluded: ReadonlySet<string>;
  shift: number;
}

/** The measures whose ratio is a price. */
interface Priced {
  value: string;
  units: string;
}

/** The measure and the origin of a column. */
interface OriginColumn {
  measure: string;
  origin: Origin;
}

/** All columns to load, including the columns by origin. */
interface Prepared {
  origins: Origins;
  columns: ArrowColumns;
}

/** The results of {@link Origins.prepare}. */
interface Made {
  columns: ReadonlyMap<string, OriginColumn>;
  /** Every possible name of such a column, since a layout may name those of another version. */
  possible: ReadonlySet<string>;
  excluded: ReadonlySet<string>;
  measures: readonly string[];
  compares: boolean;
  suffixes: Suffixes;
  other: Other | null;
  priced: Priced | null;
  /** The decimals with which the measures are written. */
  decimals: ReadonlyMap<string, Decimals>;
}

/**
 * The measures of a pivot by origin. The column of the measure itself has the plan, to which operations
 * apply. The other columns are computed before the rows are loaded: as expressions of the engine, they would
 * be three times as slow to show and forty times as slow to update.
 */
export class Origins {
  private readonly columns: Made['columns'];
  private readonly possible: Made['possible'];
  private readonly excluded: Made['excluded'];
  readonly measures: Made['measures'];
  /** Whether there are reference rows to compare with. */
  readonly compares: boolean;
  private readonly suffixes: Suffixes;
  /** The other version of the comparison; null without one. */
  readonly other: Other | null;
  private readonly priced: Priced | null;
  private readonly decimals: Made['decimals'];

  private constructor(made: Made) {
    this.columns = made.columns;
    this.possible = made.possible;
    this.excluded = made.excluded;
    this.measures = made.measures;
    this.compares = made.compares;
    this.suffixes = made.suffixes;
    this.other = made.other;
    this.priced = made.priced;
    this.decimals = made.decimals;
  }

  /**
   * Adds the columns by origin to rows before they are loaded, and removes the amounts of excluded rows from
   * the measures.
   *
   * @param loaded the columns as received, including `pf_iter`
   * @param measures the names of the measures; those that are not loaded as numbers stay unchanged
   * @param excluded the version's excluded iterations
   * @param compared another version for a comparison; its rows are loaded after these, see {@link
   * extendOther}
   * @param priced the measures whose ratio is a price; null without one
   * @param decimals of the measures; without an entry for a measure, only exactly zero counts as zero
   */
  static prepare(
    loaded: ArrowColumns,
    measures: readonly string[],
    excluded: readonly string[],
    compared: OtherVersion | null = null,
    priced: Priced | null = null,
    decimals: ReadonlyMap<string, Decimals> = new Map(),
  ): Prepared {
    const columns = new Map(loaded);
    const wide = [...(compared?.wide ?? [])].flatMap((name): NamedColumn[] => {
      const narrow = numbersOf(columns.get(name));
      return narrow ? [[name, whole(widened(narrow))]] : [];
    });
    for (const [name, column] of wide) columns.set(name, column);
    const compares = rowsByIter(columns)?.names.includes(OPERATIONS.reference.iter) ?? false;
    const numbers = measures.filter((measure) => numbersOf(columns.get(measure)));
    const origins = ORIGINS.filter(
      (origin) =>
        (compares || !WITH_REFERENCE.includes(origin)) &&
        (compared !== null || !WITH_OTHER.includes(origin)),
    );
    const possible = measures.flatMap((measure) =>
      Object.values(SUFFIXES)
        .map((suffix) => `${measure}: ${suffix}`)
        .filter((name) => !columns.has(name)),
    );
    const suffixes = compared
      ? {
          ...SUFFIXES,
          ...freeSuffixes(compared, measures, new Set([...columns.keys(), ...possible])),
        }
      : SUFFIXES;
    const made = new Map<string, OriginColumn>();
    for (const measure of rowsByIter(columns) ? numbers : []) {
      for (const origin of origins) {
        const name = nameOf(measure, origin, suffixes);
        const needed = SHARES[origin] ?? [];
        if (origin === 'price' && !(measure === priced?.value && numbers.includes(priced.units)))
          continue;
        if (columns.has(name) || needed.some((part) => !made.has(nameOf(measure, part, suffixes))))
          continue;
        made.set(name, { measure, origin });
      }
    }
    const hasIntegerKeys = numbersOf(columns.get(ID))?.values instanceof Int32Array;
    const other = compared && {
      id: compared.id,
      excluded: new Set<string>(compared.excluded),
      shift: hasIntegerKeys ? SHIFTS.integer : SHIFTS.float,
    };
    const result = new Origins({
      columns: made,
      possible: new Set(possible),
      excluded: new Set<string>(excluded),
      measures: numbers,
      compares,
      suffixes,
      other,
      priced,
      decimals,
    });
    return { origins: result, columns: result.extend(columns) };
  }

  /**
   * Returns rows of this version with the columns by origin, and without the amounts of excluded rows in the
   * measures. A missing column is empty in every row.
   *
   * @param columns as they are loaded first, including `pf_iter`
   */
  extend(columns: ArrowColumns): ArrowColumns {
    const rows = rowsByIter(columns);
    const extended = new Map(columns);
    for (const [name, { measure, origin }] of this.columns) {
      const source = numbersOf(columns.get(measure));
      if (source) extended.set(name, columnOf(origin, source, rows, this.excluded));
    }
    if (!rows?.names.some((iter) => this.excluded.has(iter))) return extended;
    for (const measure of this.measures) {
      const source = numbersOf(columns.get(measure));
      const counts = (iter: string) => !this.excluded.has(iter);
      if (source) extended.set(measure, masked(source, rows, counts));
    }
    return extended;
  }

  /**
   * Converts rows of the other version to rows of this pivot's table: their keys and log entries differ from
   * all of this version's, and only the comparison columns have their amounts.
   *
   * @param columns in the form in which this version's are loaded first
   */
  extendOther(columns: ArrowColumns): ArrowColumns {
    const rows = rowsByIter(columns);
    const { other, suffixes } = this;
    const extended = new Map<string, Column<unknown>>();
    for (const [name, column] of columns) {
      const numbers = numbersOf(column);
      if (!other) continue;
      if (name === ID && numbers) {
        const isInteger = other.shift === SHIFTS.integer;
        extended.set(name, whole(mapped(numbers, (id) => id - other.shift, isInteger)));
      } else if (name === LOGID && numbers) {
        extended.set(name, whole(mapped(numbers, (id) => -id)));
      } else if (this.measures.includes(name) && numbers) {
        const counts = (iter: string) => !other.excluded.has(iter);
        const negative = mapped(numbers, (value) => -value);
        extended.set(nameOf(name, 'other', suffixes), masked(numbers, rows, counts));
        extended.set(nameOf(name, 'otherDifference', suffixes), masked(negative, rows, counts));
      } else extended.set(name, column);
    }
    return extended;
  }

  /** Returns the measure and origin of a column; null if it is not a column by origin. */
  of(column: string): OriginColumn | null {
    return this.columns.get(column) ?? null;
  }

  /** Whether a measure shows the plan, not one of its parts and nothing that it is compared with. */
  isOfPlan(measure: string): boolean {
    const part = this.of(measure);
    return part === null || part.origin === 'price';
  }

  /** Returns the columns by origin of a measure. */
  columnsOf(measure: string): { name: string; origin: Origin }[] {
    return [...this.columns]
      .filter(([, column]) => column.measure === measure)
      .map(([name, { origin }]) => ({ name, origin }));
  }

  /** All columns by origin: by measure, in reading order. */
  get parts(): string[] {
    return [...this.columns.keys()];
  }

  /** Checks whether a name is that of a column by origin which this version lacks. */
  isAbsent(name: string): boolean {
    return this.possible.has(name) && !this.columns.has(name);
  }

  /** The columns of the other version, and those that compare with it. */
  get ofOther(): ReadonlySet<string> {
    const names = [...this.columns].filter(([, { origin }]) => WITH_OTHER.includes(origin));
    return new Set(names.map(([name]) => name));
  }

  /** The columns that are computed from sums, by name. */
  get ratios(): ReadonlyMap<string, Ratio> {
    const ratios = new Map<string, Ratio>();
    for (const [name, { measure, origin }] of this.columns) {
      if (origin === 'price' && this.priced) ratios.set(name, this.priced);
      const [reference, difference] = SHARES[origin] ?? [];
      if (!reference || !difference) continue;
      const decimals = this.decimals.get(measure);
      ratios.set(name, {
        plan: measure,
        reference: nameOf(measure, reference, this.suffixes),
        difference: nameOf(measure, difference, this.suffixes),
        ...(decimals && { decimals }),
      });
    }
    return ratios;
  }

  /**
   * Maps the names of the other version's columns in `before` to their current names; null for a column that
   * no longer exists.
   */
  renamings(before: Origins): Map<string, string | null> {
    const names = new Map<string, string | null>();
    for (const [name, { measure, origin }] of before.columns) {
      if (!WITH_OTHER.includes(origin)) continue;
      const now = nameOf(measure, origin, this.suffixes);
      names.set(name, this.other && this.columns.has(now) ? now : null);
    }
    return names;
  }

  /** Returns a schema without the columns by origin. */
  loaded<T>(schema: Readonly<Record<string, T>>): Record<string, T> {
    return Object.fromEntries(Object.entries(schema).filter(([name]) => !this.columns.has(name)));
  }
}

/** Returns suffixes with which the other version's columns get unused names. */
function freeSuffixes(
  { id, name }: OtherVersion,
  measures: readonly string[],
  taken: ReadonlySet<string>,
): Suffixes {
  for (let n = 0; ; n++) {
    const suffixes = otherSuffixes(
      n === 0 ? name : `${name} (version ${id}${n > 1 ? `, ${n}` : ''})`,
    );
    const names = measures.flatMap((measure) =>
      WITH_OTHER.map((origin) => nameOf(measure, origin, suffixes)),
    );
    if (names.every((each) => !taken.has(each))) return suffixes;
  }
}

type NamedColumn = [name: string, column: Column<unknown>];
