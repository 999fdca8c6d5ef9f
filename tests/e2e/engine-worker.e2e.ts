import { expect, test, visit } from '../support/e2e';
import { planTable } from '../support/planned-table';
import { PivotPage } from './pivot-page';

/** Transfer of rows to the engine (docs/decisions/0039-the-first-screen.md). */

test.use({ template: 'service' });

for (const browser of ['a browser', 'a browser without shared workers']) {
  test(`${browser} hands rows over, and those of a change`, async ({ page, service }) => {
    if (browser !== 'a browser') {
      await page.addInitScript(() => Reflect.deleteProperty(window, 'SharedWorker'));
    }
    await page.addInitScript(() => {
      // The engine's client copies the bytes it sends out of its memory.
      const copies = new WeakSet<ArrayBufferLike>();
      const { slice } = Uint8Array.prototype;
      Uint8Array.prototype.slice = function (...part) {
        const copy = slice.apply(this, part);
        copies.add(copy.buffer);
        return copy;
      };
      const copied: boolean[] = [];
      Object.assign(window, { copied });
      MessagePort.prototype.postMessage = new Proxy(MessagePort.prototype.postMessage, {
        apply(post, port, message) {
          const [sent] = message as unknown[];
          const isLarge = sent instanceof ArrayBuffer && sent.byteLength > 200_000;
          if (isLarge) copied.push(copies.has(sent));
          Reflect.apply(post, port, message);
        },
      });
    });
    await service.query(`CREATE TABLE public.sales AS
      SELECT (ARRAY['North', 'East'])[1 + i % 2] AS region, 'Order ' || i AS "order",
        10::numeric(12,2) AS amount
      FROM generate_series(1, 20000) AS i`);
    const { versionId } = await planTable(service, 'sales', {
      region: 'dimension',
      order: 'dimension',
      amount: 'value',
    });
    const pivot = new PivotPage(page);
    await pivot.keepUser();
    await visit(page, `/versions/${versionId}?rows=region&columns=&measures=amount`);
    await pivot.drawn();
    const total = { row: [], column: ['amount'] };
    await expect.poll(() => pivot.number(total)).toBe(200_000);
    await pivot.click(total);
    await pivot.scaleValue(10);
    await expect.poll(() => pivot.number(total)).toBe(220_000);
    await expect.poll(() => pivot.number({ row: ['East'], column: ['amount'] })).toBe(110_000);

    const copied = await page.evaluate(() => (window as unknown as { copied: boolean[] }).copied);
    const isCopied = browser !== 'a browser';
    expect(copied).toEqual([isCopied, isCopied]);
  });
}
