/** Reads an Excel workbook (.xlsx): its sheets, its styles and the texts that cells share. */
import type { ByteSource } from './bytes';
import { damaged, WorkbookFault } from './fault';
import { builtInKind, kindOf, type NumberKind } from './formats';
import { LARGEST_SMALL_PART, LONGEST_CELL, MOST_SHEETS, MOST_STYLES } from './limits';
import { RichText } from './rich-text';
import { SharedTexts } from './shared-texts';
import { SheetReader } from './sheet';
import { attribute, attributeOf, isTrue, readXml } from './xml';
import { Zip } from './zip';

/** A sheet of cells in a workbook. */
export interface SheetName {
  name: string;
  /** Whether the workbook hides it. */
  isHidden: boolean;
  /** The file of the sheet in the archive. Several sheets of a damaged workbook may have one. */
  path: string;
}

/** Files in the archive by the type of their relationship; the types of two editions end alike. */
interface Related {
  type: string;
  path: string;
}

const OLE_SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0];

/** A workbook. Sheets are read from the archive on demand; only shared texts and formats are in memory. */
export class Workbook {
  private styles: readonly NumberKind[] | undefined;
  private texts: readonly string[] | undefined;

  private constructor(
    private readonly zip: Zip,
    private readonly parts: readonly SheetName[],
    private readonly related: ReadonlyMap<string, Related>,
    private readonly is1904: boolean,
  ) {}

  /** Opens a workbook. @throws WorkbookFault with a sentence, if it is none or breaks a limit */
  static async open(source: ByteSource): Promise<Workbook> {
    await refuseOle(source);
    const zip = await Zip.open(source);
    const path = await mainPart(zip);
    const related = await relationships(zip, path);
    const parts: SheetName[] = [];
    let is1904 = false;
    await readXml(zip.read(path, LARGEST_SMALL_PART), path, {
      ...NO_EVENTS,
      places: [SETTINGS, SHEET],
      open(place, attributes, scope) {
        if (place === SETTINGS) {
          is1904 = isTrue(attribute(attributes, 'date1904'));
          return;
        }
        const part = related.get(attributeOf(attributes, scope, '/relationships', 'id') ?? '');
        if (part?.type !== 'worksheet') return;
        parts.push({
          name: attribute(attributes, 'name') ?? '',
          isHidden: HIDDEN_STATES.has(attribute(attributes, 'state') ?? ''),
          path: part.path,
        });
        if (parts.length > MOST_SHEETS) {
          throw new WorkbookFault(`The workbook has more than ${MOST_SHEETS} sheets`);
        }
      },
    });
    if (parts.length === 0) throw new WorkbookFault('The workbook has no sheet with cells');
    return new Workbook(zip, parts, related, is1904);
  }

  /** The sheets with cells, in their order. */
  get sheets(): readonly SheetName[] {
    return this.parts;
  }

  /** Whether it has macros. They are never run or read. */
  get hasMacros(): boolean {
    return this.zip.names.some((name) => name.endsWith('vbaproject.bin'));
  }

  /**
   * Opens a sheet by its position in {@link sheets}. The sheet can be read repeatedly.
   * @throws WorkbookFault
   */
  async sheet(position: number): Promise<SheetReader> {
    const part = this.parts[position];
    if (!part) throw new RangeError(`There is no sheet ${position}`);
    this.styles ??= await this.readStyles();
    this.texts ??= await this.readTexts();
    const { styles, texts, is1904 } = this;
    return new SheetReader(() => this.zip.read(part.path), part.path, { styles, texts, is1904 });
  }

  private pathOf(type: string): string | undefined {
    const found = [...this.related.values()].find((each) => each.type === type);
    return found && this.zip.has(found.path) ? found.path : undefined;
  }

  /** The kind of number of each cell format. */
  private async readStyles(): Promise<NumberKind[]> {
    const path = this.pathOf('styles');
    const kinds: NumberKind[] = [];
    if (path === undefined) return kinds;
    const codes = new Map<string, NumberKind>();
    await readXml(this.zip.read(path, LARGEST_SMALL_PART), path, {
      ...NO_EVENTS,
      places: [FORMAT, CELL_FORMAT],
      open(place, attributes) {
        if (place === FORMAT) {
          const id = attribute(attributes, 'numFmtId') ?? '';
          codes.set(id, kindOf(attribute(attributes, 'formatCode') ?? ''));
          return;
        }
        const id = attribute(attributes, 'numFmtId') ?? '0';
        kinds.push(codes.get(id) ?? builtInKind(Number(id)));
        if (kinds.length > MOST_STYLES) {
          throw new WorkbookFault(`The workbook has more than ${MOST_STYLES} cell formats`);
        }
      },
    });
    return kinds;
  }

