/** Formulas of a source: sums and ratios of its measures under a name, and their number formats. */
import * as v from 'valibot';
import { type ColumnEntry, isMeasure, RESERVED_NAMES } from './columns';
import { faultText, LONGEST_EXPRESSION, parseExpression } from './formula-expression';
import { pfUser, shortName, text, timestamp } from './primitives';

/** Maximum number of decimals of a result. */
export const MOST_DECIMALS = 10;
const DECIMALS = `must be a whole number from 0 to ${MOST_DECIMALS}`;

/** How the results of a formula are written. */
export const FormulaFormat = v.pipe(
  v.object({
    style: v.pipe(
      v.picklist(['number', 'percent', 'currency']),
      v.description('percent shows 0.25 as 25 %'),
    ),
    currency: v.optional(
      v.pipe(
        text,
        v.regex(/^[A-Z]{3}$/, 'must be a currency code of three capital letters, such as EUR'),
        v.description('With the style currency only, and needed there: a code such as EUR'),
      ),
    ),
    decimals: v.optional(
      v.pipe(
        v.number(),
        v.integer(DECIMALS),
        v.minValue(0, DECIMALS),
        v.maxValue(MOST_DECIMALS, DECIMALS),
        v.description('2 if missing; 1 for percent'),
      ),
    ),
  }),
  v.forward(
    v.check(
      ({ style, currency }) => (style === 'currency') === (currency !== undefined),
      'is needed with the style currency, and with no other',
    ),
    ['currency'],
  ),
);
export type FormulaFormat = v.InferOutput<typeof FormulaFormat>;

/** The decimals that a format writes. */
export const decimalsOfFormat = ({ style, decimals }: FormulaFormat): number =>
  decimals ?? (style === 'percent' ? 1 : 2);

/**
 * A formula (docs/contract/02-resources-and-their-fields.md#pfformula). The service stores and checks it; the
 * browser evaluates it on the sums of each cell.
 */
export const Formula = v.object({
  id: v.number(),
  source_id: v.number(),
  name: v.string(),
  expression: v.string(),
  format: FormulaFormat,
  created_by: v.nullable(v.string()),
  created_at: timestamp,
});
export type Formula = v.InferOutput<typeof Formula>;

/** A formula in an answer, with the reason why the present columns do not allow it. */
export const CheckedFormula = v.object({
  ...Formula.entries,
  problem: v.pipe(
    v.nullable(v.string()),
    v.description('Why the formula cannot be used with the present columns; null if it can'),
  ),
});
export type CheckedFormula = v.InferOutput<typeof CheckedFormula>;
/** Answer of GET formulas. */
export const FormulasAnswer = v.array(CheckedFormula);

const expression = v.pipe(
  text,
  v.maxLength(LONGEST_EXPRESSION, `must be at most ${LONGEST_EXPRESSION} characters`),
  v.description('Numbers, measures by column name, + - * / and brackets'),
);
const name = v.pipe(
  shortName,
  v.check((s) => !s.includes(': '), 'must not contain ": ", which begins the parts of a measure'),
);

/** Body of POST formulas (docs/contract/11-endpoints.md). */
export const CreateFormulaRequest = v.object({
  name,
  expression,
  format: v.optional(FormulaFormat, { style: 'number' }),
  pf_user: pfUser,
});
export type CreateFormulaRequest = v.InferInput<typeof CreateFormulaRequest>;

/** Body of PATCH on a formula; a missing field keeps its value (docs/contract/11-endpoints.md). */
export const EditFormulaRequest = v.object({
  name: v.optional(name),
  expression: v.optional(expression),
  format: v.optional(FormulaFormat),
});
export type EditFormulaRequest = v.InferOutput<typeof EditFormulaRequest>;

/** Returns the names of the measures that expressions can use, in the order of the columns. */
export const measureNames = (columns: readonly Pick<ColumnEntry, 'cname' | 'role'>[]): string[] =>
  columns.filter(({ role }) => isMeasure(role)).map(({ cname }) => cname);

/** What follows the name of a column in the names that a pivot makes from it: "Sales: Δ", "Order Date (month)". */
const CONTINUED = [': ', ' (', ' of '];

/** Returns why a source with these columns cannot have a formula of a name; null if it can. */
export function whyNotNamed(
  formula: string,
  columns: readonly Pick<ColumnEntry, 'cname'>[],
): string | null {
  if ([...RESERVED_NAMES].some((reserved) => reserved === formula))
    return `"${formula}" is reserved for the service`;
  for (const { cname } of columns) {
    if (cname === formula) return `The source has a column named "${formula}"`;
    const how = CONTINUED.find((more) => formula.startsWith(cname + more));
    if (how !== undefined)
      return `A name that begins with "${cname}${how}" is reserved for parts of the column "${cname}"`;
  }
  return null;
}

/** Returns why the present columns do not allow a formula; null if they do. */
export function problemOf(
  { name, expression }: Pick<Formula, 'name' | 'expression'>,
  columns: readonly Pick<ColumnEntry, 'cname' | 'role'>[],
): string | null {
  const unnamed = whyNotNamed(name, columns);
  if (unnamed !== null) return unnamed;
  const { fault } = parseExpression(expression, measureNames(columns));
  return fault && faultText(fault);
}
