/** Collects the text of a cell from its runs. */

/** The text of one cell, taken from its runs as they come. */
export class RichText {
  private value = '';

  add(text: string): void {
    this.value += text;
  }

  get length(): number {
    return this.value.length;
  }

  /** Returns the text and begins the next one. */
  take(): string {
    const text = withControlCharacters(this.value);
    this.value = '';
    return text;
  }
}

/** Replaces the codes of characters that XML cannot contain, such as `_x0007_`. */
export function withControlCharacters(text: string): string {
  if (!text.includes('_x')) return text;
  return text
    .replace(/_x([\da-fA-F]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    .toWellFormed();
}
