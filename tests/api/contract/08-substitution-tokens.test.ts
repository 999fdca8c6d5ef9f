// Tests docs/contract/08-substitution-tokens.md.
import { describe, expect } from 'vitest';
import { it, makePlan, ok } from './orders';

/** Texts that would be changed by a second pass or by missing quotes. */
const ODD = [
  '{{logid}}',
  '{{fc_table}} {{note}} {{pf_user}} {{where_clause}}',
  `$& $1 $$ $' $\``,
  `it's 'quoted' "twice"`,
  `\\' ; DROP TABLE pf.log; --`,
  `E'\\n' \\\\ \\x`,
  'line one\nline two\ttab',
  '/* comment */ -- comment',
  '<b>&amp;</b> 😀 é e\u0301 \u202e',
  `')); DELETE FROM pf.version; SELECT ('`,
];

describe('Substitution is one pass', () => {
  it.for(ODD)('stores the note %j unchanged', async (text, { service, sourceId }) => {
    const { path, table, versionId } = await makePlan(service, sourceId);
    // Names of people have no line breaks and no characters that nobody sees.
    const pf_user = /[\n\u202e]/.test(text) ? 'ann' : text;
    const north = { slice: { region: 'North' }, pf_user, note: text };
    for (const [operation, more] of [
      ['scale', { pct: 10 }],
      ['recode', { set: { 'sub-category': text } }],
      ['clone', { set: { select: text } }],
    ] as const) {
      const { body } = ok(await service.api.post(`${path}/${operation}`, { ...north, ...more }));
      expect(new Set(body.map((r: { pf_note: string }) => r.pf_note))).toEqual(new Set([text]));
      expect(new Set(body.map((r: { pf_op: string }) => r.pf_op))).toEqual(new Set([operation]));
    }
    ok(await service.api.post(`${path}/baseline`, { pf_user, note: text }));
    const logged = await service.query(
      'SELECT DISTINCT pf_user, note FROM pf.log WHERE version_id = $1 AND note IS NOT NULL',
      [versionId],
    );
    expect(logged).toEqual([{ pf_user, note: text }]);
    const moved = await service.query(
      `SELECT DISTINCT "sub-category" AS s FROM ${table} WHERE pf_iter = 'recode' AND amount > 0`,
    );
    expect(moved).toEqual([{ s: text }]);

    const slice = { 'sub-category': text, select: [text, 'x'] };
    const found = await service.api.post(`${path}/slice`, { slice });
    expect([found.status, found.body.row_count]).toEqual([200, 5]);
    const filters = [[{ cname: 'region', op: '<>', value: text }]];
    const load = ok(await service.api.post(`${path}/baseline`, { filters, pf_user: 'ann' })).body;
    expect(load.row_count).toBe(11);
  });
});
