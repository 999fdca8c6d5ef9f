/** Accuracy: how good the forecast of closed months was. */
import * as v from 'valibot';
import { EntryFacts } from './log';
import { byColumn, number, scalar } from './primitives';

const error = v.object({
  wape: v.pipe(
    v.nullable(number),
    v.description('Sum of |forecast − actual| divided by that of |actual|; null if that is 0'),
  ),
  bias: v.pipe(
    v.nullable(number),
    v.description('Sum of (forecast − actual) divided by that of |actual|; null if that is 0'),
  ),
});
export type ForecastError = v.InferOutput<typeof error>;

/**
 * Figures by measure; null for value or units if the source does not have it, and `measures` absent without further
 * measures.
 */
const byMeasure = <const Of extends v.GenericSchema>(of: Of) => ({
  value: v.nullable(of),
  units: v.nullable(of),
  measures: v.optional(byColumn(of)),
});

/** The largest lag of a request, in months. */
export const MOST_LAG = 120;
/** Most cells of an answer that are listed as the worst. */
export const MOST_WORST = 20;

/** Answer of GET accuracy (docs/contract/06-log.md#get-versionsidaccuracy). Lists are empty if no month is closed. */
export const Accuracy = v.object({
  column: v.pipe(
    v.nullable(v.string()),
    v.description('The date column of the closed days; null if there are none'),
  ),
  through: v.pipe(v.nullable(v.string()), v.description('The last closed day')),
  cells: v.pipe(v.number(), v.description('Cells of a month and a value per dimension of `by`')),
  forecast: v.pipe(
    v.object(byMeasure(error)),
    v.description('The errors after the last entry of `entries`'),
  ),
  reference: v.pipe(
    v.nullable(v.object(byMeasure(error))),
    v.description('The errors of the reference; null without reference rows on the closed days'),
  ),
  entries: v.pipe(
    v.array(v.object({ ...EntryFacts.entries, ...byMeasure(error) })),
    v.description('The errors after each entry that changed the forecast, in the order of the log'),
  ),
  people: v.pipe(
    v.array(
      v.object({
        pf_user: v.string(),
        entries: v.pipe(v.number(), v.description('Number of their changes')),
        ...byMeasure(v.object({ before: error, after: error })),
      }),
    ),
    v.description(
      'The errors of the forecast without the changes of a person, and with them, by name',
    ),
  ),
  worst: v.pipe(
    v.array(
      v.object({
        cell: v.pipe(
          v.record(v.string(), v.nullable(scalar)),
          v.description('A value per dimension of `by`'),
        ),
        month: v.pipe(v.string(), v.description('The first day of the month')),
        forecast: v.object(byMeasure(number)),
        actual: v.object(byMeasure(number)),
      }),
    ),
    v.description(
      'The cells with the largest differences of `measure`, largest first; a cell without a difference is absent',
    ),
  ),
});
export type Accuracy = v.InferOutput<typeof Accuracy>;
