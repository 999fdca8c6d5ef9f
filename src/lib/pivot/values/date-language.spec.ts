import { expect, it } from 'vitest';
import { dateLanguage, dayWriter, momentWriter, monthWriter } from './date-language';

it('writes months in the words of a language, but with the years and digits of stored dates', () => {
  const months = ['en-US', 'de-DE', 'ja-JP', 'th-TH', 'fa-IR', 'ar-EG'].map((language) =>
    monthWriter(dateLanguage(language))(Date.UTC(2027, 2, 1)),
  );
  expect(months.slice(0, 3)).toEqual(['Mar 2027', 'März 2027', '2027年3月']);
  expect(months.every((month) => month.includes('2027'))).toBe(true);
});

it('writes days in the words of a language, and no other text', () => {
  const days = ['en-US', 'de-DE', 'ja-JP', 'fa-IR'].map((language) =>
    dayWriter(dateLanguage(language))('2027-03-01'),
  );
  expect(days.slice(0, 3)).toEqual(['Mar 1, 2027', '01.03.2027', '2027/03/01']);
  expect(days[3]).toContain('2027');
  const write = dayWriter('en-US');
  expect(write('2027-03-01T23:59:59Z')).toBe('Mar 1, 2027');
  const kept = ['0999-12-31', '10000-01-01', '0044-03-15 BC', 'March', ''];
  expect(kept.map(write)).toEqual(kept);
});

it('writes moments in UTC in the words of a language, as exactly as they are', () => {
  const write = (language: string) => momentWriter(dateLanguage(language));
  const at = Date.UTC(2027, 2, 1, 14, 30);
  const plain = (text: string) => text.replace(/\s/g, ' ');
  const texts = ['en-US', 'de-DE', 'ja-JP'].map((language) => plain(write(language)(at)));
  expect(texts).toEqual(['Mar 1, 2027, 2:30 PM', '01.03.2027, 14:30', '2027/03/01 14:30']);
  const finer = [Date.UTC(2027, 2, 1), at + 5_000, at + 5_007].map(write('de-DE'));
  expect(finer).toEqual(['01.03.2027', '01.03.2027, 14:30:05', '01.03.2027, 14:30:05,007']);
  const unusual = ['0999-12-31T01:00:00Z', '+010000-01-01T00:00:00Z'].map((iso) => Date.parse(iso));
  expect(unusual.map(write('de-DE'))).toEqual([
    '0999-12-31 01:00:00.000',
    '+010000-01-01 00:00:00.000',
  ]);
});
