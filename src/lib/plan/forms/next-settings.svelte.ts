/** The settings of the panel for the next write, and which of them are pinned for later ones. */
import { SvelteSet } from 'svelte/reactivity';
import type { WriteSettings } from '../amounts/operation';

/** The settings that can be pinned. */
export const PINNABLE = ['spread', 'holdPrice', 'keepTotal', 'follow'] as const;
export type Pinnable = (typeof PINNABLE)[number];

/** A setting in the form. */
export interface Setting {
  /** Whether it is other than the default. */
  isSet(): boolean;
  /** Whether the form has it as in these settings. */
  isAsIn(settings: WriteSettings): boolean;
  /** Puts it into the form as in these settings. */
  put(settings: WriteSettings): void;
}

const DEFAULTS: WriteSettings = {
  ...{ spread: 'proportional', shape: null, shapeKey: null, holdPrice: false },
  ...{ keepTotal: false, follow: [], note: '' },
};

/** The settings of the form for the next write. A write resets those that are not pinned. */
export class NextSettings {
  private readonly pins = new SvelteSet<Pinnable>();

  /** @param settings those of the form */
  constructor(private readonly settings: Readonly<Record<Pinnable | 'note', Setting>>) {}

  /** Whether a setting is other than the default. */
  isSet(name: Pinnable): boolean {
    return this.settings[name].isSet();
  }

  /** Whether a setting stays for later writes. A default is never pinned. */
  isPinned(name: Pinnable): boolean {
    return this.pins.has(name) && this.isSet(name);
  }

  pin(name: Pinnable, isPinned: boolean): void {
    if (isPinned) this.pins.add(name);
    else this.pins.delete(name);
  }

  /** The names of the pinned settings. */
  get pinned(): Pinnable[] {
    return PINNABLE.filter((name) => this.isPinned(name));
  }
  set pinned(names: readonly Pinnable[]) {
    for (const name of PINNABLE) this.pin(name, names.includes(name));
  }

  /** Resets the settings that a write used, except for pinned ones and those that were changed since. */
  use(used: WriteSettings): void {
    for (const name of PINNABLE) this.pin(name, this.isPinned(name));
    for (const [name, setting] of Object.entries(this.settings)) {
      const isPinned = this.pinned.some((each) => each === name);
      if (!isPinned && setting.isAsIn(used)) setting.put(DEFAULTS);
    }
  }

  /** Restores the settings of a failed write, except for those that were set since. */
  giveBack(used: WriteSettings): void {
    for (const setting of Object.values(this.settings)) if (!setting.isSet()) setting.put(used);
  }
}
