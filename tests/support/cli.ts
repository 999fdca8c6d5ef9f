import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../../src/cli/prepare.js';
import { bareEnvironment, databaseEnvironment } from '../../src/demo/server';
import type { DatabaseConfig } from '../../src/lib/server/config';

/** The exit code and output of a command. */
export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** The database of its environment; none if left out. */
  database?: DatabaseConfig;
  env?: Record<string, string>;
  /** The project folder if left out. */
  cwd?: string;
}

/** Runs a command until it ends. Its environment has no variables of the service except the given ones. */
export function run(command: string, args: string[], options: RunOptions = {}): Promise<Run> {
  const { database, env, cwd = PROJECT } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...bareEnvironment(), ...(database && databaseEnvironment(database)), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const written = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => (written.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (written.stderr += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...written }));
  });
}

/** Runs a built command in the same way as its npm script. */
export function cli(name: string, args: string[], options: RunOptions = {}): Promise<Run> {
  return run(process.execPath, ['bin/command.js', name, ...args], options);
}

/** A copy of the deployed files, whose migrations a test may change. */
export interface ProjectCopy {
  folder: string;
  write(migration: string, sql: string): void;
  remove(migration: string): void;
  dispose(): void;
}

/** @param parts the parts of the build to copy: the commands, or everything with the server */
export function copyProject(parts: 'build/cli' | 'build' = 'build/cli'): ProjectCopy {
  const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-copy-'));
  for (const path of ['bin', parts, 'migrations', 'package.json'])
    cpSync(join(PROJECT, path), join(folder, path), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    write: (migration, sql) => writeFileSync(join(folder, 'migrations', migration), sql),
    remove: (migration) => rmSync(join(folder, 'migrations', migration)),
    dispose: () => rmSync(folder, { recursive: true }),
  };
}
