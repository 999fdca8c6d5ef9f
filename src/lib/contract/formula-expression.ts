/** The language of formulas: parses an expression, evaluates it on sums, and solves it for one measure. */

/** A parsed expression of a formula. */
export type Expression =
  | { kind: 'number'; value: number }
  | { kind: 'measure'; name: string }
  | { kind: 'minus'; of: Expression }
  | { kind: 'pair'; operator: Operator; left: Expression; right: Expression };

type Operator = '+' | '-' | '*' | '/';

/** A fault in the text of an expression. */
export interface Fault {
  /** Position of the first character to blame, from 0; the length of the text if something is missing. */
  at: number;
  /** A sentence for a person, without the position. */
  sentence: string;
}

/** The longest expression, in characters. */
export const LONGEST_EXPRESSION = 1000;

/** A part of the text: a number, a name, or a single sign. */
interface Token {
  kind: 'number' | 'name' | 'sign' | 'end';
  /** The sign, the digits, or the name without its quotes. */
  text: string;
  at: number;
}

const IDENTIFIER = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u;
const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d+)?)|(?<name>[\p{L}_][\p{L}\p{M}\p{N}_]*)|(?<quoted>"(?:[^"]|"")*")|(?<sign>[-+*/()]))/uy;

class FaultError extends Error {
  constructor(readonly fault: Fault) {
    super(fault.sentence);
  }
}

const fail = (at: number, sentence: string): never => {
  throw new FaultError({ at, sentence });
};

/**
 * Parses an expression of numbers, names of measures, `+ - * /` and brackets. A name that is not an identifier
 * is written in double quotes, with a quote inside it doubled.
 *
 * @param measures the names of the measures; null accepts every name
 * @returns the expression, or the first fault in the text
 */
export function parseExpression(
  text: string,
  measures: readonly string[] | null,
): { expression: Expression; fault: null } | { expression: null; fault: Fault } {
  try {
    if (text.length > LONGEST_EXPRESSION)
      fail(LONGEST_EXPRESSION, `A formula has at most ${LONGEST_EXPRESSION} characters.`);
    return { expression: new Parser(tokensOf(text), measures).parse(), fault: null };
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return { expression: null, fault: error.fault };
  }
}

/** Returns a fault as one sentence with its position, which counts from 1. */
export const faultText = ({ at, sentence }: Fault): string => `at character ${at + 1}: ${sentence}`;

/** Returns a name as an expression writes it: in quotes unless it is an identifier. */
export const nameInExpression = (name: string): string =>
  IDENTIFIER.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  let at = 0;
  while (at < end) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    const from = at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0);
    if (!found) return fail(from, unknownAt(text, from));
    tokens.push({ ...tokenOf(found.groups ?? {}), at: from });
    at += found[0].length;
  }
  return [...tokens, { kind: 'end', text: '', at: end }];
}

function tokenOf({ number, name, quoted, sign = '' }: RegExpExecArray['groups'] & object) {
  if (number !== undefined) return { kind: 'number', text: number } as const;
  if (name !== undefined) return { kind: 'name', text: name } as const;
  if (quoted !== undefined)
    return { kind: 'name', text: quoted.slice(1, -1).replaceAll('""', '"') } as const;
  return { kind: 'sign', text: sign } as const;
}

function unknownAt(text: string, at: number): string {
  if (text[at] === '"') return 'The name has no closing quote.';
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return `“${character}” cannot be used here. A formula has numbers, measures, + - * / and brackets.`;
}

/** A parser by recursive descent; multiplication and division bind tighter than addition and subtraction. */
class Parser {
  private next = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly measures: readonly string[] | null,
  ) {}

  /** @throws FaultError */
  parse(): Expression {
    const expression = this.pairs(['+', '-'], () => this.pairs(['*', '/'], () => this.factor()));
    const rest = this.token;
    if (rest.kind === 'end') return expression;
    const sentence =
      rest.text === ')' && rest.kind === 'sign'
        ? 'This bracket closes nothing.'
        : 'An operator (+ - * /) is missing here.';
    return fail(rest.at, sentence);
  }

  private get token(): Token {
    return this.tokens[this.next] ?? { kind: 'end', text: '', at: 0 };
  }

  /** Takes the next sign if it is one of some. */
  private sign<Sign extends string>(signs: readonly Sign[]): Sign | null {
    const { kind, text } = this.token;
    const sign = kind === 'sign' ? (signs.find((each) => each === text) ?? null) : null;
    if (sign !== null) this.next++;
    return sign;
  }

  private pairs(operators: readonly Operator[], operand: () => Expression): Expression {
    let left = operand();
    for (;;) {
      const operator = this.sign(operators);
      if (operator === null) return left;
      left = { kind: 'pair', operator, left, right: operand() };
    }
  }

  private factor(): Expression {
    const { kind, text, at } = this.token;
    if (this.sign(['-'])) return { kind: 'minus', of: this.factor() };
    if (this.sign(['('])) {
      const inner = this.pairs(['+', '-'], () => this.pairs(['*', '/'], () => this.factor()));
      if (!this.sign([')'])) fail(this.token.at, 'A closing bracket is missing here.');
      return inner;
    }
    if (kind === 'number') {
      this.next++;
      return { kind: 'number', value: Number(text) };
    }
    if (kind === 'name') {
      this.next++;
      if (this.measures && !this.measures.includes(text))
        fail(at, `There is no measure “${text}”.`);
      return { kind: 'measure', name: text };
    }
    return fail(
      at,
      kind === 'end' && this.next === 0
        ? 'The formula is empty.'
        : 'A number, a measure or a bracket is missing here.',
    );
  }
}

