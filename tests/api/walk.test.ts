import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { it as shared } from '../support/api';
import { fileAt } from '../house/files';

const run = promisify(execFile);

/** The document shows the ids of an empty database. */
const it = shared.extend('env', { scope: 'file' }, {});

interface Block {
  language: string;
  text: string;
}

/** Returns the code blocks of one section of a document, in order. */
function blocksOf(path: string, heading: string): Block[] {
  const section = fileAt(path).text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({
    language: language!,
    text: text!,
  }));
}

it('The walk through the API gets the answers shown in docs/api.md', async ({ service }) => {
  const blocks = blocksOf('docs/api.md', 'From a table to an undone change');
  expect(blocks.filter(({ language }) => language === 'sh').length).toBeGreaterThan(8);
  let address = '';
  let answer = '';
  for (const { language, text } of blocks) {
    if (language === 'sql') {
      await service.query(text);
    } else if (language === 'sh' && text.startsWith('api=')) {
      address = text.replace('http://localhost:3010', service.url);
      expect(address).toContain(service.url);
    } else if (language === 'sh') {
      ({ stdout: answer } = await run('bash', ['-euo', 'pipefail', '-c', address + text]));
    } else if (language === 'json') {
      expect(JSON.parse(answer), text).toMatchObject(JSON.parse(text));
    } else {
      expect(language).toBe('csv');
      expect(answer.trim().split('\n').toSorted()).toEqual(text.trim().split('\n').toSorted());
    }
  }
});
