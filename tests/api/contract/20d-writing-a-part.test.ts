// Tests docs/contract/20-who-is-signed-in.md#writes-of-a-part.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiAt, type Answer, type Api } from '../../support/http';
import { hold, untilWaiting } from '../../support/race';
import { plan, type Planned, type TableColumn } from '../../support/planned';
import { startService, type Service } from '../../support/service';
import { SIGNED_IN, signedIn } from '../../support/territories';
import { decode, ok } from './orders';

const COLUMNS: TableColumn[] = [
  { name: 'Day', type: 'date', role: 'date' },
  { name: 'Region', type: 'text', role: 'dimension' },
  { name: 'Product', type: 'text', role: 'dimension' },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
  { name: 'Pieces', type: 'integer', role: 'units' },
];
const ROWS = [
  { Day: '2027-01-31', Region: 'A', Product: 'x', Sales: 100, Pieces: 10 },
  { Day: '2027-02-28', Region: 'A', Product: 'y', Sales: 20, Pieces: 2 },
  { Day: '2027-02-28', Region: 'B', Product: 'x', Sales: 30, Pieces: 3 },
  { Day: '2027-03-31', Region: 'veiled region', Product: 'x', Sales: 77001, Pieces: 77 },
];
/** Names and amounts that only rows outside have begin like this. */
const OUTSIDE = /veiled|\b77\d\d\d\b/i;

let service: Service;
let admin: Api;
/** Reads A and B, and changes A. */
let ann: Api;
/** Reads and changes A. */
let bea: Api;
/** Reads A. */
let rita: Api;

const person = (user: string, groups = 'planners') => apiAt(service.url, signedIn(user, groups));

beforeAll(async () => {
  service = await startService('service', SIGNED_IN);
  admin = person('eve', 'admins');
  [ann, bea, rita] = [person('ann'), person('bea'), person('rita')];
});
afterAll(() => service?.stop());

/** A version of a source of its own with its baseline and the territories of the people above. */
async function planned(grain = false): Promise<Planned> {
  const columns = COLUMNS.map((c) =>
    c.role === 'value' || c.role === 'units' ? c : { ...c, grain },
  );
  const made = await plan({ ...service, api: admin }, columns, ROWS);
  ok(await admin.post(`${made.path}/baseline`));
  for (const [member, read, write] of [
    ['ann', { Region: ['A', 'B'] }, { Region: 'A' }],
    ['bea', { Region: 'A' }, { Region: 'A' }],
    ['rita', { Region: 'A' }, null],
  ]) {
    ok(await admin.post(`/sources/${made.sourceId}/territories`, { member, read, write }));
  }
  return made;
}

/** The totals of value by region and product. */
async function totalsOf({ table }: Planned): Promise<Record<string, number>> {
  const rows = await service.query(
    `SELECT "Region" || '/' || "Product" AS key, SUM("Sales")::float8 AS total
     FROM ${table} GROUP BY 1 ORDER BY 1`,
  );
  return Object.fromEntries(rows.map(({ key, total }) => [key, total]));
}

const newest = async ({ id }: Planned): Promise<number> =>
  (await service.query(`SELECT MAX(id) AS id FROM pf.log WHERE version_id = ${id}`))[0].id;

/** The amounts of rows in ascending order. The hidden numbers of rows have no order. */
const amountsOf = (rows: { Sales: number }[]) =>
  rows.map(({ Sales }) => Sales).sort((a, b) => a - b);

const refusal = ({ status, body }: Answer) => [status, body?.error];

const ONLY_A =
  'some of its rows are outside the part of the source that you may change: "Region" A';
const NOTHING_CHANGED = [403, `Nothing was changed, because ${ONLY_A}`];

