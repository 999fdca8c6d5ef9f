/** A text kept in this browser; null if there is none, or if the browser forbids storage. */
export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text in this browser; null forgets it. If the browser forbids storage, it keeps nothing. */
export function keep(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // The browser forbids storage.
  }
}
