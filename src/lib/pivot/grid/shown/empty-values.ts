/** Records the columns and expressions that have empty values. */
import { encoded, hasEmpty, only, type ArrowColumns } from '../../rows/arrow-columns';
import { valueKey } from '../../values/cell-value';
import {
  type EngineTable,
  type Schema,
  type ViewConfig,
  withView,
} from '../../values/engine-types';
import type { Shown } from './shown';
import { readBucket } from '../../values/time-unit';
import { neededColumns } from '../../slice/underlying';

/** Records which columns and expressions have been empty in any row since the pivot was opened. */
export class EmptyValues {
  private readonly columns = new Set<string>();
  /** Texts of the expressions. */
  private readonly expressions = new Set<string>();

  constructor(
    private readonly table: EngineTable,
    private readonly schema: Schema,
    private readonly index: string,
    private readonly shown: Pick<Shown, 'reader' | 'ask'>,
  ) {}

  /** Records the loaded columns that are empty in any of these rows. */
  note(rows: ArrowColumns): void {
    for (const name of Object.keys(this.schema)) {
      if (hasEmpty(rows, name)) this.columns.add(name);
    }
  }

  /**
   * Records the expressions on screen that are empty for any of these new rows. A view that was opened before
   * the first empty value arrived does not show its group, so no view can be asked for it.
   */
  async noteExpressions(rows: ArrowColumns): Promise<void> {
    const { reader } = this.shown;
    if (!reader) return;
    for (const name of reader.expressions) {
      const text = reader.config.expressions[name] ?? '';
      if (this.expressions.has(text)) continue;
      const bucket = readBucket(text);
      // On an error, assume an empty value: recreating a view without need only costs time.
      const isEmpty = bucket
        ? hasEmpty(rows, bucket.date)
        : await this.isEmptyForAny(name, text, rows).catch(() => true);
      if (isEmpty) this.expressions.add(text);
    }
  }

  /** Checks whether any of these columns and expressions of the view has been empty in a row. */
  async amongAny(names: Iterable<string>): Promise<boolean> {
    const found = await Promise.all([...names].map((name) => this.has(name)));
    return found.some(Boolean);
  }

  private async has(name: string): Promise<boolean> {
    const { shown } = this;
    if (!shown.reader?.isExpression(name)) return this.columns.has(name);
    const text = shown.reader.config.expressions[name] ?? '';
    if (this.expressions.has(text)) return true;
    const { tuples } = await shown.ask((reader) => reader.underlyingValues(name));
    const isEmpty = tuples.some(({ value }) => value === valueKey(null));
    if (isEmpty) this.expressions.add(text);
    return isEmpty;
  }

  private async isEmptyForAny(name: string, text: string, rows: ArrowColumns): Promise<boolean> {
    const client = await this.table.get_client();
    // The key gives the number of rows if all needed columns are empty.
    const needed = new Set([this.index, ...(await neededColumns(this.table, text))]);
    const schema = Object.entries(this.schema).filter(([column]) => needed.has(column));
    const table = await client.table(Object.fromEntries(schema));
    try {
      await table.update(encoded(only(rows, needed)));
      const empty: Partial<ViewConfig> = {
        columns: [name],
        expressions: { [name]: text },
        filter: [[name, 'is null', null]],
      };
      return (await withView(table, empty, (view) => view.num_rows())) > 0;
    } finally {
      await table.delete();
    }
  }
}
