//! Appending to the log, and what goes with it.

use diesel::data_types::PgTimestamp;
use diesel::{BoolExpressionMethods, ExpressionMethods, QueryDsl, QueryResult};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::event_rows::{EventRow, InsertEvents};
use super::games::{NewGameRow, Visibility};
use super::idempotency::{IdempotencyKey, IdempotencyRow};
use super::moment;
use super::schema::{games, idempotency_keys, seatings, secrets};
use super::scores::{self, NewScore, ScoreRow};
use super::secrets::{NewSecret, SecretId, SecretRow};
use super::{Ledger, LedgerError, SecretKeys};
use crate::canonical;
use crate::event::{Body, Event};
use crate::game::GameResult;
use crate::ids::{GameId, PlayerId};
use crate::seat::Seat;
use crate::table::Status;
use crate::timestamp::Timestamp;

/// Events of one game, and what is written with them: all of it or nothing.
pub struct Append {
    /// The events: at least one, of one game, in a row.
    pub events: Vec<Event>,
    /// What the server must remember from now on.
    pub secrets_added: Vec<NewSecret>,
    /// What is no secret any more.
    pub secrets_removed: Vec<SecretId>,
    /// What the lobby shows from now on, if it changes.
    pub game: Option<GameChange>,
    /// Who sits down and who gets up.
    pub seatings: Vec<SeatingChange>,
    /// For a game's first event, `created`: what that does not say.
    pub created: Option<NewGame>,
    /// What a repeat of the request will be known by.
    pub idempotency: Option<IdempotencyKey>,
    /// The run that is finished by it, for the table of high scores.
    pub score: Option<NewScore>,
}

/// What the lobby shows of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameChange {
    /// Where it is on its way.
    pub status: Status,
    /// How it ended, if it did.
    pub result: Option<GameResult>,
    /// A moment before which no deadline of the game can fall; `None` when nothing can become late.
    pub check_at: Option<Timestamp>,
}

/// A change of who sits where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeatingChange {
    /// The player sits down.
    Sit {
        /// Where.
        seat: Seat,
        /// Who.
        player: PlayerId,
    },
    /// Who sits there gets up.
    GetUp {
        /// Where.
        seat: Seat,
    },
}

/// What a new game's first event does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewGame {
    /// Who finds it.
    pub visibility: Visibility,
}

impl Append {
    /// These events alone.
    pub const fn of(events: Vec<Event>) -> Self {
        Self {
            events,
            secrets_added: Vec::new(),
            secrets_removed: Vec::new(),
            game: None,
            seatings: Vec::new(),
            created: None,
            idempotency: None,
            score: None,
        }
    }

    /// The game and the time of the last event.
    fn check(&self) -> Result<(GameId, Timestamp), LedgerError> {
        let (first, last) = match self.events.as_slice() {
            [] => return Err(LedgerError::Other("an append without an event".to_owned())),
            [first, .., last] => (first, last),
            [only] => (only, only),
        };
        let in_row = |pair: &[Event]| pair[0].game == pair[1].game && pair[0].seq.checked_add(1) == Some(pair[1].seq);
        if !self.events.windows(2).all(in_row) {
            return Err(LedgerError::Other(format!("the events of an append to {} are not in a row", first.game)));
        }
        Ok((first.game, last.at))
    }
}

/// An append as it is written: rows, and nothing left that could be refused before it is sent.
pub(super) struct Prepared {
    game: GameId,
    events: Vec<EventRow>,
    beside: Option<Beside>,
}

/// What an append writes beside its events, as rows.
struct Beside {
    game: Uuid,
    at: PgTimestamp,
    created: Option<NewGameRow>,
    secrets_added: Vec<SecretRow>,
    secrets_removed: Vec<SecretId>,
    seatings: Vec<SeatingChange>,
    change: Option<GameChange>,
    idempotency: Option<IdempotencyRow>,
    score: Option<ScoreRow>,
}

impl Prepared {
    fn new(append: &Append, keys: &SecretKeys) -> Result<Self, LedgerError> {
        let (game, at) = append.check()?;
        let events = append.events.iter().map(EventRow::new).collect::<Result<_, _>>()?;
        let created = match (&append.created, append.events.as_slice().first().map(|event| &event.body)) {
            (None, _) => None,
            (Some(new), Some(Body::Created(created))) => Some(NewGameRow::new(game, created, *new, at)?),
            (Some(_), _) => return Err(LedgerError::Other("a new game's first event is not created".to_owned())),
        };
        let secrets = append.secrets_added.iter();
        let beside = Beside {
            game: game.uuid(),
            at: moment::stored(at),
            created,
            secrets_added: secrets.map(|secret| SecretRow::new(game, secret, keys)).collect::<Result<_, _>>()?,
            secrets_removed: append.secrets_removed.clone(),
            seatings: append.seatings.clone(),
            change: append.game.clone(),
            idempotency: append.idempotency.as_ref().map(|key| IdempotencyRow::new(key, game, at)),
            score: append.score.as_ref().map(ScoreRow::new),
        };
        Ok(Self { game, events, beside: Some(beside).filter(|beside| !beside.is_empty()) })
    }

