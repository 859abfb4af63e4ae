//! The players of a demonstration: who they are, and how each of them plays.

use std::time::Duration;

use super::teller::Teller;
use super::words::Names;
use super::{Demo, DemoError};
use crate::client::watch::{Agreed, Anchors, Hold, Watch};
use crate::client::{Client, NewGame, OwnSeat, Player, Receipt, View};
use crate::commitment::move_commitment;
use crate::dealer::inputs::Inputs;
use crate::draw::Numbers;
use crate::event::{Body, Committed, Event, PlayerRef, SealedBy};
use crate::games::{Kind, Move};
use crate::hex32::PlayerSeed;
use crate::ids::GameId;
use crate::keys::SigningKey;
use crate::ledger::Visibility;
use crate::seat::Seat;
use crate::table::Awaits;

/// What the players are called; as many as a table has places at most.
const NAMES: [&str; 20] = [
    "Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gia", "Hugo", "Ida", "Jon", "Kim", "Leo", "Mia", "Nils", "Ola", "Pia",
    "Quinn", "Rosa", "Sam", "Tea",
];
/// How long to wait where nobody can do anything, and how often.
const PAUSE: Duration = Duration::from_millis(50);
const PAUSES: u32 = 200;

/// What is to be played.
pub struct Table {
    kind: Kind,
    places: u8,
    options: serde_json::Value,
    agreed: Agreed,
}

impl Table {
    /// The table that was asked for.
    ///
    /// # Errors
    ///
    /// When the game can't be played like that.
    pub fn choose(demo: &Demo, teller: &dyn Teller) -> Result<Self, DemoError> {
        let kind = demo.kind;
        let (least, most) = kind.seats();
        let places = demo.seats.unwrap_or(2.clamp(least, most));
        if !(least..=most).contains(&places) {
            return Err(DemoError::Setup(format!("{} is played on {least} to {most} seats", kind.name())));
        }
        let options = demo.options.clone().unwrap_or_else(|| teller.options());
        let chosen = kind.read_options(options.clone());
        let chosen = chosen.map_err(|error| DemoError::Setup(format!("the options can't be chosen: {error}")))?;
        let agreed = Agreed::newest(chosen, places, None);
        let agreed = agreed.ok_or_else(|| DemoError::Setup("this game has no rules".to_owned()))?;
        Ok(Self { kind, places, options, agreed })
    }
}

/// One of the players.
struct Member {
    player: Player,
    own: OwnSeat,
}

/// All players of one game, with the watch that those who trust nobody keep.
pub struct Party<'a> {
    client: Client,
    game: GameId,
    members: Vec<Member>,
    watch: Watch,
    inputs: &'a Inputs,
    /// What the players choose by.
    chance: Numbers,
    /// What the last answer showed to whom it went.
    latest: Option<View>,
    pauses: u32,
}

impl<'a> Party<'a> {
    /// Gets the service's keys, signs everybody up, and has the first of them create the game.
    ///
    /// # Errors
    ///
    /// When the service does not answer or refuses, or the game that it creates is not the one that was asked for.
    pub async fn gather(client: Client, table: &Table, inputs: &'a Inputs) -> Result<Self, DemoError> {
        // Before there is a game: keys that come with a log prove nothing.
        let keys = client.event_keys().await?;
        let mut players = Vec::new();
        for name in NAMES.into_iter().take(table.places.into()) {
            players.push(sign_up(&client, name, inputs).await?);
        }
        let host = players.first().ok_or_else(|| DemoError::Setup("nobody plays".to_owned()))?;
        let new = NewGame {
            kind: table.kind,
            options: table.options.clone(),
            seats: table.places,
            visibility: Visibility::Public,
            move_seconds: None,
        };
        let key = uuid::Builder::from_random_bytes(inputs.bytes()?).into_uuid();
        let created = host.create(&new, key).await?;
        let first = created.events.first().ok_or_else(|| DemoError::Broken("a game without an event".to_owned()))?;
        let watch = Watch::begin(first, &keys, &table.agreed, &mut Anchors::default())?;
        let game = first.game;
        let mut members = Vec::new();
        for (seat, player) in Seat::all(table.places.into()).zip(players) {
            members.push(Member { own: own_seat(game, seat, &player, inputs)?, player });
        }
        let chance = Numbers::new(inputs.bytes()?);
        Ok(Self { client, game, members, watch, inputs, chance, latest: None, pauses: 0 })
    }

    /// Everybody sits down; who takes the last place closes the table.
    ///
    /// # Errors
    ///
    /// When the service refuses, or its log can't be trusted.
    pub async fn sit_down(&mut self) -> Result<(), DemoError> {
        for member in &mut self.members {
            let how = member.own.sit(self.watch.seq());
            let receipt = member.player.sit(self.game, &how).await?;
            self.watch.keep(&receipt.events)?;
        }
        Ok(())
    }

    /// The events that are new, each of them checked.
    ///
    /// # Errors
    ///
    /// When the service does not answer, or its log can't be trusted.
    pub async fn catch_up(&mut self) -> Result<Vec<Event>, DemoError> {
        let events = self.client.events(self.game, Some(self.watch.seq())).await?;
        self.watch.take(&events)?;
        Ok(events)
    }

