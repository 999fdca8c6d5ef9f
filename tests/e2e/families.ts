import { expect } from '../support/e2e';
import type { Service } from '../support/service';

/** A lookup of families of sub-categories, and their sales in the demo's version. */

const TABLE = 'pf.fc_superstore_1';

/** Families of some sub-categories: Tables have none, and Art is not in the table. */
const FAMILIES = `SELECT sub, family, rank FROM (VALUES
  ('Chairs', 'Seating', 2), ('Bookcases', 'Storage', 1), ('Storage', 'Storage', 1),
  ('Tables', NULL, NULL), ('Phones', 'Devices', 3), ('Copiers', 'Devices', 3)) f(sub, family, rank)`;

/** Registers the lookup of families, sorted by rank. */
export async function addFamilies(service: Service) {
  await service.query(`CREATE TABLE public.families AS ${FAMILIES}`);
  const added = await service.api.post('/sources/1/lookups', {
    ...{ name: 'Families', schema: 'public', tname: 'families', pf_user: 'ana' },
    keys: [{ column: 'Sub-Category', from: 'sub' }],
    attributes: [{ cname: 'family', label: 'Family', order_by: 'rank' }],
  });
  expect(added.status, JSON.stringify(added.body)).toBe(201);
}

export const ofFamily = (family: string | null) =>
  `"Sub-Category" IN (SELECT sub FROM public.families WHERE family = '${family}')`;

/** The sales of 2028 in the rows that match a condition. */
export async function sales(service: Service, where: string): Promise<number> {
  const [row] = await service.query<{ sales: number }>(
    `SELECT sum("Sales")::float8 AS sales FROM ${TABLE}
      WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31' AND ${where}`,
  );
  return row?.sales ?? NaN;
}
