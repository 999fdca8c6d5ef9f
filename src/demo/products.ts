/** The products of the sample: a table beside the orders, which the demo joins as a lookup. */
import type { CreateLookupRequest } from '../lib/contract/lookups';
import { call } from './sample';

/** Families in the order of the range, each with its manager and its sub-categories. */
const FAMILIES: readonly { family: string; manager: string; products: readonly string[] }[] = [
  { family: 'Seating and desks', manager: 'Dora', products: ['Chairs', 'Tables'] },
  { family: 'Room', manager: 'Dora', products: ['Bookcases', 'Furnishings', 'Storage'] },
  { family: 'Paper', manager: 'Emil', products: ['Envelopes', 'Labels', 'Paper'] },
  {
    family: 'Desk supplies',
    manager: 'Emil',
    products: ['Art', 'Binders', 'Fasteners', 'Supplies'],
  },
  { family: 'Devices', manager: 'Farah', products: ['Accessories', 'Phones'] },
  { family: 'Machines', manager: 'Farah', products: ['Appliances', 'Copiers', 'Machines'] },
];

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The statements that make public.products: a row for each sub-category of the orders. */
export const PRODUCTS_SQL = `
  CREATE TABLE public.products (
    sub_category text PRIMARY KEY,
    family text NOT NULL,
    family_number integer NOT NULL,
    manager text NOT NULL
  );
  INSERT INTO public.products VALUES ${FAMILIES.flatMap(({ family, manager, products }, i) =>
    products.map(
      (product) => `(${[product, family].map(literal).join(', ')}, ${i + 1}, ${literal(manager)})`,
    ),
  ).join(', ')};
  ANALYZE public.products;`;

/** Joins public.products with the sample's source: family, in the order of the range, and manager. */
export const joinProducts = (url: string, sourceId: number): Promise<unknown> =>
  call(url, 'POST', `/api/sources/${sourceId}/lookups`, {
    name: 'Products',
    schema: 'public',
    tname: 'products',
    keys: [{ column: 'Sub-Category', from: 'sub_category' }],
    attributes: [
      { cname: 'family', label: 'Family', order_by: 'family_number' },
      { cname: 'manager', label: 'Manager' },
    ],
    pf_user: 'Ann',
  } satisfies CreateLookupRequest);
