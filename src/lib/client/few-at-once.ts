/**
 * Does something with each of some items, a few of them at a time.
 *
 * @param few how many are worked on at once
 * @returns the results in the order of the items
 * @throws what the first of them throws that fails; no further one is begun then
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
