/** Compares the migration files with the applied migrations of the database. */
import * as v from 'valibot';
import type { MigrationFile } from './files';

/** A row of pf.schema_version. */
export const AppliedMigration = v.object({
  filename: v.string(),
  checksum: v.string(),
  /** As the file said when it was applied. Databases that older builds have migrated do not have it. */
  standsSince: v.nullable(v.string()),
});
export type AppliedMigration = v.InferOutput<typeof AppliedMigration>;

/**
 * What the folder and the database say of each other (docs/contract/16-migrations-and-calendar.md).
 */
export interface MigrationPlan<File> {
  /** Every file with its state, by filename. */
  files: { file: File; state: 'applied' | 'pending' | 'modified' }[];
  /** Files to apply, in order. */
  pending: File[];
  /** Applied migrations that are not on disk. */
  missing: string[];
  /** Those of `missing` that keep a server from starting: no newer build has said that this one can go on. */
  blocking: string[];
  /** Why `up` must not run; empty if it may. */
  refusals: string[];
}

type NamedChecksum = Pick<MigrationFile, 'filename' | 'checksum' | 'standsSince'>;

/** Compares the migrations on disk with those applied; decides, and does nothing. */
export function planMigrations<File extends NamedChecksum>(
  onDisk: readonly File[],
  applied: readonly AppliedMigration[],
): MigrationPlan<File> {
  const checksums = new Map(applied.map((row) => [row.filename, row.checksum]));
  const names = new Set(onDisk.map((file) => file.filename));

  const files = [...onDisk]
    .sort((a, b) => compare(a.filename, b.filename))
    .map((file) => {
      const recorded = checksums.get(file.filename);
      if (recorded === undefined) return { file, state: 'pending' as const };
      const state = recorded === file.checksum ? ('applied' as const) : ('modified' as const);
      return { file, state };
    });
  const pending = files.filter((f) => f.state === 'pending').map((f) => f.file);
  const modified = files.filter((f) => f.state === 'modified').map((f) => f.file.filename);
  const ofBuild = files.at(-1)?.file.filename;
  /** Whether a build knew this database, with all of the build's own migrations, before a newer one came. */
  const isNewer = ({ filename, standsSince }: AppliedMigration) =>
    ofBuild !== undefined &&
    standsSince !== null &&
    compare(filename, ofBuild) > 0 &&
    compare(standsSince, ofBuild) <= 0;
  const unknown = applied.filter(({ filename }) => !names.has(filename));
  const sorted = (rows: readonly AppliedMigration[]) =>
    rows.map(({ filename }) => filename).sort(compare);
  const missing = sorted(unknown);
  const blocking = sorted(unknown.filter((row) => !isNewer(row)));
  const newest = sorted(applied).at(-1);
  const late = pending
    .map((file) => file.filename)
    .filter((filename) => newest !== undefined && compare(filename, newest) < 0);
  const wrong = pending.filter(
    ({ filename, standsSince }) =>
      standsSince !== null && (!names.has(standsSince) || compare(standsSince, filename) >= 0),
  );

  return {
    files,
    pending,
    missing,
    blocking,
    refusals: [
      ...modified.map(modifiedProblem),
      ...missing.map(missingProblem),
      ...wrong.map(
        ({ filename, standsSince }) =>
          `${filename} says that builds since ${standsSince} can go on, but there is no such migration before it`,
      ),
      ...late.map(
        (filename) =>
          `${filename} is pending but sorts before ${newest}, which is applied: ` +
          'give it a name that sorts last',
      ),
    ],
  };
}

/** Why a server must not serve on this schema; empty if it is current. */
export function planProblems(plan: MigrationPlan<NamedChecksum>): string[] {
  const inState = (state: string) =>
    plan.files.filter((f) => f.state === state).map((f) => f.file.filename);
  return [
    ...inState('pending').map((f) => `${f} is pending: apply it with "npm run migrate -- up"`),
    ...inState('modified').map(modifiedProblem),
    ...plan.blocking.map(missingProblem),
  ];
}

function modifiedProblem(filename: string): string {
  return `${filename} was modified after it was applied: restore it, and put the change in a new migration`;
}

/** Says that an applied migration is missing on disk. */
export function missingProblem(filename: string): string {
  return `${filename} is applied but missing from the migrations folder: restore it`;
}

/** By code unit, as the runner applies them; a locale would order them differently elsewhere. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
