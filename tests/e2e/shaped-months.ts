import type { Service } from '../support/service';

/** Amounts by month, and the entries that change them, for tests of shapes. */

export const TABLE = 'pf.fc_superstore_1';
export const YEAR = `"Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`;
export const CHAIRS = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };

/** Returns the cents of the plan or of the reference of the chairs, by month of 2028. */
export async function months(service: Service, where = `pf_iter <> 'reference'`) {
  const rows = await service.query(
    `SELECT extract(month FROM "Order Date")::int AS month, (100 * sum("Sales"))::bigint::text AS cents
       FROM ${TABLE} WHERE "Sub-Category" = 'Chairs' AND ${YEAR} AND ${where} GROUP BY 1 ORDER BY 1`,
  );
  return rows.map((row) => {
    const { month, cents } = row as { month: number; cents: string };
    return [month, BigInt(cents)] as const;
  });
}

/** Parts cents by weights: the differences of rounded running sums. */
export function parted(cents: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((a, b) => a + b, 0n);
  let [running, before] = [0n, 0n];
  return weights.map((weight) => {
    running += weight;
    const upTo = (2n * cents * running + sum) / (2n * sum);
    const part = upTo - before;
    before = upTo;
    return part;
  });
}

/** Returns the parameters of the newest scale. */
export const lastScale = async (service: Service) => {
  const [entry] = await service.query(
    `SELECT params FROM pf.log WHERE operation = 'scale' ORDER BY id DESC LIMIT 1`,
  );
  return (entry as { params: Record<string, unknown> } | undefined)?.params;
};
