import { expect, aloneTest as test } from '../support/e2e';
import { PivotPage } from './pivot-page';

/** What people leave is released: they go from version to version in one tab for a whole day. */

test('the page of a version is released when it is left', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const counted = async () => {
    await devtools.send('HeapProfiler.collectGarbage');
    const { metrics } = await devtools.send('Performance.getMetrics');
    const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return { nodes: of('Nodes'), listeners: of('JSEventListeners') };
  };
  const leave = async () => {
    await page.getByRole('link', { name: 'Superstore', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Superstore' })).toBeVisible();
  };
  const remaining: { nodes: number; listeners: number }[] = [];
  for (let visits = 0; visits < 4; visits += 1) {
    await leave();
    remaining.push(await counted());
    await page.goBack();
    await pivot.drawn();
    // A change leaves a toast, and its button to undo it.
    await pivot.click({ row: ['Furniture'], column: ['2028', 'Sales'] });
    await page.keyboard.type('+100');
    await page.keyboard.press('Enter');
    await expect(page.getByText(/^Scaled: /)).toBeVisible();
  }
  // Some nodes and listeners of the first changes stay. Each page of a version has some 1,600 nodes and 50 listeners.
  const [, , third] = remaining;
  await leave();
  // A toast that disappears keeps its nodes for a moment.
  await expect(async () => {
    const fifth = await counted();
    expect(fifth.nodes - (third?.nodes ?? 0)).toBeLessThan(500);
    expect(fifth.listeners - (third?.listeners ?? 0)).toBeLessThan(25);
  }).toPass({ timeout: 60_000 });
});
