/** Finds the members of the grid's rows and columns by their text. */
import { contains } from '../../../contract/folding';
import { pathKey, type CellIdentity, type CellPosition } from '../../slice/cell';
import type { CellValue } from '../../values/engine-types';
import { endsInOthers } from '../../values/others';
import { label, type LabelStyle } from '../../values/labels';
import type { DrawnColumn } from '../cells/grid-columns';

/** A header whose text was found: its identity, and the position to scroll to. */
export interface FoundMember {
  cell: CellIdentity;
  at: CellPosition;
}

/** The members found among the shown ones. */
export interface FoundMembers {
  /** Those of columns from left to right, then those of rows from top to bottom. */
  members: readonly FoundMember[];
  /** Whether groups of rows or columns are closed: members below them are not searched. */
  hasClosed: boolean;
}

/** The rows and columns that the grid shows. */
interface Searched {
  group_by: readonly string[];
  split_by: readonly string[];
  /** Paths of all shown rows. */
  paths: readonly (readonly CellValue[])[];
  columns: readonly Pick<DrawnColumn, 'path' | 'isClosed'>[];
  /** The label style of a column's values. */
  styleOf(column: string): LabelStyle | undefined;
  /** Returns the values of the groups behind a row "Others"; null for any other row. */
  membersOf?(path: readonly CellValue[]): readonly CellValue[] | null;
  /** Whether a row is open, although a limit hides all of its groups. */
  isEmptied?(path: readonly CellValue[]): boolean;
}

/**
 * Finds the members whose label contains a text; see {@link contains}. An empty text finds none. A group that is not
 * shown is found at the row "Others" that adds it up.
 */
export function membersIn(
  { group_by, split_by, paths, columns, styleOf, membersOf, isEmptied }: Searched,
  text: string,
): FoundMembers {
  if (text === '' || group_by.length === 0) return { members: [], hasClosed: false };
  const labels = new Map<string, boolean>();
  const isFound = (name: string | undefined, value: CellValue): boolean => {
    const style = name === undefined ? undefined : styleOf(name);
    const key = JSON.stringify([name, value]);
    let found = labels.get(key);
    if (found === undefined) labels.set(key, (found = contains(label(value, style), text)));
    return found;
  };

  const seen = new Set<string>();
  const heads = columns.flatMap(({ path }, x) =>
    (path ?? []).flatMap((value, level): FoundMember[] => {
      const columnPath = (path ?? []).slice(0, level + 1);
      const key = pathKey(columnPath);
      if (seen.has(key)) return [];
      seen.add(key);
      if (!isFound(split_by[level], value)) return [];
      return [{ cell: { rowPath: [], columnPath, measure: null }, at: { x, y: 0 } }];
    }),
  );
  const rows = paths.flatMap((rowPath, y): FoundMember[] => {
    const value = rowPath.at(-1);
    if (value === undefined) return [];
    const name = group_by[rowPath.length - 1];
    const others = membersOf?.(rowPath) ?? [];
    if (![value, ...others].some((each) => isFound(name, each))) return [];
    return [{ cell: { rowPath, columnPath: null, measure: null }, at: { x: null, y } }];
  });
  const isClosedRow = (path: readonly CellValue[], y: number) =>
    path.length < group_by.length &&
    (paths[y + 1]?.length ?? 0) <= path.length &&
    !endsInOthers(path) &&
    !isEmptied?.(path);
  return {
    members: [...heads, ...rows],
    hasClosed: columns.some(({ isClosed }) => isClosed) || paths.some(isClosedRow),
  };
}
