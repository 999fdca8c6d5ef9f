/** Totals of a version, overall and by month. */
import { isMeasure, measureKey, type SingleRole } from '../../../contract/columns';
import { figuresOf } from '../../../contract/measures';
import type { VersionTotals } from '../../../contract/versions';
import type { Database } from '../../db/database';
import { entryLabels } from '../../db/log/log';
import { monthTotals, type EntryMonths } from '../../db/totals/month-totals';
import type { KeptTotals } from '../../kept-totals';
import { measureColumns, measureOf } from '../../sql/forecast-columns';
import { readVersion } from '../version/forecast-version';
import { seriesOf } from './totals-series';

/**
 * Totals of a version, overall and by month (docs/contract/06-log.md#get-versionsidtotals). The totals of
 * entries are cached, also for floating-point measures, since these figures are only displayed.
 * @throws AppError 404
 */
export const versionTotals = (
  { db, monthTotals: kept }: { db: Database; monthTotals: KeptTotals<EntryMonths> },
  versionId: number,
): Promise<VersionTotals> =>
  // One snapshot, so that all totals have the same entries.
  db.versionRead(versionId, async (tx) => {
    const target = await readVersion(tx, versionId);
    const { version, rows, columns, metadata } = target;
    const date = columns.find(({ role }) => role === 'date');
    const measure = (role: SingleRole) => measureOf(role, columns);
    const types = figuresOf(measureColumns(columns).map((m) => [measureKey(m), m.source.base]));
    const shape = [...measureColumns(columns), ...(date ? [date] : [])];
    const labels = metadata.flatMap(({ cname, role, label }) =>
      isMeasure(role) && label ? [[cname, label] as const] : [],
    );
    const series = seriesOf(tx.timeline, target, shape);

    const entries = await entryLabels(tx, version.id);
    const known = kept.of(series, entries);
    const ids = new Set(known.map(({ logid }) => logid));
    const unknown = entries.flatMap(({ id }) => (ids.has(id) ? [] : id));
    const { read, plan, reference, compared, months } = await monthTotals(
      ...([tx, rows, columns, date, version.exclude_iters, unknown, known] as const),
    );
    kept.keep(series, entries, [...known, ...read]);
    return {
      value_col: measure('value')?.name ?? null,
      units_col: measure('units')?.name ?? null,
      value_type: types.value,
      units_type: types.units,
      ...(types.measures && { measure_types: types.measures }),
      ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
      date_col: date?.name ?? null,
      plan,
      reference: reference.row_count > 0 ? reference : null,
      compared: reference.row_count > 0 ? compared : null,
      months,
    };
  });
