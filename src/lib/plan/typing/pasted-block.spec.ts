import { describe, expect, it } from 'vitest';
import { marksOf } from '../../numbers/languages';
import { parseTsv } from '../../pivot/grid/reading/tsv';
import { asLabel, formatOf, isPlainBlock, readPastedBlock, type PastedBlock } from './pasted-block';

const labels = {
  rows: new Set(
    ['Total', 'Furniture', 'Bookcases', 'Chairs', 'Tables', '10023', '10024'].map(asLabel),
  ),
  columns: new Set(['2028', '2029', 'Sales', 'Quantity', '2028 / Sales', 'Jan 2028'].map(asLabel)),
};

const read = (
  clipboard: string,
  language = 'en-US',
  selected: { rows: number; columns: number } | null = null,
) => readPastedBlock(parseTsv(clipboard), { labels, marks: marksOf(language), selected });

/** The numbers of a block; a blank is null, and a fault is its text. */
const numbers = ({ cells }: PastedBlock) =>
  cells.map((row) => row.map(({ value, fault, text }) => (fault === undefined ? value : text)));

/** Texts that programs put on the clipboard: the browser's language, the text, the numbers, and the guesses. */
const CLIPBOARDS: readonly [
  from: string,
  language: string,
  clipboard: string,
  numbers: (number | string | null)[][],
  guessed: { decimal?: '.' | ','; rows?: number; columns?: number },
][] = [
  [
    'Excel in English',
    'en-US',
    '1,204.50\t250\r\n71,000.50\t1,100\r\n',
    [
      [1204.5, 250],
      [71_000.5, 1100],
    ],
    {},
  ],
  [
    'Excel in German, in an English browser',
    'en-US',
    '1.204,50\t250\r\n71.000,5\t1.100\r\n',
    [
      [1204.5, 250],
      [71_000.5, 1100],
    ],
    { decimal: ',' },
  ],
  [
    'Excel in English, in a German browser',
    'de-DE',
    '$1,204.50\t250\r\n($71,000.50)\t1,100\r\n',
    [
      [1204.5, 250],
      [-71_000.5, 1100],
    ],
    { decimal: '.' },
  ],
  [
    'the accounting format of Excel in English',
    'en-US',
    ' $ 1,204.50 \t $ (250.00)\r\n $ -   \t -   \r\n',
    [
      [1204.5, -250],
      [0, 0],
    ],
    {},
  ],
  [
    'the accounting format of Excel in German',
    'en-US',
    ' 1.204,50 € \t-250,00 € \r\n -   € \t 3,00 € \r\n',
    [
      [1204.5, -250],
      [0, 3],
    ],
    { decimal: ',' },
  ],
  [
    'Excel with headings, merged cells and two columns of labels',
    'en-US',
    '\t\t2028\t\t2029\t\r\nCategory\tProduct\tSales\tQuantity\tSales\tQuantity\r\n' +
      'Furniture\tBookcases\t1\t2\t3\t4\r\n\tChairs\t5\t6\t7\t8\r\n',
    [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ],
    { rows: 2, columns: 2 },
  ],
  [
    'Excel with a heading in quotes that has a line end',
    'en-US',
    '"Sales\n(in ""plan"")"\tQuantity\r\n"1,204.50"\t7\r\n',
    [[1204.5, 7]],
    { rows: 1 },
  ],
  [
    'Excel with blank cells and formula errors',
    'en-US',
    '1\t\t3\r\n#N/A\t5\t#DIV/0!\r\n',
    [
      [1, null, 3],
      ['#N/A', 5, '#DIV/0!'],
    ],
    {},
  ],
  ['Excel in scientific format', 'en-US', '1.2E+05\t3E-1\r\n', [[120_000, 0.3]], {}],
  [
    'LibreOffice in French, in an English browser',
    'en-US',
    '1\u202f204,50 €\t-250\n71\u202f000,50 €\t12,5 %\n',
    [
      [1204.5, -250],
      [71_000.5, 0.125],
    ],
    { decimal: ',' },
  ],
  [
    'LibreOffice in French, in a French browser',
    'fr-FR',
    '1\u00a0204,50\t(250)\n71\u202f000,5\t0\n',
    [
      [1204.5, -250],
      [71_000.5, 0],
    ],
    {},
  ],
  [
    'LibreOffice with numeric codes as labels of rows',
    'en-US',
    'Code\tSales\n10023\t500\n10024\t600\n',
    [[500], [600]],
    { rows: 1, columns: 1 },
  ],
  [
    'Google Sheets in Indian English',
    'en-IN',
    '₹1,00,000.00\t12,34,567\n₹98,765.50\t1,204',
    [
      [100_000, 1_234_567],
      [98_765.5, 1204],
    ],
    {},
  ],
  [
    'Google Sheets in Brazilian Portuguese, in an English browser',
    'en-US',
    'R$ 1.204,50\t-R$ 250,00\nR$ 1.000.000,00\t5%',
    [
      [1204.5, -250],
      [1_000_000, 0.05],
    ],
    { decimal: ',' },
  ],
  [
    'Google Sheets in Polish, in an English browser',
    'en-US',
    '1 204,50 zł\t-250,00 zł\n71 000,50 zł\t0,00 zł',
    [
      [1204.5, -250],
      [71_000.5, 0],
    ],
    { decimal: ',' },
  ],
  [
    'a Swedish web page, in an English browser',
    'en-US',
    '\u22121\u00a0204,50 kr\t250 kr\n71\u00a0000 kr\t3,5 kr\n',
    [
      [-1204.5, 250],
      [71_000, 3.5],
    ],
    { decimal: ',' },
  ],
  [
    'a Danish web page, in an English browser',
    'en-US',
    'kr. 1.204,50\t250,00 kr.',
    [[1204.5, 250]],
    { decimal: ',' },
  ],
  [
    'Excel in Swiss German, in an English browser',
    'en-US',
    "1’204.50\tCHF 250.00\r\n-71'000.50\t1'100.–\r\n",
    [
      [1204.5, 250],
      [-71_000.5, 1100],
    ],
    {},
  ],
  [
    'SAP with trailing minuses, in an English browser',
    'en-US',
    '1.204,50-\t250,00 \r\n71.000,50 \t      0,00 \r\n',
    [
      [-1204.5, 250],
      [71_000.5, 0],
    ],
    { decimal: ',' },
  ],
  ['SAP in English with trailing minuses', 'en-US', '1,204.50-\t250.00 \r\n', [[-1204.5, 250]], {}],
  [
    'a web page with marks of text direction',
    'en-US',
    '\u200e-1,204.50\u200e\t\u202a250\u202c\n',
    [[-1204.5, 250]],
    {},
  ],
  [
    'a report with a title, a blank line and rows of several lengths',
    'en-US',
    'Plan of sales\n\n\t2028\t2029\nBookcases\t1\t2\nChairs\t3',
    [
      [1, 2],
      [3, null],
    ],
    { rows: 3, columns: 1 },
  ],
  [
    'this pivot as a whole',
    'en-US',
    '\t2028\t2029\nCategory\tSales\tSales\nTotal\t1\t2\nFurniture\t1\t2',
    [
      [1, 2],
      [1, 2],
    ],
    { rows: 2, columns: 1 },
  ],
  [
    'formulas as text',
    'en-US',
    '=A1*2\t5\n=keep\t+3\n*2\t/2',
    [
      ['=A1*2', 5],
      ['=keep', 3],
      ['*2', '/2'],
    ],
    {},
  ],
];

