/** Reads XML that arrives in parts: tags and texts, without document types and without entities of its own. */
import { damaged, shortened, WorkbookFault } from './fault';
import { LONGEST_TAG, LONGEST_TOKEN } from './limits';

/**
 * Is called with the elements at some places of a document, and with the texts directly in them. An element counts if
 * it has the namespace of the root; others are passed over with all that is in them.
 */
export interface XmlHandler {
  /** Paths from the root, such as `worksheet/sheetData/row`. */
  readonly places: readonly string[];
  /**
   * @param place one of {@link places}
   * @param attributes the text of the tag after its name; see {@link attribute}
   * @param scope the namespaces where the element is
   */
  open(place: string, attributes: string, scope: Scope): void;
  close(place: string): void;
  text(text: string, place: string): void;
}

/** Namespaces by their prefix; the empty prefix is the default. */
export type Scope = ReadonlyMap<string, string>;

/** A place in the tree of a document. */
class XmlPlace {
  readonly inner = new Map<string, XmlPlace>();
  /** The path, if the handler named it. */
  path: string | null = null;

  static tree(paths: readonly string[]): XmlPlace {
    const root = new XmlPlace();
    for (const path of paths) {
      let place = root;
      for (const name of path.split('/')) {
        const next = place.inner.get(name) ?? new XmlPlace();
        place.inner.set(name, next);
        place = next;
      }
      place.path = path;
    }
    return root;
  }
}

/** An element that is open. */
interface OpenElement {
  place: XmlPlace;
  scope: Scope;
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" },
};

const SLASH = 0x2f;
const CDATA = '<![CDATA[';

/** Reads a document. A part may end anywhere. */
class XmlReader {
  private rest = '';
  /** The elements that are open at known places, and the number of elements in them that are passed over. */
  private readonly elements: OpenElement[];
  private passed = 0;
  /** The namespace of the root. */
  private own: string | null = null;

  constructor(
    private readonly handler: XmlHandler,
    private readonly name: string,
  ) {
    this.elements = [{ place: XmlPlace.tree(handler.places), scope: new Map() }];
  }

  take(part: string): void {
    const text = this.rest + part;
    let at = 0;
    for (;;) {
      const start = text.indexOf('<', at);
      if (start < 0) break;
      if (start > at) this.text(text.slice(at, start), true);
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
    const isOpen = this.elements.length > 1 || this.passed > 0;
    if (isOpen || this.rest.trim() !== '') throw damaged(`${this.name} is cut off`);
  }

  /** @param isEscaped whether it may contain entities */
  private text(text: string, isEscaped: boolean): void {
    const path = this.passed > 0 ? null : this.innermost.place.path;
    if (path === null) return;
    // XML has line feeds only; other line ends of the file stand for one.
    const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    this.handler.text(isEscaped ? unescaped(lines) : lines, path);
  }

  private open(name: string, attributes: string): void {
    if (this.passed > 0) {
      this.passed++;
      return;
    }
    const outer = this.innermost;
    const scope = attributes.includes('xmlns') ? declared(attributes, outer.scope) : outer.scope;
    const colon = name.indexOf(':');
    const namespace = scope.get(colon < 0 ? '' : name.slice(0, colon)) ?? '';
    this.own ??= namespace;
    const place = outer.place.inner.get(name.slice(colon + 1));
    if (place === undefined || namespace !== this.own) {
      this.passed++;
      return;
    }
    this.elements.push({ place, scope });
    if (place.path !== null) this.handler.open(place.path, attributes, scope);
  }

  private close(): void {
    if (this.passed > 0) {
      this.passed--;
      return;
    }
    const { path } = this.innermost.place;
    if (this.elements.length === 1) throw damaged(`${this.name} closes more tags than it opens`);
    this.elements.pop();
    if (path !== null) this.handler.close(path);
  }

  private get innermost(): OpenElement {
    const last = this.elements.at(-1);
    if (last === undefined) throw new RangeError('The root is always there');
    return last;
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
      this.close();
      return end + 1;
    }
    const isEmpty = text.charCodeAt(end - 1) === SLASH;
    let nameEnd = start + 1;
    while (nameEnd < end && !isNameEnd(text.charCodeAt(nameEnd))) nameEnd++;
    this.open(text.slice(start + 1, nameEnd), text.slice(nameEnd, isEmpty ? end - 1 : end));
    if (isEmpty) this.close();
    return end + 1;
  }

  private takeDeclaration(text: string, start: number): number {
    if (text.startsWith('<!--', start)) return endOf(text, '-->', start + 4);
    if (text.startsWith(CDATA, start)) {
      const end = endOf(text, ']]>', start + CDATA.length);
      if (end >= 0) this.text(text.slice(start + CDATA.length, end - 3), false);
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
 * The value of an attribute without a prefix; undefined if the tag has none of this name.
 * @param attributes the text of a tag after its name
 */
export function attribute(attributes: string, name: string): string | undefined {
  // Called for each cell, so that it makes no objects for the other attributes.
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
      if (start === 0 || isBlank(attributes.charCodeAt(start - 1))) {
        return unescaped(attributes.slice(open + 1, close));
      }
    }
    at = close + 1;
  }
}

/**
 * The value of an attribute whose namespace ends with `namespace`, or is not declared; undefined if there is none.
 * @param attributes the text of a tag after its name
 */
export function attributeOf(
  attributes: string,
  scope: Scope,
  namespace: string,
  name: string,
): string | undefined {
  const all = declared(attributes, scope);
  for (
    let found = nextAttribute(attributes, 0);
    found;
    found = nextAttribute(attributes, found.next)
  ) {
    const [prefix = '', local] = attributes.slice(found.start, found.end).split(':');
    if (local === name && (all.get(prefix) ?? namespace).endsWith(namespace)) return found.value();
  }
  return undefined;
}

/** The namespaces that the attributes of a tag declare, and those around it. */
function declared(attributes: string, outer: Scope): Scope {
  const scope = new Map(outer);
  for (
    let found = nextAttribute(attributes, 0);
    found;
    found = nextAttribute(attributes, found.next)
  ) {
    const name = attributes.slice(found.start, found.end);
    if (name === 'xmlns') scope.set('', found.value());
    else if (name.startsWith('xmlns:')) scope.set(name.slice(6), found.value());
  }
  return scope;
}

/** An attribute in the text of a tag: where its name starts and ends, and where the next attribute may start. */
interface FoundAttribute {
  start: number;
  end: number;
  next: number;
  value: () => string;
}

/** The first attribute from a position on; null if there is none. */
function nextAttribute(attributes: string, from: number): FoundAttribute | null {
  const equals = attributes.indexOf('=', from);
  if (equals < 0) return null;
  let open = equals + 1;
  while (isBlank(attributes.charCodeAt(open))) open++;
  const close = attributes.indexOf(attributes.charAt(open), open + 1);
  if (close < 0) return null;
  let end = equals;
  while (end > from && isBlank(attributes.charCodeAt(end - 1))) end--;
  let start = end;
  while (start > from && !isBlank(attributes.charCodeAt(start - 1))) start--;
  return { start, end, next: close + 1, value: () => unescaped(attributes.slice(open + 1, close)) };
}

/** Whether an attribute says yes. */
export function isTrue(value: string | undefined): boolean {
  const said = value?.trim();
  return said === '1' || said === 'true';
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
