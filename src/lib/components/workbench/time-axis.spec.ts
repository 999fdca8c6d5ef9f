import { describe, expect, it } from 'vitest';
import { axis, gaps, isoOf, overlaps, spanOf, type Span } from './time-axis';

const span = (from: string, to: string): Span => {
  const made = spanOf(from, to);
  if (!made) throw new Error('no span');
  return made;
};
const iso = (spans: Span[]) => spans.map(({ from, to }) => `${isoOf(from)}…${isoOf(to)}`);

describe('spanOf', () => {
  it('is null without both ends, and for infinity', () => {
    expect(spanOf(null, '2020-01-01')).toBeNull();
    expect(spanOf('2020-01-01', 'infinity')).toBeNull();
  });

  it('keeps days before 1970 and leap days', () => {
    expect(iso([span('1969-12-31', '2024-02-29')])).toEqual(['1969-12-31…2024-02-29']);
  });
});

describe('gaps', () => {
  it('names whole months that no span touches', () => {
    expect(iso(gaps([span('2024-01-03', '2024-02-28'), span('2024-05-20', '2024-06-01')]))).toEqual(
      ['2024-03-01…2024-04-30'],
    );
  });

  it('finds none between neighbouring months, however few days they have', () => {
    expect(gaps([span('2024-01-01', '2024-01-01'), span('2024-02-01', '2024-02-01')])).toEqual([]);
  });

  it('finds none where a later span lies inside an earlier one', () => {
    expect(
      gaps([
        span('2024-01-01', '2024-12-31'),
        span('2024-02-01', '2024-02-05'),
        span('2025-01-01', '2025-01-31'),
      ]),
    ).toEqual([]);
  });

  it('accepts spans in any order', () => {
    expect(iso(gaps([span('2024-03-01', '2024-03-31'), span('2024-01-01', '2024-01-31')]))).toEqual(
      ['2024-02-01…2024-02-29'],
    );
  });
});

describe('overlaps', () => {
  it('names the days that two spans share, the shared end day included', () => {
    expect(
      iso(overlaps([span('2024-01-01', '2024-03-31'), span('2024-03-31', '2024-06-30')])),
    ).toEqual(['2024-03-31…2024-03-31']);
  });

  it('joins overlaps of several spans', () => {
    expect(
      iso(
        overlaps([
          span('2024-01-01', '2024-12-31'),
          span('2024-02-01', '2024-04-30'),
          span('2024-04-01', '2024-05-31'),
          span('2024-09-01', '2024-09-30'),
        ]),
      ),
    ).toEqual(['2024-02-01…2024-05-31', '2024-09-01…2024-09-30']);
  });

  it('finds none between neighbours', () => {
    expect(overlaps([span('2024-01-01', '2024-01-31'), span('2024-02-01', '2024-02-29')])).toEqual(
      [],
    );
  });
});

describe('axis', () => {
  it('covers whole months and marks them if there is room', () => {
    const made = axis([span('2024-01-15', '2024-03-02')], 8);
    expect(made && iso([made.domain])).toEqual(['2024-01-01…2024-03-31']);
    expect(made?.ticks.map((tick) => tick.label)).toEqual(['Jan 2024', 'Feb 2024', 'Mar 2024']);
  });

  it('changes to quarters and years', () => {
    const labels = (from: string, to: string) =>
      axis([span(from, to)], 8)?.ticks.map((tick) => tick.label);
    expect(labels('2023-02-01', '2024-03-31')).toEqual([
      'Apr 2023',
      'Jul 2023',
      'Oct 2023',
      'Jan 2024',
    ]);
    expect(labels('2018-01-01', '2023-12-31')).toEqual([
      '2018',
      '2019',
      '2020',
      '2021',
      '2022',
      '2023',
    ]);
  });

  it('is null without a span', () => expect(axis([], 8)).toBeNull());
});
