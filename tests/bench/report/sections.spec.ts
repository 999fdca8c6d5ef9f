import { describe, expect, it } from 'vitest';
import type { Figures, Machine, PartFigures } from './figures';
import { sections } from './sections';

const MACHINE: Machine = {
  cores: 2,
  cpu: 'A processor',
  memoryGb: 24,
  load: 0.12,
  node: '20.20.2',
  postgres: '15.18',
  chromium: null,
  engine: '3.8.0',
};

const measured = (part: Partial<PartFigures>): PartFigures => ({
  began: '2026-11-23T01:02:03.000Z',
  seconds: 61.4,
  machine: MACHINE,
  turns: {},
  values: {},
  missing: {},
  failure: null,
  ...part,
});

const reads = (rows: number, service: number[]): Figures => ({
  read: measured({
    turns: {
      data: { rows, ways: { psql: [1000, 1010, 990], 'the service': service } },
    },
  }),
});

const lineOf = (text: string | undefined, words: string): string =>
  text?.split('\n').find((line) => line.includes(words)) ?? '';

describe('targets', () => {
  it('are met by a figure within the limit', () => {
    const line = lineOf(
      sections(reads(1_000_000, [995, 990, 5000])).targets,
      '`GET /data`, not cached',
    );
    expect(line).toMatch(/\| 0\.99 \| 1,000,000 \| met \|$/);
  });

  it('are not met by one beyond it, however small the difference', () => {
    const line = lineOf(
      sections(reads(1_000_000, [1001, 1001, 1001])).targets,
      '`GET /data`, not cached',
    );
    expect(line).toMatch(/\| 1\.00 \| 1,000,000 \| \*\*not met\*\* \|$/);
  });

  it('can be lower bounds', () => {
    const objects = (times: number[]): Figures => ({
      read: measured({
        turns: { data: { rows: 1e6, ways: { 'the service': [100], 'row objects': times } } },
      }),
    });
    expect(lineOf(sections(objects([799])).targets, 'row objects')).toContain('| **not met** |');
    expect(lineOf(sections(objects([800])).targets, 'row objects')).toContain('| met |');
  });

  it('are neither met nor missed with too few rows, or without a measurement', () => {
    const { targets, summary } = sections(reads(999_999, [1, 1, 1]));
    expect(lineOf(targets, '`GET /data`, not cached')).toContain('measured on too few rows');
    expect(lineOf(targets, 'the tenth scale')).toMatch(/\| +\| +\| not measured \|$/);
    expect(summary).toMatch(/^Of \d+ targets, 0 are met and 0 are not, \d+ not measured/);
  });
});

describe('a part', () => {
  it('shows medians and their spread, relative to the first way', () => {
    const { read } = sections(reads(1_000_000, [1500, 1400, 2600]));
    expect(read).toContain('| the service | 1.5 s | 1.4 s | 2.6 s | 1.50 |');
    expect(read).toContain('2 cores (A processor), 24 GB, Node 20.20.2, PostgreSQL 15.18; load');
  });

  it('shows missing references, and why it ended', () => {
    const { read, cache } = sections({
      read: measured({ missing: { DuckDB: 'It could not be reached.' }, failure: 'no disk' }),
    });
    expect(read).toContain('Not measured: DuckDB. It could not be reached.');
    expect(read).toContain('It ended early, so what should follow is missing: no disk');
    expect(cache).toBe('Not measured yet.');
  });
});

it('has one table for sizes and one for entries', () => {
  const { growth } = sections({
    growth: measured({
      turns: {
        a: { rows: 10_000, ways: { cold: [20], cached: [3] } },
        b: { rows: 100_000, ways: { cold: [200], cached: [10] } },
        c: { rows: 5, entries: 1000, ways: { cold: [70] } },
      },
    }),
  });
  expect(growth).toContain('| rows of one entry | 10,000 | 100,000 |');
  expect(growth).toContain('| cold | 20 ms | 200 ms |');
  expect(growth).toContain('| entries | 1,000 |');
});
