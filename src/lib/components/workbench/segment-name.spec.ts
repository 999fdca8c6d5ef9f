import { describe, expect, it } from 'vitest';
import { segmentName } from './segment-name';

describe('segmentName', () => {
  it('numbers the segments of a kind in the order of their loads, whatever their ids', () => {
    const all = [
      { id: 12, operation: 'baseline' as const },
      { id: 9, operation: 'reference' as const },
      { id: 8, operation: 'baseline' as const },
    ];
    expect(all.map((segment) => segmentName(segment, all))).toEqual([
      ...['Baseline 2', 'Reference 1', 'Baseline 1'],
    ]);
  });
});
