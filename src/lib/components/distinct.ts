/** Returns the distinct values of a list in order. */
export const distinct = <T>(values: Iterable<T>): T[] => [...new Set(values)];
