/** Collects the text of a cell from its runs, without the guides to its pronunciation. */

/** The text of one cell, taken from tags and texts as they come. */
export class RichText {
  private value = '';
  private isInText = false;
  private isInGuide = false;

  open(name: string): void {
    if (name === 'rPh') this.isInGuide = true;
    else if (name === 't') this.isInText = !this.isInGuide;
  }

  text(text: string): void {
    if (this.isInText) this.value += text;
  }

  close(name: string): void {
    if (name === 't') this.isInText = false;
    else if (name === 'rPh') this.isInGuide = false;
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