describe('An operation', () => {
  it('acts on the rows of its slice that the person may read, and the log says so', async () => {
    const version = await planned();
    const { body } = ok(await bea.post(`${version.path}/scale`, { slice: {}, pct: 10 }));
    expect(amountsOf(body)).toEqual([2, 10]);
    expect(await totalsOf(version)).toMatchObject({ 'A/x': 110, 'A/y': 22, 'B/x': 30 });
    ok(await bea.post(`${version.path}/scale`, { slice: { Product: 'x' }, value_total: 50 }));
    expect(await totalsOf(version)).toMatchObject({
      'A/x': 50,
      'B/x': 30,
      'veiled region/x': 77001,
    });
    const [{ params }] = await service.query(
      `SELECT params FROM pf.log WHERE id = ${await newest(version)}`,
    );
    expect(params).toMatchObject({ value_total: 50, within: [[{ Region: 'A' }]] });
  });

  it('is refused with the values that the person may change, also null and the empty text', async () => {
    const version = await planned();
    const give = { member: 'nora', read: {}, write: { Product: [null, '', 'empty'] } };
    ok(await admin.post(`/sources/${version.sourceId}/territories`, give));
    const answer = await person('nora').post(`${version.path}/scale`, { slice: {}, pct: 10 });
    expect(refusal(answer)).toEqual([
      403,
      'Nothing was changed, because some of its rows are outside the part of the source that you may change: "Product" (empty), (blank) or empty',
    ]);
  });

  it('answers rows as /data answers them', async () => {
    for (const grain of [false, true]) {
      const { path, id } = await planned(grain);
      const answer = ok(await bea.post(`${path}/scale`, { slice: {}, pct: 10 }));
      expect(answer.headers.get('x-revision')).toBeNull();
      const read = decode(
        ok(await bea.get(`${path}/data?logid=${await newest({ id } as Planned)}`)).bytes,
      ).rows;
      const withKeys = (rows: Record<string, unknown>[]) =>
        rows.map(({ pf_id, Sales, Region }) => [Number(pf_id), Number(Sales), Region]).sort();
      if (grain) {
        const keys = ok(await bea.get(`${path}/agg`)).bytes;
        const known = decode(keys).rows.map((row) => row.pf_gkey);
        for (const { pf_gkey } of answer.body) expect(known).toContain(pf_gkey);
      } else expect(withKeys(answer.body)).toEqual(withKeys(read));
    }
  });

  const REFUSED: [string, string, object][] = [
    ['a scale of rows that they only read', 'scale', { slice: { Product: 'x' }, pct: 10 }],
    ['a scale with such a row among others', 'scale', { slice: {}, value_incr: 1 }],
    [
      'several edits, one of such rows',
      'scale',
      {
        edits: [
          { slice: { Region: 'A' }, pct: 10 },
          { slice: { Region: 'B' }, pct: 10 },
        ],
      },
    ],
    ['an equal spread', 'scale', { slice: {}, value_incr: 10, spread: 'equal' }],
    [
      'a scale that is taken from such rows',
      'scale',
      { slice: { Region: 'A' }, value_incr: 10, keep: {} },
    ],
    ['a recode out of such rows', 'recode', { slice: { Region: 'B' }, set: { Region: 'A' } }],
    ['a recode into such rows', 'recode', { slice: { Region: 'A' }, set: { Region: 'B' } }],
    ['a recode to a new value', 'recode', { slice: { Region: 'A' }, set: { Region: 'new' } }],
    [
      'a recode into rows that they do not see',
      'recode',
      { slice: { Region: 'A' }, set: { Region: 'veiled region' } },
    ],
    ['a clone elsewhere', 'clone', { slice: { Region: 'A' }, set: { Region: 'veiled region' } }],
    [
      'a clone of such rows in place',
      'clone',
      { slice: { Region: 'B' }, set: {}, scale_factor: 2 },
    ],
  ];

  it.each(REFUSED)('is refused if it would write beyond: %s', async (_, operation, body) => {
    const version = await planned();
    const before = await totalsOf(version);
    const last = await newest(version);
    for (const path of [operation, `${operation}/preview`]) {
      expect(refusal(await ann.post(`${version.path}/${path}`, body))).toEqual(NOTHING_CHANGED);
    }
    expect(await totalsOf(version)).toEqual(before);
    expect(await newest(version)).toBe(last);
  });

  it('may copy rows that the person only reads', async () => {
    const version = await planned();
    ok(await ann.post(`${version.path}/clone`, { slice: { Region: 'B' }, set: { Region: 'A' } }));
    expect(await totalsOf(version)).toMatchObject({ 'A/x': 130, 'B/x': 30 });
  });

  it('is refused to a person who may only read', async () => {
    const { path } = await planned();
    const asked = { slice: { Region: 'A' }, pct: 10 };
    expect(refusal(await rita.post(`${path}/scale`, asked))).toEqual([
      403,
      'Nothing was changed, because your territories let you read this source, but not change it',
    ]);
  });

  it('has the same answer if rows beyond exist or not', async () => {
    const version = await planned();
    const bodies: [string, object][] = [
      ['scale', { slice: { Region: 'veiled region' }, pct: 10 }],
      ['scale', { slice: { Region: 'veiled region' }, value_total: 1 }],
      ['recode', { slice: { Region: 'veiled region' }, set: { Product: 'z' } }],
      ['clone', { slice: { Region: 'veiled region' }, set: {}, scale_factor: 2 }],
      ['clone', { slice: { Region: 'A' }, set: { Region: 'veiled region' } }],
    ];
    const send = () =>
      Promise.all(
        bodies.flatMap(([operation, body]) => [
          bea.post(`${version.path}/${operation}/preview`, body).then(refusal),
          bea.post(`${version.path}/${operation}`, body).then(refusal),
        ]),
      );
    const existing = await send();
    expect(existing.map(([status]) => status)).toEqual([
      422, 422, 422, 422, 422, 422, 422, 422, 403, 403,
    ]);
    await service.query(`DELETE FROM ${version.table} WHERE "Region" = 'veiled region'`);
    expect(await send()).toEqual(existing);
  });

  it('is not told of locks of other rows, and is of its own', async () => {
    const { path } = await planned();
    ok(await admin.post(`${path}/locks`, { slice: { Region: 'veiled region' }, note: 'veiled' }));
    ok(await admin.post(`${path}/locks`, { slice: { Product: 'y' }, note: 'agreed' }));
    const into = { slice: { Product: 'x' }, set: { Region: 'veiled region' } };
    expect((await bea.post(`${path}/recode`, into)).status).toBe(403);
    const move = { slice: { Product: 'y' }, set: { Product: 'z' } };
    expect(refusal(await bea.post(`${path}/recode`, move))).toEqual([
      423,
      'Nothing was changed, because eve has locked some of these rows: agreed',
    ]);
    const { body } = ok(await bea.post(`${path}/scale`, { slice: {}, value_incr: 5 }));
    expect(body).toHaveLength(1);
    expect(body[0]).toMatchObject({ Region: 'A', Product: 'x', Sales: 5 });
  });
});

