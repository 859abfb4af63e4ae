-- Distributes the tables where the database is a Citus cluster; nothing to do on plain Postgres. Foreign keys come
-- after, so that none stands between two tables of which one is distributed and the other not yet.

DO $$
DECLARE
    small text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
        RETURN;
    END IF;
    -- Below, tables that refer to each other change in one transaction.
    SET LOCAL citus.multi_shard_modify_mode TO 'sequential';
    PERFORM create_reference_table('players');
    PERFORM create_distributed_table('games', 'game_id', colocate_with => 'none');
    FOREACH small IN ARRAY ARRAY['seatings', 'events', 'secrets'] LOOP
        PERFORM create_distributed_table(small, 'game_id', colocate_with => 'games');
    END LOOP;
    -- Tables that no game_id orders. They must be known to Citus, or a transaction over one of them and a game would
    -- commit in two parts. A local table needs the coordinator among the nodes; without it they go to every node.
    FOREACH small IN ARRAY ARRAY['idempotency_keys', 'signing_keys', 'log_entries', 'checkpoints'] LOOP
        IF EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) THEN
            PERFORM citus_add_local_table_to_metadata(small);
        ELSE
            PERFORM create_reference_table(small);
        END IF;
    END LOOP;
END
$$;

DO $$
BEGIN
    ALTER TABLE games ADD CONSTRAINT games_host_fkey FOREIGN KEY (host) REFERENCES players (id);
    ALTER TABLE seatings ADD CONSTRAINT seatings_player_id_fkey FOREIGN KEY (player_id) REFERENCES players (id);
    ALTER TABLE seatings ADD CONSTRAINT seatings_game_id_fkey FOREIGN KEY (game_id) REFERENCES games (game_id);
END
$$;
