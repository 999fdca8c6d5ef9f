import { existsSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT } from '../../src/cli/prepare.js';
import { ENDPOINTS } from '../../src/lib/contract/endpoints';
import { EVENT_KINDS, HEARTBEAT } from '../../src/lib/contract/events';
import { PARAMETERS } from '../../src/lib/plan/arrangement/address';
import { anchorOf, fileAt, filesIn, headings, links, type TextFile } from './files';

const PAGES = filesIn('docs/contract').filter(({ path }) => !path.endsWith('README.md'));
const TESTS = filesIn('tests/api/contract').filter(({ path }) => path.endsWith('.test.ts'));
const TABLE = 'docs/contract/11-endpoints.md';

const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'].map(fileAt),
  ...filesIn('docs'),
];
const everything = [...documents, ...filesIn('src', 'tests')];

/** In the notation of the pages: `POST /versions/:id/scale`. */
const endpoints = ENDPOINTS.map(
  ({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
);
const ENDPOINT = /^(GET|POST|PUT|PATCH|DELETE) \/\S*$/;

/** Whether the target of a link exists. It is a path from the project's folder, with or without an anchor. */
function leadsSomewhere(target: string): boolean {
  const [path, anchor] = target.split('#') as [string, string?];
  if (!existsSync(join(PROJECT, path))) return false;
  return anchor === undefined || headings(fileAt(path).text).map(anchorOf).includes(anchor);
}

/** A link as a path from the project's folder. */
const resolved = ({ path }: TextFile, link: string): string =>
  link.startsWith('#') ? path + link : normalize(join(dirname(path), link)).replaceAll('\\', '/');

describe('Every endpoint', () => {
  it.each(endpoints)('%s has its heading on one page', (endpoint) => {
    const described = PAGES.filter(({ text }) => headings(text).includes(endpoint));
    expect(described.map(({ path }) => path)).toHaveLength(1);
  });

  it.each(endpoints)(
    '%s is in the table of all endpoints, with a link to its heading',
    (endpoint) => {
      const table = fileAt(TABLE);
      const row = table.text.split('\n').find((line) => line.startsWith(`| [\`${endpoint}\`](`));
      const [target = ''] = links(row ?? '').map((link) => resolved(table, link));
      expect(target).toMatch(new RegExp(`#${anchorOf(endpoint)}$`));
      expect(leadsSomewhere(target)).toBe(true);
    },
  );

  it('that a page describes is served', () => {
    const described = PAGES.flatMap(({ text }) => headings(text)).filter((h) => ENDPOINT.test(h));
    expect(described.filter((heading) => !endpoints.includes(heading))).toEqual([]);
    const listed = [...fileAt(TABLE).text.matchAll(/^\| \[`([^`]+)`\]/gm)].map(([, name]) => name);
    expect(listed).toEqual(endpoints);
  });
});

/** Returns the names in backquotes of the first column of a table. @param header such as `Event | Data` */
function rowsOf(path: string, header: string): string[] {
  const lines = fileAt(path).text.replace(/ +/g, ' ').split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${header} `));
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((row) => /`([^`]+)`/.exec(row)?.[1] ?? '');
}

it('The page of live changes lists the events', () => {
  const listed = rowsOf('docs/contract/19-planning-together.md', 'Event | Data');
  expect(listed.toSorted()).toEqual([...EVENT_KINDS, HEARTBEAT].toSorted());
});

it('The page of named views lists the parameters of an address', () => {
  const listed = rowsOf(TABLE, 'Parameter | Shows').map((row) => row.split('=')[0]);
  expect(listed.toSorted()).toEqual(PARAMETERS.toSorted());
});

describe('Pages and tests', () => {
  const testsOf = (page: TextFile): string[] =>
    links(page.text)
      .map((link) => resolved(page, link))
      .filter((path) => path.endsWith('.test.ts'));

  it.each(PAGES)('$path and its tests refer to each other', (page) => {
    const naming = TESTS.filter(({ text }) => text.split('\n', 1).join('').includes(page.path));
    expect(naming.length).toBeGreaterThan(0);
    expect(testsOf(page).toSorted()).toEqual(naming.map(({ path }) => path).toSorted());
  });

  it.each(TESTS)('$path names its page in its first line', ({ text }) => {
    const page = PAGES.find(({ path }) => text.split('\n', 1).join('').includes(path));
    expect(page).toBeDefined();
  });

  it('are listed in the index', () => {
    const index = fileAt('docs/contract/README.md');
    const listed = links(index.text).filter((link) => /^\d\d-/.test(link));
    expect(listed).toEqual(PAGES.map(({ path }) => basename(path)).toSorted());
  });
});

it('CONTRIBUTING gives the purpose of each dependency, and of nothing else', () => {
  const { text } = fileAt('CONTRIBUTING.md');
  const [, table = ''] = /\n\| Package .*\n\| -.*\n((?:\|.*\n)+)/.exec(text) ?? [];
  const rows = table.split('\n').map((row) => row.split('|')[1] ?? '');
  const named = rows.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name));
  const { dependencies, devDependencies } = JSON.parse(fileAt('package.json').text);
  const used = Object.keys({ ...dependencies, ...devDependencies });
  expect(named.toSorted()).toEqual(used.toSorted());
});

it('docs/operating.md shows the proxy configuration that the tests run', () => {
  expect(fileAt('docs/operating.md').text).toContain(fileAt('deploy/proxy/Caddyfile').text);
});

describe('References', () => {
  it('to a document lead to it, and to the heading that they name', () => {
    const broken = everything.flatMap(({ path, text }) =>
      [...text.matchAll(/docs\/[\w./-]+\.(?:md|sql)(?:#[\w-]+)?/g)]
        .map(([target]) => target)
        .filter((target) => !leadsSomewhere(target))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('name no document that is not in the repository', () => {
    const elsewhere = /\bspecification:|\bthe[\s*/]+specification\b|\bopen[\s*/]+points\b/i;
    const naming = everything.filter(({ text }) => elsewhere.test(text));
    expect(naming.map(({ path }) => path)).toEqual([]);
  });

  it('between documents have a target', () => {
    const broken = documents.flatMap((document) =>
      links(document.text)
        .filter((link) => !/^https?:/.test(link) && !leadsSomewhere(resolved(document, link)))
        .map((link) => `${document.path}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});

describe('Decisions', () => {
  const records = filesIn('docs/decisions').filter(({ path }) => !path.endsWith('README.md'));

  it.each(records)(
    '$path has its own number, and context, decision and cost in order',
    (record) => {
      const number = Number(basename(record.path).slice(0, 4));
      const [title, ...sections] = headings(record.text);
      expect(title).toMatch(new RegExp(`^${number}\\. `));
      expect(sections).toEqual(['Context', 'Decision', 'Cost']);
      const sameNumber = records.filter(({ path }) =>
        basename(path).startsWith(basename(record.path).slice(0, 5)),
      );
      expect(sameNumber).toEqual([record]);
    },
  );

  it('are listed in the index', () => {
    const listed = links(fileAt('docs/decisions/README.md').text);
    expect(listed.toSorted()).toEqual(records.map(({ path }) => basename(path)).toSorted());
  });

  it('are named by their numbers', () => {
    const wrong = documents.flatMap(({ path, text }) =>
      Array.from(text.matchAll(/\[decision (\d+)\]\(\S*?(\d{4})-[^)]*\)/gi))
        .filter(([, number, file]) => Number(number) !== Number(file))
        .map(([link]) => `${path}: ${link}`),
    );
    expect(wrong).toEqual([]);
  });
});
