import { count, table, time } from '../document';
import { median } from '../measure';
import type { Figures, Machine, PartFigures, Turns } from './figures';
import { judged, TARGETS, type Verdict } from './targets';

const VERDICTS: Record<Verdict, string> = {
  met: 'met',
  'not met': '**not met**',
  'too few rows': 'measured on too few rows',
  'not measured': 'not measured',
};

/** Formats a figure with two decimals below ten, one below a hundred, none above. */
const figure = (value: number): string => {
  if (Math.abs(value) >= 100) return count(Math.round(value));
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1);
};

function targets(figures: Figures): string {
  return table(
    ['', 'target', 'measured', 'rows', ''],
    TARGETS.map((target) => {
      const { verdict, measured } = judged(target, figures);
      const { words, bound, limit, unit } = target;
      return [
        words,
        `${bound} ${limit} ${unit}`,
        measured ? figure(measured.value) : '',
        measured ? count(measured.rows) : '',
        VERDICTS[verdict],
      ];
    }),
  );
}

/** Returns the table of alternately measured ways: medians, spread, and the ratio to the first. */
function turns(name: string, { rows, ways }: Turns): string {
  const [first = ''] = Object.keys(ways);
  const reference = median(ways[first] ?? []);
  return table(
    [`${name}, ${count(rows)} rows`, 'median', 'from', 'to', `× ${first}`],
    Object.entries(ways).map(([way, times]) => [
      way,
      time(median(times)),
      time(Math.min(...times)),
      time(Math.max(...times)),
      figure(median(times) / reference),
    ]),
  );
}

const machineText = (machine: Machine): string => {
  const { cores, cpu, memoryGb, load, node, postgres, chromium, engine } = machine;
  const browser = chromium === null ? '' : `, Chromium ${chromium}, Perspective ${engine}`;
  return `${cores} cores (${cpu}), ${memoryGb} GB, Node ${node}, PostgreSQL ${postgres}${browser}; load before: ${load.toFixed(1)}`;
};

/**
 * Returns the section of one part: its tables, missing references, and the machine and time of the
 * measurement.
 */
function part(figures: PartFigures | undefined): string {
  if (!figures) return 'Not measured yet.';
  const { began, seconds, machine, missing, failure } = figures;
  const when = `Measured ${began.slice(0, 10)} at ${began.slice(11, 16)} UTC in ${count(Math.round(seconds))} s`;
  return [
    `${when}${machine ? `, on ${machineText(machine)}` : ''}.`,
    ...Object.entries(figures.turns).map(([name, each]) => turns(name, each)),
    ...Object.entries(missing).map(([what, why]) => `Not measured: ${what}. ${why}`),
    ...(failure === null ? [] : [`It ended early, so what should follow is missing: ${failure}`]),
  ].join('\n\n');
}

/** Returns the section of growth, with one table for all sizes instead of one for each. */
function growth(figures: PartFigures | undefined): string {
  const all = Object.values(figures?.turns ?? {});
  const lines = (chosen: Turns[], head: string, of: (each: Turns) => number) =>
    chosen.length === 0
      ? []
      : [
          table(
            [head, ...chosen.map((each) => count(of(each)))],
            Object.keys(chosen[0]!.ways).map((way) => [
              way,
              ...chosen.map((each) => time(median(each.ways[way] ?? []))),
            ]),
          ),
        ];
  return [
    part(figures && { ...figures, turns: {} }),
    ...lines(
      all.filter(({ entries }) => entries === undefined),
      'rows of one entry',
      ({ rows }) => rows,
    ),
    ...lines(
      all.filter(({ entries }) => entries !== undefined),
      'entries',
      ({ entries }) => entries!,
    ),
  ].join('\n\n');
}

/** Returns the generated sections of `docs/performance.md` by the names of their marks. */
export function sections(figures: Figures): Record<string, string> {
  const verdicts = TARGETS.map((target) => judged(target, figures).verdict);
  const many = (verdict: Verdict) => verdicts.filter((each) => each === verdict).length;
  const rest = many('not measured') + many('too few rows');
  const others = rest > 0 ? `, ${rest} not measured on enough rows` : '';
  return {
    summary: `Of ${TARGETS.length} targets, ${many('met')} are met and ${many('not met')} are not${others}.`,
    targets: targets(figures),
    ...Object.fromEntries(
      [
        'read',
        'cache',
        'operations',
        'whole',
        'open',
        'change',
        'grouping',
        'refresh',
        'lookups',
      ].map((name) => [name, part(figures[name])]),
    ),
    growth: growth(figures.growth),
  };
}
