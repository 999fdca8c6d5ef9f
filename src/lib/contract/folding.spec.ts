import { describe, expect, it } from 'vitest';
import { contains, folded, searchPattern } from './folding';

describe('contains', () => {
  it('finds a text in any case', () => {
    expect(contains('İstanbul', 'istanbul')).toBe(true);
    expect(contains('istanbul', 'İSTAN')).toBe(true);
    expect(contains('ΟΔΟΣ', 'οδοσ')).toBe(true);
    expect(contains('North', '')).toBe(true);
    expect(contains('North', 'south')).toBe(false);
  });

  it('finds composed and decomposed texts', () => {
    const [composed, decomposed] = ['Café', 'Café'.normalize('NFD')];
    for (const search of [composed, decomposed])
      for (const text of [composed, decomposed]) expect(contains(text, search)).toBe(true);
  });

  it('distinguishes accents', () => {
    expect(contains('Café', 'cafe')).toBe(false);
  });

  it('keeps the length of a letter', () => {
    expect(folded('İ')).toBe('i');
  });
});

describe('searchPattern', () => {
  /** Reads the pattern like PostgreSQL. */
  const matches = (text: string, search: string) =>
    new RegExp(
      searchPattern(search)
        .replace(/\\U([\da-f]{8})/g, (_, hex: string) => `\\u{${hex}}`)
        .replace(/\\u([\da-f]{4})/g, '\\u{$1}')
        .replace(/\\([!"#%&',:;<=>@_`~])/g, '$1'),
      'u',
    ).test(text.normalize('NFC'));

  it('matches the texts that contains finds', () => {
    const texts = [
      'İstanbul',
      'Café',
      'Café'.normalize('NFD'),
      'A.B*C',
      '100 %_x',
      'ẞ',
      '\u{10400}',
    ];
    const searches = [
      'istanbul',
      'CAFÉ',
      'é',
      '.b*',
      '%_X',
      'ß',
      '\u{10428}',
      'cafe',
      '.',
      '[',
      '',
    ];
    for (const text of texts)
      for (const search of searches)
        expect([text, search, matches(text, search)]).toEqual([
          text,
          search,
          contains(text, search),
        ]);
  });

  it('has no characters from other encodings than the search', () => {
    expect(searchPattern('ik')).toBe('[iI\\u0130][kK\\u212a]');
  });
});
