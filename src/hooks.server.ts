import { randomUUID } from 'node:crypto';
import { dev, version } from '$app/environment';
import { json } from '@sveltejs/kit';
import type { Handle, HandleServerError, RequestEvent, ServerInit } from '@sveltejs/kit';
import { Bodies } from '$lib/server/bodies';
import { Budget } from '$lib/server/budget';
import type { Config } from '$lib/server/config';
import { loadConfig } from '$lib/server/config';
import type { Endpoint } from '$lib/contract/endpoints';
import { EVENT_STREAM } from '$lib/contract/events';
import { BODY_SKIPPED_HEADER, IDEMPOTENCY_KEY_HEADER } from '$lib/contract/primitives';
import { Database } from '$lib/server/db/database';
import type { Turn } from '$lib/server/db/connection/timeline';
import { answerError, AppError, reasonOf, UnstorableCharacter } from '$lib/server/errors';
import { Events } from '$lib/server/event-streams';
import { requireSameOrigin, requireServedHost } from '$lib/server/hosts';
import { clientAddress } from '$lib/server/http/asked';
import { countBody } from '$lib/server/http/answers';
import { modulesInHead } from '$lib/server/http/page-modules';
import { pageRefusal } from '$lib/server/http/refusal-page';
import {
  discardBody,
  locatedCharacter,
  requireBodyType,
  requireLength,
} from '$lib/server/http/request-body';
import { routeOf } from '$lib/server/http/routes';
import { KeptTotals } from '$lib/server/kept-totals';
import { createLogger } from '$lib/server/logger';
import { Metrics } from '$lib/server/metrics';
import {
  requireCluster,
  requireCurrentSchema,
  unservedWarnings,
} from '$lib/server/services/setup/health';
import { Refusals } from '$lib/server/refusals';
import { recordRefused } from '$lib/server/db/log/audit';
import { findToken, recordUse, validTokens } from '$lib/server/db/people/tokens';
import { NOBODY, type Sender } from '$lib/server/sender';
import { SliceIndexes } from '$lib/server/services/reading/slice-indexes';
import { AlertWatch } from '$lib/server/services/people/alert-watch';
import { requireReached } from '$lib/server/services/people/territories';
import { type Received, requireRole, tokenOf, whoSent } from '$lib/server/sign-in';
import { hasSecret, Tokens, withoutSecrets } from '$lib/server/tokens';
import { Webhook } from '$lib/server/webhook';
import type { Logger } from 'pino';

let config: Config;
let db: Database;
let budget: Budget;
let bodies: Bodies;
let totals: App.Locals['totals'];
let monthTotals: App.Locals['monthTotals'];
let sliceIndexes: SliceIndexes;
let events: Events;
let refusals: Refusals;
let tokens: Tokens;
let logger: Logger;
/** Whether the server was asked to end. Health checks then fail, so that proxies stop sending requests. */
let isEnding = false;
let metrics: Metrics | undefined;
let webhook: Webhook | undefined;
let alertWatch: AlertWatch;

