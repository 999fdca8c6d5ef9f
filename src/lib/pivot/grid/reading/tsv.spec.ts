import { describe, expect, it } from 'vitest';
import { parseTsv, printTsv } from './tsv';

describe('parseTsv', () => {
  it.each([
    ['one cell', '12', [['12']]],
    [
      'rows and columns',
      '1\t2\n3\t4',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      'the end of the last line, as Windows writes it',
      '1\t2\r\n3\t4\r\n',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['old line ends', '1\r2\r', [['1'], ['2']]],
    [
      'empty cells',
      '\t1\n\t\n',
      [
        ['', '1'],
        ['', ''],
      ],
    ],
    ['an empty line between', '1\n\n2', [['1'], [''], ['2']]],
    [
      'quotes around tabs, line ends and quotes',
      '"a\tb"\t"c\r\nd"\n"say ""x"""\t1',
      [
        ['a\tb', 'c\r\nd'],
        ['say "x"', '1'],
      ],
    ],
    ['a quote inside', '5" pipe\t1', [['5" pipe', '1']]],
    ['a quote that does not end', '"open\t1', [['"open', '1']]],
    ['thousands marks', '1,204.50\t-3', [['1,204.50', '-3']]],
    ['nothing', '', []],
  ])('reads %s', (_, text, rows) => {
    expect(parseTsv(text)).toEqual(rows);
  });
});

describe('printTsv', () => {
  it('writes text that parses back to the same rows', () => {
    const rows = [
      ['a\tb', 'c "d"', 'e\nf'],
      ['', '1204,5', ''],
    ];
    expect(
      printTsv([
        ['1', '2'],
        ['', '3'],
      ]),
    ).toBe('1\t2\n\t3');
    expect(parseTsv(printTsv(rows))).toEqual(rows);
  });

  it('protects texts that a spreadsheet would run, and no numbers', () => {
    const rows = [['=HYPERLINK("http://x")', '-1,204.50', '@a', '+b', '-c']];
    const text = printTsv(rows);
    expect(text).toBe(`"'=HYPERLINK(""http://x"")"\t-1,204.50\t'@a\t'+b\t'-c`);
    expect(parseTsv(text)).toEqual(rows);
  });
});
