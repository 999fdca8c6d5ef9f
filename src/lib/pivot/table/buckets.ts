import type { Layout } from '../../contract/stored-layout';
import type { ArrowColumns } from '../rows/arrow-columns';
import { daysIn, startsOf } from '../rows/days';
import { namesUsed } from '../layout/layout';
import { readBucket, type TimeUnit } from '../values/time-unit';

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
 * for every row of each view (docs/decisions/0039-the-first-screen.md).
 */
export class Buckets {
  private constructor(private readonly made: ReadonlyMap<string, Bucket>) {}

  /**
   * @param loaded the columns that are there already: none of them is made
   * @param expressions those that the pivot will be asked for, as far as that is known
   */
  static of(loaded: ArrowColumns, expressions: Expressions): Buckets {
    const made = new Map<string, Bucket>();
    for (const [name, text] of Object.entries(expressions)) {
      const bucket = readBucket(text);
      if (bucket && daysIn(loaded.get(bucket.date)) && !loaded.has(name))
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

  /** The expression that a column of the table stands for; undefined for one that was not made here. */
  textOf(name: string): string | undefined {
    return this.made.get(name)?.text;
  }

  /** Whether the table has a column in the place of an expression. */
  has(name: string, text: string): boolean {
    return this.textOf(name) === text;
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
    const used = namesUsed(layout);
    const made = [...this.made].filter(([name]) => used.has(name));
    if (made.length === 0) return layout;
    const texts = made.map(([name, { text }]) => [name, text]);
    return { ...layout, expressions: { ...layout.expressions, ...Object.fromEntries(texts) } };
  }
}
