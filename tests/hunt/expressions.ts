import type { HuntColumn } from './table';
import type { Random } from './random';
import { groupSql, ident, literal, type LabelKind } from './values';

/** A level of a pivot: a column or an expression, with its meaning in SQL. */
export interface Level {
  name: string;
  /** The text of the expression; null for a column. */
  expression: string | null;
  /** Its value in SQL; null if SQL has no equivalent. */
  sql: string | null;
  kind: LabelKind;
}

export const columnLevel = (column: HuntColumn): Level => ({
  name: column.name,
  expression: null,
  sql: groupSql(column.kind, ident(column.name)),
  kind: column.kind,
});

/** A kind of expression: the columns it takes, its text, and the equivalent SQL. */
interface Template {
  takes: readonly HuntColumn['kind'][];
  make(columns: readonly [HuntColumn, HuntColumn], random: Random): Omit<Level, 'name'>;
}

/** Returns a column's name in an expression. */
const named = (column: HuntColumn): string => `"${column.name}"`;
const sqlOf = (column: HuntColumn): string => groupSql(column.kind, ident(column.name));
/**
 * Returns the upper or lower case of a text column. The engine converts the blank text to the empty value.
 */
const cased = (how: 'upper' | 'lower', column: HuntColumn): string =>
  `NULLIF(${how}(${sqlOf(column)} COLLATE "C"), '')`;

const TEMPLATES: readonly Template[] = [
  {
    takes: ['date'],
    make: ([c]) => ({
      expression: `bucket(${named(c)}, 'M')`,
      sql: `date_trunc('month', ${sqlOf(c)}::timestamp)::date`,
      kind: 'month',
    }),
  },
  {
    takes: ['date'],
    make: ([c]) => ({
      expression: `bucket(${named(c)}, '3M')`,
      sql: `date_trunc('quarter', ${sqlOf(c)}::timestamp)::date`,
      kind: 'quarter',
    }),
  },
  {
    takes: ['date'],
    make: ([c]) => ({
      expression: `bucket(${named(c)}, 'Y')`,
      sql: `date_trunc('year', ${sqlOf(c)}::timestamp)::date`,
      kind: 'year',
    }),
  },
  {
    takes: ['text'],
    make: ([c], random) => {
      const upper = random.chance(0.5);
      const comment = random.pick(['', "// it's\n", `/* it's "b" */ `, "# don't\n"]);
      return {
        expression: `${comment}${upper ? 'upper' : 'lower'}(${named(c)})`,
        sql: cased(upper ? 'upper' : 'lower', c),
        kind: 'text',
      };
    },
  },
  {
    takes: ['text'],
    make: ([c]) => ({
      expression: `upper(${named(c)}) // it's ${named(c)}`,
      sql: cased('upper', c),
      kind: 'text',
    }),
  },
  {
    takes: ['text'],
    make: ([a, b], random) => {
      const between = random.pick([' ', '-', '|']);
      return {
        expression: `concat(${named(a)}, '${between}', ${named(b)})`,
        sql: `(${sqlOf(a)} || ${literal(between)} || ${sqlOf(b)})`,
        kind: 'text',
      };
    },
  },
  {
    takes: ['text'],
    make: ([c]) => ({
      expression: `upper(col('${c.name}'))`,
      sql: cased('upper', c),
      kind: 'text',
    }),
  },
  {
    takes: ['integer', 'numeric'],
    make: ([c]) => ({
      expression: `bucket(${named(c)}, 10)`,
      sql: `(floor(${sqlOf(c)}::double precision / 10) * 10)`,
      kind: 'float',
    }),
  },
  {
    takes: ['text', 'integer', 'numeric', 'date'],
    make: () => ({ expression: `'all'`, sql: `'all'::text`, kind: 'text' }),
  },
  {
    takes: ['text'],
    make: ([c]) => ({
      expression: `vlookup('${c.name}', index())`,
      sql: null,
      kind: 'text',
    }),
  },
  {
    takes: ['text', 'integer', 'date'],
    make: () => ({ expression: 'index() % 3', sql: null, kind: 'float' }),
  },
  {
    takes: ['text', 'integer', 'date'],
    make: () => ({
      expression: `if (random() < 0.5) 'low'; else 'high'`,
      sql: null,
      kind: 'text',
    }),
  },
];

/** Returns whether an expression can name a column: the engine has no way to write these characters. */
const nameable = (column: HuntColumn): boolean => !/["'\\]/.test(column.name);

/** Returns an expression over columns of a table; null if it can name none of them. */
export function randomExpression(columns: readonly HuntColumn[], random: Random): Level | null {
  const usable = columns.filter(nameable);
  const template = random.pick(TEMPLATES);
  const fitting = usable.filter((c) => template.takes.includes(c.kind));
  if (fitting.length === 0) return null;
  const first = random.pick(fitting);
  const second = random.pick(fitting);
  const name = random.pick(['made', `${first.name} (x)`, "it's made"]);
  if (columns.some((c) => c.name === name)) return null;
  return { name, ...template.make([first, second], random) };
}
