import { expect, test } from '../support/e2e';
import { addFamilies, ofFamily, sales } from './families';
import { PivotPage } from './pivot-page';

/** Attributes of a lookup on the pivot page: fields that rows do not have. */

const at = (row: string[], measure = 'Sales') => ({ row, column: ['2028', measure] });

test('an attribute is grouped by, selected and changed like a column', async ({
  page,
  service,
}) => {
  await addFamilies(service);
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Family,Sub-Category&depth=0');
  const seating = await sales(service, ofFamily('Seating'));
  expect(await pivot.number(at(['Seating']))).toBeCloseTo(seating, 2);
  // By rank; members without a rank come last or first, but together.
  const heads = await pivot.grid.locator('tbody th').allInnerTexts();
  expect(heads.filter((text) => ['Storage', 'Seating', 'Devices'].includes(text))).toEqual([
    'Storage',
    'Seating',
    'Devices',
  ]);
  expect(heads).toContain('(empty)');

  await pivot.click(at(['Seating']));
  await expect(pivot.slice).toContainText('Family');
  await expect(pivot.slice).toContainText('Seating');
  const storage = await sales(service, ofFamily('Storage'));
  await pivot.scaleValue(10);
  await expect.poll(() => pivot.number(at(['Seating']))).toBeCloseTo(seating * 1.1, 1);
  expect(await sales(service, ofFamily('Seating'))).toBeCloseTo(seating * 1.1, 1);
  expect(await sales(service, ofFamily('Storage'))).toBeCloseTo(storage, 2);
  await pivot.undo();
  await expect.poll(() => pivot.number(at(['Seating']))).toBeCloseTo(seating, 2);

  // An amount typed into the empty member changes the rows without a family.
  const none = await sales(
    service,
    `NOT coalesce(${ofFamily('Seating')}, false) AND "Sub-Category" NOT IN
    ('Bookcases', 'Storage', 'Phones', 'Copiers')`,
  );
  expect(await pivot.number(at(['(empty)']))).toBeCloseTo(none, 2);
  await pivot.click(at(['(empty)']));
  await page.keyboard.type('+1000');
  await page.keyboard.press('Enter');
  await expect.poll(() => pivot.number(at(['(empty)']))).toBeCloseTo(none + 1000, 1);
  expect(await sales(service, ofFamily('Seating'))).toBeCloseTo(seating, 2);
});

test('an amount is refused if members have moved since the page read them', async ({
  page,
  service,
}) => {
  await addFamilies(service);
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Family');
  const all = await sales(service, 'TRUE');
  await service.query(`UPDATE public.families SET family = 'Seating' WHERE sub = 'Storage'`);
  await pivot.click(at(['Storage']));
  await page.keyboard.type('1000');
  await page.keyboard.press('Enter');
  await expect(page.getByText('or in the table of a lookup').first()).toBeVisible();
  expect(await sales(service, 'TRUE')).toBeCloseTo(all, 2);
  await page.keyboard.press('Escape');
  await page.reload();
  await pivot.drawn();
  const storage = await sales(service, ofFamily('Storage'));
  expect(await pivot.number(at(['Storage']))).toBeCloseTo(storage, 2);
  await pivot.click(at(['Storage']));
  await page.keyboard.type('1000');
  await page.keyboard.press('Enter');
  await expect.poll(() => sales(service, ofFamily('Storage'))).toBeCloseTo(1000, 2);
});

test('a lock of a family marks its members, and rows of a new key are shown in its family', async ({
  page,
  service,
}) => {
  await addFamilies(service);
  const lock = { slice: { Family: 'Devices' }, note: 'agreed', pf_user: 'eve' };
  expect((await service.api.post('/versions/1/locks', lock)).status).toBe(201);
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Sub-Category');
  await expect.poll(() => isLockedIn(pivot, ['Phones'])).toBe(true);
  expect(await isLockedIn(pivot, ['Chairs'])).toBe(false);

  // Art becomes Easels, which only the table of families knows.
  await service.query(`INSERT INTO public.families VALUES ('Easels', 'Seating', 2)`);
  await pivot.open(1, '?rows=Family,Sub-Category');
  const seating = await sales(service, ofFamily('Seating'));
  const art = await sales(service, `"Sub-Category" = 'Art'`);
  const recode = { slice: { 'Sub-Category': 'Art' }, set: { 'Sub-Category': 'Easels' } };
  const recoded = await service.api.post('/versions/1/recode', { ...recode, pf_user: 'eve' });
  expect(recoded.status, JSON.stringify(recoded.body)).toBeLessThan(300);
  await expect.poll(() => pivot.number(at(['Seating']))).toBeCloseTo(seating + art, 1);
  expect(await pivot.number(at(['Seating', 'Easels']))).toBeCloseTo(art, 1);
  await expect.poll(() => isLockedIn(pivot, ['Devices'])).toBe(true);
});

/** Whether a cell of 2028 looks locked. */
async function isLockedIn(pivot: PivotPage, row: string[]): Promise<boolean> {
  const cell = await pivot.find(at(row));
  return pivot.grid.evaluate(
    (grid, { x, y }) =>
      (grid.getRootNode() as ShadowRoot).elementFromPoint(x, y)?.matches('.pf-locked') ?? false,
    cell ?? { x: 0, y: 0 },
  );
}

test.describe('at a display grain', () => {
  test.use({ template: 'grain' });

  test('attributes of columns that are not loaded are no fields, and the panel says why', async ({
    page,
    service,
  }) => {
    await addFamilies(service);
    await service.query(`CREATE TABLE public.states AS SELECT 'Texas' AS state, 'South' AS area`);
    const added = await service.api.post('/sources/1/lookups', {
      ...{ name: 'States', schema: 'public', tname: 'states', pf_user: 'ana' },
      keys: [{ column: 'State', from: 'state' }],
      attributes: [{ cname: 'area', label: 'Area' }],
    });
    expect(added.status, JSON.stringify(added.body)).toBe(201);
    const pivot = new PivotPage(page);
    await pivot.open(1, '?rows=Family');
    expect(await pivot.number(at(['Seating']))).toBeCloseTo(
      await sales(service, ofFamily('Seating')),
      2,
    );
    await page.getByRole('button', { name: 'Arrange', exact: true }).click();
    const arrange = page.getByRole('complementary', { name: 'Arrange' });
    await expect(
      arrange.getByText(/^The fields of “States” cannot be shown: .*"State"/),
    ).toBeVisible();
    await expect(arrange.locator('[data-field="Area"]')).toHaveCount(0);
    await expect(arrange.locator('[data-field="Family"]')).toHaveCount(1);
  });
});
