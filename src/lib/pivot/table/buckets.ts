/** Bucket columns: dates grouped by month, quarter or year. */
import type { Layout } from '../../contract/stored-layout';
import type { ArrowColumns } from '../rows/arrow-columns';
import { daysIn, startsOf } from '../rows/days';
import { namesUsed } from '../layout/layout';
import { readBucket, type TimeUnit } from '../values/time-unit';

type Expressions = Readonly<Record<string, string>>;

/** The date that a bucket column groups, and its unit of time. */
interface Bucket {
  date: string;
  unit: TimeUnit;
  /** The equivalent expression. */
  text: string;
}

/**
 * Bucket columns: dates grouped by month, quarter or year, as columns of the table. Layouts and URLs still
 * use expressions; the engine gets a column instead, because it computes an expression for every row of each
 * view (docs/decisions/0039-the-first-screen.md).
 */
export class Buckets {
  private constructor(private readonly made: ReadonlyMap<string, Bucket>) {}

  /**
   * @param loaded the existing columns; no bucket column takes one of their names
   * @param expressions the known expressions that the pivot will be asked for
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

  /** Returns rows with the bucket columns added; a date that the rows do not have adds none. */
  extend(columns: ArrowColumns): ArrowColumns {
    const extended = new Map(columns);
    for (const [name, { date, unit }] of this.made) {
      const starts = startsOf(columns.get(date), unit);
      if (starts) extended.set(name, starts);
    }
    return extended;
  }

  /** Returns the expression that a bucket column stands for; undefined for any other column. */
  textOf(name: string): string | undefined {
    return this.made.get(name)?.text;
  }

  /** Checks whether the table has a bucket column for an expression. */
  has(name: string, text: string): boolean {
    return this.textOf(name) === text;
  }

  /** Returns a record by column without the bucket columns. */
  loaded<T>(byColumn: Readonly<Record<string, T>>): Record<string, T> {
    return Object.fromEntries(Object.entries(byColumn).filter(([name]) => !this.made.has(name)));
  }

  /** Returns the expressions that are not bucket columns of the table. */
  without(expressions: Expressions): Record<string, string> {
    return Object.fromEntries(
      Object.entries(expressions).filter(([name, text]) => !this.has(name, text)),
    );
  }

  /** Returns the expressions that are bucket columns of the table. */
  among(expressions: Expressions): Record<string, string> {
    return Object.fromEntries(
      Object.entries(expressions).filter(([name, text]) => this.has(name, text)),
    );
  }

  /**
   * Converts a layout of the engine to one for the page: the bucket columns that it uses become expressions
   * again.
   */
  named(layout: Layout): Layout {
    const used = namesUsed(layout);
    const made = [...this.made].filter(([name]) => used.has(name));
    if (made.length === 0) return layout;
    const texts = made.map(([name, { text }]) => [name, text]);
    return { ...layout, expressions: { ...layout.expressions, ...Object.fromEntries(texts) } };
  }
}
