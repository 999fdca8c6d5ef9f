/** The metrics of the service, for Prometheus. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Use of the connections to the database. */
export interface DatabaseLoad {
  /** Connections in use. */
  connections: number;
  /** Requests that wait for a connection. */
  waiting: number;
  /** Writes that wait in the queue, without a connection. */
  writers: number;
  /** Reads that wait in the queue, without a connection. */
  readers: number;
  /** Requests that wait for other requests of the same person. */
  ownWaiting: number;
  /** Requests that were refused because others of the same person held too many connections. */
  refused: number;
}

/** Memory of the rows of all answers. */
interface MemoryLoad {
  /** Bytes that are reserved. */
  readonly held: number;
  /** Bytes of the whole budget. */
  readonly bytes: number;
  /** Answers that wait for memory. */
  readonly waiting: number;
}

/** Size and hits of the row cache. */
interface KeptLoad {
  readonly keptBytes: number;
  readonly hits: number;
  readonly misses: number;
}

/** Open event streams. */
interface StreamLoad {
  readonly open: number;
  /** Streams that were refused because one person had too many. */
  readonly refused: number;
}

/** Messages to the webhook. */
interface WebhookLoad {
  /** Messages that wait for the receiver. */
  readonly waiting: number;
  /** Attempts to send a message, by outcome. */
  readonly attempts: Readonly<Record<'sent' | 'failed', number>>;
}

/** The measurements of one answered request. */
interface AnsweredRequest {
  method: string;
  /** The route's pattern, such as `/api/versions/[id]`; null if no route was found. */
  route: string | null;
  status: number;
  seconds: number;
  /** Rows of an Arrow answer. */
  rows: number | undefined;
}

/** Buckets in seconds, from a short read to the longest load. */
const DURATIONS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Gauges of prom-client that have the suffix of a counter. The metrics without it have the same numbers by type. */
const NAMED_LIKE_COUNTERS = ['handles', 'requests', 'resources'].map(
  (what) => `nodejs_active_${what}_total`,
);

/**
 * The metrics of one process. They have no names of columns, versions or people: a route is named by its
 * pattern (docs/contract/11-endpoints.md).
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests: Histogram<'method' | 'route' | 'status'>;
  private readonly bytes: Counter<'route'>;
  private readonly rows: Counter<'route'>;

  constructor(
    version: string,
    load: () => DatabaseLoad,
    memory: MemoryLoad,
    kept: KeptLoad,
    streams: StreamLoad,
  ) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    for (const name of NAMED_LIKE_COUNTERS) this.registry.removeSingleMetric(name);
    new Gauge({
      name: 'forecast_pivot_build_info',
      help: 'Build information; always 1',
      labelNames: ['version'],
      registers,
    }).set({ version }, 1);
    this.requests = new Histogram({
      name: 'forecast_pivot_request_duration_seconds',
      help: 'Time to the first byte of an answer, by method, route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: DURATIONS,
      registers,
    });
    this.bytes = new Counter({
      name: 'forecast_pivot_sent_bytes_total',
      help: 'Bytes of answer bodies',
      labelNames: ['route'],
      registers,
    });
    this.rows = new Counter({
      name: 'forecast_pivot_sent_rows_total',
      help: 'Forecast rows sent as Arrow',
      labelNames: ['route'],
      registers,
    });
    const gauge = (name: string, help: string, value: () => number) =>
      this.gauge(name, help, value);
    gauge('connections_in_use', 'Database connections in use', () => load().connections);
    gauge('connections_waiting', 'Requests waiting for a connection', () => load().waiting);
    gauge('writers_waiting', 'Writes waiting in the queue of their version', () => load().writers);
    gauge('readers_waiting', 'Reads waiting in the queue', () => load().readers);
    gauge(
      'own_requests_waiting',
      'Requests waiting for other requests of the same person',
      () => load().ownWaiting,
    );
    this.counter(
      'refused_per_person_total',
      'Requests refused by the limits of one person',
      'limit',
      () => ({
        connections: load().refused,
        streams: streams.refused,
      }),
    );
    gauge(
      'row_memory_bytes',
      'Memory reserved for the rows of answers in progress',
      () => memory.held - kept.keptBytes,
    );
    gauge('kept_bytes', 'Memory used by cached rows', () => kept.keptBytes);
    this.counter('kept_reads_total', 'Reads, by hit or miss of the cache', 'outcome', () => ({
      hit: kept.hits,
      miss: kept.misses,
    }));
    gauge('row_memory_limit_bytes', 'Memory limit for rows', () => memory.bytes);
    gauge('event_streams', 'Open event streams', () => streams.open);
    gauge('row_memory_waiting', 'Answers waiting for memory', () => memory.waiting);
  }

  private gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name: `forecast_pivot_${name}`,
      help,
      registers: [this.registry],
      collect() {
        this.set(value());
      },
    });
  }

  /** Adds the metrics of a webhook. */
  addWebhook(load: WebhookLoad): void {
    this.gauge('webhook_waiting', 'Messages waiting for the webhook', () => load.waiting);
    const help = 'Attempts to send a message to the webhook, by outcome: sent or failed';
    this.counter('webhook_attempts_total', help, 'outcome', () => load.attempts);
  }

  /** @param counts current numbers by the value of the label */
  private counter<Label extends string>(
    name: string,
    help: string,
    label: Label,
    counts: () => Readonly<Record<string, number>>,
  ): void {
    new Counter({
      name: `forecast_pivot_${name}`,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(counts())) this.labels(value).inc(count);
      },
    });
  }

  /** Records an answer whose headers are ready. */
  answered({ method, route, status, seconds, rows }: AnsweredRequest): void {
    const pattern = route ?? 'none';
    this.requests.observe({ method, route: pattern, status: String(status) }, seconds);
    if (rows !== undefined) this.rows.inc({ route: pattern }, rows);
  }

  /** Records a piece of a body that is sent. */
  sent(route: string | null, bytes: number): void {
    this.bytes.inc({ route: route ?? 'none' }, bytes);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics in the text format of Prometheus. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}