describe('A preview', () => {
  it('has the totals of rows inside, and no SQL', async () => {
    const { path } = await planned();
    ok(
      await admin.post(`${path}/locks`, {
        slice: { Region: ['A', 'veiled region'], Product: 'y' },
      }),
    );
    const scale = { slice: {}, value_incr: 10 };
    const { body, bytes } = ok(await bea.post(`${path}/scale/preview`, scale));
    expect(body).toMatchObject({
      sql: '',
      totals: { before: { row_count: 2, value_total: 120 }, after: { value_total: 130 } },
      held: { row_count: 1, value_total: 20 },
    });
    expect(new TextDecoder().decode(bytes)).not.toMatch(OUTSIDE);
    const several = { operations: [{ operation: 'scale', ...scale }] };
    const answer = ok(await bea.post(`${path}/preview`, several));
    expect(answer.body.totals).toMatchObject({
      before: { row_count: 2, value_total: 120 },
      after: { row_count: 3, value_total: 130 },
    });
    expect(new TextDecoder().decode(answer.bytes)).not.toMatch(OUTSIDE);
    const like = { like: { slice: {}, by: ['Product'] } };
    const shaped = { slice: {}, value_incr: 12, spread: like };
    const { body: parted } = ok(await bea.post(`${path}/scale/preview`, shaped));
    expect(parted.groups.map((each: { group: string[] }) => each.group)).toEqual([['x'], ['y']]);
  });
});

