-- What the service's role may do: the least that it needs. Runs after the migrations each time, so that a role that is
-- made later gets its rights too; grants only what is missing, since on Citus a grant reaches every shard.
--
-- The role's name is in the setting croupier.service_role. A role that does not exist is not made, and the owner of the
-- tables needs no grant.
DO $$
DECLARE
    service text := current_setting('croupier.service_role', true);
    line record;
    missing boolean;
BEGIN
    IF coalesce(service, '') IN ('', current_user) OR NOT EXISTS (SELECT FROM pg_roles WHERE rolname = service) THEN
        RETURN;
    END IF;
    FOR line IN
        SELECT * FROM (VALUES
            ('__diesel_schema_migrations', 'SELECT', NULL::text[]),
            ('players', 'SELECT', NULL),
            ('players', 'INSERT', NULL),
            ('players', 'UPDATE', ARRAY['token_generation', 'tokens_ended_at', 'tokens_ended_stored_at']),
            ('games', 'SELECT', NULL),
            ('games', 'INSERT', NULL),
            ('games', 'UPDATE', ARRAY[
                'status', 'result', 'rematch', 'check_at', 'updated_at', 'started_logged', 'over_logged']),
            ('seatings', 'SELECT', NULL),
            ('seatings', 'INSERT', NULL),
            ('seatings', 'DELETE', NULL),
            ('events', 'SELECT', NULL),
            ('events', 'INSERT', NULL),
            ('secrets', 'SELECT', NULL),
            ('secrets', 'INSERT', NULL),
            ('secrets', 'DELETE', NULL),
            ('idempotency_keys', 'SELECT', NULL),
            ('idempotency_keys', 'INSERT', NULL),
            ('idempotency_keys', 'DELETE', NULL),
            ('signing_keys', 'SELECT', NULL),
            ('signing_keys', 'INSERT', NULL),
            ('signing_keys', 'UPDATE', ARRAY['not_after']),
            ('log_entries', 'SELECT', NULL),
            ('log_entries', 'INSERT', NULL),
            ('checkpoints', 'SELECT', NULL),
            ('checkpoints', 'INSERT', NULL),
            ('restores', 'SELECT', NULL),
            ('scores', 'SELECT', NULL),
            ('scores', 'INSERT', NULL),
            ('scores', 'DELETE', NULL),
            ('best_scores', 'SELECT', NULL),
            ('best_scores', 'INSERT', NULL),
            ('best_scores', 'UPDATE', ARRAY['game_id', 'elapsed', 'steps', 'finished_at']),
            ('best_scores', 'DELETE', NULL)
        ) AS needed (relation, privilege, columns)
    LOOP
        IF line.columns IS NULL THEN
            IF NOT has_table_privilege(service, line.relation, line.privilege) THEN
                EXECUTE format('GRANT %s ON %I TO %I', line.privilege, line.relation, service);
            END IF;
        ELSE
            SELECT bool_or(NOT has_column_privilege(service, line.relation, name, line.privilege))
                INTO missing FROM unnest(line.columns) AS name;
            IF missing THEN
                EXECUTE format('GRANT %s (%s) ON %I TO %I', line.privilege,
                    (SELECT string_agg(quote_ident(name), ', ') FROM unnest(line.columns) AS name),
                    line.relation, service);
            END IF;
        END IF;
    END LOOP;
END
$$;
