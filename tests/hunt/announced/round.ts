/** Random cases of announced amounts. */
import type { Random } from '../random';
import type { Aim } from '../round';
import type { Key } from '../values';
import { unitsOf, type AmountMeasure, type AmountTable } from './table';

/** A slice of the table, as a lock has it. */
export type DrawnSlice = Record<string, Key | Key[] | { from?: string; to?: string }>;

/** A text that is typed into a field of the form. */
export interface TypedField {
  measure: string;
  by: 'New total' | 'Change' | 'Percent';
  text: string;
}

/** What a case does with the cells that it selects. */
export type Act =
  /** Fills in the form of a scale. */
  | { kind: 'form'; fields: TypedField[] }
  /** Types into the cell. */
  | { kind: 'cell'; text: string }
  /** Marks a block up to another cell and types into all of it. */
  | { kind: 'block'; corner: Aim; text: string }
  /** Pastes rows of numbers from the cell on. */
  | { kind: 'paste'; texts: string[][] }
  /** Marks a block and fills it. */
  | { kind: 'fill'; corner: Aim; direction: 'right' | 'down' }
  | { kind: 'recode'; set: Record<string, Key> }
  | { kind: 'clone'; factor: string; set: Record<string, Key> };

/** One case. */
export interface AnnouncedRound {
  /** Replaces the locks first; null leaves them as they are. */
  locks: DrawnSlice[] | null;
  aim: Aim;
  /** Cells that are added with Ctrl held. */
  added: Aim[];
  holdPrice: boolean;
  spread: 'proportional' | 'equal';
  act: Act;
  /** Tries the change before it is written or discarded, where the page can try it. */
  tries: 'no' | 'keep' | 'discard';
  /** Whether the cells are chosen among those that the page can do it with, if there are any. */
  fits: boolean;
  /** Whether an amount is typed into a price, if there is one. */
  onPrice: boolean;
  /** The result that is typed into a formula instead of an amount into a cell, if there is one; null for none. */
  result: string | null;
  /** Whether the last of the measures changes that give a formula its result, and not the first. */
  lastWay: boolean;
  /** Whether a change that has to be confirmed is confirmed. */
  confirms: boolean;
  /** Whether the change is undone at the end; otherwise the next cases build on it. */
  undoes: boolean;
}

/**
 * @param number of the case, which determines its kind
 * @param refused the round that the page has refused, for one of the same kind that is drawn again
 */
export function randomAnnouncedRound(
  table: AmountTable,
  random: Random,
  number: number,
  refused: AnnouncedRound | null,
): AnnouncedRound {
  const act = randomAct(KINDS[number % KINDS.length] ?? 'form', table, random);
  return {
    locks: refused === null && random.chance(0.3) ? randomLocks(table, random) : null,
    aim: randomAim(random),
    added: act.kind === 'form' && random.chance(0.2) ? [randomAim(random)] : [],
    holdPrice: unitsOf(table) !== undefined && random.chance(0.35),
    spread: random.chance(0.3) ? 'equal' : 'proportional',
    act,
    tries: random.pick(['no', 'no', 'no', 'keep', 'discard']),
    fits: refused !== null || random.chance(0.9),
    onPrice: random.chance(0.3),
    confirms: random.chance(0.75),
    undoes: random.chance(0.6),
    result: random.chance(0.6) ? random.pick(RESULTS) : null,
    lastWay: random.chance(0.5),
  };
}

/** Results that are typed into formulas. */
const RESULTS = ['0.4', '0.25', '2', '500', '=-1.5', '+0.1', '-0.2', '10%', '-5%', '0', '1', '*2'];

const randomAim = (random: Random): Aim => ({
  place: random.pick(['body', 'body', 'body', 'body', 'body', 'row', 'head']),
  down: random.next(),
  across: random.next(),
});

function randomLocks({ columns, rows }: AmountTable, random: Random): DrawnSlice[] {
  return Array.from({ length: random.pick([0, 0, 1, 1, 1, 2]) }, (): DrawnSlice => {
    const [region, product, day] = random.pick(rows);
    return random.pick<() => DrawnSlice>([
      () => ({ region: region ?? null }),
      () => ({ product: product ?? null }),
      () => ({ region: region ?? null, product: random.sample(columns[1]?.values ?? [], 2) }),
      () => ({ region: region ?? null, day: day ?? null }),
      () => ({ product: product ?? null, day: day ?? null }),
      () => ({ region: region ?? null, product: product ?? null }),
      () => ({ region: region ?? null, product: product ?? null, day: day ?? null }),
      () => ({ region: region ?? null, product: product ?? null, day: day ?? null }),
      () => ({ day: { to: day ?? '2026-01-31' } }),
      () => ({ day: { from: '2026-02-01' } }),
      () => ({ day: { from: '2026-02-01', to: '2026-02-28' }, region: region ?? null }),
      () => ({ day: day ?? null }),
    ])();
  });
}

