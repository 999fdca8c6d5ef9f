/** Suggestions for the values of a source's columns. */
import { call } from '$lib/client/api';
import { lookalikeLabel } from '$lib/pivot/values/labels';
import { noteTexts } from '$lib/pivot/values/lookalikes';
import { plural } from './format';
import type { ComboboxOption } from './ui/Combobox.svelte';

/** Returns values of a source column that contain a text, frequent ones first, each with its number of rows. */
export async function suggestValues(
  sourceId: number,
  cname: string,
  search: string,
): Promise<ComboboxOption[]> {
  const query = { cname, search, limit: 50 };
  const { values } = await call('GET /sources/{id}/values', { id: sourceId, query });
  noteTexts(values.flatMap(({ value }) => (value === null ? [] : [value])));
  return values.map(({ value, row_count }) => {
    const lookalike = value === null ? undefined : lookalikeLabel(value);
    const rows = plural(row_count, 'row');
    return { value, hint: lookalike === undefined ? rows : `${lookalike}, ${rows}` };
  });
}
