/** How long a text is kept: for good, or as long as this tab is there. */
type Keeping = 'always' | 'tab';

const storeOf = (keeping: Keeping): Storage =>
  keeping === 'always' ? localStorage : sessionStorage;

/** A text kept in this browser; null if there is none, or if the browser forbids storage. */
export function kept(key: string, keeping: Keeping = 'always'): string | null {
  try {
    return storeOf(keeping).getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text in this browser; null forgets it. If the browser forbids storage, it keeps nothing. */
export function keep(key: string, text: string | null, keeping: Keeping = 'always'): void {
  try {
    if (text === null) storeOf(keeping).removeItem(key);
    else storeOf(keeping).setItem(key, text);
  } catch {
    // The browser forbids storage, or has no room.
  }
}

/**
 * What was kept as JSON, as far as it can be read; null if it cannot. Whoever asks has to check it: somebody
 * may have written anything there.
 */
export function keptJson(key: string, keeping: Keeping): unknown {
  try {
    return JSON.parse(kept(key, keeping) ?? 'null');
  } catch {
    return null;
  }
}
