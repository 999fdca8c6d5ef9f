import { expect, it } from 'vitest';
import type { ForecastColumn } from '../columns';
import { scaleTemplate } from './scale';
import { columnsOfScale } from './stored';

const column = (name: string, role: ForecastColumn['role'], typeName = 'text'): ForecastColumn => ({
  name,
  role,
  isKey: false,
  inGrain: false,
  dimGroup: null,
  periodColumn: null,
  source: {
    declared: typeName,
    base: typeName,
    name: typeName,
    isEnum: false,
    scale: null,
    comparable: true,
  },
  type: typeName,
});

const LEAVES = [column('Order Date', 'date', 'date'), column('a"b, (c),\n pf_iter', 'dimension')];
const VALUE = column('Sales', 'value', 'numeric');
const UNITS = column('select', 'units', 'bigint');

it.each([
  ['value and units', [...LEAVES, UNITS, VALUE]],
  ['value alone', [...LEAVES, VALUE]],
  ['units alone', [UNITS, ...LEAVES]],
  ['neither', LEAVES],
  ['a grain', [{ ...LEAVES[0]!, inGrain: true }, LEAVES[1]!, VALUE]],
])('tells what a generated template works with: %s', (_, columns) => {
  const uses = columns.map(({ name, role }) => [
    name,
    role === 'value' || role === 'units' ? role : 'leaf',
  ]);
  expect(columnsOfScale(scaleTemplate(columns))).toEqual(
    new Map(uses as [string, 'leaf' | 'value' | 'units'][]),
  );
});

it('knows nothing of a template that someone else wrote', () => {
  expect(columnsOfScale('INSERT INTO pf.fc_x (a, b) SELECT 1, 2')).toBeUndefined();
});
