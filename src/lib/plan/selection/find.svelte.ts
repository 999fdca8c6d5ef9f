/** The search for members in the grid. */
import { cellKey } from '../../pivot/slice/cell';
import type { FoundMember, FoundMembers } from '../../pivot/grid/reading/found-members';
import { InTurn } from '../../pivot/waiting';
import { pivotMessageOf, type Loading } from '../version/loading.svelte';
import type { Selection } from './selection.svelte';

/** Where a search goes: to the first match at or after the selected cell, or to the match after or before it. */
export type FindStep = 'here' | 'next' | 'previous';

/** A search for members of the rows and columns on screen. Each match that it goes to is selected. */
export class Find {
  isOpen = $state(false);
  /** How often the search was opened: each time, its field gets the focus. */
  openings = $state(0);
  /** The text to search for. */
  text = $state('');
  /** The matches of the text; null until its search has ended. */
  found = $state.raw<FoundMembers | null>(null);
  /** Why the latest search failed; null if it did not. */
  failure = $state.raw<string | null>(null);

  /** Number of the selected match, from 1; null if no match is selected. */
  readonly number: number | null = $derived.by(() => {
    const index = this.indexIn(this.found?.members ?? []);
    return index < 0 ? null : index + 1;
  });

  private readonly steps = new InTurn();

  constructor(
    private readonly loading: Loading,
    private readonly selection: Selection,
  ) {}

  open(): void {
    this.isOpen = true;
    this.openings++;
  }

  /** Searches for another text, and goes to its first match. */
  type(text: string): Promise<void> {
    this.text = text;
    this.found = null;
    return this.go('here');
  }

  /** Goes to a match and selects it. Steps run one after another, each from the match of the previous one. */
  go(step: FindStep): Promise<void> {
    const { text } = this;
    // Of texts that are typed fast, only the last is searched for.
    return this.steps.run(async () => {
      if (step === 'here' && text !== this.text) return;
      await this.selection.markedByNow();
      await this.search();
      const match = this.matchAt(step);
      const { pivot } = this.loading;
      if (!match || !pivot || this.indexIn([match]) === 0) return;
      pivot.grid.scrollTo(match.at);
      await this.selection.select(match.cell, { x: null, y: match.at.y }, 'alone');
    });
  }

  /** Searches again after rows or columns have changed, and goes nowhere. */
  async follow(): Promise<void> {
    if (this.isOpen && this.text !== '') await this.steps.run(() => this.search());
  }

  private async search(): Promise<void> {
    const { text } = this;
    try {
      const found = (await this.loading.pivot?.grid.membersWith(text)) ?? null;
      if (text !== this.text) return;
      this.found = found;
      this.failure = null;
    } catch (error) {
      this.found = null;
      this.failure = pivotMessageOf(error);
    }
  }

  private matchAt(step: FindStep): FoundMember | undefined {
    const members = this.found?.members ?? [];
    const { active } = this.selection;
    const index = this.indexIn(members);
    if (index >= 0) {
      const moved = { here: 0, next: 1, previous: -1 }[step];
      return members.at((index + moved) % members.length);
    }
    const isBelow = ({ cell, at }: FoundMember) =>
      cell.columnPath === null && active !== null && at.y >= active.at.y;
    const below = members.findIndex(isBelow);
    if (step === 'previous') return members.at(below < 0 ? -1 : below - 1);
    return members[Math.max(0, below)];
  }

  /** Returns the index of the selected match; -1 if no match is selected. */
  private indexIn(members: readonly FoundMember[]): number {
    const { active, marked } = this.selection;
    if (!active || marked.length > 1) return -1;
    const key = cellKey(active);
    return members.findIndex(({ cell }) => cellKey(cell) === key);
  }
}
