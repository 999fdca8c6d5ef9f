import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DatabaseConfig } from '../../src/lib/server/config';
import { cloneDatabase, dropDatabase } from '../support/cluster';
import { queryOn, type Query } from '../support/service';

let database: DatabaseConfig;
let query: Query;
let end: () => Promise<void>;

describe('the schema', () => {
  beforeEach(async () => {
    database = await cloneDatabase('service');
    ({ query, end } = queryOn(database));
    await query(`
      INSERT INTO pf.source (schema, tname) VALUES ('public', 'sales');
      INSERT INTO pf.col_meta (source_id, cname) VALUES (1, 'region');
      INSERT INTO pf.sql (source_id, operation, sql) VALUES (1, 'get_data', 'SELECT 1');
      INSERT INTO pf.version (source_id, name) VALUES (1, 'Plan');
      INSERT INTO pf.view (source_id, name, layout) VALUES (1, 'By region', '{}');
      INSERT INTO pf.profile (id, source_id, name, weights) VALUES (1, 1, 'Even', array_fill(1, '{12}'));
      INSERT INTO pf.formula (source_id, name, expression, format) VALUES (1, 'Double', 'sales * 2', '{}');
      INSERT INTO pf.lookup (source_id, name, schema, tname, keys, range, attributes)
        VALUES (1, 'Products', 'public', 'products', '[]', 'null', '[]');
      INSERT INTO pf.territory (source_id, member, read) VALUES (1, 'ann', '{}');
      INSERT INTO pf.log (version_id, pf_user, operation) VALUES (1, 'ann', 'baseline');
      INSERT INTO pf.comment (id, version_id, slice, parent, text, created_by)
        VALUES (1, 1, '{}', NULL, 'Why?', 'ann'), (2, 1, '{}', 1, 'Because.', 'bea');
      INSERT INTO pf.review (id, version_id, slice, owner, reviewers) VALUES (1, 1, '{}', 'ann', '{bea}');
      INSERT INTO pf.review_step (review_id, step, pf_user, newest_entry) VALUES (1, 'open', 'ann', 0);
      INSERT INTO pf.idempotency (path, key, body_digest, version_id)
        VALUES ('POST /api/versions/1/scale', 'k', '', 1)`);
  });
  afterEach(async () => {
    await end();
    await dropDatabase(database);
  });

  it('has the defaults of the contract', async () => {
    expect(await query('SELECT * FROM pf.source')).toMatchObject([
      { id: 1, label: null, status: 'active', default_layout: null, created_by: null },
    ]);
    expect(await query('SELECT * FROM pf.col_meta')).toMatchObject([
      { role: 'ignore', is_key: false, opos: null, dim_group: null, in_grain: false },
    ]);
    expect(await query('SELECT * FROM pf.version')).toMatchObject([
      { status: 'open', exclude_iters: ['reference'], closed_at: null, closed_by: null },
    ]);
    expect(await query('SELECT stamp IS NOT NULL AS stamped, slice FROM pf.log')).toEqual([
      { stamped: true, slice: null },
    ]);
  });

  it.each([
    ["INSERT INTO pf.source (schema, tname) VALUES ('public', 'sales')", 'source_schema_tname_key'],
    ["INSERT INTO pf.col_meta (source_id, cname) VALUES (1, 'region')", 'source_id_cname_key'],
    ["INSERT INTO pf.version (source_id, name) VALUES (1, 'Plan')", 'version_source_id_name_key'],
    ["INSERT INTO pf.sql (source_id, operation, sql) VALUES (1, 'get_data', '')", 'operation_key'],
    ["UPDATE pf.source SET status = 'gone'", 'source_status_check'],
    ["UPDATE pf.col_meta SET role = 'key'", 'col_meta_role_check'],
    ["UPDATE pf.version SET status = 'locked'", 'version_status_check'],
    ["UPDATE pf.version SET exclude_iters = '{}'", 'version_exclude_iters_check'],
    [
      "INSERT INTO pf.view (source_id, name, layout) VALUES (1, 'By region', '{}')",
      'view_source_id_name_key',
    ],
    ["UPDATE pf.view SET layout = '[]'", 'view_layout_check'],
    [
      'INSERT INTO pf.profile SELECT 2, source_id, name, weights FROM pf.profile',
      'source_id_name_key',
    ],
    [
      'INSERT INTO pf.formula SELECT 2, source_id, name, expression, format FROM pf.formula',
      'source_id_name_key',
    ],
    [
      'INSERT INTO pf.lookup SELECT 2, source_id, name, schema, tname, keys, range, attributes FROM pf.lookup',
      'source_id_name_key',
    ],
    ["UPDATE pf.profile SET weights = array_fill(1, '{11}')", 'profile_weights_check'],
    ["UPDATE pf.profile SET weights = array_fill(0, '{12}')", 'profile_weights_check'],
    ['UPDATE pf.profile SET weights[5] = -1', 'profile_weights_check'],
    ["UPDATE pf.log SET operation = 'undo'", 'log_operation_check'],
    ["UPDATE pf.sql SET operation = 'replay'", 'sql_operation_check'],
    ["UPDATE pf.comment SET slice = '[]'", 'comment_slice_check'],
    ["UPDATE pf.comment SET resolved_by = 'ann'", 'comment_resolved_check'],
    ['DELETE FROM pf.comment WHERE id = 1', 'comment_parent_fkey'],
    [
      "WITH other AS (INSERT INTO pf.version (source_id, name) VALUES (1, 'B') RETURNING id) UPDATE pf.comment SET version_id = other.id FROM other WHERE parent = 1",
      'comment_parent_fkey',
    ],
    ["UPDATE pf.review SET slice = '[]'", 'review_slice_check'],
    ["UPDATE pf.review SET reviewers = '{}'", 'review_reviewers_check'],
    ["UPDATE pf.review SET reviewers = '{bea,ann}'", 'review_reviewers_check'],
    ["UPDATE pf.review SET state = 'closed'", 'review_state_check'],
    ["UPDATE pf.review_step SET step = 'delete'", 'review_step_check'],
    ["UPDATE pf.territory SET read = '[]'", 'territory_read_check'],
    ["UPDATE pf.territory SET write = '[]'", 'territory_write_check'],
    ['INSERT INTO pf.idempotency SELECT * FROM pf.idempotency', 'idempotency_pkey'],
    ['DELETE FROM pf.source', 'version_source_id_fkey'],
  ])('refuses %s', async (sql, constraint) => {
    await expect(query(sql)).rejects.toThrow(constraint);
  });

  it('deletes log, comments, reviews and stored answers with their version, and metadata, templates, views, profiles, formulas, lookups and territories with their source', async () => {
    await query('DELETE FROM pf.version; DELETE FROM pf.source');
    const tables = [
      'log',
      'comment',
      'review',
      'review_step',
      'idempotency',
      'col_meta',
      'sql',
      'view',
      'profile',
      'formula',
      'lookup',
      'territory',
    ];
    for (const table of tables) expect(await query(`SELECT FROM pf.${table}`)).toEqual([]);
  });
});
