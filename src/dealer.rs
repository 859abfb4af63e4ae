//! The use cases: load, decide, append. No HTTP here, and no SQL.
//!
//! An accepted command is one durable append. The state it is judged against is kept in memory from the last time;
//! no correctness rests on that: if another instance has appended since, the append fails, the state catches up from
//! the log, and the command is judged again.

use std::sync::Arc;

use crate::event::{Actor, Body, Event, SealedBy};
use crate::feed::Feed;
use crate::hex32::Nonce;
use crate::ids::{GameId, PlayerId};
use crate::ledger::{Append, GameChange, Ledger, LedgerError, NewSecret, SeatingChange, Secret, SecretId};
use crate::log::{self, EventSigner, Head};
use crate::metrics::{CacheResult, Standing};
use crate::seat::Seat;
use crate::table::{Command, Decision, Denied, Refusal, Status, Table, View, find_repeat};
use crate::timestamp::Timestamp;

mod accounts;
mod bounds;
mod creation;
mod dealer_error;
mod follow;
mod live;
mod lobby;
mod log_of_logs;
mod log_proofs;
mod my_games;
mod notices;
mod outside_players;
mod passes;
mod player_name;
mod players;
mod proof;
mod reading;
mod recent;
mod scores;
mod sweep;
mod tables;

pub mod inputs;

pub use accounts::LOOK_MILLIS;
pub use bounds::Bounds;
pub use creation::{NewGame, Rematch};
pub use dealer_error::DealerError;
pub use follow::Follower;
pub use lobby::{GamePage, GameSummary, LobbyFilter, Sitting};
pub use log_of_logs::{Filled, Notary};
pub use my_games::{GameEnded, GameStarted, MyGames, News, OwnGame, SeatTaken, Snapshot, YourTurn};
pub use passes::{Pass, Passes};
pub use player_name::{NotAName, PlayerName};
pub use players::{Account, NotAPassword, Password};
pub use proof::GameFile;
pub use recent::Recent;
pub use scores::{RankedScore, ScorePage, ScoresFrom};
pub use sweep::Swept;

use accounts::Accounts;
use bounds::Bounded;
use inputs::{Inputs, NoEntropy};
use live::Live;
use log_of_logs::LogOfLogs;
use notices::Notices;
use tables::Tables;

/// How often a command is judged again because somebody else was faster, before the caller is told to come again.
const MAX_ATTEMPTS: usize = 64;

/// Runs games on a ledger. Cheap to clone.
#[derive(Clone)]
pub struct Dealer {
    shared: Arc<Shared>,
}

struct Shared {
    ledger: Ledger,
    inputs: Inputs,
    signer: EventSigner,
    tables: Tables,
    accounts: Accounts,
    bounded: Bounded,
    feed: Arc<Feed>,
    notices: Notices,
    log: LogOfLogs,
    /// When the database was restored last.
    restored: Option<Timestamp>,
    hashing: tokio::sync::Semaphore,
    audits: Arc<tokio::sync::Semaphore>,
}

/// What came of a command.
#[derive(Debug)]
pub struct Answer {
    /// The events that it made, now or when it came the first time.
    pub events: Vec<Event>,
    /// The game as the caller sees it now.
    pub view: View,
    /// The nonce of a move that the server sealed, for its sender alone.
    pub nonce: Option<Nonce>,
    /// Whether the log held it already.
    pub repeated: bool,
}

