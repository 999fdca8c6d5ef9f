/** Texts of territories. */
import type { OwnPart } from '$lib/contract/territories';
import { isWhole, type Slice } from '$lib/contract/slices';
import { sliceTexts } from './pivot/text/slice-text';

type Labels = Parameters<typeof sliceTexts>[1];

/** Returns the rows of several slices: "Region in North, East or Category = Furniture". */
export function rowsText(slices: readonly Slice[], words: Labels): string {
  if (slices.length === 0) return 'nothing';
  const texts = slices.map((slice) => sliceTexts(slice, words).join(' and '));
  return texts.includes('') ? 'everything' : texts.join(' or ');
}

/** Returns what a person sees and may change: "You see Region in North, East and may change Region = North." */
export function ownPartText({ read, write }: OwnPart, words: Labels): string {
  const seen = rowsText(read, words);
  // A territory may allow to change everything that its member sees.
  const changesAll = write.some(isWhole);
  const changed = changesAll ? seen : rowsText(write, words);
  return seen === changed
    ? `You see a part: ${seen}`
    : `You see ${seen}, and may change ${changed}`;
}
