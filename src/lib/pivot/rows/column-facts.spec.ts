import type { Vector } from 'apache-arrow';
import {
  Bool,
  DateDay,
  Dictionary,
  Int32,
  makeData,
  makeVector,
  Table,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { columnsIn } from './arrow-columns';
import { columnFacts } from './column-facts';

const text = new Dictionary(new Utf8(), new Int32());
const columnsOf = (columns: Record<string, Vector>) =>
  columnsIn(tableToIPC(new Table(columns), 'stream').slice().buffer);
const factsOf = (column: Vector) => columnFacts(columnsOf({ column }), ['column']).get('column');

describe('facts about a text column', () => {
  it('include its values, the empty one last', () => {
    const region = vectorFromArray(['West', null, 'East', 'West', ''], text);
    expect(factsOf(region)).toEqual({
      distinct: 4,
      months: 0,
      texts: ['West', 'East', '', null],
    });
  });

  it('omit the values if there are many', () => {
    const names = Array.from({ length: 30 }, (_, i) => `Name ${i}`);
    expect(factsOf(vectorFromArray(names, text))).toEqual({
      distinct: 30,
      months: 0,
      texts: null,
    });
  });

  it('are also counted without a dictionary', () => {
    const key = vectorFromArray(['a', 'b', 'a', null], new Utf8());
    expect(factsOf(key)).toEqual({ distinct: 3, months: 0, texts: null });
  });
});

it('counts the months of a date column, also before 1970', () => {
  const days = ['1969-12-31', '1970-01-01', '1970-01-31', '2027-01-15'];
  const day = vectorFromArray(
    [...days.map((text) => new Date(Date.parse(text))), null],
    new DateDay(),
  );
  expect(factsOf(day)).toEqual({ distinct: 5, months: 3, texts: null });
});

it('accepts days beyond the range of JavaScript dates', () => {
  const data = makeData({ type: new DateDay(), data: new Int32Array([2_000_000_000]) });
  expect(factsOf(makeVector(data))).toMatchObject({ distinct: 1 });
});

it('counts numbers and booleans, and skips columns that are not loaded', () => {
  const columns = columnsOf({
    year: vectorFromArray([2027, 2028, 2027, null], new Int32()),
    open: vectorFromArray([true, false, null, true], new Bool()),
  });
  const facts = columnFacts(columns, ['year', 'open', 'gone']);
  expect([...facts].map(([name, { distinct }]) => [name, distinct])).toEqual([
    ['year', 3],
    ['open', 3],
  ]);
});

it('stops counting at the limit', () => {
  const ids = makeVector(Float64Array.from({ length: 30_000 }, (_, i) => i));
  expect(factsOf(ids)?.distinct).toBe(20_000);
});
