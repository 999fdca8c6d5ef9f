import type { Template, TemplateOperation } from '../../contract/sources';
import { TEMPLATE_OPERATIONS } from '../../contract/sources';
import type { Templates } from '../sql/templates/generate';
import type { Session } from './database';

/** The stored templates of a source in the contract's order; empty before a generation. */
export function listTemplates(session: Session, sourceId: number): Promise<Template[]> {
  return session.many<Template>(
    `SELECT operation, sql, generated_at FROM pf.sql
     WHERE source_id = $1 ORDER BY array_position($2::text[], operation)`,
    [sourceId, TEMPLATE_OPERATIONS],
  );
}

/** The text of one stored template; undefined where there is none. */
export async function findTemplate(
  session: Session,
  sourceId: number,
  operation: TemplateOperation,
): Promise<string | undefined> {
  const row = await session.maybeOne<{ sql: string }>(
    'SELECT sql FROM pf.sql WHERE source_id = $1 AND operation = $2',
    [sourceId, operation],
  );
  return row?.sql;
}

/**
 * Upserts the templates and removes every one that was not produced
 * (docs/contract/07-sql-generation.md).
 */
export async function replaceTemplates(
  session: Session,
  sourceId: number,
  templates: Templates,
): Promise<void> {
  const operations = Object.keys(templates);
  await session.run('DELETE FROM pf.sql WHERE source_id = $1 AND operation <> ALL ($2::text[])', [
    sourceId,
    operations,
  ]);
  await session.run(
    `INSERT INTO pf.sql (source_id, operation, sql)
     SELECT $1, operation, sql FROM unnest($2::text[], $3::text[]) AS t (operation, sql)
     ON CONFLICT (source_id, operation) DO UPDATE SET sql = EXCLUDED.sql, generated_at = now()`,
    [sourceId, operations, Object.values(templates)],
  );
}
