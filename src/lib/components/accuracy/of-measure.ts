/** Figures of an accuracy answer by measure. */
import { isSingleRole } from '$lib/contract/columns';

/** Figures by measure as the service answers them. */
interface ByMeasure<Of> {
  value: Of | null;
  units: Of | null;
  measures?: Readonly<Record<string, Of>> | undefined;
}

/** Returns the figure of a measure; null if there is none. @param key `value`, `units` or the column of a further measure */
export const ofMeasure = <Of>({ measures, ...single }: ByMeasure<Of>, key: string): Of | null =>
  (isSingleRole(key) ? single[key] : measures?.[key]) ?? null;
