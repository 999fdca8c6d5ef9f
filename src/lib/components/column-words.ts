/** The labels and types of a source's columns, for texts of slices outside its pivot. */
import { call } from '$lib/client/api';
import type { CallOptions } from '$lib/client/http';
import { holdsDays, type ColumnEntry } from '$lib/contract/columns';

export interface ColumnWords {
  /** The label of a column; its name if it has none, or if the source does not have it. */
  labelOf(cname: string): string;
  /** Whether the values of a column are calendar days. */
  isDay(cname: string): boolean;
}

export function columnWords(columns: readonly ColumnEntry[]): ColumnWords {
  const find = (name: string) => columns.find(({ cname }) => cname === name);
  return {
    labelOf: (name) => find(name)?.label || name,
    isDay: (name) => {
      const column = find(name);
      return column !== undefined && holdsDays(column);
    },
  };
}

/** Returns columns as choices, by label. @param stored the present choice, which is offered even if it is none of them */
export const columnOptions = (
  columns: readonly Pick<ColumnEntry, 'cname' | 'label'>[],
  stored: string,
): { value: string; label: string }[] => [
  ...columns.map(({ cname, label }) => ({ value: cname, label: label || cname })),
  ...(columns.some(({ cname }) => cname === stored) ? [] : [{ value: stored, label: stored }]),
];

/** Reads the words of a source. If its columns cannot be read, they have their names, and no type. */
export const readColumnWords = async (sourceId: number, o?: CallOptions): Promise<ColumnWords> =>
  columnWords(await call('GET /sources/{id}/columns', { id: sourceId, ...o }).catch(() => []));
