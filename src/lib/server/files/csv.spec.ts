import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_CELL } from '../../xlsx/limits';
import { CsvReader, MOST_COLUMNS } from './csv';

/** Reads a text that arrives in parts of a length. */
function read(text: string, length = 7, delimiter = ','): [line: number, ...cells: string[]][] {
  const reader = new CsvReader(delimiter);
  const rows = [];
  for (let i = 0; i < text.length; i += length)
    rows.push(...reader.take(text.slice(i, i + length)));
  rows.push(...reader.end());
  return rows.map(({ cells, line }) => [line, ...cells]);
}

describe('Rows of cells', () => {
  it.each([
    [
      'LF',
      'a,b\n1,2\n',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'CR LF',
      'a,b\r\n1,2\r\n',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'CR alone',
      'a,b\r1,2\r',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'no end of the last line',
      'a\n1',
      [
        [1, 'a'],
        [2, '1'],
      ],
    ],
    [
      'blank lines, which are no rows',
      'a\n\n\nb',
      [
        [1, 'a'],
        [4, 'b'],
      ],
    ],
    ['empty cells', 'a,,\n', [[1, 'a', '', '']]],
    ['quotes', '"a,b","say ""hi"""\n', [[1, 'a,b', 'say "hi"']]],
    [
      'line ends in quotes',
      '"a\r\nb\nc\rd",e\nf',
      [
        [1, 'a\r\nb\nc\rd', 'e'],
        [5, 'f'],
      ],
    ],
    ['a quote inside a cell', '5" pipe,x\n', [[1, '5" pipe', 'x']]],
    ['text after a quote', '"a"b,c\n', [[1, 'ab', 'c']]],
    [
      'CR before a closing quote',
      '"a\r"\nb',
      [
        [1, 'a\r'],
        [3, 'b'],
      ],
    ],
    [
      'an empty quoted cell at the end',
      'a\n""',
      [
        [1, 'a'],
        [2, ''],
      ],
    ],
  ])('are read with %s', (_, text, rows) => {
    for (const length of [1, 2, 7, 1000]) expect(read(text, length)).toEqual(rows);
  });

  it('are read as they were written, in any parts', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '€') });
    const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1 });
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 9 }), (rows, length) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const text = rows.map((cells) => cells.map(quoted).join(',')).join('\r\n');
        expect(read(text, length).map(([, ...cells]) => cells)).toEqual(rows);
      }),
    );
  });

  it.each([
    [
      'a quote that is never closed',
      'a\n"b\nc',
      'line 2: a quote opens a cell and is never closed',
    ],
    ['U+0000', 'a\nb\0', 'line 2: the text contains the character U+0000'],
    [
      'a million columns',
      ','.repeat(1_000_000),
      `line 1: a row has more than ${MOST_COLUMNS} cells`,
    ],
    [
      'an endless cell',
      'a'.repeat(LONGEST_CELL + 1),
      'line 1: a cell has more than 100000 characters',
    ],
    [
      'an endless quoted cell',
      `a\n"${'b\n'.repeat(LONGEST_CELL)}`,
      'line 2: a cell has more than 100000 characters; a quote that opens it may not be closed',
    ],
    [
      'an endless row',
      'a,'.concat('b'.repeat(90_000), ',').repeat(12),
      'line 1: a row has more than 1000000 characters',
    ],
  ])('are refused with %s', (_, text, problem) => {
    expect(() => read(text, 1000)).toThrow(`The file cannot be read: ${problem}`);
  });
});
