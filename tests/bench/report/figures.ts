import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** The machine of a measurement, and its software. */
export interface Machine {
  cores: number;
  cpu: string;
  memoryGb: number;
  /** Average number of running processes in the minute before: a high number means other work. */
  load: number;
  node: string;
  postgres: string;
  /** Null for parts without a browser. */
  chromium: string | null;
  /** The pivot engine's version. */
  engine: string;
}

/** Ways measured alternately on the same rows, with the milliseconds of each round. */
export interface Turns {
  rows: number;
  /** Number of log entries of the rows, in measurements by entries. */
  entries?: number;
  ways: Record<string, number[]>;
}

/** A figure that is not a duration, in the unit of its target. */
export interface Value {
  rows: number;
  value: number;
}

/** The figures of one part in one run. */
export interface PartFigures {
  /** Start time, ISO. */
  began: string;
  seconds: number;
  /** Null if the part ended before it reported the machine. */
  machine: Machine | null;
  turns: Record<string, Turns>;
  values: Record<string, Value>;
  /** References that could not be measured, with the reason. */
  missing: Record<string, string>;
  /** Why the part ended early; null if it did not. */
  failure: string | null;
}

/** The figures of all parts from their latest runs. */
export type Figures = Partial<Record<string, PartFigures>>;

export const noFigures = (began: string): PartFigures => ({
  began,
  seconds: 0,
  machine: null,
  turns: {},
  values: {},
  missing: {},
  failure: null,
});

export const readFigures = (file: string): Figures =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Figures) : {};

const rounded = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;

/** Writes the figures so far, because a run may end early. */
export const writeFigures = (file: string, figures: Figures): void =>
  writeFileSync(file, `${JSON.stringify(figures, rounded, 1)}\n`);
