/** Reads XML that arrives in parts: tags and texts, without document types and without entities of its own. */
import { damaged, shortened, WorkbookFault } from './fault';
import { LONGEST_TAG, LONGEST_TOKEN } from './limits';

/** Is called with the tags and texts of a document in their order. Names come without their prefix. */
export interface XmlHandler {
  /** @param attributes the text of the tag after its name; see {@link attribute} */
  open(name: string, attributes: string): void;
  close(name: string): void;
  text(text: string): void;
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" },
};

const SLASH = 0x2f;
const COLON = 0x3a;
const CDATA = '<![CDATA[';

/** Reads a document. A part may end anywhere. */
class XmlReader {
  private rest = '';
  private depth = 0;

  constructor(
    private readonly handler: XmlHandler,
    private readonly name: string,
  ) {}

  take(part: string): void {
    const text = this.rest + part;
    let at = 0;
    for (;;) {
      const start = text.indexOf('<', at);
      if (start < 0) break;
      if (start > at) this.handler.text(unescaped(text.slice(at, start)));
      at = start;
      const next = this.takeMarkup(text, start);
      if (next < 0) break;
      at = next;
    }
    this.rest = text.slice(at);
    if (this.rest.length > LONGEST_TOKEN) {
      throw damaged(`a comment or text in ${this.name} has more than ${LONGEST_TOKEN} characters`);
    }
  }

  end(): void {
    if (this.depth !== 0 || this.rest.trim() !== '') throw damaged(`${this.name} is cut off`);
  }

  /** Returns where the markup at a position ends; -1 if it is not complete. */
  private takeMarkup(text: string, start: number): number {
    const second = text.charAt(start + 1);
    if (second === '?') return endOf(text, '?>', start);
    if (second === '!') return this.takeDeclaration(text, start);
    const end = tagEnd(text, start + 1);
    if ((end < 0 ? text.length : end) - start > LONGEST_TAG) {
      throw damaged(`a tag in ${this.name} has more than ${LONGEST_TAG} characters`);
    }
    if (end < 0) return -1;
    if (second === '/') {
      this.depth--;
      this.handler.close(localName(text.slice(start + 2, end).trim()));
      return end + 1;
    }
    const isEmpty = text.charCodeAt(end - 1) === SLASH;
    let nameEnd = start + 1;
    while (nameEnd < end && !isNameEnd(text.charCodeAt(nameEnd))) nameEnd++;
    const name = localName(text.slice(start + 1, nameEnd));
    this.handler.open(name, text.slice(nameEnd, isEmpty ? end - 1 : end));
    if (isEmpty) this.handler.close(name);
    else this.depth++;
    return end + 1;
  }

  private takeDeclaration(text: string, start: number): number {
    if (text.startsWith('<!--', start)) return endOf(text, '-->', start + 4);
    if (text.startsWith(CDATA, start)) {
      const end = endOf(text, ']]>', start + CDATA.length);
      if (end >= 0) this.handler.text(text.slice(start + CDATA.length, end - 3));
      return end;
    }
    if (text.length - start < CDATA.length) return -1;
    throw new WorkbookFault(
      `The workbook cannot be read: ${this.name} declares a document type, which workbooks do not have`,
    );
  }
}

/** Reads a document from its bytes. @throws WorkbookFault */
export async function readXml(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  handler: XmlHandler,
): Promise<void> {
  for await (const _ of xmlSteps(bytes, name, handler));
}

/** As {@link readXml}, and yields after each part. @throws WorkbookFault */
export async function* xmlSteps(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  handler: XmlHandler,
): AsyncGenerator<void> {
  const reader = new XmlReader(handler, shortened(name));
  let decoder: TextDecoder | undefined;
  const decode = (part?: Uint8Array): string => {
    decoder ??= new TextDecoder(encodingOf(part), { fatal: true });
    try {
      return part ? decoder.decode(part, { stream: true }) : decoder.decode();
    } catch {
      throw damaged(`${shortened(name)} is not text`);
    }
  };
  for await (const part of bytes) {
    reader.take(decode(part));
    yield;
  }
  reader.take(decode());
  reader.end();
}

/** UTF-16 begins with its mark; workbooks have UTF-8 else. */
function encodingOf([first, second]: Uint8Array = new Uint8Array()): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/**
 * The value of an attribute; undefined if the tag has none of this name.
 * @param attributes the text of a tag after its name
 */
export function attribute(attributes: string, name: string): string | undefined {
  for (let at = 0; ;) {
    const equals = attributes.indexOf('=', at);
    if (equals < 0) return undefined;
    let open = equals + 1;
    while (isBlank(attributes.charCodeAt(open))) open++;
    const close = attributes.indexOf(attributes.charAt(open), open + 1);
    if (close < 0) return undefined;
    let end = equals;
    while (end > at && isBlank(attributes.charCodeAt(end - 1))) end--;
    const start = end - name.length;
    if (start >= at && attributes.startsWith(name, start)) {
      const before = start > 0 ? attributes.charCodeAt(start - 1) : COLON;
      if (before === COLON || isBlank(before)) return unescaped(attributes.slice(open + 1, close));
    }
    at = close + 1;
  }
}

/** Whether an attribute says yes. */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

const isBlank = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

const isNameEnd = (code: number): boolean => code === SLASH || isBlank(code);

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? -1 : at + mark.length;
}

/** Finds the end of a tag in one pass; -1 if it is not there. Values in quotes may contain `>`. */
function tagEnd(text: string, from: number): number {
  const last = Math.min(text.length, from + LONGEST_TAG);
  let quote = 0;
  for (let i = from; i < last; i++) {
    const character = text.charCodeAt(i);
    if (quote !== 0) {
      if (character === quote) quote = 0;
    } else if (character === 0x3e) return i;
    else if (character === 0x22 || character === 0x27) quote = character;
  }
  return -1;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function unescaped(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&([^;&]{0,10};?)/g, (entity, name: string) => {
    const known = ENTITIES[name.slice(0, -1)];
    if (known !== undefined && name.endsWith(';')) return known;
    const code = /^#(?:x([\da-f]+)|(\d+));$/i.exec(name);
    const point = code ? parseInt(code[1] ?? code[2] ?? '', code[1] ? 16 : 10) : NaN;
    if (!(point > 0 && point <= 0x10ffff)) {
      throw new WorkbookFault(
        `The workbook cannot be read: its XML has “${entity}”, which workbooks do not have`,
      );
    }
    return String.fromCodePoint(point).toWellFormed();
  });
}
