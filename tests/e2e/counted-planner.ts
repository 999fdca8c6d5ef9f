import type { Locator, Page } from '@playwright/test';
import type { CellName, PivotPage } from './pivot-page';

/** A planner whose actions are counted: each click or double click, each key or shortcut, and each text that is typed. */
export class CountedPlanner {
  actions = 0;

  constructor(
    private readonly page: Page,
    private readonly pivot: PivotPage,
  ) {}

  async select(cell: CellName): Promise<void> {
    this.actions += 1;
    await this.pivot.click(cell);
  }

  async click(target: Locator): Promise<void> {
    this.actions += 1;
    await target.click();
  }

  /** Chooses an entry of a list: a click opens the list, and another one chooses. */
  async choose(list: Locator, label: string): Promise<void> {
    this.actions += 2;
    await list.selectOption(label);
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
