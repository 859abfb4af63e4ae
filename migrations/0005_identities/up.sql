-- Players whom an outside identity provider vouches for: who it is there, and until when its tokens were ended.
--
-- Instances of an older version know nothing of these columns: null is what they write, and means a player of ours.

DO $$
BEGIN
    ALTER TABLE players ADD COLUMN issuer text;
    ALTER TABLE players ADD COLUMN subject text;
    -- Tokens from outside that were issued until then are ended; those of ours have their generation.
    ALTER TABLE players ADD COLUMN tokens_ended_at timestamptz;
    CREATE UNIQUE INDEX players_by_identity ON players (issuer, subject);
END
$$;
