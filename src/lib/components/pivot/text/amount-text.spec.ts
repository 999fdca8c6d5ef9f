import { expect, it } from 'vitest';
import { conversionFormula, priceFormula } from '$lib/pivot/rows/formula-columns';
import { shownText } from './amount-text';

it('writes a conversion with the decimals of its measure, and a price with more', () => {
  const whole = { least: 0, most: 0 };
  expect(shownText(conversionFormula('EUR'), 1234.5678, whole)).toBe('1,235');
  expect(shownText(conversionFormula('EUR'), 0.1234, { least: 2, most: 2 })).toBe('0.12');
  expect(shownText(priceFormula('Sales', 'Units'), 0.1234, whole)).toBe('0.1234');
  expect(shownText(conversionFormula('EUR'), null, whole)).toBe('–');
});
