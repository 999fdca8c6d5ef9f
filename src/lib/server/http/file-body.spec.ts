import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { withFile } from './file-body';

const SIZE = 2_000_000;

/** A request with a file of {@link SIZE} bytes, and its connection. */
function received() {
  const url = new URL('http://localhost/api/files/preview?name=large.csv');
  const request = new Request(url, { method: 'POST', body: 'a,b\n'.repeat(SIZE / 4) });
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  const locals = { config: { fileLimit: SIZE } };
  return { request, locals, platform: { req: { socket } } };
}

it('A file is read to its end', async () => {
  const event = received();
  let size = 0;
  await withFile(event, { name: 'large.csv' }, async ({ open }) => {
    for await (const part of open()) size += part.byteLength;
  });
  expect([size, event.platform.req.socket.listenerCount('close')]).toEqual([SIZE, 0]);
});

it('Reading a file stops when the client closes the connection', async () => {
  const event = received();
  let size = 0;
  const read = withFile(event, { name: 'large.csv' }, async ({ open }) => {
    for await (const part of open()) {
      size += part.byteLength;
      event.platform.req.socket.emit('close');
    }
  });
  await expect(read).rejects.toThrow('The client closed the connection while its file was read');
  expect(size).toBeLessThan(SIZE);
});

it('A file is not read if the connection is closed already', async () => {
  const event = received();
  event.platform.req.socket.destroyed = true;
  const read = withFile(event, { name: 'large.csv' }, async ({ open }) => {
    for await (const part of open()) throw new Error(`${part.byteLength} bytes were read`);
  });
  await expect(read).rejects.toThrow('The client closed the connection while its file was read');
});
