/** The person who works in this browser, and their roles. */
import type { Me, Role } from '../contract/me';
import { ROLES } from '../contract/me';
import { getMe } from './api';
import type { CallOptions } from './http';
import { kept, keep } from './storage';

/**
 * Who is working here: the `pf_user` that every write is recorded under, and what they may do. If the
 * service signs people in, it says both (docs/contract/20-who-is-signed-in.md). If not, the name is
 * asked once, at the first write, and kept in the browser.
 */
class User {
  #me = $state.raw<Me>({ user: null, roles: [...ROLES] });
  #name = $state(kept('pf.user') ?? '');
  #waiting: ((name: string | null) => void)[] = [];

  /** True while the dialog that asks for the name is open. */
  asking = $state(false);

  /** Empty until it is known. */
  get name(): string {
    return this.#me.user ?? this.#name;
  }

  /** Whether the service knows the name, so that nobody is asked. */
  get signedIn(): boolean {
    return this.#me.user !== null;
  }

  /** What somebody who is signed in is called here: the last of their roles. */
  get role(): Role {
    return this.#me.roles.at(-1) ?? 'reader';
  }

  /** Whether versions may be made and changed. */
  get mayPlan(): boolean {
    return this.#me.roles.includes('planner');
  }

  /** Whether sources may be set up, rows locked, and versions deleted. */
  get mayAdminister(): boolean {
    return this.#me.roles.includes('admin');
  }

  /** Asks the service who is signed in. Keeps what is known if it does not answer. */
  async recognise(options: CallOptions): Promise<void> {
    this.#me = await getMe(options).catch(() => this.#me);
  }

  /** The name; asks for it if it is not known yet. Null if the user closes the dialog instead. */
  async require(): Promise<string | null> {
    return this.name || this.ask();
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
