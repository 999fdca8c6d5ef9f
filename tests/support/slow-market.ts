/** Simulated articles that sell in a share of the months, to measure forecasts of slow series on. */
import { generator } from './random';

/** Months of history of a market, and months after it. */
export const [MONTHS, YEAR] = [60, 12];

/** How the articles of a market sell. */
export interface SlowMarket {
  /** Share of the months in which an article sells, at the end of the history. */
  share: number;
  /** Size of a sale, of a number from 0 to 1. */
  size: (random: number) => number;
  /** Number of articles; 20 without one. */
  count?: number;
  /** Growth of the share in a year. */
  growth?: number;
  /** Whether it grows by the same amount each year, not by the same rate. */
  isEven?: boolean;
  /** Share of the articles whose sales end in the history. */
  ending?: number;
  /** Number of months within which the sales of the articles begin. */
  launches?: number;
}

/** Sizes of a sale: even ones, whole pieces, and a Pareto distribution, in which few are many times as large as the others. */
export const SIZES = {
  even: (random: number): number => 1 + 5 * random,
  pieces: (random: number): number => 1 + Math.floor(5 * random),
  lumpy: (random: number): number => 2 * (1 - random) ** -0.4,
};

/** Returns the articles of a market. Each has its months of history, from the first sale on, and the year after them. */
export function articlesOf(
  { share, size, count = 20, growth = 0, isEven, ending = 0, launches = 0 }: SlowMarket,
  seed: number,
): { history: (number | null)[]; future: number[] }[] {
  const random = generator(seed);
  const grown = (years: number) =>
    isEven ? Math.max(0, 1 + growth * years) : (1 + growth) ** years;
  return Array.from({ length: count }, () => {
    const end = random() < ending ? Math.floor(random() * MONTHS) : Infinity;
    const start = launches > 0 ? Math.floor(random() * launches) : 0;
    const sold = Array.from({ length: MONTHS + YEAR }, (_, t) => {
      const sells = random() < share * grown((t - MONTHS) / 12) && t >= start && t < end;
      const amount = size(random());
      return sells ? amount : 0;
    });
    const first = sold.findIndex((amount) => amount !== 0);
    const isKnown = first >= 0 && first < MONTHS;
    return {
      history: sold.slice(0, MONTHS).map((amount, t) => (isKnown && t >= first ? amount : null)),
      // An article that never sold is not in the source.
      future: isKnown ? sold.slice(MONTHS) : [],
    };
  });
}
