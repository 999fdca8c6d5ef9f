import { user } from '$lib/client/user.svelte';
import type { LayoutLoad } from './$types';

// Renders in the browser only. Pages rendered on the server would show buttons before they work, and
// dates in the server's time zone.
export const ssr = false;

/** What may be done is known before a page shows it. */
export const load: LayoutLoad = async ({ fetch }) => user.recognise({ fetch });
