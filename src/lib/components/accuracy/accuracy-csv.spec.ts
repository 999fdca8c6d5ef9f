import { expect, it } from 'vitest';
import type { Accuracy } from '$lib/contract/accuracy';
import { accuracyCsv } from './accuracy-csv';

it('has a line per entry, and one of the reference', () => {
  const entry = { logid: 3, operation: 'scale', pf_user: 'Ann', stamp: '2027-01-01T00:00:00Z' };
  const answer = {
    entries: [{ ...entry, note: 'more, "much"', value: { wape: 0.1, bias: -0.05 }, units: null }],
    reference: { value: { wape: 0.2, bias: null }, units: null },
    forecast: { value: { wape: 0.1, bias: -0.05 }, units: null },
  } as unknown as Accuracy;
  expect(accuracyCsv(answer).split('\r\n')).toEqual([
    'logid,operation,user,time,note,value_wape,value_bias,units_wape,units_bias',
    '3,scale,Ann,2027-01-01T00:00:00Z,"more, ""much""",0.1,-0.05,,',
    ',reference,,,,0.2,,,',
    '',
  ]);
});

it('has columns of further measures', () => {
  const errors = (wape: number) => ({
    ...{ value: null, units: null },
    measures: { 'cost, net': { wape, bias: 0.5 } },
  });
  const entry = { logid: 3, operation: 'scale', pf_user: 'Ann', stamp: '2027-01-01T00:00:00Z' };
  const answer = {
    entries: [{ ...entry, note: null, ...errors(0.1) }],
    ...{ reference: errors(0.2), forecast: errors(0.1) },
  } as unknown as Accuracy;
  expect(accuracyCsv(answer).split('\r\n')).toEqual([
    'logid,operation,user,time,note,value_wape,value_bias,units_wape,units_bias,"cost, net_wape","cost, net_bias"',
    '3,scale,Ann,2027-01-01T00:00:00Z,,,,,,0.1,0.5',
    ',reference,,,,,,,,0.2,0.5',
    '',
  ]);
});
