import { toast } from 'svelte-sonner';

/** A button on a toast, such as Undo. */
export type ToastAction = { label: string; run: () => void };

const show =
  (kind: 'success' | 'info' | 'error', duration: number) =>
  (message: string, options: { action?: ToastAction; description?: string } = {}): void => {
    toast[kind](message, {
      description: options.description,
      // With an action it stays longer: there is something to decide.
      duration: options.action ? duration * 2 : duration,
      action: options.action && { label: options.action.label, onClick: options.action.run },
    });
  };

/**
 * Short messages at the foot of the window that go away by themselves, and wait while the pointer or the
 * focus is on them. What must not be missed belongs on the page instead.
 */
export const toasts = {
  success: show('success', 5_000),
  info: show('info', 5_000),
  failure: show('error', 10_000),
};
