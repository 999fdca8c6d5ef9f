/** Protects the texts of CSV that a spreadsheet would run as formulas. */
import { protectedText } from '../../contract/formula-text';

/** A field, with or without quotes, and the comma or line feed after it. */
const FIELD = /(?:"([^"]*(?:""[^"]*)*)"|([^",\n]*))([,\n])/y;

/** Returns the same CSV with the fields of {@link protectedText}. The CSV is in UTF-8, as PostgreSQL's COPY writes it. */
export function protectedCsv(
  csv: ReadableStream<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const encoder = new TextEncoder();
  let rest = '';
  const fields = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      const text = rest + decoder.decode(chunk, { stream: true });
      let written = '';
      let end = 0;
      FIELD.lastIndex = 0;
      for (let field = FIELD.exec(text); field; field = FIELD.exec(text)) {
        const [, quoted, plain = '', after = ''] = field;
        written +=
          quoted === undefined
            ? `${protectedText(plain)}${after}`
            : `"${protectedText(quoted)}"${after}`;
        end = FIELD.lastIndex;
      }
      rest = text.slice(end);
      if (written !== '') controller.enqueue(encoder.encode(written));
    },
  });
  return csv.pipeThrough(fields);
}
