import { describe, expect, it } from 'vitest';
import { exampleOf, marksOf } from './languages';
import { exactText, readNotation } from './notation';

const LANGUAGES = [
  ...['en-US', 'en-GB', 'de-DE', 'de-AT', 'de-CH', 'fr-FR', 'es-ES', 'it-IT', 'nl-NL', 'pl-PL'],
  ...['cs-CZ', 'sv-SE', 'da-DK', 'nb-NO', 'fi-FI', 'pt-PT', 'pt-BR', 'hu-HU', 'ro-RO', 'tr-TR'],
  ...['ja-JP', 'zh-CN', 'ko-KR'],
];

describe.each(LANGUAGES)('in %s', (language) => {
  const { decimal, words } = marksOf(language);
  const read = (text: string) => {
    const found = readNotation(text, { decimal, words });
    return found && Number(exactText(found));
  };

  it.each(['short', 'long'] as const)(
    'amounts that Intl writes in %s form are read',
    (compactDisplay) => {
      const format = new Intl.NumberFormat(language, {
        ...{ notation: 'compact', compactDisplay, maximumFractionDigits: 1 },
      });
      for (const amount of [1000, 2500, 25_000, 1_000_000, 1_500_000, 5_000_000, 12_500_000, 2e9]) {
        const text = format.format(amount);
        // Italian writes a thousand as a word alone.
        if (/\d/.test(text)) expect([text, read(text)]).toEqual([text, amount]);
      }
    },
  );

  it('amounts with a currency are read', () => {
    for (const currency of ['EUR', 'USD', 'CHF']) {
      const text = new Intl.NumberFormat(language, { style: 'currency', currency }).format(
        -340_000.5,
      );
      expect([text, read(text)]).toEqual([text, -340_000.5]);
    }
  });

  it('the example of hints is one and a half million', () =>
    expect(read(exampleOf(language))).toBe(1_500_000));
});

it('the example follows the language', () => {
  const examples = ['en-US', 'de-DE', 'fr-FR', 'nl-NL', 'ja-JP'].map(exampleOf);
  expect(examples).toEqual(['1.5m', '1,5 Mio.', '1,5 m', '1,5 mln.', '150万']);
});
