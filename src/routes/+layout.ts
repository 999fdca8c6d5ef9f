// Renders in the browser only. Pages rendered on the server would show buttons before they work, and
// dates in the server's time zone.
export const ssr = false;
