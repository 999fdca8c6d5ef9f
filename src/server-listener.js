// Copied beside the built server, around whose listener it stands (see svelte.config.js).

/**
 * How long a client has to finish sending its request, once the server is to end
 * (docs/contract/10-authentication-and-limits.md#limits).
 */
const GRACE_MILLISECONDS = 10_000;

/**
 * Closes what has not finished sending when the server is to end: a client that stops in the middle
 * of a body would hold it up for minutes. Requests that have arrived are answered as long as they take.
 *
 * @param {import('node:http').Server} server
 */
function closeUnfinished(server) {
  /** @type {Map<import('node:net').Socket, import('node:http').IncomingMessage | undefined>} */
  const connections = new Map();
  server.on('connection', (socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    connections.set(socket, request);
    response.once('close', () => connections.has(socket) && connections.set(socket, undefined));
  });

  const end = () =>
    setTimeout(() => {
      for (const [socket, request] of connections) if (!request?.complete) socket.destroy();
    }, GRACE_MILLISECONDS).unref();
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, end);
}

/**
 * Says in one line why nothing can listen, and ends.
 *
 * @param {import('node:http').Server} server
 */
function explainFailure(server) {
  const explain = (/** @type {NodeJS.ErrnoException} */ error) => {
    const inUse = error.code === 'EADDRINUSE';
    const hint = 'stop what listens there, or choose another with PORT';
    console.error(
      `Cannot start: ${inUse ? `port ${process.env.PORT} is in use; ${hint}` : error.message}`,
    );
    process.exit(1);
  };
  server.once('error', explain);
  server.once('listening', () => server.off('error', explain));
}

/**
 * Keeps browsers from guessing the type of a static file, too; those never reach the service's hooks.
 *
 * @param {import('node:http').Server} server
 */
function forbidSniffing(server) {
  server.prependListener('request', (_, response) =>
    response.setHeader('x-content-type-options', 'nosniff'),
  );
}

/** @param {import('node:http').Server} server that has just been told to listen */
export function prepareListener(server) {
  explainFailure(server);
  closeUnfinished(server);
  forbidSniffing(server);
}
