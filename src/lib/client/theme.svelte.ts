/** The colour theme of the pages. */
import { MediaQuery } from 'svelte/reactivity';
import { kept, keep, onKept } from './storage';

const KEY = 'pf.theme';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const isTheme = (text: string | null): text is Theme => THEMES.some((theme) => theme === text);

/** The colour theme. The user's choice is stored in the browser; without one, it follows the system. */
class ThemeChoice {
  private chosen = $state<Theme>('system');
  private systemDark = new MediaQuery('(prefers-color-scheme: dark)', false);

  /** Whether the theme is dark now; for parts with two themes of their own, such as the pivot's grid. */
  readonly dark = $derived(
    this.chosen === 'system' ? this.systemDark.current : this.chosen === 'dark',
  );

  constructor() {
    const stored = kept(KEY);
    if (isTheme(stored)) this.chosen = stored;
    onKept(KEY, (text) => this.apply(isTheme(text) ? text : 'system'));
  }

  get choice(): Theme {
    return this.chosen;
  }

  set choice(theme: Theme) {
    keep(KEY, theme === 'system' ? null : theme);
    this.apply(theme);
  }

  private apply(theme: Theme): void {
    this.chosen = theme;
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }
}

export const theme = new ThemeChoice();
