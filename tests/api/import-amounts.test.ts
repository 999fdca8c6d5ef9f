import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { bytes } from '../support/planned';
import { planned, JANUARY, type Row, ROWS, row, COLUMNS } from '../support/imports';

describe('a preview of an import', () => {
  it('answers each cell as it is, and what later entries added to it', async ({ service }) => {
    const made = await planned(service);
    const [{ id: since }] = await made.entries();
    await service.api.post(`${made.path}/scale`, {
      slice: { Region: 'East' },
      value_incr: 7.25,
      pf_user: 'eve',
    });
    await service.api.post(`${made.path}/scale`, {
      ...{ slice: { Region: 'East', 'Order Date': JANUARY }, value_incr: 1, pf_user: 'eve' },
    });
    const edits = ['East', 'West', 'North'].map((Region) => ({
      ...{ slice: { Region }, value_total: 1 },
    }));
    const before = await bytes(service, made);
    const { cells } = await made.preview(edits, since);
    const [east, west] = [
      await made.sums(`"Region" = 'East'`),
      await made.sums(`"Region" = 'West'`),
    ];
    expect(cells.map((c: Row) => [c.value_total, c.units_total, c.refusal])).toEqual([
      [Number(east?.sales), east?.units, null],
      [Number(west?.sales), west?.units, null],
      [0, 0, 'no_rows'],
    ]);
    const amounts = (cell: { entries: Row[] }) => cell.entries.map((e) => [e.logid, e.value_total]);
    expect(cells.map(amounts)).toEqual([
      [
        [since + 1, 7.25],
        [since + 2, 1],
      ],
      [],
      [],
    ]);
    expect(await bytes(service, made)).toEqual(before);
  });
});

describe('the amounts', () => {
  it('of doubles add up to the total', async ({ service }) => {
    const columns = COLUMNS.map((c) =>
      c.role === 'value' ? { ...c, type: 'double precision' } : c,
    );
    const made = await planned(service, ROWS, columns);
    await made.imports([{ slice: { Region: 'East' }, value_total: 0.1 }]);
    expect(Number(((await made.sums(`"Region" = 'East'`)) as Row).sales)).toBeCloseTo(0.1, 12);
  });

  it('of a numeric without a scale keep the decimals that were sent', async ({ service }) => {
    const columns = COLUMNS.map((c) => (c.role === 'value' ? { ...c, type: 'numeric' } : c));
    const made = await planned(service, ROWS, columns);
    await made.imports([{ slice: { Region: 'East' }, value_total: 1000.12345 }]);
    expect(await made.sums(`"Region" = 'East'`)).toMatchObject({ sales: '1000.12345' });
  });

  it(
    'of cells with other lists of values in each are exact',
    { timeout: 300_000 },
    async ({ service }) => {
      const rows = Array.from({ length: 8000 }, (_, i) =>
        row(`R${i % 4000}`, i < 4000 ? 'A' : 'B', 1, i + 0.5, i),
      );
      const made = await planned(service, rows);
      const edits = Array.from({ length: 2000 }, (_, i) => ({
        slice: { Region: [`R${2 * i}`, `R${2 * i + 1}`, `R${2 * i}`], Product: ['A', 'B', 'C'] },
        value_total: 2 * i + 0.01,
      }));
      const answer = await made.imports(edits);
      expect([answer.status, answer.body.error]).toEqual([200, undefined]);
      const wrong = await service.query(
        `SELECT substr("Region", 2)::int / 2 AS i, sum("Sales") FROM ${made.table} GROUP BY 1
       HAVING sum("Sales") <> 2 * (substr(min("Region"), 2)::int / 2) + 0.01`,
      );
      expect(wrong).toEqual([]);
      const withNull = edits.slice(0, 201).map(({ slice }, i) => ({
        slice: { ...slice, Region: [null, `R${i}`] },
        units_total: 1,
      }));
      expect(await made.refused(withNull, 400)).toMatchObject({
        error: expect.stringMatching(/^edits: .* more than 200 different combinations/),
        field: 'edits',
      });
    },
  );

  it(
    'of 20,000 cells are exact, written by one entry and undone',
    { timeout: 300_000 },
    async ({ service }) => {
      const rows = Array.from({ length: 20_000 }, (_, i) =>
        row(
          `R${i % 5000}`,
          ['A', 'B', 'C', 'D'][Math.floor(i / 5000)] ?? '',
          1 + (i % 9),
          i + 0.5,
          i,
        ),
      );
      const made = await planned(service, rows);
      const edits = rows.map(({ Region, Product }, i) => ({
        slice: { Region, Product, 'Order Date': { from: '2027-01-01', to: '2027-12-31' } },
        value_total: 2 * i + 0.01,
      }));
      const answer = await made.imports(edits);
      expect([answer.status, answer.body.error]).toEqual([200, undefined]);
      const wrong = await service.query(
        `SELECT "Region", "Product", sum("Sales") FROM ${made.table} GROUP BY 1, 2
       HAVING sum("Sales") <> 2 * (substr("Region", 2)::int + 5000 * (ascii("Product") - 65)) + 0.01`,
      );
      expect(wrong).toEqual([]);
      const [entry] = await made.entries();
      expect(entry).toMatchObject({ operation: 'import', row_count: 20_000 });
      expect((await service.api.del(`/log/${entry.id}`)).status).toBe(200);
      expect(await made.sums('TRUE')).toEqual({ sales: '200000000.00', units: 199_990_000 });
      expect(await made.refused([...edits, edits[0]], 400)).toEqual({
        error: 'edits: must be at most 20000',
        field: 'edits',
      });
    },
  );
});
