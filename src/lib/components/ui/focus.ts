/** Where the focus is, and where it goes if what had it disappears. */
import { tick } from 'svelte';

/**
 * Focuses an element with {@link focusSelected} once the page shows the last change. Without the element, the focus
 * stays.
 *
 * @param change resolves when the last change is made; if something else gets the focus before, it stays there
 */
export async function focusShown(
  find: () => HTMLElement | null | undefined,
  change?: Promise<unknown>,
): Promise<void> {
  const before = focusedElement();
  await change;
  if (change && ![before, document.body].includes(focusedElement())) return;
  await tick();
  focusSelected(find());
}

/** Focuses an element and selects the text of an input, so that typing replaces it. */
export function focusSelected(element: HTMLElement | null | undefined): void {
  element?.focus();
  if (element instanceof HTMLInputElement) element.select();
}

/** Returns the last element inside another one that a CSS selector matches; undefined if there is none. */
export const lastIn = (place: ParentNode | undefined, selector: string): Element | undefined =>
  [...(place?.querySelectorAll(selector) ?? [])].at(-1);

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

/** Whether a key is typed into a field, or belongs to a dialog or a menu. */
export const isTypedInto = (event: KeyboardEvent): boolean =>
  event
    .composedPath()
    .some(
      (node) =>
        node instanceof HTMLElement &&
        node.matches('input, textarea, select, [role=dialog], [role=menu]'),
    );

/**
 * Whether a key leaves a form: Escape, unless it closes a list of its field.
 *
 * @param place CSS selector of what the form is in
 */
export const leavesForm = (
  { key, target, defaultPrevented }: KeyboardEvent,
  place: string,
): boolean =>
  key === 'Escape' &&
  !defaultPrevented &&
  target instanceof HTMLElement &&
  target.ariaExpanded !== 'true' &&
  target.closest(`${place} form`) !== null;
