/** Reads the data of a chart from the engine. */
import type { ColumnEntry } from '../../contract/columns';
import { EXACT } from '../../contract/decimals';
import type { Layout } from '../../contract/stored-layout';
import { valueKey } from '../values/cell-value';
import { pathKey, type CellCondition } from '../slice/cell';
import {
  added,
  chartAxes,
  chartMeasures,
  evenly,
  timeTest,
  type ChartAxes,
  type ChartSide,
  type Sums,
} from './chart';
import { type Group, groupOf, Matrix, type Outer } from './chart-groups';
import { endsInOthers, type ShownGroups } from '../values/others';
import type { CellValue, EngineTable, Schema } from '../values/engine-types';
import { label, labelStyle } from '../values/labels';
import type { MonthOrder } from '../layout/layout';
import { readFormats, type ColumnFormat } from '../values/column-format';
import type { Origins } from '../rows/origins';
import { isAdditive, paintingOf } from '../values/ratios';
import { formatAs, shownAsIn } from '../values/show-as';
import { addsUp, type ChartPlaces, numbersAs } from './chart-relations';
import { isTimeUnit } from '../values/time-unit';

/** Largest number of series; if there are more, the others are combined into one of them. */
const MOST_SERIES = 8;
/**
 * Largest number of groups along an axis without time; if there are more, the others are combined into one of
 * them.
 */
const MOST_GROUPS = 24;

/** One series of a chart. */
interface ChartSeries {
  /** Label as the grid writes it; null for the only series. */
  label: string | null;
  /** Number of groups that the series combines; null for a single group. */
  folded: number | null;
  /**
   * The values of the series column that this series combines; null for the only series. A value of its own stands for
   * the rows "Others".
   */
  members: readonly CellValue[] | null;
  /** A number per position of the axis, for each side; null where there is none. */
  values: readonly (readonly (number | null)[])[];
}

/** The data of a chart. */
export interface Chart extends ChartAxes {
  /** Names of the measures that can be drawn. */
  measures: readonly string[];
  /** Name of the measure that is drawn; null if the layout has none that a chart can draw. */
  measure: string | null;
  sides: readonly ChartSide[];
  /** Labels of the axis positions as the grid writes them. */
  labels: readonly string[];
  /** The values of the axis columns behind each position: one path, or several that are combined. */
  places: readonly (readonly (readonly CellValue[])[])[];
  lines: readonly ChartSeries[];
  /** Whether the numbers may be stacked. */
  isSum: boolean;
  /** Format of the numbers. */
  format: ColumnFormat;
  /** Number of series that are not drawn, because their sums cannot be added up. */
  left: number;
  /**
   * Returns the rows of the grid that a series adds up at a place, if a limit below the outermost level of the rows chooses
   * other groups in each parent; null without such a limit, because the values of place and series name the rows.
   */
  rowsBehind: ((place: number, line: number) => CellCondition) | null;
}

/** The sources that a chart is read from. */
interface ChartSource {
  table: EngineTable;
  layout: Layout;
  /** Types of the table's columns. */
  schema: Schema;
  columns: readonly ColumnEntry[];
  months: ReadonlyMap<string, MonthOrder>;
  origins: Origins;
  /** Default formats of the measures; the layout's `columns_config` overrides them. */
  formats: ReadonlyMap<string, ColumnFormat>;
  /** The groups that the limits of drawn columns show, without limits of an axis of dates; null for no such limit. */
  shownGroups?: ShownGroups | null;
}

/**
 * Reads the data of a layout's chart. The engine adds up the same rows in the same way as for the grid. Only
 * the groups that the chart shows are read from its result, even if there are many more
 * (docs/decisions/0030-charts-of-our-own.md).
 *
 * @param wanted name of the measure to draw; null or an unknown name draws the first
 */
