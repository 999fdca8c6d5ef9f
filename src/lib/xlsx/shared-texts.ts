/** Collects the texts that cells share, without the parts of the file that they were cut from. */
import { WorkbookFault } from './fault';
import { MOST_SHARED_CHARACTERS, MOST_SHARED_TEXTS } from './limits';

/** Number of characters that are copied together. */
const BATCH = 65_536;

/**
 * A list of texts. A text that was cut from a longer one keeps that one in memory, so the texts are copied: the
 * memory that they take depends on their own characters only.
 */
export class SharedTexts {
  private readonly texts: string[] = [];
  /** Those that are not copied yet, and the number of their characters. */
  private fresh: string[] = [];
  private freshLength = 0;
  private length = 0;

  /** @throws WorkbookFault if they are too many or too long */
  add(text: string): void {
    this.length += text.length;
    if (
      this.texts.length + this.fresh.length >= MOST_SHARED_TEXTS ||
      this.length > MOST_SHARED_CHARACTERS
    ) {
      throw new WorkbookFault(
        `The workbook has more than ${MOST_SHARED_TEXTS} different texts, or more than ${MOST_SHARED_CHARACTERS} characters in them; save the sheet as CSV`,
      );
    }
    this.fresh.push(text);
    this.freshLength += text.length;
    if (this.freshLength >= BATCH) this.copy();
  }

  /** Returns all texts in their order. */
  all(): readonly string[] {
    this.copy();
    return this.texts;
  }

  /** Cuts the texts from one that has nothing but them. */
  private copy(): void {
    const copied = copyOf(this.fresh.join(''));
    let at = 0;
    for (const { length } of this.fresh) this.texts.push(copied.slice(at, (at += length)));
    this.fresh = [];
    this.freshLength = 0;
  }
}

/** A text of the same characters in memory of its own. */
const copyOf = (text: string): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text));
