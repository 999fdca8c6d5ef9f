/** The user of this browser, and their roles. */
import type { Me, Role } from '../contract/me';
import { ROLES } from '../contract/me';
import { call } from './api';
import type { CallOptions } from './http';
import { kept, keep, onKept } from './storage';

const KEY = 'pf.user';

/**
 * The current user: the `pf_user` under which every write is recorded, and their roles. If the service signs
 * users in, it sends both (docs/contract/20-who-is-signed-in.md). Otherwise the name is asked for once, at
 * the first write, and stored in the browser.
 */
class User {
  private me = $state.raw<Me>({ user: null, roles: [...ROLES] });
  private entered = $state(kept(KEY) ?? '');
  private waiting: ((name: string | null) => void)[] = [];

  /** Whether the dialog that asks for the name is open. */
  asking = $state(false);

  constructor() {
    onKept(KEY, (name) => (this.entered = name ?? ''));
  }

  /** Empty until it is known. */
  get name(): string {
    return this.me.user ?? this.entered;
  }

  /** Whether the service knows the name, so that the page need not ask. */
  get signedIn(): boolean {
    return this.me.user !== null;
  }

  /** The role that the page shows for a signed-in user: the last of their roles. */
  get role(): Role {
    return this.me.roles.at(-1) ?? 'reader';
  }

  /** Whether the user may create and change versions. */
  get mayPlan(): boolean {
    return this.me.roles.includes('planner');
  }

  /** Whether the user may set up sources, lock rows and delete versions. */
  get mayAdminister(): boolean {
    return this.me.roles.includes('admin');
  }

  /** Asks the service who is signed in. Keeps the known user if it does not answer. */
  async recognise(options: CallOptions): Promise<void> {
    this.me = await call('GET /me', options).catch(() => this.me);
  }

  /** Returns the name, after asking for it if it is unknown. Null if the user closes the dialog. */
  async require(): Promise<string | null> {
    return this.name || this.ask();
  }

  /** Opens the dialog, even if a name is known, and returns the entered name. */
  ask(): Promise<string | null> {
    this.asking = true;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Answers the dialog; null if it was closed without a name. */
  answer(name: string | null): void {
    if (name !== null) {
      this.entered = name;
      keep(KEY, name);
    }
    this.asking = false;
    for (const resolve of this.waiting.splice(0)) resolve(name);
  }
}

export const user = new User();
