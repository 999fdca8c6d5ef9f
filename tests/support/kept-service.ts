/** Servers that a worker keeps from test to test, and restores between them. */
import type { Template } from './cluster';
import { startService, type Service } from './service';
import { Snapshot } from './snapshot';

/** A server whose database is as new for each test. */
export interface KeptService {
  service: Service;
  snapshot: Snapshot;
}

/** A worker keeps so many of its servers, the last used ones: each has some hundred megabytes. */
const MOST = 5;

/** The servers of a worker, one for each template and environment. */
export class KeptServices {
  private readonly services = new Map<string, KeptService>();

  /** Returns the server for a test, whose database has the content of the template. */
  async take(template: Template, env: Record<string, string>): Promise<Service> {
    const key = JSON.stringify([template, env]);
    const { service, snapshot } = this.services.get(key) ?? (await start(template, env));
    this.services.delete(key);
    this.services.set(key, { service, snapshot });
    for (const oldest of this.services.keys()) {
      if (this.services.size <= MOST) break;
      await this.drop(oldest);
    }
    return service;
  }

  /** Restores the database after a test; a server whose database cannot be restored is stopped. */
  async giveBack(service: Service): Promise<void> {
    for (const [key, kept] of this.services) {
      if (kept.service !== service) continue;
      const isUp = await service.api.get('/health').then(
        ({ status }) => status === 200,
        () => false,
      );
      if (!isUp || !(await kept.snapshot.restore())) await this.drop(key);
    }
  }

  async stop(): Promise<void> {
    for (const key of this.services.keys()) await this.drop(key);
  }

  private async drop(key: string): Promise<void> {
    const kept = this.services.get(key);
    this.services.delete(key);
    await kept?.snapshot.end();
    await kept?.service.stop();
  }
}

async function start(template: Template, env: Record<string, string>): Promise<KeptService> {
  const service = await startService(template, env);
  return { service, snapshot: await Snapshot.of(service.database) };
}