export async function readChart(source: ChartSource, wanted: string | null): Promise<Chart> {
  const { table, layout, columns, origins } = source;
  const expressions = layout.expressions ?? {};
  const checked = await table.validate_expressions(expressions);
  const schema = { ...source.schema, ...checked.expression_schema };
  const measures = chartMeasures(layout, schema, origins);
  const measure = measures.find(({ name }) => name === wanted) ?? measures[0];
  const axes = chartAxes(layout, timeTest(columns, schema, source.months));
  const sides = measure?.sides ?? [];
  const name = measure?.name ?? '';
  const paintings = sides.map(({ column }) =>
    paintingOf(column, origins.ratios, layout.aggregates),
  );
  const isRatio = origins.ratios.has(name);
  // The sides share an axis, so they are shown in the same way.
  const way = layout.group_by?.length
    ? shownAsIn(layout.amounts).get(sides[0]?.column ?? '')
    : undefined;
  const shape = {
    ...axes,
    measures: measures.map((each) => each.name),
    measure: measure?.name ?? null,
    sides,
    format: formatAs(formatOf(sides[0]?.column ?? '', source), way),
  };
  const nothingRead = { labels: [], places: [], lines: [], isSum: true, left: 0, rowsBehind: null };
  if (!measure) return { ...shape, ...nothingRead };

  const behind = sides.map(({ column }, i) => paintings[i]?.parts ?? [column]);
  const summed = [...new Set(behind.flat())];
  const isSum = summed.every((column) => isAdditive(layout.aggregates?.[column]));
  // Rank by plan and reference, so that a measure and its differences show the same series.
  const isOfMeasure = paintings[0] && !origins.formulaOf(name);
  const ranking = isOfMeasure ? 2 : summed.length;
  const { shownGroups = null } = source;
  const matrix = new Matrix(table, layout, summed, { isSum, ranking, shownGroups });
  const read = await (axes.isTime
    ? timeMatrix(matrix, axes, source, schema)
    : groupMatrix(matrix, axes));
  const styleOf = (column: string | null | undefined) =>
    column == null ? undefined : labelStyle(schema[column], expressions[column]);
  const text = (group: Group, of: readonly string[]) =>
    group.isFolded
      ? `${matrix.countOf(group, of[0] ?? '')} others`
      : (group.paths[0] ?? []).map((value, i) => label(value, styleOf(of[i]))).join(' / ');

  const paint = (sums: readonly Sums[]): (number | null)[][] => {
    const parts = new Map(summed.map((part, i) => [part, sums.map((each) => each[i] ?? null)]));
    return behind.map((columns, side) => {
      const lists = columns.map((part) => parts.get(part) ?? []);
      return numbers(paintings[side]?.paint(lists) ?? lists[0] ?? []);
    });
  };
  const places: ChartPlaces = {
    ...axes,
    layout,
    paths: read.axis.map(({ paths: [path = []] }) => path),
    isFolded: (line, x) => Boolean(read.series[line]?.group?.isFolded || read.axis[x]?.isFolded),
    decimals: sides.map(({ column }) => (isSum ? origins.decimalsOf(column) : EXACT)),
  };
  const sums = read.series.map((each) => each.sums);
  // Averages have no wholes, and groups that are not drawn would be missing in wholes and ranks.
  const isWhole = read.left === 0 && !matrix.hidesGroups;
  const isKnown = (isSum || way === 'rank') && (isWhole || way === 'running_total');
  const nothing = () => sides.map(() => read.axis.map(() => null));
  const own =
    way && isKnown ? numbersAs(way, sums, places, paint) : sums.map(way ? nothing : paint);
  return {
    ...shape,
    labels: read.axis.map((group) => text(group, axes.axis)),
    places: read.axis.map(({ paths }) => paths),
    lines: read.series.map(({ group }, line) => ({
      label: group === null || axes.series === null ? null : text(group, [axes.series]),
      folded: group?.isFolded ? matrix.countOf(group, axes.series ?? '') : null,
      members: group && group.paths.map(([value = null]) => value),
      values: own[line] ?? [],
    })),
    isSum: isSum && !isRatio && addsUp(way, places),
    left: read.left,
    rowsBehind: matrix.isLimitedInside
      ? (x, line) => {
          const groups = [read.axis[x], read.series[line]?.group].filter((group) => group != null);
          return matrix.rowsBehind(axes.isTime ? groups.reverse() : groups);
        }
      : null,
  };
}

