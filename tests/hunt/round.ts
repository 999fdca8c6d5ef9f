import type { Asked } from './oracle';
import type { Random } from './random';
import type { HuntTable } from './table';

/** The cell to press: a kind of place, and its position among the visible ones. */
export interface Aim {
  place: 'body' | 'row' | 'head';
  down: number;
  across: number;
}

/** One case: the pressed cells, the timing, and the requested operation. */
export interface Round {
  /** Opens or closes this row first. */
  toggle: number | null;
  aim: Aim;
  /** Cells added with Ctrl. */
  added: Aim[];
  /** An arrow key pressed after the mouse. */
  arrow: 'ArrowDown' | 'ArrowUp' | 'ArrowLeft' | 'ArrowRight' | null;
  /**
   * `calm`: the page is idle. `hasty`: another cell is selected and a percentage typed; Ctrl+Enter follows
   * the press immediately. `answer`: the press follows the answer of an operation on another cell after this
   * number of milliseconds.
   */
  moment: { kind: 'calm' } | { kind: 'hasty' | 'answer'; from: Aim; after: number };
  asked: Asked;
}

export function randomRound(table: HuntTable, random: Random): Round {
  const moment = random.pick(['calm', 'calm', 'calm', 'hasty', 'answer'] as const);
  const isCalm = moment === 'calm';
  const asked = randomAsked(table, random);
  return {
    toggle: random.chance(0.2) ? random.next() : null,
    aim: randomAim(random),
    added:
      isCalm && random.chance(0.25)
        ? Array.from({ length: random.between(1, 2) }, () => randomAim(random))
        : [],
    arrow:
      isCalm && random.chance(0.12)
        ? random.pick(['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight'] as const)
        : null,
    moment: isCalm
      ? { kind: 'calm' }
      : { kind: moment, from: randomAim(random), after: random.between(0, 25) },
    asked: moment === 'hasty' ? percentage(table, random) : asked,
  };
}

const randomAim = (random: Random): Aim => ({
  place: random.pick(['body', 'body', 'body', 'body', 'row', 'head']),
  down: random.next(),
  across: random.next(),
});

/** The measures with fields in the form. */
const typed = ({ measures }: HuntTable) => measures.filter(({ role }) => role !== 'measure');

const percentage = (table: HuntTable, random: Random): Asked => ({
  kind: 'scale',
  measure: random.pick(typed(table)).name,
  by: 'Percent',
  amount: random.pick([10, -25, 100, 7.5]),
});

function randomAsked(table: HuntTable, random: Random): Asked {
  const kind = random.pick(['scale', 'scale', 'scale', 'recode', 'clone'] as const);
  if (kind === 'clone') return { kind, factor: random.pick([1, 0.5, 2, -1]) };
  if (kind === 'recode') {
    const column = random.pick(table.columns);
    // A combobox accepts one line of text; a date field accepts years of four digits.
    const values = column.values.filter((v) => v === null || /^[^\n\t]{0,200}$/.test(v));
    const fits = column.role === 'date' ? values.filter((v) => /^\d{4}-/.test(v ?? '')) : values;
    if (fits.length > 0) {
      return { kind, set: Object.fromEntries([[column.name, random.pick(fits)]]) };
    }
  }
  const measure = random.pick(typed(table));
  const by = random.pick(['Change', 'Percent', 'New total'] as const);
  if (by === 'Percent') return percentage(table, random);
  const whole = measure.role === 'units';
  const amount = whole ? random.between(1, 300) : random.between(100, 90_000) / 100;
  return { kind: 'scale', measure: measure.name, by, amount };
}
