/** The different values of a list, in their order. */
export const distinct = <T>(values: Iterable<T>): T[] => [...new Set(values)];
