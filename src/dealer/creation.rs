//! Creating games, and rematches.

use zeroize::Zeroizing;

use super::{Dealer, DealerError, Refusal};
use crate::canonical::digest;
use crate::event::{Created, Event, PROTOCOL, RulesRef, SeatLimits};
use crate::games::Options;
use crate::hex32::Hash;
use crate::ids::{GameId, PlayerId};
use crate::ledger::{Append, IdempotencyKey, LedgerError, NewGame as NewGameRow, NewSecret, Secret, Visibility};
use crate::log::Head;
use crate::seed_chain::{CHAIN_LENGTH, SeedChain};
use crate::table::Table;

/// What a game is created from.
#[derive(Debug, Clone)]
pub struct NewGame {
    /// The kind of game, with its options.
    pub options: Options,
    /// How many places the table has.
    pub places: u8,
    /// Who finds it in the lobby.
    pub visibility: Visibility,
    /// How long a decision may take.
    pub move_seconds: Option<u32>,
}

/// A game that follows another.
#[derive(Debug)]
pub struct Rematch {
    /// The game.
    pub game: GameId,
    /// Its first event.
    pub created: Event,
    /// Whether somebody had asked before.
    pub repeated: bool,
}

impl Dealer {
    /// Creates a game. The same key with the same body gives the same game, for 24 hours; `body` is what was asked
    /// for.
    ///
    /// # Errors
    ///
    /// When the table could not start with all places taken, the key came with another body, or the database is away.
    pub async fn create(
        &self,
        host: PlayerId,
        new: NewGame,
        key: uuid::Uuid,
        body: &serde_json::Value,
    ) -> Result<Rematch, DealerError> {
        let body_hash = digest(body);
        if let Some(before) = self.created_before(host, key, body_hash).await? {
            return Ok(before);
        }
        let game = self.inputs().game_id()?;
        let idempotency = Some(IdempotencyKey { player: host, key, body_hash });
        match self.insert(game, host, new, idempotency).await {
            Ok(created) => Ok(Rematch { game, created, repeated: false }),
            // The same request was faster on another way.
            Err(DealerError::Ledger(LedgerError::Conflict)) => {
                self.created_before(host, key, body_hash).await?.ok_or(DealerError::Busy)
            }
            Err(error) => Err(error),
        }
    }

    async fn created_before(
        &self,
        host: PlayerId,
        key: uuid::Uuid,
        body_hash: Hash,
    ) -> Result<Option<Rematch>, DealerError> {
        let Some(before) = self.ledger().idempotency(host, key).await? else { return Ok(None) };
        if before.body_hash != body_hash {
            return Err(DealerError::IdempotencyKeyReused);
        }
        let created = self.first_event(before.game).await?.ok_or(DealerError::UnknownGame)?;
        Ok(Some(Rematch { game: before.game, created, repeated: true }))
    }

    async fn first_event(&self, game: GameId) -> Result<Option<Event>, DealerError> {
        Ok(self.ledger().events(game, None, Some(1)).await?.into_iter().next())
    }

    /// The next game for the players of one that is over: one game, whoever asks and however often.
    ///
    /// # Errors
    ///
    /// When the game is not over, the caller did not play in it, or the database is away.
    pub async fn rematch(&self, game: GameId, caller: PlayerId) -> Result<Rematch, DealerError> {
        let (over, seated, created) =
            self.read(game, |table| (table.is_over(), table.seat_of(caller), table.created().clone())).await?;
        if seated.is_none() {
            return Err(DealerError::Refused { refusal: Refusal::NotSeated, legal: Vec::new() });
        }
        if !over {
            return Err(DealerError::NotOver);
        }
        let row = self.ledger().game(game).await?.ok_or(DealerError::UnknownGame)?;
        // Reserving the id is one atomic step, so everybody gets the same; creating the game may then be tried by
        // several, and one of them does it.
        let next = self.ledger().reserve_rematch(game, self.inputs().game_id()?).await?;
        let next = next.ok_or(DealerError::UnknownGame)?;
        if let Some(created) = self.first_event(next).await? {
            return Ok(Rematch { game: next, created, repeated: true });
        }
        let new = NewGame {
            options: created.options,
            places: created.seats.max,
            visibility: row.visibility,
            move_seconds: created.move_seconds,
        };
        match self.insert(next, caller, new, None).await {
            Ok(created) => Ok(Rematch { game: next, created, repeated: false }),
            Err(DealerError::Ledger(LedgerError::Conflict)) => {
                let created = self.first_event(next).await?.ok_or(DealerError::Busy)?;
                Ok(Rematch { game: next, created, repeated: true })
            }
            Err(error) => Err(error),
        }
    }

    /// Appends a game's first event, with the root of its chain as a secret.
    async fn insert(
        &self,
        game: GameId,
        host: PlayerId,
        new: NewGame,
        idempotency: Option<IdempotencyKey>,
    ) -> Result<Event, DealerError> {
        let _pass = self.may_host(host).await?;
        let root: Zeroizing<[u8; 32]> = self.inputs().secret()?;
        let created = created(host, &new, &SeedChain::new(&root))?;
        let decision = Table::open_new(game, created, self.inputs().now())
            .map_err(|refusal| DealerError::Refused { refusal, legal: Vec::new() })?;
        let events = self.seal(Head::EMPTY, game, decision.at, decision.bodies)?;
        let append = Append {
            secrets_added: vec![NewSecret { secret: Secret::Root(root), nonce: self.inputs().bytes()? }],
            created: Some(NewGameRow { visibility: new.visibility }),
            idempotency,
            ..Append::of(events)
        };
        self.ledger().append(&append).await?;
        self.tell(&append.events);
        append.events.into_iter().next().ok_or_else(|| DealerError::corrupt("a game without a first event"))
    }
}

fn created(host: PlayerId, new: &NewGame, chain: &SeedChain) -> Result<Created, DealerError> {
    let kind = new.options.kind();
    let rules = kind.rules(kind.rules_version()).ok_or_else(|| DealerError::corrupt("a game without rules"))?;
    Ok(Created {
        protocol: PROTOCOL,
        kind,
        rules: RulesRef { version: rules.version, text: rules.sha256 },
        options: new.options.clone(),
        seats: SeatLimits { min: kind.seats().0, max: new.places },
        anchor: chain.anchor(),
        chain: CHAIN_LENGTH,
        move_seconds: new.move_seconds,
        host,
    })
}
