// The requests whose answers are compared with the OpenAPI document.
import { openEvents } from '../../support/events';
import { until } from '../../support/race';
import { startService, type Service } from '../../support/service';
import { apiAt, type Answer } from '../../support/http';
import { SIGNED_IN, signedIn } from '../../support/territories';
import { makePlan } from './orders';

export const user = { pf_user: 'ann' };

const sendFile = ({ api }: Service, path: string): Promise<Answer> =>
  api.send(path, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'Region,Amount,Code\nNorth,5.20,1\nSouth,7,x\n',
  });

const commentOn = ({ api }: Service, path: string): Promise<Answer> =>
  api.post(`${path}/comments`, { ...user, slice: { region: 'North' }, text: 'Right, @ann?' });

const review = ({ api }: Service, path: string): Promise<Answer> =>
  api.post(`${path}/reviews`, {
    ...user,
    ...{ slice: { region: 'North' }, reviewers: ['rosa'], due: '2027-01-31', comment: 'For Q1' },
  });

const alert = ({ api }: Service, path: string): Promise<Answer> =>
  api.post(`${path}/alerts`, {
    ...{ ...user, name: 'Large', measure: 'value', of: 'amount', level: [{ field: 'region' }] },
    ...{ slice: {}, condition: { operator: 'above', amount: 100 } },
  });

/** Makes an alert. @returns its id once it holds */
async function alerted(service: Service, path: string): Promise<number> {
  const { id } = (await alert(service, path)).body;
  await until(async () => (await service.api.get(`/alerts/${id}/groups`)).body.total > 0);
  return id;
}

/** Makes a review and takes it through some steps. @returns the answer of the last step */
async function reviewed(service: Service, path: string, steps: string[]): Promise<Answer> {
  let answer = await review(service, path);
  const { id } = answer.body;
  for (const step of steps) {
    const who = step === 'submit' ? user : { pf_user: 'rosa' };
    answer = await service.api.post(`/reviews/${id}/${step}`, { ...who, comment: 'Read' });
  }
  return answer;
}

/** Lets a current name stand for a new version. */
const nameVersion = async (service: Service, sourceId: number, name: string): Promise<Answer> => {
  const { versionId: version_id } = await makePlan(service, sourceId);
  return service.api.put(`/sources/${sourceId}/current`, { ...user, name, version_id });
};

/** Publishes a new version. */
const publishVersion = async (service: Service, sourceId: number, name: string): Promise<Answer> =>
  service.api.put(`/versions/${(await makePlan(service, sourceId)).versionId}/published`, { name });

/** Adds a territory by SQL. @returns its id */
const addTerritory = async ({ query }: Service, sourceId: number): Promise<number> => {
  const [{ id }] = await query(
    `INSERT INTO pf.territory (source_id, member, read, created_by)
     VALUES ($1, 'ann', '{"region": "North"}', 'eve') RETURNING id`,
    [sourceId],
  );
  return id;
};

const TOKEN = { name: 'night', roles: ['planner'], groups: ['north'] };

/** Sends a request as an admin of a service that signs people in. */
function whereSignedIn(request: (service: Service) => Promise<Answer>) {
  return async () => {
    const service = await startService('service', SIGNED_IN);
    try {
      const api = apiAt(service.url, signedIn('eve', 'admins'));
      return await request({ ...service, api });
    } finally {
      await service.stop();
    }
  };
}

