/** Compares announced texts with stored amounts. */
import { Broken } from '../outcome';
import type { AmountMeasure } from './table';

/** The numbers in a text: "9,576.23 (−8 %)" has 9576.23 and -8. */
export const numbersIn = (text: string | null): string[] =>
  [...(text ?? '').matchAll(/[-−+]?\d[\d,]*(\.\d+)?/g)].map(([number]) =>
    number.replaceAll(',', '').replace('−', '-'),
  );

const decimalsIn = (number: string): number => /\.(\d+)$/.exec(number)?.[1]?.length ?? 0;

/** Decimals that an amount of a column without fixed decimals is shown with, at least. */
const LEAST = 2;

/** A text of an amount at the decimals of a measure whose type fixes them. */
export const amountText = (amount: number, decimals: number): string =>
  (amount === 0 ? 0 : amount).toLocaleString('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });

/** Counts what a hunt has compared. */
export interface Counts {
  /** Counts an announcement that was compared. */
  countAnnounced(kind: string): void;
  /** Counts a written change of which every announcement was compared. */
  countWritten(kind: string): void;
}

/** The rounding error of a sum of doubles, as a share of their absolute amounts. */
const NOISE = 1e-12;

/** Compares announcements with the stored amounts, and counts them. */
export class Comparison {
  constructor(private readonly counts: Counts) {}

  /** Counts a written change of a kind. */
  written(kind: string): void {
    this.counts.countWritten(kind);
  }

  /**
   * Compares an amount of a measure: exactly where its type fixes the decimals.
   *
   * @param gross the absolute amounts of which it is the sum: those of doubles leave a rounding error
   */
  amount(
    kind: string,
    measure: AmountMeasure,
    announced: string | undefined,
    stored: number,
    gross = 0,
  ): void {
    const noise = measure.type === 'double precision' ? gross * NOISE : 0;
    const unit =
      measure.decimals === null
        ? 0.51 * 10 ** -Math.max(LEAST, decimalsIn(announced ?? ''))
        : 0.1 * 10 ** -measure.decimals;
    this.near(`${kind}`, measure.name, announced, stored, unit + noise + Math.abs(stored) * 1e-12);
  }

  /** Compares a percentage, to the decimals that are shown. */
  percent(
    kind: string,
    name: string,
    announced: string | undefined,
    stored: number,
    least: number,
  ) {
    const places = Math.max(least, decimalsIn(announced ?? ''));
    this.near(kind, name, announced, stored, 0.51 * 10 ** -places + Math.abs(stored) * 1e-9);
  }

  /** Compares a price, to the decimals that are shown. */
  price(kind: string, announced: string | undefined, stored: number): void {
    const unit = 0.51 * 10 ** -decimalsIn(announced ?? '');
    this.near(kind, 'price', announced, stored, unit + Math.abs(stored) * 1e-9);
  }

  /** Compares a number of rows. */
  rows(kind: string, announced: string | undefined, stored: number): void {
    this.near(kind, 'rows', announced, stored, 0);
  }

  /** Compares two texts. */
  text(kind: string, announced: string, actual: string): void {
    this.counts.countAnnounced(kind);
    if (announced !== actual) throw new Broken(`${kind}: announced “${announced}”, is “${actual}”`);
  }

  /** Counts what the page announces nothing about. */
  silent(kind: string): void {
    this.counts.countAnnounced(`not announced: ${kind}`);
  }

  private near(
    kind: string,
    name: string,
    announced: string | undefined,
    stored: number,
    room: number,
  ): void {
    this.counts.countAnnounced(kind);
    if (announced === undefined || !(Math.abs(Number(announced) - stored) <= room)) {
      throw new Broken(`${kind} of ${name}: announced ${announced ?? 'nothing'}, is ${stored}`);
    }
  }
}
