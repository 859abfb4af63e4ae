-- The table of high scores (WF-9): a projection of the logs of finished public runs, which can be made anew from them.
-- A row is written in the transaction of the event that ends the run.

-- Every run.
CREATE TABLE scores (
    game_id uuid PRIMARY KEY,
    player_id uuid NOT NULL,
    -- In milliseconds.
    elapsed bigint NOT NULL CHECK (elapsed >= 0),
    steps bigint NOT NULL CHECK (steps > 0),
    finished_at timestamptz NOT NULL
);
CREATE INDEX scores_by_rank ON scores (elapsed, steps, finished_at, game_id);
CREATE INDEX scores_by_player ON scores (player_id, elapsed, steps, finished_at, game_id);

-- Of each player the best one. A player's runs are in many shards; so this is no query over them.
CREATE TABLE best_scores (
    player_id uuid PRIMARY KEY,
    game_id uuid NOT NULL,
    elapsed bigint NOT NULL CHECK (elapsed >= 0),
    steps bigint NOT NULL CHECK (steps > 0),
    finished_at timestamptz NOT NULL
);
CREATE INDEX best_scores_by_rank ON best_scores (elapsed, steps, finished_at, game_id);

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
        RETURN;
    END IF;
    SET LOCAL citus.multi_shard_modify_mode TO 'sequential';
    PERFORM create_distributed_table('scores', 'game_id', colocate_with => 'games');
    -- As the other tables that no game_id orders (0002_citus).
    IF EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) THEN
        PERFORM citus_add_local_table_to_metadata('best_scores');
    ELSE
        PERFORM create_reference_table('best_scores');
    END IF;
END
$$;
