/** Reads the files of the migrations folder. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One file of the migrations folder. */
export interface MigrationFile {
  filename: string;
  sql: string;
  /** First 16 hexadecimal characters of the SHA-256 of the file's bytes. */
  checksum: string;
  /**
   * The last migration of the oldest build that can go on working once this one is applied; null if
   * none before it can (docs/contract/16-migrations-and-calendar.md#while-servers-run).
   */
  standsSince: string | null;
}

/**
 * The project's migrations in the order in which they apply: by filename.
 * @throws if the folder cannot be read.
 */
export async function migrationFiles(): Promise<MigrationFile[]> {
  const folder = migrationsFolder();
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (filename) => {
      const bytes = await readFile(join(folder, filename));
      const sql = bytes.toString('utf8');
      return { filename, sql, checksum: checksum(bytes), standsSince: standsSince(sql) };
    }),
  );
}

/** What the first lines of a migration say: `-- Servers of builds since 011_replayed.sql can go on.` */
function standsSince(text: string): string | null {
  const [, filename = null] = /^-- Servers of builds since (\S+) can go on\.$/m.exec(text) ?? [];
  return filename;
}

function checksum(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

/**
 * The nearest `migrations` folder above this module: found from the sources and from the built
 * server alike, whatever the working directory is.
 */
function migrationsFolder(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let at = start; at !== dirname(at); at = dirname(at)) {
    const folder = join(at, 'migrations');
    if (existsSync(folder)) return folder;
  }
  throw new Error(`No migrations folder found above ${start}`);
}
