// Watches the grid of the pivot page. It runs before any other script of the page.

localStorage.setItem('pf.user', 'bench');

/** Timeout; a successful change never takes this long. */
const PATIENCE_MS = 180_000;

const total = () =>
  document
    .querySelector('perspective-viewer-pivot-grid')
    ?.shadowRoot?.querySelector('regular-table tbody td')?.textContent ?? '';

/** Returns whether the page still shows its loading screen in place of the pivot. */
const covered = () => document.querySelector('.cover') !== null;

/**
 * Returns whether the page shows another total than before.
 *
 * @param {string} before
 */
const isOther = (before) => !covered() && total() !== '' && total() !== before;

/**
 * @param {(resolve: (ms: number) => void) => void} watching
 * @returns {Promise<number>}
 */
const inTime = (watching) =>
  new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`The total is still ${total()}`)), PATIENCE_MS);
    watching(resolve);
  });

/** @type {PerformanceEntry[]} */
const tasks = [];
new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: 'longtask' });

/** @type {Window['watch']} */
const watch = {
  clicked: 0,
  longest: (since) =>
    tasks.reduce((most, { startTime, duration }) => {
      return startTime >= since ? Math.max(most, duration) : most;
    }, 0),
  total,
  summed: (before) =>
    inTime((resolve) => {
      const root = document.querySelector('perspective-viewer-pivot-grid')?.shadowRoot;
      if (!root) return;
      const observer = new MutationObserver(() => {
        if (!isOther(before)) return;
        observer.disconnect();
        resolve(performance.now());
      });
      observer.observe(root, { subtree: true, childList: true, characterData: true });
    }),
  painted: (before) =>
    inTime((resolve) => {
      const look = () => {
        // This frame is on screen when the next task runs.
        if (isOther(before)) setTimeout(() => resolve(performance.now()));
        else requestAnimationFrame(look);
      };
      look();
    }),
  headed: (text) =>
    inTime((resolve) => {
      const look = () => {
        const root = document.querySelector('perspective-viewer-pivot-grid')?.shadowRoot;
        const heads = [...(root?.querySelectorAll('regular-table tbody th') ?? [])];
        if (heads.some(({ textContent }) => textContent?.includes(text))) {
          setTimeout(() => resolve(performance.now()));
        } else requestAnimationFrame(look);
      };
      look();
    }),
};
window.watch = watch;

addEventListener('click', (event) => (watch.clicked = event.timeStamp), true);