/** The kinds of acts in turn, the more frequent ones several times. */
const KINDS = [
  'form',
  'cell',
  'block',
  'recode',
  'cell',
  'form',
  'paste',
  'cell',
  'clone',
  'form',
  'fill',
  'cell',
  'recode',
  'block',
] as const;

function randomAct(kind: Act['kind'], table: AmountTable, random: Random): Act {
  const { columns, measures } = table;
  const measure = random.pick(measures);
  switch (kind) {
    case 'form':
      return { kind, fields: randomFields(measures, random) };
    case 'cell':
      return { kind, text: typedText(measure, random) };
    case 'block':
      return { kind, corner: bodyAim(random), text: typedText(measure, random) };
    case 'paste': {
      const wide = random.between(1, 2);
      const line = () => Array.from({ length: wide }, () => pastedText(measure, random));
      return { kind, texts: Array.from({ length: random.between(1, 3) }, line) };
    }
    case 'fill':
      return { kind, corner: bodyAim(random), direction: random.pick(['right', 'down']) };
    case 'recode':
    case 'clone': {
      const column = random.pick(columns);
      const values = [...column.values, ...(column.kind === 'text' ? ['new one', 'x'] : [])];
      // A field of days takes no empty value.
      const fits = column.kind === 'date' ? values.filter((value) => value !== null) : values;
      const set = { [column.name]: random.pick(fits) };
      if (kind === 'recode') return { kind, set };
      const factor = random.pick(['1', '0.5', '2', '-1', '0.333', '1.07', '0.001']);
      return { kind, factor, set: random.chance(0.5) ? set : {} };
    }
  }
}

const bodyAim = (random: Random): Aim => ({ ...randomAim(random), place: 'body' });

/** An amount in the decimals of a measure, and sometimes in more. */
function amount({ role, decimals }: AmountMeasure, random: Random): string {
  const most = role === 'units' ? 200 : random.pick([50, 5_000, 50_000]);
  const places = random.chance(0.2) ? 3 : (decimals ?? 2);
  const unit = 10 ** places;
  return String(random.between(1, most * unit) / unit);
}

const percentage = (random: Random): string =>
  random.pick(['5', '10', '-8', '12.5', '-33.333', '100', '-100', '0.05', '250', '1']);

/** A text that a planner types into a cell. It begins with a key that opens the field. */
function typedText(measure: AmountMeasure, random: Random): string {
  const some = () => amount(measure, random);
  return random.pick<() => string>([
    some,
    some,
    some,
    () => `=-${some()}`,
    () => '0',
    () => '1.5k',
    () => `=2*${some()}`,
    () => `+${some()}`,
    () => `-${some()}`,
    () => '+0.004',
    () => `${percentage(random)}%`,
    () => `${percentage(random)}%`,
    () => `+5%`,
    () => '*1.05',
    () => '*-1',
    () => '/3',
    () => '1..2',
  ])();
}

/** A number as a spreadsheet copies it. */
const pastedText = (measure: AmountMeasure, random: Random): string =>
  random.pick<(text: string) => string>([
    (text) => text,
    (text) => text,
    (text) => `-${text}`,
    (text) => `(${text})`,
    () => '0',
  ])(amount(measure, random));

function randomFields(measures: readonly AmountMeasure[], random: Random): TypedField[] {
  const isOnePercentage = measures.length > 1 && random.chance(0.3);
  if (isOnePercentage) {
    const text = percentage(random);
    return measures.map(({ name }) => ({ measure: name, by: 'Percent', text }));
  }
  return random.sample(measures, random.pick([1, 1, 1, 2])).map((measure): TypedField => {
    const by = random.pick(['New total', 'Change', 'Percent'] as const);
    const some = amount(measure, random);
    const texts = {
      'New total': [some, some, `=-${some}`, '0', `+${some}`],
      Change: [some, `-${some}`, '0.004'],
      Percent: [percentage(random)],
    };
    return { measure: measure.name, by, text: random.pick(texts[by]) };
  });
}
