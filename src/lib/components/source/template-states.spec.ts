import { describe, expect, it } from 'vitest';
import { templateStates } from './template-states';

const generated_at = '2026-01-01T00:00:00Z';
const changes = (...args: Parameters<typeof templateStates>) =>
  templateStates(...args).map(({ operation, change }) => `${operation} ${change}`);

describe('templateStates', () => {
  it('distinguishes new, changed, removed and unchanged templates', () => {
    expect(
      changes(
        [
          { operation: 'undo', sql: 'a', generated_at },
          { operation: 'get_agg', sql: 'b', generated_at },
          { operation: 'scale', sql: 'c', generated_at },
        ],
        [
          { operation: 'scale', sql: 'c2' },
          { operation: 'undo', sql: 'a' },
          { operation: 'get_data', sql: 'd' },
        ],
      ),
    ).toEqual(['get_data new', 'get_agg removed', 'scale changed', 'undo none']);
  });

  it('reports no change if a generation would fail', () => {
    expect(changes([{ operation: 'undo', sql: 'a', generated_at }], null)).toEqual(['undo none']);
  });

  it('is empty before anything can be generated', () => expect(changes([], null)).toEqual([]));
});
