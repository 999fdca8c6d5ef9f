import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { PROJECT } from '../../src/cli/prepare.js';

/** Formats a number for the documents: with commas between thousands. */
export const count = (value: number): string => value.toLocaleString('en-US');

/** Formats milliseconds in a suitable unit. */
export const time = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 100_000 ? `${(ms / 1000).toPrecision(2)} s` : `${count(Math.round(ms / 1000))} s`;
};

/** Returns a Markdown table; all columns but the first are aligned to the right. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

/**
 * Writes sections into a document, each between its two marks, and formats it.
 *
 * @param name of the document in `docs`
 * @param to the file to write
 * @throws Error if a mark is missing
 */
export async function putSections(
  name: string,
  sections: Readonly<Record<string, string>>,
  to = join(PROJECT, 'docs', name),
): Promise<void> {
  const from = join(PROJECT, 'docs', name);
  let text = readFileSync(from, 'utf8');
  for (const [mark, body] of Object.entries(sections)) {
    const place = new RegExp(`(<!-- ${mark} -->)[^]*?(<!-- end -->)`);
    if (!place.test(text)) throw new Error(`docs/${name} has no place for ${mark}`);
    text = text.replace(place, (_, begin: string, end: string) => `${begin}\n\n${body}\n\n${end}`);
  }
  const options = await resolveConfig(from);
  writeFileSync(to, await format(text, { ...options, parser: 'markdown' }));
}
