-- How many open games a player hosts is asked whenever one is created.

DO $$
BEGIN
    CREATE INDEX games_by_host ON games (host, status);
END
$$;
