//! One table: its players, and the games that they play one after the other.

use std::rc::Rc;
use std::time::{Duration, Instant};

use serde_json::json;

use super::LoadError;
use super::answer::{self, Link, Shown};
use super::caller::{Caller, House, request};
use super::choice::{Lot, choose};
use super::kept::{Fault, Kept};
use super::scan::{Cursor, text_member};
use super::tally::{Progress, Window};
use crate::games::Kind;

/// How often in a row a table may find nothing to do before something is wrong.
const PATIENT: u32 = 250;
/// How long to wait where nobody can do anything.
const PAUSE: Duration = Duration::from_millis(20);

/// What is played, and how.
#[derive(Debug, Clone)]
pub struct Play {
    /// The game.
    pub kind: Kind,
    /// Its options, as they are sent.
    pub options: serde_json::Value,
    /// How many play.
    pub seats: u8,
    /// The moves that bring the game forward, the best first.
    pub eager: &'static [&'static str],
    /// Whether each seat asks an instance of its own, or a whole table one.
    pub spread_seats: bool,
    /// Whether the times of acknowledgements are kept.
    pub watched: bool,
    /// How long to wait before each move.
    pub think: Duration,
    /// How long a table takes for a move at least, so that all together make so many a second.
    pub pace: Duration,
}

/// Players, and what they play.
pub struct Table {
    house: House,
    play: Rc<Play>,
    /// By seat.
    players: Vec<Player>,
    lot: Lot,
    /// The events of the newest answer; kept for its room.
    links: Vec<Link>,
    /// The newest request; kept for its room.
    request: Vec<u8>,
    /// When the next move is due.
    due: Instant,
}

/// Somebody who plays.
struct Player {
    token: String,
    caller: Caller,
}

/// A game under way.
pub struct Game {
    /// Its receipts.
    pub kept: Rc<Kept>,
    seats: Vec<Seat>,
    /// The seats that owe something, as bits.
    to_act: u32,
    asked: Option<Asked>,
}

/// What a move answers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// The decision at hand.
    Step(u64),
    /// Nothing: nobody has to decide, and this is the newest event that is known.
    Nothing(u64),
}

/// A seat, from its player's side.
struct Seat {
    /// The request for its view.
    view: Vec<u8>,
    /// The request for a move, up to the length of its body.
    move_head: Vec<u8>,
    /// The move that it will make, as it is written.
    choice: Vec<u8>,
    /// What it is for.
    chosen_for: Option<Asked>,
}

impl Game {
    fn new(kept: Rc<Kept>, players: &[Player]) -> Self {
        let seat = |player: &Player| {
            let token = Some(player.token.as_str());
            let moves = format!("/v1/games/{}/moves", kept.game);
            let mut move_head = request("POST", &moves, token, "", "");
            // Written with a body of no bytes; the length is written anew with each move.
            move_head.truncate(move_head.len() - "0\r\n\r\n".len());
            let view = request("GET", &format!("/v1/games/{}/view", kept.game), token, "", "");
            Seat { view, move_head, choice: Vec::new(), chosen_for: None }
        };
        let seats = players.iter().map(seat).collect();
        Self { kept, seats, to_act: 0, asked: None }
    }

    /// Takes in what a seat is shown, and chooses its next move by it.
    fn see(&mut self, seat: usize, shown: &Shown<'_>, eager: &[&str], lot: &mut Lot) -> Result<(), LoadError> {
        (self.to_act, self.asked) = (shown.to_act, shown.step.map(Asked::Step));
        if shown.over {
            self.kept.end();
        }
        if shown.seat == Some(seat)
            && (shown.owes(seat) || shown.step.is_none() && !shown.over)
            && let Some(mv) = choose(shown.legal, eager, lot).map_err(|_| LoadError::Nonsense("a list of moves"))?
            && let Some(seat) = self.seats.get_mut(seat)
        {
            let asked = *self.asked.get_or_insert(Asked::Nothing(shown.seq));
            seat.choice.clear();
            seat.choice.extend_from_slice(mv);
            seat.chosen_for = Some(asked);
        }
        Ok(())
    }

    /// Whether the seat's choice is for the step at hand.
    fn has_chosen(&self, seat: usize) -> bool {
        self.asked.is_some() && self.seats.get(seat).is_some_and(|seat| seat.chosen_for == self.asked)
    }

    /// Whose move comes next; beyond the seats where nobody owes anything, as far as is known here.
    fn next(&self) -> usize {
        match self.asked {
            Some(Asked::Nothing(_)) => 0,
            Some(Asked::Step(_)) | None => self.to_act.trailing_zeros() as usize,
        }
    }
}

