import { describe, expect, it } from 'vitest';
import { numbersIn } from './announced/compare';
import { expectedOf } from './announced/typed';
import { randomAnnouncedRound } from './announced/round';
import { sliceSql } from './announced/stored';
import { randomAmounts } from './announced/table';
import { randomLayout, storedLayout } from './layout';
import { waysOfLookups } from './lookups';
import { incrementOf } from './oracle';
import { pressedWithLookups } from './pressed/visitor';
import { Random } from './random';
import { randomRound } from './round';
import { randomTable, tableSql } from './table';
import { Tally } from './tally';
import { labelOf } from './values';

const everything = (seed: number) => {
  const random = new Random(seed, 'visit', 3);
  const table = randomTable('t', random);
  const layout = storedLayout(randomLayout(table, random));
  return JSON.stringify([tableSql(table), layout, randomRound(table, new Random(seed, 'case', 7))]);
};

describe('the random draws of a hunt', () => {
  it('depend only on the seed', () => {
    expect(everything(1)).toBe(everything(1));
    expect(everything(1)).not.toBe(everything(2));
  });

  it('can fork without a change of their own', () => {
    const [random, same] = [new Random(3), new Random(3)];
    const fork = random.fork('further');
    expect(fork.next()).toBe(same.fork('further').next());
    expect(random.next()).toBe(same.next());
    expect(fork.next()).not.toBe(same.fork('other').next());
  });

  it('cover all options', () => {
    const random = new Random(5);
    const drawn = Array.from({ length: 4_000 }, () => random.pick(['a', 'b', 'c', 'd']));
    for (const one of ['a', 'b', 'c', 'd']) {
      expect(drawn.filter((other) => other === one).length).toBeGreaterThan(800);
    }
    expect(new Set(random.sample([1, 2, 3], 5))).toEqual(new Set([1, 2, 3]));
  });
});

describe('pivots with lookups', () => {
  const drawn = Array.from({ length: 125 }, (_, visit) => {
    const random = new Random(1, 'visit', visit);
    const table = pressedWithLookups.table(visit, random);
    return waysOfLookups(table, pressedWithLookups.layout(table, random));
  });

  it.each([
    ['an attribute', 125],
    ['two attributes', 10],
    ['an attribute in rows', 60],
    ['an attribute in columns', 25],
    ['a filter by an attribute', 20],
    ['an attribute at a grain', 25],
    ['an attribute of two keys', 10],
    ['an attribute of a range of days', 25],
    ['a null key', 60],
    ['an empty key', 25],
    ['a key with quotes', 20],
    ['a key that the lookup lacks', 40],
    ['thousands of keys of one member', 25],
    ['a name or member with quotes', 60],
  ])('%s is in at least %i of 125', (way, least) => {
    expect(drawn.filter((ways) => ways.includes(way)).length).toBeGreaterThanOrEqual(least);
  });
});

describe('labelOf', () => {
  it.each([
    [null, 'text', '(empty)'],
    ['', 'text', '(blank)'],
    ['(empty)', 'text', '“(empty)”'],
    [' ', 'text', '“ ”'],
    ['a\tb', 'text', '“a\\tb”'],
    ['“a”', 'text', '““a””'],
    ['null', 'text', 'null'],
    ['0.30000000000000004', 'numeric', '0.30000000000000004'],
    ['true', 'boolean', 'yes'],
    ['2026-02-01', 'date', 'Feb 1, 2026'],
    ['10000-01-01', 'date', '10000-01-01'],
    ['2026-02-01', 'month', 'Feb 2026'],
    ['2026-10-01', 'quarter', 'Q4 2026'],
    ['10000-01-01', 'year', '10000'],
  ] as const)('%j as %s is %s', (key, kind, label) => {
    expect(labelOf(key, kind)).toBe(label);
  });
});

describe('incrementOf', () => {
  it('is computed from the typed amount', () => {
    const asked = { kind: 'scale', measure: 'v', amount: 20 } as const;
    expect(incrementOf({ ...asked, by: 'Change' }, 50)).toBe(20);
    expect(incrementOf({ ...asked, by: 'Percent' }, 50)).toBe(10);
    expect(incrementOf({ ...asked, by: 'New total' }, 50)).toBe(-30);
  });
});

describe('Tally', () => {
  it('counts, reports failures at once, and ends with the reasons of refusals', () => {
    const told: string[] = [];
    const tally = new Tally((line) => told.push(line));
    tally.add(0, { kind: 'held' });
    tally.add(1, { kind: 'refused', reason: 'it is split' });
    tally.add(2, { kind: 'refused', reason: 'it is split' });
    tally.add(3, { kind: 'failed', what: 'Wrong.', story: '{}' });
    expect(told).toEqual(['Case 3 failed. Wrong.\n  {}']);
    expect(tally.summary()).toBe('4 cases: 1 held, 2 refused, 1 failed\n  2 × it is split');
  });
});

describe('announced amounts', () => {
  it('are drawn from the seed, with every kind of act', () => {
    const draw = (seed: number) => {
      const table = randomAmounts('t', new Random(seed));
      return randomAnnouncedRound(table, new Random(seed, 'case'), seed, null);
    };
    const tables = Array.from({ length: 50 }, (_, seed) => randomAmounts('t', new Random(seed)));
    expect(new Set(tables.flatMap(({ formulas }) => formulas.map(({ name }) => name)))).toEqual(
      new Set(['margin', 'factor', 'profit']),
    );
    expect(draw(1)).toEqual(draw(1));
    const kinds = new Set(Array.from({ length: 200 }, (_, seed) => draw(seed).act.kind));
    expect([...kinds].sort()).toEqual([
      'block',
      'cell',
      'clone',
      'fill',
      'form',
      'paste',
      'recode',
    ]);
  });

  it('are read from texts', () => {
    expect(numbersIn('9,576.23 → −12 (+5.5 %)')).toEqual(['9576.23', '-12', '+5.5']);
    expect(numbersIn(null)).toEqual([]);
  });

  it.each([
    ['12.5', 12.5],
    ['+2', 12],
    ['-2', 8],
    ['50%', 15],
    ['*-1', -10],
    ['/4', 2.5],
    ['=2*3', undefined],
  ])('%s typed over 10 is %s', (text, expected) => {
    expect(expectedOf(text, 10)).toBe(expected);
  });

  it('are held by locks as SQL', () => {
    expect(sliceSql({ region: null, product: ['a', 'b'] })).toBe(
      `(("region"::text IS NOT DISTINCT FROM NULL) AND ("product"::text IS NOT DISTINCT FROM 'a' OR "product"::text IS NOT DISTINCT FROM 'b'))`,
    );
  });

  it('are counted by kind', () => {
    const tally = new Tally(() => undefined);
    for (const kind of ['form', 'form', 'cell']) tally.countAnnounced(kind);
    tally.countWritten('form');
    expect(tally.summary()).toBe(
      '0 cases: 0 held, 0 refused, 0 failed\n3 announcements compared:\n  1 × cell\n  2 × form\n1 kinds of written changes compared:\n  1 × form',
    );
  });
});
