import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../src/cli/prepare.js';

/** A file of the project. */
export interface TextFile {
  /** Path from the project's folder, with `/` between. */
  path: string;
  text: string;
}

const WRITTEN = /\.(ts|js|svelte|css|html|sql|md)$/;

/** The text files in some folders of the project and their subfolders, without generated ones. */
export const filesIn = (...folders: string[]): TextFile[] =>
  folders.flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => WRITTEN.test(path))
      .map(fileAt),
  );

/** @param path from the project's folder */
export const fileAt = (path: string): TextFile => ({
  path,
  text: readFileSync(join(PROJECT, path), 'utf8'),
});

/** The headings of a Markdown text, without their `#`. */
export const headings = (markdown: string): string[] =>
  [...withoutCode(markdown).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => heading!);

/** The anchor that GitHub gives a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/** The targets of the links in a Markdown text. */
export const links = (markdown: string): string[] =>
  [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);

const withoutCode = (markdown: string): string => markdown.replace(/^```.*?^```$/gms, '');
