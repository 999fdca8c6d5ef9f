// Loaded before the first paint, so that a kept theme never flashes the other one.
(() => {
  try {
    const theme = localStorage.getItem('pf.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; the system's theme then holds.
  }
})();
