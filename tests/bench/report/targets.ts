import { median } from '../measure';
import type { Figures, PartFigures, Value } from './figures';

/** A performance target of the service. */
export interface Target {
  words: string;
  part: string;
  /** Minimum number of rows of a valid measurement. */
  rows: number;
  /** Whether the limit is a maximum or a minimum. */
  bound: 'at most' | 'at least';
  limit: number;
  /** The unit, written after the figure and the limit. */
  unit: string;
  /** @returns undefined if it was not measured */
  figure(part: PartFigures): Value | undefined;
}

export type Verdict = 'met' | 'not met' | 'too few rows' | 'not measured';

/**
 * Returns the median of one way divided by the sum of the medians of others that were measured alternately
 * with it.
 */
export const ratioOf =
  (turns: string, way: string, ...others: string[]) =>
  (part: PartFigures): Value | undefined => {
    const measured = part.turns[turns];
    const times = [way, ...others].map((name) => median(measured?.ways[name] ?? []));
    const [took = NaN, ...beside] = times;
    const value = took / beside.reduce((sum, each) => sum + each, 0);
    return measured && Number.isFinite(value) ? { rows: measured.rows, value } : undefined;
  };

const medianOf =
  (turns: string, way: string) =>
  (part: PartFigures): Value | undefined => {
    const measured = part.turns[turns];
    const value = median(measured?.ways[way] ?? []);
    return measured && Number.isFinite(value) ? { rows: measured.rows, value } : undefined;
  };

const valueOf = (name: string) => (part: PartFigures) => part.values[name];

const MILLION = 1_000_000;
const atMost = (limit: number, unit: string) => ({ bound: 'at most' as const, limit, unit });
const atLeast = (limit: number, unit: string) => ({ bound: 'at least' as const, limit, unit });

