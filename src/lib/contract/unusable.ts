/** Values of a request that can only be checked once it is known what they are for. */
import * as v from 'valibot';

/** A value that does not fit its schema, as {@link orUnusable} reads it. */
export class UnusableValue {
  constructor(
    /** Why it does not fit, in words that follow the name of the field. */
    readonly problem: string,
    /** Dotted path of the fault inside the value; empty if it is the value itself. */
    readonly path: string,
  ) {}
}

/** Reads a value by a schema; a value that does not fit becomes an {@link UnusableValue}. */
export const orUnusable = <Value>(schema: v.GenericSchema<unknown, Value>) =>
  v.pipe(
    v.unknown(),
    v.transform((value): Value | UnusableValue => {
      const result = v.safeParse(schema, value);
      if (result.success) return result.output;
      const [{ message, path = [] }] = result.issues;
      return new UnusableValue(message, path.map(({ key }) => String(key)).join('.'));
    }),
  );
