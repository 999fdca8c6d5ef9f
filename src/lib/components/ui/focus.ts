/** Where the focus goes if what had it disappears. */
import { tick } from 'svelte';

/** Focuses an element once the page shows the last change. Without the element, the focus stays. */
export async function focusShown(find: () => HTMLElement | null | undefined): Promise<void> {
  await tick();
  find()?.focus();
}

/** Focuses the content of the page, if nothing has the focus. */
export function focusPage(): void {
  if (document.activeElement === document.body)
    document.getElementById('main')?.focus({ preventScroll: true });
}

/** Returns the element that has the focus, also inside of other elements' shadow trees. */
export function focusedElement(): Element | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}
