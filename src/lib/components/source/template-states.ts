/** Compares stored templates with those that a generation would write. */
import {
  TEMPLATE_OPERATIONS,
  type Template,
  type TemplateOperation,
  type TemplatesPreview,
} from '$lib/contract/sources';

/** One stored template, and the one that a generation would write now; null if there is none. */
export type TemplateState = {
  operation: TemplateOperation;
  stored: string | null;
  coming: string | null;
  generatedAt: string | null;
  change: 'none' | 'new' | 'changed' | 'removed';
};

/**
 * Compares the stored templates with the result of a generation, in the order of the operations. If `coming`
 * is null, a generation would fail, and no template counts as changed.
 */
export function templateStates(
  stored: readonly Template[],
  coming: TemplatesPreview | null,
): TemplateState[] {
  return TEMPLATE_OPERATIONS.flatMap((operation): TemplateState[] => {
    const before = stored.find((template) => template.operation === operation);
    const after = coming?.find((template) => template.operation === operation);
    if (!before && !after) return [];
    const change = !coming
      ? 'none'
      : !before
        ? 'new'
        : !after
          ? 'removed'
          : before.sql === after.sql
            ? 'none'
            : 'changed';
    return [
      {
        operation,
        stored: before?.sql ?? null,
        coming: after?.sql ?? null,
        generatedAt: before?.generated_at ?? null,
        change,
      },
    ];
  });
}
