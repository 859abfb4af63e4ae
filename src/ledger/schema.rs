//! The tables that the migrations make, as diesel knows them.

#![allow(missing_docs, reason = "the migrations say what each column is")]

diesel::table! {
    players (id) {
        id -> Uuid,
        name -> Text,
        name_key -> Text,
        password_hash -> Nullable<Text>,
        token_generation -> Integer,
        created_at -> Timestamptz,
        issuer -> Nullable<Text>,
        subject -> Nullable<Text>,
        tokens_ended_at -> Nullable<Timestamptz>,
        tokens_ended_stored_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    games (game_id) {
        game_id -> Uuid,
        kind -> Text,
        options -> Text,
        seats_min -> SmallInt,
        seats_max -> SmallInt,
        visibility -> Text,
        host -> Uuid,
        status -> Text,
        move_seconds -> Nullable<Integer>,
        result -> Nullable<Text>,
        rematch -> Nullable<Uuid>,
        check_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        started_logged -> Bool,
        over_logged -> Bool,
    }
}

diesel::table! {
    seatings (game_id, seat) {
        game_id -> Uuid,
        seat -> SmallInt,
        player_id -> Uuid,
    }
}

diesel::table! {
    events (game_id, seq) {
        game_id -> Uuid,
        seq -> BigInt,
        prev -> Binary,
        at -> Timestamptz,
        actor -> Nullable<SmallInt>,
        #[sql_name = "type"]
        event_type -> Text,
        data -> Text,
        hash -> Binary,
        key -> Text,
        signature -> Binary,
    }
}

diesel::table! {
    secrets (game_id, what, seat, step) {
        game_id -> Uuid,
        what -> Text,
        seat -> SmallInt,
        step -> Integer,
        key_id -> Text,
        nonce -> Binary,
        ciphertext -> Binary,
    }
}

diesel::table! {
    idempotency_keys (player_id, key) {
        player_id -> Uuid,
        key -> Uuid,
        body_hash -> Binary,
        game_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    signing_keys (kid) {
        kid -> Text,
        croupier_use -> Text,
        x -> Text,
        not_before -> Nullable<Timestamptz>,
        not_after -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    log_entries (idx) {
        idx -> BigInt,
        entry -> Text,
        leaf -> Binary,
    }
}

diesel::table! {
    checkpoints (size) {
        size -> BigInt,
        note -> Text,
    }
}

diesel::table! {
    restores (at) {
        at -> Timestamptz,
    }
}

diesel::joinable!(seatings -> players (player_id));
diesel::allow_tables_to_appear_in_same_query!(games, players, seatings);
