import { expect, it } from 'vitest';
import { marksOf } from '../../numbers/languages';
import { sampleColumnWriter, sampleWriter } from './sample-text';

const GERMAN = marksOf('de-DE');
const inGerman = (type: string, ...values: unknown[]) =>
  values.map(sampleColumnWriter(type, values, GERMAN));

it('writes the numbers of a column with the decimal sign of a language and with the same decimals', () => {
  expect(inGerman('numeric', 1204.5, 5, -0.25, 1e-7)).toEqual([
    '1204,500000',
    '5,000000',
    '-0,250000',
    '0,0000001',
  ]);
  expect(inGerman('numeric', 1204.5, 20)).toEqual(['1204,5', '20,0']);
  expect(inGerman('numeric(12,2)', 41.9, 7)).toEqual(['41,90', '7,00']);
  expect(inGerman('double precision', 1, 2)).toEqual(['1', '2']);
});

it('separates no thousands, which years and numbers of customers do not have', () =>
  expect(inGerman('integer', 2027, 90036)).toEqual(['2027', '90036']));

it('keeps digits that a double does not have', () =>
  expect(inGerman('numeric', '12345678901234567.5')).toEqual(['12345678901234567,5']));

it('writes an example of a number without further decimals', () =>
  expect(['0', '0.45'].map(sampleWriter('numeric(4,2)', GERMAN))).toEqual(['0', '0,45']));

it('changes no text, even if it looks like a number or a day', () => {
  expect(inGerman('text', '1.5', '2027-01-05')).toEqual(['1.5', '2027-01-05']);
});

const written = (type: string, ...values: string[]) => values.map(sampleWriter(type));

it('writes days in the language', () =>
  expect(written('date', '2027-01-05', 'infinity')).toEqual(['Jan 5, 2027', 'infinity']));

it('writes times in the language, and times with a time zone in UTC', () => {
  expect(
    written(
      'timestamp without time zone',
      ...['2027-01-05 00:00:00', '2027-01-05T23:59:59', '2027-01-05 08:30:00.25', '-infinity'],
    ),
  ).toEqual([
    'Jan 5, 2027',
    'Jan 5, 2027, 11:59:59 PM',
    'Jan 5, 2027, 8:30:00.250 AM',
    '-infinity',
  ]);
  expect(
    written(
      'timestamp with time zone',
      ...['2027-01-05 08:30:00+00', '2027-01-05 00:00:00+00', '2027-01-05T23:30:00Z'],
      ...['2027-01-05 20:00:00-08', '2027-01-05 01:30:00+05:30'],
    ),
  ).toEqual([
    ...['Jan 5, 2027, 8:30 AM UTC', 'Jan 5, 2027 UTC', 'Jan 5, 2027, 11:30 PM UTC'],
    ...['Jan 6, 2027, 4:00 AM UTC', 'Jan 4, 2027, 8:00 PM UTC'],
  ]);
});

it('leaves times before our era and in years of five digits as the database writes them', () => {
  const far = ['0044-03-15 12:00:00+00 BC', '12027-01-05 08:30:00+00', '0044-03-15 BC'];
  expect(written('timestamp with time zone', ...far)).toEqual(far);
});
