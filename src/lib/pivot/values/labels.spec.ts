import { describe, expect, it } from 'vitest';
import { labelStyle, label } from './labels';
import { noteTexts } from './lookalikes';
import { othersValue } from './others';

describe('label', () => {
  it('distinguishes the empty value, the empty text, and texts that look like their labels', () => {
    expect([null, '', 'null', '(x)'].map((v) => label(v, 'string'))).toEqual([
      '(empty)',
      '(blank)',
      'null',
      '(x)',
    ]);
  });

  it('quotes a text that would be taken for something else, or has hidden blanks', () => {
    const texts = ['(empty)', '(blank)', ' ', 'a ', 'a  b', 'a\tb', 'a\u00a0b', '“a”'];
    const labels = texts.map((text) => label(text, 'string'));
    expect(labels).toEqual([
      '“(empty)”',
      '“(blank)”',
      '“ ”',
      '“a ”',
      '“a  b”',
      '“a\\tb”',
      '“a\\u{a0}b”',
      '““a””',
    ]);
    expect(label('a b', 'string')).toBe('a b');
    expect(label('👩‍👧', 'string')).toBe('👩‍👧');
  });

  it('names the groups that a limit leaves out, and quotes a text that looks like it', () => {
    expect(label(othersValue(37), 'date')).toBe('Others (37)');
    expect(label('Others (37)', 'string')).toBe('“Others (37)”');
    expect(label('Others', 'string')).toBe('Others');
  });

  it('shows how texts differ that look alike, and only where both are loaded', () => {
    noteTexts(['Cafe\u0301', 'Caf\u00e9', 'Ire\u0300ne', 'q\u0307\u0323', 'q\u0323\u0307']);
    noteTexts(['\u212bngstr\u00f6m', '\u00c5ngstr\u00f6m', '\u1100\u1161', '\uac00']);
    const texts = ['Caf\u00e9', 'Cafe\u0301', 'Ire\u0300ne', 'q\u0307\u0323', 'q\u0323\u0307'];
    expect(texts.map((text) => label(text, 'string'))).toEqual([
      'Caf\u00e9',
      '“Cafe\\u{301}”',
      'Ire\u0300ne',
      '“q\\u{307}\\u{323}”',
      'q\u0323\u0307',
    ]);
    expect(label('\u212bngstr\u00f6m', 'string')).toBe('“\\u{212b}ngstr\u00f6m”');
    expect(label('\u1100\u1161', 'string')).toBe('“\\u{1100}\\u{1161}”');
    expect(label('\uac00', 'string')).toBe('\uac00');
  });

  it('writes years after 9999 as PostgreSQL does', () => {
    expect(label(Date.UTC(10000, 0, 1), 'date')).toBe('10000-01-01');
    expect(label(Date.parse('0001-12-31'), 'date')).toBe('0001-12-31');
  });

  it('writes days, months, quarters and years in UTC', () => {
    const day = Date.UTC(2026, 0, 31);
    const written = (['date', 'month', 'quarter', 'year'] as const).map((unit) => label(day, unit));
    expect(written).toEqual(['Jan 31, 2026', 'Jan 2026', 'Q1 2026', '2026']);
    expect(label(Date.UTC(2026, 9, 1), 'quarter')).toBe('Q4 2026');
  });

  it('writes 0 and false as such', () => {
    expect([label(0, 'integer'), label(false, 'boolean')]).toEqual(['0', 'no']);
  });
});

describe('labelStyle', () => {
  it('recognises dates grouped by month, quarter and year', () => {
    expect(labelStyle('datetime', `bucket("Order Date", '3M')`)).toBe('quarter');
    expect(labelStyle('date', `bucket("Order Date", '2M')`)).toBe('date');
    expect(labelStyle('date', `bucket("Order Date", 'M')`)).toBe('month');
    expect(labelStyle('date', ` bucket( "a\\"b" , 'Y' ) `)).toBe('year');
    expect(labelStyle('date', `bucket("Order Date", 'W')`)).toBe('date');
    expect(labelStyle('float', `bucket("x", 'M')`)).toBe('float');
  });
});
