import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../../../src/cli/prepare.js';
import { count, putSections, table, time } from '../document';
import type { CrowdFigures } from './planners';
import type { RowsFigures } from './rows';

/** All figures. */
export interface Figures {
  rows: RowsFigures[];
  crowds: CrowdFigures[];
}

const FIGURES = join(PROJECT, 'docs/scale.json');

export const readFigures = (): Figures =>
  existsSync(FIGURES) ? JSON.parse(readFileSync(FIGURES, 'utf8')) : { rows: [], crowds: [] };

/** Writes the figures so far, because a run may end early. */
export const writeFigures = (figures: Figures): void =>
  writeFileSync(FIGURES, `${JSON.stringify(figures, null, 2)}\n`);

const WAYS: readonly [keyof RowsFigures & string, string][] = [
  ['load', 'baseline load'],
  ['read', '`/agg`, not cached'],
  ['unchanged', '`/agg`, cached, unchanged'],
  ['oneAdded', '`/agg`, cached, after one operation'],
  ['log', 'log, not cached'],
  ['logKept', 'log, cached, after one operation'],
  ['few', 'scale of 1,000 leaves'],
  ['scale', 'scale of 10,000 leaves'],
  ['recode', 'recode of 10,000 leaves'],
  ['clone', 'clone of 10,000 leaves'],
  ['undo', 'undo of one of them'],
];

const of = (figures: RowsFigures, way: string): number => figures[way as 'load'];

/**
 * Returns the regression line through the measurements, with time = a + b × rows. Each size has the same
 * weight; otherwise the large ones would hide the small ones.
 */
function fitted(points: readonly { rows: number; ms: number }[]): { a: number; b: number } {
  const weights = points.map(({ ms }) => 1 / ms ** 2);
  const sum = (value: (at: number) => number) =>
    weights.reduce((total, weight, at) => total + weight * value(at), 0);
  const rows = (at: number) => points[at]!.rows;
  const ms = (at: number) => points[at]!.ms;
  const all = sum(() => 1);
  const meanRows = sum(rows) / all;
  const meanMs = sum(ms) / all;
  const b =
    sum((at) => (rows(at) - meanRows) * (ms(at) - meanMs)) /
    sum((at) => (rows(at) - meanRows) ** 2);
  return { a: meanMs - b * meanRows, b };
}

/** Returns the times by rows of local or distributed versions. */
function costs(figures: readonly RowsFigures[]): string {
  const sizes = figures.map(({ rows }) => rows);
  const largest = Math.max(...sizes);
  const beyond = [100_000_000, 300_000_000].filter((rows) => rows > largest);
  const head = ['', ...sizes.map(count), ...beyond.map((rows) => `_${count(rows)}, fitted_`)];
  const measured = WAYS.filter(([way]) => figures.every((each) => each[way] !== null));
  const rows = measured.map(([way, words]) => {
    const line = fitted(figures.map((each) => ({ rows: each.rows, ms: of(each, way) })));
    const times = figures.map((each) => time(of(each, way)));
    // With two sizes, any line fits. A time that varies more than it grows has no line.
    const isLine = figures.length > 2 && of(figures.at(-1)!, way) > 2 * of(figures[0]!, way);
    const expected = beyond.map((at) => (isLine ? `_${time(line.a + line.b * at)}_` : ''));
    return [words, ...times, ...expected];
  });
  const memory = (process: 'server' | 'postgres') => [
    `memory of ${process === 'server' ? 'a server' : 'a PostgreSQL process'}, at most`,
    ...figures.map(({ peak }) => `${count(peak[process])} MB`),
    ...beyond.map(() => ''),
  ];
  return table(head, [...rows, memory('server'), memory('postgres')]);
}

/** Returns the times of distributed versions divided by those of local ones. */
function ratios(figures: readonly RowsFigures[]): string {
  const distributed = figures.filter(({ shards }) => shards !== null);
  const local = (rows: number) => figures.find((f) => f.rows === rows && f.shards === null);
  return table(
    ['time distributed ÷ time local', ...distributed.map(({ rows }) => count(rows))],
    WAYS.filter(([way]) => distributed.every((each) => each[way] !== null)).map(([way, words]) => [
      words,
      ...distributed.map((each) => {
        const beside = local(each.rows);
        return beside ? (of(each, way) / of(beside, way)).toFixed(1) : '';
      }),
    ]),
  );
}

const crowds = (figures: readonly CrowdFigures[]): string =>
  table(
    [
      'planners',
      'versions',
      'writes',
      'failed',
      'write: median',
      'p99',
      'until a page shows it: median',
      'p99',
      'server, of one core',
      'everything, of the machine',
    ],
    figures.map((each) => [
      count(each.planners),
      count(each.versions),
      count(each.writes),
      count(each.failures),
      time(each.write.median),
      time(each.write.p99),
      time(each.follow.median),
      time(each.follow.p99),
      `${Math.round(each.serverBusy * 100)} %`,
      `${Math.round(each.machineBusy * 100)} %`,
    ]),
  );

function sections({ rows, crowds: people }: Figures): Record<string, string> {
  const local = rows.filter(({ shards }) => shards === null);
  const distributed = rows.filter(({ shards }) => shards !== null);
  const memory = Math.round(totalmem() / 2 ** 30);
  const machine = `Measured on ${cpus().length} cores with ${memory} GB, Node ${process.versions.node}; clients, service and databases share them.`;
  return {
    machine,
    ...(local.length > 0 && { local: costs(local) }),
    ...(distributed.length > 0 && { distributed: costs(distributed), ratios: ratios(rows) }),
    ...(people.length > 0 && { crowds: crowds(people) }),
  };
}

/**
 * Writes the tables into the document.
 *
 * @throws Error if a mark is missing
 */
export const writeDocument = (figures: Figures): Promise<void> =>
  putSections('scale.md', sections(figures));
