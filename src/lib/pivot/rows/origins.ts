/** Loads each measure of a pivot as one column per origin. */
import type { Column } from '@uwdata/flechette';
import { EXACT, type Decimals } from '../../contract/decimals';
import { measuresIn } from '../../contract/formula-expression';
import { OPERATIONS } from '../../contract/operations';
import type { Ratio } from '../values/ratios';
import { type ArrowColumns, mapped, numbersOf, whole, widened } from './arrow-columns';
import { freeSuffixes, nameOf, type Suffixes, SUFFIXES } from './origin-names';
import { formulaColumn, isComputable, isResult, type PivotFormula } from './formula-columns';
import {
  columnOf,
  masked,
  type Origin,
  ORIGINS,
  rowsByIter,
  rowsOfPlan,
  SHARES,
  WITH_ACTUALS,
  WITH_OTHER,
  WITH_REFERENCE,
  withoutNumbers,
} from './origin-columns';

/** The column with the log entry that wrote a row. */
const LOGID = 'pf_logid';
/** The key of a single row, which is unique within its own version only. */
const ID = 'pf_id';

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

/** Largest number of other versions beside the plan: the keys of more do not fit. */
export const MOST_OTHERS = 3;

/** Offset of the first other version's row keys, by key type; no key of this version lies there. */
const SHIFTS = { integer: 2 ** 31, float: 2 ** 53 } as const;
/** Distance between the offsets of two other versions, whose keys are below it. */
const APART = 2 ** 51;

/** Another version, with the offset that separates its rows from those of all others. */
interface VersionBeside {
  id: number;
  excluded: ReadonlySet<string>;
  shift: number;
  suffixes: Suffixes;
  /** The log entries whose rows were converted. */
  entries: Set<number>;
}

/** The measure and the origin of a column. */
export interface OriginColumn {
  measure: string;
  origin: Origin;
  /** The other version that it shows or compares with; null for a column of this version alone. */
  version: number | null;
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
  hasActuals: boolean;
  others: readonly VersionBeside[];
  formulas: readonly PivotFormula[];
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
  /** Whether there are rows of closed months. */
  readonly hasActuals: boolean;
  /** The other versions of the comparison. */
  private readonly others: readonly VersionBeside[];
  /** The formulas whose measures are loaded. */
  readonly formulas: readonly PivotFormula[];
  private readonly decimals: Made['decimals'];

  private constructor(made: Made) {
    this.columns = made.columns;
    this.possible = made.possible;
    this.excluded = made.excluded;
    this.measures = made.measures;
    this.compares = made.compares;
    this.hasActuals = made.hasActuals;
    this.others = made.others;
    this.formulas = made.formulas;
    this.decimals = made.decimals;
  }