describe('Undo', () => {
  it('removes an entry inside, and answers its keys as /data answers them', async () => {
    for (const grain of [false, true]) {
      const version = await planned(grain);
      const before = await totalsOf(version);
      const { body } = ok(await bea.post(`${version.path}/scale`, { slice: {}, pct: 10 }));
      const answer = ok(await bea.del(`/log/${await newest(version)}`));
      const [keys, key] = grain ? ['pf_gkeys', 'pf_gkey'] : ['pf_ids', 'pf_id'];
      expect(answer.body.rows_deleted).toBe(2);
      const sorted = (list: unknown[]) => list.map(String).sort();
      expect(sorted(answer.body[keys!])).toEqual(
        sorted(body.map((row: Record<string, unknown>) => row[key!])),
      );
      expect(await totalsOf(version)).toEqual(before);
    }
  });

  it('of an entry that reaches beyond is refused, and its part can be taken back', async () => {
    const version = await planned();
    ok(await admin.post(`${version.path}/scale`, { slice: {}, pct: 10 }));
    const entry = await newest(version);
    expect(refusal(await ann.del(`/log/${entry}`))).toEqual([
      403,
      `Entry ${entry} stays, because ${ONLY_A}; take back your part of it instead`,
    ]);
    const preview = ok(await ann.post(`/log/${entry}/reverse/preview`, {}));
    expect(preview.body).toMatchObject({ sql: '', totals: { before: { value_total: 132 } } });
    const { body } = ok(await ann.post(`/log/${entry}/reverse`, {}));
    expect(amountsOf(body)).toEqual([-10, -2]);
    expect(await totalsOf(version)).toMatchObject({ 'A/x': 100, 'A/y': 20, 'B/x': 33 });
    const [{ params }] = await service.query(
      `SELECT params FROM pf.log WHERE id = ${await newest(version)}`,
    );
    expect(params.within).toEqual([[{ Region: ['A', 'B'] }], [{ Region: 'A' }]]);
    expect(refusal(await rita.del(`/log/${entry}`))).toEqual([
      403,
      `Entry ${entry} stays, because your territories let you read this source, but not change it`,
    ]);
    expect((await rita.post(`/log/${entry}/reverse`, {})).status).toBe(403);
  });

  it('of an entry without rows inside is answered as for an unknown id', async () => {
    const version = await planned();
    ok(await admin.post(`${version.path}/scale`, { slice: { Region: 'veiled region' }, pct: 10 }));
    const entry = await newest(version);
    const answers = async () => [
      refusal(await bea.del(`/log/${entry}`)),
      refusal(await bea.post(`/log/${entry}/reverse`, {})),
      refusal(await bea.post(`/log/${entry}/reverse/preview`, {})),
    ];
    const unknown = [404, `There is no log entry ${entry}`];
    expect(await answers()).toEqual([unknown, unknown, unknown]);
    ok(await admin.post(`${version.path}/close`, {}));
    expect(await answers()).toEqual([unknown, unknown, unknown]);
  });

  it('of a close of months is refused, because its lock holds other rows too', async () => {
    const version = await planned();
    const [{ tname }] = await service.query(
      `SELECT tname FROM pf.source WHERE id = ${version.sourceId}`,
    );
    const table = `public."${String(tname).replaceAll('"', '""')}"`;
    await service.query(`UPDATE ${table} SET "Sales" = 200 WHERE "Region" = 'A'`);
    ok(
      await admin.post(`${version.path}/actuals`, {
        column: 'Day',
        through: '2027-03-31',
        where_clause: 'TRUE',
      }),
    );
    expect((await bea.del(`/log/${await newest(version)}`)).status).toBe(403);
  });
});

