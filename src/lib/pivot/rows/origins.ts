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

/** The column that tells which log entry wrote it. */
const LOGID = 'pf_logid';
/** The key of a single row, which only its own version knows it by. */
const ID = 'pf_id';

/** What the columns of each origin are called, after the measure. */
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

/** The name of a measure's column for one origin. */
const nameOf = (measure: string, origin: Origin, suffixes: Suffixes) =>
  `${measure}: ${suffixes[origin]}`;

/** Another version of the source, whose rows are loaded beside the plan's to compare with. */
export interface OtherVersion {
  id: number;
  name: string;
  /** Iterations whose rows are no part of its plan. */
  excluded: readonly string[];
  /** Columns that hold larger or finer numbers there than here: here, too, they are loaded as such. */
  wide: ReadonlySet<string>;
}

/** How far a row's key is moved, by the key's type: no key of this version is there. */
const SHIFTS = { integer: 2 ** 31, float: 2 ** 53 } as const;

/** The other version as its rows are told apart from those of this one. */
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

/** What a measure's column adds up. */
interface OriginColumn {
  measure: string;
  origin: Origin;
}

/** The columns to load, those among them that were made. */
interface Prepared {
  origins: Origins;
  columns: ArrowColumns;
}

/** What {@link Origins.prepare} has found and made. */
interface Made {
  columns: ReadonlyMap<string, OriginColumn>;
  /** Every name that such a column could have: a layout may name those of another version. */
  possible: ReadonlySet<string>;
  excluded: ReadonlySet<string>;
  measures: readonly string[];
  compares: boolean;
  suffixes: Suffixes;
  other: Other | null;
  priced: Priced | null;
  /** The decimals that the measures are written with. */
  decimals: ReadonlyMap<string, Decimals>;
}

/**
 * The measures of a pivot by origin. The measure's own column holds the plan: what operations see.
 * The others are columns made before the rows are loaded: as expressions of the engine they would be
 * three times as slow to show and forty times as slow to update.
 */
export class Origins {
  private readonly columns: Made['columns'];
  private readonly possible: Made['possible'];
  private readonly excluded: Made['excluded'];
  readonly measures: Made['measures'];
  /** Whether there are reference rows to compare with. */
  readonly compares: boolean;
  private readonly suffixes: Suffixes;
  /** The other version that is compared with; null without one. */
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
   * Adds the columns to rows that are to be loaded, and takes what operations leave alone out of the
   * measures.
   *
   * @param loaded the columns as they came, `pf_iter` among them
   * @param measures the names of the measures; those that are not loaded as numbers are left as they are
   * @param excluded the version's excluded iterations
   * @param compared another version to compare with; its rows are loaded after these, see
   * {@link extendOther}
   * @param priced the measures whose ratio is a price; null without one
   * @param decimals of the measures; amounts of one that is absent are zero only if they are exactly that
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
   * Rows of this version with the columns by origin, and without the measures of what operations leave
   * alone. Where a column is absent, it is empty in every row.
   *
   * @param columns as they are loaded first, `pf_iter` among them
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
   * Rows of the other version as rows of this pivot's table: no key and no log entry of theirs is one of
   * this version's, and no measure but those that compare has a number.
   *
   * @param columns as this version's are loaded first
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

  /** What a column of the pivot adds up; null if it is no column that was made here. */
  of(column: string): OriginColumn | null {
    return this.columns.get(column) ?? null;
  }

  /** The columns of a measure beside its own. */
  columnsOf(measure: string): { name: string; origin: Origin }[] {
    return [...this.columns]
      .filter(([, column]) => column.measure === measure)
      .map(([name, { origin }]) => ({ name, origin }));
  }

  /** All columns that were made here: measure by measure, in the order in which a person reads them. */
  get parts(): string[] {
    return [...this.columns.keys()];
  }

  /** Whether a name is that of a measure by origin which this version does not have. */
  isAbsent(name: string): boolean {
    return this.possible.has(name) && !this.columns.has(name);
  }

  /** The columns of the version that is compared with, and those that compare with it. */
  get ofOther(): ReadonlySet<string> {
    const names = [...this.columns].filter(([, { origin }]) => WITH_OTHER.includes(origin));
    return new Set(names.map(([name]) => name));
  }

  /** The columns that are painted, by their names. */
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
   * What the columns of the other version are called now that were made by `before`; null for one that
   * there is no longer.
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

  /** A schema without the columns made here. */
  loaded<T>(schema: Readonly<Record<string, T>>): Record<string, T> {
    return Object.fromEntries(Object.entries(schema).filter(([name]) => !this.columns.has(name)));
  }
}

/** The suffixes of another version's columns, which no other column may have. */
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
