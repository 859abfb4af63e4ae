//! Games as the lobby lists them.

use diesel::data_types::PgTimestamp;
use diesel::pg::Pg;
use diesel::sql_types::{Nullable, Uuid as SqlUuid};
use diesel::{
    ExpressionMethods, Insertable, NullableExpressionMethods, OptionalExtension, QueryDsl, Queryable, Selectable,
};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::lease::within;
use super::moment;
use super::schema::games;
use super::{Ledger, LedgerError, NewGame};
use crate::canonical;
use crate::event::{Created, PlayerRef, SeatLimits};
use crate::game::GameResult;
use crate::games::{Kind, Options};
use crate::ids::{GameId, PlayerId};
use crate::seat::Seat;
use crate::table::Status;
use crate::timestamp::Timestamp;

/// Who finds a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// It stands in the lobby.
    #[default]
    Public,
    /// It stands in no list but its own players'; whoever has the id may read it and sit down.
    Unlisted,
}

impl Visibility {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Unlisted => "unlisted",
        }
    }
}

/// Who sits where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seating {
    /// Where.
    pub seat: Seat,
    /// Who.
    pub player: PlayerRef,
}

/// A game as the lobby lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameRow {
    /// The game.
    pub game: GameId,
    /// The kind of game.
    pub kind: Kind,
    /// All options.
    pub options: Options,
    /// The fewest and the most that may play.
    pub seats: SeatLimits,
    /// Who finds it.
    pub visibility: Visibility,
    /// The player who created it.
    pub host: PlayerId,
    /// Where it is on its way.
    pub status: Status,
    /// How long a decision may take.
    pub move_seconds: Option<u32>,
    /// How it ended, if it did.
    pub result: Option<GameResult>,
    /// The next game of the same players, once somebody asked for one.
    pub rematch: Option<GameId>,
    /// A moment before which no deadline of the game can fall.
    pub check_at: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its status or who sits there changed last.
    pub updated_at: Timestamp,
    /// Who sits there, by seat.
    pub seatings: Vec<Seating>,
}

pub(super) const fn status_name(status: Status) -> &'static str {
    match status {
        Status::Open => "open",
        Status::Closed => "closed",
        Status::Playing => "playing",
        Status::Ended => "ended",
        Status::Voided => "voided",
    }
}

fn status_named(name: &str) -> Option<Status> {
    let all = [Status::Open, Status::Closed, Status::Playing, Status::Ended, Status::Voided];
    all.into_iter().find(|status| status_name(*status) == name)
}

/// A game before its first change.
#[derive(Insertable)]
#[diesel(table_name = games, treat_none_as_default_value = false, check_for_backend(Pg))]
pub(super) struct NewGameRow {
    game_id: Uuid,
    kind: &'static str,
    options: String,
    seats_min: i16,
    seats_max: i16,
    visibility: &'static str,
    host: Uuid,
    status: &'static str,
    move_seconds: Option<i32>,
    created_at: PgTimestamp,
    updated_at: PgTimestamp,
}

impl NewGameRow {
    /// The row of the game that this event creates.
    ///
    /// # Errors
    ///
    /// For an event that no table holds.
    pub(super) fn new(game: GameId, created: &Created, new: NewGame, at: Timestamp) -> Result<Self, LedgerError> {
        let unfit = || LedgerError::Other(format!("game {game} can't be stored"));
        Ok(Self {
            game_id: game.uuid(),
            kind: created.kind.name(),
            options: String::from_utf8(canonical::to_jcs(&created.options)).map_err(|_| unfit())?,
            seats_min: i16::from(created.seats.min),
            seats_max: i16::from(created.seats.max),
            visibility: new.visibility.name(),
            host: created.host.uuid(),
            status: status_name(Status::Open),
            move_seconds: created.move_seconds.map(i32::try_from).transpose().map_err(|_| unfit())?,
            created_at: moment::stored(at),
            updated_at: moment::stored(at),
        })
    }
}

/// What the database holds of a game.
#[derive(Queryable, Selectable)]
#[diesel(table_name = games, check_for_backend(Pg))]
pub(super) struct StoredGame {
    pub(super) game_id: Uuid,
    kind: String,
    options: String,
    seats_min: i16,
    seats_max: i16,
    visibility: String,
    host: Uuid,
    status: String,
    move_seconds: Option<i32>,
    result: Option<String>,
    rematch: Option<Uuid>,
    check_at: Option<PgTimestamp>,
    created_at: PgTimestamp,
    updated_at: PgTimestamp,
}

impl StoredGame {
    pub(super) fn read(self, seatings: Vec<Seating>) -> Result<GameRow, LedgerError> {
        let name = format!("game {}", self.game_id);
        self.read_fields(seatings).map_err(|why| LedgerError::Corrupt(format!("{name}: {why}")))
    }

