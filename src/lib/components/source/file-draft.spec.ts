import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FilePreview } from '$lib/contract/files';
import { FileDraft } from './file-draft.svelte';

const PREVIEW: FilePreview = {
  tname: 'sales',
  taken: false,
  encoding: 'utf-8',
  delimiter: 'comma',
  header: 'yes',
  decimal: 'point',
  date_order: 'mdy',
  unsure: [],
  questions: [],
  notes: [],
  row_count: 2,
  columns: [{ cname: 'a', type: 'integer', decimals: null, nearly: null }],
  rows: [{ a: 1 }, { a: 2 }],
  misfits: { row_count: 1, rows: [{ line: 4, cname: 'a', problem: '“x” is not a number' }] },
};

/** The requests that were sent, by their query. */
let sent: URLSearchParams[];
let answer: FilePreview;

/** A request that is answered with the preview. */
class Answered {
  upload = {};
  status = 200;
  statusText = '';
  responseText = '';
  responseURL = '';
  onload = () => {};
  onabort = () => {};
  setRequestHeader() {}
  getResponseHeader() {
    return null;
  }
  open(_: string, url: string) {
    this.responseURL = new URL(url, location.href).href;
  }
  send() {
    sent.push(new URL(this.responseURL).searchParams);
    this.responseText = JSON.stringify(answer);
    this.onload();
  }
  abort() {
    this.onabort();
  }
}

beforeEach(() => {
  sent = [];
  answer = PREVIEW;
  vi.useFakeTimers();
  vi.stubGlobal('location', { href: 'http://localhost/sources/new/file' });
  vi.stubGlobal('XMLHttpRequest', Answered);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const settled = () => vi.runAllTimersAsync();

async function drafted(): Promise<FileDraft> {
  const draft = new FileDraft(1000);
  draft.choose(new File(['a\n1\n2\nx\n'], 'sales.csv'));
  await settled();
  expect(draft.preview).toEqual(answer);
  return draft;
}

it('Rows that do not fit must be left out again after each choice', async () => {
  const draft = await drafted();
  expect(draft.isReady).toBe(false);
  draft.leaveOut = true;
  expect(draft.isReady).toBe(true);
  draft.setType(0, 'date');
  expect(draft.leaveOut).toBe(false);
  // The rows of the previous preview are still shown.
  draft.leaveOut = true;
  await settled();
  expect([draft.preview?.misfits.row_count, draft.leaveOut, draft.isReady]).toEqual([
    1,
    false,
    false,
  ]);
});

it('The problem with a name is removed when the name is edited', async () => {
  answer = { ...PREVIEW, taken: true };
  const draft = await drafted();
  expect(draft.nameFault).toMatch(/^There is a table of this name already/);
  draft.name = 'sales 2';
  expect([draft.name, draft.nameFault]).toEqual(['sales 2', null]);
});

it('Choices in quick succession are sent together', async () => {
  const draft = await drafted();
  draft.change({ decimal: 'comma' });
  draft.change({ date_order: 'dmy' });
  draft.setType(0, 'date');
  expect(draft.isBusy).toBe(true);
  await settled();
  expect(sent.map(String)).toEqual([
    'name=sales.csv',
    'name=sales.csv&decimal=comma&date_order=dmy&types=date',
  ]);
});
