import { expect, it } from 'vitest';
import { fileAt } from './files';

/** The variables of the service: those that `loadConfig` reads, and those of adapter-node that it documents. */
const read = [
  ...fileAt('src/lib/server/config.ts').text.matchAll(
    /'((?:DB|PF)_[A-Z_]+|PORT)'|env\.(DB_[A-Z_]+)/g,
  ),
].map(([, quoted, member]) => quoted ?? member!);
const variables = [...new Set(read)];

/** The variables in the first column of the table. */
const [, table = ''] =
  /^\| Variable .*\n((?:\|.*\n)+)/m.exec(fileAt('docs/operating.md').text) ?? [];
const listed = table
  .split('\n')
  .flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!),
  );

it('docs/operating.md lists each variable that the service reads, once', () => {
  expect(variables).toContain('DB_PASSWORD');
  expect(variables.length).toBeGreaterThan(15);
  expect(variables.filter((name) => !listed.includes(name))).toEqual([]);
  expect(listed.toSorted()).toEqual([...new Set(listed)].toSorted());
});

it.each(variables.filter((name) => name !== 'PORT'))('.env.example explains %s', (name) => {
  expect(fileAt('.env.example').text).toMatch(new RegExp(`^#?\\s*${name}=`, 'm'));
});

it('.env.example has the variables of docs/operating.md, each once', () => {
  const named = Array.from(
    fileAt('.env.example').text.matchAll(/^#?\s*([A-Z_]+)=/gm),
    ([, name]) => name!,
  );
  expect(named.toSorted()).toEqual(listed.toSorted());
});

it('.env.example and docs/operating.md have the variables that the start of the server sets', () => {
  const set = Array.from(
    fileAt('src/server-defaults.js').text.matchAll(/process\.env\.([A-Z_]+) \|\|=/g),
    ([, name]) => name!,
  );
  expect(set).toContain('HOST');
  expect(set.filter((name) => !listed.includes(name))).toEqual([]);
});

it('compose.yaml passes on each setting of the service', () => {
  const { text } = fileAt('compose.yaml');
  const settings = listed.filter((name) => !/^(DB_|PORT$|HOST$|SHUTDOWN_TIMEOUT$)/.test(name));
  expect(settings.filter((name) => !new RegExp(`^ +${name}:`, 'm').test(text))).toEqual([]);
});

it('no other document has a table of variables', () => {
  const tables = ['README.md', 'docs/contract/01-what-the-service-does.md'].filter((path) =>
    /^\| Variable /m.test(fileAt(path).text),
  );
  expect(tables).toEqual([]);
});