/** Runs before the server listens. The server does not start without a configuration and a current schema. */
export const init: ServerInit = async () => {
  try {
    config = loadConfig();
    logger = createLogger(config.logLevel);
    logger.info({ version }, 'starting');
    const { statementTimeout, waitTimeout, connectionsPerPerson: perPerson } = config;
    db = Database.open(
      { ...config.db, statementTimeout, waitTimeout, perPerson },
      (error) => logger.warn({ reason: error.message }, 'an idle database connection was lost'),
      logTurn,
    );
    budget = new Budget(config.memory, waitTimeout);
    bodies = new Bodies(budget, config.keepEntries);
    totals = new KeptTotals(config.keepEntries);
    monthTotals = new KeptTotals(config.keepEntries, ({ months }) => months.length);
    sliceIndexes = new SliceIndexes(db, config.indexes, {
      failed: logIndexes,
      gaveWay: (version) =>
        logger.info({ version }, 'the build of the indexes for slices gave way; it is tried again'),
    });
    const logLost = (error: Error) =>
      logger.warn({ reason: reasonOf(error) }, 'the connection for events was lost');
    events = new Events((listening) => db.listen(listening, logLost), {
      heartbeat: config.heartbeat,
      perPerson: config.streamsPerPerson,
      validTokens: (ids) => validTokens(db, ids),
    });
    // Without requests, nothing else notices that a backup was restored in place.
    setInterval(() => {
      if (events.open > 0) void db.look().catch(() => {});
    }, config.heartbeat).unref();
    tokens = new Tokens({
      find: (hash) => findToken(db, hash),
      recordUse: (id) => recordUse(db, id),
    });
    refusals = new Refusals((refused) => recordRefused(db, refused), logUnrecorded);
    webhook = config.webhook
      ? new Webhook(config.webhook, (listening, lock) => db.listen(listening, logLost, lock), {
          failed: (reason) => logger.warn({ reason }, 'the webhook could not be reached'),
          recovered: () => logger.info('the webhook is reached again'),
        })
      : undefined;
    alertWatch = new AlertWatch(
      db,
      // The connection for events reports its losses; this one is lost with it.
      (listening, lock) => db.listen(listening, () => {}, lock),
      logAlerts,
    );
    metrics = config.metrics
      ? new Metrics(version, () => db.load(), budget, bodies, events)
      : undefined;
    if (webhook) metrics?.addWebhook(webhook);
    if (!config.skipMigrationCheck) await requireCurrentSchema(db);
    // Opens the connection for health checks while the database accepts one.
    await db.look().catch(() => {});
    await requireCluster(db, config.distribute);
    for (const warning of await unservedWarnings(db)) logger.warn(warning);
  } catch (error) {
    console.error(reasonOf(error));
    process.exit(1);
  }
  process.once('sveltekit:shutdown', () => void db.close());
  // An open stream is a request in flight, and the server would wait for its end.
  process.once('forecast-pivot:closing', () => events.end());
  process.once('forecast-pivot:closing', () => webhook?.end());
  process.once('forecast-pivot:closing', () => alertWatch.end());
  process.once('forecast-pivot:closing', () => sliceIndexes.end());
  process.once('forecast-pivot:closing', () => void refusals.end().catch(logUnrecorded));
  void webhook?.start();
  void alertWatch.start();
  sliceIndexes.resume().catch((error: unknown) => {
    logger.warn(
      { reason: reasonOf(error) },
      'versions with unfinished indexes were not looked for',
    );
  });
  if (!dev)
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => (isEnding = true));
};

/** Logs an error of a build. An error of the database has its own sentence as its cause. */
function logIndexes(version: number, error: unknown): void {
  const cause = error instanceof AppError && error.cause !== undefined ? error.cause : error;
  logger.warn(
    { version, reason: reasonOf(cause) },
    'the indexes for slices were not built; it is tried again',
  );
}

/** Logs that alerts were not evaluated. */
function logAlerts(error: unknown, version?: number): void {
  logger.warn(
    { version, reason: reasonOf(error) },
    'the alerts were not evaluated; it is tried again',
  );
}

/** Logs that refused requests could not be recorded in the audit. */
function logUnrecorded(error: unknown): void {
  logger.warn({ reason: reasonOf(error) }, 'refused requests were not recorded; it is tried again');
}

/** Logs a change in the state of the database. */
function logTurn(turn: Turn): void {
  if (turn.kind === 'away') {
    // A server that ends has closed its connections.
    if (isEnding) return;
    logger.error({ reason: reasonOf(turn.reason) }, 'the database cannot be reached');
  } else if (turn.kind === 'read-only') {
    logger.error('the database accepts no changes: it is a standby, or was made read-only');
  } else if (turn.replaced) {
    // Open pages compare their rows with the stored ones.
    events.missed();
    logger.warn(
      { seconds: turn.seconds },
      'the database has another history: a standby was promoted or a backup restored, so changes made right before may be gone',
    );
  } else {
    logger.info({ seconds: turn.seconds }, 'the database is back');
  }
}

