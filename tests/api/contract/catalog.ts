// Shared by the tests of pf: its tables in the catalog.
import type { Service } from '../../support/service';

/** Returns the columns of a table of schema pf from the catalog: type, nullability, default. */
const columnsOf = (service: Service, table: string) =>
  service.query(
    `SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS nullable,
       column_default AS "default"
     FROM information_schema.columns WHERE table_schema = 'pf' AND table_name = $1
     ORDER BY column_name`,
    [table],
  );

export const named = async (service: Service, table: string) =>
  (await columnsOf(service, table)).map((c) => `${c.name} ${c.type}`);
