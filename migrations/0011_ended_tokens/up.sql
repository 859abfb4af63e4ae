-- Instances ask again and again whose tokens were ended lately. Hardly anybody's ever are, and so the indexes stay small.
--
-- Instances of an older version do not write the new column; what they write is found by the other.

DO $$
BEGIN
    -- When the end of a player's tokens was stored, by the database's clock: tokens_ended_at is by an instance's.
    ALTER TABLE players ADD COLUMN tokens_ended_stored_at timestamptz;
    CREATE INDEX players_by_stored_end ON players (tokens_ended_stored_at) WHERE tokens_ended_stored_at IS NOT NULL;
    CREATE INDEX players_by_end ON players (tokens_ended_at) WHERE tokens_ended_at IS NOT NULL;
END
$$;
