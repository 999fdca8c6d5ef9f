import { describe, expect, it } from 'vitest';
import { readShortForm, whyNoAmount } from './short-form';

describe('readShortForm', () => {
  it.each([
    ['+500 keep total', { by: 'change', amount: 500 }],
    ['1.2m keep total', { by: 'total', amount: 1_200_000 }],
    ['500k keep', { by: 'total', amount: 500_000 }],
    ['  -3%   KEEP  Total ', { by: 'percent', amount: -3 }],
    ['=2*750 keep total', { by: 'total', amount: 1500 }],
    ['*1.05 keep to', { by: 'percent', amount: 5 }],
  ])('reads %j with the total kept', (text, edit) =>
    expect(readShortForm(text)).toEqual({
      edit,
      keepTotal: true,
      likeReference: false,
      reshape: false,
    }),
  );

  it.each([
    ['35%', { by: 'total', amount: 0.35 }],
    ['0.35', { by: 'total', amount: 0.35 }],
    [' +2% ', { by: 'change', amount: 0.02 }],
    ['−12.5%', { by: 'change', amount: -0.125 }],
    ['*1.05', { by: 'percent', amount: 5 }],
    ['=1/4', { by: 'total', amount: 0.25 }],
    ['7% keep total', { by: 'total', amount: 0.07 }],
  ])('reads %j as a share', (text, edit) => {
    for (const share of ['of_formula', 'of_sum'] as const)
      expect(readShortForm(text, share).edit).toEqual(edit);
  });

  it.each([
    ['30', 'total', 30, 'Type 30% or 0.3'],
    [' 1.5 keep total', 'total', 1.5, 'Type 1.5% or 0.015'],
    ['+30', 'change', 30, 'Type +30% or +0.3'],
    ['-2', 'change', -2, 'Type -2% or -0.02'],
  ])('refuses %j as a share of a sum without %%', (text, by, amount, problem) => {
    expect(readShortForm(text, 'of_sum').edit).toEqual({ by, amount: NaN, problem });
    expect(readShortForm(text, 'of_formula').edit).toEqual({ by, amount });
  });

  it.each([
    ['1', { by: 'total', amount: 1 }],
    ['150%', { by: 'total', amount: 1.5 }],
    ['=-1.5', { by: 'total', amount: -1.5 }],
    ['=3/2', { by: 'total', amount: 1.5 }],
    ['*3', { by: 'percent', amount: 200 }],
    ['', null],
  ])('reads %j as a share of a sum', (text, edit) =>
    expect(readShortForm(text, 'of_sum').edit).toEqual(edit),
  );

  it.each([
    ['1.2m like ref', 1_200_000, false],
    ['1,200 Like  Reference', 1200, false],
    ['500k like ref keep total', 500_000, true],
    ['500k keep like ref', 500_000, true],
  ])('reads %j like the reference', (text, amount, keepTotal) =>
    expect(readShortForm(text)).toEqual({
      ...{ edit: { by: 'total', amount }, keepTotal, likeReference: true, reshape: false },
    }),
  );

  it.each([
    ['=keep', false, false],
    ['=KEEP like ref', true, false],
    ['= keep like ref keep total', true, true],
  ])('reads %j as the present total with a shape', (text, likeReference, keepTotal) =>
    expect(readShortForm(text)).toEqual({
      ...{ edit: { by: 'change', amount: 0 }, keepTotal, likeReference, reshape: true },
    }),
  );

  it.each([
    ['500 k', { by: 'total', amount: 500_000 }],
    ['1.2 M', { by: 'total', amount: 1_200_000 }],
    ['12 500', { by: 'total', amount: 12_500 }],
    ['', null],
  ])('reads %j as an amount alone', (text, edit) =>
    expect(readShortForm(text)).toEqual({
      edit,
      keepTotal: false,
      likeReference: false,
      reshape: false,
    }),
  );

  it.each([
    '+500 ke',
    '+500 keep it',
    '+500keep',
    'keep total',
    '=kee',
    '=keep 5',
    '+500 keep total now',
    'x keep',
    '5 like',
    '5 like 6',
  ])('refuses %j', (text) => expect(readShortForm(text).edit?.amount).toBeNaN());
});

it('whyNoAmount explains words that are being typed', () => {
  expect(whyNoAmount('+500 ke')).toMatch(/^keep total: /);
  expect(whyNoAmount('1.2m like r')).toMatch(/^like ref: /);
  expect(whyNoAmount('=ke')).toMatch(/^=keep: /);
  for (const text of ['=x', '+500 kl', 'ke', 'x ke', '+500 kee p', '1.2.3'])
    expect(whyNoAmount(text)).toMatch(/^Not an amount: /);
});