impl Table {
    /// Signs up as many guests as play.
    ///
    /// # Errors
    ///
    /// When nobody answers, or somebody refuses.
    pub async fn gather(house: House, play: Rc<Play>, number: usize, lot: Lot) -> Result<Self, LoadError> {
        let mut lot = lot;
        let mut players = Vec::new();
        for seat in 0..usize::from(play.seats) {
            let at = if play.spread_seats { number + seat } else { number };
            players.push(sign_up(Caller::new(house.clone(), at), &mut lot).await?);
        }
        // Tables that are paced do not all begin at once.
        let pace = u64::try_from(play.pace.as_nanos()).unwrap_or(u64::MAX);
        let due = Instant::now() + Duration::from_nanos(lot.below(pace));
        Ok(Self { house, play, players, lot, links: Vec::new(), request: Vec::new(), due })
    }

    /// Creates a game, and has everybody sit down: with that it begins.
    ///
    /// # Errors
    ///
    /// When nobody answers, or somebody refuses.
    pub async fn begin(&mut self) -> Result<Game, LoadError> {
        let Play { kind, options, seats, .. } = &*self.play;
        let body = json!({"kind": kind.name(), "options": options, "seats": seats, "visibility": "unlisted"});
        let key = uuid::Builder::from_random_bytes(self.lot.bytes()).into_uuid();
        let host = self.players.first_mut().ok_or(LoadError::NoPlayers)?;
        let headers = format!("Idempotency-Key: {key}\r\n");
        let create = request("POST", "/v1/games", Some(&host.token), &headers, &body.to_string());
        let body = host.caller.must("creating a game", &create).await?;
        let mut id = None;
        let read = Cursor::new(body).members(|name, cursor| {
            let value = cursor.skip()?;
            if name == b"view" {
                id = Some(text_member(value, "game")?);
            }
            Ok(())
        });
        let id = id.filter(|_| read.is_ok()).and_then(|id| String::from_utf8(id.to_vec()).ok());
        let id = id.ok_or(LoadError::Nonsense("the receipt of a new game"))?;
        let mut game = Game::new(Rc::new(Kept::new(id, self.play.watched)), &self.players);
        self.take_receipt(&mut game, 0).await?;
        for seat in 0..self.players.len() {
            let path = format!("/v1/games/{}/seats", game.kept.game);
            let Some(player) = self.players.get_mut(seat) else { continue };
            let sit = request("POST", &path, Some(&player.token), "", &json!({ "seat": seat }).to_string());
            player.caller.must("sitting down", &sit).await?;
            self.take_receipt(&mut game, seat).await?;
        }
        Ok(game)
    }

    /// Plays a game, to its end or until the time is over.
    ///
    /// # Errors
    ///
    /// When nobody answers, or the game does not go on.
    pub async fn play(&mut self, game: &mut Game, window: Window) -> Result<(), LoadError> {
        let mut idle = 0;
        while !game.kept.is_over() && !window.is_past(Instant::now()) {
            if idle == 0 {
                self.wait().await;
            }
            let turns = self.house.turns.clone();
            let turn = match &turns {
                // Nobody ever closes it.
                Some(turns) => turns.acquire().await.ok(),
                None => None,
            };
            let before = game.kept.len();
            let seat = game.next();
            if seat >= game.seats.len() {
                self.look(game, 0, window).await?;
            } else if game.has_chosen(seat) {
                self.make_move(game, seat, window).await?;
            } else {
                self.look(game, seat, window).await?;
                if game.has_chosen(seat) {
                    self.make_move(game, seat, window).await?;
                }
            }
            if turn.is_some() {
                self.release();
            }
            drop(turn);
            idle = if game.kept.len() > before { 0 } else { idle + 1 };
            if idle > 0 {
                tokio::time::sleep(PAUSE).await;
            }
            if idle > PATIENT {
                return Err(LoadError::Stuck(game.kept.game.clone()));
            }
        }
        Ok(())
    }

    /// Gives the connections back, for others to use.
    pub fn release(&mut self) {
        self.players.iter_mut().for_each(|player| player.caller.release());
    }

    /// Counts a game that is over.
    pub fn note_end(&self, game: &Game) {
        if game.kept.is_over() {
            self.house.tally.borrow_mut().games_ended += 1;
            Progress::count(&self.house.progress.games_ended);
        }
    }

    /// Waits until the next move is due.
    async fn wait(&mut self) {
        if !self.play.think.is_zero() {
            tokio::time::sleep(self.play.think).await;
        }
        if !self.play.pace.is_zero() {
            tokio::time::sleep_until(self.due.into()).await;
            // Who is behind catches up a little, so that the pace holds; but never with a flood.
            let earliest = Instant::now().checked_sub(self.play.pace * 4).unwrap_or(self.due);
            // By whole moves, so that tables do not fall into step.
            let behind = earliest.saturating_duration_since(self.due).as_nanos() / self.play.pace.as_nanos().max(1);
            self.due += self.play.pace * u32::try_from(behind).unwrap_or(u32::MAX).saturating_add(1);
        }
    }

