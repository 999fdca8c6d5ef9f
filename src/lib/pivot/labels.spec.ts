import { describe, expect, it } from 'vitest';
import { columnLabels, labelStyle, label } from './labels';

describe('label', () => {
  it('keeps apart what is empty, blank, and written like it', () => {
    expect([null, '', 'null', '(x)'].map((v) => label(v, 'string'))).toEqual([
      '(empty)',
      '(blank)',
      'null',
      '(x)',
    ]);
  });

  it('writes days, months and years of UTC', () => {
    const day = Date.UTC(2026, 0, 31);
    expect([label(day, 'date'), label(day, 'month'), label(day, 'year')]).toEqual([
      '2026-01-31',
      'Jan 2026',
      '2026',
    ]);
  });

  it('writes 0 and false as what they are', () => {
    expect([label(0, 'integer'), label(false, 'boolean')]).toEqual(['0', 'no']);
  });
});

describe('labelStyle', () => {
  it('knows buckets of dates by month and by year', () => {
    expect(labelStyle('date', `bucket("Order Date", 'M')`)).toBe('month');
    expect(labelStyle('date', ` bucket( "a\\"b" , 'Y' ) `)).toBe('year');
    expect(labelStyle('date', `bucket("Order Date", 'W')`)).toBe('date');
    expect(labelStyle('float', `bucket("x", 'M')`)).toBe('float');
  });
});

describe('columnLabels', () => {
  it('gives columns that read alike different names', () => {
    const labels = columnLabels([['a|b'], ['a│b'], [null]], ['v'], ['string']);
    expect(new Set(labels).size).toBe(3);
    expect(labels[0]).toBe('a│b|v');
    expect(labels.every((text) => text.split('|').length === 2)).toBe(true);
  });
});
