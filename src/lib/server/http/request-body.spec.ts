import { expect, it } from 'vitest';
import { discardBody } from './request-body';

it('A body that no handler reads is drained up to 16 MB, even if its own limit is 0', async () => {
  let sent = 0;
  let isCut = false;
  const body = new ReadableStream({
    pull(controller) {
      if (sent === 8) return controller.close();
      sent++;
      controller.enqueue(new Uint8Array(1_000_000));
    },
    cancel: () => {
      isCut = true;
    },
  });
  const options = { method: 'POST', body, duplex: 'half' };
  await discardBody(new Request('http://localhost/', options), 0);
  expect([sent, isCut]).toEqual([8, false]);
});
