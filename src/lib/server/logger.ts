/** The log of the service. */
import pino from 'pino';
import type { Logger } from 'pino';

/**
 * The service's log: JSON lines on standard output. Notes, parameters and connection settings are never
 * logged.
 */
export const createLogger = (level: string): Logger =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
