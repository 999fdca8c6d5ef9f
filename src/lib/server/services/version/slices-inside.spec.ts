import { describe, expect, it } from 'vitest';
import type { Slice } from '../../../contract/slices';
import { isInside } from './slices-inside';

const A = { region: 'A' };
const B_LATE = { region: 'B', day: { from: '2027-02-01', to: '2027-12-31' } };
const CASES: [string, Slice, Slice[], boolean][] = [
  ['the same slice', A, [A], true],
  ['a smaller one', { region: 'A', product: 'x' }, [A], true],
  ['another value', { region: 'C' }, [A], false],
  ['the whole version', {}, [A], false],
  ['any slice in the whole source', { region: 'C' }, [{}], true],
  ['no territory', A, [], false],
  [
    'a list of which each value is in a territory',
    { region: ['A', 'B'] },
    [A, { region: 'B' }],
    true,
  ],
  ['a list with a value beyond', { region: ['A', 'C'] }, [A, { region: 'B' }], false],
  ['a list beyond a date', { region: ['A', 'B'] }, [A, B_LATE], false],
  ['a list within a date', { region: ['A', 'B'], day: '2027-02-01' }, [A, B_LATE], true],
  ['a day before the range', { region: 'B', day: '2027-01-31' }, [B_LATE], false],
  [
    'a range within',
    { region: 'B', day: { from: '2027-03-01', to: '2027-12-31' } },
    [B_LATE],
    true,
  ],
  ['a range without an end', { region: 'B', day: { from: '2027-03-01' } }, [B_LATE], false],
  [
    'a range in a list of days',
    { day: { from: '2027-03-01', to: '2027-03-01' } },
    [{ day: '2027-03-01' }],
    false,
  ],
  ['no date in a range', { region: 'B', day: null }, [B_LATE], false],
  ['null', { region: null }, [{ region: null }], true],
  ['null, which is no text', { region: null }, [{ region: 'null' }], false],
  ['a number as text', { code: '7' }, [{ code: 7 }], true],
  ['years of five digits', { day: '10000-01-01' }, [{ day: { from: '9999-12-31' } }], true],
  ['a text that is no day', { day: 'x' }, [{ day: { from: '2027-01-01' } }], false],
  ['a name of objects', {}, [{ constructor: 'A' } as unknown as Slice], false],
];

describe('isInside', () => {
  it.each(CASES)('%s', (_, slice, territories, expected) => {
    expect(isInside(slice, territories)).toBe(expected);
  });

  it('takes lists of many values as one piece', () => {
    const many = Array.from({ length: 1001 }, (_, i) => `${i}`);
    expect(isInside({ region: many }, [{ region: many }])).toBe(true);
    expect(isInside({ region: many }, [{ region: many.slice(1) }, { region: '0' }])).toBe(false);
  });
});
