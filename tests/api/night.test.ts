// The script of docs/operating.md refreshes a plan, closes months and exports rows with a token.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { fileAt } from '../house/files';
import { it as shared } from '../support/api';
import { apiAt } from '../support/http';
import { plan } from '../support/planned';
import { REGIONAL, SIGNED_IN, signedIn } from '../support/territories';
import { makeToken } from '../support/tokens';
import { ok } from './contract/orders';

const run = promisify(execFile);
const it = shared.extend('env', { scope: 'file' }, SIGNED_IN);

const [, SCRIPT = ''] =
  /\n### A night's script\n.*?\n```sh\n(.*?)\n```\n/s.exec(fileAt('docs/operating.md').text) ?? [];

const ROWS = ['2027-01-31', '2027-02-28'].map((Day) => ({
  ...{ Day, Region: 'A', Product: 'x' },
  Sales: 100,
}));

it("The night's script writes what has changed, and closes months on the fifth", async ({
  service,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-night-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string, mode: number) => {
    writeFileSync(join(folder, name), `${text}\n`);
    chmodSync(join(folder, name), mode);
    return join(folder, name);
  };
  const admin = apiAt(service.url, signedIn('eve', 'admins'));
  const { path, sourceId } = await plan({ ...service, api: admin }, REGIONAL, ROWS);
  ok(await admin.post(`${path}/baseline`, {}));
  ok(await admin.post(`${path}/scale`, { slice: {}, value_incr: 20 }));
  const name = (version_id: number) =>
    admin.put(`/sources/${sourceId}/current`, { name: 'next budget', version_id });
  ok(await name(Number(path.split('/').at(-1))));
  // `echo` of some shells makes a line break of the two characters that JSON has for one.
  ok(await admin.patch(path, { description: 'For the board.\nDo not close.' }));
  const { tname } = ok(await admin.get(`/sources/${sourceId}`)).body;
  const { id, secret } = await makeToken(admin, { name: 'night' });
  const exported = join(folder, 'plan.csv');
  const script = file('night.sh', SCRIPT, 0o755);
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    ...{ API: `${service.url}/api`, SOURCE: String(sourceId), NAME: 'next%20budget' },
    TOKEN_FILE: file('night.token', `Authorization: Bearer ${secret}`, 0o600),
    EXPORT: exported,
  };
  /** Runs the script on a day of February. */
  const night = (day: string) => {
    const today = `+%d) echo ${day};; +%Y-%m-01) echo 2027-02-01;;`;
    file('date', `#!/bin/sh\ncase "$*" in ${today} *) exec /bin/date "$@";; esac`, 0o755);
    return run(script, [], { env });
  };
  const entries = async () =>
    ok(await admin.get(`${path}/log`)).body.entries.map(
      (entry: { operation: string; pf_user: string; note: string | null }) => [
        entry.operation,
        entry.pf_user,
        entry.note,
      ],
    );
  const sales = () => {
    const [head = '', ...lines] = readFileSync(exported, 'utf8').trim().split('\n');
    const column = head.split(',').indexOf('Sales');
    return lines.reduce((sum, line) => sum + Number(line.split(',')[column]), 0);
  };
  const before = await entries();

  await night('04');
  expect(await entries()).toEqual(before);
  expect(sales()).toBe(220);

  await service.query(`UPDATE public."${tname.replaceAll('"', '""')}" SET "Sales" = 130`);
  await night('04');
  const refreshed = [['refresh', 'night', 'Nightly refresh'], ...before];
  expect(await entries()).toEqual(refreshed);
  expect(sales()).toBe(280);

  await night('05');
  expect(await entries()).toEqual([['actual', 'night', 'Months through 2027-01-31'], ...refreshed]);
  expect(sales()).toBe(270);

  // The name moves to a copy, whose months are closed, too.
  const copy = ok(await admin.post(`${path}/copy`, { name: 'Next' })).body;
  ok(await name(copy.id));
  await service.query(`UPDATE public."${tname.replaceAll('"', '""')}" SET "Sales" = 140`);
  await night('04');
  expect(await entries()).toHaveLength(refreshed.length + 1);
  const [newest] = ok(await admin.get(`/versions/${copy.id}/log`)).body.entries;
  expect(newest).toMatchObject({ operation: 'refresh', pf_user: 'night', row_count: 1 });
  expect(sales()).toBe(280);

  ok(await admin.del(`/tokens/${id}`));
  rmSync(exported);
  await expect(night('04')).rejects.toMatchObject({
    stdout: expect.stringContaining('The token is wrong'),
    stderr: expect.stringContaining('401'),
  });
  expect(existsSync(exported)).toBe(false);
});
