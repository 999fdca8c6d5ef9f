import { expect, it } from 'vitest';
import { protectedCsv } from './protected-csv';

/** Protects CSV that comes in pieces of some bytes. */
async function inPieces(csv: string, size: number): Promise<string> {
  const bytes = new TextEncoder().encode(csv);
  const pieces = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let i = 0; i < bytes.length; i += size) controller.enqueue(bytes.slice(i, i + size));
      controller.close();
    },
  });
  return new Response(protectedCsv(pieces)).text();
}

const CSV = [
  '=head,plain,"a ""quoted"", one"\n',
  '=1+1,-12.5,+5\n',
  '"=HYPERLINK(""http://x"",""y"")","\t=1","\n@SUM(A1)"\n',
  ',"",-x\n',
  "＝1,'=1,日本 🎉\n",
].join('');

const PROTECTED = [
  '\'=head,plain,"a ""quoted"", one"\n',
  "'=1+1,-12.5,+5\n",
  '"\'=HYPERLINK(""http://x"",""y"")","\'\t=1","\'\n@SUM(A1)"\n',
  ',"",\'-x\n',
  "'＝1,''=1,日本 🎉\n",
].join('');

it.each([1, 2, 3, 7, 1000])('protects fields of CSV in pieces of %i bytes', async (size) => {
  expect(await inPieces(CSV, size)).toBe(PROTECTED);
});
