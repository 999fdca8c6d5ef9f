/** A file that is to become a table: the choices about it and its preview. */
import { type FileChoices, type FileTarget, makeTable, previewFile } from '$lib/client/files';
import { ApiError } from '$lib/client/http';
import { Latest } from '$lib/client/latest.svelte';
import { messageOf } from '$lib/client/message-of';
import { formatCount, formatSize, plural } from '../format';
import type {
  FileMonths,
  FilePreview,
  FileTable,
  FileType,
  FileWorkbook,
} from '$lib/contract/files';
import { blobBytes } from '$lib/xlsx/bytes';

/** Delay between a choice and its preview, in which other choices may follow. */
const PAUSE_MS = 350;

/** How a file is read. */
export type FileOptions = Pick<
  FilePreview,
  | 'encoding'
  | 'delimiter'
  | 'start'
  | 'header'
  | 'decimal'
  | 'date_order'
  | 'unsure'
  | 'workbook'
  | 'months'
>;

/** The choices that change which columns the table has. */
const OTHER_TABLES = [
  ...(['delimiter', 'encoding', 'sheet', 'months', 'first_line'] as const),
  ...(['missing_name', 'totals'] as const),
] as const;

/** The options of a file in which nothing was recognised yet. */
const UNKNOWN: FileOptions = {
  encoding: 'utf-8',
  delimiter: 'comma',
  header: 'yes',
  decimal: 'point',
  date_order: 'ymd',
  unsure: [],
};

/** A file, the choices about it, and what the service recognises in it. */
export class FileDraft {
  file = $state.raw<File | null>(null);
  /** Whether the rows of the preview that do not fit are left out. Each preview asks for it again. */
  leaveOut = $state(false);
  /** Number of bytes of the file that are sent. */
  sent = $state(0);
  isMaking = $state(false);
  failure = $state<string | null>(null);
  /** The problem with the name. */
  nameFault = $state<string | null>(null);

  private typedName = $state('');
  private choices = $state.raw<FileChoices>({});
  /** The sheets of a workbook, read in the browser: a preview may fail because of its sheet. */
  private sheets = $state.raw<FileWorkbook['sheets']>([]);
  private readonly latest = new Latest<FilePreview>();
  /** The last preview of this file, which stays while a choice does not fit the file. */
  private recognised = $state.raw<FilePreview | null>(null);

  /** The table that the rows go to; null for a new one. */
  private goal = $state.raw<FileTarget | null>(null);

  /**
   * @param limit the largest size of a file, in bytes
   * @param target the table that the rows go to; null for a new one
   */
  constructor(
    private readonly limit: number,
    target: FileTarget | null = null,
  ) {
    this.goal = target;
  }

  get target(): FileTarget | null {
    return this.goal;
  }

  /** Chooses the table that the rows go to. It has its types already. */
  goTo(target: FileTarget | null): void {
    this.goal = target;
    this.nameFault = null;
    if (this.file) this.change({ types: [], decimals: [] });
  }

  /** The name of the table. An edit removes the problem with it. */
  get name(): string {
    return this.typedName;
  }

  set name(name: string) {
    this.typedName = name;
    this.nameFault = null;
  }

  get preview(): FilePreview | null {
    return this.latest.answer;
  }

  /** What to know about how the file is read, as sentences. */
  get notes(): readonly string[] {
    const { workbook, months, start, notes = [] } = this.preview ?? {};
    const empty = months?.empty_lines;
    return [
      ...(start?.titles.length ? [titlesText(start.titles)] : []),
      ...(workbook?.notes ?? []),
      ...notes,
      ...(empty ? [emptyText(empty)] : []),
    ];
  }

  /** The options of the file: those that were chosen, and those that were recognised. */
  get options(): FileOptions {
    const { sheet, months: as, year, first_line } = this.choices;
    const { encoding, delimiter, header, decimal, date_order } = this.choices;
    const { workbook = this.unread, months, start, ...recognised } = this.recognised ?? UNKNOWN;
    return {
      ...recognised,
      ...(first_line ? { start: { line: first_line, titles: [] } } : start ? { start } : {}),
      ...(workbook ? { workbook: { ...workbook, sheet: sheet ?? workbook.sheet } } : {}),
      ...(months ? { months: { ...months, as: as ?? months.as, year: year ?? months.year } } : {}),
      ...(encoding ? { encoding } : {}),
      ...(delimiter ? { delimiter } : {}),
      ...(header ? { header } : {}),
      ...(decimal ? { decimal } : {}),
      ...(date_order ? { date_order } : {}),
    };
  }

  /** Whether there is a choice about the file; there is none about a workbook that cannot be opened. */
  get hasOptions(): boolean {
    if (this.recognised) return true;
    const isClosed = this.file !== null && isWorkbook(this.file) && this.sheets.length === 0;
    return this.previewFault !== null && !isClosed;
  }

  /** A workbook without a preview. */
  private get unread(): FileWorkbook | undefined {
    const { sheets } = this;
    const first = sheets.find(({ hidden }) => !hidden) ?? sheets[0];
    return first && { sheet: first.name, sheets, notes: [] };
  }

  /** Whether the file is sent or read. */
  get isBusy(): boolean {
    return this.latest.waiting || this.isMaking;
  }

  /** Why there is no preview; null if there is one, or it is awaited. */
  get previewFault(): string | null {
    return this.latest.failure;
  }

