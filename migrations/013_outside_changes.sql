-- Servers of builds since 011_replayed.sql can go on.
-- Forecast rows that something else than the service has changed. The service caches rows, sums and keys
-- of entries; a trigger on each forecast table records here that these no longer hold.

-- There is no reference to pf.version: its check would wait for the lock that a write of the service holds
-- on the version.
CREATE TABLE pf.outside_change (
  version_id integer PRIMARY KEY,
  -- The last transaction that changed rows of the version.
  revision   xid8 NOT NULL
);

-- The revision of the version when the rows of the entry were counted; null if there was none.
ALTER TABLE pf.log ADD COLUMN counted_revision xid8;

-- A role that may change forecast rows need not have rights on the service's own tables.
CREATE FUNCTION pf.note_outside_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- A transaction of many statements writes once.
  INSERT INTO pf.outside_change AS known (version_id, revision)
  VALUES (TG_ARGV[0]::integer, pg_current_xact_id())
  ON CONFLICT (version_id) DO UPDATE SET revision = excluded.revision
    WHERE known.revision <> excluded.revision;
  PERFORM pg_notify('forecast_pivot', json_build_object('version', TG_ARGV[0]::integer,
    'event', json_build_object('kind', 'resync'))::text);
  RETURN NULL;
END
$$;

-- Adds the trigger to forecast tables that lack it: those that are older than this migration, and those that
-- servers of earlier builds make while they go on. Citus refuses triggers on distributed tables.
CREATE FUNCTION pf.add_outside_triggers() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  forecast record;
  distributed oid[] := '{}';
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    EXECUTE 'SELECT coalesce(array_agg(logicalrelid::oid), ''{}'') FROM pg_catalog.pg_dist_partition'
      INTO distributed;
  END IF;
  FOR forecast IN
    SELECT v.id AS version_id, c.oid::regclass AS name
    FROM pf.version v
    JOIN pg_class c ON c.relkind = 'r' AND c.relname ~ ('^fc_.*_' || v.id || '$')
    JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'pf'
    WHERE c.oid <> ALL (distributed)
      AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'pf_outside_change')
  LOOP
    -- The service sets pf.writer at the start of each connection. The trigger runs before the statement, so
    -- that two programs that change one version wait here and not for each other's rows.
    EXECUTE format(
      'CREATE TRIGGER pf_outside_change BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s
       FOR EACH STATEMENT WHEN (current_setting(''pf.writer'', true) IS DISTINCT FROM ''service'')
       EXECUTE FUNCTION pf.note_outside_change(%L)', forecast.name, forecast.version_id);
  END LOOP;
END
$$;

SELECT pf.add_outside_triggers();
