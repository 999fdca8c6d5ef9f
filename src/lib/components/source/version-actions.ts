/** The actions on a version that its menus share. */
import CalendarCheck from '@lucide/svelte/icons/calendar-check';
import CalendarSync from '@lucide/svelte/icons/calendar-sync';
import Copy from '@lucide/svelte/icons/copy';
import Lock from '@lucide/svelte/icons/lock';
import LockOpen from '@lucide/svelte/icons/lock-open';
import Tag from '@lucide/svelte/icons/tag';
import RefreshCw from '@lucide/svelte/icons/refresh-cw';
import type { Source } from '$lib/contract/sources';
import type { Version } from '$lib/contract/versions';
import type { MenuItem } from '../ui/Menu.svelte';

/** Returns the menu items that make another version out of this one; none if its source takes no new versions. */
export const copyItems = (
  { status }: Source,
  oncopy: () => void,
  onreplay: () => void,
): MenuItem[] =>
  status === 'archived'
    ? []
    : [
        { label: 'Duplicate …', icon: Copy, onselect: oncopy },
        { label: 'Replay on today’s data …', icon: RefreshCw, onselect: onreplay },
      ];

/** Returns the menu item that shows the current names of the source. */
export const namesItem = (onselect: () => void): MenuItem => ({
  ...{ label: 'Current names …', icon: Tag, onselect },
});

/** Returns the menu item that closes months of a version on actuals. @param how what it does, or where it leads */
export const closeMonthsItem = (
  how: { onselect: () => void; disabled: boolean } | { href: string },
): MenuItem => ({ label: 'Close months …', icon: CalendarCheck, ...how });

/** Returns the menu item that replaces closed months by what the source has now. */
export const restateItem = (onselect: () => void, disabled: boolean): MenuItem => ({
  ...{ label: 'Restate closed months …', icon: CalendarSync, onselect, disabled },
});

/** Returns the menu item that closes an open version, or opens a closed one. */
export const closeItem = ({ status }: Version, onselect: () => void): MenuItem =>
  status === 'closed'
    ? { label: 'Reopen version', icon: LockOpen, onselect }
    : { label: 'Close version', icon: Lock, onselect };
