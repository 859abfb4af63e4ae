//! Events as rows.

use diesel::pg::Pg;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Binary, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid};
use diesel::{
    BoolExpressionMethods, ExpressionMethods, OptionalExtension, QueryDsl, QueryResult, Queryable, Selectable,
    SelectableHelper,
};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::lease::within;
use super::moment;
use super::schema::events;
use super::{Ledger, LedgerError};
use crate::canonical;
use crate::event::{Actor, Body, Event, EventSignature};
use crate::hex32::Hash;
use crate::ids::GameId;
use crate::keys::Signature;
use crate::seat::Seat;
use diesel::data_types::PgTimestamp;

/// What the database holds of an event.
#[derive(Queryable, Selectable)]
#[diesel(table_name = events, check_for_backend(Pg))]
pub(super) struct EventRow {
    pub(super) game_id: Uuid,
    seq: i64,
    prev: Vec<u8>,
    at: PgTimestamp,
    actor: Option<i16>,
    event_type: String,
    data: String,
    hash: Vec<u8>,
    key: String,
    signature: Vec<u8>,
}

impl EventRow {
    /// The row of an event.
    ///
    /// # Errors
    ///
    /// For an event that no table holds.
    pub(super) fn new(event: &Event) -> Result<Self, LedgerError> {
        let unfit = |what: &str| LedgerError::Other(format!("event {} of game {}: {what}", event.seq, event.game));
        Ok(Self {
            game_id: event.game.uuid(),
            seq: i64::try_from(event.seq).map_err(|_| unfit("its number is too high"))?,
            prev: event.prev.as_bytes().to_vec(),
            at: moment::stored(event.at),
            actor: match event.actor {
                Actor::Server => None,
                // At most 19, so the cast loses nothing.
                Actor::Seat(seat) => Some(seat.index() as i16),
            },
            event_type: event.body.event_type().to_owned(),
            data: String::from_utf8(canonical::to_jcs(&event.body)).map_err(|_| unfit("its data is no text"))?,
            hash: event.hash.as_bytes().to_vec(),
            key: event.signature.key.to_string(),
            signature: event.signature.value.as_bytes().to_vec(),
        })
    }

    pub(super) fn read(self) -> Result<Event, LedgerError> {
        let name = format!("event {} of game {}", self.seq, self.game_id);
        let corrupt = |why: &dyn std::fmt::Display| LedgerError::corrupt(&name, why);
        let hash = |bytes: Vec<u8>| {
            let bytes = bytes.try_into().map_err(|_| corrupt(&"a hash of another length"));
            bytes.map(Hash::new)
        };
        let data = canonical::parse(self.data.as_bytes()).map_err(|error| corrupt(&error))?;
        let actor = match self.actor {
            None => Actor::Server,
            Some(seat) => {
                let seat = usize::try_from(seat).ok().and_then(|seat| Seat::new(seat).ok());
                Actor::Seat(seat.ok_or_else(|| corrupt(&"its actor is no seat"))?)
            }
        };
        let signature = self.signature.try_into().map_err(|_| corrupt(&"a signature of another length"))?;
        Ok(Event {
            game: GameId::new(self.game_id).map_err(|error| corrupt(&error))?,
            seq: u64::try_from(self.seq).map_err(|error| corrupt(&error))?,
            prev: hash(self.prev)?,
            at: moment::read(self.at)?,
            actor,
            body: Body::read(&self.event_type, &data).map_err(|error| corrupt(&error))?,
            hash: hash(self.hash)?,
            signature: EventSignature {
                key: self.key.parse().map_err(|error| corrupt(&error))?,
                value: Signature::new(signature),
            },
        })
    }
}

/// An INSERT of rows. Written by hand since the one that diesel makes of a list is parsed and planned anew each time;
/// this one is prepared once for each number of rows.
pub(super) struct InsertEvents<'a>(Vec<&'a EventRow>);

impl<'a> InsertEvents<'a> {
    /// Writes these: a unique violation when one of them is not the next of its game.
    pub(super) fn new(rows: Vec<&'a EventRow>) -> Self {
        Self(rows)
    }
}

impl QueryId for InsertEvents<'_> {
    type QueryId = ();
    /// The text of the statement, which says how many rows there are, is what tells it from others.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Pg> for InsertEvents<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("INSERT INTO events (game_id, seq, prev, at, actor, type, data, hash, key, signature) VALUES (");
        for (i, row) in self.0.iter().enumerate() {
            if i > 0 {
                out.push_sql("), (");
            }
            out.push_bind_param::<SqlUuid, _>(&row.game_id)?;
            out.push_sql(", ");
            out.push_bind_param::<BigInt, _>(&row.seq)?;
            out.push_sql(", ");
            out.push_bind_param::<Binary, _>(&row.prev)?;
            out.push_sql(", ");
            out.push_bind_param::<Timestamptz, _>(&row.at)?;
            out.push_sql(", ");
            out.push_bind_param::<Nullable<SmallInt>, _>(&row.actor)?;
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(&row.event_type)?;
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(&row.data)?;
            out.push_sql(", ");
            out.push_bind_param::<Binary, _>(&row.hash)?;
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(&row.key)?;
            out.push_sql(", ");
            out.push_bind_param::<Binary, _>(&row.signature)?;
        }
        out.push_sql(")");
        Ok(())
    }
}

/// A number of an event as the database has it; no event has one beyond.
fn stored_seq(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

impl Ledger {
    /// The events of a game after one of them, or from the first on; `limit` of them at most. Ascending.
    ///
    /// # Errors
    ///
    /// When the database fails; `Corrupt` when an event can't be read.
    pub async fn events(
        &self,
        game: GameId,
        after: Option<u64>,
        limit: Option<u32>,
    ) -> Result<Vec<Event>, LedgerError> {
        let limit = limit.map_or(i64::MAX, i64::from);
        self.load_events(game, after.map_or(-1, stored_seq), i64::MAX, limit).await
    }

    /// The events of a game from one number to another, both included. Ascending.
    ///
    /// # Errors
    ///
    /// As [`Ledger::events`].
    pub async fn event_range(&self, game: GameId, first: u64, last: u64) -> Result<Vec<Event>, LedgerError> {
        self.load_events(game, stored_seq(first) - 1, stored_seq(last), i64::MAX).await
    }

    async fn load_events(&self, game: GameId, after: i64, last: i64, limit: i64) -> Result<Vec<Event>, LedgerError> {
        let of_game = events::game_id.eq(game.uuid());
        let query = events::table.filter(of_game.and(events::seq.gt(after)).and(events::seq.le(last)));
        let query = query.select(EventRow::as_select()).order(events::seq).limit(limit);
        let mut lease = self.lease().await?;
        let result = within(query.load(lease.connection())).await;
        lease.settle(result).await?.into_iter().map(EventRow::read).collect()
    }

    /// The number of a game's newest event; `None` when there is no such game.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn newest_seq(&self, game: GameId) -> Result<Option<u64>, LedgerError> {
        let query = events::table.filter(events::game_id.eq(game.uuid())).select(events::seq);
        let query = query.order(events::seq.desc()).limit(1);
        let mut lease = self.lease().await?;
        let result = within(async { query.get_result::<i64>(lease.connection()).await.optional() }).await;
        let seq = lease.settle(result).await?;
        seq.map(u64::try_from).transpose().map_err(|error| LedgerError::corrupt("the newest event", error))
    }
}
