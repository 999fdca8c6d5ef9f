import type { Data } from 'apache-arrow';
import type { ColumnBuilder, FieldRun } from './builder';
import { ByteDictionary, dictionaryData } from './dictionary';
import { GrowingTexts, Validity, grown } from './growing';
import { NULL_FIELD } from './wire';

export class DictionaryBuilder implements ColumnBuilder {
  readonly #dictionary = new ByteDictionary();
  #codes: Int32Array = new Int32Array(0);
  #rows = 0;
  readonly #validity = new Validity();

  append({ memory, starts, lengths, from, rows }: FieldRun): void {
    const codes = (this.#codes = grown(this.#codes, this.#rows + rows));
    const dictionary = this.#dictionary;
    let row = this.#rows;
    for (let i = from; i < from + rows; i++, row++) {
      const length = lengths[i] as number;
      if (length === NULL_FIELD) this.#validity.setNull(row);
      else codes[row] = dictionary.code(memory, starts[i] as number, length);
    }
    this.#rows = row;
  }

  finish(): Data {
    const codes = this.#codes.subarray(0, this.#rows);
    return dictionaryData(codes, this.#validity, this.#dictionary);
  }
}

export class TextBuilder implements ColumnBuilder {
  readonly #texts = new GrowingTexts();
  readonly #validity = new Validity();

  append({ memory, starts, lengths, from, rows }: FieldRun): void {
    for (let i = from; i < from + rows; i++) {
      const length = lengths[i] as number;
      if (length === NULL_FIELD) this.#validity.setNull(this.#texts.length);
      this.#texts.push(memory, starts[i] as number, Math.max(length, 0));
    }
  }

  finish(): Data {
    return this.#texts.finish(this.#validity);
  }
}
