import type { Buckets } from './buckets';
import type { EngineClient, ReadTable, Schema, Table, View, ViewConfig } from './engine-types';

/**
 * The engine's table as the pivot speaks of it: with expressions in the place of the columns that were made
 * of dates. Whoever asks it for a view need not know which of its expressions are columns.
 */
export class PivotTable implements ReadTable {
  constructor(
    /** The table with all its columns. */
    readonly whole: Table,
    private readonly buckets: Buckets,
  ) {}

  async schema(): Promise<Schema> {
    return this.buckets.loaded(await this.whole.schema());
  }

  view(config: Partial<ViewConfig> = {}): Promise<View> {
    const { expressions, ...others } = config;
    return this.whole.view({
      ...others,
      ...(expressions && { expressions: this.buckets.without(expressions) }),
    });
  }

  async validate_expressions(
    expressions: Record<string, string>,
  ): ReturnType<Table['validate_expressions']> {
    const checked = await this.whole.validate_expressions(this.buckets.without(expressions));
    const made = Object.keys(this.buckets.among(expressions));
    const dates = Object.fromEntries(made.map((name) => [name, 'date' as const]));
    return { expression_schema: { ...checked.expression_schema, ...dates } };
  }

  get_index(): Promise<string | undefined> {
    return this.whole.get_index();
  }

  get_client(): Promise<EngineClient> {
    return this.whole.get_client();
  }

  delete(): Promise<void> {
    return this.whole.delete();
  }
}