describe('Redo', () => {
  it('runs an undone entry that is inside again', async () => {
    const version = await planned();
    for (const [by, body] of [
      [bea, { slice: {}, pct: 10 }],
      [admin, { slice: { Region: 'A' }, pct: 10 }],
    ] as [Api, object][]) {
      ok(await by.post(`${version.path}/scale`, body));
      const entry = await newest(version);
      const written = await totalsOf(version);
      ok(await bea.del(`/log/${entry}`));
      ok(await bea.post(`${version.path}/redo/${entry}`, {}));
      expect(await totalsOf(version)).toEqual(written);
    }
  });

  it('by somebody else still acts only on the rows of the person who made the entry', async () => {
    const version = await planned();
    ok(await bea.post(`${version.path}/scale`, { slice: {}, value_incr: 12 }));
    const entry = await newest(version);
    const written = await totalsOf(version);
    ok(await admin.del(`/log/${entry}`));
    ok(await admin.post(`${version.path}/redo/${entry}`, {}));
    expect(await totalsOf(version)).toEqual(written);
    const replay = { name: 'again', on_failure: 'refuse' };
    const { body } = ok(await admin.post(`${version.path}/replay`, replay));
    const [{ tname }] = await service.query(
      `SELECT tname FROM pf.source WHERE id = ${version.sourceId}`,
    );
    const table = `pf."fc_${String(tname).replaceAll('"', '""')}_${body.version.id}"`;
    expect(await totalsOf({ ...version, table })).toEqual(written);
  });

  it('of an entry that reached beyond is answered as for an unknown id', async () => {
    const version = await planned();
    for (const slice of [{}, { Region: 'B' }, { Product: 'x' }]) {
      ok(await admin.post(`${version.path}/scale`, { slice, pct: 10 }));
      const entry = await newest(version);
      ok(await admin.del(`/log/${entry}`));
      expect(refusal(await bea.post(`${version.path}/redo/${entry}`, {}))).toEqual([
        404,
        `There is no undone entry ${entry} of version ${version.id}`,
      ]);
    }
  });

  it('is refused for rows that the person only reads', async () => {
    const version = await planned();
    ok(await admin.post(`${version.path}/scale`, { slice: { Region: 'B' }, pct: 10 }));
    const entry = await newest(version);
    ok(await admin.del(`/log/${entry}`));
    expect(refusal(await ann.post(`${version.path}/redo/${entry}`, {}))).toEqual(NOTHING_CHANGED);
  });
});

describe('A note', () => {
  it('is changed for an entry inside, and no other', async () => {
    const version = await planned();
    ok(await bea.post(`${version.path}/scale`, { slice: {}, pct: 10 }));
    const own = await newest(version);
    expect(ok(await bea.patch(`/log/${own}`, { note: 'why' })).body.note).toBe('why');
    ok(await admin.post(`${version.path}/scale`, { slice: {}, pct: 10, note: 'whole' }));
    const whole = await newest(version);
    expect(refusal(await bea.patch(`/log/${whole}`, { note: 'mine' }))).toEqual(NOTHING_CHANGED);
    ok(await admin.post(`${version.path}/scale`, { slice: { Region: 'B' }, pct: 10 }));
    const hidden = await newest(version);
    expect(refusal(await bea.patch(`/log/${hidden}`, { note: 'mine' }))).toEqual([
      404,
      `There is no log entry ${hidden}`,
    ]);
    const notes = await service.query(
      `SELECT note FROM pf.log WHERE id IN (${whole}, ${hidden}) ORDER BY id`,
    );
    expect(notes).toEqual([{ note: 'whole' }, { note: null }]);
  });
});

describe('An import', () => {
  it('writes cells inside, and tells no newer entry of other rows', async () => {
    const version = await planned();
    const edits = [{ slice: { Product: 'x' }, value_total: 150 }];
    ok(await admin.post(`${version.path}/scale`, { slice: { Region: 'veiled region' }, pct: 10 }));
    const hidden = await newest(version);
    const preview = ok(await bea.post(`${version.path}/import/preview`, { edits, since: 0 })).body;
    expect(preview.newest).toBeLessThan(hidden);
    expect(preview.cells).toMatchObject([{ row_count: 1, value_total: 100, refusal: null }]);
    const file = { name: 'a.csv', sha256: 'a'.repeat(64) };
    const request = { file, edits, seen: preview.newest };
    ok(await bea.post(`${version.path}/import`, request));
    expect(await totalsOf(version)).toMatchObject({ 'A/x': 150, 'B/x': 30 });
    const before = await totalsOf(version);
    expect(
      refusal(
        await ann.post(`${version.path}/import`, {
          file,
          edits: [{ slice: {}, value_total: 1 }],
        }),
      ),
    ).toEqual(NOTHING_CHANGED);
    expect(await totalsOf(version)).toEqual(before);
  });
});

