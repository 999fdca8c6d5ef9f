/** Rules that mark cells by their numbers: which cells, with which sign and fill. */
import type { MarkRule } from '../../contract/stored-layout';
import { tidy } from './cell-value';
import type { CellValue } from './engine-types';

/** The rules by measure; a measure without an entry has no marks. */
export type MarkRules = ReadonlyMap<string, readonly MarkRule[]>;

/** Returns a rule in words, such as "above 1,000" and "largest 10 %". @param write writes a number of the measure */
export function ruleText(rule: MarkRule, write: (number: number) => string): string {
  if (rule.rule === 'above' || rule.rule === 'below') return `${rule.rule} ${write(rule.amount)}`;
  if (rule.rule === 'between') return `between ${write(rule.from)} and ${write(rule.to)}`;
  return RULES[rule.rule].toLowerCase();
}

/** The kinds of rules, as the page names them. */
export const RULES: Readonly<Record<MarkRule['rule'], string>> = {
  above: 'Above',
  below: 'Below',
  between: 'Between',
  top: 'Largest 10 %',
  bottom: 'Smallest 10 %',
  bar: 'Bars',
  two_colours: 'Scale of two colours',
  three_colours: 'Scale of three colours',
};

/** The kinds of rules in the order of their list. */
export const RULES_OFFERED = [
  ...(['above', 'below', 'between', 'top', 'bottom'] as const),
  ...(['bar', 'two_colours', 'three_colours'] as const),
];

/** The range of the numbers that rules compare with each other. */
export interface MarkScale {
  least: number;
  most: number;
  /** The largest number of the smallest tenth, and the smallest one of the largest tenth. */
  low: number;
  high: number;
}

/** The signs of the fifths of a scale, the lowest first. */
const STEPS = ['step-1', 'step-2', 'step-3', 'step-4', 'step-5'] as const;

type Sign = 'above' | 'below' | 'between' | 'top' | 'bottom' | (typeof STEPS)[number];

/** The character of each sign, and the words that a screen reader says. */
export const SIGNS: Readonly<Record<Sign, { text: string; meaning: string }>> = {
  above: { text: '▲', meaning: 'above' },
  below: { text: '▼', meaning: 'below' },
  between: { text: '◆', meaning: 'between' },
  top: { text: '▲', meaning: 'top tenth' },
  bottom: { text: '▼', meaning: 'bottom tenth' },
  'step-1': { text: '▁', meaning: 'lowest fifth' },
  'step-2': { text: '▂', meaning: 'second fifth' },
  'step-3': { text: '▄', meaning: 'middle fifth' },
  'step-4': { text: '▆', meaning: 'fourth fifth' },
  'step-5': { text: '█', meaning: 'highest fifth' },
};

/** The mark of a cell: never a colour alone, but a sign or the length of a bar beside it. */
export interface CellMark {
  sign?: Sign;
  /** The colour of a scale, or a bar; `share` is its strength or length, from 0 to 1. */
  fill?: { kind: 'bar' | 'bar-below' | 'low' | 'high'; share: number };
}

/** The colour of a mark. Where its sign and its fill differ, the lower one counts. */
export function toneOf({ sign, fill }: CellMark): 'high' | 'low' | 'other' {
  const has = (...names: readonly string[]) =>
    names.includes(sign ?? '') || names.includes(fill?.kind ?? '');
  if (has('below', 'bottom', 'low', 'bar-below')) return 'low';
  return has('above', 'top', 'high', 'bar') ? 'high' : 'other';
}

/** Returns the mark of a cell by the positions of its column and row; null for none. */
export type MarkAt = (x: number, y: number) => CellMark | null;

/** Returns the sign of a mark; for a bar, which is not drawn everywhere, that of the fifth of its length. */
export const signOf = ({ sign, fill }: CellMark): Sign =>
  sign ?? STEPS[Math.floor((fill?.share ?? 0) * 5)] ?? 'step-5';

/** Returns the range of some numbers; null if there are none. A tenth is rounded up to whole cells. */
export function scaleOf(values: readonly CellValue[]): MarkScale | null {
  const numbers = values
    .filter((value) => typeof value === 'number')
    .map(tidy)
    .sort((a, b) => a - b);
  const [least, most] = [numbers[0], numbers.at(-1)];
  if (least === undefined || most === undefined) return null;
  const tenth = Math.ceil(numbers.length / 10);
  return { least, most, low: numbers[tenth - 1] ?? least, high: numbers.at(-tenth) ?? most };
}

/**
 * Returns how rules mark a number; null if none does. The first rule with a sign and the first one with a fill count.
 *
 * @param scale the range that the number is compared with; null for a total, which only fixed amounts mark
 */
export function markOf(
  value: number,
  rules: readonly MarkRule[],
  scale: MarkScale | null,
): CellMark | null {
  const number = tidy(value);
  const mark: CellMark = {};
  for (const rule of rules) {
    const { sign, fill } = markBy(number, rule, scale);
    if (sign) mark.sign ??= sign;
    if (fill) mark.fill ??= fill;
  }
  return mark.sign || mark.fill ? mark : null;
}

function markBy(number: number, rule: MarkRule, scale: MarkScale | null): CellMark {
  if (rule.rule === 'above') return number > rule.amount ? { sign: 'above' } : {};
  if (rule.rule === 'below') return number < rule.amount ? { sign: 'below' } : {};
  if (rule.rule === 'between')
    return number >= rule.from && number <= rule.to ? { sign: 'between' } : {};
  // Numbers that are all equal have neither a largest nor a smallest one.
  if (!scale || (scale.least === scale.most && rule.rule !== 'bar')) return {};
  const { least, most, low, high } = scale;
  if (rule.rule === 'top') return number >= high ? { sign: 'top' } : {};
  if (rule.rule === 'bottom') return number <= low ? { sign: 'bottom' } : {};
  if (rule.rule === 'bar') {
    const longest = Math.max(Math.abs(least), Math.abs(most));
    if (longest === 0) return {};
    return {
      fill: { kind: number < 0 ? 'bar-below' : 'bar', share: Math.abs(number) / longest },
    };
  }
  const share = (number - least) / (most - least);
  const sign = STEPS[Math.floor(share * 5)] ?? 'step-5';
  if (rule.rule === 'two_colours') return { sign, fill: { kind: 'high', share } };
  const isHigh = share >= 0.5;
  return { sign, fill: { kind: isHigh ? 'high' : 'low', share: Math.abs(share - 0.5) * 2 } };
}