  private async readTexts(): Promise<readonly string[]> {
    const path = this.pathOf('sharedStrings');
    const texts = new SharedTexts();
    if (path === undefined) return texts.all();
    const current = new RichText();
    await readXml(this.zip.read(path), path, {
      ...NO_EVENTS,
      // A guide to the pronunciation (rPh) has texts, too.
      places: [SHARED_TEXT, `${SHARED_TEXT}/t`, `${SHARED_TEXT}/r/t`],
      text(text, place) {
        if (place === SHARED_TEXT) return;
        current.add(text);
        if (current.length > LONGEST_CELL) {
          throw new WorkbookFault(`A text has more than ${LONGEST_CELL} characters`);
        }
      },
      close(place) {
        if (place === SHARED_TEXT) texts.add(current.take());
      },
    });
    return texts.all();
  }
}

const NO_EVENTS = { open: () => {}, close: () => {}, text: () => {} };

const SETTINGS = 'workbook/workbookPr';
const SHEET = 'workbook/sheets/sheet';
const FORMAT = 'styleSheet/numFmts/numFmt';
const CELL_FORMAT = 'styleSheet/cellXfs/xf';
const SHARED_TEXT = 'sst/si';
const RELATIONSHIP = 'Relationships/Relationship';

/** A sheet in any other state is visible, as in Excel. */
const HIDDEN_STATES: ReadonlySet<string> = new Set(['hidden', 'veryHidden']);

/** The file of the workbook itself, which the archive names. */
async function mainPart(zip: Zip): Promise<string> {
  if (!zip.has('_rels/.rels')) throw new WorkbookFault(otherArchive(zip));
  const all = await relationships(zip, '');
  const main = [...all.values()].find(({ type }) => type === 'officeDocument');
  if (!main || !zip.has(main.path)) throw damaged('the archive names no workbook');
  if (main.path.endsWith('.bin')) {
    throw new WorkbookFault(
      'The file is a binary workbook (.xlsb), which cannot be read: save it as .xlsx',
    );
  }
  if (/^(word|ppt)\//.test(main.path)) {
    throw new WorkbookFault('The file is a document or presentation, not a workbook');
  }
  return main.path;
}

function otherArchive(zip: Zip): string {
  return zip.has('mimetype') && zip.has('content.xml')
    ? 'The file is an OpenDocument file (.ods), which cannot be read: save it as .xlsx'
    : 'The file is an archive without a workbook';
}

/** What a file in the archive refers to, by id. @param path empty for the archive itself */
async function relationships(zip: Zip, path: string): Promise<Map<string, Related>> {
  const slash = path.lastIndexOf('/') + 1;
  const folder = path.slice(0, slash);
  const list = `${folder}_rels/${path.slice(slash)}.rels`;
  const related = new Map<string, Related>();
  if (!zip.has(list)) return related;
  await readXml(zip.read(list, LARGEST_SMALL_PART), list, {
    ...NO_EVENTS,
    places: [RELATIONSHIP],
    open(_, attributes) {
      if (attribute(attributes, 'TargetMode') === 'External') return;
      const target = attribute(attributes, 'Target') ?? '';
      const type = attribute(attributes, 'Type') ?? '';
      related.set(attribute(attributes, 'Id') ?? '', {
        type: type.slice(type.lastIndexOf('/') + 1),
        path: resolved(target, folder),
      });
    },
  });
  return related;
}

/** The name in the archive of a file that another one in `folder` refers to. */
function resolved(target: string, folder: string): string {
  const names: string[] = [];
  for (const name of (target.startsWith('/') ? target : folder + target).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
}

/** Refuses the container of old workbooks, in which Excel also puts encrypted ones. */
async function refuseOle(source: ByteSource): Promise<void> {
  const start = await source.read(0, Math.min(source.size, 512));
  if (!OLE_SIGNATURE.every((byte, i) => start[i] === byte)) return;
  const view = new DataView(start.buffer);
  // The number of the sector where the directory begins, of 512 bytes each after the header.
  const from = start.length < 512 ? 0 : (view.getUint32(48, true) + 1) * 512;
  const directory =
    from < source.size ? await source.read(from, Math.min(source.size, from + 4096)) : start;
  const text = new TextDecoder('utf-16le').decode(directory);
  throw new WorkbookFault(
    text.includes('EncryptedPackage')
      ? 'The workbook is encrypted: save it without a password'
      : 'The file is an old Excel workbook (.xls), which cannot be read: save it as .xlsx',
  );
}