const numbers = (values: readonly CellValue[]): (number | null)[] =>
  values.map((value) => (typeof value === 'number' ? value : null));

const formatOf = (column: string, { layout, formats }: ChartSource): ColumnFormat => ({
  aggregate: layout.aggregates?.[column],
  ...formats.get(column),
  ...readFormats(layout.columns_config).get(column),
});

/** Sums by position on the axis, for each series. */
interface ReadMatrix {
  axis: Group[];
  series: { group: Group | null; sums: Sums[] }[];
  left: number;
}

/** Reads a chart with time along the axis and the biggest groups as series. */
async function timeMatrix(
  matrix: Matrix,
  { axis, series }: ChartAxes,
  source: ChartSource,
  schema: Schema,
): Promise<ReadMatrix> {
  const { outers, left } =
    series === null
      ? { outers: [await whole(matrix, axis)], left: 0 }
      : await matrix.biggest(series, axis, MOST_SERIES);
  const paths = new Map(
    outers.flatMap(({ inner }) => [...inner.keys()]).map((key) => [key, pathOf(key)]),
  );
  const ordered = await inOrder([...paths.values()], axis, matrix, source, schema);
  return {
    axis: ordered.map(groupOf),
    series: outers.map(({ group, inner }) => ({
      group: series === null ? null : group,
      sums: ordered.map((path) => inner.get(pathKey(path)) ?? matrix.nothing),
    })),
    left,
  };
}

async function whole(matrix: Matrix, axis: readonly string[]): Promise<Outer> {
  const groups = await matrix.groups(axis);
  const inner = new Map(groups.map(({ path, sums }) => [pathKey(path), sums]));
  return { group: groupOf([]), sums: matrix.nothing, inner };
}

/**
 * Reads a chart with groups along the axis, the biggest first, and the biggest groups inside them as series.
 */
async function groupMatrix(matrix: Matrix, { axis, series }: ChartAxes): Promise<ReadMatrix> {
  const [along] = axis;
  if (along === undefined) {
    const groups = await matrix.groups([]);
    return {
      axis: [groupOf([])],
      series: groups.map(({ sums }) => ({ group: null, sums: [sums] })),
      left: 0,
    };
  }
  const inner = series === null ? [] : [series];
  const { outers, left } = await matrix.biggest(along, inner, MOST_GROUPS);
  const places = outers.map(({ group }) => group);
  if (series === null) {
    return { axis: places, series: [{ group: null, sums: outers.map(({ sums }) => sums) }], left };
  }
  const keys = [...new Set(outers.flatMap((each) => [...each.inner.keys()]))];
  const rows = keys.map((key) => outers.map((each) => each.inner.get(key) ?? matrix.nothing));
  const sizes = rows.map((sums) => sums.reduce(added, matrix.nothing));
  const single = [...keys.keys()].filter((i) => !endsInOthers(pathOf(keys[i] ?? '[]')));
  const room = single.length < keys.length ? MOST_SERIES - 1 : MOST_SERIES;
  const shown = matrix
    .places(
      single.map((i) => sizes[i] ?? []),
      room,
    )
    .flatMap((i) => single[i] ?? []);
  const all = shown.map((i) => ({ group: groupOf(pathOf(keys[i] ?? '[]')), sums: rows[i] ?? [] }));
  const others = rows.filter((_, i) => !shown.includes(i));
  const paths = keys.filter((_, i) => !shown.includes(i)).map(pathOf);
  if (others.length === 0 || !matrix.isSum) {
    return {
      axis: places,
      series: all,
      left: left + matrix.countOf({ paths, isFolded: true }, series),
    };
  }
  const folded = places.map((_, x) =>
    others.reduce<Sums>((sum, row) => added(sum, row[x] ?? []), matrix.nothing),
  );
  return {
    axis: places,
    series: [...all, { group: { paths, isFolded: true }, sums: folded }],
    left,
  };
}

