/**
 * Answers by what was asked, so that nothing is asked twice. A failure is not kept: the next one asks
 * anew, or what failed once would stay unreadable.
 */
export class Answers<T> {
  private readonly kept = new Map<string, Promise<T>>();

  get(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.kept.get(key);
    if (known) return known;
    const answer = ask();
    this.kept.set(key, answer);
    answer.catch(() => {
      if (this.kept.get(key) === answer) this.kept.delete(key);
    });
    return answer;
  }

  /** Forgets all answers. @returns those that were kept */
  forget(): Promise<T>[] {
    const answers = [...this.kept.values()];
    this.kept.clear();
    return answers;
  }
}
