/** Texts of territories. */
import { readsPart, type OwnPart } from '$lib/contract/territories';
import { isWhole, type Slice } from '$lib/contract/slices';
import { type Labels, rowsText, sliceText } from './pivot/text/slice-text';

/**
 * Returns the rows of a slice that a person selects: "Region = West". The whole version is "All that you see: Region in
 * North, East" for a person who sees a part, whose operations and reviews have no other rows.
 */
export function selectedText(
  slice: Slice,
  words: Labels & { source: { territory?: OwnPart | undefined } },
): string {
  const { territory } = words.source;
  return isWhole(slice) && territory && readsPart(words.source)
    ? `All that you see: ${rowsText(territory.read, words)}`
    : sliceText(slice, words);
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