const pathOf = (key: string): CellValue[] => {
  const path: unknown = JSON.parse(key);
  return Array.isArray(path) ? path : [];
};

/** Sorts the positions of a time axis and adds the missing ones between them; the empty value comes last. */
async function inOrder(
  paths: CellValue[][],
  axis: readonly string[],
  matrix: Matrix,
  source: ChartSource,
  schema: Schema,
): Promise<CellValue[][]> {
  const ranks = await Promise.all(axis.map((name) => ranksOf(name, matrix, source, schema)));
  const rank = (value: CellValue, level: number) =>
    ranks[level]?.get(valueKey(value)) ?? (typeof value === 'number' ? value : Infinity);
  const sorted = paths.sort((a, b) => {
    for (const [i, value] of a.entries()) {
      const other = b[i] ?? null;
      if (valueKey(value) === valueKey(other)) continue;
      if (value === null || other === null) return value === null ? 1 : -1;
      const [one, two] = [rank(value, i), rank(other, i)];
      return one === two ? (String(value) < String(other) ? -1 : 1) : one - two;
    }
    return 0;
  });
  const [name, deeper] = axis;
  if (name === undefined || deeper !== undefined || schema[name] !== 'date') return sorted;
  const style = labelStyle(schema[name], source.layout.expressions?.[name]);
  const times = sorted.map(([time]) => time).filter((time) => typeof time === 'number');
  const empty = sorted.filter(([time]) => time === null);
  return [
    ...evenly(times, isTimeUnit(style) ? style : undefined).map((time): CellValue[] => [time]),
    ...empty,
  ];
}

/** Returns the sort keys of a period's texts: the number of a month, or the first day with the text. */
async function ranksOf(
  name: string,
  matrix: Matrix,
  { columns, months }: ChartSource,
  schema: Schema,
): Promise<ReadonlyMap<string, number>> {
  const order = months.get(name);
  const column = columns.find(({ cname }) => cname === name);
  const date = columns.find((c) => c.role === 'date' && c.dim_group === column?.dim_group);
  const by = order?.by ?? (schema[name] === 'string' ? date?.cname : undefined);
  if (by === undefined || (order?.expression == null && !(by in schema))) return new Map();
  const groups = await matrix.groups([name], [by], {
    aggregates: { [by]: 'min' },
    expressions: order?.expression == null ? {} : { [by]: order.expression },
  });
  return new Map(groups.map(({ path, sums }) => [valueKey(path[0] ?? null), sums[0] ?? Infinity]));
}

/**
 * Returns the conditions of the cells that a bar or point adds up.
 *
 * @param place index of its place on the axis
 * @param line index of its series
 */
export function conditionsOf(
  {
    axis,
    isTime,
    series,
    places,
    lines,
    rowsBehind,
  }: Pick<Chart, 'axis' | 'isTime' | 'series' | 'places' | 'lines' | 'rowsBehind'>,
  place: number,
  line: number,
): CellCondition[] {
  const members = lines[line]?.members;
  // The rows behind a place name its groups, but not its dates.
  const along = axis.length > 0 && (isTime || !rowsBehind);
  return [
    ...(along ? [{ columns: axis, paths: places[place] ?? [] }] : []),
    ...(rowsBehind
      ? [rowsBehind(place, line)]
      : series !== null && members
        ? [{ columns: [series], paths: members.map((value) => [value]) }]
        : []),
  ];
}
