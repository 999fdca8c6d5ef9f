// Watches the grid of the pivot page. It runs in the page, before anything else there.

localStorage.setItem('pf.user', 'bench');

/** No change takes as long as this, unless it fails. */
const PATIENCE_MS = 180_000;

const total = () =>
  document
    .querySelector('perspective-viewer-pivot-grid')
    ?.shadowRoot?.querySelector('regular-table tbody td')?.textContent ?? '';

/** Whether the page still shows in the pivot's place that it is loading. */
const covered = () => document.querySelector('.cover') !== null;

/** @type {Window['watch']} */
const watch = {
  clicked: 0,
  total,
  painted: (before) =>
    new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error(`The total is still ${total()}`)), PATIENCE_MS);
      const look = () => {
        const shown = covered() ? '' : total();
        // What this frame shows is on screen when the next task runs.
        if (shown !== '' && shown !== before) setTimeout(() => resolve(performance.now()));
        else requestAnimationFrame(look);
      };
      look();
    }),
};
window.watch = watch;

addEventListener('click', (event) => (watch.clicked = event.timeStamp), true);
