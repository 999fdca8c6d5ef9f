import { expect } from 'vitest';
import { XLSX } from '../../src/lib/contract/primitives';
import { it as base } from '../support/api';
import type { Service } from '../support/service';
import { filesOf, zipped } from '../support/workbook-files';

const it = base.extend('env', { scope: 'file' }, { PF_FILE_LIMIT: '70000000' });

const MEGABYTE = 2 ** 20;

/** Without the fixes that these tests hold, a file costs twenty times as much as the one that it is compared with. */
const TIMES = 4;

/** Seconds of CPU that the server has used since its start. */
async function cpuOf({ url }: Service): Promise<number> {
  const response = await fetch(`${url}/api/metrics`);
  return Number(/^process_cpu_seconds_total (.+)$/m.exec(await response.text())?.[1]);
}

/** Previews a file while another client sends one request after the other. */
async function preview(service: Service, body: Uint8Array<ArrayBuffer>, type: string) {
  const before = await cpuOf(service);
  let isDone = false;
  const options = { method: 'POST', body, headers: { 'content-type': type } };
  const reading = service.api
    .send('/files/preview?name=nothing', options)
    .finally(() => (isDone = true));
  let answered = 0;
  while (!isDone) {
    expect((await service.api.get('/sources')).status).toBe(200);
    answered += 1;
  }
  const { status, body: answer } = await reading;
  return { status, error: answer.error, answered, cpu: (await cpuOf(service)) - before };
}

/** A workbook whose sheets share one part of 63 MB with empty rows. */
function emptyWorkbook(sheets: number): Uint8Array<ArrayBuffer> {
  const names = Array.from({ length: sheets }, (_, i) => `<sheet name="${i}" r:id="s1"/>`);
  const row = '<row/>'.padEnd(70);
  return zipped(
    filesOf(row.repeat((63 * MEGABYTE) / row.length), {
      'xl/workbook.xml': `<workbook><sheets>${names.join('')}</sheets></workbook>`,
    }),
  );
}

it('twenty empty sheets that share a part of 63 MB are read once, and others are answered', async ({
  service,
}) => {
  const workbook = emptyWorkbook(20);
  expect(workbook.length).toBeLessThan(300_000);
  const one = await preview(service, emptyWorkbook(1), XLSX);
  const twenty = await preview(service, workbook, XLSX);
  for (const { status, error, answered } of [one, twenty]) {
    expect([status, error]).toEqual([422, 'The sheet is empty']);
    expect(answered).toBeGreaterThan(3);
  }
  expect(twenty.cpu).toBeLessThan(TIMES * one.cpu);
});

it('60 MB of line feeds cost as much as rows of this size, and others are answered', async ({
  service,
}) => {
  const row = `${'a'.repeat(59)}\n`;
  const rows = await preview(service, Buffer.from(row.repeat(MEGABYTE)), 'text/csv');
  expect([rows.status, rows.error]).toEqual([200, undefined]);
  const feeds = await preview(service, new Uint8Array(60 * MEGABYTE).fill(0x0a), 'text/csv');
  expect([feeds.status, feeds.error]).toEqual([422, 'The file is empty']);
  expect(feeds.answered).toBeGreaterThan(3);
  expect(feeds.cpu).toBeLessThan(TIMES * rows.cpu);
});
