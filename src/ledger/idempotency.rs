//! What requests to create a game have made, so that their repeats make nothing more.

use diesel::data_types::PgTimestamp;
use diesel::{BoolExpressionMethods, ExpressionMethods, Insertable, OptionalExtension, QueryDsl};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::lease::within;
use super::moment;
use super::schema::idempotency_keys;
use super::{Ledger, LedgerError};
use crate::hex32::Hash;
use crate::ids::{GameId, PlayerId};
use crate::timestamp::Timestamp;

/// What a request is known by when it is repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// Whose request it is.
    pub player: PlayerId,
    /// What the client named it.
    pub key: Uuid,
    /// The digest of its body: the same key with another body is an error of the client.
    pub body_hash: Hash,
}

/// What a request made when it came the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Idempotency {
    /// The digest of its body.
    pub body_hash: Hash,
    /// The game that it created.
    pub game: GameId,
}

#[derive(Insertable)]
#[diesel(table_name = idempotency_keys)]
pub(super) struct IdempotencyRow {
    player_id: Uuid,
    key: Uuid,
    body_hash: Vec<u8>,
    game_id: Uuid,
    created_at: PgTimestamp,
}

impl IdempotencyRow {
    pub(super) fn new(key: &IdempotencyKey, game: GameId, at: Timestamp) -> Self {
        Self {
            player_id: key.player.uuid(),
            key: key.key,
            body_hash: key.body_hash.as_bytes().to_vec(),
            game_id: game.uuid(),
            created_at: moment::stored(at),
        }
    }
}

impl Ledger {
    /// What a player's request with this key has made; `None` when there was none, or it is forgotten.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn idempotency(&self, player: PlayerId, key: Uuid) -> Result<Option<Idempotency>, LedgerError> {
        let this = idempotency_keys::player_id.eq(player.uuid()).and(idempotency_keys::key.eq(key));
        let query = idempotency_keys::table.filter(this);
        let query = query.select((idempotency_keys::body_hash, idempotency_keys::game_id));
        let mut lease = self.lease().await?;
        let result = within(async { query.get_result::<(Vec<u8>, Uuid)>(lease.connection()).await.optional() }).await;
        let Some((body_hash, game)) = lease.settle(result).await? else { return Ok(None) };
        match (body_hash.try_into(), GameId::new(game)) {
            (Ok(body_hash), Ok(game)) => Ok(Some(Idempotency { body_hash: Hash::new(body_hash), game })),
            _ => Err(LedgerError::corrupt("an idempotency key", "no digest or no game")),
        }
    }

    /// Forgets the requests from before this moment; says how many there were.
    ///
    /// # Errors
    ///
    /// When the database fails; the call may be repeated.
    pub async fn forget_idempotency_keys(&self, before: Timestamp) -> Result<usize, LedgerError> {
        let old = idempotency_keys::table.filter(idempotency_keys::created_at.lt(moment::stored(before)));
        let mut lease = self.lease().await?;
        let result = within(diesel::delete(old).execute(lease.connection())).await;
        lease.settle(result).await
    }
}
