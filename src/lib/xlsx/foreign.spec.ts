import { describe, expect, it } from 'vitest';
import { filesOf, zipped } from '../../../tests/support/workbook-files';
import { blobBytes } from './bytes';
import { Workbook } from './workbook';

const EDITIONS = {
  transitional: {
    main: 'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
    relations: 'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
  },
  strict: {
    main: 'http://purl.oclc.org/ooxml/spreadsheetml/main',
    relations: 'http://purl.oclc.org/ooxml/officeDocument/relationships',
  },
};
const X15 = 'http://schemas.microsoft.com/office/spreadsheetml/2010/11/main';

interface Parts {
  /** The content of the row. */
  cells: string;
  /** What the workbook has before its sheets. */
  head?: string;
  /** What the workbook has after its sheets. */
  tail?: string;
  /** Attributes of the sheet. */
  sheet?: string;
  styles?: string;
  texts?: string;
}

describe.each(Object.entries(EDITIONS))('A %s workbook', (_, { main, relations }) => {
  /** Opens a workbook whose elements have the prefix `p:` or none. */
  const opened = (parts: Parts, prefix = '') => {
    const { cells, head = '', tail = '', sheet = '', styles = '', texts = '' } = parts;
    const root = (name: string, content: string) => {
      const declared = prefix ? `xmlns:${prefix.slice(0, -1)}` : 'xmlns';
      const own = (text: string) => text.replace(/<(\/?)(?=[a-zA-Z]+[\s/>])/g, `<$1${prefix}`);
      return own(`<${name} ${declared}="${main}" xmlns:q="${relations}">${content}</${name}>`);
    };
    const files = filesOf('', {
      'xl/workbook.xml': root(
        'workbook',
        `${head}<sheets><sheet name="Data" sheetId="1" ${sheet} q:id="s1"/></sheets>${tail}`,
      ),
      'xl/worksheets/sheet1.xml': root(
        'worksheet',
        `<sheetData><row r="1">${cells}</row></sheetData>`,
      ),
      'xl/styles.xml': root('styleSheet', styles),
      'xl/sharedStrings.xml': root('sst', texts),
    });
    return Workbook.open(blobBytes(new Blob([zipped(files)])));
  };

  const read = async (parts: Parts, prefix?: string) => {
    const reader = await (await opened(parts, prefix)).sheet(0);
    const cells: string[] = [];
    for await (const rows of reader.rows()) {
      for (const row of rows) cells.push(...row.cells.map((cell) => `${cell.kind} ${cell.text}`));
    }
    return { cells, facts: reader.facts };
  };
  const cellsOf = async (parts: Parts, prefix?: string) => (await read(parts, prefix)).cells;

  const DATE_STYLES = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>';
  const day = { cells: '<c s="1"><v>44576</v></c>', styles: DATE_STYLES };

  it.each(['', 'p:'])(
    'counts days as its own setting says, with the prefix “%s”',
    async (prefix) => {
      const extension = `<extLst><ext uri="{1}" xmlns:x15="${X15}"><x15:workbookPr chartTrackingRefBase="1"/></ext></extLst>`;
      const head = '<workbookPr date1904="1"/>';
      expect(await cellsOf({ ...day, head, tail: extension }, prefix)).toEqual(['date 2026-01-16']);
      const other = `<extLst><ext uri="{1}" xmlns:x15="${X15}"><x15:workbookPr date1904="1"/></ext></extLst>`;
      expect(await cellsOf({ ...day, head: other }, prefix)).toEqual(['date 2022-01-15']);
      const deeper = '<extLst><ext uri="{1}"><workbookPr date1904="1"/></ext></extLst>';
      expect(await cellsOf({ ...day, tail: deeper }, prefix)).toEqual(['date 2022-01-15']);
    },
  );

  it('takes formats from their lists only', async () => {
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="0.00"/></numFmts>
      <cellXfs><xf numFmtId="164"/></cellXfs>
      <dxfs><dxf><numFmt numFmtId="164" formatCode="yyyy"/></dxf></dxfs>
      <extLst><ext xmlns:x14="urn:x14"><x14:cellXfs><x14:xf numFmtId="14"/></x14:cellXfs></ext></extLst>`;
    expect(await cellsOf({ cells: '<c s="0"><v>44576</v></c>', styles })).toEqual(['number 44576']);
  });

  it('passes over sheets, cells and texts of other namespaces', async () => {
    const tail = '<o:sheets xmlns:o="urn:o"><o:sheet name="Other" q:id="s1"/></o:sheets>';
    const cells = `<c r="A1"><v>1</v><o:v xmlns:o="urn:o">2</o:v></c><c r="B1" xmlns="urn:o"><v>3</v></c>
      <c r="C1" t="s"><v>0</v></c><c r="D1" t="inlineStr"><is><t>in</t><o:t xmlns:o="urn:o">out</o:t></is></c>`;
    const texts =
      '<si><t>one</t></si><extLst><ext xmlns:o="urn:o"><o:si><o:t>no</o:t></o:si></ext></extLst>';
    const workbook = await opened({ cells, tail, texts });
    expect(workbook.sheets.map(({ name }) => name)).toEqual(['Data']);
    expect(await cellsOf({ cells, tail, texts })).toEqual(['number 1', 'text one', 'text in']);
  });

  it('takes attributes without a prefix', async () => {
    const cells = '<c x:s="0" x:r="C1" x:t="b" xmlns:x="urn:x" s="1"><v>44576</v></c>';
    expect(await cellsOf({ ...day, cells })).toEqual(['date 2022-01-15']);
  });

  it.each(['show', 'visible', 'Hidden?', ''])(
    'shows a sheet whose state is “%s”',
    async (state) => {
      const workbook = await opened({ cells: '', sheet: `state="${state}"` });
      expect(workbook.sheets.map(({ isHidden }) => isHidden)).toEqual([false]);
    },
  );

  it.each(['hidden', 'veryHidden'])('hides a sheet whose state is “%s”', async (state) => {
    const workbook = await opened({ cells: '', sheet: `state="${state}"` });
    expect(workbook.sheets.map(({ isHidden }) => isHidden)).toEqual([true]);
  });

  it.each(['<v/>', '<v></v>', '<v> </v>', '<v>\n</v>', '', '<f>A1</f><v/>'])(
    'reads no value in a cell with %s',
    async (value) => {
      const types = ['s', 'b', 'n', 'd', 'e'];
      const cells = types.map((type) => `<c t="${type}">${value}</c>`).join('');
      const { cells: found } = await read({ cells, texts: '<si><t>first</t></si>' });
      expect(found.filter((cell) => !cell.startsWith('unknown'))).toEqual([]);
    },
  );

  it.each([
    ['<c t="s"><v> 1 </v></c>', 'text two'],
    ['<c t="b"><v> 1 </v></c>', 'boolean true'],
    ['<c t="b"><v>true</v></c>', 'boolean true'],
    ['<c t="b"><v>TRUE</v></c>', 'boolean true'],
    ['<c t="b"><v>0</v></c>', 'boolean false'],
    ['<c t="n"><v> 5 </v></c>', 'number 5'],
    ['<c><v>+5</v></c>', 'number 5'],
    ['<c><v>5.</v></c>', 'number 5'],
    ['<c><v>-.5</v></c>', 'number -0.5'],
    ['<c t="d"><v>2027-01-31</v></c>', 'date 2027-01-31'],
    ['<c t="d"><v> 2027-01-31T00:00:00.000Z </v></c>', 'date 2027-01-31'],
    ['<c t="d"><v>2027-01-31T12:30:00Z</v></c>', 'date 2027-01-31 12:30:00'],
    ['<c t="d"><v>T12:30:00</v></c>', 'text 12:30:00'],
    ['<c t="d"><v>12:30</v></c>', 'text 12:30'],
    ['<c t="e"><v> #N/A </v></c>', 'error #N/A'],
    ['<c t="str"><v> a </v></c>', 'text  a '],
  ])('reads %s as %s', async (cell, value) => {
    const texts = '<si><t>one</t></si><si><t>two</t></si>';
    expect(await cellsOf({ cells: cell, texts })).toEqual([value]);
  });

  it.each(['<c><v>0x10</v></c>', '<c><v>1,5</v></c>', '<c t="b"><v>maybe</v></c>'])(
    'refuses %s',
    async (cells) => {
      await expect(cellsOf({ cells })).rejects.toThrow(/damaged: A1 has “/);
    },
  );

  it('leaves a cell empty whose text is below the first, and says so', async () => {
    const { cells, facts } = await read({
      cells: '<c r="A1" t="s"><v>-1</v></c><c r="B1" t="s"><v>0</v></c>',
      texts: '<si><t>one</t></si>',
    });
    expect(cells).toEqual(['text one']);
    expect(facts).toMatchObject({ lost: 1, firstLost: 'A1' });
  });

  it('reads the line ends of XML as line feeds', async () => {
    const texts = '<si><t>a\r\nb\rc&#13;\nd<![CDATA[\r\ne]]></t></si>';
    expect(await cellsOf({ cells: '<c t="s"><v>0</v></c>', texts })).toEqual([
      'text a\nb\nc\r\nd\ne',
    ]);
  });
});
