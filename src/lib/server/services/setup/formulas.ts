/** Formulas of a source: storing them, and checking them against its columns. */
import { faultText, parseExpression } from '../../../contract/formula-expression';
import {
  type CheckedFormula,
  type EditFormulaRequest,
  Formula,
  measureNames,
  problemOf,
  whyNotNamed,
} from '../../../contract/formulas';
import { convertedColumns, namesAdded } from '../../../contract/lookups';
import type { Source } from '../../../contract/sources';
import { listColumns } from '../../db/setup/column-metadata';
import { storedLookups } from '../../db/setup/lookups';
import type { Database } from '../../db/database';
import type { Queryable } from '../../db/connection/queryable';
import { getSource } from '../../db/setup/sources';
import { AppError } from '../../errors';
import { sql } from '../../sql/quote';
import { operationsOn } from './named';

const stored = operationsOn(
  {
    kind: 'formula',
    schema: Formula,
    content: { expression: sql`text`, format: sql`jsonb` },
  },
  refuse,
);

/** The formulas of a source, sorted by name. @throws AppError 404 */
export async function listFormulas(db: Database, sourceId: number): Promise<CheckedFormula[]> {
  const formulas = await stored.list(db, sourceId);
  const columns = await columnsFor(db, await getSource(db, sourceId));
  return formulas.map((formula) => ({ ...formula, problem: problemOf(formula, columns) }));
}

/** @throws AppError 404, 400 for a fault in the expression, 409 if the name is taken or reserved */
export async function createFormula(
  db: Database,
  sourceId: number,
  request: Pick<Formula, 'name' | 'expression' | 'format'> & { pf_user: string },
): Promise<CheckedFormula> {
  return checked(db, await stored.create(db, sourceId, request));
}

/** Changes the fields that the request names. @throws AppError as {@link createFormula} */
export async function editFormula(
  db: Database,
  id: number,
  edit: EditFormulaRequest,
): Promise<CheckedFormula> {
  return checked(db, await stored.edit(db, id, edit));
}

/** @throws AppError 404 */
export const deleteFormula = stored.remove;

async function checked(db: Database, formula: Formula): Promise<CheckedFormula> {
  const columns = await columnsFor(db, await getSource(db, formula.source_id));
  return { ...formula, problem: problemOf(formula, columns) };
}

/** The columns of a source, and the conversions of its lookups. @param lookups those of the source, if they are read already */
const columnsFor = async (
  db: Queryable,
  source: Source,
  lookups?: Parameters<typeof convertedColumns>[0],
) => [
  ...(await listColumns(db, source)),
  ...convertedColumns(lookups ?? (await storedLookups(db, source.id))),
];

/** @throws AppError 400 for a fault in the expression, 409 if a column or a lookup of the source reserves the name */
async function refuse(
  db: Queryable,
  source: Source,
  { name, expression }: EditFormulaRequest = {},
): Promise<void> {
  const lookups = await storedLookups(db, source.id);
  const lookup = lookups.find((each) => namesAdded(each).some(({ label }) => label === name));
  if (lookup) {
    const taken = `The lookup “${lookup.name}” has a field named "${name}"`;
    throw new AppError(409, taken, { field: 'name' });
  }
  const columns = await columnsFor(db, source, lookups);
  const why = name === undefined ? null : whyNotNamed(name, columns);
  if (why !== null) throw new AppError(409, why, { field: 'name' });
  if (expression === undefined) return;
  const { fault } = parseExpression(expression, measureNames(columns));
  if (!fault) return;
  throw new AppError(400, `expression: ${faultText(fault)}`, { field: 'expression' });
}
