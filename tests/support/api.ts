import { test } from 'vitest';
import { onCitus, type Template } from './cluster';
import { startService } from './service';
import { SharedService } from './shared-service';

/**
 * Vitest's `it` with the fixture `service`: a built server, started for the first hook or test that asks for it. Its
 * database has the migrations, the calendar and one table. The files of a worker share it, one after the other,
 * and each finds only what it made itself; ids do not begin at 1.
 *
 * A file has a server and a database of its own if it depends on the settings, the log, the memory or the start of
 * the server: `it.extend('env', { scope: 'file' }, { PF_FILE_LIMIT: '1000' })` returns one with environment
 * variables, which may be none, and `it.extend('template', { scope: 'file' }, 'grain')` one with another database.
 * Files share this module, so none may change it by `it.override`. Hooks with fixtures are `it.beforeAll` and the like.
 */
export const it = test
  .extend('template', { scope: 'file' }, 'service' as Template)
  .extend('env', { scope: 'file' }, null as Record<string, string> | null)
  // eslint-disable-next-line no-empty-pattern -- Vitest reads the names of other fixtures from the pattern
  .extend('shared', { scope: 'worker' }, ({}, { onCleanup }) => {
    const shared = new SharedService();
    onCleanup(() => shared.stop());
    return shared;
  })
  .extend('service', { scope: 'file' }, async ({ template, env, shared }, { onCleanup }) => {
    // Dropping a distributed table takes longer than the start of a server.
    if (env === null && template === 'service' && !onCitus) {
      const service = await shared.take();
      onCleanup(() => shared.release());
      return service;
    }
    const service = await startService(template, env ?? {});
    onCleanup(service.stop);
    return service;
  });