    /// Whose events.
    pub(super) fn game(&self) -> GameId {
        self.game
    }

    /// Whether there is nothing but events.
    pub(super) fn is_plain(&self) -> bool {
        self.beside.is_none()
    }
}

impl Beside {
    fn is_empty(&self) -> bool {
        self.created.is_none()
            && self.secrets_added.is_empty()
            && self.secrets_removed.is_empty()
            && self.seatings.is_empty()
            && self.change.is_none()
            && self.idempotency.is_none()
            && self.score.is_none()
    }
}

impl Ledger {
    /// Appends events, if they are the next of their game, with all that goes with them: all of it is written or
    /// nothing, together with what others append at the same time ([`super::group_commit`]).
    ///
    /// # Errors
    ///
    /// `Conflict` when the log has an event with such a number already, or the idempotency key is taken, or a seat;
    /// `Unknown` when it may have been written or not: then look whether the log has these events. Else nothing was
    /// written.
    pub async fn append(&self, append: &Append) -> Result<(), LedgerError> {
        self.group_commit.append(Prepared::new(append, &self.secret_keys)?).await
    }
}

/// Events first: a lost race is found out before anything else is done, and whoever comes second waits there and
/// holds nothing that the first needs.
pub(super) async fn write(connection: &mut AsyncPgConnection, appends: &[&Prepared]) -> QueryResult<()> {
    let rows = appends.iter().flat_map(|append| &append.events).collect();
    InsertEvents::new(rows).execute(connection).await?;
    for beside in appends.iter().filter_map(|append| append.beside.as_ref()) {
        if let Some(row) = &beside.created {
            diesel::insert_into(games::table).values(row).execute(connection).await?;
        }
        change_secrets(connection, beside).await?;
        change_seatings(connection, beside).await?;
        if let Some(row) = &beside.idempotency {
            diesel::insert_into(idempotency_keys::table).values(row).execute(connection).await?;
        }
        change_game(connection, beside).await?;
        if let Some(row) = &beside.score {
            scores::write(connection, beside.game, row).await?;
        }
    }
    Ok(())
}

async fn change_secrets(connection: &mut AsyncPgConnection, beside: &Beside) -> QueryResult<()> {
    for id in &beside.secrets_removed {
        let (what, seat, step) = id.columns();
        let of_game = secrets::game_id.eq(beside.game);
        // No row has a step beyond.
        let step = i32::try_from(step).unwrap_or(i32::MAX);
        let this = secrets::what.eq(what).and(secrets::seat.eq(seat)).and(secrets::step.eq(step));
        diesel::delete(secrets::table.filter(of_game.and(this))).execute(connection).await?;
    }
    // One by one: nearly always there is one, and such a statement stays prepared.
    for row in &beside.secrets_added {
        diesel::insert_into(secrets::table).values(row).execute(connection).await?;
    }
    Ok(())
}

async fn change_seatings(connection: &mut AsyncPgConnection, beside: &Beside) -> QueryResult<()> {
    let game = beside.game;
    for change in &beside.seatings {
        // At most 19, so the casts lose nothing.
        match *change {
            SeatingChange::Sit { seat, player } => {
                let row = (
                    seatings::game_id.eq(game),
                    seatings::seat.eq(seat.index() as i16),
                    seatings::player_id.eq(player.uuid()),
                );
                diesel::insert_into(seatings::table).values(row).execute(connection).await?;
            }
            SeatingChange::GetUp { seat } => {
                let this = seatings::game_id.eq(game).and(seatings::seat.eq(seat.index() as i16));
                diesel::delete(seatings::table.filter(this)).execute(connection).await?;
            }
        }
    }
    Ok(())
}

async fn change_game(connection: &mut AsyncPgConnection, beside: &Beside) -> QueryResult<()> {
    let this = diesel::update(games::table.filter(games::game_id.eq(beside.game)));
    let updated = games::updated_at.eq(beside.at);
    if let Some(GameChange { status, result, check_at }) = &beside.change {
        let result = result.as_ref().map(|result| String::from_utf8_lossy(&canonical::to_jcs(result)).into_owned());
        let change = (
            games::status.eq(super::games::status_name(*status)),
            games::result.eq(result),
            games::check_at.eq(check_at.map(moment::stored)),
            updated,
        );
        this.set(change).execute(connection).await?;
    } else if !beside.seatings.is_empty() {
        this.set(updated).execute(connection).await?;
    }
    Ok(())
}
