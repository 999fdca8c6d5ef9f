import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PROJECT } from '../../src/cli/prepare.js';
import { startService } from '../support/service';

const check = (program: string, args: string[], input = '') => {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: join(PROJECT, 'deploy'),
    input,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
};

it('promtool finds no fault in the metrics', async () => {
  const service = await startService('service', {
    PF_WEBHOOK: 'http://127.0.0.1:9/',
    PF_WEBHOOK_SECRET: 'sixteen bytes or more',
  });
  const answer = await fetch(`${service.url}/api/metrics`);
  const text = await answer.text();
  await service.stop();
  expect(text).toContain('forecast_pivot_kept_reads_total');
  expect(check('promtool', ['check', 'metrics'], text)).toEqual({ status: 0, output: '' });
});

it('promtool accepts the alerts', () => {
  const { status, output } = check('promtool', ['check', 'rules', 'prometheus/rules.yml']);
  expect([status, output]).toEqual([0, expect.stringContaining('SUCCESS')]);
});

it('systemd accepts the units', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-units-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const units = readdirSync(join(PROJECT, 'deploy/systemd')).map((name) => {
    const text = readFileSync(join(PROJECT, 'deploy/systemd', name), 'utf8');
    // The program of a unit has to exist.
    writeFileSync(join(folder, name), text.replace('=/usr/local/bin/plan-night', '=/bin/true'));
    return join(folder, name);
  });
  expect(units).toHaveLength(3);
  expect(check('systemd-analyze', ['verify', ...units])).toEqual({ status: 0, output: '' });
});

it('Kubernetes knows every field of the job at night', () => {
  const file = join('kubernetes', 'plan-night.yaml');
  const read = (args: string[]) => {
    const { status, output } = check('kubectl', [...args, '--local', '-o', 'json', '-f', file]);
    expect([status, output]).toEqual([0, expect.stringMatching(/^\{/)]);
    return JSON.parse(output);
  };
  const written = read(['patch', '--type=merge', '--patch={}']);
  expect(written).toMatchObject({ kind: 'CronJob', spec: { concurrencyPolicy: 'Forbid' } });
  const [{ name, image }] = written.spec.jobTemplate.spec.template.spec.containers;
  // This command reads the file as a CronJob, and drops what a CronJob does not have.
  const known = read(['set', 'image', `${name}=${image}-other`]);
  known.spec.jobTemplate.spec.template.spec.containers[0].image = image;
  expect(known).toMatchObject(written);
});
