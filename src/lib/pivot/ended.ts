/** So long some steps may take together, and each of them. */
export const PATIENCE_MS = 5000;

/**
 * Takes some steps, one after the other, and goes on if one fails or does not end. Waits until all are through,
 * but no longer than {@link PATIENCE_MS}; the steps that are left then are taken all the same.
 */
export async function ended(...steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  await inTime(async () => {
    for (const step of steps) await inTime(step);
  });
}

/** Waits until something has ended, in whatever way, or for {@link PATIENCE_MS}. */
async function inTime(work: () => Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)));
  // One that throws at once fails like one that rejects.
  const working = (async () => work())();
  await Promise.race([working.catch(() => undefined), late]);
  clearTimeout(timer);
}
