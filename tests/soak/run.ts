/**
 * Two servers on one database, under load and faults at random, compared with their own answers:
 * `npm run soak [-- --minutes=10 --seed=S --first=N]`. Needs a build. Not part of `npm test`.
 *
 * A round runs writers, readers and faults side by side (plan.ts draws them from the seed) and then
 * checks, when all is quiet: every write that was answered is there whole, every refused one is not
 * (ledger.ts), no row is without an entry and no entry without rows, both servers return the same exact sums, a writer gets through, nothing still runs, and the memory is back. `--first=N` begins with
 * round N, to see one again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { tableFromIPC } from 'apache-arrow';
import { startServer, type Server } from '../../src/demo/server';
import { XLSX } from '../../src/lib/contract/primitives';
import type { DatabaseConfig } from '../../src/lib/server/config';
import { cloneDatabase, dropDatabase, startTestCluster } from '../support/cluster';
import { apiAt, type Answer, type Api } from '../support/http';
import { residentMegabytes } from '../support/resident';
import { queryOn, type Query } from '../support/service';
import { readSlowly } from '../support/slow-reader';
import { filesOf, zipped } from '../support/workbook-files';
import { Ledger, type FoundEntry, type Totals } from './ledger';
import { planRound, type Fault, type Read, type Round, type Which, type Write } from './plan';

const REGIONS = ['North', 'East', 'South', 'West', 'Centre'];
/** A raw source, one with a grain, and one that only gets loads. */
const SOURCES = ['soak_raw', 'soak_grain', 'soak_raw'];
const SIZE = {
  versions: SOURCES.length,
  regions: REGIONS,
  writers: 5,
  readers: 4,
  length: 6000,
};

/** One read of the large version fills most of the memory. If memory stays reserved, the next read waits. */
const ENVIRONMENT = { PF_MEMORY_MB: '96', PF_LOG_LEVEL: 'warn' };
const LARGE_ROWS = 120_000;

/** A workbook that takes the service about a second. */
const FILE_ROWS = 30_000;
const WORKBOOK = zipped(
  filesOf(
    `<row><c t="str"><v>Name</v></c><c t="str"><v>Sales</v></c></row>${Array.from(
      { length: FILE_ROWS },
      (_, i) => `<row><c t="str"><v>Name ${i}</v></c><c><v>${i}.25</v></c></row>`,
    ).join('')}`,
  ),
);

/** Generous time limits in milliseconds, since the machine may be busy. */
const ANSWER = 120_000;
const WRITER = 30_000;
const QUIET = 60_000;
/** Maximum number of attempts while the outcome of a write is unknown. */
const ATTEMPTS = 30;
/** Memory that a server may use beyond its use after the first requests, in megabytes. */
const MEMORY_MARGIN = 350;

/** One of the two servers. It restarts on its port. */
interface Slot {
  server: Server;
  api: Api;
  url: string;
  /** Resident megabytes after its first requests. */
  base: number;
  /** Serializes the faults of this server. */
  busy: Promise<void>;
}

interface Version {
  id: number;
  path: string;
  table: string;
  raw: boolean;
}

/** Shared by all rounds. */
interface Stage {
  database: DatabaseConfig;
  query: Query;
  slots: [Slot, Slot];
  sources: Record<string, number>;
  large: Version;
  /** Totals of the source tables by region, summed by SQL. */
  oracle: Map<string, Totals>;
}

const cents = (text: string): bigint => {
  const [, minus, whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d{1,2})0*)?$/.exec(text) ?? [];
  if (whole === '') throw new Error(`${text} is not a sum of cents`);
  return BigInt(`${minus}${whole}${part.padEnd(2, '0')}`);
};
const centsOf = (amounts: Iterable<number | null>): bigint => {
  let sum = 0n;
  for (const amount of amounts) sum += BigInt(Math.round((amount ?? 0) * 100));
  return sum;
};

