/** The text of a choice, with words for null and the empty text. */

const EMPTY = '(empty)';
export const BLANK = '(blank text)';

/**
 * Returns the text of a choice: words for null and the empty text, any other text unchanged. A text that
 * looks like one of these words is quoted, as in the pivot.
 */
export function choiceText(choice: string | null): string {
  if (choice === null) return EMPTY;
  if (choice === '') return BLANK;
  return choice === EMPTY || choice === BLANK || QUOTED.test(choice) ? `“${choice}”` : choice;
}

/** Returns the choice for a text, the inverse of {@link choiceText}. Any other text stands for itself. */
export function choiceOf(text: string): string | null {
  if (text === EMPTY) return null;
  if (text === BLANK) return '';
  return QUOTED.exec(text)?.[1] ?? text;
}

const QUOTED = /^“(.+)”$/s;
