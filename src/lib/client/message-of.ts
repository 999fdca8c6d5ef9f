/** Returns the message of an error for the page; that of an `ApiError` is a sentence. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
