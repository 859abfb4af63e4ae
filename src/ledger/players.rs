//! Players.

use diesel::data_types::PgTimestamp;
use diesel::pg::Pg;
use diesel::{ExpressionMethods, Insertable, OptionalExtension, QueryDsl, Queryable, Selectable, SelectableHelper};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::lease::within;
use super::moment;
use super::schema::players;
use super::{Ledger, LedgerError};
use crate::ids::PlayerId;
use crate::timestamp::Timestamp;

/// A player.
#[derive(Clone, PartialEq, Eq)]
pub struct Player {
    /// The id.
    pub id: PlayerId,
    /// The name as it is shown.
    pub name: String,
    /// The name as names are compared: no two players have the same.
    pub name_key: String,
    /// The hash of the password; `None` for a guest.
    pub password_hash: Option<String>,
    /// Tokens of an earlier generation are ended.
    pub token_generation: u32,
    /// Since when there is this player.
    pub created_at: Timestamp,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = players, treat_none_as_default_value = false, check_for_backend(Pg))]
struct PlayerRow {
    id: Uuid,
    name: String,
    name_key: String,
    password_hash: Option<String>,
    token_generation: i32,
    created_at: PgTimestamp,
}

fn read_generation(generation: i32) -> Result<u32, LedgerError> {
    u32::try_from(generation).map_err(|error| LedgerError::corrupt("a generation of tokens", error))
}

impl PlayerRow {
    fn new(player: &Player) -> Result<Self, LedgerError> {
        if player.name.contains('\0') || player.name_key.contains('\0') {
            return Err(LedgerError::Other(format!("the name of player {} holds U+0000", player.id)));
        }
        let generation = i32::try_from(player.token_generation);
        Ok(Self {
            id: player.id.uuid(),
            name: player.name.clone(),
            name_key: player.name_key.clone(),
            password_hash: player.password_hash.clone(),
            token_generation: generation.map_err(|error| LedgerError::Other(error.to_string()))?,
            created_at: moment::stored(player.created_at),
        })
    }

    fn read(self) -> Result<Player, LedgerError> {
        let Self { id, name, name_key, password_hash, token_generation, created_at } = self;
        Ok(Player {
            id: PlayerId::new(id).map_err(|error| LedgerError::corrupt("a player's id", error))?,
            name,
            name_key,
            password_hash,
            token_generation: read_generation(token_generation)?,
            created_at: moment::read(created_at)?,
        })
    }
}

impl Ledger {
    /// Stores a new player.
    ///
    /// # Errors
    ///
    /// `Conflict` when the name or the id is taken; `Unknown` when it may have been stored or not.
    pub async fn insert_player(&self, player: &Player) -> Result<(), LedgerError> {
        let statement = diesel::insert_into(players::table).values(PlayerRow::new(player)?);
        let mut lease = self.lease().await?;
        let result = within(statement.execute(lease.connection())).await;
        lease.settle_write(result).await.map(drop)
    }

    /// The player with this id.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn player(&self, id: PlayerId) -> Result<Option<Player>, LedgerError> {
        let query = players::table.filter(players::id.eq(id.uuid())).select(PlayerRow::as_select());
        let mut lease = self.lease().await?;
        let result = within(async { query.get_result(lease.connection()).await.optional() }).await;
        lease.settle(result).await?.map(PlayerRow::read).transpose()
    }

    /// Those of these players that there are, in no order.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn players(&self, ids: &[PlayerId]) -> Result<Vec<Player>, LedgerError> {
        let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
        let query = players::table.filter(players::id.eq_any(ids)).select(PlayerRow::as_select());
        let mut lease = self.lease().await?;
        let result = within(query.load(lease.connection())).await;
        lease.settle(result).await?.into_iter().map(PlayerRow::read).collect()
    }

    /// The player whose name compares as this.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn player_by_name(&self, name_key: &str) -> Result<Option<Player>, LedgerError> {
        // The database can't even hold such a text, and would fail at the question.
        if name_key.contains('\0') {
            return Ok(None);
        }
        let query = players::table.filter(players::name_key.eq(name_key)).select(PlayerRow::as_select());
        let mut lease = self.lease().await?;
        let result = within(async { query.get_result(lease.connection()).await.optional() }).await;
        lease.settle(result).await?.map(PlayerRow::read).transpose()
    }

    /// Ends all tokens issued to a player so far: the generation of those from now on, or `None` when there is no such
    /// player.
    ///
    /// # Errors
    ///
    /// When the database fails; the call may be repeated.
    pub async fn raise_token_generation(&self, id: PlayerId) -> Result<Option<u32>, LedgerError> {
        let statement = diesel::update(players::table.filter(players::id.eq(id.uuid())))
            .set(players::token_generation.eq(players::token_generation + 1))
            .returning(players::token_generation);
        let mut lease = self.lease().await?;
        let result = within(async { statement.get_result::<i32>(lease.connection()).await.optional() }).await;
        lease.settle(result).await?.map(read_generation).transpose()
    }
}
