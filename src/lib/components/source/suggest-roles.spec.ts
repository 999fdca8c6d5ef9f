import { describe, expect, it } from 'vitest';
import { suggestRoles, type SuggestInput } from './suggest-roles';

const column = (cname: string, type: string | null, samples: unknown[] = []): SuggestInput => ({
  cname,
  type,
  samples,
});
const roleOf = (cname: string, type: string | null, samples: unknown[] = []) =>
  suggestRoles([column(cname, type, samples)]).get(cname);
const few = Array.from({ length: 40 }, (_, i) => `v${i % 4}`);
const unique = Array.from({ length: 40 }, (_, i) => `v${i}`);

describe('suggestRoles', () => {
  it('assigns the roles of an order book', () => {
    const roles = suggestRoles([
      column('Row ID', 'integer'),
      column('Order ID', 'text', unique),
      column('Order Date', 'date'),
      column('Ship Date', 'date'),
      column('Segment', 'text', few),
      column('Postal Code', 'integer'),
      column('Sub-Category', 'text', few),
      column('Product Name', 'text', unique),
      column('Sales', 'numeric(12,4)'),
      column('Quantity', 'integer'),
      column('Discount', 'numeric(4,2)'),
      column('Profit', 'double precision'),
    ]);
    expect(Object.fromEntries(roles)).toEqual({
      'Row ID': 'filter',
      'Order ID': 'filter',
      'Order Date': 'date',
      'Ship Date': 'date',
      Segment: 'dimension',
      'Postal Code': 'dimension',
      'Sub-Category': 'dimension',
      'Product Name': 'filter',
      Sales: 'value',
      Quantity: 'units',
      Discount: 'ignore',
      Profit: 'measure',
    });
  });

  it('assigns value and units to one column each, preferring the plainest name', () => {
    const roles = suggestRoles([
      column('net_total', 'numeric'),
      column('revenue', 'numeric'),
      column('qty_returned', 'integer'),
      column('quantity', 'integer'),
    ]);
    expect([...roles].filter(([, role]) => role === 'value')).toEqual([['revenue', 'value']]);
    expect([...roles].filter(([, role]) => role === 'units')).toEqual([['quantity', 'units']]);
  });

  it('does not suggest a price or a rate as a measure', () => {
    expect(roleOf('unit_price', 'numeric')).toBe('ignore');
    expect(roleOf('taxAmount', 'numeric')).toBe('ignore');
  });

  it('splits camel case, snake case and blanks into words', () => {
    for (const name of ['orderQty', 'order_qty', 'Order Qty']) {
      expect(roleOf(name, 'integer')).toBe('units');
    }
    expect(roleOf('Paid', 'text', few)).toBe('dimension');
  });

  it('leaves bookkeeping dates out of the plan', () => {
    expect(roleOf('created_at', 'timestamp with time zone')).toBe('filter');
    expect(roleOf('due', 'timestamp without time zone')).toBe('date');
  });

  it('ignores columns that the service cannot use: reserved names, lost columns, structured types', () => {
    expect(roleOf('pf_id', 'bigint')).toBe('ignore');
    expect(roleOf('gone', null)).toBe('ignore');
    expect(roleOf('payload', 'json')).toBe('ignore');
    expect(roleOf('payload', 'jsonb')).toBe('ignore');
    expect(roleOf('tags', 'text[]')).toBe('ignore');
  });

  it('considers repetition only with enough rows', () => {
    expect(roleOf('customer', 'text', unique.slice(0, 5))).toBe('dimension');
    expect(roleOf('customer', 'text', unique)).toBe('filter');
  });

  const D = 'date';
  const T = 'text';
  const I = 'integer';
  const N = 'numeric';
  const F = 'double precision';
  it.each<[string, Record<string, string>, value: string | null, units: string | null]>([
    [
      'superstore',
      {
        'Row ID': I,
        'Order Date': D,
        'Postal Code': I,
        Sales: N,
        Quantity: I,
        Discount: N,
        Profit: N,
      },
      'Sales',
      'Quantity',
    ],
    [
      'invoices of a shop',
      {
        InvoiceNo: T,
        StockCode: T,
        Quantity: I,
        InvoiceDate: 'timestamp',
        UnitPrice: N,
        CustomerID: I,
      },
      null,
      'Quantity',
    ],
    [
      'order lines in capitals',
      {
        ...{ ORDERNUMBER: I, QUANTITYORDERED: I, PRICEEACH: N, ORDERLINENUMBER: I, SALES: N },
        ...{ ORDERDATE: D, STATUS: T, QTR_ID: I, MONTH_ID: I, YEAR_ID: I, PRODUCTLINE: T, MSRP: I },
      },
      'SALES',
      'QUANTITYORDERED',
    ],
    [
      'receipts of a supermarket',
      {
        ...{ 'Invoice ID': T, Branch: T, 'Unit price': N, Quantity: I, 'Tax 5%': N, Total: N },
        ...{ Date: D, cogs: N, 'gross margin percentage': N, 'gross income': N, Rating: N },
      },
      'Total',
      'Quantity',
    ],
    [
      'retail transactions',
      {
        ...{ 'Transaction ID': I, Date: D, Gender: T, Age: I, Quantity: I },
        ...{ 'Price per Unit': I, 'Total Amount': I },
      },
      'Total Amount',
      'Quantity',
    ],
    [
      'a total price',
      { order_date: D, qty: I, total_price: N, unit_price: N },
      'total_price',
      'qty',
    ],
    [
      'total quantities',
      { day: D, total_quantity: I, net_amount: N },
      'net_amount',
      'total_quantity',
    ],
    [
      'weekly sales of stores',
      { Store: I, Dept: I, Date: D, Weekly_Sales: F, IsHoliday: 'boolean', Temperature: F, CPI: F },
      'Weekly_Sales',
      null,
    ],
    ['daily sales of items', { date: D, store: I, item: I, sales: I }, 'sales', null],
    [
      'sales of drug stores',
      { Store: I, DayOfWeek: I, Date: D, Sales: I, Customers: I },
      'Sales',
      'Customers',
    ],
    [
      'games',
      { Rank: I, Name: T, Year: F, NA_Sales: F, EU_Sales: F, Global_Sales: F },
      'Global_Sales',
      null,
    ],
    [
      'a financial sample',
      {
        ...{
          Segment: T,
          'Units Sold': N,
          'Sale Price': N,
          'Gross Sales': N,
          Discounts: N,
          Sales: N,
        },
        ...{ COGS: N, Profit: N, Date: D, 'Month Number': I, Year: I },
      },
      'Sales',
      'Units Sold',
    ],
    [
      'a star schema',
      {
        ...{ ProductKey: I, OrderDateKey: I, SalesTerritoryKey: I, OrderQuantity: I, UnitPrice: N },
        ...{ DiscountAmount: F, SalesAmount: N, TaxAmt: N },
      },
      'SalesAmount',
      'OrderQuantity',
    ],
    ['hourly load', { Datetime: 'timestamp without time zone', EKPC_MW: F }, 'EKPC_MW', null],
    [
      'energy of a country',
      { Date: D, Consumption: F, Wind: F, Solar: F, 'Wind+Solar': F },
      'Consumption',
      null,
    ],
    ['advertising', { month: D, channel: T, spend: N }, 'spend', null],
    ['campaigns', { day: D, campaign: T, impressions: I, clicks: I, spend: N }, 'spend', null],
    ['jobs', { month: D, industry: T, headcount_thousands: N }, 'headcount_thousands', null],
    ['payroll', { month: D, dept: T, fte: N, salary: N }, 'salary', 'fte'],
    ['a share', { month: D, region: T, perc: N }, 'perc', null],
    ['a rate', { DATE: D, unemployment_rate: N }, 'unemployment_rate', null],
    [
      'a budget',
      { 'Fund Code': T, Department: T, Account: T, Budget: N, Variance: N },
      'Budget',
      null,
    ],
    ['a ledger', { posted: D, account: I, memo: T, gl_amt: N }, 'gl_amt', null],
    ['travellers', { Month: D, '#Passengers': I }, '#Passengers', null],
    ['a name nobody knows', { day: D, shop: I, xyz: N }, 'xyz', null],
    ['decimals among counts', { day: D, floors: I, rooms: I, xyz: N }, 'xyz', null],
    ['several names nobody knows', { day: D, AEP: F, DAYTON: F }, null, null],
    ['places', { name: T, lat: F, lon: F }, null, null],
    ['German order lines', { Datum: D, Menge: I, Umsatz: N }, 'Umsatz', 'Menge'],
  ])('finds the amounts of %s', (_, columns, value, units) => {
    const roles = suggestRoles(Object.entries(columns).map(([cname, type]) => column(cname, type)));
    const holder = (role: string) => [...roles].find(([, r]) => r === role)?.[0] ?? null;
    expect({ value: holder('value'), units: holder('units') }).toEqual({ value, units });
  });

  it.each<[string, Record<string, string>, measures: string[]]>([
    ['costs and profit', { day: D, Sales: N, cost: N, Profit: N, hours: I }, ['cost', 'Profit']],
    [
      'discounts and taxes in money',
      { Sales: N, DiscountAmount: N, TaxAmt: N, Discounts: N },
      ['DiscountAmount', 'TaxAmt', 'Discounts'],
    ],
    [
      'a margin in money',
      { Sales: N, margin_amount: N, margin_pct: N, margin: N },
      ['margin_amount'],
    ],
    [
      'prices and shares',
      { Sales: N, Discount: N, 'Unit price': N, tax: N, 'price amount': N, 'tax rate amount': N },
      [],
    ],
    ['keys and codes', { Sales: N, 'Row ID': I, 'Postal Code': I, store: I, Year: I, Age: I }, []],
    [
      'clicks of campaigns',
      { day: D, impressions: I, clicks: I, spend: N },
      ['impressions', 'clicks'],
    ],
    ['a table without value and units', { day: D, AEP: F, DAYTON: F }, []],
  ])('finds the further measures of %s', (_, columns, measures) => {
    const roles = suggestRoles(Object.entries(columns).map(([cname, type]) => column(cname, type)));
    expect([...roles].flatMap(([name, role]) => (role === 'measure' ? name : []))).toEqual(
      measures,
    );
  });

  it('suggests no further measure for whole numbers that hardly repeat, nor for 0 and 1', () => {
    const of = (type: string, samples: unknown[]) =>
      suggestRoles([column('Sales', N), column('xyz', type, samples)]).get('xyz');
    const numbers = Array.from({ length: 40 }, (_, i) => 1000 + i);
    expect(of(I, numbers)).toBe('ignore');
    expect(of(N, numbers)).toBe('measure');
    expect(
      of(
        I,
        numbers.map((n) => n % 7),
      ),
    ).toBe('measure');
    expect(of(I, [0, 1, 1, null, 0])).toBe('ignore');
  });

  it('suggests numbers of stores and departments as dimensions, and treats numbers with glued names as identifiers', () => {
    expect(roleOf('Store', I)).toBe('dimension');
    expect(roleOf('store_nbr', I)).toBe('dimension');
    expect(roleOf('ORDERNUMBER', I)).toBe('filter');
    expect(roleOf('customerid', I)).toBe('filter');
    expect(roleOf('PRODUCTCODE', T, few)).toBe('dimension');
    expect(roleOf('Paid', T, few)).toBe('dimension');
  });
});
