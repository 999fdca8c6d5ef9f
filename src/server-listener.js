// Copied beside the built server, whose listener it wraps (see svelte.config.js).

/**
 * Time that a client has to finish sending its request after the server was asked to end
 * (docs/contract/10-authentication-and-limits.md#limits).
 */
const GRACE_MILLISECONDS = 10_000;

/**
 * Closes connections with an unfinished request when the server ends: a client that stops in the middle of a
 * body would delay the end for minutes. Requests that have arrived completely are answered, however long that
 * takes.
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
 * Time for which a server that was asked to end still serves a proxy, which notices the end by its health
 * checks (docs/contract/21-past-one-machine.md#several-servers).
 */
const PROXY_MILLISECONDS = 5_000;

/** Longer than common proxies keep an unused connection, so that the proxy closes it first. */
const KEEP_ALIVE_MILLISECONDS = 125_000;

/**
 * Gives a proxy time to notice the end without losing a request. If a connection closed while the proxy sends
 * a request on it, the proxy could not know whether the request was read, and would answer 502. Without a
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

  // adapter-node calls both when the server is to end, and the second one after each later request.
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
 * Reports in one line why the port cannot be opened, and ends.
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
 * Headers of every answer (docs/contract/09-errors-limits-guards.md#guards). Static files and answers of Node.js itself
 * do not pass the service's hooks, so they are set here.
 */
const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/**
 * Sets the headers of every answer, refuses requests that are not valid HTTP, and reads the host of an absolute target
 * as that of the request (RFC 9112, 3.2.2). Call it last: its listener calls those that were added before.
 *
 * @param {import('node:http').Server} server
 */
function guard(server) {
  // Node.js would answer requests without a host itself, without these headers.
  Object.assign(server, { requireHostHeader: false });
  const listeners = server.rawListeners('request');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const absolute = /^https?:\/\/([^/?#]*)([^#]*)/i.exec(request.url ?? '');
    if (absolute) {
      const [, host = '', target = ''] = absolute;
      request.url = target.startsWith('/') ? target : `/${target}`;
      request.headers.host = host.slice(host.lastIndexOf('@') + 1);
    } else if (request.url === '*') request.url = '/';
    if (!request.headers.host && request.httpVersion !== '1.0') {
      const { body, headers } = lastAnswer('The header Host is missing');
      response.writeHead(400, headers).end(body);
      return;
    }
    for (const listener of listeners) listener.call(server, request, response);
  });

  server.on('clientError', (error, socket) => {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    const { _httpMessage: answer } = /** @type {any} */ (socket);
    if (code === 'ECONNRESET' || !socket.writable || answer?.headersSent) {
      socket.destroy();
      return;
    }
    const [status, sentence] = INVALID[code ?? ''] ?? NO_HTTP;
    const { body, headers } = lastAnswer(sentence);
    const lines = Object.entries({ ...HEADERS, ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.end([`HTTP/1.1 ${status}`, ...lines, '', body].join('\r\n'));
  });
}

/**
 * Returns the body and headers of a refusal after which the connection is closed.
 *
 * @param {string} error
 */
function lastAnswer(error) {
  const body = JSON.stringify({ error });
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  return { body, headers };
}

/** @type {[status: string, sentence: string]} */
const NO_HTTP = ['400 Bad Request', 'The request is not valid HTTP'];
/** @type {Record<string, [status: string, sentence: string]>} */
const INVALID = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers of the request are too large',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
};

/** Time for which the body of a refused request is read and discarded, if its client sends it all the same. */
const LINGER_MILLISECONDS = 5_000;

/**
 * Lets the service decide whether a client that waits for `100 Continue` sends its body. The service emits
 * `forecast-pivot:continue` on the request.
 *
 * Some clients and proxies send the body of a refused request, too. The connection is then closed at their side first,
 * or after a while: if it was closed with unread data, the answer would be lost (RFC 9112, 9.6).
 *
 * @param {import('node:http').Server} server
 */
function askBeforeContinue(server) {
  server.on('checkContinue', (request, response) => {
    const { socket } = request;
    const destroySoon = socket.destroySoon;
    // Node.js calls this after an answer that closes the connection.
    socket.destroySoon = () => {
      // A reader of the body that has stopped would keep the rest of it in the connection.
      request.removeAllListeners('data');
      request.resume();
      socket.end();
      const timer = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS);
      socket.once('close', () => clearTimeout(timer));
    };
    request.once('forecast-pivot:continue', () => {
      socket.destroySoon = destroySoon;
      response.writeContinue();
    });
    server.emit('request', request, response);
  });
  // A server may ignore an expectation that it does not know (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => {
    server.emit('request', request, response);
  });
}

/** @param {import('node:http').Server} server that has just started to listen */
export function prepareListener(server) {
  explainFailure(server);
  closeUnfinished(server);
  leaveProxiesTime(server);
  askBeforeContinue(server);
  guard(server);
}