describe('readPastedBlock', () => {
  it.each(CLIPBOARDS)('reads a copy from %s', (_, language, clipboard, wanted, guessed) => {
    const block = read(clipboard, language);
    expect(numbers(block)).toEqual(wanted);
    const { decimal, rows = 0, columns = 0 } = guessed;
    expect(block.skipped).toEqual({ rows, columns });
    const own = marksOf(language).decimal;
    expect(block.format).toMatchObject({
      decimal: decimal ?? own,
      isForeign: decimal !== undefined,
    });
  });

  it('keeps the copied labels of the grid', () => {
    const { copied } = read(
      '\t\t2028\t\nArea\tProduct\tSales\tQuantity\nFurniture\tChairs\t1\t2\n\tTables\t3\t4',
    );
    expect(copied).toEqual({
      rows: [['Furniture', 'Chairs'], ['Tables']],
      columns: [['2028', 'Sales'], ['Quantity']],
    });
  });

  it('gives the reason of each cell that does not fit', () => {
    expect(read('1\t about 200 ').cells[0]?.[1]?.fault).toBe('“about 200” is not a number.');
    expect(read(`1\t${'x'.repeat(50)}`).cells[0]?.[1]?.fault).toBe(
      `“${'x'.repeat(40)}…” is not a number.`,
    );
    expect(read('1\t9007199254740993').cells[0]?.[1]?.fault).toMatch('too many digits');
  });

  it('leaves blank cells at the end only where they belong to the selection', () => {
    const clipboard = '1\t\t\n\t\t\n';
    expect(numbers(read(clipboard))).toEqual([[1]]);
    expect(numbers(read(clipboard, 'en-US', { rows: 2, columns: 3 }))).toEqual([
      [1, null, null],
      [null, null, null],
    ]);
  });
});

