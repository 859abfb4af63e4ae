-- The tables of the ledger. Times come from the service, never from now(): one place of the program reads the clock.
--
-- These statements run on plain Postgres and on Citus, where a table is distributed by game_id (0002_citus). So every
-- key of such a table contains game_id, indexes and constraints stand here, before the table is distributed, and what
-- changes a table later stands in a DO block of its own.

CREATE TABLE players (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    -- The name as names are compared: unique without case.
    name_key text NOT NULL UNIQUE,
    -- Null for a guest.
    password_hash text,
    -- Tokens of an earlier generation are ended.
    token_generation integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL
);

-- What the lobby lists. The log alone says what a game is; this is written when status or seats change, in the
-- transaction of the event.
CREATE TABLE games (
    game_id uuid PRIMARY KEY,
    kind text NOT NULL,
    -- Canonical JSON.
    options text NOT NULL,
    seats_min smallint NOT NULL,
    seats_max smallint NOT NULL,
    visibility text NOT NULL CHECK (visibility IN ('public', 'unlisted')),
    host uuid NOT NULL,
    status text NOT NULL CHECK (status IN ('open', 'closed', 'playing', 'ended', 'voided')),
    move_seconds integer,
    -- Canonical JSON; null unless the game ended.
    result text,
    -- The next game of the same players, once somebody asked for one.
    rematch uuid,
    -- A moment before which no deadline of the game can fall; null where nothing can become late.
    check_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- Whether the log of logs has the game's entries.
    started_logged boolean NOT NULL DEFAULT false,
    over_logged boolean NOT NULL DEFAULT false
);
-- The lobby, newest first. Not partial: the planner must be able to use them with the visibility as a parameter.
CREATE INDEX games_lobby ON games (visibility, created_at, game_id);
CREATE INDEX games_lobby_by_status ON games (visibility, status, created_at, game_id);
CREATE INDEX games_lobby_by_kind ON games (visibility, kind, created_at, game_id);
-- What is looked for in the background.
CREATE INDEX games_to_check ON games (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX games_left_open ON games (updated_at) WHERE status = 'open';
CREATE INDEX games_start_to_log ON games (updated_at) WHERE NOT started_logged AND status IN ('playing', 'ended');
CREATE INDEX games_over_to_log ON games (updated_at) WHERE NOT over_logged AND status IN ('ended', 'voided');

CREATE TABLE seatings (
    game_id uuid NOT NULL,
    seat smallint NOT NULL CHECK (seat BETWEEN 0 AND 19),
    player_id uuid NOT NULL,
    PRIMARY KEY (game_id, seat),
    UNIQUE (game_id, player_id)
);
CREATE INDEX seatings_by_player ON seatings (player_id, game_id);

-- The log. An append is a compare-and-swap: of all that want to write one seq of one game, the primary key lets one.
-- No foreign key to games: its check would lock and touch the game's row at every append.
CREATE TABLE events (
    game_id uuid NOT NULL,
    seq bigint NOT NULL CHECK (seq >= 0),
    prev bytea NOT NULL CHECK (octet_length(prev) = 32),
    at timestamptz NOT NULL,
    -- The seat; null for the server.
    actor smallint CHECK (actor BETWEEN 0 AND 19),
    type text NOT NULL,
    -- Canonical JSON, to the byte as it was hashed. Not jsonb, which can't hold the character U+0000 that a text from a
    -- player may contain, reorders what it is given, and takes longer; nothing is ever looked for inside of it.
    data text NOT NULL,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    -- The id of the key that signed, as published.
    key text NOT NULL,
    signature bytea NOT NULL CHECK (octet_length(signature) = 64),
    PRIMARY KEY (game_id, seq)
);

-- What the server knows of a game that stands in no event yet, encrypted. A row goes in the transaction of the event
-- that makes it public.
CREATE TABLE secrets (
    game_id uuid NOT NULL,
    what text NOT NULL CHECK (what IN ('root', 'move')),
    -- Both 0 for the root.
    seat smallint NOT NULL CHECK (seat BETWEEN 0 AND 19),
    step integer NOT NULL CHECK (step >= 0),
    -- Which of the configured keys encrypted it.
    key_id text NOT NULL,
    nonce bytea NOT NULL CHECK (octet_length(nonce) = 24),
    ciphertext bytea NOT NULL,
    PRIMARY KEY (game_id, what, seat, step)
);

-- What a player's request to create a game has made, so that its repeat makes nothing more.
CREATE TABLE idempotency_keys (
    player_id uuid NOT NULL,
    key uuid NOT NULL,
    body_hash bytea NOT NULL CHECK (octet_length(body_hash) = 32),
    game_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (player_id, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- The public keys of the server. None is ever removed, only marked with the time from which it signs no more.
CREATE TABLE signing_keys (
    kid text PRIMARY KEY,
    croupier_use text NOT NULL CHECK (croupier_use IN ('event', 'token', 'checkpoint')),
    x text NOT NULL,
    not_before timestamptz,
    not_after timestamptz,
    created_at timestamptz NOT NULL
);

-- The log of logs: its entries, and what was signed over it at some sizes. An entry goes to the index that is the size;
-- the primary key says if another instance was first.
CREATE TABLE log_entries (
    idx bigint PRIMARY KEY CHECK (idx >= 0),
    entry text NOT NULL,
    leaf bytea NOT NULL UNIQUE CHECK (octet_length(leaf) = 32)
);
CREATE TABLE checkpoints (
    size bigint PRIMARY KEY CHECK (size >= 0),
    note text NOT NULL
);
