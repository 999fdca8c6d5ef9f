/** The engine's table as the pivot uses it. */
import type { Buckets } from './buckets';
import { columnsNeeded } from '../layout/columns-needed';
import type {
  EngineClient,
  EngineTable,
  Schema,
  Table,
  View,
  ViewConfig,
} from '../values/engine-types';

/**
 * The engine's table as the pivot uses it. Callers can ask for a view without knowing which columns the
 * engine has already, or which expressions are bucket columns.
 */
export class PivotTable implements EngineTable {
  /** An empty table of all columns, used to validate expressions. */
  private probe: Promise<Table> | null = null;

  /**
   * @param whole the types of all columns, including bucket columns
   * @param index the column that indexes the rows
   * @param current returns the engine's table, which has some of the columns
   * @param bring loads columns into that table
   */
  constructor(
    private readonly whole: Schema,
    private readonly index: string,
    private readonly buckets: Buckets,
    private readonly current: () => Table,
    private readonly bring: (names: readonly string[]) => Promise<unknown>,
  ) {}

  schema(): Promise<Schema> {
    return Promise.resolve(this.buckets.loaded(this.whole));
  }

  async view({ expressions, ...others }: Partial<ViewConfig> = {}): Promise<View> {
    const config = {
      ...others,
      ...(expressions && { expressions: this.buckets.without(expressions) }),
    };
    await this.bring(columnsNeeded(config, this.whole));
    return this.current().view(config);
  }

  async validate_expressions(
    expressions: Record<string, string>,
  ): ReturnType<Table['validate_expressions']> {
    const probe = await this.probing();
    const checked = await probe.validate_expressions(this.buckets.without(expressions));
    const made = Object.keys(this.buckets.among(expressions));
    const dates = Object.fromEntries(made.map((name) => [name, 'date' as const]));
    return { expression_schema: { ...checked.expression_schema, ...dates } };
  }

  private probing(): Promise<Table> {
    this.probe ??= this.get_client().then((client) =>
      client.table(this.whole, { index: this.index }),
    );
    this.probe.catch(() => (this.probe = null));
    return this.probe;
  }

  get_index(): Promise<string | undefined> {
    return Promise.resolve(this.index);
  }

  get_client(): Promise<EngineClient> {
    return this.current().get_client();
  }

  async delete(): Promise<void> {
    await this.probe?.then((probe) => probe.delete()).catch(() => undefined);
    await this.current().delete();
  }
}