export const handle: Handle = async ({ event, resolve }) => {
  const started = performance.now();
  const { request, url, locals, platform } = event;
  const isApi = isApiPath(url.pathname);
  Object.assign(locals, {
    db,
    config,
    budget,
    bodies,
    totals,
    monthTotals,
    sliceIndexes,
    events,
    refusals,
    isEnding,
    version,
    metrics,
    requestId: randomUUID(),
    me: NOBODY,
    route: isApi ? routeOf(request.method, url.pathname) : undefined,
    failed: (error: unknown) => logFailure(error, locals.requestId),
  });

  const socket = platform?.req.socket;
  // The time limit does not run before the answer begins: the client has nothing to read yet.
  socket?.setTimeout(0);
  let response: Response;
  const refusal = await refusalOf(event);
  if (refusal) {
    response = isApi ? failureAnswer(refusal) : pageRefusal(refusal, request.headers.get('accept'));
  } else {
    platform?.req.emit('forecast-pivot:continue');
    response = await resolve(event, modulesInHead());
    if (isApi) response = asApiAnswer(response, event);
  }
  // Node closes the connection after this time without traffic.
  socket?.setTimeout(silenceAllowed(response));
  const takesFile = locals.route?.endpoint?.file !== undefined;
  // A client that waits for `100 Continue` may or may not send its body now, so the connection takes no other request.
  if (refusal && platform?.req.headers.expect) response.headers.set('connection', 'close');
  else if (isApi) await discardBody(request, takesFile ? 2 * config.fileLimit : undefined);
  response.headers.set('x-request-id', locals.requestId);
  if (locals.bodySkipped) response.headers.set(BODY_SKIPPED_HEADER, locals.bodySkipped);
  // No proxy or browser may reuse an old answer.
  if (response.headers.get('content-type')?.startsWith('application/json')) {
    response.headers.set('cache-control', 'no-store');
  }

  const { method } = request;
  const { status } = response;
  const milliseconds = performance.now() - started;
  const rows = numberOf(response.headers.get('x-row-count'));
  if (isApi) {
    const ms = Math.round(milliseconds);
    const path = withoutSecrets(url.pathname);
    const user = locals.me.user ?? undefined;
    const token = locals.me.token ?? undefined;
    logger.info({ id: locals.requestId, method, path, status, ms, rows, user, token }, 'request');
    if (status === 401 || status === 403) noteRefusal(event, status);
  }
  if (!metrics) return response;
  const route = isApi ? (locals.route?.pattern ?? null) : event.route.id;
  metrics.answered({ method, route, status, seconds: milliseconds / 1000, rows });
  return countBody(response, (bytes) => metrics?.sent(route, bytes));
};

/** Counts a refused request for the audit. Paths without an endpoint are not counted. */
function noteRefusal({ request, url, locals }: RequestEvent, status: number): void {
  const { endpoint, params } = locals.route ?? {};
  if (!endpoint) return;
  refusals.note({
    user: locals.me.user,
    method: request.method,
    endpoint: endpoint.path,
    path: withoutSecrets(url.pathname).replace(/^\/api/, ''),
    id: params?.id,
    status,
  });
}

/** Whether a path belongs to the API. It is decoded first, as in SvelteKit's routing. */
function isApiPath(path: string): boolean {
  let decoded = path;
  try {
    decoded = decodeURI(path);
  } catch {
    // A path that cannot be decoded has no route.
  }
  return decoded === '/api' || decoded.startsWith('/api/');
}

/** Milliseconds for which the connection of an answer may be silent; 0 for no limit. */
function silenceAllowed({ headers }: Response): number {
  const { readerTimeout, heartbeat } = config;
  // A stream of events is silent between two heartbeats.
  const isStream = headers.get('content-type') === EVENT_STREAM;
  return isStream && readerTimeout > 0 ? Math.max(readerTimeout, 3 * heartbeat) : readerTimeout;
}

