/**
 * Runs an asynchronous function on each item, a few items at a time.
 *
 * @param few maximum number of items in progress
 * @returns the results in the order of the items
 * @throws the first error; no further item is started after it
 */
export async function fewAtOnce<T, R>(
  few: number,
  items: readonly T[],
  work: (item: T, i: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const rest = items.entries();
  let isOver = false;
  const worker = async () => {
    for (const [i, item] of rest) {
      if (isOver) return;
      results[i] = await work(item, i);
    }
  };
  try {
    await Promise.all(Array.from({ length: few }, worker));
  } finally {
    isOver = true;
  }
  return results;
}
