import { expect, it } from 'vitest';
import { dateLanguage, monthWriter } from './date-language';

it('writes months in the words of a language, but with the years and digits of stored dates', () => {
  const months = ['en-US', 'de-DE', 'ja-JP', 'th-TH', 'fa-IR', 'ar-EG'].map((language) =>
    monthWriter(dateLanguage(language))(Date.UTC(2027, 2, 1)),
  );
  expect(months.slice(0, 3)).toEqual(['Mar 2027', 'März 2027', '2027年3月']);
  expect(months.every((month) => month.includes('2027'))).toBe(true);
});
