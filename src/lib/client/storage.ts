/** A text kept in this browser, or null: none, or storage forbidden by the browser. */
export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text in this browser; null forgets it. If storage is forbidden, it lasts for the visit only. */
export function keep(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Forbidden by the browser: nothing to be done about it.
  }
}
