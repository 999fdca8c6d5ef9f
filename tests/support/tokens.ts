/** Tokens of programs. */
import type { Api } from './http';

/** Makes a token. @returns the answer, with its secret */
export async function makeToken(admin: Api, fields: object = {}) {
  const { status, body } = await admin.post('/tokens', {
    name: 'night',
    roles: ['planner'],
    ...fields,
  });
  if (status !== 201) throw new Error(`The token was not made: ${body?.error}`);
  return body;
}

/** The header with a secret. */
export const withSecret = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** Makes a token. @returns the header that signs it in */
export const bearer = async (admin: Api, fields: object = {}) =>
  withSecret((await makeToken(admin, fields)).secret);
