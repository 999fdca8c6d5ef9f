/** The text of a choice, with words for null and the empty text. */
import { EMPTY_LABEL } from '$lib/contract/slices';

export const BLANK = '(blank text)';

/**
 * Returns the text of a choice: words for null and the empty text, any other text unchanged. A text that
 * looks like one of these words is quoted, as in the pivot.
 */
export function choiceText(choice: string | null): string {
  if (choice === null) return EMPTY_LABEL;
  if (choice === '') return BLANK;
  return choice === EMPTY_LABEL || choice === BLANK || QUOTED.test(choice) ? `“${choice}”` : choice;
}

/** Returns the choice for a text, the inverse of {@link choiceText}. Any other text stands for itself. */
export function choiceOf(text: string): string | null {
  if (text === EMPTY_LABEL) return null;
  if (text === BLANK) return '';
  return QUOTED.exec(text)?.[1] ?? text;
}

const QUOTED = /^“(.+)”$/s;