  /** Whether all rows fit, or those that do not may be left out. */
  get isReady(): boolean {
    const { preview } = this;
    if (!preview || this.isBusy || preview.row_count === 0) return false;
    return preview.misfits.row_count === 0 || this.leaveOut;
  }

  /** Takes another file; earlier choices are dropped. */
  choose(file: File): void {
    this.latest.clear();
    this.recognised = null;
    this.choices = {};
    this.sheets = [];
    this.failure = null;
    this.nameFault = null;
    this.file = null;
    if (file.size > this.limit) {
      this.failure = `“${file.name}” has ${formatSize(file.size)}; the service takes files of up to ${formatSize(this.limit)}.`;
      return;
    }
    this.file = file;
    void this.listSheets(file);
    this.name = file.name.replace(/\.[^.]*$/, '');
    this.ask();
  }

  private async listSheets(file: File): Promise<void> {
    if (!isWorkbook(file)) return;
    const { Workbook } = await import('$lib/xlsx/workbook');
    // The service says why it cannot be read.
    const workbook = await Workbook.open(blobBytes(file)).catch(() => null);
    if (!workbook || this.file !== file) return;
    this.sheets = workbook.sheets.map(({ name, isHidden }) => ({ name, hidden: isHidden }));
  }

  /** Changes a choice and reads the file again. Types follow the columns; another table drops them. */
  change(change: Partial<FileChoices>): void {
    const isOtherTable =
      OTHER_TABLES.some((choice) => choice in change) ||
      // Without names there are no months.
      ('header' in change && this.options.months !== undefined);
    // Each sheet begins in a line of its own.
    const { first_line, ...others } = this.choices;
    const kept = 'sheet' in change || first_line === undefined ? others : this.choices;
    this.choices = { ...kept, ...(isOtherTable ? { types: [], decimals: [] } : {}), ...change };
    this.failure = null;
    this.ask(PAUSE_MS);
  }

  /** Chooses the type of the column at a position. */
  setType(position: number, type: FileType): void {
    this.answer({ types: [type] }, position);
  }

  /** Changes a choice. Types and decimals are of the column at a position. */
  answer(change: Partial<FileChoices>, position: number): void {
    const { types, decimals, ...others } = change;
    this.change({
      ...others,
      ...(types ? { types: placed(this.choices.types, position, types[0]) } : {}),
      ...(decimals ? { decimals: placed(this.choices.decimals, position, decimals[0]) } : {}),
    });
  }

  /** Reads the file again. @param pauseMs debounce */
  ask(pauseMs = 0): void {
    const { file, choices, target } = this;
    if (!file) return;
    this.sent = 0;
    this.leaveOut = false;
    this.latest.ask(async (signal) => {
      const toSend = { file, name: file.name, choices, target };
      const preview = await previewFile(toSend, { signal, onProgress: (n) => (this.sent = n) });
      this.recognised = preview;
      // The rows of the previous preview were shown until now.
      this.leaveOut = false;
      const isNamed = !target && this.name.trim() === preview.tname;
      if (isNamed && preview.taken) this.nameFault = TAKEN;
      return preview;
    }, pauseMs);
  }

  /** Makes the table, or loads the file into one. @returns null if the service refuses; the reason is in `failure` or `nameFault` */
  async make(): Promise<FileTable | null> {
    const { file, name, target } = this;
    if (!file) return null;
    const { months } = this.options;
    // The year may come from the name of the file, and the table may have another name.
    const choices = { ...this.choices, ...(months ? { months: months.as } : {}) };
    if (months?.asks_year && months.year !== null) choices.year = months.year;
    this.isMaking = true;
    this.failure = null;
    this.nameFault = null;
    this.sent = 0;
    try {
      const misfits = this.leaveOut ? 'leave_out' : 'refuse';
      return await makeTable(
        { file, name: target ? file.name : name.trim(), choices, target },
        misfits,
        {
          onProgress: (n) => (this.sent = n),
        },
      );
    } catch (error) {
      const isOfName = error instanceof ApiError && error.field === 'name';
      if (isOfName) this.nameFault = messageOf(error);
      else this.failure = messageOf(error);
      return null;
    } finally {
      this.isMaking = false;
    }
  }

  /** Cancels a pending preview. */
  stop(): void {
    this.latest.stop();
  }
}

/** A list of choices by column with another one at a position. */
function placed<Choice>(
  list: readonly (Choice | undefined)[] | undefined,
  position: number,
  choice: Choice | undefined,
): (Choice | undefined)[] {
  const placed = [...(list ?? [])];
  while (placed.length <= position) placed.push(undefined);
  placed[position] = choice;
  return placed;
}

const isWorkbook = ({ name }: File): boolean => /\.xls[xm]?$/i.test(name);

function emptyText({ count, lines }: NonNullable<FileMonths['empty_lines']>): string {
  const listed = lines.map(formatCount).join(', ') + (count > lines.length ? ', …' : '');
  const [have, become] = count === 1 ? ['has', 'becomes'] : ['have', 'become'];
  return `${plural(count, 'line')} ${have} no amount in any month and ${become} no row: line ${listed}.`;
}

function titlesText(titles: readonly string[]): string {
  const listed = titles.map((title) => `“${title}”`).join(', ');
  return `Lines above the table are not read: ${listed}.`;
}

const TAKEN = 'There is a table of this name already; choose another name.';
