/** Cell styles of a workbook. */
import { texts, xml } from './sheet-xml';

/**
 * The style of a cell. Equal styles should share one object, because styles are cached by object identity.
 */
export interface CellStyle {
  /** Excel number format; `General` if undefined. */
  readonly format?: string | undefined;
  readonly bold?: boolean | undefined;
  /** Indentation of the text, in steps. */
  readonly indent?: number | undefined;
  readonly align?: 'left' | 'right' | undefined;
  /** Whether long texts wrap. */
  readonly wraps?: boolean | undefined;
  /** Colour behind the cell, as six hexadecimal digits. */
  readonly fill?: string | undefined;
  /** Prevents a text that begins like a formula from becoming one when it is edited. */
  readonly isText?: boolean | undefined;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
/** Lower numbers are Excel's built-in formats. */
const FIRST_FORMAT = 164;
/** Largest indentation that Excel allows. */
const MOST_INDENT = 250;

/** Collects the styles that the cells of a workbook use. */
export class Styles {
  private readonly ids = new Map<string, number>([['{}', 0]]);
  private readonly known = new WeakMap<CellStyle, number>();
  private readonly all: CellStyle[] = [{}];

  /** Returns the number of a style in the workbook, adding it if it is new. */
  idOf(style: CellStyle): number {
    const known = this.known.get(style);
    if (known !== undefined) return known;
    const key = JSON.stringify(style);
    let id = this.ids.get(key);
    if (id === undefined) {
      id = this.all.push(style) - 1;
      this.ids.set(key, id);
    }
    this.known.set(style, id);
    return id;
  }

  /** Returns the workbook's style file with the styles used so far. */
  xml(): string {
    const codes = [...new Set(this.all.flatMap(({ format }) => format ?? []))];
    const formats = codes.map(
      (code, i) => `<numFmt numFmtId="${FIRST_FORMAT + i}" formatCode="${texts.attribute(code)}"/>`,
    );
    const fills = [...new Set(this.all.flatMap(({ fill }) => fill ?? []))];
    const cells = this.all.map(({ format, bold, indent = 0, align, wraps, fill, isText }) => {
      const number = format === undefined ? 0 : FIRST_FORMAT + codes.indexOf(format);
      const placing = [
        align && ` horizontal="${align}"`,
        indent > 0 && ` indent="${Math.min(indent, MOST_INDENT)}"`,
        wraps && ' vertical="top" wrapText="1"',
      ].filter((part) => part);
      // Excel reserves the first two fills.
      const fillId = fill === undefined ? 0 : 2 + fills.indexOf(fill);
      return `<xf numFmtId="${number}" fontId="${bold ? 1 : 0}" fillId="${fillId}" borderId="0" xfId="0"${
        fill === undefined ? '' : ' applyFill="1"'
      }${isText ? ' quotePrefix="1"' : ''} applyNumberFormat="1" applyFont="1"${
        placing.length > 0 ? ` applyAlignment="1"><alignment${placing.join('')}/></xf>` : '/>'
      }`;
    });
    const font = '<sz val="11"/><name val="Calibri"/><family val="2"/>';
    return xml(`<styleSheet xmlns="${MAIN}">
${formats.length > 0 ? `<numFmts count="${formats.length}">${formats.join('')}</numFmts>` : ''}
<fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts>
<fills count="${2 + fills.length}"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>${fills
      .map(
        (colour) =>
          `<fill><patternFill patternType="solid"><fgColor rgb="FF${colour}"/></patternFill></fill>`,
      )
      .join('')}</fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="${cells.length}">${cells.join('')}</cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>
</styleSheet>`);
  }
}