/** A successful request to each endpoint, each on a plan or resource of its own. */
export const REQUESTS: Record<string, (service: Service, sourceId: number) => Promise<Answer>> = {
  'GET /health': (service) => service.api.get('/health'),
  'GET /health/live': (service) => service.api.get('/health/live'),
  'GET /metrics': (service) => service.api.get('/metrics'),
  'GET /openapi.json': (service) => service.api.get('/openapi.json'),
  'GET /me': (service) => service.api.get('/me'),
  'GET /files': (service) => service.api.get('/files'),
  'POST /files/preview': (service) => sendFile(service, '/files/preview?name=sales.csv'),
  'POST /files': (service) => sendFile(service, '/files?name=documented.csv'),
  'GET /calendar': (service) => service.api.get('/calendar'),
  'PUT /calendar': (service) => service.api.put('/calendar', { weeks: '4-4-5', ...user }),
  'GET /tables': (service) => service.api.get('/tables'),
  'GET /tables/{schema}/{tname}': (service) => service.api.get('/tables/public/orders?limit=3'),
  'GET /sources': (service) => service.api.get('/sources?status=all'),
  'POST /sources': (service) =>
    service.api.post('/sources', { schema: 'public', tname: 'superstore', ...user }),
  'GET /sources/{id}': (service, sourceId) => service.api.get(`/sources/${sourceId}`),
  'PATCH /sources/{id}': (service, sourceId) =>
    service.api.patch(`/sources/${sourceId}`, { label: 'Orders', default_layout: { a: 1 } }),
  'DELETE /sources/{id}': async (service) => {
    await service.query('CREATE TABLE public.passing (a int)');
    const { id } = (await service.api.post('/sources', { schema: 'public', tname: 'passing' }))
      .body;
    return service.api.del(`/sources/${id}`);
  },
  'GET /sources/{id}/columns': (service, sourceId) =>
    service.api.get(`/sources/${sourceId}/columns`),
  'PUT /sources/{id}/columns': (service, sourceId) =>
    service.api.put(`/sources/${sourceId}/columns`, [{ cname: 'region', label: 'Region' }]),
  'GET /sources/{id}/values': (service, sourceId) =>
    service.api.get(`/sources/${sourceId}/values?cname=region&search=o&limit=5`),
  'POST /sources/{id}/grain-estimate': (service, sourceId) =>
    service.api.post(`/sources/${sourceId}/grain-estimate`, { columns: ['region'] }),
  'GET /sources/{id}/sql': (service, sourceId) => service.api.get(`/sources/${sourceId}/sql`),
  'POST /sources/{id}/sql': (service, sourceId) => service.api.post(`/sources/${sourceId}/sql`),
  'GET /sources/{id}/sql/preview': (service, sourceId) =>
    service.api.get(`/sources/${sourceId}/sql/preview`),
  'GET /sources/{id}/versions': (service, sourceId) =>
    service.api.get(`/sources/${sourceId}/versions`),
  'POST /sources/{id}/versions': (service, sourceId) =>
    service.api.post(`/sources/${sourceId}/versions`, { name: 'Documented' }),
  'GET /sources/{id}/views': async (service, sourceId) => {
    await makeView(service, sourceId, 'Listed');
    return service.api.get(`/sources/${sourceId}/views`);
  },
  'POST /sources/{id}/views': (service, sourceId) => makeView(service, sourceId, 'Documented'),
  'PATCH /views/{id}': async (service, sourceId) => {
    const { id } = (await makeView(service, sourceId, 'Before')).body;
    return service.api.patch(`/views/${id}`, { name: 'After' });
  },
  'GET /sources/{id}/formulas': async (service, sourceId) => {
    await makeFormula(service, sourceId, 'Listed');
    return service.api.get(`/sources/${sourceId}/formulas`);
  },
  'POST /sources/{id}/formulas': (service, sourceId) =>
    makeFormula(service, sourceId, 'Documented'),
  'PATCH /formulas/{id}': async (service, sourceId) => {
    const { id } = (await makeFormula(service, sourceId, 'Before')).body;
    return service.api.patch(`/formulas/${id}`, { name: 'After' });
  },
  'GET /sources/{id}/lookups': async (service, sourceId) => {
    await makeLookup(service, sourceId);
    return service.api.get(`/sources/${sourceId}/lookups`);
  },
  'POST /sources/{id}/lookups': makeLookup,
  'PATCH /lookups/{id}': async (service, sourceId) => {
    const { id } = (await makeLookup(service, sourceId)).body;
    return service.api.patch(`/lookups/${id}`, { name: 'After' });
  },
  'DELETE /lookups/{id}': async (service, sourceId) => {
    const { id } = (await makeLookup(service, sourceId)).body;
    return service.api.del(`/lookups/${id}`);
  },
  'GET /lookups/{id}/rows': async (service, sourceId) => {
    const { id } = (await makeLookup(service, sourceId)).body;
    const versionId = (await makePlan(service, sourceId)).path.split('/').at(-1);
    return service.api.get(`/lookups/${id}/rows?version=${versionId}`);
  },
  'GET /members': (service) => service.api.get('/members'),
  'GET /audit': (service) => service.api.get('/audit'),
  'GET /sources/{id}/territories': async (service, sourceId) => {
    await addTerritory(service, sourceId);
    return service.api.get(`/sources/${sourceId}/territories`);
  },
  'POST /sources/{id}/territories': whereSignedIn(async ({ api, query }) => {
    await query('CREATE TABLE public.stores (region text)');
    const source = await api.post('/sources', { schema: 'public', tname: 'stores' });
    const path = `/sources/${source.body.id}`;
    await api.put(`${path}/columns`, [{ cname: 'region', role: 'dimension' }]);
    const territory = { member: 'ann', read: {}, write: { region: 'North' } };
    return api.post(`${path}/territories`, territory);
  }),
  'GET /tokens': whereSignedIn(async ({ api }) => {
    await api.post('/tokens', TOKEN);
    return api.get('/tokens');
  }),
  'POST /tokens': whereSignedIn(({ api }) => api.post('/tokens', TOKEN)),
  'DELETE /tokens/{id}': whereSignedIn(async ({ api }) => {
    const { id } = (await api.post('/tokens', TOKEN)).body;
    return api.del(`/tokens/${id}`);
  }),
  'PATCH /territories/{id}': async (service, sourceId) =>
    service.api.patch(`/territories/${await addTerritory(service, sourceId)}`, { member: 'bea' }),
  'DELETE /territories/{id}': async (service, sourceId) =>
    service.api.del(`/territories/${await addTerritory(service, sourceId)}`),
  'DELETE /formulas/{id}': async (service, sourceId) => {
    const { id } = (await makeFormula(service, sourceId, 'Passing')).body;
    return service.api.del(`/formulas/${id}`);
  },
  'GET /sources/{id}/profiles': async (service, sourceId) => {
    await makeProfile(service, sourceId, 'Listed');
    return service.api.get(`/sources/${sourceId}/profiles`);
  },
  'POST /sources/{id}/profiles': (service, sourceId) =>
    makeProfile(service, sourceId, 'Documented'),
  'PATCH /profiles/{id}': async (service, sourceId) => {
    const { id } = (await makeProfile(service, sourceId, 'Before')).body;
    return service.api.patch(`/profiles/${id}`, { name: 'After' });
  },
  'DELETE /profiles/{id}': async (service, sourceId) => {
    const { id } = (await makeProfile(service, sourceId, 'Passing')).body;
    return service.api.del(`/profiles/${id}`);
  },
  'DELETE /views/{id}': async (service, sourceId) => {
    const { id } = (await makeView(service, sourceId, 'Passing')).body;
    return service.api.del(`/views/${id}`);
  },
  'GET /sources/{id}/current': async (service, sourceId) => {
    await nameVersion(service, sourceId, 'listed');
    return service.api.get(`/sources/${sourceId}/current`);
  },
  'PUT /sources/{id}/current': (service, sourceId) => nameVersion(service, sourceId, 'documented'),
  'GET /current/{name}': async (service, sourceId) => {
    await nameVersion(service, sourceId, 'asked for');
    return service.api.get(`/current/asked%20for?source=${sourceId}`);
  },
  'GET /sources/{id}/published': async (service, sourceId) => {
    await publishVersion(service, sourceId, 'listed');
    return service.api.get(`/sources/${sourceId}/published`);
  },
  'PUT /versions/{id}/published': (service, sourceId) =>
    publishVersion(service, sourceId, 'documented'),
  'DELETE /published/{id}': async (service, sourceId) => {
    const { id } = (await publishVersion(service, sourceId, 'passing')).body;
    return service.api.del(`/published/${id}`);
  },
  'GET /versions/{id}': onPlan((service, path) => service.api.get(path)),
  'PATCH /versions/{id}': onPlan((service, path) => service.api.patch(path, { description: 'x' })),
  'DELETE /versions/{id}': onPlan((service, path) => service.api.del(path)),
  'POST /versions/{id}/copy': onPlan((service, path) =>
    service.api.post(`${path}/copy`, { ...user, name: 'A copy' }),
  ),
  'POST /versions/{id}/replay': onPlan((service, path) =>
    service.api.post(`${path}/replay`, { ...user, name: 'A replay' }),
  ),
  'GET /versions/{id}/replayed': onPlan(async (service, path) => {
    const { body } = await service.api.post(`${path}/replay`, { ...user, name: 'Replayed' });
    return service.api.get(`/versions/${body.version.id}/replayed`);
  }),
  'POST /versions/{id}/close': onPlan((service, path) => service.api.post(`${path}/close`, user)),
  'POST /versions/{id}/open': onPlan(async (service, path) => {
    await service.api.post(`${path}/close`, user);
    return service.api.post(`${path}/open`, user);
  }),
  'GET /versions/{id}/data': onPlan((service, path) => service.api.get(`${path}/data`)),
  'GET /versions/{id}/agg': async (service, sourceId) => {
    await grain(service, sourceId, true);
    const answer = await onPlan((service, path) => service.api.get(`${path}/agg`))(
      service,
      sourceId,
    );
    await grain(service, sourceId, false);
    return answer;
  },
  'GET /versions/{id}/events': onPlan(async (service, path) => {
    const { status, headers, next, close } = await openEvents(service.url, path);
    await next();
    close();
    return { status, headers, bytes: new Uint8Array(), body: undefined };
  }),
  'POST /versions/{id}/baseline': onPlan((service, path) =>
    service.api.post(`${path}/baseline`, {
      ...user,
      filters: [[{ cname: 'region', op: 'is not null' }]],
      date_offset: '1 year',
    }),
  ),
  'PUT /versions/{id}/baseline/{logid}': onPlan((service, path, logid) =>
    service.api.put(`${path}/baseline/${logid}`, user),
  ),
  'DELETE /versions/{id}/baseline': onPlan((service, path) => service.api.del(`${path}/baseline`)),
  'POST /versions/{id}/baseline/preview': onPlan((service, path) =>
    service.api.post(`${path}/baseline/preview`, {}),
  ),
  'POST /versions/{id}/forecast': onPlan((service, path) =>
    service.api.post(`${path}/forecast`, {
      ...user,
      history: { through: '2026-12-31' },
      horizon: { from: '2027-01-01', through: '2027-12-31' },
      unit: 'month',
      missing: 'leave_out',
    }),
  ),
  'POST /versions/{id}/forecast/preview': onPlan((service, path) =>
    service.api.post(`${path}/forecast/preview`, {
      history: { from: null, through: '2026-03-31' },
      horizon: { from: '2026-04-01', through: '2026-06-30' },
      unit: 'month',
      by: ['region'],
    }),
  ),
  'POST /versions/{id}/forecast/levels': onPlan((service, path) =>
    service.api.post(`${path}/forecast/levels`, {
      history: { through: '2026-03-31' },
      horizon: { from: '2026-04-01', through: '2026-06-30' },
      unit: 'month',
      by: ['region'],
    }),
  ),
  'GET /versions/{id}/segments': onPlan((service, path) => service.api.get(`${path}/segments`)),
  'POST /versions/{id}/reference': onPlan((service, path) =>
    service.api.post(`${path}/reference`, user),
  ),
  'POST /versions/{id}/slice': onPlan((service, path) =>
    service.api.post(`${path}/slice`, { slice: { region: [null, 'North'], x: 1 } }),
  ),
  'POST /versions/{id}/slices': onPlan((service, path) =>
    service.api.post(`${path}/slices`, { slices: [{ region: [null, 'North'], x: 1 }, {}] }),
  ),
  'GET /versions/{id}/locks': onPlan(async (service, path) => {
    await service.api.post(`${path}/locks`, { ...user, slice: { region: 'North' }, note: 'x' });
    return service.api.get(`${path}/locks`);
  }),
  'POST /versions/{id}/locks': onPlan((service, path) =>
    service.api.post(`${path}/locks`, { ...user, slice: {} }),
  ),
  'DELETE /locks/{id}': onPlan(async (service, path) => {
    const { id } = (await service.api.post(`${path}/locks`, { ...user, slice: {} })).body;
    return service.api.del(`/locks/${id}`);
  }),
  'GET /versions/{id}/comments': onPlan(async (service, path) => {
    await commentOn(service, path);
    return service.api.get(`${path}/comments`);
  }),
  'POST /versions/{id}/comments': onPlan(commentOn),
  'PATCH /comments/{id}': onPlan(async (service, path) => {
    const { id } = (await commentOn(service, path)).body;
    return service.api.patch(`/comments/${id}`, { ...user, text: '@bea', resolved: true });
  }),
  'DELETE /comments/{id}': onPlan(async (service, path) => {
    const { id } = (await commentOn(service, path)).body;
    return service.api.send(`/comments/${id}`, {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(user),
    });
  }),
  'GET /comments/mentions': onPlan(async (service, path) => {
    await commentOn(service, path);
    return service.api.get('/comments/mentions?user=ann');
  }),
  'GET /versions/{id}/alerts': onPlan(async (service, path) => {
    await alerted(service, path);
    return service.api.get(`${path}/alerts`);
  }),
  'POST /versions/{id}/alerts': onPlan((service, path) => alert(service, path)),
  'PATCH /alerts/{id}': onPlan(async (service, path) => {
    const { id } = (await alert(service, path)).body;
    const condition = { operator: 'outside', from: 0, to: 9.5 };
    return service.api.patch(`/alerts/${id}`, { ...user, condition });
  }),
  'DELETE /alerts/{id}': onPlan(async (service, path) =>
    service.api.send(`/alerts/${(await alert(service, path)).body.id}`, {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(user),
    }),
  ),
  'GET /alerts/{id}/groups': onPlan(async (service, path) =>
    service.api.get(`/alerts/${await alerted(service, path)}/groups`),
  ),
  'GET /alerts/own': onPlan(async (service, path) => {
    await alerted(service, path);
    return service.api.get('/alerts/own?user=ann');
  }),
  'GET /versions/{id}/reviews': onPlan(async (service, path) => {
    await reviewed(service, path, ['submit', 'approve', 'reopen']);
    return service.api.get(`${path}/reviews`);
  }),
  'POST /versions/{id}/reviews': onPlan((service, path) => review(service, path)),
  'PATCH /reviews/{id}': onPlan(async (service, path) => {
    const { id } = (await review(service, path)).body;
    return service.api.patch(`/reviews/${id}`, { ...user, due: null, comment: 'Later' });
  }),
  'DELETE /reviews/{id}': onPlan(async (service, path) => {
    const { id } = (await review(service, path)).body;
    return service.api.send(`/reviews/${id}`, {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(user),
    });
  }),
  'POST /reviews/{id}/submit': onPlan((service, path) => reviewed(service, path, ['submit'])),
  'POST /reviews/{id}/return': onPlan((service, path) =>
    reviewed(service, path, ['submit', 'return']),
  ),
  'POST /reviews/{id}/approve': onPlan((service, path) =>
    reviewed(service, path, ['submit', 'approve']),
  ),
  'POST /reviews/{id}/reopen': onPlan((service, path) =>
    reviewed(service, path, ['submit', 'approve', 'reopen']),
  ),
  'GET /reviews/waiting': onPlan(async (service, path) => {
    await reviewed(service, path, ['submit']);
    return service.api.get('/reviews/waiting?user=rosa');
  }),
  'POST /versions/{id}/actuals': onPlan((service, path) =>
    service.api.post(`${path}/actuals`, { ...user, through: '2027-12-31' }),
  ),
  'POST /versions/{id}/actuals/preview': onPlan((service, path) =>
    service.api.post(`${path}/actuals/preview`, { through: '2027-12-31' }),
  ),
  'POST /versions/{id}/refresh': onPlan((service, path) =>
    service.api.post(`${path}/refresh`, user),
  ),
  'POST /versions/{id}/refresh/preview': onPlan((service, path) =>
    service.api.post(`${path}/refresh/preview`, {}),
  ),
  'POST /versions/{id}/import': onPlan((service, path) =>
    service.api.post(`${path}/import`, {
      ...user,
      file: { name: 'plan.xlsx', sha256: '0'.repeat(64) },
      edits: [{ slice: {}, value_incr: 1 }],
    }),
  ),
  'POST /versions/{id}/import/preview': onPlan((service, path) =>
    service.api.post(`${path}/import/preview`, {
      edits: [{ slice: {}, value_incr: 1 }],
      since: 0,
    }),
  ),
  'POST /versions/{id}/scale': onPlan((service, path) =>
    service.api.post(`${path}/scale`, { ...user, slice: {}, pct: 1 }),
  ),
  'POST /versions/{id}/recode': onPlan((service, path) =>
    service.api.post(`${path}/recode`, { ...user, slice: {}, set: { region: 'x' } }),
  ),
  'POST /versions/{id}/clone': onPlan((service, path) =>
    service.api.post(`${path}/clone`, { ...user, slice: {}, set: {} }),
  ),
  'POST /versions/{id}/scale/preview': onPlan((service, path) =>
    service.api.post(`${path}/scale/preview`, {
      ...user,
      edits: [{ slice: {}, pct: 1 }],
      hold: [{ region: 'North' }],
    }),
  ),
  'POST /versions/{id}/recode/preview': onPlan((service, path) =>
    service.api.post(`${path}/recode/preview`, { ...user, slice: {}, set: { region: 'x' } }),
  ),
  'POST /versions/{id}/preview': onPlan((service, path) =>
    service.api.post(`${path}/preview`, {
      ...user,
      operations: [{ operation: 'scale', slice: {}, pct: 10 }],
    }),
  ),
  'POST /versions/{id}/clone/preview': onPlan((service, path) =>
    service.api.post(`${path}/clone/preview`, { ...user, slice: {}, set: {} }),
  ),
  'GET /versions/{id}/log': onPlan(async (service, path) => {
    await service.api.post(`${path}/scale`, { ...user, slice: { region: 'North' }, pct: 1 });
    return service.api.get(`${path}/log`);
  }),
  'GET /versions/{id}/totals': onPlan((service, path) => service.api.get(`${path}/totals`)),
  'GET /versions/{id}/accuracy': onPlan(async (service, path) => {
    await service.api.post(`${path}/actuals`, { ...user, through: '2027-12-31' });
    return service.api.get(`${path}/accuracy?by=region&lag=0`);
  }),
  'POST /versions/{id}/explain': onPlan((service, path) =>
    service.api.post(`${path}/explain`, { slice: { region: 'North' } }),
  ),
  'POST /versions/{id}/rows': onPlan((service, path) =>
    service.api.post(`${path}/rows`, { slice: { region: 'North' } }),
  ),
  'GET /versions/{id}/undone': onPlan(async (service, path, logid) => {
    await service.api.del(`/log/${logid}`);
    return service.api.get(`${path}/undone`);
  }),
  'POST /versions/{id}/redo/{logid}': onPlan(async (service, path, logid) => {
    await service.api.del(`/log/${logid}`);
    return service.api.post(`${path}/redo/${logid}`, user);
  }),
  'GET /log/{logid}/entry': onPlan((service, _, logid) => service.api.get(`/log/${logid}/entry`)),
  'PATCH /log/{logid}': onPlan((service, _, logid) =>
    service.api.patch(`/log/${logid}`, { note: 'x' }),
  ),
  'POST /log/{logid}/reverse': onPlan((service, _, logid) =>
    service.api.post(`/log/${logid}/reverse`, user),
  ),
  'POST /log/{logid}/reverse/preview': onPlan((service, _, logid) =>
    service.api.post(`/log/${logid}/reverse/preview`, user),
  ),
  'DELETE /log/{logid}': onPlan((service, _, logid) => service.api.del(`/log/${logid}`)),
};

