/**
 * What a condition from outside may contain (docs/decisions/0005-sql-from-outside.md). The guard refuses
 * everything else, so additions of newer PostgreSQL versions are refused too.
 */

/** Binary operators that return true or false. Their operands may be arrays. */
export const BOOLEAN_OPERATORS: ReadonlySet<string> = new Set([
  ...['=', '<>', '<', '<=', '>', '>='],
  ...['~~', '!~~', '~~*', '!~~*', '~', '!~', '~*', '!~*'],
  ...['@>', '<@', '&&', '?', '?|', '?&'],
]);

/** Operators on numbers. `^` is missing, because a power of a numeric can take minutes. */
export const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%']);

/** Binary operators that return other values than true or false. */
export const VALUE_OPERATORS: ReadonlySet<string> = new Set([
  ...ARITHMETIC,
  ...['||', '->', '->>', '#>', '#>>'],
]);

export const PREFIX_OPERATORS: ReadonlySet<string> = new Set(['+', '-']);

/** Operators that compare two rows of values, column by column. */
export const ROW_OPERATORS: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=']);

/**
 * The plain types, as PostgreSQL's grammar names them. The `reg…` types are missing, because they read the
 * catalog.
 */
export const TYPES: ReadonlySet<string> = new Set([
  ...['bool', 'boolean', 'int2', 'smallint', 'int4', 'int', 'integer', 'int8', 'bigint'],
  ...['numeric', 'decimal', 'float4', 'real', 'float8'],
  ...['text', 'varchar', 'bpchar', 'uuid', 'json', 'jsonb'],
  ...['date', 'time', 'timestamp', 'timestamptz', 'interval'],
  ...['int4range', 'int8range', 'numrange', 'daterange', 'tsrange', 'tstzrange'],
]);

/** The most arguments of one function call; PostgreSQL has the same limit. */
export const MAX_ARGUMENTS = 100;

/** The largest n of `char(n)` and `varchar(n)`, since `char(n)` pads each value to n characters. */
export const MAX_TYPE_LENGTH = 1000;

/** The values that SQL writes without brackets, such as `current_date`. */
export const VALUE_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['SVFOP_CURRENT_DATE', 'SVFOP_CURRENT_TIMESTAMP', 'SVFOP_CURRENT_TIMESTAMP_N'],
  ...['SVFOP_LOCALTIMESTAMP', 'SVFOP_LOCALTIMESTAMP_N'],
]);

/** A rule for an argument, beside having the right type. */
export type ArgumentRule =
  /** A text literal: a computed format or separator could grow without bound. */
  | 'text literal'
  /** A literal whole number of at most `MAX_TYPE_LENGTH`. */
  | 'length literal'
  /** A text literal that is not longer than the argument before it, which is a text literal too. */
  | 'empty literal'
  /** A text literal that is no longer than the argument before it, which is one too. */
  | 'no longer'
  /** May be an array. */
  | 'array';

interface FunctionRule {
  /** Rules by the argument's position, from 0. */
  arguments?: Readonly<Record<number, ArgumentRule>>;
  /** Number of arguments; any number by default. */
  count?: number;
}

const plain = (...names: string[]): [string, FunctionRule][] => names.map((name) => [name, {}]);
const ruled = (
  name: string,
  rules: Record<number, ArgumentRule>,
  count?: number,
): [string, FunctionRule] => [
  name,
  { arguments: rules, ...(count === undefined ? {} : { count }) },
];

/** Built-in functions of pg_catalog without side effects, all of them in PostgreSQL 15. */
export const FUNCTIONS: ReadonlyMap<string, FunctionRule> = new Map([
  ...plain('lower', 'upper', 'initcap', 'reverse', 'md5', 'ascii', 'chr', 'concat', 'translate'),
  ...plain('length', 'char_length', 'character_length', 'octet_length'),
  ...plain('btrim', 'ltrim', 'rtrim', 'left', 'right', 'substr', 'substring', 'split_part'),
  ...plain('position', 'strpos', 'starts_with', 'overlay'),
  ...plain('regexp_like', 'regexp_count', 'regexp_substr'),
  ruled('concat_ws', { 0: 'text literal' }),
  ruled('lpad', { 1: 'length literal' }),
  ruled('rpad', { 1: 'length literal' }),
  ruled('replace', { 1: 'text literal', 2: 'no longer' }, 3),
  ruled('regexp_replace', { 2: 'empty literal' }),

  ...plain('abs', 'ceil', 'ceiling', 'floor', 'round', 'trunc', 'sign', 'mod', 'div'),

  ...plain('now', 'transaction_timestamp', 'date_trunc', 'date_part', 'date_bin', 'extract'),
  ...plain('age', 'date', 'make_date', 'isfinite', 'overlaps'),
  ruled('to_char', { 1: 'text literal' }, 2),
  ruled('to_date', { 1: 'text literal' }, 2),
  ruled('to_number', { 1: 'text literal' }, 2),
  // With one argument, it takes a number of seconds; with two, a text and its format.
  ruled('to_timestamp', { 1: 'text literal' }),
  // AT TIME ZONE. A connection caches every zone it meets, so zones from a column would fill its
  // memory. With one argument it is AT LOCAL, which PostgreSQL 15 and 16 do not have.
  ruled('timezone', { 0: 'text literal' }, 2),

  ...plain('daterange', 'numrange', 'isempty', 'jsonb_typeof', 'jsonb_array_length'),
  ruled('array_length', { 0: 'array' }),
  ruled('cardinality', { 0: 'array' }),
  ruled('array_position', { 0: 'array' }),
  ...plain('string_to_array'),
]);

/** Functions that return an array. They are allowed only where an array is. */
export const ARRAY_FUNCTIONS: ReadonlySet<string> = new Set(['string_to_array']);
