/** The text of a choice, with words for null and the empty text. */

const EMPTY = '(empty)';
export const BLANK = '(blank text)';

/**
 * How a choice is shown: null and the empty text as words, every other text as it is. A text that looks
 * like one of these words is in quotes, as in the pivot.
 */
export function choiceText(choice: string | null): string {
  if (choice === null) return EMPTY;
  if (choice === '') return BLANK;
  return choice === EMPTY || choice === BLANK || QUOTED.test(choice) ? `“${choice}”` : choice;
}

/**
 * The choice that a text stands for: the inverse of {@link choiceText}. Other texts are themselves.
 */
export function choiceOf(text: string): string | null {
  if (text === EMPTY) return null;
  if (text === BLANK) return '';
  return QUOTED.exec(text)?.[1] ?? text;
}

const QUOTED = /^“(.+)”$/s;