    fn read_fields(self, seatings: Vec<Seating>) -> Result<GameRow, String> {
        let kind = Kind::ALL.iter().copied().find(|kind| kind.name() == self.kind);
        let kind = kind.ok_or_else(|| format!("there is no kind {}", self.kind))?;
        let options = canonical::parse(self.options.as_bytes()).map_err(|error| error.to_string())?;
        let result = self.result.map(|result| canonical::parse_as(result.as_bytes())).transpose();
        let moment = |at: PgTimestamp| moment::read(at).map_err(|error| format!("{error:?}"));
        let count = |number: i16| u8::try_from(number).map_err(|error| error.to_string());
        Ok(GameRow {
            game: GameId::new(self.game_id).map_err(|error| error.to_string())?,
            kind,
            options: kind.read_options(options).map_err(|error| error.to_string())?,
            seats: SeatLimits { min: count(self.seats_min)?, max: count(self.seats_max)? },
            visibility: match self.visibility.as_str() {
                "public" => Visibility::Public,
                "unlisted" => Visibility::Unlisted,
                other => return Err(format!("there is no visibility {other}")),
            },
            host: PlayerId::new(self.host).map_err(|error| error.to_string())?,
            status: status_named(&self.status).ok_or_else(|| format!("there is no status {}", self.status))?,
            move_seconds: self.move_seconds.map(u32::try_from).transpose().map_err(|error| error.to_string())?,
            result: result.map_err(|error| error.to_string())?,
            rematch: self.rematch.map(GameId::new).transpose().map_err(|error| error.to_string())?,
            check_at: self.check_at.map(moment).transpose()?,
            created_at: moment(self.created_at)?,
            updated_at: moment(self.updated_at)?,
            seatings,
        })
    }
}

#[diesel::declare_sql_function]
extern "SQL" {
    /// The first that is not null.
    fn coalesce(first: Nullable<SqlUuid>, second: SqlUuid) -> SqlUuid;
}

fn read_ids(ids: Vec<Uuid>) -> Result<Vec<GameId>, LedgerError> {
    ids.into_iter().map(|id| GameId::new(id).map_err(|error| LedgerError::corrupt("a game's id", error))).collect()
}

impl Ledger {
    /// Games of which a deadline may have passed at this moment, the longest overdue first.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn due_games(&self, before: Timestamp, limit: u32) -> Result<Vec<GameId>, LedgerError> {
        let query = games::table.select(games::game_id).filter(games::check_at.le(moment::stored(before)));
        let query = query.order(games::check_at).limit(i64::from(limit));
        let mut lease = self.lease().await?;
        let result = within(query.load::<Uuid>(lease.connection())).await;
        read_ids(lease.settle(result).await?)
    }

    /// Says a moment before which no deadline of the game can fall; `None` when nothing can become late.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn set_check_at(&self, game: GameId, check_at: Option<Timestamp>) -> Result<(), LedgerError> {
        let this = games::table.filter(games::game_id.eq(game.uuid()));
        let statement = diesel::update(this).set(games::check_at.eq(check_at.map(moment::stored)));
        let mut lease = self.lease().await?;
        let result = within(statement.execute(lease.connection())).await;
        lease.settle(result).await.map(drop)
    }

    /// Open games at which nothing changed since this moment, the longest untouched first.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn stale_open_games(&self, before: Timestamp, limit: u32) -> Result<Vec<GameId>, LedgerError> {
        let query = games::table.select(games::game_id).filter(games::status.eq(status_name(Status::Open)));
        let query = query.filter(games::updated_at.lt(moment::stored(before)));
        let query = query.order(games::updated_at).limit(i64::from(limit));
        let mut lease = self.lease().await?;
        let result = within(query.load::<Uuid>(lease.connection())).await;
        read_ids(lease.settle(result).await?)
    }

    /// The game that follows this one: the one proposed, or that which was proposed first, on whichever instance.
    /// `None` when there is no such game.
    ///
    /// # Errors
    ///
    /// When the database fails; the call may be repeated.
    pub async fn reserve_rematch(&self, game: GameId, proposed: GameId) -> Result<Option<GameId>, LedgerError> {
        let this = games::table.filter(games::game_id.eq(game.uuid()));
        let statement =
            diesel::update(this).set(games::rematch.eq(coalesce(games::rematch, proposed.uuid()).nullable()));
        let statement = statement.returning(games::rematch);
        let mut lease = self.lease().await?;
        let result = within(async { statement.get_result::<Option<Uuid>>(lease.connection()).await.optional() }).await;
        let rematch = lease.settle(result).await?.flatten().map(GameId::new).transpose();
        rematch.map_err(|error| LedgerError::corrupt(&format!("the rematch of game {game}"), error))
    }
}
