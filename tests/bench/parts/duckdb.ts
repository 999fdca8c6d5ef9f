import type { DatabaseConfig } from '../../../src/lib/server/config';

/** The part of `@duckdb/node-api` in use. It is not a dependency, because its size is 70 MB. */
interface DuckDb {
  DuckDBInstance: {
    create(path: string): Promise<{ connect(): Promise<{ run(sql: string): Promise<unknown> }> }>;
  };
}

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

/**
 * DuckDB's PostgreSQL reader, which copies the rows of a select into columns.
 *
 * @returns a function that copies them once
 * @throws Error if the package is not installed, or its extension cannot be downloaded
 */
export async function rowsInDuckDb(
  { host, port, database, user, password }: DatabaseConfig,
  select: string,
): Promise<() => Promise<unknown>> {
  const { DuckDBInstance } = await installed();
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run('INSTALL postgres; LOAD postgres');
  const at = `host=${host} port=${port} dbname=${database} user=${user} password=${password}`;
  await connection.run(`ATTACH ${text(at)} AS plan (TYPE postgres, READ_ONLY)`);
  const rows = `SELECT * FROM postgres_query('plan', ${text(select)})`;
  return () => connection.run(`CREATE OR REPLACE TEMP TABLE rows AS ${rows}`);
}

async function installed(): Promise<DuckDb> {
  const name = '@duckdb/node-api';
  try {
    return (await import(name)) as DuckDb;
  } catch (cause) {
    throw new Error(
      `${name} is not installed; its PostgreSQL reader is not an npm package but a download.`,
      { cause },
    );
  }
}
