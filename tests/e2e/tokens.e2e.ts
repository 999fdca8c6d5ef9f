import { expect, test, visit } from '../support/e2e';
import { apiAt } from '../support/http';
import { SIGNED_IN, signedIn } from '../support/territories';
import { withSecret } from '../support/tokens';

test.use({ env: SIGNED_IN });

test('an admin makes a token, a program uses it, and it is revoked', async ({ page, service }) => {
  const { url } = service;
  await page.context().setExtraHTTPHeaders(signedIn('ann'));
  await visit(page, '/');
  await expect(page.getByRole('heading', { name: 'Sources' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Tokens' })).toHaveCount(0);

  const [{ id, label }] = (await apiAt(url, signedIn('eve', 'admins')).get('/sources')).body;
  await page.context().setExtraHTTPHeaders(signedIn('eve', 'admins'));
  await page.goto('/');
  await page.getByRole('link', { name: 'Tokens' }).click();
  await page.getByRole('button', { name: 'Make the first token' }).click();
  await page.getByRole('button', { name: 'Make the token' }).click();
  await expect(page.getByText('Enter a name for the program.')).toBeVisible();
  await page.getByLabel('Name').fill('nightly load');
  await page.getByText('reader', { exact: true }).click();
  await page.getByLabel('Groups').fill('team-west\n\n cn=a,ou=b ');
  await page.getByText('some sources', { exact: true }).click();
  await page.getByRole('button', { name: 'Make the token' }).click();
  await expect(page.getByText('Choose a source, or all sources.')).toBeVisible();
  await page.getByRole('checkbox', { name: label }).check();
  await page.getByRole('button', { name: 'Make the token' }).click();
  const secret = await page.getByLabel('Token', { exact: true }).inputValue();
  const program = apiAt(url, withSecret(secret));
  expect((await program.get('/me')).body).toEqual({ user: 'nightly load', roles: ['reader'] });
  await page.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('row').filter({ hasText: 'nightly load' });
  await expect(row).toContainText('team-west, cn=a,ou=b');
  await expect(row).toContainText(label);
  expect((await program.get('/sources')).body).toMatchObject([{ id }]);

  await row.getByRole('button', { name: /^Revoke token/ }).click();
  await page.getByRole('button', { name: 'Revoke token', exact: true }).click();
  await expect(page.getByText('Token of nightly load revoked.')).toBeVisible();
  await expect(page.getByText('No token yet')).toBeVisible();
  expect((await program.get('/me')).status).toBe(401);
});
