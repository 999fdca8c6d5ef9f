/** The messages of browsers if a file of the page is missing. */
const NOT_LOADED =
  /dynamically imported module|importing a module script failed|unable to preload/i;

/** Returns the message of an error for the page. For an `ApiError`, this is the service's sentence. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return NOT_LOADED.test(message) ? 'A part of this page could not be loaded' : message;
}
