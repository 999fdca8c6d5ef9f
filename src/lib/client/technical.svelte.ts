/** Whether the pages show requests to the service and SQL, for people who write programs. */
import { keep, kept, onKept } from './storage';

const KEY = 'pf.technical';

class Technical {
  private value = $state(kept(KEY) === 'shown');

  constructor() {
    onKept(KEY, (text) => (this.value = text === 'shown'));
  }

  /** Whether requests and SQL are shown. The browser remembers it; by default they are hidden. */
  get shown(): boolean {
    return this.value;
  }

  set shown(shown: boolean) {
    this.value = shown;
    keep(KEY, shown ? 'shown' : null);
  }
}

export const technical = new Technical();
