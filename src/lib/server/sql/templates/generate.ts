/** Generates all templates of a source from its columns. */
import { isLeaf, MOST_COLUMNS, SYSTEM_COLUMNS } from '../../../contract/columns';
import type { TemplateOperation } from '../../../contract/sources';
import type { Blame } from '../../errors';
import { AppError } from '../../errors';
import type { ForecastColumn, SourceColumn } from '../forecast-columns';
import {
  dateOfGroup,
  forecastColumns,
  grainColumns,
  leafColumns,
  measureColumns,
} from '../forecast-columns';
import type { SqlText } from '../quote';
import { cloneTemplate } from './clone';
import { loadTemplate } from './load';
import { getAggTemplate, getDataTemplate } from './read';
import { recodeTemplate } from './recode';
import { scaleTemplate } from './scale';
import { undoTemplate } from './undo';

/** One template per operation; `get_agg` only if the source has a grain. */
export type Templates = Record<Exclude<TemplateOperation, 'get_agg'>, SqlText> & {
  get_agg?: SqlText;
};

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/**
 * All templates of a source (docs/contract/07-sql-generation.md). `get_agg` only if it has a
 * grain.
 *
 * @throws AppError 422 with the reason if the metadata makes no working templates
 */
export function generateTemplates(
  source: { schema: string; tname: string },
  metadata: readonly SourceColumn[],
): Templates {
  const columns = forecastColumns(metadata);
  checkMetadata(metadata, columns);

  const grain = grainColumns(columns);
  if (grain.length > 0 && measureColumns(columns).length === 0) {
    throw new AppError(422, 'The source has a grain but neither a value nor a units column to sum');
  }
  return {
    get_data: getDataTemplate(columns),
    ...(grain.length > 0 ? { get_agg: getAggTemplate(columns) } : {}),
    baseline: loadTemplate('baseline', source, columns),
    reference: loadTemplate('reference', source, columns),
    scale: scaleTemplate(columns),
    recode: recodeTemplate(columns),
    clone: cloneTemplate(columns),
    undo: undoTemplate(columns),
  };
}

const blame = ([first, ...others]: readonly SourceColumn[]): Blame =>
  first && others.length === 0 ? { column: first.cname } : {};

function checkMetadata(
  metadata: readonly SourceColumn[],
  columns: readonly ForecastColumn[],
): void {
  const used = metadata.filter((c) => c.role !== 'ignore' && c.role !== 'filter');
  const lost = used.filter((c) => c.type === null);
  const lostGrain = lost.filter((c) => c.inGrain && isLeaf(c.role));
  if (lostGrain.length > 0) {
    throw new AppError(
      422,
      `The table no longer has these grain columns, so no load fills them: ${quoted(lostGrain.map((c) => c.cname))}`,
      blame(lostGrain),
    );
  }
  if (lost.length > 0) {
    throw new AppError(
      422,
      `The table no longer has these columns: ${quoted(lost.map((c) => c.cname))}`,
      blame(lost),
    );
  }
  const reserved = used.filter((c) => SYSTEM_COLUMNS.some((name) => name === c.cname));
  if (reserved.length > 0) {
    throw new AppError(
      422,
      `These names are reserved for PostgreSQL: ${quoted(reserved.map((c) => c.cname))}`,
      blame(reserved),
    );
  }
  if (columns.length > MOST_COLUMNS) {
    throw new AppError(
      422,
      `The source has ${columns.length} columns with a role, and a table can have at most 1,600, of which ${MOST_COLUMNS} can be the source's; give some of them the role ignore`,
    );
  }
  if (leafColumns(columns).length === 0) {
    throw new AppError(422, 'The source has neither a dimension nor a date column');
  }
  for (const c of columns) {
    if (c.periodColumn !== null && !dateOfGroup(c, columns)) {
      throw new AppError(
        422,
        `"${c.name}" is derived from the calendar but its group has no date column`,
        { column: c.name },
      );
    }
  }
}
