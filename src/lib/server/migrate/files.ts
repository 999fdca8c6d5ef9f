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
      return { filename, sql: bytes.toString('utf8'), checksum: checksum(bytes) };
    }),
  );
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
