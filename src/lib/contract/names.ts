/** Names of people and of what they make: the characters that they may have, and when two of them look alike. */
import { folded } from './folding';

const CONTROL = /[\p{Cc}\p{Cf}]/u;
/** Characters without a shape: fillers, variation selectors, the blank of Braille, separators of lines. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]/u;
const UNASSIGNED = /\p{Cn}/u;

/**
 * Returns why a text cannot be a name, in words that follow the name of its field; null if it can. Two names must not
 * differ only in characters that nobody sees (docs/contract/09-errors-limits-guards.md#names).
 */
export function faultOfName(name: string): string | null {
  if (CONTROL.test(name)) return 'must not contain control characters';
  const [unseen] = UNSEEN.exec(name) ?? [];
  if (unseen !== undefined) return `must not contain the invisible character ${codeOf(unseen)}`;
  const [unassigned] = UNASSIGNED.exec(name) ?? [];
  if (unassigned !== undefined) {
    return `must not contain ${codeOf(unassigned)}, which is no character of Unicode`;
  }
  return name.trim() === name ? null : 'must not begin or end with a space';
}

/** Returns a text as a name: composed (NFC), in one line, without characters that nobody sees. */
export function asName(text: string): string {
  const seen = new RegExp(`${UNSEEN.source}|${CONTROL.source}|${UNASSIGNED.source}`, 'gu');
  return text.normalize('NFC').replace(/\s+/g, ' ').replace(seen, '').trim();
}

/** Returns whether people would take two names for the same one: case and Unicode form are ignored. */
export const looksAlike = (name: string, other: string): boolean => folded(name) === folded(other);

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