    /// Has somebody do something, or waits a little where nobody can.
    ///
    /// # Errors
    ///
    /// When the service does not answer or refuses, its log can't be trusted, or nothing happens any more.
    pub async fn act(&mut self, teller: &dyn Teller) -> Result<(), DemoError> {
        let latest = self.latest.take().filter(|view| view.seq == self.watch.seq());
        let view = match latest {
            Some(view) => view,
            None => self.client.view(self.game).await?,
        };
        let acted = match view.awaits {
            Some(Awaits::Seed) => self.open_seeds(&view).await?,
            Some(Awaits::Opening) => self.open_moves(&view).await?,
            // Where nobody has to decide somebody may go on all the same.
            Some(Awaits::Move | Awaits::Commitment) | None => self.choose(&view, teller).await?,
            Some(Awaits::Seats) => false,
        };
        if acted {
            self.pauses = 0;
            return Ok(());
        }
        self.pauses += 1;
        if self.pauses > PAUSES {
            return Err(DemoError::Broken(format!("the game {} does not go on", self.game)));
        }
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }

    async fn open_seeds(&mut self, view: &View) -> Result<bool, DemoError> {
        for member in self.members.iter().filter(|member| view.to_act.contains(&member.own.seat())) {
            if let Some(opening) = not_yet(member.own.open_seed(&self.watch))? {
                let receipt = member.player.open_seed(self.game, &opening).await?;
                self.watch.keep(&receipt.events)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn open_moves(&mut self, view: &View) -> Result<bool, DemoError> {
        for member in self.members.iter().filter(|member| view.to_act.contains(&member.own.seat())) {
            if let Some(opening) = not_yet(member.own.open_move(&self.watch))? {
                let receipt = member.player.open_move(self.game, &opening).await?;
                self.watch.keep(&receipt.events)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Has the first who may choose a move: who owes one, or else who may make one all the same.
    async fn choose(&mut self, view: &View, teller: &dyn Teller) -> Result<bool, DemoError> {
        for member in &mut self.members {
            if !view.to_act.is_empty() && !view.to_act.contains(&member.own.seat()) {
                continue;
            }
            let own_view = match view.seat {
                Some(seat) if seat == member.own.seat() => view.clone(),
                _ => member.player.view(self.game).await?,
            };
            let Some(choice) = teller.choose(&own_view.legal, &own_view.state, &mut self.chance) else { continue };
            let Some(mv) = own_view.legal.get(choice).cloned() else { continue };
            let receipt = match own_view.step.filter(|_| mv.is_decision()) {
                Some(step) if own_view.awaits == Some(Awaits::Commitment) && member.own.has_key() => {
                    let commit = member.own.commit(step, mv, self.inputs.nonce()?);
                    member.player.commit(self.game, &commit).await?
                }
                Some(step) => {
                    let made = member.own.make_move(Some(step), None, mv.clone());
                    let receipt = member.player.make_move(self.game, &made).await?;
                    check_sealing(self.game, member.own.seat(), &mv, &receipt)?;
                    receipt
                }
                None => {
                    let made = member.own.make_move(None, Some(self.watch.seq()), mv);
                    member.player.make_move(self.game, &made).await?
                }
            };
            self.watch.keep(&receipt.events)?;
            self.latest = Some(receipt.view);
            return Ok(true);
        }
        Ok(false)
    }

    /// Whether nothing can follow.
    pub fn is_over(&self) -> bool {
        let last = self.watch.events().last();
        last.is_some_and(|event| matches!(event.body, Body::Ended(_) | Body::Voided(_)))
    }

    /// The log, and what is known of it.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// The service.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The game.
    pub fn game(&self) -> GameId {
        self.game
    }

    /// What the players are called.
    pub fn names(&self) -> Names {
        Names::new(NAMES.into_iter().take(self.members.len()).map(str::to_owned).collect())
    }
}

/// A guest of this name, or of one like it where somebody has it.
async fn sign_up(client: &Client, name: &str, inputs: &Inputs) -> Result<Player, DemoError> {
    match client.guest(name).await {
        Err(error) if error.is("name_taken") => {
            let mark = u32::from_le_bytes(inputs.bytes()?);
            Ok(client.guest(&format!("{name} {mark:08x}")).await?)
        }
        player => Ok(player?),
    }
}

/// The first brings a seed and a key, the second a seed, the others nothing.
fn own_seat(game: GameId, seat: Seat, player: &Player, inputs: &Inputs) -> Result<OwnSeat, DemoError> {
    let key = match seat.index() {
        0 => Some(SigningKey::new(&*inputs.secret()?)),
        _ => None,
    };
    let seed = match seat.index() {
        0 | 1 => Some(PlayerSeed::new(inputs.bytes()?)),
        _ => None,
    };
    let player = PlayerRef { id: player.id(), name: player.name().to_owned() };
    Ok(OwnSeat::new(game, seat, player, key, seed))
}

/// What may be opened, or nothing while it is too early.
fn not_yet<T>(opening: Result<T, Hold>) -> Result<Option<T>, DemoError> {
    match opening {
        Ok(opening) => Ok(Some(opening)),
        Err(Hold::NotYet(_)) => Ok(None),
        Err(hold) => Err(hold.into()),
    }
}

/// Whether the house sealed the move that it was asked to seal: the answer tells the nonce.
fn check_sealing(game: GameId, seat: Seat, mv: &Move, receipt: &Receipt) -> Result<(), DemoError> {
    let Some(Body::Committed(Committed { step, commitment, sealed_by, .. })) = receipt.events.first().map(|e| &e.body)
    else {
        return Ok(());
    };
    let told = receipt.nonce.map(|nonce| move_commitment(game, seat, *step, mv, &nonce));
    if told == Some(*commitment) && *sealed_by == SealedBy::Server {
        Ok(())
    } else {
        Err(DemoError::Broken(format!("the house sealed another move for seat {seat} than the one that was made")))
    }
}