describe('A preview of an import', () => {
  it('marks the cells with rows that the person may only read', async () => {
    const version = await planned();
    const slices = [
      { Region: 'A', Product: 'x' },
      { Region: 'B' },
      { Product: 'x' },
      { Region: 'veiled region' },
    ];
    const edits = slices.map((slice) => ({ slice, value_total: 1 }));
    const refusalsFor = async (api: Api, asked = edits) => {
      const { cells } = ok(
        await api.post(`${version.path}/import/preview`, { edits: asked, since: 0 }),
      ).body;
      return cells.map((cell: { refusal: string | null }) => cell.refusal);
    };
    const apart = [edits[0]!, edits[1]!, edits[3]!];
    expect(await refusalsFor(ann, apart)).toEqual([null, 'read_only', 'no_rows']);
    expect(await refusalsFor(ann, [edits[2]!])).toEqual(['read_only']);
    expect(await refusalsFor(bea, [edits[2]!])).toEqual([null]);
    expect(await refusalsFor(rita, [edits[0]!])).toEqual(['read_only']);
    expect(await refusalsFor(admin, apart)).toEqual([null, null, null]);
    // A row that nobody can change does not count.
    ok(await admin.post(`${version.path}/locks`, { slice: { Region: 'B' } }));
    expect(await refusalsFor(ann, [edits[2]!])).toEqual([null]);
    expect(await refusalsFor(ann, apart)).toEqual([null, 'locked', 'no_rows']);
  });

  it('does not mark a cell of which only rows of 0 may not be changed', async () => {
    const version = await planned();
    const file = { name: 'a.csv', sha256: 'a'.repeat(64) };
    const cell = (amount: object) => [{ slice: { Product: 'x', Region: ['A', 'B'] }, ...amount }];
    const refusalOf = async (amount: object) =>
      ok(await ann.post(`${version.path}/import/preview`, { edits: cell(amount) })).body.cells[0]
        .refusal;
    expect(await refusalOf({ value_total: 200 })).toBe('read_only');
    ok(await admin.post(`${version.path}/scale`, { slice: { Region: 'B' }, value_total: 0 }));
    expect(await refusalOf({ value_total: 200 })).toBe(null);
    expect(await refusalOf({ units_total: 20 })).toBe('read_only');
    expect(await refusalOf({ value_total: 200, units_total: 20 })).toBe('read_only');
    ok(await ann.post(`${version.path}/import`, { file, edits: cell({ value_total: 200 }) }));
    expect(await totalsOf(version)).toMatchObject({ 'A/x': 200, 'B/x': 0 });
    // Rows that add up to 0 get equal parts.
    ok(await admin.post(`${version.path}/scale`, { slice: { Region: 'A' }, value_total: 0 }));
    expect(await refusalOf({ value_total: 200 })).toBe('read_only');
    const request = { file, edits: cell({ value_total: 10 }) };
    expect(refusal(await ann.post(`${version.path}/import`, request))).toEqual(NOTHING_CHANGED);
  });
});

describe('The totals of a slice', () => {
  it('have the rows that the person may only read', async () => {
    const version = await planned();
    const readOnly = async (api: Api, slice: object, hold?: object[]) =>
      ok(await api.post(`${version.path}/slice`, { slice, ...(hold && { hold }) })).body.read_only;
    const some = { row_count: 1, value_gross: 30, units_gross: 3 };
    expect(await readOnly(ann, { Product: 'x' })).toEqual(some);
    expect(await readOnly(ann, { Region: 'A' })).toBeUndefined();
    expect(await readOnly(ann, {}, [{ Region: 'B' }])).toBeUndefined();
    expect(await readOnly(bea, {})).toBeUndefined();
    expect(await readOnly(rita, {})).toEqual({ row_count: 2, value_gross: 120, units_gross: 12 });
    expect(await readOnly(admin, {})).toBeUndefined();
    const slices = [{ Region: 'A' }, { Product: 'x' }, { Region: 'veiled region' }, {}];
    const { body } = ok(await ann.post(`${version.path}/slices`, { slices }));
    const found = body.slices.map((each: { read_only?: object }) => each.read_only);
    expect(found).toEqual([undefined, some, undefined, some]);
    ok(await admin.post(`${version.path}/locks`, { slice: { Region: 'B' } }));
    expect(await readOnly(ann, {})).toBeUndefined();
  });
});