  /**
   * Adds the columns by origin to rows before they are loaded, and removes the amounts of excluded rows from
   * the measures.
   *
   * @param loaded the columns as received, including `pf_iter`
   * @param measures the names of the measures; those that are not loaded as numbers stay unchanged
   * @param excluded the version's excluded iterations
   * @param compared other versions for a comparison, {@link MOST_OTHERS} at most; their rows are loaded after
   * these, see {@link extendOther}
   * @param formulas the price and the stored formulas
   * @param decimals of the measures; without an entry for a measure, only exactly zero counts as zero
   */
  static prepare(
    loaded: ArrowColumns,
    measures: readonly string[],
    excluded: readonly string[],
    compared: readonly OtherVersion[] = [],
    formulas: readonly PivotFormula[] = [],
    decimals: ReadonlyMap<string, Decimals> = new Map(),
  ): Prepared {
    const columns = new Map(loaded);
    // The integer keys of several other versions would not fit.
    const forKeys = compared.length > 1 ? [ID] : [];
    const widest = new Set([...compared.flatMap((version) => [...version.wide]), ...forKeys]);
    const wide = [...widest].flatMap((name): NamedColumn[] => {
      const narrow = numbersOf(columns.get(name));
      return narrow ? [[name, whole(widened(narrow))]] : [];
    });
    for (const [name, column] of wide) columns.set(name, column);
    const has = (operation: 'reference' | 'actual') =>
      rowsByIter(columns)?.names.includes(OPERATIONS[operation].iter) ?? false;
    const [compares, hasActuals] = [has('reference'), has('actual')];
    const numbers = measures.filter((measure) => numbersOf(columns.get(measure)));
    const origins = ORIGINS.filter(
      (origin) =>
        (compares || !WITH_REFERENCE.includes(origin)) &&
        (hasActuals || !WITH_ACTUALS.includes(origin)) &&
        !WITH_OTHER.includes(origin) &&
        !isResult(origin),
    );
    const named = [...measures, ...formulas.map(({ name }) => name)];
    const possible = named.flatMap((measure) =>
      Object.values(SUFFIXES)
        .map((suffix) => `${measure}: ${suffix}`)
        .filter((name) => !columns.has(name)),
    );
    const hasIntegerKeys = numbersOf(columns.get(ID))?.values instanceof Int32Array;
    const taken = new Set([...columns.keys(), ...possible, ...named]);
    const others = compared.map((version, i): VersionBeside => ({
      id: version.id,
      excluded: new Set<string>(version.excluded),
      shift: hasIntegerKeys ? SHIFTS.integer : SHIFTS.float - i * APART,
      suffixes: freeSuffixes(version, named, taken),
      entries: new Set(),
    }));
    const made = new Map<string, OriginColumn>();
    const make = (measure: string, origin: Origin, suffixes: Suffixes, version: number | null) => {
      const name = nameOf(measure, origin, suffixes);
      const needed = SHARES[origin] ?? [];
      const isMade = (part: Origin, of = measure) => made.has(nameOf(of, part, suffixes));
      // A column of the source may have the name of a part.
      const compared = WITH_OTHER.includes(origin) ? 'other' : 'reference';
      const used = formulas.find((formula) => formula.name === measure);
      const hasParts = !used || measuresIn(used.expression).every((of) => isMade(compared, of));
      if (!columns.has(name) && hasParts && needed.every((part) => isMade(part)))
        made.set(name, { measure, origin, version });
    };
    const usable = formulas.filter(
      (formula) => isComputable(formula, numbers) && !columns.has(formula.name),
    );
    const wholes = [...numbers, ...usable.map(({ name }) => name)];
    for (const measure of rowsByIter(columns) ? wholes : []) {
      for (const { name, origin } of usable.filter((formula) => formula.measure === measure))
        made.set(name, { measure, origin, version: null });
      const isSum = numbers.includes(measure);
      for (const origin of origins)
        if (isSum || WITH_REFERENCE.includes(origin)) make(measure, origin, SUFFIXES, null);
      for (const { id, suffixes } of others)
        for (const origin of WITH_OTHER) make(measure, origin, suffixes, id);
    }
    const result = new Origins({
      columns: made,
      possible: new Set(possible),
      excluded: new Set<string>(excluded),
      measures: numbers,
      compares,
      hasActuals,
      others,
      formulas: usable,
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
    // The buffer of a column may be longer than the column.
    const length = columns.values().next().value?.length ?? 0;
    for (const [name, { measure, origin }] of this.columns) {
      const source = numbersOf(columns.get(measure));
      if (this.formulaOf(name)) extended.set(name, withoutNumbers(length));
      else if (source) extended.set(name, columnOf(origin, source, rows, this.excluded));
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
   * Converts the rows of another version's plan to rows of this pivot's table: their keys and log entries differ from
   * those of all other versions, and only the comparison columns have their amounts.
   *
   * @param columns in the form in which this version's are loaded first
   * @param version the id of the other version; the result is empty if it is not compared
   */
  extendOther(columns: ArrowColumns, version: number): ArrowColumns {
    const other = this.others.find(({ id }) => id === version);
    const extended = new Map<string, Column<unknown>>();
    if (!other) return extended;
    const { suffixes } = other;
    for (const [name, column] of rowsOfPlan(columns, other.excluded)) {
      const numbers = numbersOf(column);
      if (name === ID && numbers) {
        const isInteger = other.shift === SHIFTS.integer;
        extended.set(name, whole(mapped(numbers, (id) => id - other.shift, isInteger)));
      } else if (name === LOGID && numbers) {
        for (const logid of new Set<number | bigint>(numbers.values))
          other.entries.add(Number(logid));
        extended.set(name, whole(mapped(numbers, (id) => -id)));
      } else if (this.measures.includes(name) && numbers) {
        const negative = mapped(numbers, (value) => -value);
        extended.set(nameOf(name, 'other', suffixes), whole(numbers));
        extended.set(nameOf(name, 'otherDifference', suffixes), whole(negative));
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
    return part === null || isResult(part.origin);
  }

  /** Returns the columns by origin of a measure. */
  columnsOf(measure: string): ({ name: string } & Omit<OriginColumn, 'measure'>)[] {
    return [...this.columns]
      .filter(([, column]) => column.measure === measure)
      .map(([name, { origin, version }]) => ({ name, origin, version }));
  }

  /**
   * Returns the columns of one measure that have the amounts of the reference and of other versions, each as `name`,
   * with that of another measure as `measure`.
   */
  besidePlan(one: string, another: string): { name: string; measure: string }[] {
    const beside = (measure: string) =>
      this.columnsOf(measure).filter(({ origin }) => origin === 'reference' || origin === 'other');
    return beside(one).flatMap(({ name, ...own }) => {
      const found = beside(another).find(
        ({ origin, version }) => origin === own.origin && version === own.version,
      );
      return found ? { name, measure: found.name } : [];
    });
  }

  /** Checks whether a log entry is one of another version in the comparison. @param logid as its log has it */
  isOfVersion(version: number, logid: number): boolean {
    return this.others.some(({ id, entries }) => id === version && entries.has(logid));
  }

  /** All columns by origin: by measure, in reading order. */
  get parts(): string[] {
    return [...this.columns.keys()];
  }

  /** Checks whether a name is that of a column by origin which this version lacks. */
  isAbsent(name: string): boolean {
    return this.possible.has(name) && !this.columns.has(name);
  }

  /** The ids of the other versions in the comparison. */
  get comparedWith(): readonly number[] {
    return this.others.map(({ id }) => id);
  }

  /** The columns of other versions, and those that compare with them. */
  get ofOthers(): ReadonlySet<string> {
    const names = [...this.columns].filter(([, { version }]) => version !== null);
    return new Set(names.map(([name]) => name));
  }

  /** Returns the decimals of the sums of a column: those of its measure, {@link EXACT} if it is computed from sums. */
  decimalsOf(column: string): Decimals {
    const { measure, origin } = this.columns.get(column) ?? { measure: column };
    const isComputed = this.formulaOf(column) !== null || (origin && SHARES[origin]);
    return (isComputed ? undefined : this.decimals.get(measure)) ?? EXACT;
  }

  /** The columns that are computed from sums, by name. */
  get ratios(): ReadonlyMap<string, Ratio> {
    const ratios = new Map<string, Ratio>();
    const decimalsOf = (measure: string) => this.decimals.get(measure);
    for (const [name, { measure, origin, version }] of this.columns) {
      const suffixes = this.suffixesOf(version);
      const formula = this.formulaOf(name);
      if (formula) {
        const columnOf = (of: string, by: Origin) => nameOf(of, by, suffixes);
        ratios.set(name, formulaColumn(formula, origin, columnOf, decimalsOf));
        continue;
      }
      const [reference, difference] = SHARES[origin] ?? [];
      if (!reference || !difference) continue;
      const decimals = this.decimals.get(measure);
      ratios.set(name, {
        plan: measure,
        reference: nameOf(measure, reference, suffixes),
        difference: nameOf(measure, difference, suffixes),
        ...(decimals && { decimals }),
      });
    }
    return ratios;
  }

  /**
   * Maps the names of other versions' columns in `before` to their current names; null for a column that no
   * longer exists.
   */
  renamings(before: Origins): Map<string, string | null> {
    const names = new Map<string, string | null>();
    for (const [name, { measure, origin, version }] of before.columns) {
      if (version === null) continue;
      const now = nameOf(measure, origin, this.suffixesOf(version));
      names.set(name, this.columns.get(now)?.version === version ? now : null);
    }
    return names;
  }

  /** Returns the formula of a column: one that shows its result, or compares two results; null for any other. */
  formulaOf(column: string): PivotFormula | null {
    const part = this.of(column);
    return (
      this.formulas.find(({ name }) => name === column || (part && name === part.measure)) ?? null
    );
  }

  private suffixesOf(version: number | null): Suffixes {
    return this.others.find(({ id }) => id === version)?.suffixes ?? SUFFIXES;
  }

  /** Returns a schema without the columns by origin. */
  loaded<T>(schema: Readonly<Record<string, T>>): Record<string, T> {
    return Object.fromEntries(Object.entries(schema).filter(([name]) => !this.columns.has(name)));
  }
}

type NamedColumn = [name: string, column: Column<unknown>];
