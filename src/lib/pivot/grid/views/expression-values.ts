/** The source values behind the values of an expression. */
import { neededColumns, type Underlying } from '../../slice/underlying';
import { valueKey } from '../../values/cell-value';
import type { CellValue, EngineTable, ViewConfig } from '../../values/engine-types';
import { readBucket, startOf, type TimeUnit } from '../../values/time-unit';
import { readToDate, type ToDate, toDateValue } from '../../values/to-date';
import { Answers } from '../../waiting';
import type { BesideTable } from './beside';
import { OwnViews } from './own-views';

/**
 * The source values behind the values of an expression, in all rows of a table. The days of a month, and those to date,
 * are known without the engine; other expressions need a view each.
 */
export class ExpressionValues {
  private readonly answers = new Answers<Underlying>();
  private readonly views = new OwnViews();

  constructor(
    private readonly table: EngineTable,
    private readonly expressions: ViewConfig['expressions'],
    private readonly beside: Pick<BesideTable, 'daysOf'>,
  ) {}

  /** Returns the source values of one expression. */
  of(expression: string): Promise<Underlying> {
    return this.answers.get(expression, () => this.read(expression));
  }

  /** Returns the source values of some expressions, by expression name. */
  async ofAll(names: readonly string[]): Promise<Map<string, Underlying>> {
    return new Map(
      await Promise.all(names.map(async (name) => [name, await this.of(name)] as const)),
    );
  }

  /** Returns the days behind the values of a column that follows from a date, such as a fiscal month. */
  ofPeriod(column: string, date: string): Promise<Underlying> {
    return this.answers.get(column, () => this.grouped(column, [date]));
  }

  /** Clears the cached values after rows came or went. The views follow the table by themselves. */
  forget(): void {
    this.answers.forget();
  }

  /** Deletes the views. */
  dispose(): Promise<void> {
    return this.views.dispose();
  }

  private async read(expression: string): Promise<Underlying> {
    const text = this.expressions[expression] ?? '';
    const bucket = readBucket(text);
    const days = bucket && this.beside.daysOf(bucket.date);
    if (bucket && days) return inUnits(bucket.date, days, bucket.unit);
    const toDate = readToDate(text);
    const allDays = toDate && this.beside.daysOf(toDate.date);
    if (toDate && allDays) return toDateOrToGo(toDate, allDays);
    return this.grouped(expression, await neededColumns(this.table, text));
  }

  /** Reads the values of a column or an expression, each with the values of other columns beside it. */
  private async grouped(name: string, columns: readonly string[]): Promise<Underlying> {
    const view = await this.views.open(name, () =>
      this.table.view({
        group_by: [name, ...columns],
        columns: [],
        expressions: { ...this.expressions },
      }),
    );
    const rows = await this.views.read(view);
    const tuples = (rows.paths ?? [])
      .filter((path) => path.length === columns.length + 1)
      .map(([value = null, ...tuple]) => ({ value: valueKey(value), tuple }));
    return { columns, tuples };
  }
}

/** Groups days by the unit of time that contains them. */
const inUnits = (date: string, days: readonly CellValue[], unit: TimeUnit): Underlying => ({
  columns: [date],
  tuples: days.map((day) => ({
    value: valueKey(typeof day === 'number' ? startOf(day, unit) : null),
    tuple: [day],
  })),
});

const toDateOrToGo = (toDate: ToDate, days: readonly CellValue[]): Underlying => ({
  columns: [toDate.date],
  tuples: days.map((day) => ({ value: valueKey(toDateValue(toDate, day)), tuple: [day] })),
});
