import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './prepare.js';

/** Licences that allow a package to ship with an Apache-2.0 project. A person decides on others. */
const ALLOWED = new Set([
  ...['Apache-2.0', 'MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0'],
  ...['Unlicense', 'CC0-1.0', 'OFL-1.1'],
]);

/** Licences of packages whose manifest names none. A person read them in the licence files. */
const FROM_FILES: Readonly<Record<string, string>> = {
  'svelte-toolbelt': 'MIT',
};

/** The packages that the build put into its files, listed by vite.config.ts. */
const BUNDLED = join(PROJECT, 'build/bundled-packages.json');

interface Shipped {
  name: string;
  version: string;
  license: string;
  /** The package's licence text; empty if it has no file for it. */
  text: string;
}

interface Manifest {
  name: string;
  version: string;
  license?: string;
  /** The form that old packages use. */
  licenses?: { type: string }[];
}

/**
 * Lists every package that ships: the packages that the server imports, and those that are bundled for the
 * browser.
 * @throws Error if nothing is built, or if a licence is not allowed, naming the packages
 */
export function thirdParty(): string {
  if (!existsSync(BUNDLED)) throw new Error('Nothing is built; run npm run build first');
  const bundled = JSON.parse(readFileSync(BUNDLED, 'utf8')) as string[];
  const lock = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  const imported = Object.entries(lock.packages)
    .filter(([folder, { dev, devOptional }]) => folder !== '' && !dev && !devOptional)
    .map(([folder]) => folder);
  const all = [...new Set([...imported, ...bundled])]
    .filter((folder) => existsSync(join(PROJECT, folder, 'package.json')))
    .map(read)
    .toSorted((a, b) => (label(a) < label(b) ? -1 : 1));
  const refused = all.filter(({ license }) => !isAllowed(license));
  if (refused.length > 0) {
    const named = refused.map((p) => `${label(p)} (${p.license || 'no licence'})`).join(', ');
    throw new Error(`These may not ship: ${named}`);
  }
  return write([...new Map(all.map((p) => [label(p), p])).values()]);
}

const label = ({ name, version }: Shipped): string => `${name} ${version}`;

const isAllowed = (license: string): boolean =>
  license
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => ALLOWED.has(one)));

function read(folder: string): Shipped {
  const path = join(PROJECT, folder);
  const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license, licenses = [] } = manifest;
  const files = readdirSync(path)
    .filter((file) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(file))
    .filter((file) => statSync(join(path, file)).isFile() && !/\.(js|coffee)$/.test(file))
    .toSorted();
  return {
    name,
    version,
    license: license ?? (licenses.map(({ type }) => type).join(' OR ') || FROM_FILES[name] || ''),
    text: files
      .map((file) => readFileSync(join(path, file), 'utf8').replace(/\r\n?/g, '\n').trim())
      .join('\n\n'),
  };
}

/** Writes a list of all packages, then each licence text once, under the names of its packages. */
function write(packages: readonly Shipped[]): string {
  const byText = new Map<string, string[]>();
  for (const p of packages) {
    if (p.text !== '') byText.set(p.text, [...(byText.get(p.text) ?? []), label(p)]);
  }
  const rule = '-'.repeat(80);
  return [
    'What ships with Forecast Pivot: the packages that its server imports and those that are bundled',
    'for the browser, with their licences. Written by `npm run licenses`.',
    '',
    ...packages.map((p) => `${label(p)}: ${p.license}`),
    ...[...byText].flatMap(([text, names]) => ['', rule, names.join('\n'), rule, '', text]),
    '',
  ].join('\n');
}