impl Dealer {
    /// Deals on this ledger, signing events and checkpoints with these keys, keeps games of about so many bytes in
    /// memory, and lets players have so much at once. Games that were not over when the ledger was `restored` are not
    /// continued.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness.
    pub fn new(
        ledger: Ledger,
        inputs: Inputs,
        signer: EventSigner,
        notary: Notary,
        cache_bytes: usize,
        bounds: Bounds,
        restored: Option<Timestamp>,
    ) -> Result<Self, NoEntropy> {
        let shared = Shared {
            tables: Tables::new(cache_bytes),
            accounts: Accounts::new(),
            bounded: Bounded::new(bounds),
            feed: Arc::default(),
            notices: Notices::new(uuid::Builder::from_random_bytes(inputs.bytes()?).into_uuid()),
            log: LogOfLogs::new(notary),
            restored,
            // Hashing a password takes 20 MiB and a core for a while, so only so many are hashed at once.
            hashing: tokio::sync::Semaphore::new(2),
            audits: Arc::new(tokio::sync::Semaphore::new(2)),
            ledger,
            inputs,
            signer,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Where games are stored.
    pub fn ledger(&self) -> &Ledger {
        &self.shared.ledger
    }

    /// Clock and entropy.
    pub fn inputs(&self) -> &Inputs {
        &self.shared.inputs
    }

    /// What stands at this moment, for those who watch over the service.
    ///
    /// # Errors
    ///
    /// When the database is away.
    pub async fn standing(&self) -> Result<Standing, DealerError> {
        let (game_streams, player_streams) = self.shared.feed.streams();
        let (connections, connections_used) = self.ledger().connections();
        let (cached_games, cached_bytes) = self.shared.tables.size();
        let (log_size, log_lag) = self.log_lag().await?;
        Ok(Standing {
            game_streams,
            player_streams,
            connections,
            connections_used,
            cached_games,
            cached_bytes,
            log_size,
            log_lag,
        })
    }

    /// Has a command judged, and what follows from it appended. `caller` sees the view in the answer.
    ///
    /// # Errors
    ///
    /// When the command is refused, then nothing has changed; when the database is away, then the command may have
    /// been accepted, and is safe to repeat.
    pub async fn act(&self, game: GameId, caller: PlayerId, command: &Command) -> Result<Answer, DealerError> {
        let slot = self.shared.tables.slot(game);
        let mut slot = slot.lock().await;
        let result = self.act_on(&mut slot, game, caller, command).await;
        forget_if_broken(&mut slot, &result);
        result
    }

    async fn act_on(
        &self,
        slot: &mut Option<Live>,
        game: GameId,
        caller: PlayerId,
        command: &Command,
    ) -> Result<Answer, DealerError> {
        let mut fresh = slot.is_none();
        let mut known = if fresh { CacheResult::Miss } else { CacheResult::Hit };
        for _ in 0..MAX_ATTEMPTS {
            let live = match slot.as_mut() {
                Some(live) => live,
                None => slot.insert(self.load(game).await?),
            };
            if live.table.may_repeat(command) {
                self.catch_up(live).await?;
                fresh = true;
                if let Some(answer) = self.repeat(live, caller, command).await? {
                    return Ok(answer);
                }
            }
            match self.decide(&live.table, command, &live.secrets)? {
                Ok(decision) => match self.append_within_bounds(live, command, decision).await {
                    Ok((events, nonce)) => {
                        self.ledger().metrics().cache(known);
                        if live.table.grown() > 0 {
                            self.shared.tables.weigh(game, live.bytes());
                        }
                        return Ok(answer(&live.table, caller, events, nonce, false));
                    }
                    Err(DealerError::Ledger(LedgerError::Conflict)) => {
                        known = CacheResult::Stale;
                        self.catch_up(live).await?;
                        fresh = true;
                    }
                    Err(error) => return Err(error),
                },
                Err(refusal) if !fresh => {
                    // What is known here may be old: look before saying no.
                    fresh = true;
                    if !self.catch_up(live).await? {
                        return self.refuse(live, caller, refusal).await;
                    }
                }
                Err(refusal) => return self.refuse(live, caller, refusal).await,
            }
        }
        Err(DealerError::Busy)
    }

    /// Takes in what other instances have appended since; says whether there was anything.
    async fn catch_up(&self, live: &mut Live) -> Result<bool, DealerError> {
        let events = live.catch_up(self.ledger()).await?;
        self.shared.feed.publish(&events);
        Ok(!events.is_empty())
    }

    async fn load(&self, game: GameId) -> Result<Live, DealerError> {
        let live = Live::load(self.ledger(), game).await?.ok_or(DealerError::UnknownGame)?;
        self.shared.tables.weigh(game, live.bytes());
        Ok(live)
    }

    fn decide(
        &self,
        table: &Table,
        command: &Command,
        secrets: &crate::table::Secrets,
    ) -> Result<Result<Decision, Refusal>, DealerError> {
        // All that is ever appended to a game goes through here.
        if self.is_cut_short(table) {
            return Err(DealerError::CutShort);
        }
        match table.decide(command, self.inputs().now(), self.inputs().nonce()?, secrets) {
            Ok(decision) => Ok(Ok(decision)),
            Err(Denied::Refused(refusal)) => Ok(Err(refusal)),
            Err(Denied::Broken(stop)) => Err(stop.into()),
        }
    }

    /// Whether the game was not over when the database was restored.
    fn is_cut_short(&self, table: &Table) -> bool {
        !table.is_over() && self.shared.restored.is_some_and(|restored| table.at() <= restored)
    }

    /// Makes a decision durable. The events leave only when they are.
    async fn append(&self, live: &mut Live, decision: Decision) -> Result<(Vec<Event>, Option<Nonce>), LedgerError> {
        let Decision { at, bodies, table, sealed, unsealed } = decision;
        let game = table.game();
        let events = self.seal(live.head, game, at, bodies)?;
        let nonce = server_sealed(&events, sealed.as_ref().map(|(_, sealed)| sealed.nonce));
        let mut secrets_removed: Vec<SecretId> =
            unsealed.iter().filter_map(|seat| secret_id(*seat, &live.secrets)).collect();
        if table.is_over() {
            secrets_removed.push(SecretId::Root);
        }
        let secrets_added = match &sealed {
            Some((seat, sealed)) => {
                vec![NewSecret { secret: Secret::Move(*seat, sealed.clone()), nonce: self.fresh()? }]
            }
            None => Vec::new(),
        };
        let append = Append {
            secrets_added,
            secrets_removed,
            game: (table.status() != live.table.status()).then(|| self.game_change(&table)),
            seatings: seating_changes(&events),
            score: scores::finished_run(&table, &events),
            ..Append::of(events)
        };
        self.shared.ledger.append(&append).await?;
        if append
            .game
            .as_ref()
            .is_some_and(|game| matches!(game.status, Status::Playing | Status::Ended | Status::Voided))
        {
            self.shared.log.nudge();
        }
        live.head = append.events.last().map_or(live.head, Head::after);
        for seat in unsealed {
            live.secrets.sealed.remove(&seat);
        }
        live.secrets.sealed.extend(sealed);
        if table.is_over() {
            live.secrets.chain = None;
        }
        live.table = table;
        self.tell(&append.events);
        Ok((append.events, nonce))
    }

    /// Chains and signs events, if there is a key that signs them at their time.
    fn seal(
        &self,
        head: Head,
        game: GameId,
        at: Timestamp,
        bodies: Vec<(Actor, Body)>,
    ) -> Result<Vec<Event>, LedgerError> {
        if !self.shared.signer.signs_at(at) {
            return Err(LedgerError::Other(format!("no event key signs at {at}")));
        }
        Ok(log::seal(head, game, at, bodies, &self.shared.signer))
    }

    fn fresh<const N: usize>(&self) -> Result<[u8; N], LedgerError> {
        self.inputs().bytes().map_err(|error| LedgerError::Other(error.to_string()))
    }

    fn game_change(&self, table: &Table) -> GameChange {
        GameChange {
            status: table.status(),
            result: table.result().cloned(),
            check_at: table.no_deadline_before(table.at()),
        }
    }

    /// What the log holds of a command that came before.
    async fn repeat(&self, live: &Live, caller: PlayerId, command: &Command) -> Result<Option<Answer>, DealerError> {
        // A move that the server sealed and has not opened is known from the secrets alone.
        if let Command::Move { player, step: Some(step), mv, .. } = command
            && let Some(seat) = live.table.seat_of(*player)
            && let Some(sealed) = live.secrets.sealed.get(&seat).filter(|sealed| sealed.step == *step)
        {
            if sealed.mv.canonical() != mv.canonical() {
                return Ok(None);
            }
            let events = self.ledger().events(live.table.game(), None, None).await?;
            let committed = events.into_iter().rev().find(|event| is_commitment_of(event, seat, *step));
            let nonce = Some(sealed.nonce);
            return Ok(committed.map(|event| answer(&live.table, caller, vec![event], nonce, true)));
        }
        let events = self.ledger().events(live.table.game(), None, None).await?;
        let Some(event) = find_repeat(&events, command) else { return Ok(None) };
        let nonce = nonce_of(&events, event);
        Ok(Some(answer(&live.table, caller, vec![event.clone()], nonce, true)))
    }

    /// Says no; and logs the time-out where the command came too late for it.
    async fn refuse(&self, live: &mut Live, caller: PlayerId, refusal: Refusal) -> Result<Answer, DealerError> {
        if refusal == Refusal::TooLate {
            self.time_out(live).await?;
        }
        let legal = live.table.seat_of(caller).map(|seat| live.table.legal(seat)).unwrap_or_default();
        Err(DealerError::Refused { refusal, legal })
    }

    /// Logs that somebody is late, if nobody else has.
    async fn time_out(&self, live: &mut Live) -> Result<bool, DealerError> {
        let command = Command::CallTimeout { player: None };
        let Ok(decision) = self.decide(&live.table, &command, &live.secrets)? else { return Ok(false) };
        match self.append(live, decision).await {
            Ok(_) => Ok(true),
            Err(LedgerError::Conflict) => self.catch_up(live).await,
            Err(error) => Err(error.into()),
        }
    }
}

/// What is kept of a game after a failure may be neither old nor new: the next one loads it.
fn forget_if_broken<T>(slot: &mut Option<Live>, result: &Result<T, DealerError>) {
    if matches!(result, Err(DealerError::Ledger(_) | DealerError::Corrupt(_) | DealerError::Busy)) {
        *slot = None;
    }
}

fn answer(table: &Table, caller: PlayerId, events: Vec<Event>, nonce: Option<Nonce>, repeated: bool) -> Answer {
    Answer { events, view: table.view(table.seat_of(caller)), nonce, repeated }
}

fn is_commitment_of(event: &Event, seat: Seat, step: u32) -> bool {
    matches!(&event.body, Body::Committed(committed) if committed.step == step) && event.actor == Actor::Seat(seat)
}

/// The nonce that the sender of a sealed move is told: of the move that the server sealed with the first event.
fn server_sealed(events: &[Event], still_sealed: Option<Nonce>) -> Option<Nonce> {
    let first = events.first()?;
    still_sealed.or_else(|| nonce_of(events, first))
}

/// The nonce in the opening of a commitment that the server sealed, once it is opened.
fn nonce_of(events: &[Event], commitment: &Event) -> Option<Nonce> {
    let Body::Committed(committed) = &commitment.body else { return None };
    if committed.sealed_by != SealedBy::Server {
        return None;
    }
    events.iter().find_map(|event| match &event.body {
        Body::Opened(opened) if event.actor == commitment.actor && opened.step == committed.step => Some(opened.nonce),
        _ => None,
    })
}

fn secret_id(seat: Seat, secrets: &crate::table::Secrets) -> Option<SecretId> {
    secrets.sealed.get(&seat).map(|sealed| SecretId::Move { seat, step: sealed.step })
}

/// Who sat down and got up by these events.
fn seating_changes(events: &[Event]) -> Vec<SeatingChange> {
    let change = |event: &Event| match (&event.body, event.actor) {
        (Body::Seated(seated), Actor::Seat(seat)) => Some(SeatingChange::Sit { seat, player: seated.player.id }),
        (Body::Left(_), Actor::Seat(seat)) => Some(SeatingChange::GetUp { seat }),
        _ => None,
    };
    events.iter().filter_map(change).collect()
}