function must(answer: Answer): Answer['body'] {
  if (answer.status >= 300) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function openSlot(database: DatabaseConfig, port?: number): Promise<Slot> {
  const server = await startServer({ database, port, env: ENVIRONMENT });
  const api = apiAt(server.url);
  for (let i = 0; i < 5; i++) await api.get('/sources');
  return {
    server,
    api,
    url: server.url,
    base: residentMegabytes(server.pid),
    busy: Promise.resolve(),
  };
}

async function makeVersion(
  api: Api,
  sourceId: number,
  tname: string,
  name: string,
): Promise<Version> {
  const { id } = must(await api.post(`/sources/${sourceId}/versions`, { name }));
  return {
    id,
    path: `/versions/${id}`,
    table: `pf."fc_${tname}_${id}"`,
    raw: tname !== 'soak_grain',
  };
}

/** Creates tables, sources and the large version. */
async function setUp(database: DatabaseConfig, query: Query): Promise<Stage> {
  const columns = `"Region" text, "Product" text, "Order Date" date, "Sales" numeric(12,2), "Units" int`;
  const filled = (tname: string, rows: number, product: string) =>
    query(`CREATE TABLE public.${tname} (${columns});
      INSERT INTO public.${tname} SELECT (ARRAY['${REGIONS.join("','")}'])[1 + i % ${REGIONS.length}],
        ${product}, date '2027-01-01' + i % 365, (i * 7919 % 100000 + 1) / 100.0, i % 14 + 1
      FROM generate_series(1, ${rows}) AS i`);
  await filled('soak_raw', 400, `'Product ' || i % 31`);
  await filled('soak_grain', 400, `'Product ' || i % 31`);
  await filled('soak_large', LARGE_ROWS, `repeat(md5(i::text), 4)`);

  const slots: [Slot, Slot] = [await openSlot(database), await openSlot(database)];
  const { api } = slots[0];
  const sources: Record<string, number> = {};
  for (const tname of ['soak_raw', 'soak_grain', 'soak_large']) {
    const { id } = must(await api.post('/sources', { schema: 'public', tname }));
    const roles = [
      ['Region', 'dimension'],
      ['Product', 'dimension'],
      ['Order Date', 'date'],
      ['Sales', 'value'],
      ['Units', 'units'],
    ].map(([cname, role]) => ({
      cname,
      role,
      in_grain: tname === 'soak_grain' && cname === 'Region',
    }));
    must(await api.put(`/sources/${id}/columns`, roles));
    must(await api.post(`/sources/${id}/sql`));
    sources[tname] = id;
  }
  const upload = { method: 'POST', body: WORKBOOK, headers: { 'content-type': XLSX } };
  must(await api.send('/files?name=soak.xlsx', upload));
  const large = await makeVersion(api, sources.soak_large!, 'soak_large', 'Large');
  must(await api.post(`${large.path}/baseline`, { pf_user: 'soak' }));
  const rows =
    await query(`SELECT "Region" AS region, count(*) AS rows, sum("Sales")::text AS sales,
    sum("Units")::text AS units FROM public.soak_raw GROUP BY 1`);
  const oracle = new Map(
    rows.map((r) => [r.region, { rows: r.rows, cents: cents(r.sales), units: BigInt(r.units) }]),
  );
  return { database, query, slots, sources, large, oracle };
}

/** One round: its actions, its counts, and its violations. */
class Play {
  private readonly ledger = new Ledger();
  private readonly began = performance.now();
  readonly history: string[] = [];
  readonly violations: string[] = [];
  readonly counts = new Map<string, number>();
  private tags = 0;
  private keys = 0;

  constructor(
    private readonly stage: Stage,
    private readonly round: Round,
    private readonly versions: Version[],
  ) {}

  /** Runs the round until every request is answered and every server is back. */
  async run(): Promise<void> {
    const each = async <T extends { pause: number }>(all: T[], act: (one: T) => Promise<void>) => {
      for (const one of all) {
        await sleep(one.pause);
        await act(one);
      }
    };
    await Promise.all([
      ...this.round.writers.map((writes) => each(writes, (write) => this.write(write))),
      ...this.round.readers.map((reads) => each(reads, (read) => this.read(read))),
      ...this.round.faults.map((fault) => this.fault(fault)),
    ]);
  }

  private note(text: string): void {
    this.history.push(`${Math.round(performance.now() - this.began)} ms: ${text}`);
  }

  private count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /**
   * Sends a write with a key, and repeats it with the same key until an answer gives the outcome, as a page
   * does. Returns undefined or 500 if none does.
   */
  private async send(
    which: Which,
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer | undefined> {
    this.keys += 1;
    const key = `round ${this.round.number}, request ${this.keys}`;
    for (let attempt = 1; ; attempt++) {
      const answer = await this.ask(which, method, path, { 'idempotency-key': key }, body);
      if ((answer && answer.status !== 500) || attempt === ATTEMPTS) return answer;
      this.count('again');
      await sleep(1000);
    }
  }

  /** Sends a request once; undefined if its answer was lost. An unexcused failure is a violation. */
  private async ask(
    which: Which,
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: object,
  ): Promise<Answer | undefined> {
    const what = `server ${which} ${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`;
    try {
      const answer = await this.stage.slots[which].api.send(path, {
        method,
        headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER),
      });
      this.note(`${what} → ${answer.status} ${answer.body?.error ?? ''}`);
      this.count(String(answer.status));
      const excused = this.round.faults.length > 0 || answer.status === 503;
      if (answer.status === 400 || (answer.status >= 500 && !excused)) {
        this.violations.push(`${what} was answered ${answer.status}: ${answer.body?.error}`);
      }
      return answer;
    } catch (error) {
      this.note(`${what} → ${String((error as Error).cause ?? error)}`);
      this.count('lost');
      if ((error as Error).name === 'TimeoutError') {
        this.violations.push(`${what} was not answered within ${ANSWER / 1000} s`);
      } else if (this.round.faults.length === 0) {
        this.violations.push(`${what} lost its answer without a fault: ${String(error)}`);
      }
      return undefined;
    }
  }

  private async write(write: Write): Promise<void> {
    const { path } = this.versions[write.version]!;
    switch (write.kind) {
      case 'undo':
        return this.undo(write);
      case 'replace':
        return this.replace(write);
      case 'clear':
        return this.clear(write);
      case 'close':
      case 'open':
        await this.send(write.server, 'POST', `${path}/${write.kind}`, { pf_user: 'soak' });
        return;
      default:
        return this.make(write.kind, write);
    }
  }

  /** A load or an operation. */
  private async make(kind: 'baseline' | 'reference' | 'scale' | 'recode' | 'clone', write: Write) {
    const { path, raw } = this.versions[write.version]!;
    const tag = this.tag();
    const isLoad = kind === 'baseline' || kind === 'reference';
    const elsewhere = REGIONS[(REGIONS.indexOf(write.region) + 1) % REGIONS.length];
    const slice = { Region: write.region };
    const [body, totals]: [object, Partial<Totals>] = isLoad
      ? [this.where(write), this.stage.oracle.get(write.region)!]
      : kind === 'scale'
        ? [
            { slice, value_incr: write.amount / 100, units_incr: write.units },
            { cents: BigInt(write.amount), units: BigInt(write.units) },
          ]
        : [
            { slice, set: { Region: elsewhere } },
            kind === 'recode' ? { cents: 0n, units: 0n } : {},
          ];
    this.ledger.sent({ tag, version: write.version, what: kind }, totals);
    const answer = await this.send(write.server, 'POST', `${path}/${kind}`, {
      ...body,
      pf_user: 'soak',
      note: tag,
    });
    this.settle(tag, answer, ({ body }) => {
      if (isLoad) return [body.logid, { rows: body.row_count }];
      const rows: Record<string, number>[] = body;
      const told = {
        cents: centsOf(rows.map((r) => r.Sales!)),
        units: BigInt(rows.reduce((sum, r) => sum + r.Units!, 0)),
      };
      return [rows[0]!.pf_logid!, raw ? { ...told, rows: rows.length } : told];
    });
  }

  private where = ({ region }: Write) => ({ where_clause: `"Region" = '${region}'` });

  private async replace(write: Write): Promise<void> {
    const loads = this.ledger.present(write.version, ['baseline']);
    const target = loads[Math.floor(write.pick * loads.length)];
    if (!target) return;
    const tag = this.tag();
    this.ledger.sent(
      { tag, version: write.version, what: 'baseline', replaces: target.tag },
      this.stage.oracle.get(write.region),
    );
    const path = `${this.versions[write.version]!.path}/baseline/${target.logid}`;
    const answer = await this.send(write.server, 'PUT', path, {
      ...this.where(write),
      pf_user: 'soak',
      note: tag,
    });
    this.settle(tag, answer, ({ body }) => [body.logid, { rows: body.row_count }]);
  }

  private async undo(write: Write): Promise<void> {
    const entries = this.ledger.present(write.version);
    const target = entries[Math.floor(write.pick * entries.length)];
    if (!target) return;
    const answer = await this.send(write.server, 'DELETE', `/log/${target.logid}`);
    if (answer?.status === 200) this.ledger.removed(target.tag, 'yes');
    else if (!answer || answer.status === 500) this.ledger.removed(target.tag, 'maybe');
  }

  private async clear(write: Write): Promise<void> {
    const before = this.ledger.present(write.version, ['baseline']).map(({ tag }) => tag);
    const { path } = this.versions[write.version]!;
    const answer = await this.send(write.server, 'DELETE', `${path}/baseline`);
    if (answer && answer.status !== 500 && answer.status !== 200) return;
    this.ledger.cleared(write.version, 'baseline', before, answer?.status === 200);
  }

  /** After a final 500 the outcome is unknown: the connection may have ended during the commit. */
  private settle(
    tag: string,
    answer: Answer | undefined,
    told: (answer: Answer) => [number, Partial<Totals>],
  ): void {
    if (!answer || answer.status === 500) {
      this.ledger.unknown(tag);
      this.count('unknown');
    } else if (answer.status >= 300) {
      this.ledger.refused(tag);
      this.count('refused');
    } else {
      this.ledger.made(tag, ...told(answer));
      this.count('made');
    }
  }

  private tag(): string {
    this.tags += 1;
    return `round ${this.round.number}, write ${this.tags}`;
  }

  private async read({ kind, server, version }: Read): Promise<void> {
    const { path, raw } = this.versions[version]!;
    if (kind === 'slow' || kind === 'leaves') return this.readLarge(kind, server);
    if (kind === 'file' || kind === 'file leaves') return this.sendFile(kind, server);
    const endpoint = kind === 'agg' && raw ? 'data' : kind;
    const answer = await this.ask(server, 'GET', `${path}/${endpoint}`);
    if (answer?.status !== 200 || endpoint === 'log') return;
    const rows = answer.bytes.length === 0 ? 0 : tableFromIPC(answer.bytes).numRows;
    if (String(rows) !== answer.headers.get('x-row-count')) {
      this.violations.push(`${path}/${endpoint} has ${rows} rows and another X-Row-Count`);
    }
  }

  private async readLarge(kind: 'slow' | 'leaves', which: Which): Promise<void> {
    const { large, slots } = this.stage;
    try {
      const reader = await readSlowly(slots[which].url, `${large.path}/data`);
      this.count(`${kind} ${reader.status}`);
      await sleep(kind === 'slow' ? 1000 : 200);
      if (kind === 'leaves') reader.leave();
      else await reader.takeRest();
      if (![200, 503].includes(reader.status) && this.round.faults.length === 0) {
        this.violations.push(`A ${kind} reader was answered ${reader.status}`);
      }
    } catch (error) {
      this.count(`${kind} lost`);
      if (this.round.faults.length === 0) {
        this.violations.push(`A ${kind} reader lost its answer without a fault: ${String(error)}`);
      }
    }
  }

  private async sendFile(kind: 'file' | 'file leaves', which: Which): Promise<void> {
    const leaving = AbortSignal.timeout(kind === 'file' ? ANSWER : 150);
    try {
      for (const path of ['/files/preview', '/files']) {
        const { status, body } = await this.stage.slots[which].api.send(
          `${path}?name=soak.xlsx&table=soak&mode=replace`,
          { method: 'POST', body: WORKBOOK, headers: { 'content-type': XLSX }, signal: leaving },
        );
        this.count(`${kind} ${status}`);
        const isWrong = status < 300 ? body.row_count !== FILE_ROWS : status !== 503;
        if (isWrong && this.round.faults.length === 0) {
          this.violations.push(
            `A file was answered ${status}: ${JSON.stringify(body).slice(0, 200)}`,
          );
        }
      }
    } catch (error) {
      this.count(`${kind} lost`);
      if (kind === 'file' && this.round.faults.length === 0) {
        this.violations.push(`A file lost its answer without a fault: ${String(error)}`);
      }
    }
  }

  private async fault(fault: Fault): Promise<void> {
    await sleep(fault.at);
    const slot = this.stage.slots[fault.server];
    const done = slot.busy.then(() => this.break(fault, slot));
    slot.busy = done;
    return done;
  }

  private async break({ kind, server, last }: Fault, slot: Slot): Promise<void> {
    this.note(`${kind} server ${server}`);
    this.count(kind);
    const { pid, ended } = slot.server;
    if (kind === 'disconnect') {
      await this.stage.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'forecast-pivot'
          AND pid % 2 = ${server}`);
    } else if (kind === 'freeze') {
      process.kill(pid, 'SIGSTOP');
      await sleep(last);
      process.kill(pid, 'SIGCONT');
    } else {
      process.kill(pid, kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
      const ending = await Promise.race([ended, sleep(ANSWER)]);
      if (!ending) {
        this.violations.push(`Server ${server} did not end within ${ANSWER / 1000} s of SIGTERM`);
        process.kill(pid, 'SIGKILL');
      } else if (kind === 'stop' && ending.code !== 0) {
        this.violations.push(`Server ${server} ended with ${JSON.stringify(ending)} after SIGTERM`);
      }
      if (kind === 'kill') await sleep(last);
      const back = await openSlot(this.stage.database, Number(new URL(slot.url).port));
      Object.assign(slot, { ...back, busy: slot.busy });
      this.note(`server ${server} is back`);
    }
  }

  /** Compares the database and both servers with the ledger. */
  async check(): Promise<void> {
    const wrong = (text: string) => this.violations.push(text);
    const { query, slots, large } = this.stage;
    if (!(await this.becomesQuiet()))
      wrong('A connection still works, or keeps a transaction open');
    for (const { path } of this.versions)
      await slots[0].api.post(`${path}/open`, { pf_user: 'soak' });

    // Each file replaces the rows of this table, as a whole or not at all.
    const [uploaded] = await query('SELECT count(*) AS rows FROM pf_files.soak');
    if (uploaded?.rows !== FILE_ROWS) wrong(`The table of files has ${uploaded?.rows} rows`);
    const found = await Promise.all(this.versions.map((v, i) => this.entriesOf(v, i)));
    this.violations.push(...this.ledger.violations(found.flat()));
    for (const [i, { path, table, raw }] of this.versions.entries()) {
      const entries = found[i]!;
      const [{ n }] = await query(`SELECT count(*) AS n FROM ${table} AS f
        WHERE NOT EXISTS (SELECT 1 FROM pf.log AS l WHERE l.id = f.pf_logid)`);
      if (n > 0) wrong(`${path}: ${n} rows without an entry`);
      const rows = entries.reduce((sum, e) => sum + e.rows, 0);
      const total = entries.reduce((sum, e) => sum + e.cents, 0n);
      for (const [which, { api }] of slots.entries()) {
        const log = must(await api.get(`${path}/log`));
        if (centsOf([log.value_total]) !== total) {
          wrong(`${path}: server ${which} returns ${log.value_total} where ${total} cents are`);
        }
        const counts = (list: { id: number; row_count: number }[]) =>
          list.map((e) => `${e.id}: ${e.row_count}`).sort();
        const own = counts(entries.map((e) => ({ id: e.logid, row_count: e.rows })));
        if (String(counts(log.entries)) !== String(own)) {
          wrong(`${path}: server ${which} counts [${counts(log.entries)}] where [${own}] are`);
        }
        const { bytes } = await api.get(`${path}/${raw ? 'data' : 'agg'}`);
        const sales = bytes.length === 0 ? [] : tableFromIPC(bytes).getChild('Sales')!;
        if (raw && (bytes.length === 0 ? 0 : tableFromIPC(bytes).numRows) !== rows) {
          wrong(`${path}: server ${which} reads other than the ${rows} rows there are`);
        }
        if (centsOf(sales) !== total) wrong(`${path}: server ${which} reads other sums`);
      }
    }
    for (const [which, slot] of slots.entries()) {
      await this.writerGetsThrough(which as Which);
      const read = await slot.api.get(`${large.path}/data`);
      if (read.status !== 200)
        wrong(`Server ${which} answers ${read.status} to a read that fits alone`);
      const megabytes = residentMegabytes(slot.server.pid);
      if (megabytes > slot.base + MEMORY_MARGIN) {
        wrong(
          `Server ${which} holds ${Math.round(megabytes)} MB, after ${Math.round(slot.base)} MB`,
        );
      }
    }
  }

  private async becomesQuiet(): Promise<boolean> {
    for (const end = Date.now() + QUIET; Date.now() < end; await sleep(200)) {
      const working = await this.stage.query(`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'forecast-pivot'
          AND state <> 'idle'`);
      const healthy = await Promise.all(this.stage.slots.map(({ api }) => api.get('/health')));
      if (working.length === 0 && healthy.every(({ status }) => status === 200)) return true;
    }
    return false;
  }

  private async entriesOf({ id, table }: Version, version: number): Promise<FoundEntry[]> {
    const rows = await this.stage.query(
      `SELECT l.id AS logid, l.note, count(f.pf_id) AS rows, COALESCE(sum(f."Sales"), 0)::text AS sales,
         COALESCE(sum(f."Units"), 0)::text AS units
       FROM pf.log AS l LEFT JOIN ${table} AS f ON f.pf_logid = l.id
       WHERE l.version_id = $1 GROUP BY l.id`,
      [id],
    );
    return rows.map(({ logid, note, rows, sales, units }) => ({
      logid,
      version,
      tag: note,
      rows,
      cents: cents(sales),
      units: BigInt(units),
    }));
  }

  private async writerGetsThrough(which: Which): Promise<void> {
    const began = performance.now();
    const body = { pf_user: 'soak', note: 'the last', where_clause: `"Region" = 'North'` };
    const loaded = await this.send(which, 'POST', `${this.versions[0]!.path}/baseline`, body);
    const undone = loaded && (await this.send(which, 'DELETE', `/log/${loaded.body.logid}`));
    if (undone?.status !== 200 || performance.now() - began > WRITER) {
      this.violations.push(`A writer did not get through server ${which}`);
    }
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      first: { type: 'string', default: '1' },
    },
  });
  const [minutes, seed, first] = [values.minutes, values.seed, values.first].map(Number);
  if (![minutes, seed, first].every((n) => n !== undefined && n >= 0)) {
    throw new Error('usage: npm run soak -- [--minutes=10] [--seed=S] [--first=N]');
  }
  console.log(`seed ${seed}: ${minutes} minutes from round ${first}`);
  const stopCluster = await startTestCluster();
  const database = await cloneDatabase('service');
  const { query, end } = queryOn(database);
  let broken = 0;
  let stage: Stage | undefined;
  try {
    stage = await setUp(database, query);
    const until = Date.now() + minutes! * 60_000;
    for (let number = first!; Date.now() < until; number++) {
      const round = planRound(seed!, number, SIZE);
      const { api } = stage.slots[0];
      const versions: Version[] = [];
      for (const [i, tname] of SOURCES.entries()) {
        const name = `Round ${number}, ${i}`;
        versions.push(await makeVersion(api, stage.sources[tname]!, tname, name));
      }
      const play = new Play(stage, round, versions);
      await play.run();
      await play.check();
      const memory = stage.slots.map(({ server }) => Math.round(residentMegabytes(server.pid)));
      const counts = [...play.counts].map(([what, n]) => `${what} ${n}`).sort();
      console.log(
        `round ${number}: ${counts.join(', ')}; ${memory.join(' and ')} MB; ${play.violations.length} violations`,
      );
      if (play.violations.length > 0) {
        broken += play.violations.length;
        for (const violation of play.violations) console.log(`  ${violation}`);
        console.log(`  again: npm run soak -- --seed=${seed} --first=${number}`);
        for (const line of play.history) console.log(`    ${line}`);
      }
      for (const { path } of versions) must(await stage.slots[0].api.del(path));
    }
  } finally {
    for (const { server } of stage?.slots ?? []) await server.stop();
    await end();
    await dropDatabase(database);
    await stopCluster();
  }
  console.log(`${broken} violations`);
  process.exitCode = broken === 0 ? 0 : 1;
}

await main();
