import { test } from 'vitest';
import { startService } from './service';
import type { Template } from './cluster';

/**
 * Vitest's `it` with the fixture `service`: a built server on a database of its own for each file,
 * started for the first hook or test that asks for it. Without more the database has the
 * migrations, the calendar and one table; `it.extend('template', { scope: 'file' }, 'grain')` returns one with
 * another, and `env` adds environment variables. Files share this module, so none may change it by
 * `it.override`. Hooks with fixtures are `it.beforeAll` and the like.
 */
export const it = test
  .extend('template', { scope: 'file' }, 'service' as Template)
  .extend('env', { scope: 'file' }, {} as Record<string, string>)
  .extend('service', { scope: 'file' }, async ({ template, env }, { onCleanup }) => {
    const service = await startService(template, env);
    onCleanup(service.stop);
    return service;
  });
