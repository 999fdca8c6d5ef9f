import type { Page } from '@playwright/test';

interface Held {
  hold(): void;
  release(): void;
}

/** The pivot's engine, whose requests can be delayed as if it were busy with millions of rows. */
export class Engine {
  private constructor(private readonly page: Page) {}

  /** Prepares the page. Must be called before the page is opened. */
  static async of(page: Page): Promise<Engine> {
    await page.addInitScript(() => {
      let waiting: (() => void)[] | null = null;
      for (const sender of [Worker.prototype, MessagePort.prototype]) {
        sender.postMessage = new Proxy(sender.postMessage, {
          apply(post, port, message) {
            const send = () => void Reflect.apply(post, port, message);
            if (waiting) waiting.push(send);
            else send();
          },
        });
      }
      const engine: Held = {
        hold: () => (waiting ??= []),
        release: () => {
          const held = waiting ?? [];
          waiting = null;
          for (const send of held) send();
        },
      };
      Object.assign(window, { engine });
    });
    return new Engine(page);
  }

  /** Delays the page's requests to the engine from now on. */
  async hold(): Promise<void> {
    await this.page.evaluate(() => (window as unknown as { engine: Held }).engine.hold());
  }

  /** Sends the delayed requests in their order. */
  async release(): Promise<void> {
    await this.page.evaluate(() => (window as unknown as { engine: Held }).engine.release());
  }
}
