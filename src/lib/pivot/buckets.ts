import type { Layout } from '../contract/stored-layout';
import type { ArrowColumns } from './arrow-columns';
import { startsOf } from './days';
import { readBucket, type TimeUnit } from './time-unit';

type Expressions = Readonly<Record<string, string>>;

/** What a column groups, and by what. */
interface Bucket {
  date: string;
  unit: TimeUnit;
  /** The expression that says the same. */
  text: string;
}

/**
 * Dates that are grouped by month, quarter or year, as columns of the table. Layouts and addresses speak of
 * expressions, as they always did; the engine gets the column in their place, since it computes an expression
 * for every row of each view (docs/decisions/0046-months-are-columns.md).
 */
export class Buckets {
  private constructor(private readonly made: ReadonlyMap<string, Bucket>) {}

  /**
   * @param loaded the columns that are there already: none of them is made
   * @param expressions those that the pivot will be asked for, as far as that is known
   */
  static of(loaded: ReadonlySet<string>, expressions: Expressions): Buckets {
    const made = new Map<string, Bucket>();
    for (const [name, text] of Object.entries(expressions)) {
      const bucket = readBucket(text);
      if (bucket && loaded.has(bucket.date) && !loaded.has(name))
        made.set(name, { ...bucket, text });
    }
    return new Buckets(made);
  }

  /** Rows with the columns that are made; a date that the rows do not have makes none. */
  extend(columns: ArrowColumns): ArrowColumns {
    const extended = new Map(columns);
    for (const [name, { date, unit }] of this.made) {
      const starts = startsOf(columns.get(date), unit);
      if (starts) extended.set(name, starts);
    }
    return extended;
  }

  /** Whether the table has a column in the place of an expression. */
  has(name: string, text: string): boolean {
    return this.made.get(name)?.text === text;
  }

  /** What there is of each column without those that were made here. */
  loaded<T>(byColumn: Readonly<Record<string, T>>): Record<string, T> {
    return Object.fromEntries(Object.entries(byColumn).filter(([name]) => !this.made.has(name)));
  }

  /** Expressions without those that the table has as columns. */
  without(expressions: Expressions): Record<string, string> {
    return Object.fromEntries(
      Object.entries(expressions).filter(([name, text]) => !this.has(name, text)),
    );
  }

  /** Those of some expressions that the table has as columns. */
  among(expressions: Expressions): Record<string, string> {
    return Object.fromEntries(
      Object.entries(expressions).filter(([name, text]) => this.has(name, text)),
    );
  }

  /** A layout of the engine's as a page speaks of it: what it uses of the columns are expressions again. */
  named(layout: Layout): Layout {
    const { group_by = [], split_by = [], columns = [], filter = [], sort = [] } = layout;
    const inOrder = [...filter, ...sort].map(([name]) => name);
    const used = new Set([...group_by, ...split_by, ...columns, ...inOrder]);
    const made = [...this.made].filter(([name]) => used.has(name));
    if (made.length === 0) return layout;
    const texts = made.map(([name, { text }]) => [name, text]);
    return { ...layout, expressions: { ...layout.expressions, ...Object.fromEntries(texts) } };
  }
}
