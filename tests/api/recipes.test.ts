import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { PROJECT } from '../../src/cli/prepare.js';
import { recipes } from '../../src/lib/components/pivot/toolbar/elsewhere';
import { it } from '../support/api';
import { run } from '../support/cli';
import { plan, type Planned } from '../support/planned';
import type { Service } from '../support/service';

/** The address in docs/api.md. */
const ADDRESS = 'http://localhost:3010/api/versions/1/data';
const PYTHON = process.env.PYTHON ?? 'python3';

/** Returns a code block of docs/api.md with the address replaced. */
function documented(program: string, url: string): string {
  const text = readFileSync(join(PROJECT, 'docs/api.md'), 'utf8');
  const [, lines = ''] =
    new RegExp(`\\n${program}[^\\n]*:\\n\\n\`\`\`\\w+\\n(.*?)\\n\`\`\``, 's').exec(text) ?? [];
  return lines.replaceAll(ADDRESS, url);
}

/** Texts that readers of CSV misread or split. */
const TEXTS = [
  ...['NA', 'N/A', '#N/A', 'null', 'NULL', 'None', 'NaN', 'nan', 'TRUE', '-', '00123', '1e5'],
  ...['a "quoted", text', "it's", 'two\nlines', ' padded ', 'ünïcödé €', '=1+1', '#comment'],
];
const COLUMNS = [
  { name: 'Order Date', type: 'date', role: 'date' as const },
  { name: 'k', type: 'text', role: 'dimension' as const },
  { name: 'v', type: 'numeric(12,2)', role: 'value' as const },
];
const rows = [...TEXTS, null].map((k, i) => ({ 'Order Date': '2027-01-31', k, v: 1 + i / 4 }));
const expected = rows.map(({ k, v }) => ({ k, v }));

const hostile = async (service: Service): Promise<Planned> => {
  const version = await plan(service, COLUMNS, rows);
  const { status } = await service.api.post(`${version.path}/baseline`, { pf_user: 'ann' });
  expect(status).toBe(200);
  return version;
};

const runs = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const hasPandas = runs(PYTHON, '-c', 'import pandas');
const hasPolars = runs(PYTHON, '-c', 'import polars');
const hasR = runs('Rscript', '--version');
const hasDuckDb = runs('duckdb', '--version');

/** Runs a program and reads the JSON that it prints. */
async function printed(command: string, ...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await run(command, args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout);
}

const inPython = (lines: string, frame: string) =>
  printed(PYTHON, '-c', `${lines}\nimport json\nprint(json.dumps(${frame}))`);

const byValue = (read: unknown) => (read as { v: number }[]).toSorted((a, b) => a.v - b.v);

describe('the commands for reading rows elsewhere', () => {
  it('are the same on the page and in the document', () => {
    const found = recipes(ADDRESS).filter(({ program }) => documented(program, ADDRESS) !== '');
    expect(found.map(({ program }) => program)).toEqual(['DuckDB', 'pandas']);
    for (const { program, lines } of found) expect(lines).toBe(documented(program, ADDRESS));
    for (const program of ['Polars', 'R']) expect(documented(program, ADDRESS)).toContain(ADDRESS);
  });

  it('get bytes that distinguish null from an empty text, and a header without rows', async ({
    service,
  }) => {
    const version = await plan(service, COLUMNS, [
      { 'Order Date': '2027-01-31', k: '', v: 1 },
      { 'Order Date': '2027-01-31', k: null, v: 2 },
      { 'Order Date': '2027-01-31', k: 'NA', v: 3 },
    ]);
    const csv = async () => {
      const { bytes } = await service.api.get(`${version.path}/data`, { accept: 'text/csv' });
      return new TextDecoder().decode(bytes).trimEnd().split('\n');
    };
    const header = 'pf_id,Order Date,k,v,pf_iter,pf_logid,pf_created_at,pf_note,pf_op';
    expect((await csv()).map((line) => line.split(',').toSorted())).toEqual([
      header.split(',').toSorted(),
    ]);
    expect((await service.api.get(`${version.path}/data`)).bytes).toHaveLength(0);
    await service.api.post(`${version.path}/baseline`, { pf_user: 'ann' });
    const [names = '', ...lines] = await csv();
    const at = names.split(',').indexOf('k');
    expect(lines.map((line) => line.split(',')[at]).toSorted()).toEqual(['', '""', 'NA']);
  });

  it.skipIf(!hasPandas)('keep every text in pandas', async ({ service }) => {
    const { path } = await hostile(service);
    const lines = documented('pandas', `${service.url}/api${path}/data`);
    const frame = `[{'k': None if pd.isna(k) else k, 'v': v} for k, v in zip(df['k'], df['v'])]`;
    expect(byValue(await inPython(lines, frame))).toEqual(expected);
  });

  it.skipIf(!hasPolars)('keep every text in Polars', async ({ service }) => {
    const { path } = await hostile(service);
    const lines = documented('Polars', `${service.url}/api${path}/data`);
    const frame = `[{'k': k, 'v': float(v)} for k, v in zip(df['k'], df['v'])]`;
    expect(byValue(await inPython(lines, frame))).toEqual(expected);
  });

  it.skipIf(!hasDuckDb)('keep every text in DuckDB', async ({ service }) => {
    const { path } = await hostile(service);
    const lines = documented('DuckDB', `${service.url}/api${path}/data`);
    const select = lines.replace(
      'duckdb -c "FROM',
      'duckdb -json -c "SELECT k, v::double AS v FROM',
    );
    expect(byValue(await printed('sh', '-c', select))).toEqual(expected);
  });

  it.skipIf(!hasR)('keep every text in R', async ({ service }) => {
    const { path } = await hostile(service);
    const lines = documented('R', `${service.url}/api${path}/data`);
    const quoted = `ifelse(is.na(df$k), "null", encodeString(df$k, quote = '"'))`;
    const json = `cat(paste0("[", paste0('{"k":', ${quoted}, ',"v":', df$v, "}", collapse = ","), "]"))`;
    expect(byValue(await printed('Rscript', '-e', `${lines}\n${json}`))).toEqual(expected);
  });

  it.skipIf(!hasPandas || !hasPolars)(
    'read a version without rows in Python',
    async ({ service }) => {
      const { path } = await plan(service, COLUMNS, rows);
      const url = `${service.url}/api${path}/data`;
      expect(await inPython(documented('pandas', url), 'len(df)')).toBe(0);
      expect(await inPython(documented('Polars', url), 'len(df)')).toBe(0);
    },
  );

  it.skipIf(!hasR)('read a version without rows in R', async ({ service }) => {
    const { path } = await plan(service, COLUMNS, rows);
    const lines = documented('R', `${service.url}/api${path}/data`);
    expect(await printed('Rscript', '-e', `${lines}\ncat(nrow(df))`)).toBe(0);
  });

  it.skipIf(!hasDuckDb)('read a version without rows in DuckDB', async ({ service }) => {
    const { path } = await plan(service, COLUMNS, rows);
    const lines = documented('DuckDB', `${service.url}/api${path}/data`);
    const count = lines.replace('duckdb -c "FROM', 'duckdb -json -c "SELECT count(*) AS n FROM');
    expect(await printed('sh', '-c', count)).toEqual([{ n: 0 }]);
  });
});