/** Stores the error of a handler for `handle`, and logs errors of the service itself. */
export const handleError: HandleServerError = ({ error, event, status, message }) => {
  event.locals.failure = error;
  const answer = answerError(error);
  if (status === 500 && answer.status === 500 && event.locals.requestId) {
    logFailure(error, event.locals.requestId);
  }
  return { message };
};

/** Logs an error of the service itself. */
function logFailure(error: unknown, id: string): void {
  const { name, message, cause, stack } = error instanceof Error ? error : new Error(String(error));
  const reason = cause instanceof Error ? cause.message : message;
  logger.error({ id, name, reason, stack }, 'request failed');
}

/** The one place where an error becomes a response (docs/contract/09-errors-limits-guards.md). */
function failureAnswer(failure: unknown): Response {
  const { status, headers, body } = answerError(ofFramework(failure) ?? failure);
  return json(body, { status, headers });
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** SvelteKit's own error carries a status: for a path that it cannot decode. */
function ofFramework(failure: unknown): AppError | undefined {
  if (failure instanceof AppError || !isObject(failure) || !('status' in failure)) return undefined;
  return failure.status === 400 ? new AppError(400, 'The path cannot be decoded') : undefined;
}

function asApiAnswer(response: Response, { locals, url }: RequestEvent): Response {
  const { failure, sent } = locals;
  if (failure instanceof UnstorableCharacter) {
    return failureAnswer(locatedCharacter(failure, sent, url));
  }
  if (failure !== undefined) return failureAnswer(failure);
  return response;
}

const isHealth = (endpoint: Endpoint | undefined): boolean =>
  endpoint?.path === '/health' || endpoint?.path === '/health/live';

/** The error of a request that is refused before any handler sees it; undefined if it is accepted. */
async function refusalOf({
  request,
  url,
  locals,
  platform,
  getClientAddress,
}: RequestEvent): Promise<unknown> {
  try {
    const { endpoint, params } = locals.route ?? {};
    // A load balancer checks each server by its address. The answer has nothing secret.
    if (!isHealth(endpoint)) requireServedHost(request.headers, config.hosts);
    if (endpoint?.role !== null) {
      requireNoSecretIn(url);
      const address = clientAddress(getClientAddress) ?? platform?.req.socket.remoteAddress;
      locals.me = await senderOf(platform?.req, address);
    }
    if (endpoint) requireRole(locals.me, endpoint);
    locals.db = db.for(locals.me);
    // Pages accept no writes, so this check does not depend on the path.
    if (!['GET', 'HEAD', 'OPTIONS'].includes(request.method)) {
      requireSameOrigin(request.headers, url, config.hosts);
      requireBodyType(request, endpoint?.file);
      if (platform?.req.headers.expect) requireLength(request, endpoint, config);
    }
    const key = request.headers.get(IDEMPOTENCY_KEY_HEADER);
    const sent = key === null ? undefined : { path: `${request.method} ${url.pathname}`, key };
    if (endpoint) await requireReached(locals.db, endpoint, params ?? {}, sent);
    return undefined;
  } catch (refusal) {
    return refusal;
  }
}

/** Who sends a request: its token says so or, without one, the proxy. @throws AppError 401, 429 */
async function senderOf(
  received: Received | undefined,
  address: string | undefined,
): Promise<Sender> {
  const token = config.signIn && received ? tokenOf(received) : undefined;
  return token === undefined
    ? whoSent(received, config.signIn, address)
    : tokens.senderOf(token, address);
}

/** Refuses a token in a URL, which proxies log. @throws AppError 400 */
function requireNoSecretIn({ href }: URL): void {
  if (config.signIn === null || !hasSecret(href)) return;
  throw new AppError(
    400,
    'A token belongs in the header Authorization; this one is in the address, which proxies log, so revoke it',
  );
}

const numberOf = (text: string | null): number | undefined =>
  text === null ? undefined : Number(text);
