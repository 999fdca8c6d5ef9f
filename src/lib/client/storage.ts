/** Lifetime of a stored text: permanently, or until the tab is closed. */
type Keeping = 'always' | 'tab';

const storeOf = (keeping: Keeping): Storage =>
  keeping === 'always' ? localStorage : sessionStorage;

/** Returns a text stored in this browser; null if there is none, or if the browser forbids storage. */
export function kept(key: string, keeping: Keeping = 'always'): string | null {
  try {
    return storeOf(keeping).getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text in this browser; null removes it. Stores nothing if the browser forbids it. */
export function keep(key: string, text: string | null, keeping: Keeping = 'always'): void {
  try {
    if (text === null) storeOf(keeping).removeItem(key);
    else storeOf(keeping).setItem(key, text);
  } catch {
    // The browser forbids storage, or has no room.
  }
}

/** Calls back with a permanently stored text when another tab has changed it; with null when it was removed. */
export function onKept(key: string, take: (text: string | null) => void): void {
  globalThis.addEventListener?.('storage', (event: StorageEvent) => {
    // Without a key, everything was removed.
    if (event.key === key || event.key === null) take(kept(key));
  });
}

/**
 * Reads stored JSON; null if it cannot be read. The caller has to validate it, because anybody may have
 * written there.
 */
export function keptJson(key: string, keeping: Keeping): unknown {
  try {
    return JSON.parse(kept(key, keeping) ?? 'null');
  } catch {
    return null;
  }
}
