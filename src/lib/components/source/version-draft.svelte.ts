/** The name and description of a version while they are typed. */
import { ApiError } from '$lib/client/http';
import { messageOf } from '$lib/client/message-of';

/** Name and description of a version in the body of a request. */
interface VersionName {
  name: string;
  description: string | null;
}

/** The name and description of a version that is being created or edited. */
export class VersionDraft {
  name = $state('');
  description = $state('');
  busy = $state(false);
  /** Why saving failed, unless the name is the reason. */
  failure = $state.raw<{ message: string; status: number } | null>(null);
  private tried = $state(false);
  private taken = $state<string | null>(null);

  private readonly problem: string | null = $derived(
    this.name.trim() === ''
      ? 'Give the version a name.'
      : this.name.trim() === this.taken
        ? 'A version with this name already exists.'
        : null,
  );
  /** The problem with the name, once somebody has tried to save it. */
  readonly nameProblem: string | null = $derived(this.tried ? this.problem : null);

  constructor(name = '', description: string | null = null) {
    this.name = name;
    this.description = description ?? '';
  }

  /** Saves the entered name and description if they are valid; one save at a time. */
  async submit(save: (entered: VersionName) => Promise<void>): Promise<void> {
    this.tried = true;
    if (this.problem || this.busy) return;
    const name = this.name.trim();
    this.busy = true;
    this.failure = null;
    try {
      await save({ name, description: this.description.trim() || null });
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0;
      if (error instanceof ApiError && status === 409 && error.field === 'name') this.taken = name;
      else this.failure = { message: messageOf(error), status };
    } finally {
      this.busy = false;
    }
  }
}
