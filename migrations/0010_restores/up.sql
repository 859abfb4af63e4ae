-- When the database was restored to a state behind which something acknowledged may be missing (`croupier restored`).
-- What was not over at the newest of these moments is never continued: somebody may hold signed events of it that this
-- log has no more, and another signature over one of their numbers would convict the server.
CREATE TABLE restores (
    at timestamptz PRIMARY KEY
);

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
        RETURN;
    END IF;
    -- As in 0002_citus.
    IF EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) THEN
        PERFORM citus_add_local_table_to_metadata('restores');
    ELSE
        PERFORM create_reference_table('restores');
    END IF;
END
$$;
