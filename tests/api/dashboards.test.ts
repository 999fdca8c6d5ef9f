import { expect } from 'vitest';
import { fileAt } from '../house/files';
import { it as shared } from '../support/api';

const it = shared.extend(
  'env',
  { scope: 'file' },
  { PF_WEBHOOK: 'http://127.0.0.1:9/', PF_WEBHOOK_SECRET: 'sixteen bytes or more' },
);

const NAME = /\b(?:forecast_pivot|nodejs|process)_[a-z0-9_]+/g;
const namesIn = (text: string): string[] => [...new Set(text.match(NAME) ?? [])];

it('alerts and dashboard have metrics of the service only, and none is left out', async ({
  service,
}) => {
  await service.api.get('/sources');
  const answer = await service.api.get('/metrics');
  const served = new Set(namesIn(new TextDecoder().decode(answer.bytes)));
  const dashboard = namesIn(fileAt('deploy/grafana/dashboard.json').text);
  const alerts = namesIn(fileAt('deploy/prometheus/rules.yml').text);
  expect(alerts.length).toBeGreaterThan(5);
  expect([...dashboard, ...alerts].filter((name) => !served.has(name))).toEqual([]);
  const ours = [...served].filter(
    (name) => name.startsWith('forecast_pivot_') && !/_seconds(_sum)?$/.test(name),
  );
  expect(ours.filter((name) => !dashboard.includes(name))).toEqual([]);
});

it('each line of the log is JSON', async ({ service }) => {
  await service.api.get('/sources');
  const lines = service.server.output().trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(
    expect.arrayContaining(['starting', expect.stringMatching(/^Listening on /), 'request']),
  );
});
