import pg from 'pg';
import { expect, it } from 'vitest';
import { AppError } from '../errors';
import { blameClient, type Statement } from './client-faults';

/**
 * Runs a statement that fails because there is no such column. @returns the error that is answered
 *
 * @param reads the source that it reads, if any
 */
async function answeredFor(column: string, reads: Pick<Statement, 'source'> = {}) {
  const missing = new pg.DatabaseError(`column ${column} does not exist`, 0, 'error');
  missing.code = '42703';
  return blameClient({ words: 'scale', ...reads }, () => Promise.reject(missing)).catch(
    (error: unknown) => error,
  );
}

it('advises to generate the SQL again if a column of the source is gone', async () => {
  const error = await answeredFor('"Sub-Category"');
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({ status: 409 });
});

it.each(['"pf_logid"', 'among.pf_iter'])(
  'does not blame the stored SQL for a statement that names %s where there is none',
  async (column) => {
    expect(await answeredFor(column)).toBeInstanceOf(pg.DatabaseError);
    const source = { schema: 'public', tname: 'orders' };
    expect(await answeredFor(column, { source })).toBeInstanceOf(pg.DatabaseError);
  },
);
