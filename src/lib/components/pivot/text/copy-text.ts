/** Copies text to the clipboard. */
import { pivotMessageOf } from '$lib/plan/version/loading.svelte';
import { toasts } from '../../ui/toasts';

/**
 * Writes a text into the clipboard. Outside a secure context, or without the permission, the browser offers
 * only the older way. @returns whether it was written
 */
async function write(text: string): Promise<boolean> {
  const isWritten = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (isWritten) return true;
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}

/** Copies a text to the clipboard, and reports that or why it failed. @param done the report */
export async function copyText(text: string | Promise<string>, done: string): Promise<void> {
  try {
    if (await write(await text)) toasts.info(done);
    else toasts.failure('Nothing was copied: the browser does not allow this page to copy.');
  } catch (error) {
    toasts.failure(pivotMessageOf(error));
  }
}
