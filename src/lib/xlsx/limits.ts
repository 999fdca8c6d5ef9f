/** Limits for reading workbooks and other files, and of Excel itself. */

/** Files in the archive. */
export const MOST_ENTRIES = 10_000;
/** Bytes of the list of files in the archive. */
export const LARGEST_DIRECTORY = 4 * 2 ** 20;
/** Unpacked bytes of all parts that are read once. */
export const MOST_UNPACKED = 2 ** 31;
/** Unpacked bytes of a part that describes the workbook. */
export const LARGEST_SMALL_PART = 16 * 2 ** 20;
/** Unpacked bytes from which the ratio of unpacked to packed bytes is limited. */
export const RATIO_FROM = 64 * 2 ** 20;
/** Highest ratio of unpacked to packed bytes of a part. */
export const HIGHEST_RATIO = 250;

/** Texts that cells share, and their characters. They are in memory while a sheet is read. */
export const MOST_SHARED_TEXTS = 2_000_000;
export const MOST_SHARED_CHARACTERS = 32_000_000;

export const MOST_SHEETS = 1_000;
/** Limits of an Excel sheet. */
export const MOST_ROWS = 1_048_576;
export const MOST_COLUMNS = 16_384;
/** Characters that Excel allows in a cell. */
export const LONGEST_EXCEL_CELL = 32_767;
/** Formats of cells. */
export const MOST_STYLES = 65_536;
/** Characters of a cell of a file, and of all cells of a row. */
export const LONGEST_CELL = 100_000;
export const LONGEST_ROW = 1_000_000;
/** Characters of a comment or text of the XML, and of a tag with its attributes. */
export const LONGEST_TOKEN = 1_000_000;
export const LONGEST_TAG = 65_536;
