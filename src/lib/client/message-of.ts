/** Returns the message of an error for the page. For an `ApiError`, this is the service's sentence. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
