/** Values of a request that can be checked only when their purpose is known. */
import * as v from 'valibot';

/** A value that does not match its schema, read by {@link orUnusable}. */
export class UnusableValue {
  constructor(
    /** Why it does not match, in words that follow the name of the field. */
    readonly problem: string,
    /** Dotted path of the fault inside the value; empty for the value itself. */
    readonly path: string,
  ) {}
}

/**
 * Returns a schema that reads a value by another schema; a value that does not match becomes an {@link
 * UnusableValue}.
 */
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