/** The service's targets, in the order of the document. */
export const TARGETS: readonly Target[] = [
  {
    words: '`GET /data`, not cached, through HTTP to the last byte',
    part: 'read',
    rows: MILLION,
    ...atMost(1, '× `psql`, COPY BINARY of the same select'),
    figure: ratioOf('data', 'the service', 'psql'),
  },
  {
    words: 'row objects, `tableFromArrays`',
    part: 'read',
    rows: MILLION,
    ...atLeast(8, '× the service'),
    figure: ratioOf('data', 'row objects', 'the service'),
  },
  {
    words: 'memory of a load, at most',
    part: 'read',
    rows: MILLION,
    ...atMost(6, '× its answer'),
    figure: valueOf('memory'),
  },
  {
    words: 'other requests while rows are loaded, p99',
    part: 'read',
    rows: MILLION,
    ...atMost(25, 'ms more than idle'),
    figure: valueOf('others'),
  },
  ...['four regions of five', 'one region of five'].map((territory) => ({
    words: `\`GET /data\` of a person who reads ${territory}, not cached`,
    part: 'read',
    rows: MILLION / 4,
    ...atMost(1.2, '× as many rows without territories'),
    figure: ratioOf(territory, 'a territory', 'as many rows without'),
  })),
  {
    words: '`GET /data`, unchanged',
    part: 'cache',
    rows: MILLION,
    ...atMost(0.15, '× not cached'),
    figure: ratioOf('data', 'unchanged', 'not cached'),
  },
  {
    words: '`GET /data`, unchanged, with the rows at the client: 304',
    part: 'cache',
    rows: MILLION,
    ...atMost(0.15, '× not cached'),
    figure: ratioOf('data', 'unchanged (304)', 'not cached'),
  },
  {
    words: '`GET /data`, after one more entry',
    part: 'cache',
    rows: MILLION,
    ...atMost(0.15, '× not cached'),
    figure: ratioOf('data', 'one entry added', 'not cached'),
  },
  {
    words: '`GET /agg`, to 96,000 groups, not cached',
    part: 'cache',
    rows: 5 * MILLION,
    ...atMost(1.15, '× the bare SQL'),
    figure: ratioOf('agg', 'not cached', 'the bare SQL'),
  },
  {
    words: '`GET /agg`, after one more entry',
    part: 'cache',
    rows: 5 * MILLION,
    ...atMost(0.12, '× not cached'),
    figure: ratioOf('agg', 'one entry added', 'not cached'),
  },
  ...['scale', 'recode', 'clone'].map((operation) => ({
    words: `${operation} of 10,000 leaves`,
    part: 'operations',
    rows: MILLION,
    ...atMost(1.3, '× the same statement in `psql`'),
    figure: ratioOf(operation, 'the service', 'psql'),
  })),
  {
    words: 'scale of 500 rows among all rows',
    part: 'operations',
    rows: MILLION,
    ...atMost(3, '× the same among 10,000 rows'),
    figure: ratioOf('small slice', 'among all rows', 'among 10,000 rows'),
  },
  {
    words: 'the tenth scale of the same slice',
    part: 'operations',
    rows: MILLION,
    ...atMost(1.2, '× the first'),
    figure: ratioOf('again', 'the tenth', 'the first'),
  },
  {
    words: 'rows written by each of these scales',
    part: 'operations',
    rows: MILLION,
    ...atMost(1, '× the leaves'),
    figure: valueOf('grown'),
  },
  {
    words: 'sixty totals over all rows, in one entry',
    part: 'operations',
    rows: 290_000,
    ...atMost(1.5, '× one scale of the same rows'),
    figure: ratioOf('pasted', '60 totals', 'one scale'),
  },
  {
    words: 'undo of an entry of 100,000 rows',
    part: 'operations',
    rows: MILLION,
    ...atMost(1.3, '× the bare delete'),
    figure: ratioOf('undo', 'the service', 'a bare delete'),
  },
  ...(
    [
      ['14 columns', 500_000, 1.5],
      ['49 columns', 120_000, 2],
    ] as const
  ).map(([turns, rows, limit]) => ({
    words: `scale of all leaves, ${turns}`,
    part: 'whole',
    rows,
    ...atMost(limit, '× a bare insert that answers as many rows'),
    figure: ratioOf(turns, 'the service', 'a bare insert'),
  })),
  ...(
    [
      ['55 columns', 'many columns', 350_000],
      ['invoice lines', 'invoice lines', 541_909],
    ] as const
  ).map(([words, turns, rows]) => ({
    words: `the page, ${words}: from the last byte to the painted pivot`,
    part: 'open',
    rows,
    ...atMost(1.25, '× the engine loading the same bytes, with the same view'),
    figure: ratioOf(turns, 'last byte to pivot', 'the engine alone'),
  })),
  {
    words: 'the page: from the click to its request, warm',
    part: 'open',
    rows: 350_000,
    ...atMost(200, 'ms'),
    figure: medianOf('many columns', 'click to request'),
  },
  {
    words: 'the page, invoice lines: the longest task of its thread after the first screen',
    part: 'open',
    rows: 541_909,
    ...atMost(200, 'ms'),
    figure: valueOf('longest task, invoice lines'),
  },
  {
    words: 'the page: a scale of all leaves, from the click to the new sums',
    part: 'change',
    rows: 500_000,
    ...atMost(2, "× the statement in `psql` and the engine's own update"),
    figure: ratioOf('all leaves', 'click to number', 'the statement', 'the engine alone'),
  },
  {
    words: 'the page, 55 columns: a scale of all leaves, from the click to the new sums',
    part: 'change',
    rows: 350_000,
    ...atMost(2, "× a bare insert and the engine's own update"),
    figure: ratioOf(
      'all leaves, 55 columns',
      'click to number',
      'a bare insert',
      'the engine alone',
    ),
  },
  {
    words: 'the page: memory after ten scales of all leaves and undos',
    part: 'change',
    rows: 500_000,
    ...atMost(1.2, '× after one'),
    figure: valueOf('memory, all leaves'),
  },
  {
    words: 'the page: the longest task of its thread in such scales and undos',
    part: 'change',
    rows: 500_000,
    ...atMost(200, 'ms'),
    figure: valueOf('longest task, all leaves'),
  },
  {
    words: "the page: from an operation's answer to the new sums",
    part: 'change',
    rows: MILLION,
    ...atMost(1.2, "× the engine's own update"),
    figure: ratioOf('a slice', 'answer to new sums', 'the engine alone'),
  },
  {
    words: "the page: from an operation's answer to the new sums, after undos",
    part: 'change',
    rows: MILLION,
    ...atMost(1.2, "× the engine's own update after undos"),
    figure: ratioOf('after undos', 'answer to new sums', 'the engine alone'),
  },
  ...(
    [
      ['a column that the engine has', 'the engine alone', "× the engine's own view"],
      ['a new column', 'the engine alone, with the load', "× the engine's own load and view"],
    ] as const
  ).map(([way, alone, unit]) => ({
    words: `the page: a change of grouping to ${way}, to the painted rows`,
    part: 'grouping',
    rows: 1_500_000,
    ...atMost(1.2, unit),
    figure: ratioOf('grouping', way, alone),
  })),
  {
    words: 'the page: from the click to the pivot, with three attributes of 20,000 products',
    part: 'lookups',
    rows: 500_000,
    ...atMost(1.15, '× without lookups'),
    figure: ratioOf('opening with a lookup', 'with three attributes', 'without lookups'),
  },
  {
    words: 'the page: a change of grouping to an attribute, to the painted rows',
    part: 'lookups',
    rows: 500_000,
    ...atMost(1.1, '× to a column'),
    figure: ratioOf('grouping by an attribute', 'an attribute', 'a column'),
  },
  {
    words: 'a refresh of a load, 500 of whose rows have changed',
    part: 'refresh',
    rows: MILLION,
    ...atMost(1.5, '× the two reads by leaf that it needs'),
    figure: ratioOf('refresh', 'refresh', 'the source, by leaf', 'the rows of the load, by leaf'),
  },
  {
    words: 'the same refresh',
    part: 'refresh',
    rows: MILLION,
    ...atMost(1.5, '× one bare read that compares both by leaf'),
    figure: ratioOf('refresh', 'refresh', 'both, compared by leaf'),
  },
  {
    words: 'rows that a page loads after it',
    part: 'refresh',
    rows: MILLION,
    ...atMost(1, '× the leaves that have changed'),
    figure: valueOf('rows'),
  },
];

/** Judges a target by its figure, if that was measured with enough rows. */
export function judged(
  target: Target,
  figures: Figures,
): { verdict: Verdict; measured: Value | undefined } {
  const part = figures[target.part];
  const measured = part && target.figure(part);
  if (!measured) return { verdict: 'not measured', measured };
  if (measured.rows < target.rows) return { verdict: 'too few rows', measured };
  const { value } = measured;
  const isMet = target.bound === 'at most' ? value <= target.limit : value >= target.limit;
  return { verdict: isMet ? 'met' : 'not met', measured };
}
