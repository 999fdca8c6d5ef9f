import { describe, expect, it } from 'vitest';
import { roundTo } from '../../contract/decimals';
import { marksOf } from '../../numbers/languages';
import { formatNumber } from '../../components/number-text';
import { plural } from '../../components/format';
import { parseTsv } from '../../pivot/grid/reading/tsv';
import type { MarkedCell } from '../../pivot/slice/cell';
import { placePasted } from './block-edits';
import {
  askedBy,
  faultText,
  guessTexts,
  isGuessed,
  misplacedIn,
  type Percents,
  proposalOf,
  readingText,
  withFaults,
} from './paste-proposal';
import { formatOf, readPastedBlock } from './pasted-block';

/**
 * The proposal of a clipboard that lands on cells with the number 1.
 *
 * @param decimals of the column; Infinity if its type fixes none
 */
function proposed(
  clipboard: string,
  language = 'en-US',
  decimals = Infinity,
  percents: Percents | null = null,
) {
  const texts = parseTsv(clipboard);
  const labels = { rows: new Set<string>(), columns: new Set<string>() };
  const block = readPastedBlock(texts, { labels, marks: marksOf(language), selected: null });
  const marked = block.cells.flatMap((row, y) =>
    row.map((_, x): MarkedCell => {
      const path = { rowPath: [String(y)], columnPath: [String(x)], measure: 'Sales' };
      return { ...path, value: 1, aggregate: 'sum', at: { x, y } };
    }),
  );
  const placed = placePasted(block.cells, marked);
  const storedAs = (_: MarkedCell, total: number) =>
    decimals === Infinity ? total : roundTo(total, decimals);
  return proposalOf(texts, block, 'landed' in placed ? placed.landed : [], storedAs, [], percents);
}
const texts = (clipboard: string, language?: string, decimals?: number) => {
  const proposal = proposed(clipboard, language, decimals);
  return [...guessTexts(proposal, plural, formatNumber), faultText(proposal, plural)];
};

describe('a proposal', () => {
  it.each([
    ['1.204,50\n3', [/decimal comma: “1.204,50” is 1,204.5\.$/, null]],
    ['A\tB\n1\t2', ['Headings are skipped: 1 row.', null]],
    ['Plan\n\tA\nX\t1\nY\t2', ['Headings are skipped: 2 rows and 1 column.', null]],
    ['1\t-\n\t-', ['Read as 0: 2 accounting dashes.', 'Left as they are: 1 blank cell.', null]],
    ['1\n=2', ['Not written: 1 cell that does not fit. “=2” is not a number.']],
    [
      '1\n=2\n=2\na\nb\nc',
      [
        /^Not written: 5 cells that do not fit\. “=2” .* “b” is not a number\. And 1 more reason\.$/,
      ],
    ],
    ['1,204\n\n5', [/^The comma in “1,204” was read as a thousands separator\.$/, /blank/, null]],
  ])('of %j says what was guessed', (clipboard, wanted) => {
    expect(texts(clipboard)).toEqual(
      wanted.map((text) => (text instanceof RegExp ? expect.stringMatching(text) : text)),
    );
    expect(isGuessed(proposed(clipboard))).toBe(true);
  });

  it('says which numbers are rounded to the decimals of their column', () => {
    expect(texts('1.2045\n2\n3.0055', 'en-US', 2)).toEqual([
      'Rounded to the decimals of the column: “1.2045” to 1.2, and 1 more.',
      null,
    ]);
    expect(isGuessed(proposed('1.204', 'en-US', 2))).toBe(true);
    expect(isGuessed(proposed('1.2\n63269.06999999999', 'en-US', 2))).toBe(false);
    expect(askedBy(proposed('1.204', 'en-US', 2))[0]?.edit).toEqual({ by: 'total', amount: 1.2 });
  });

  it('has no guess if all cells are numbers in the format of the browser', () => {
    expect(isGuessed(proposed('1\t1.204\n(5)\t5%'))).toBe(false);
    expect(isGuessed(proposed('1.204,50 €', 'de-DE'))).toBe(false);
  });

  it('asks what percent signs mean, and shows the effect of each meaning', () => {
    const change = proposed('10%\t-2.5 %\n3', 'en-US', 2, 'change');
    expect(isGuessed(change)).toBe(true);
    expect(change.cells.map(({ after }) => after)).toEqual([1.1, 0.98, 3, null]);
    expect(askedBy(change).map(({ edit }) => edit)).toEqual([
      { by: 'percent', amount: 10 },
      { by: 'percent', amount: -2.5 },
      { by: 'total', amount: 3 },
    ]);
    expect(guessTexts(change, plural, formatNumber)[0]).toBe(
      '“10%” was read as a change of the amount.',
    );
    const number = proposed('10%', 'en-US', 2, 'number');
    expect(isGuessed(number)).toBe(true);
    expect(askedBy(number)[0]?.edit).toEqual({ by: 'total', amount: 0.1 });
    expect(guessTexts(number, plural, formatNumber)[0]).toBe('“10%” was read as the number 0.1.');
  });

  it('writes the cells that fit', () => {
    const block = proposed('1\t2\n\tn/a');
    const proposal = withFaults(
      block,
      block.cells.map(({ cell, after }) => [cell, after === 2 ? 'It is locked.' : null] as const),
    );
    expect(askedBy(proposal).map(({ edit }) => edit)).toEqual([{ by: 'total', amount: 1 }]);
    expect(proposal.cells.map(({ fault }) => fault)).toEqual([
      null,
      'It is locked.',
      null,
      '“n/a” is not a number.',
    ]);
  });
});

it('says how an ambiguous number is read', () => {
  const reading = (text: string, language: string) =>
    readingText(formatOf([text], marksOf(language)));
  expect(reading('1.204', 'en-US')).toBe('The point in “1.204” was read as the decimal sign.');
  expect(reading('1.204', 'de-DE')).toBe('The point in “1.204” was read as a thousands separator.');
  expect(reading('1,204', 'de-DE')).toBe('The comma in “1,204” was read as the decimal sign.');
  expect(reading('1,204.5', 'en-US')).toBeNull();
  // The point of a currency is no separator.
  expect(reading('Fr. 1,204', 'en-US')).toBe(
    'The comma in “Fr. 1,204” was read as a thousands separator.',
  );
});

it('finds copied labels that land in another row or column', () => {
  const headers = ['Furniture / Bookcases', 'Furniture / Chairs', null];
  expect(misplacedIn([['Furniture', 'chairs'], ['Chairs'], ['Tables']], headers)).toEqual([
    { label: 'chairs', header: 'Furniture / Bookcases' },
  ]);
  const proposal = { ...proposed('1'), misplaced: [{ label: 'Chairs', header: headers[0] ?? '' }] };
  expect(guessTexts(proposal, plural, formatNumber)).toEqual([
    'Copied from elsewhere: the numbers of “Chairs” land in Furniture / Bookcases.',
  ]);
});