/** Returns the measures that an expression uses, each once, in their order of appearance. */
export function measuresIn(expression: Expression): string[] {
  switch (expression.kind) {
    case 'number':
      return [];
    case 'measure':
      return [expression.name];
    case 'minus':
      return measuresIn(expression.of);
    case 'pair':
      return [...new Set([...measuresIn(expression.left), ...measuresIn(expression.right)])];
  }
}

/** The rounding error of adding equal numbers in another order, as a share of them. */
const RESIDUE = 1e-12;

/** Returns a sum, which is 0 if only a rounding error is left of its parts. */
function sumOf(left: number, right: number): number {
  const sum = left + right;
  return Math.abs(sum) <= RESIDUE * Math.max(Math.abs(left), Math.abs(right)) ? 0 : sum;
}

/**
 * Evaluates an expression on the sums of a cell.
 *
 * @param valueOf returns the sum of a measure; null if there is none
 * @returns null if a measure that is used has no sum, if a divisor is 0, or if no double holds the result
 */
export function evaluate(
  expression: Expression,
  valueOf: (measure: string) => number | null,
): number | null {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'measure':
      return valueOf(expression.name);
    case 'minus': {
      const of = evaluate(expression.of, valueOf);
      return of === null ? null : 0 - of;
    }
    case 'pair': {
      const left = evaluate(expression.left, valueOf);
      const right = evaluate(expression.right, valueOf);
      if (left === null || right === null) return null;
      const result = combined(expression.operator, left, right);
      return Number.isFinite(result) ? result : null;
    }
  }
}

function combined(operator: Operator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return sumOf(left, right);
    case '-':
      return sumOf(left, -right);
    case '*':
      return left * right;
    case '/':
      return right === 0 ? NaN : left / right;
  }
}

/** A polynomial of the measure that is solved for: the coefficients by degree, from 0. */
type Polynomial = readonly number[];

/** A fraction of polynomials. */
interface Fraction {
  over: Polynomial;
  under: Polynomial;
}

const ONE: Polynomial = [1];

/**
 * Solves an expression for one measure while the others are held.
 *
 * @param valueOf returns the sums of the other measures; null if there is none
 * @param wanted the result that the expression is to have
 * @returns the value of the measure; null if the result does not depend on it, or if the equation is not
 * linear in it, or has no solution
 */
export function solve(
  expression: Expression,
  measure: string,
  valueOf: (measure: string) => number | null,
  wanted: number,
): number | null {
  const fraction = fractionOf(expression, measure, valueOf);
  if (!fraction) return null;
  const equation = plus(fraction.over, times(fraction.under, [-wanted]));
  const [constant = 0, slope = 0, ...higher] = equation;
  if (slope === 0 || higher.some((coefficient) => coefficient !== 0)) return null;
  const solution = 0 - constant / slope;
  if (!Number.isFinite(solution)) return null;
  const found = evaluate(expression, (name) => (name === measure ? solution : valueOf(name)));
  const isFound =
    found !== null && Math.abs(found - wanted) <= SLACK * Math.max(1, Math.abs(wanted));
  return isFound ? solution : null;
}

/** The largest difference between the wanted result and that of a solution, as a share of it. */
const SLACK = 1e-6;

function fractionOf(
  expression: Expression,
  measure: string,
  valueOf: (measure: string) => number | null,
): Fraction | null {
  switch (expression.kind) {
    case 'number':
      return { over: [expression.value], under: ONE };
    case 'measure': {
      if (expression.name === measure) return { over: [0, 1], under: ONE };
      const value = valueOf(expression.name);
      return value === null ? null : { over: [value], under: ONE };
    }
    case 'minus': {
      const of = fractionOf(expression.of, measure, valueOf);
      return of && { over: times(of.over, [-1]), under: of.under };
    }
    case 'pair': {
      const left = fractionOf(expression.left, measure, valueOf);
      const right = fractionOf(expression.right, measure, valueOf);
      return left && right && combinedFractions(expression.operator, left, right);
    }
  }
}

function combinedFractions(operator: Operator, left: Fraction, right: Fraction): Fraction | null {
  if (operator === '*')
    return reduced({ over: times(left.over, right.over), under: times(left.under, right.under) });
  if (operator === '/') {
    if (right.over.every((coefficient) => coefficient === 0)) return null;
    return reduced({ over: times(left.over, right.under), under: times(left.under, right.over) });
  }
  const added = operator === '+' ? right.over : times(right.over, [-1]);
  if (isSame(left.under, right.under)) return { over: plus(left.over, added), under: left.under };
  return reduced({
    over: plus(times(left.over, right.under), times(added, left.under)),
    under: times(left.under, right.under),
  });
}

/** Divides both sides by a divisor that is a number. */
function reduced({ over, under }: Fraction): Fraction {
  const [constant = 0, ...higher] = under;
  if (higher.some((coefficient) => coefficient !== 0)) return { over, under };
  return { over: over.map((coefficient) => coefficient / constant), under: ONE };
}

const isSame = (some: Polynomial, others: Polynomial): boolean =>
  some.length === others.length && some.every((coefficient, i) => coefficient === others[i]);

function plus(some: Polynomial, others: Polynomial): Polynomial {
  return Array.from({ length: Math.max(some.length, others.length) }, (_, i) =>
    sumOf(some[i] ?? 0, others[i] ?? 0),
  );
}

function times(some: Polynomial, others: Polynomial): Polynomial {
  const product = Array.from({ length: some.length + others.length - 1 }, () => 0);
  for (const [i, a] of some.entries()) {
    for (const [j, b] of others.entries()) product[i + j] = (product[i + j] ?? 0) + a * b;
  }
  return product;
}
