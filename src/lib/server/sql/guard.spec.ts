import { describe, expect, it } from 'vitest';
import {
  AT_THE_BOUNDS,
  CONDITION_COLUMNS,
  HOSTILE,
  LEGITIMATE,
} from '../../../../tests/fixtures/conditions';
import { AppError } from '../errors';
import { checkCondition } from './guard';

const columns = Object.keys(CONDITION_COLUMNS);
const check = (text: string) => checkCondition(text, columns, 'raw_where');
const brief = (text: string) =>
  JSON.stringify(text.length > 70 ? `${text.slice(0, 70)}… (${text.length})` : text);

async function refusalOf(text: string): Promise<string> {
  const error = await check(text).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(AppError);
  expect((error as AppError).status).toBe(400);
  return (error as AppError).message;
}

describe('accepts what people write', () => {
  it.each(LEGITIMATE.map((text) => [brief(text), text]))('%s', async (_, text) => {
    expect(await check(text)).toBe(text);
  });
});

describe('accepts conditions up to the size limits', () => {
  it.each(Object.entries(AT_THE_BOUNDS))('%s', async (_, text) => {
    expect(await check(text)).toBe(text);
  });
});

describe('refuses everything that is not one harmless condition, and still works afterwards', () => {
  it.each(HOSTILE.map(([text, reason]) => [brief(text), text, reason] as const))(
    '%s',
    async (_, text, reason) => {
      const message = await refusalOf(text);
      expect(message).toMatch(reason);
      expect(message).toMatch(/^raw_where: /);
      expect(message.length).toBeLessThan(400);
      await check(`"Region" = 'West'`);
    },
  );
});

it('names the field that the text came in', async () => {
  await expect(checkCondition('pg_sleep(1)', columns, 'where_clause')).rejects.toThrow(
    'where_clause: the function "pg_sleep" is not allowed',
  );
});

it('accepts only the columns that it was given', async () => {
  await expect(checkCondition('"Region" = 1', ['Sales'], 'raw_where')).rejects.toThrow(
    'the source has no column "Region" that a filter may use',
  );
});

it('still works after many hostile texts at once', async () => {
  const texts = HOSTILE.map(([text]) => text);
  const refused = await Promise.allSettled([...texts, ...texts].map(check));
  expect(refused.every((r) => r.status === 'rejected' && r.reason instanceof AppError)).toBe(true);
  for (const text of LEGITIMATE) await check(text);
});
