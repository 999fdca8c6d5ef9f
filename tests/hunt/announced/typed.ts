/** What a typed text makes of the number of a cell. */

/**
 * Returns the number that a cell must show after a text was typed into it; undefined for a text that this reader
 * does not know. It knows less than the page, and was written independently.
 */
export function expectedOf(text: string, now: number): number | undefined {
  const number = (digits: string): number | undefined =>
    /^-?\d+(\.\d+)?$/.test(digits) ? Number(digits) : undefined;
  const [, sign, digits = ''] = /^([-+*/]?)(.*)$/.exec(text) ?? [];
  const amount = number(digits);
  if (text.endsWith('%')) {
    const percent = Number(text.slice(0, -1));
    return Number.isNaN(percent) ? undefined : now * (1 + percent / 100);
  }
  if (amount === undefined) return undefined;
  switch (sign) {
    case '+':
      return now + amount;
    case '-':
      return now - amount;
    case '*':
      return now * amount;
    case '/':
      return now / amount;
    default:
      return amount;
  }
}
