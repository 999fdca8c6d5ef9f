import { expect, it } from 'vitest';
import { protectedText, unprotectedText } from './formula-text';

it.each([
  ['=1+1', "'=1+1"],
  ['+49 (30) 12', "'+49 (30) 12"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['＝1', "'＝1"],
  ["'=1", "''=1"],
  ['- none', "'- none"],
  ['-1,204.50', '-1,204.50'],
  ['-1.204,50', '-1.204,50'],
  ['+5 %', '+5 %'],
  ['-1e+21', '-1e+21'],
  ['North', 'North'],
  ["it's", "it's"],
  ['', ''],
])('%j is protected as %j, and back', (text, written) => {
  expect(protectedText(text)).toBe(written);
  expect(unprotectedText(written)).toBe(text);
});
