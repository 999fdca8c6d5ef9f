/** Connects the page's address with the arrangement of its pivot. */
import { untrack } from 'svelte';
import { goto } from '$app/navigation';
import { navigating, page } from '$app/state';
import type { Actions } from '$lib/plan/actions/actions.svelte';
import type { PlanSession } from '$lib/plan/session.svelte';
import { alertIn, CLOSE_MONTHS, commentIn, notePivotLink, reviewIn } from '../../pivot-link';

/**
 * Keeps the page's address and its pivot in step: a change of the arrangement becomes an entry of the
 * browser's history, and the back and forward buttons change the arrangement. Call it while a component is
 * initialized.
 */
export function followAddress(session: PlanSession, actions: Actions): void {
  const own = page.url.pathname;
  let known = page.url.search;
  let writing = 0;

  async function write(address: string) {
    const { pathname } = page.url;
    const isLeaving = navigating.to !== null && navigating.to.url.pathname !== pathname;
    if (isLeaving || address === known) return;
    known = address;
    writing++;
    try {
      await goto(pathname + address, { keepFocus: true, noScroll: true });
    } finally {
      writing--;
    }
  }

  $effect(() => {
    const { address } = session.arrangement;
    if (address !== null) void untrack(() => write(address));
  });

  $effect(() => {
    const { search } = page.url;
    if (search === known || writing > 0) return;
    known = search;
    void untrack(() => session.goTo(search));
  });

  /** Removes the fragment of the address, so that a reload does not open the dialog again. */
  const removeFragment = () =>
    goto(page.url.pathname + page.url.search, {
      replaceState: true,
      keepFocus: true,
      noScroll: true,
    });

  /** Opens the dialog that an address asks for. */
  async function closeMonths() {
    await Promise.all([session.log.latest.settled(), session.locks.latest.settled()]);
    await removeFragment();
    const { closing } = actions;
    if (closing.obstacle === null) closing.show();
  }

  /** Shows the comment that an address names, if it still exists. */
  async function showComment(id: number) {
    const { comments } = session;
    await comments.latest.settled();
    await removeFragment();
    const comment = comments.all.find((each) => each.id === id);
    if (comment) await actions.comments.show(comment);
  }

  /** Selects the rows of the review in the address. Does nothing if the review was deleted. */
  async function showReview(id: number) {
    const { reviews } = session;
    await reviews.latest.settled();
    await removeFragment();
    const review = reviews.all.find((each) => each.id === id);
    if (review) await actions.reviews.show(review);
  }

  /** Lists the groups of the alert in the address. Does nothing if the alert was deleted. */
  async function showAlert(id: number) {
    const { alerts } = session;
    await alerts.latest.settled();
    await removeFragment();
    const alert = alerts.all.find((each) => each.id === id);
    if (!alert) return;
    alerts.show(alert);
    alerts.isListed = true;
  }

  $effect(() => {
    if (session.loading.phase.kind !== 'ready') return;
    const { hash } = page.url;
    const comment = commentIn(hash);
    const review = reviewIn(hash);
    const alert = alertIn(hash);
    if (hash === CLOSE_MONTHS) void untrack(closeMonths);
    else if (comment !== null) void untrack(() => showComment(comment));
    else if (review !== null) void untrack(() => showReview(review));
    else if (alert !== null) void untrack(() => showAlert(alert));
  });

  $effect(() => {
    const { pathname, search } = page.url;
    if (pathname === own) notePivotLink(session.planned.id, search);
  });
}