    async fn make_move(&mut self, game: &mut Game, number: usize, window: Window) -> Result<(), LoadError> {
        let (Some(seat), Some(player)) = (game.seats.get_mut(number), self.players.get_mut(number)) else {
            return Err(LoadError::NoPlayers);
        };
        write_move(&mut self.request, seat, game.asked);
        seat.chosen_for = None;
        let sent = Instant::now();
        let status = player.caller.ask(&self.request).await?;
        if !matches!(status, 200 | 201) {
            let code = player.caller.code();
            self.house.tally.borrow_mut().error(status, &code);
            return Ok(());
        }
        let answered = Instant::now();
        {
            let mut tally = self.house.tally.borrow_mut();
            tally.moves_acknowledged += 1;
            tally.repeats += u64::from(status == 200);
            if window.holds(answered) {
                tally.moves += 1;
                tally.latency.record(answered.duration_since(sent));
            }
        }
        Progress::count(&self.house.progress.moves);
        if status == 200 {
            // A repeat tells the event alone, not what followed it.
            self.read_on(game, number).await?;
            return self.look(game, number, window).await;
        }
        self.take_receipt(game, number).await
    }

    /// Asks what a seat is shown.
    async fn look(&mut self, game: &mut Game, number: usize, window: Window) -> Result<(), LoadError> {
        let (Some(seat), Some(player)) = (game.seats.get(number), self.players.get_mut(number)) else {
            return Err(LoadError::NoPlayers);
        };
        let body = player.caller.must("a view", &seat.view).await?;
        let shown = answer::shown(&mut Cursor::new(body)).map_err(|_| LoadError::Nonsense("a view"))?;
        game.see(number, &shown, self.play.eager, &mut self.lot)?;
        let knows = shown.seq + 1;
        {
            let mut tally = self.house.tally.borrow_mut();
            tally.views += u64::from(window.holds(Instant::now()));
            tally.stale_views += u64::from(knows < game.kept.len());
        }
        if knows > game.kept.len() { self.read_on(game, number).await } else { Ok(()) }
    }

    /// Takes in the receipt that a seat was answered with.
    async fn take_receipt(&mut self, game: &mut Game, number: usize) -> Result<(), LoadError> {
        let body = self.players.get(number).map(|player| player.caller.body()).unwrap_or_default();
        let shown = answer::receipt(body, &mut self.links).map_err(|_| LoadError::Nonsense("a receipt"))?;
        game.see(number, &shown, self.play.eager, &mut self.lot)?;
        let taken = game.kept.take(&self.links, Instant::now());
        if taken.is_err() {
            self.house.tally.borrow_mut().broken_chains += 1;
        }
        if shown.seq >= game.kept.len() { self.read_on(game, number).await } else { Ok(()) }
    }

    /// Reads what the log holds beyond the receipts: answers were lost.
    async fn read_on(&mut self, game: &Game, number: usize) -> Result<(), LoadError> {
        let player = self.players.get_mut(number).ok_or(LoadError::NoPlayers)?;
        loop {
            let after = game.kept.len().checked_sub(1).map(|newest| format!("&after={newest}")).unwrap_or_default();
            let path = format!("/v1/games/{}/events?limit=1000{after}", game.kept.game);
            let body = player.caller.must("a log", &request("GET", &path, None, "", "")).await?;
            let more = answer::page(body, &mut self.links).map_err(|_| LoadError::Nonsense("a page of a log"))?;
            if let Err(Fault::Gap | Fault::Broken) = game.kept.take(&self.links, Instant::now()) {
                self.house.tally.borrow_mut().broken_chains += 1;
                return Ok(());
            }
            if !more {
                return Ok(());
            }
        }
    }
}

/// Writes the request for the move that a seat has chosen.
fn write_move(request: &mut Vec<u8>, seat: &Seat, asked: Option<Asked>) {
    let asked = match asked {
        Some(Asked::Step(step)) => format!("{{\"step\":{step}"),
        Some(Asked::Nothing(after)) => format!("{{\"step\":null,\"after\":{after}"),
        None => "{\"step\":0".to_owned(),
    };
    let parts: [&[u8]; 4] = [asked.as_bytes(), b",\"move\":", &seat.choice, b"}"];
    let length: usize = parts.iter().map(|part| part.len()).sum();
    request.clear();
    request.extend_from_slice(&seat.move_head);
    request.extend_from_slice(length.to_string().as_bytes());
    request.extend_from_slice(b"\r\n\r\n");
    parts.iter().for_each(|part| request.extend_from_slice(part));
}

/// Signs a guest up.
async fn sign_up(mut caller: Caller, lot: &mut Lot) -> Result<Player, LoadError> {
    loop {
        let name = format!("load {:012x}", lot.below(1 << 48));
        let sign_up = request("POST", "/v1/players", None, "", &json!({ "name": name }).to_string());
        let status = caller.ask(&sign_up).await?;
        let code = caller.code();
        match status {
            201 => {
                let token = text_member(caller.body(), "token").map_err(|_| LoadError::Nonsense("a new player"))?;
                let token = String::from_utf8_lossy(token).into_owned();
                return Ok(Player { token, caller });
            }
            // Perhaps by this very request, when the answer to it was lost.
            409 if code == "name_taken" => {}
            status => return Err(LoadError::Refused { what: "signing up", status, code }),
        }
    }
}
