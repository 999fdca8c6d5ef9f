import { test, expect, visit } from '../support/e2e';

for (const template of ['raw', 'grain'] as const)
  test.describe(`the sample, ${template}`, () => {
    test.use({ template });

    test('opens from the home page to its plan', async ({ page, service }) => {
      const [version] = await service.query('SELECT id, name FROM pf.version');
      await visit(page, '/');
      await expect(page.getByText('Superstore').first()).toBeVisible();
      await page.getByRole('link', { name: version.name }).first().click();
      await expect(page).toHaveURL(new RegExp(`/versions/${version.id}$`));
      await expect(page.locator('perspective-viewer')).toBeVisible();
    });
  });
