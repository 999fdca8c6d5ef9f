import { describe, expect, it } from 'vitest';
import { fileAt } from './files';

/** The deployment files agree with the service. No container runs here. */

const COMPOSED = ['compose.yaml', 'deploy/servers/compose.yaml', 'deploy/citus/compose.yaml'];

describe.each(COMPOSED)('%s', (path) => {
  const { text } = fileAt(path);

  it('sets only variables that docs/operating.md explains', () => {
    const { text: operating } = fileAt('docs/operating.md');
    const set = [...text.matchAll(/^ +((?:PF|DB)_\w+|ADDRESS_HEADER|ORIGIN):/gm)].map(
      ([, n]) => n!,
    );
    expect(set).toContain('DB_HOST');
    expect(set.filter((name) => !operating.includes(`\`${name}\``))).toEqual([]);
  });

  it('starts our image with a read-only file system and without privileges', () => {
    const services = text.split(/^ {2}(?=[\w-]+:)/m);
    const ours = services.filter((service) =>
      /^ +image: .*(forecast-pivot|\*image)/m.test(service),
    );
    expect(ours.length).toBeGreaterThan(1);
    for (const service of ours) {
      expect(service).toContain('read_only: true');
      expect(service).toContain('cap_drop: [ALL]');
      expect(service).toContain('no-new-privileges:true');
    }
  });
});

it('several servers get the same users and headers as a single one', () => {
  const lines = (path: string) => fileAt(path).text.split('\n');
  const several = lines('deploy/servers/Caddyfile');
  const ofOne = lines('deploy/proxy/Caddyfile').filter(
    (line) => !/^#|reverse_proxy|plan\.example/.test(line),
  );
  for (const line of ofOne) expect(several).toContain(line);
});

it('the image runs as nobody', () => {
  const last = fileAt('Dockerfile')
    .text.split(/^FROM /m)
    .at(-1);
  expect(last).toMatch(/^USER 65534:65534$/m);
});
