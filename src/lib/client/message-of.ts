/** What an error says, for a page to show: an `ApiError` holds a sentence. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
