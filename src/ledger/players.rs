//! Players.

use diesel::data_types::PgTimestamp;
use diesel::dsl::{IntervalDsl, now};
use diesel::pg::Pg;
use diesel::sql_types::{Nullable, Timestamptz};
use diesel::{
    BoolExpressionMethods, ExpressionMethods, Insertable, IntoSql, NullableExpressionMethods, OptionalExtension,
    QueryDsl, Queryable, Selectable, SelectableHelper, define_sql_function,
};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::lease::within;
use super::moment;
use super::schema::players;
use super::{Ledger, LedgerError};
use crate::ids::PlayerId;
use crate::timestamp::Timestamp;

/// For how many minutes it is told whose tokens were ended, by the database's clock.
pub const ENDED_LATELY_MINUTES: i32 = 10;

/// Who somebody is for an outside identity provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The provider.
    pub issuer: String,
    /// Who it is there: never anybody else.
    pub subject: String,
}

/// A player.
#[derive(Clone, PartialEq, Eq)]
pub struct Player {
    /// The id.
    pub id: PlayerId,
    /// The name as it is shown.
    pub name: String,
    /// The name as names are compared: no two players have the same.
    pub name_key: String,
    /// The hash of the password, if there is one.
    pub password_hash: Option<String>,
    /// Who it is for an outside identity provider, if it came from one: no two players are the same.
    pub identity: Option<Identity>,
    /// Tokens of an earlier generation are ended.
    pub token_generation: u32,
    /// Tokens from outside that were issued until then are ended.
    pub tokens_ended_at: Option<Timestamp>,
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
    issuer: Option<String>,
    subject: Option<String>,
    tokens_ended_at: Option<PgTimestamp>,
}

define_sql_function! {
    /// The larger of two; of a null and another the other.
    fn greatest(one: Nullable<Timestamptz>, other: Nullable<Timestamptz>) -> Nullable<Timestamptz>;
}

fn read_generation(generation: i32) -> Result<u32, LedgerError> {
    u32::try_from(generation).map_err(|error| LedgerError::corrupt("a generation of tokens", error))
}

impl PlayerRow {
    fn new(player: &Player) -> Result<Self, LedgerError> {
        let identity = player.identity.as_ref();
        let texts = identity.into_iter().flat_map(|identity| [&identity.issuer, &identity.subject]);
        if texts.chain([&player.name, &player.name_key]).any(|text| text.contains('\0')) {
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
            issuer: identity.map(|identity| identity.issuer.clone()),
            subject: identity.map(|identity| identity.subject.clone()),
            tokens_ended_at: player.tokens_ended_at.map(moment::stored),
        })
    }

    fn read(self) -> Result<Player, LedgerError> {
        let Self { id, name, name_key, password_hash, token_generation, created_at, .. } = self;
        Ok(Player {
            id: PlayerId::new(id).map_err(|error| LedgerError::corrupt("a player's id", error))?,
            name,
            name_key,
            password_hash,
            identity: self.issuer.zip(self.subject).map(|(issuer, subject)| Identity { issuer, subject }),
            token_generation: read_generation(token_generation)?,
            tokens_ended_at: self.tokens_ended_at.map(moment::read).transpose()?,
            created_at: moment::read(created_at)?,
        })
    }
}

impl Ledger {
    /// Stores a new player.
    ///
    /// # Errors
    ///
    /// `Conflict` when the name, the id or the identity is taken; `Unknown` when it may have been stored or not.
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

    /// The players whose tokens were ended in the last [`ENDED_LATELY_MINUTES`], in no order.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn players_whose_tokens_ended_lately(&self) -> Result<Vec<Player>, LedgerError> {
        let lately = (now.into_sql::<Timestamptz>() - ENDED_LATELY_MINUTES.minutes()).nullable();
        // An older instance does not say when it stored it; its own clock will do.
        let ended = players::tokens_ended_stored_at.gt(lately).or(players::tokens_ended_at.gt(lately));
        let query = players::table.filter(ended).select(PlayerRow::as_select());
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

    /// The player of this identity.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn player_by_identity(&self, identity: &Identity) -> Result<Option<Player>, LedgerError> {
        let Identity { issuer, subject } = identity;
        let same = players::issuer.eq(issuer).and(players::subject.eq(subject));
        let query = players::table.filter(same).select(PlayerRow::as_select());
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
    pub async fn raise_token_generation(&self, id: PlayerId, at: Timestamp) -> Result<Option<u32>, LedgerError> {
        // Another instance's clock may be ahead: no token is to become good again.
        let ended_at = greatest(players::tokens_ended_at, Some(moment::stored(at)));
        let raised = players::token_generation.eq(players::token_generation + 1);
        let stored_at = players::tokens_ended_stored_at.eq(now.into_sql::<Timestamptz>().nullable());
        let statement = diesel::update(players::table.filter(players::id.eq(id.uuid())))
            .set((raised, players::tokens_ended_at.eq(ended_at), stored_at))
            .returning(players::token_generation);
        let mut lease = self.lease().await?;
        let result = within(async { statement.get_result::<i32>(lease.connection()).await.optional() }).await;
        lease.settle(result).await?.map(read_generation).transpose()
    }
}
