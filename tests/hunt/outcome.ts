/** How the cases of a hunt end. */

/** How a case ended. */
export type Outcome =
  | { kind: 'held' }
  /** The page said why it cannot; `reason` has no names or numbers in it. */
  | { kind: 'refused'; reason: string }
  | { kind: 'failed'; what: string; story: string };

/** A difference between the page and what it must do. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** A refusal of the page, or of the service through it. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Returns how a case ended that threw. @param story describes the case if it failed */
export function outcomeOf(error: unknown, story: () => string): Outcome {
  if (error instanceof Refused) return { kind: 'refused', reason: error.message };
  const what = error instanceof Broken ? error.message : `Stuck: ${messageOf(error)}`;
  return { kind: 'failed', what, story: story() };
}

/** A reason without the names and numbers that differ from table to table. */
export const reasonOf = (text: string | null): string =>
  (text ?? 'nothing was said')
    .replace(/“[^”]*”/g, '“…”')
    .replace(/"[^"]*"/g, '"…"')
    .replace(/-?\d[\d,.]*/g, 'N');

export const messageOf = (error: unknown) =>
  error instanceof Error ? error.message : String(error);