describe('headings', () => {
  const skipped = (clipboard: string, selected?: [rows: number, columns: number]) => {
    const [rows, columns] = selected ?? [];
    const size = rows && columns ? { rows, columns } : null;
    const block = read(clipboard, 'en-US', size);
    return [block.skipped.rows, block.skipped.columns];
  };

  it.each<
    [what: string, clipboard: string, selected: [number, number] | undefined, wanted: number[]]
  >([
    ['texts above a block of another size', 'Plan\n1\n2', [2, 1], [1, 0]],
    ['no text of a block of exactly the selected size', 'open\n1\n2', [3, 1], [0, 0]],
    ['labels of the grid, whatever is selected', 'Chairs\t1\t2', [1, 3], [0, 1]],
    ['years above the numbers', '2028\t2029\n1\t2', undefined, [1, 0]],
    ['no numbers that are labels of other columns', '2030\t2031\n1\t2', undefined, [0, 0]],
    ['no numbers that are labels, in a block of the selected size', '2028\n2029', [2, 1], [0, 0]],
    ['no error of a formula', '#N/A\n1', undefined, [0, 0]],
    ['no row whose numbers are blank', 'Furniture\t\t\nChairs\t1\t2', undefined, [0, 1]],
    [
      'a column without numbers below a label of the grid',
      'Sales\tQuantity\n\t1',
      undefined,
      [1, 0],
    ],
    ['only texts above, where the first column has numbers', 'A\tB\n1\tC', undefined, [1, 0]],
  ])('skips %s', (_, clipboard, selected, wanted) => {
    expect(skipped(clipboard, selected)).toEqual(wanted);
  });
});

describe('formatOf', () => {
  const [english, german, french] = ['en-US', 'de-DE', 'fr-FR'].map(marksOf) as [
    ReturnType<typeof marksOf>,
    ReturnType<typeof marksOf>,
    ReturnType<typeof marksOf>,
  ];

  it.each([
    ['1.204', english, { decimal: '.', isForeign: false, ambiguous: '1.204' }],
    ['1.204', german, { decimal: ',', isForeign: false, ambiguous: '1.204' }],
    ['1,204', english, { decimal: '.', isForeign: false, ambiguous: '1,204' }],
    // A French browser does not write a point in numbers.
    ['1.204', french, { decimal: ',', isForeign: true, ambiguous: '1.204' }],
    ['1 204', english, { decimal: '.', isForeign: false, ambiguous: null }],
    ['1.204 12,5', english, { decimal: ',', isForeign: true, ambiguous: null }],
    ['1.204 12.5', english, { decimal: '.', isForeign: false, ambiguous: null }],
    ['1.204 1.204.567', english, { decimal: ',', isForeign: true, ambiguous: null }],
    ['500', english, { decimal: '.', isForeign: false, ambiguous: null }],
  ])('reads %j as a whole', (texts, marks, format) => {
    const cells = texts === '1 204' ? [texts] : texts.split(' ');
    expect(formatOf(cells, marks)).toEqual(format);
  });

  it('takes the format that the planner has chosen', () => {
    expect(formatOf(['1.204'], english, ',')).toMatchObject({ decimal: ',', isForeign: true });
  });
});

it('knows a block that needs no guess', () => {
  const plain = (clipboard: string) => isPlainBlock(parseTsv(clipboard), marksOf('en-US'));
  expect(['1\t2', '1,204.50', '(5)', '1.204', '500-'].map(plain)).toEqual(Array(5).fill(true));
  expect(plain('5%')).toBe(false);
  expect(['', '1\t', '1\n2\t3', '-', '1.204,50', 'Sales\n1', '=2'].map(plain)).toEqual(
    Array(7).fill(false),
  );
});

it('takes an ISO day, as workbooks have it, for the day that the grid shows', () => {
  expect(asLabel('2027-01-31')).toBe(asLabel('Jan 31, 2027'));
  expect(asLabel('2027-01')).toBe('2027-01');
});
