/** Waits until a part of a long page is about to be seen. */
import type { Attachment } from 'svelte/attachments';

/** Returns an attachment that calls back once its element is on the screen, or less than a screen away. */
export const whenNear =
  (callback: () => void): Attachment<HTMLElement> =>
  (element) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        callback();
      },
      { rootMargin: '100% 0%' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  };
