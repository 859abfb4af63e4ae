//! Appending to the log, and what goes with it.

use diesel::{BoolExpressionMethods, ExpressionMethods, QueryDsl, QueryResult};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::event_rows::EventRows;
use super::games::{NewGameRow, Visibility};
use super::idempotency::{IdempotencyKey, IdempotencyRow};
use super::lease::within;
use super::moment;
use super::schema::{games, idempotency_keys, seatings, secrets};
use super::secrets::{NewSecret, SecretId, SecretRow};
use super::{Ledger, LedgerError};
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
        }
    }

    /// Whether there is nothing but events.
    fn is_plain(&self) -> bool {
        self.secrets_added.is_empty()
            && self.secrets_removed.is_empty()
            && self.game.is_none()
            && self.seatings.is_empty()
            && self.created.is_none()
            && self.idempotency.is_none()
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

/// What an append writes beside its events, as rows.
struct Beside<'a> {
    game: GameId,
    at: Timestamp,
    append: &'a Append,
    created: Option<NewGameRow>,
    secrets: Vec<SecretRow>,
    idempotency: Option<IdempotencyRow>,
}

impl Ledger {
    /// Appends events, if they are the next of their game, with all that goes with them. Events alone are one
    /// statement; with anything else it is one transaction.
    ///
    /// # Errors
    ///
    /// `Conflict` when the log has an event with such a number already, or the idempotency key is taken, or a seat;
    /// `Unknown` when it may have been written or not: then look whether the log has these events. Else nothing was
    /// written.
    pub async fn append(&self, append: &Append) -> Result<(), LedgerError> {
        self.append_together(std::slice::from_ref(append)).await
    }

    /// As [`Ledger::append`] for several games at once: all of it is written or nothing. After an error it is best to
    /// go on with one game after the other, since one may stand in the way of the rest.
    ///
    /// # Errors
    ///
    /// As [`Ledger::append`].
    pub async fn append_together(&self, appends: &[Append]) -> Result<(), LedgerError> {
        if appends.is_empty() {
            return Ok(());
        }
        let checked = |append| Append::check(append).map(|of| (of, append));
        let mut all = appends.iter().map(checked).collect::<Result<Vec<_>, _>>()?;
        // In one order everywhere, so that two batches over the same games wait for each other and not in a ring.
        all.sort_by_key(|((game, _), _)| *game);
        let rows = EventRows::new(all.iter().flat_map(|(_, append)| &append.events))?;
        let beside = all
            .into_iter()
            .filter(|(_, append)| !append.is_plain())
            .map(|((game, at), append)| self.beside(game, at, append))
            .collect::<Result<Vec<_>, _>>()?;
        let mut lease = if beside.is_empty() { self.lease().await? } else { self.transaction().await? };
        let result = within(write(lease.connection(), rows, &beside)).await;
        lease.settle_write(result).await
    }

    fn beside<'a>(&self, game: GameId, at: Timestamp, append: &'a Append) -> Result<Beside<'a>, LedgerError> {
        let created = match (&append.created, append.events.as_slice().first().map(|event| &event.body)) {
            (None, _) => None,
            (Some(new), Some(Body::Created(created))) => Some(NewGameRow::new(game, created, *new, at)?),
            (Some(_), _) => return Err(LedgerError::Other("a new game's first event is not created".to_owned())),
        };
        let secrets = append.secrets_added.iter();
        let secrets =
            secrets.map(|secret| SecretRow::new(game, secret, &self.secret_keys)).collect::<Result<_, _>>()?;
        let idempotency = append.idempotency.as_ref().map(|key| IdempotencyRow::new(key, game, at));
        Ok(Beside { game, at, append, created, secrets, idempotency })
    }
}

/// Events first: a lost race is found out before anything else is done, and whoever comes second waits there and
/// holds nothing that the first needs.
async fn write(connection: &mut AsyncPgConnection, events: EventRows, beside: &[Beside<'_>]) -> QueryResult<()> {
    events.insert(connection).await?;
    for beside in beside {
        if let Some(row) = &beside.created {
            diesel::insert_into(games::table).values(row).execute(connection).await?;
        }
        change_secrets(connection, beside).await?;
        change_seatings(connection, beside).await?;
        if let Some(row) = &beside.idempotency {
            diesel::insert_into(idempotency_keys::table).values(row).execute(connection).await?;
        }
        change_game(connection, beside).await?;
    }
    Ok(())
}

async fn change_secrets(connection: &mut AsyncPgConnection, beside: &Beside<'_>) -> QueryResult<()> {
    for id in &beside.append.secrets_removed {
        let (what, seat, step) = id.columns();
        let of_game = secrets::game_id.eq(beside.game.uuid());
        // No row has a step beyond.
        let step = i32::try_from(step).unwrap_or(i32::MAX);
        let this = secrets::what.eq(what).and(secrets::seat.eq(seat)).and(secrets::step.eq(step));
        diesel::delete(secrets::table.filter(of_game.and(this))).execute(connection).await?;
    }
    // One by one: nearly always there is one, and such a statement stays prepared.
    for row in &beside.secrets {
        diesel::insert_into(secrets::table).values(row).execute(connection).await?;
    }
    Ok(())
}

async fn change_seatings(connection: &mut AsyncPgConnection, beside: &Beside<'_>) -> QueryResult<()> {
    let game = beside.game.uuid();
    for change in &beside.append.seatings {
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

async fn change_game(connection: &mut AsyncPgConnection, beside: &Beside<'_>) -> QueryResult<()> {
    let this = diesel::update(games::table.filter(games::game_id.eq(beside.game.uuid())));
    let updated = games::updated_at.eq(moment::stored(beside.at));
    if let Some(GameChange { status, result, check_at }) = &beside.append.game {
        let result = result.as_ref().map(|result| String::from_utf8_lossy(&canonical::to_jcs(result)).into_owned());
        let change = (
            games::status.eq(super::games::status_name(*status)),
            games::result.eq(result),
            games::check_at.eq(check_at.map(moment::stored)),
            updated,
        );
        this.set(change).execute(connection).await?;
    } else if !beside.append.seatings.is_empty() {
        this.set(updated).execute(connection).await?;
    }
    Ok(())
}