describe('Territories that change while a write waits', () => {
  it('judge it as they are then', async () => {
    const version = await planned();
    const change = await hold(
      service,
      `SELECT FROM pf.version WHERE id = ${version.id} FOR UPDATE`,
      `UPDATE pf.territory SET write = NULL WHERE source_id = ${version.sourceId} AND member = 'bea'`,
    );
    const writing = bea.post(`${version.path}/scale`, { slice: {}, pct: 10 });
    await untilWaiting(service, 1);
    await change.commit();
    expect((await writing).status).toBe(403);
    expect(await totalsOf(version)).toMatchObject({ 'A/x': 100, 'A/y': 20 });
  });
});

describe('Comments and reviews', () => {
  const beyond = { slice: { Region: 'veiled region' }, text: 'veiled @bea' };
  const NOT_READABLE =
    'slice: it is not inside the part of the source that you may read: "Region" A';

  it('are written on slices that the person may read', async () => {
    const { path } = await planned();
    const outside = ok(await admin.post(`${path}/comments`, beyond)).body;
    for (const slice of [beyond.slice, {}, { Product: 'x' }, { Region: ['A', 'B'] }]) {
      expect(refusal(await bea.post(`${path}/comments`, { ...beyond, slice }))).toEqual([
        403,
        NOT_READABLE,
      ]);
    }
    const inside = { slice: { Region: 'A', Product: 'x' }, text: 'Too much? @bea' };
    const { body } = ok(await rita.post(`${path}/comments`, inside));
    ok(await bea.post(`${path}/comments`, { parent: body.id, text: 'No' }));
    ok(await bea.patch(`/comments/${body.id}`, { resolved: true }));
    ok(await bea.patch(`/comments/${body.id}`, { resolved: false }));
    const mentions = ok(await bea.get('/comments/mentions')).body;
    expect(mentions.map(({ id }: { id: number }) => id)).toEqual([body.id]);
    expect(JSON.stringify(mentions)).not.toMatch(OUTSIDE);
    expect(refusal(await bea.post(`${path}/comments`, { parent: outside.id, text: '?' }))[0]).toBe(
      400,
    );
    for (const { status, body } of [
      await bea.patch(`/comments/${outside.id}`, { resolved: true }),
      await bea.del(`/comments/${outside.id}`),
    ]) {
      expect([status, body.error]).toEqual([404, `There is no comment ${outside.id}`]);
    }
    expect(ok(await admin.get(`${path}/comments`)).body).toHaveLength(3);
  });

  it('wait for people who read their slices, and their steps name no entry outside', async () => {
    const { path } = await planned();
    const { body: review } = ok(
      await bea.post(`${path}/reviews`, { slice: { Region: 'A' }, reviewers: ['ann'] }),
    );
    const whole = { slice: {}, reviewers: ['ann'] };
    expect(refusal(await bea.post(`${path}/reviews`, whole))).toEqual([403, NOT_READABLE]);
    const hidden = ok(await admin.post(`${path}/reviews`, { ...whole, owner: 'bea' })).body;
    ok(await admin.post(`${path}/scale`, { slice: { Region: 'veiled region' }, pct: 1 }));
    const submitted = ok(await bea.post(`/reviews/${review.id}/submit`, {})).body;
    const baseline = submitted.steps[0].newest_entry;
    expect(submitted.steps.map((step: { newest_entry: number }) => step.newest_entry)).toEqual([
      baseline,
      baseline,
    ]);
    const waiting = ok(await ann.get('/reviews/waiting')).body;
    expect(waiting).toMatchObject([{ id: review.id, steps: submitted.steps }]);
    expect(ok(await ann.post(`/reviews/${review.id}/approve`, {})).body.state).toBe('approved');
    expect(refusal(await bea.post(`${path}/scale`, { slice: {}, pct: 1 }))).toEqual([
      422,
      `Every row of the slice is held or locked; there is nothing to spread over. Review ${review.id} of bea is approved; ann or an admin can reopen it`,
    ]);
    for (const answer of [
      await bea.post(`/reviews/${hidden.id}/submit`, {}),
      await bea.patch(`/reviews/${hidden.id}`, { due: '2027-05-01' }),
      await bea.del(`/reviews/${hidden.id}`),
    ]) {
      expect(refusal(answer)).toEqual([404, `There is no review ${hidden.id}`]);
    }
  });
});
