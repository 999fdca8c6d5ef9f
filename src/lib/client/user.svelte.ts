import { kept, keep } from './storage';

/**
 * Who is working here: the `pf_user` that every write is recorded under. Asked once, at the first
 * write, and kept in the browser.
 */
class User {
  #name = $state(kept('pf.user') ?? '');
  #waiting: ((name: string | null) => void)[] = [];

  /** True while the dialog that asks for the name is open. */
  asking = $state(false);

  /** Empty until it is known. */
  get name(): string {
    return this.#name;
  }

  /** The name; asks for it if it is not known yet. Null if the user closes the dialog instead. */
  async require(): Promise<string | null> {
    return this.#name || this.ask();
  }

  /** Opens the dialog, whether or not a name is known, and answers what was entered. */
  ask(): Promise<string | null> {
    this.asking = true;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The dialog's answer; null if it was closed without one. */
  answer(name: string | null): void {
    if (name !== null) {
      this.#name = name;
      keep('pf.user', name);
    }
    this.asking = false;
    for (const resolve of this.#waiting.splice(0)) resolve(name);
  }
}

export const user = new User();
