/** The formula that is being written: its text, its fault, and its results on real rows. */
import * as api from '../../client/api';
import { evaluate, nameInExpression, parseExpression } from '../../contract/formula-expression';
import {
  type CheckedFormula,
  decimalsOfFormat,
  type FormulaFormat,
  measureNames,
  MOST_DECIMALS,
} from '../../contract/formulas';
import type { SampleRow } from '../../pivot/table/sample-sums';
import type { Loading } from '../version/loading.svelte';
import type { PlannedVersion } from '../version/planned-version.svelte';

/** The beginning of a name before the caret: an identifier, or a quoted name without its closing quote. */
const WORD = /(?:"(?:[^"]|"")*|[\p{L}_][\p{L}\p{M}\p{N}_]*)$/u;

/** The formula that is being written. */
export class FormulaDraft {
  /** The stored formula that is being changed; null for a new one. */
  stored = $state.raw<CheckedFormula | null>(null);
  name = $state('');
  text = $state('');
  style = $state<FormulaFormat['style']>('number');
  currency = $state('');
  decimals = $state.raw<number | null>(null);
  /** The sums of the measures in all rows and in the first groups; empty until they are read. */
  private sample = $state.raw<readonly SampleRow[]>([]);

  /** The measures that the expression may use, in the order of the columns. */
  readonly measures: readonly string[];
  private readonly parsed = $derived.by(() => parseExpression(this.text, this.measures));
  /** The fault in the text; null if there is none, or no text. */
  readonly fault = $derived.by(() => (this.text.trim() === '' ? null : this.parsed.fault));
  /** Whether the chosen decimals cannot be used. */
  readonly hasWrongDecimals = $derived.by(
    () =>
      this.decimals !== null &&
      !(Number.isInteger(this.decimals) && this.decimals >= 0 && this.decimals <= MOST_DECIMALS),
  );
  readonly format: FormulaFormat = $derived.by(() => ({
    style: this.style,
    ...(this.style === 'currency' && { currency: this.currency.trim().toUpperCase() }),
    ...(this.decimals !== null && !this.hasWrongDecimals && { decimals: this.decimals }),
  }));
  /** The decimals with which the results are written. */
  readonly shownDecimals = $derived.by(() => decimalsOfFormat(this.format));
  /** The results on real rows; null while the text has a fault. */
  readonly results = $derived.by(() => {
    const { expression } = this.parsed;
    if (!expression) return null;
    return this.sample.map(({ label, sums }) => ({
      label,
      result: evaluate(expression, (measure) => sums.get(measure) ?? null),
    }));
  });

  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
  ) {
    this.measures = measureNames(planned.columns);
  }

  /** The formulas of the source. */
  get all(): readonly CheckedFormula[] {
    return this.loading.formulas;
  }

  /** Begins with a stored formula, or with an empty one (null). */
  begin(formula: CheckedFormula | null): void {
    this.stored = formula;
    this.name = formula?.name ?? '';
    this.text = formula?.expression ?? '';
    this.style = formula?.format.style ?? 'number';
    this.currency = formula?.format.currency ?? 'EUR';
    this.decimals = formula?.format.decimals ?? null;
  }

  /** Reads the sums on which results are shown. */
  async readSample(): Promise<void> {
    this.sample = (await this.loading.pivot?.sampleSums(this.measures)) ?? [];
  }

  /** Returns the measures that continue the word before the caret; all of them if there is no word. */
  offered(caret: number): { word: string; names: readonly string[] } {
    const [word = ''] = WORD.exec(this.text.slice(0, caret)) ?? [];
    const begun = word.replace(/^"/, '').replaceAll('""', '"').toLowerCase();
    const names = this.measures.filter((name) => name.toLowerCase().startsWith(begun));
    const isWhole = word !== '' && names.some((name) => nameInExpression(name) === word);
    return isWhole ? { word: '', names: [] } : { word, names };
  }

  /** Puts a measure in place of the word before the caret. @returns the new place of the caret */
  insert(name: string, caret: number): number {
    const { word } = this.offered(caret);
    const before = this.text.slice(0, caret - word.length) + nameInExpression(name);
    this.text = before + this.text.slice(caret);
    return before.length;
  }

  /** Stores the formula. @throws ApiError with the service's sentence */
  async save(pf_user: string): Promise<void> {
    const body = { name: this.name.trim(), expression: this.text, format: this.format };
    await (this.stored
      ? api.call('PATCH /formulas/{id}', { id: this.stored.id, body })
      : api.call('POST /sources/{id}/formulas', {
          id: this.planned.source.id,
          body: { ...body, pf_user },
        }));
  }

  /** Deletes the stored formula. @throws ApiError */
  async remove(): Promise<void> {
    if (this.stored) await api.call('DELETE /formulas/{id}', { id: this.stored.id });
  }
}
