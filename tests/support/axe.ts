/** Axe, which judges whether a page is accessible. */
import type { Page } from '@playwright/test';
import axe, { type Result, type RunOptions } from 'axe-core';

/** The criteria of WCAG 2.1, levels A and AA. */
export const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

/** The rules about colours. A theme changes nothing else, and all rules take twice as long. */
export const COLOURS = { rules: ['color-contrast', 'link-in-text-block'] };

/** Returns, in a page, whether the grid has the theme's colours, which it gets shortly after the page. */
export function gridHasColourOfPage(): boolean {
  const cell = document
    .querySelector('perspective-viewer-pivot-grid')
    ?.shadowRoot?.querySelector('td.pf-selected');
  return !cell || getComputedStyle(cell).color === getComputedStyle(document.body).color;
}

/** The parts of a page that axe judges, and the rules that it applies. */
interface Judged {
  /** Selectors of the parts; the whole page by default. */
  include?: string[];
  /** Selectors of parts that are not judged. */
  exclude?: string[];
  /** Tags of the rules; all rules by default. */
  tags?: string[];
  /** Names of the only rules. */
  rules?: string[];
  /** Names of rules that are left out. */
  without?: string[];
}

/** Returns what axe finds in a page once its transitions have ended. A document loads axe once. */
export async function violations(page: Page, judged: Judged = {}): Promise<Result[]> {
  const { include = [], exclude = [], tags, rules, without = [] } = judged;
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const context: { include?: string[][]; exclude: string[][] } = {
    ...(include.length > 0 && { include: include.map((selector) => [selector]) }),
    exclude: exclude.map((selector) => [selector]),
  };
  const options: RunOptions = {
    // Axe would spend most of its time on selectors of passed elements and on style sheets that these rules do not read.
    resultTypes: ['violations'],
    preload: false,
    ...(tags && { runOnly: { type: 'tag', values: tags } }),
    ...(rules && { runOnly: { type: 'rule', values: rules } }),
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
  };
  return page.evaluate(
    async ([part, how]) => {
      // During a transition, a colour is that of neither state.
      const moving = document
        .getAnimations()
        .filter(
          ({ effect, playState }) =>
            playState === 'running' && effect?.getComputedTiming().endTime !== Infinity,
        );
      // A page that is not drawn has no frames, and its transitions do not end.
      await Promise.race([
        Promise.allSettled(moving.map(({ finished }) => finished)),
        new Promise((done) => setTimeout(done, 2000)),
      ]);
      return (await (window as unknown as { axe: typeof axe }).axe.run(part, how)).violations;
    },
    [context, options] as const,
  );
}
