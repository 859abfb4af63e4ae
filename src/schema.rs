//! How the vocabulary's texts look in the OpenAPI document.

use std::borrow::Cow;

use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, SchemaFormat, Type};
use utoipa::openapi::{KnownFormat, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::cards::{Card, Face, Rank};
use crate::event::Actor;
use crate::games::Kind;
use crate::hex32::{Hash, Nonce, PlayerSeed, ServerSeed};
use crate::ids::{GameId, PlayerId};
use crate::keys::{KeyId, PublicKey, Signature};
use crate::seat::Seat;
use crate::timestamp::Timestamp;

/// Describes types that are written as one text.
macro_rules! texts {
    ($($name:ident: $description:literal, $pattern:literal, $format:expr, $example:literal;)+) => {$(
        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let format: Option<KnownFormat> = $format;
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .format(format.map(SchemaFormat::KnownFormat))
                    .pattern(Some($pattern))
                    .description(Some($description))
                    .examples([$example])
                    .into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }
    )+};
}

texts! {
    Card: "A card: rank `A23456789TJQK` and suit `CDHS`.", "^[A2-9TJQK][CDHS]$", None, "QS";
    Face: "A card or a joker: rank and suit, or `X1`, `X2`, ….", "^([A2-9TJQK][CDHS]|X[1-9])$", None, "QS";
    Rank: "A rank: ace, 2 to 9, ten, jack, queen, king.", "^[A2-9TJQK]$", None, "J";
    Hash: "A SHA-256 digest.", "^[0-9a-f]{64}$", None,
        "fa5633ee58d654779167374273e3405f1f6a173779577d322bdd0aebfa84de6d";
    PlayerSeed: "A player's seed: 32 bytes, fresh from the operating system for each game.", "^[0-9a-f]{64}$", None,
        "ee5d7cfdad3492e0f6f4d52bc0d4a05af1809443a384c48cf5825853ac359ea7";
    ServerSeed: "The server's seed of a draw.", "^[0-9a-f]{64}$", None,
        "256f5895e9f24dc718b7298031642bdcb8c8d2f945fe1c388aa2d352b8c6b5ef";
    Nonce: "What blinds a commitment: 32 bytes, fresh from the operating system for each.", "^[0-9a-f]{64}$", None,
        "5099e9ae8def21dff009f5bdc55188d98bb1f0ef5614204697152a87504ed8ca";
    KeyId: "A key's RFC 7638 thumbprint.", "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$", None,
        "mE4OJpQ-mMxFN3tHwSiDdVX0gA99GEGZhnsvdxS3o98";
    PublicKey: "An Ed25519 public key: canonical base64url without padding.", "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$", None,
        "25tNVFtxPwJg81Dvs3uWNzodRA6TcqW19TS9dU21XlA";
    Signature: "An Ed25519 signature: canonical base64url without padding.", "^[A-Za-z0-9_-]{85}[AQgw]$", None,
        "L04talY4pEs7xnd_wcQ6FSP9Xec9GqF7RPaLv_QrpEj3XktICZi4tnd7Ljb5SH8f7F-UeVc-39MZo9z8a6j_CA";
    Timestamp: "A moment in UTC, with milliseconds and `Z`.",
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$", Some(KnownFormat::DateTime),
        "2026-01-02T03:04:05.006Z";
    GameId: "A game's id, a UUID of version 7.",
        "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", Some(KnownFormat::Uuid),
        "019b7a5e-1c2d-7734-a23f-d5a6499745c2";
    PlayerId: "A player's id, a UUID of version 7.",
        "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", Some(KnownFormat::Uuid),
        "019b7a5d-0f3e-76bd-ae5c-76030dd90abe";
}

// The names of kinds are parameters of a macro, which the derive macro of utoipa does not see.
impl PartialSchema for Kind {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(Self::ALL.iter().map(|kind| kind.name())))
            .description(Some("A kind of game."))
            .into()
    }
}

impl ToSchema for Kind {}

impl PartialSchema for Actor {
    fn schema() -> RefOr<Schema> {
        OneOfBuilder::new()
            .item(Seat::schema())
            .item(ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["server"])))
            .description(Some("Who brought the event about: a seat, or the server."))
            .into()
    }
}

impl ToSchema for Actor {}
