import type { Machine, Turns } from './report/figures';

/** How large and how long a run is. */
export interface Extent {
  /** No table has more rows than this. */
  maxRows: number;
  rounds: number;
}

/** What a part tells of itself as it goes. */
export type Told =
  | { kind: 'turns'; name: string; turns: Turns }
  | { kind: 'value'; name: string; rows: number; value: number }
  | { kind: 'missing'; name: string; why: string }
  | { kind: 'machine'; machine: Machine };

/** What a part measures with: it tells each figure as soon as it has it, since it may end early. */
export interface Bench {
  extent: Extent;
  tell(told: Told): void;
  /** Says how far it is. */
  say(text: string): void;
}

/** A part of the benchmark. It starts what it needs and ends it. */
export type Part = (bench: Bench) => Promise<void>;

/** The rows that a target wants, as far as the extent of the run goes. */
export const within = ({ extent }: Bench, rows: number): number => Math.min(rows, extent.maxRows);
