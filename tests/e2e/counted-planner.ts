import type { Locator, Page } from '@playwright/test';
import { expect } from '../support/e2e';
import type { CellName, PivotPage } from './pivot-page';

/** A planner whose actions are counted: each click or double click, each key or shortcut, each drag, and each text that is typed. */
export class CountedPlanner {
  actions = 0;

  constructor(
    private readonly page: Page,
    private readonly pivot: PivotPage,
  ) {}

  /** Performs a task that takes at most a number of actions, apart from those before it. */
  async task(most: number, perform: () => Promise<void>): Promise<void> {
    this.actions = 0;
    await perform();
    expect(this.actions).toBeLessThanOrEqual(most);
  }

  async select(cell: CellName): Promise<void> {
    this.actions += 1;
    await this.pivot.click(cell);
  }

  async click(target: Locator): Promise<void> {
    this.actions += 1;
    await target.click();
  }

  /** Opens the menu of a cell or header with the other mouse button. */
  async menu(target: Locator): Promise<void> {
    this.actions += 1;
    await target.click({ button: 'right' });
  }

  /** Chooses an entry of a list: a click opens the list, and another one chooses. */
  async choose(list: Locator, label: string): Promise<void> {
    this.actions += 2;
    await list.selectOption(label);
  }

  /** Drags the corner of the marked block to a cell. */
  async fillTo(cell: CellName): Promise<void> {
    this.actions += 1;
    await this.pivot.dragCorner(cell);
  }

  /** Double-clicks a field: typing then replaces its text. */
  async replace(target: Locator): Promise<void> {
    this.actions += 1;
    await target.dblclick();
  }

  async press(keys: string): Promise<void> {
    this.actions += 1;
    await this.page.keyboard.press(keys);
  }

  async type(text: string): Promise<void> {
    this.actions += 1;
    await this.page.keyboard.type(text);
  }
}
