/** Shows short messages. */
import { toast } from 'svelte-sonner';

/** A button on a toast, such as Undo. */
type ToastAction = { label: string; run: () => void };

const show =
  (kind: 'success' | 'info' | 'error', duration: number) =>
  (
    message: string,
    options: { action?: ToastAction; second?: ToastAction; description?: string } = {},
  ): void => {
    toast[kind](message, {
      description: options.description,
      // A toast with an action stays longer, because the user has to decide.
      duration: options.action ? duration * 2 : duration,
      action: options.action && { label: options.action.label, onClick: options.action.run },
      cancel: options.second && { label: options.second.label, onClick: options.second.run },
    });
  };

/**
 * Short messages at the top of the window, away from numbers and fields. They disappear after a while, but
 * not while the pointer or the focus is on them. A message that must not be missed belongs on the page
 * instead.
 */
export const toasts = {
  success: show('success', 5_000),
  info: show('info', 5_000),
  failure: show('error', 10_000),
  /** Tells what somebody else did, in at most two lines: the log has the rest. */
  news: (message: string): void => void toast.info(message, { duration: 5_000, class: 'news' }),
  /** Removes all toasts. */
  clear: (): void => void toast.dismiss(),
};
