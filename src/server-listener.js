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
 * How long a server that is to end still serves a proxy, which finds out meanwhile by its health checks
 * (docs/contract/21-past-one-machine.md#several-servers).
 */
const PROXY_MILLISECONDS = 5_000;

/** Longer than common proxies keep a connection that they do not use, so that they are the ones to end it. */
const KEEP_ALIVE_MILLISECONDS = 125_000;

/**
 * Lets a proxy look away without losing a request. If a connection ended at the moment at which the proxy
 * sends something on it, the proxy could not tell whether it was read, and would answer 502. Without a
 * proxy, the server ends at once.
 *
 * @param {import('node:http').Server} server
 */
function leaveProxiesTime(server) {
  server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
  /** @type {Set<import('node:net').Socket>} */
  const ofProxies = new Set();
  /** @type {Set<import('node:http').ServerResponse>} */
  const unanswered = new Set();
  let isEnding = false;
  server.prependListener('request', ({ socket, headers }, response) => {
    const isOfProxy = headers['x-forwarded-for'] ?? headers.forwarded ?? headers.via;
    if (isOfProxy && !ofProxies.has(socket)) {
      ofProxies.add(socket);
      socket.once('close', () => ofProxies.delete(socket));
    }
    if (isEnding) response.setHeader('connection', 'close');
    unanswered.add(response);
    response.once('close', () => unanswered.delete(response));
  });

  // adapter-node calls the two when the server is to end, and the second after each request from then on.
  const close = server.close.bind(server);
  const closeIdle = server.closeIdleConnections.bind(server);
  let isClosing = false;
  server.close = (done) => {
    isEnding = true;
    for (const response of unanswered) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
    const closeNow = () => {
      isClosing = true;
      process.emit(/** @type {any} */ ('forecast-pivot:closing'));
      closeIdle();
      close(done);
    };
    if (ofProxies.size === 0) closeNow();
    else setTimeout(closeNow, PROXY_MILLISECONDS);
    return server;
  };
  server.closeIdleConnections = () => {
    if (isClosing || ofProxies.size === 0) closeIdle();
  };
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
  leaveProxiesTime(server);
  forbidSniffing(server);
}
