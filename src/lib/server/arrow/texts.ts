/** Builders of columns of texts. */
import type { Data } from 'apache-arrow';
import type { ColumnBuilder, FieldRun } from './builder';
import { ByteDictionary, dictionaryData } from './dictionary';
import { GrowingTexts, grown, integersOf, used, Validity } from './growing';
import { NULL_FIELD } from './wire';

/** Builds texts that repeat: each distinct text once, and one code per row. */
export class DictionaryBuilder implements ColumnBuilder {
  private readonly dictionary = new ByteDictionary();
  private codes = integersOf(0);
  private rows = 0;
  private readonly validity = new Validity();

  get bytes(): number {
    return this.codes.byteLength + this.dictionary.bytes + this.validity.bytes;
  }

  append(run: FieldRun): void {
    const { memory, rows, expected } = run;
    const codes = (this.codes = grown(this.codes, this.rows + rows, integersOf, expected));
    const dictionary = this.dictionary;
    let row = this.rows;
    for (let i = 0; i < rows; i++, row++) {
      const length = run.length(i);
      if (length === NULL_FIELD) this.validity.setNull(row);
      else codes[row] = dictionary.code(memory, run.start(i), length);
    }
    this.rows = row;
  }

  finish(): Data {
    const codes = used(this.codes, this.rows);
    return dictionaryData(codes, this.validity.finish(codes.length), this.dictionary.finish());
  }
}

/** Builds texts that hardly repeat: one text per row. */
export class TextBuilder implements ColumnBuilder {
  private readonly texts = new GrowingTexts();
  private readonly validity = new Validity();

  get bytes(): number {
    return this.texts.bytes + this.validity.bytes;
  }

  append(run: FieldRun): void {
    const { memory, rows } = run;
    for (let i = 0; i < rows; i++) {
      const length = run.length(i);
      if (length === NULL_FIELD) this.validity.setNull(this.texts.length);
      this.texts.push(memory, run.start(i), Math.max(length, 0));
    }
  }

  finish(): Data {
    return this.texts.finish(this.validity);
  }
}