function onPlan(request: (service: Service, path: string, logid: number) => Promise<Answer>) {
  return async (service: Service, sourceId: number) => {
    const { path, baseline } = await makePlan(service, sourceId);
    return request(service, path, baseline);
  };
}

const makeView = ({ api }: Service, sourceId: number, name: string) =>
  api.post(`/sources/${sourceId}/views`, { name, layout: { group_by: ['region'] }, ...user });

const makeFormula = ({ api }: Service, sourceId: number, name: string) =>
  api.post(`/sources/${sourceId}/formulas`, {
    ...{ name, expression: '2 * 3', format: { style: 'percent', decimals: 0 } },
    ...user,
  });

let lookups = 0;

/** Joins a new table with the region. */
async function makeLookup({ api, query }: Service, sourceId: number): Promise<Answer> {
  const tname = `regions_${(lookups += 1)}`;
  await query(`CREATE TABLE public.${tname} (code text PRIMARY KEY, "Zone ${lookups}" text)`);
  return api.post(`/sources/${sourceId}/lookups`, {
    ...{ name: tname, schema: 'public', tname, ...user },
    keys: [{ column: 'region', from: 'code' }],
    attributes: [{ cname: `Zone ${lookups}`, order_by: 'code' }],
  });
}

const makeProfile = ({ api }: Service, sourceId: number, name: string) =>
  api.post(`/sources/${sourceId}/profiles`, { name, weights: Array(12).fill(1), ...user });

async function grain(service: Service, sourceId: number, in_grain: boolean) {
  await service.api.put(`/sources/${sourceId}/columns`, [{ cname: 'region', in_grain }]);
  await service.api.post(`/sources/${sourceId}/sql`);
}
