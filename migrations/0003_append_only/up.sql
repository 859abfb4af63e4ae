-- The second wall round the log. The first is what the service's role may do at all: read and insert. This one stops
-- everybody else, the owner of the tables included.

CREATE FUNCTION events_are_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END
$$;

DO $$
BEGIN
    -- On Citus a trigger of a distributed table is made only with this; once made, it works without.
    IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
        SET LOCAL citus.enable_unsafe_triggers TO on;
    END IF;
    CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE ON events
        FOR EACH ROW EXECUTE FUNCTION events_are_append_only();
    CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON events
        FOR EACH STATEMENT EXECUTE FUNCTION events_are_append_only();
END
$$;
