import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES } from '../../src/lib/contract/me';
import { caddyIsInstalled, passwordOf, startCaddy, type Caddy } from '../support/caddy';
import { openEvents } from '../support/events';
import { apiAt, sendAsIs, type Api } from '../support/http';
import { plan, type Planned } from '../support/planned';
import { startService, type Service } from '../support/service';

describe.runIf(caddyIsInstalled())(
  'Behind the proxy of docs/operating.md, if Caddy is installed',
  () => {
    let service: Service;
    let caddy: Caddy;
    let v: Planned;
    const as = (name: string): Api => apiAt(caddy.url, passwordOf(name));
    beforeAll(async () => {
      service = await startService('service', {
        HOST: '127.0.0.1',
        PF_ALLOWED_HOSTS: 'plan.example.com',
        PF_USER_HEADER: 'X-Forwarded-User',
        PF_GROUPS_HEADER: 'X-Forwarded-Groups',
        PF_PLANNERS: 'planners',
        PF_ADMINS: 'admins',
      });
      caddy = await startCaddy(service.url, ['rita', 'ann', 'eve']);
      v = await plan(
        { ...service, api: as('eve') },
        [
          { name: 'Region', type: 'text', role: 'dimension' },
          { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
        ],
        [{ Region: 'A', Sales: 100 }],
      );
      expect((await as('ann').post(`${v.path}/baseline`)).status).toBe(200);
    });
    afterAll(async () => {
      await caddy?.stop();
      await service?.stop();
    });

    it('people sign in, and have the roles of their groups', async () => {
      expect((await fetch(caddy.url)).status).toBe(401);
      expect((await apiAt(caddy.url).get('/me')).status).toBe(401);
      const wrong = { authorization: `Basic ${Buffer.from('ann:eve').toString('base64')}` };
      expect((await apiAt(caddy.url, wrong).get('/me')).status).toBe(401);
      const roles = { rita: ['reader'], ann: ['reader', 'planner'], eve: [...ROLES] };
      for (const [user, has] of Object.entries(roles)) {
        expect((await as(user).get('/me')).body).toEqual({ user, roles: has });
      }
      const page = await fetch(`${caddy.url}${v.path}`, { headers: passwordOf('rita') });
      expect([page.status, (await page.text()).includes('<html')]).toEqual([200, true]);
    });

    it('pages are served only under the name set in docs/operating.md', async () => {
      const open = (host: string) =>
        sendAsIs(caddy.url, 'GET', v.path, { ...passwordOf('rita'), host });
      expect((await open('plan.example.com')).status).toBe(200);
      expect((await open('other.example.com')).status).toBe(421);
      const write = (origin: string) =>
        sendAsIs(
          caddy.url,
          'POST',
          `/api${v.path}/scale`,
          {
            ...passwordOf('ann'),
            ...{ host: 'plan.example.com', 'content-type': 'application/json', origin },
          },
          JSON.stringify({ slice: {}, pct: 10 }),
        );
      expect((await write('https://plan.example.com')).status).toBe(200);
      expect((await write('https://other.example.com')).status).toBe(403);
    });

    it('nobody can give themselves another name or group', async () => {
      for (const name of ['x-forwarded-user', 'X-Forwarded-User', 'X-FORWARDED-USER']) {
        const forged = { ...passwordOf('rita'), [name]: 'eve', 'X-Forwarded-Groups': 'admins' };
        expect((await apiAt(caddy.url, forged).get('/me')).body).toEqual({
          user: 'rita',
          roles: ['reader'],
        });
      }
    });

    it('writes are recorded under the name, and accepted only from the site itself', async () => {
      const write = (origin: string) =>
        as('ann').send(`${v.path}/scale`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin },
          body: JSON.stringify({ slice: {}, pct: 10 }),
        });
      expect((await write(caddy.url)).status).toBe(200);
      expect((await write('http://evil.example.com')).status).toBe(403);
      expect((await as('rita').post(`${v.path}/scale`, { slice: {}, pct: 10 })).status).toBe(403);
      const [entry] = (await as('rita').get(`${v.path}/log`)).body.entries;
      expect(entry).toMatchObject({ operation: 'scale', pf_user: 'ann' });
    });

    it('a group has the rows of its territory, and nobody can claim to be in it', async () => {
      const { path, sourceId } = await plan(
        { ...service, api: as('eve') },
        [
          { name: 'Region', type: 'text', role: 'dimension' },
          { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
        ],
        [
          { Region: 'A', Sales: 100 },
          { Region: 'B', Sales: 20 },
        ],
      );
      expect((await as('eve').post(`${path}/baseline`)).status).toBe(200);
      const given = { member: 'planners', read: { Region: 'A' }, write: { Region: 'A' } };
      const territories = `/sources/${sourceId}/territories`;
      expect((await as('eve').post(territories, given)).status).toBe(201);
      const value = async (api: Api) => (await api.get(`${path}/totals`)).body.plan?.value_total;
      expect([await value(as('eve')), await value(as('ann'))]).toEqual([120, 100]);
      const claimed = { ...passwordOf('rita'), 'X-Forwarded-Groups': 'planners' };
      for (const api of [as('rita'), apiAt(caddy.url, claimed)]) {
        expect((await api.get(`${path}/totals`)).status).toBe(404);
      }
    });

    it('changes by others arrive while the stream is open', async () => {
      const stream = await openEvents(caddy.url, v.path, passwordOf('rita'));
      expect((await as('ann').post(`${v.path}/scale`, { slice: {}, pct: 10 })).status).toBe(200);
      // With a buffering proxy, this would not arrive.
      const [event] = await stream.events(1);
      expect(event).toMatchObject({ event: 'written', data: { pf_user: 'ann' } });
    });
  },
);
