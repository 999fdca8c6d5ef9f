import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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

it('systemd accepts the unit', () => {
  const unit = join(PROJECT, 'deploy/systemd/forecast-pivot.service');
  expect(check('systemd-analyze', ['verify', unit])).toEqual({ status: 0, output: '' });
});
