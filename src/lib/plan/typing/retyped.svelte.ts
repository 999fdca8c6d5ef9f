/** The text of a refused amount that the cell editor is to show again. */

/** Set by the button of a refusal, taken by the editor of the selected cell. */
export class Retyped {
  text = $state<string | null>(null);

  /** Returns the text once; null if there is none. */
  take(): string | null {
    const { text } = this;
    this.text = null;
    return text;
  }
}
