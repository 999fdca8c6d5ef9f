/**
 * An error that a client caused or can act on. It carries the HTTP status of its answer and a
 * sentence for a person; every other error becomes a 500 that tells nothing of its inside
 * (specification: Errors; open points: Status codes).
 */
export class AppError extends Error {
  override readonly name = 'AppError';

  constructor(
    readonly status: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Status and message of the answer to an error of any kind. */
export function answerError(error: unknown): { status: number; message: string } {
  if (error instanceof AppError) return { status: error.status, message: error.message };
  return { status: 500, message: 'The service failed to answer this request; its log says why' };
}

/** What an error and its causes say, for a log or a terminal; one that gathers several says nothing itself. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const gathered = error instanceof AggregateError ? error.errors : [];
  const said = error.message || gathered.map(reasonOf).join('; ') || error.name;
  return error.cause === undefined ? said : `${said} (${reasonOf(error.cause)})`;
}
