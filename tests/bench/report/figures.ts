import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** The machine that something was measured on, and what ran there. */
export interface Machine {
  cores: number;
  cpu: string;
  memoryGb: number;
  /** How many processes wanted a core in the minute before: more than none means other work. */
  load: number;
  node: string;
  postgres: string;
  /** Null for parts that need none. */
  chromium: string | null;
  /** The pivot engine's version. */
  engine: string;
}

/** Ways that took turns on the same rows. Milliseconds of each round. */
export interface Turns {
  rows: number;
  /** How many log entries the rows came from, where that is what is measured. */
  entries?: number;
  ways: Record<string, number[]>;
}

/** A figure that is no time of a way, in the unit that its target says. */
export interface Value {
  rows: number;
  value: number;
}

/** All that one part has measured, in one run. */
export interface PartFigures {
  /** When it began, ISO. */
  began: string;
  seconds: number;
  /** Null if the part ended before it told. */
  machine: Machine | null;
  turns: Record<string, Turns>;
  values: Record<string, Value>;
  /** Yardsticks that could not be measured, and why. */
  missing: Record<string, string>;
  /** Why the part ended early; null if it did not. */
  failure: string | null;
}

/** What all parts have measured, each when it last ran. */
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

/** Keeps what was measured so far: a run may end early. */
export const writeFigures = (file: string, figures: Figures): void =>
  writeFileSync(file, `${JSON.stringify(figures, rounded, 1)}\n`);
