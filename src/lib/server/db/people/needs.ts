/** Sources that need something that this build does not know. */
import * as v from 'valibot';
import type { SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';

/** The features that this build knows, as an array of SQL: it serves sources that need no others. */
const KNOWN = sql`'{territories}'::text[]`;

/**
 * Whether this build serves a source, as SQL (docs/contract/16-migrations-and-calendar.md#what-a-source-needs).
 *
 * @param source its id
 */
export const isServed = (source: SqlText): SqlText =>
  sql`(SELECT n.needs <@ ${KNOWN} FROM pf.source AS n WHERE n.id = ${source})`;

/** A source that this build does not serve, with the features that the build would have to know. */
const Unserved = v.object({ id: v.number(), tname: v.string(), needs: v.array(v.string()) });

/** The sources that this build does not serve, by id. */
export const unservedSources = (db: Queryable): Promise<v.InferOutput<typeof Unserved>[]> =>
  db.many(
    Unserved,
    sql`SELECT id, tname, ARRAY(SELECT unnest(needs) EXCEPT SELECT unnest(${KNOWN}) ORDER BY 1) AS needs
       FROM pf.source WHERE NOT needs <@ ${KNOWN} ORDER BY id`,
  );
