import { describe, expect, it } from 'vitest';
import { planMigrations, planProblems } from './plan';

const file = (
  filename: string,
  checksum = `sum of ${filename}`,
  standsSince: string | null = null,
) => ({ filename, checksum, standsSince });
const names = (files: { filename: string }[]) => files.map((f) => f.filename);

describe('the migration plan', () => {
  it('applies pending migrations, by filename', () => {
    const plan = planMigrations(
      [file('003_c.sql'), file('002_b.sql'), file('001_a.sql')],
      [file('001_a.sql')],
    );
    expect(names(plan.pending)).toEqual(['002_b.sql', '003_c.sql']);
    expect(plan.refusals).toEqual([]);
  });

  it('orders by code unit, whatever the locale', () => {
    const plan = planMigrations([file('010_a.sql'), file('002_Z.sql'), file('002_a.sql')], []);
    expect(names(plan.pending)).toEqual(['002_Z.sql', '002_a.sql', '010_a.sql']);
  });

  it('refuses a migration that was modified after it was applied', () => {
    const plan = planMigrations([file('001_a.sql', 'new')], [file('001_a.sql', 'old')]);
    expect(plan.files).toEqual([{ file: file('001_a.sql', 'new'), state: 'modified' }]);
    expect(plan.refusals).toEqual([expect.stringContaining('001_a.sql was modified')]);
  });

  it('refuses where an applied migration is missing from disk', () => {
    const plan = planMigrations([file('001_a.sql')], [file('001_a.sql'), file('002_b.sql')]);
    expect(plan.missing).toEqual(['002_b.sql']);
    expect(plan.refusals).toEqual([expect.stringContaining('002_b.sql is applied but missing')]);
  });

  it('lets servers start on a migration of a newer build that says so, and the runner refuse it', () => {
    const onDisk = [file('001_a.sql'), file('002_b.sql')];
    const third = (since: string | null) => [...onDisk, file('003_c.sql', 'sum', since)];
    for (const since of ['001_a.sql', '002_b.sql']) {
      const plan = planMigrations(onDisk, third(since));
      expect([plan.missing, plan.blocking]).toEqual([['003_c.sql'], []]);
      expect(planProblems(plan)).toEqual([]);
      expect(plan.refusals).toEqual([expect.stringContaining('003_c.sql is applied but missing')]);
    }
    for (const since of [null, '003_a.sql']) {
      const plan = planMigrations(onDisk, third(since));
      expect([plan.missing, plan.blocking]).toEqual([['003_c.sql'], ['003_c.sql']]);
    }
    // A file that this build should have is missing, whatever it says.
    const late = [file('001_a.sql'), file('001_b.sql', 'sum', '001_a.sql'), file('002_b.sql')];
    expect(planMigrations(onDisk, late).blocking).toEqual(['001_b.sql']);
  });

  it('refuses a migration that names no earlier one as the last of builds that go on', () => {
    for (const since of ['002_b.sql', '000_none.sql']) {
      const plan = planMigrations([file('001_a.sql'), file('002_b.sql', 'sum', since)], []);
      expect(plan.refusals).toEqual([expect.stringContaining(`builds since ${since} can go on`)]);
    }
    const good = planMigrations([file('001_a.sql'), file('002_b.sql', 'sum', '001_a.sql')], []);
    expect(good.refusals).toEqual([]);
  });

  it('refuses a pending migration that sorts before an applied one', () => {
    const plan = planMigrations([file('001_a.sql'), file('002_b.sql')], [file('002_b.sql')]);
    expect(plan.refusals).toEqual([expect.stringContaining('001_a.sql is pending but sorts')]);
  });

  it('reports every problem at once', () => {
    const plan = planMigrations(
      [file('001_a.sql', 'new'), file('002_b.sql')],
      [file('001_a.sql', 'old'), file('003_c.sql')],
    );
    expect(planProblems(plan)).toEqual([
      expect.stringContaining('002_b.sql is pending'),
      expect.stringContaining('001_a.sql was modified'),
      expect.stringContaining('003_c.sql is applied but missing'),
    ]);
  });
});
