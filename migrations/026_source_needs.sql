-- Servers of builds since 024_saved_within.sql can go on.

-- What a build must know to serve a source. A build does not serve a source that needs something else
-- (docs/contract/16-migrations-and-calendar.md#what-a-source-needs).
ALTER TABLE pf.source ADD COLUMN needs text[] NOT NULL DEFAULT '{}';
UPDATE pf.source SET needs = '{territories}' WHERE id IN (SELECT source_id FROM pf.territory);

CREATE FUNCTION pf.note_territories() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE pf.source AS s
  SET needs = array_remove(s.needs, 'territories')
    || CASE WHEN EXISTS (SELECT FROM pf.territory AS t WHERE t.source_id = s.id)
       THEN '{territories}'::text[] ELSE '{}' END
  WHERE s.id IN (OLD.source_id, NEW.source_id);
  RETURN NULL;
END
$$;

CREATE TRIGGER note_territories AFTER INSERT OR DELETE OR UPDATE OF source_id ON pf.territory
  FOR EACH ROW EXECUTE FUNCTION pf.note_territories();
