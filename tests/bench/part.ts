import type { Machine, Turns } from './report/figures';

/** The size and length of a run. */
export interface Extent {
  /** Maximum number of rows of a table. */
  maxRows: number;
  rounds: number;
}

/** A message of a part while it runs. */
export type Told =
  | { kind: 'turns'; name: string; turns: Turns }
  | { kind: 'value'; name: string; rows: number; value: number }
  | { kind: 'missing'; name: string; why: string }
  | { kind: 'machine'; machine: Machine };

/** The interface of a part: it reports each figure immediately, because it may end early. */
export interface Bench {
  extent: Extent;
  tell(told: Told): void;
  /** Reports progress. */
  say(text: string): void;
}

/** A part of the benchmark. It starts and stops everything that it needs. */
export type Part = (bench: Bench) => Promise<void>;

/** Returns the number of rows of a target, limited to the size of the run. */
export const within = ({ extent }: Bench, rows: number): number => Math.min(rows, extent.maxRows);
