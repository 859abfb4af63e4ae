//! One game, played at random by players of every sort, with every law held against it as it goes.

use std::collections::BTreeMap;

use croupier::canonical::parse_as;
use croupier::event::{Body, Event};
use croupier::games::{Kind, Move};
use croupier::hex32::Nonce;
use croupier::seat::Seat;
use croupier::seed_chain::leads_back;
use croupier::table::{Awaits, Command, Status, Table, View};

use super::{Counts, kinds};
use crate::support::{House, Player, Rng, Setup, bytes, player_id, seat, snapshot, text};

mod log;
mod state;

/// What everybody sees of a table.
type Snapshot = (Vec<View>, String);

pub struct Trial<'a> {
    kind: Kind,
    house: House,
    players: Vec<Player>,
    /// Who seals by itself where the server would do it too; a seat with a key must.
    seals_itself: Vec<bool>,
    rng: Rng,
    /// What players' clients keep until they open it.
    secrets: BTreeMap<Seat, (Move, Nonce)>,
    /// The table as the log alone gives it, each event read back from its text.
    replayed: Table,
    /// What was to be seen after each append, by the number of events then.
    seen: Vec<(usize, Snapshot)>,
    drawn: u32,
    /// How many of the draws are no secret any more, by the rules.
    open: u32,
    disclosed: u32,
    counts: &'a mut Counts,
}

/// Once in so many decisions a seat resigns, lets its time run out, or opens an illegal move.
const SELDOM: usize = 120;
/// Once in so many appends everything conceivable is tried.
const SAMPLE: usize = 40;

impl<'a> Trial<'a> {
    /// A game of this kind with seats and options by chance.
    pub fn new(kind: Kind, number: u64, mut rng: Rng, counts: &'a mut Counts) -> Self {
        let least = kind.seats().0;
        let places = kinds::places(kind, &mut rng);
        let options = loop {
            let options = kinds::options(kind, places, &mut rng);
            if kind.read_options(options.clone()).unwrap().fits(usize::from(places)).is_ok() {
                break options;
            }
        };
        let setup = Setup {
            game: number,
            kind,
            options,
            places,
            move_seconds: *rng.pick(&[None, Some(10), Some(3600)]),
            root: rng.bytes(),
        };
        let house = House::new(&setup);
        // A start with fewer players must be possible too.
        let mut numbers: Vec<usize> = (usize::from(least)..=usize::from(places)).collect();
        numbers.retain(|seats| house.table.created().options.fits(*seats).is_ok());
        let seats = *rng.pick(&numbers);
        let players: Vec<Player> = (0..seats).map(|number| player(number, &mut rng)).collect();
        let seals_itself = players.iter().map(|player| player.has_key() || rng.once_in(2)).collect();
        let replayed = Table::begin(&house.events[0]).unwrap();
        let seen = vec![(1, snapshot(&house.table))];
        counts.count("games", 1);
        let options = serde_json::to_value(&house.table.created().options).unwrap();
        let read_back = kind.read_options(options).unwrap();
        assert_eq!(read_back, house.table.created().options, "options, written and read back");
        Self {
            kind,
            house,
            players,
            seals_itself,
            rng,
            secrets: BTreeMap::new(),
            replayed,
            seen,
            drawn: 0,
            open: 0,
            disclosed: 0,
            counts,
        }
    }

    pub fn play(mut self) {
        self.sit_down();
        self.open_seeds();
        while !self.house.table.is_over() {
            let playing = self.house.table.status() == Status::Playing;
            assert!(!playing || self.house.events.len() < kinds::bound(self.kind) + 100, "the game goes on and on");
            if self.rng.once_in(SAMPLE) {
                self.try_everything();
            }
            self.act();
        }
        self.try_everything();
        self.look_back();
    }

    // What players do.

    fn sit_down(&mut self) {
        let mut order: Vec<usize> = (0..self.players.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, self.rng.below(i + 1));
        }
        for number in order {
            // Some sit down somewhere else first, or change their mind.
            if self.rng.once_in(4) {
                let free = self.house.table.places().iter().find(|(_, place)| place.is_none()).unwrap().0;
                let elsewhere = self.players[number].clone().on(free.index());
                let full = self.house.table.places().iter().filter(|(_, place)| place.is_none()).count() == 1;
                if !full {
                    self.send(&elsewhere.sit(&self.house));
                    self.house.wait(1);
                    self.send(&elsewhere.get_up(&self.house));
                }
            }
            self.house.wait(1);
            self.send(&self.players[number].clone().sit(&self.house));
        }
        if self.house.table.status() == Status::Open {
            self.send(&Command::Start { player: player_id(0) });
        }
    }

    fn open_seeds(&mut self) {
        let withheld = self.rng.once_in(15);
        while self.house.table.status() == Status::Closed {
            let owing = self.house.table.to_act();
            let late = if withheld { self.rng.once_in(owing.len() + 1) } else { false };
            if late {
                self.house.wait_until_due(1);
                self.send(&Command::CallTimeout { player: None });
                return;
            }
            let seat = *self.rng.pick(&owing);
            self.house.wait(10);
            self.send(&self.player(seat).open_seed(&self.house));
        }
    }

    fn player(&self, seat: Seat) -> Player {
        self.players[seat.index()].clone()
    }

    /// Somebody does something.
    fn act(&mut self) {
        let table = &self.house.table;
        let to_act = table.to_act();
        let due = table.due_at();
        assert_eq!(due.is_some(), !to_act.is_empty(), "what is asked for is due some time, and nothing else is");
        let awaits = table.view(None).awaits;
        let in_game: Vec<Player> =
            self.players.iter().filter(|player| self.house.ask(&player.resign(&self.house)).is_ok()).cloned().collect();
        // Whoever plays by a script has nothing more to say after it.
        if self.rng.is_out() || self.rng.once_in(SELDOM) {
            let player = self.rng.pick(&in_game).clone();
            self.secrets.remove(&player.seat);
            self.send(&player.resign(&self.house));
            return;
        }
        if self.rng.once_in(SELDOM) && due.is_some() {
            self.house.wait_until_due(1 + self.rng.below(1000) as i64);
            let player = if self.rng.once_in(2) { None } else { Some(self.rng.pick(&in_game).id) };
            self.send(&Command::CallTimeout { player });
            return;
        }
        if self.rng.once_in(5) {
            self.check_secrecy(&to_act);
        }
        self.house.wait(self.rng.below(3000) as i64);
        self.house.now = due.map_or(self.house.now, |due| self.house.now.min(due));
        let free: Vec<(Seat, Move)> = in_game
            .iter()
            .flat_map(|player| self.house.legal(player.seat).into_iter().map(|mv| (player.seat, mv)))
            .filter(|(_, mv)| !mv.is_decision())
            .collect();
        if !free.is_empty() && (to_act.is_empty() || self.rng.once_in(4)) {
            let (seat, mv) = self.rng.pick(&free).clone();
            let command = self.player(seat).free_move(&self.house, &mv);
            self.send(&command);
            let again = self.house.ask(&command);
            assert!(again.is_err() || !self.player(seat).has_key(), "a signature was taken twice");
            return;
        }
        let seat = *self.rng.pick(&to_act);
        let player = self.player(seat);
        if awaits == Some(Awaits::Opening) {
            let (mv, nonce) = self.secrets.remove(&seat).expect("who has to open has sealed by itself");
            self.send(&player.open(&self.house, &mv, &nonce));
            return;
        }
        let legal: Vec<Move> = self.house.legal(seat).into_iter().filter(Move::is_decision).collect();
        let mv = kinds::choose(self.kind, &legal, &mut self.rng);
        if awaits == Some(Awaits::Commitment) && self.seals_itself[seat.index()] {
            let illegal = self.rng.once_in(SELDOM);
            let mv = if illegal { self.illegal(&legal) } else { mv };
            let nonce = self.rng.nonce();
            self.send(&player.commit(&self.house, &mv, &nonce));
            self.secrets.insert(seat, (mv, nonce));
        } else {
            self.send(&player.decide(&self.house, &mv));
        }
    }

    fn illegal(&mut self, legal: &[Move]) -> Move {
        let mut all = kinds::candidates(self.kind).to_vec();
        all.retain(|mv| !kinds::is_listed(legal, mv));
        self.rng.pick(&all).clone()
    }

    /// Has a command carried out, and holds the laws against what came of it.
    fn send(&mut self, command: &Command) {
        let events = self.house.send(command);
        let append_at = events[0].at;
        for event in &events {
            assert_eq!(event.at, append_at, "one append, one time");
            self.take(event);
        }
        let now = snapshot(&self.house.table);
        assert!(now == snapshot(&self.replayed), "the live table and the log's differ after {events:?}");
        self.counts.count("views compared", now.0.len() as u64);
        self.counts.count("appends", 1);
        assert_eq!(self.disclosed, self.open, "what is no secret any more is disclosed, and nothing else");
        self.check_legal_lists();
        self.check_cards();
        self.seen.push((self.house.events.len(), now));
    }

    /// One more event of the log, as somebody reads it who has nothing else.
    fn take(&mut self, event: &Event) {
        self.counts.count("events", 1);
        let read: Event = parse_as(text(event).as_bytes()).unwrap();
        assert_eq!(read, *event, "written and read back");
        let before = self.replayed.step();
        assert!(read.at >= self.replayed.at(), "time goes on");
        assert_eq!(read.seq, self.replayed.seq() + 1);
        self.replayed
            .evolve(&read, &self.house.secrets)
            .unwrap_or_else(|stop| panic!("decide made {read:?}, and evolve stops: {stop:?}"));
        self.check_step(&read, before, self.replayed.step());
        for fact in event.body.facts() {
            let fact = serde_json::to_value(fact).unwrap();
            if fact["type"] == "draw" {
                self.drawn += 1;
                assert_eq!(fact["draw"], self.drawn, "draws are numbered without gaps");
            }
            if kinds::ends_secrecy(self.kind, &fact) {
                self.open = self.drawn;
            }
        }
        match &event.body {
            Body::Disclosed(data) => {
                assert!(data.draw > self.disclosed && data.draw <= self.drawn);
                let anchor = self.house.table.created().anchor;
                assert!(leads_back(&data.seed, data.draw, anchor.as_bytes()), "a seed of another chain");
                self.disclosed = data.draw;
            }
            Body::Ended(data) => {
                self.open = self.drawn;
                assert_eq!(self.disclosed, self.drawn, "before the end every draw is disclosed");
                let result = &data.result;
                assert!(self.kind.reasons().contains(&result.reason));
                assert!(result.winners.iter().all(|winner| winner.index() < self.players.len()));
                assert!(result.winners.is_sorted() && result.winners.windows(2).all(|pair| pair[0] != pair[1]));
                assert!(result.scores.is_empty() || result.scores.len() == self.players.len());
                let reason = serde_json::to_value(result.reason).unwrap();
                self.counts.count(format!("ends by {}", reason.as_str().unwrap()), 1);
            }
            Body::Voided(_) => self.counts.count("voids", 1),
            _ => {}
        }
    }

    /// RU-10: an event that has a step has the one at hand, and only such an event uses one up.
    fn check_step(&self, event: &Event, before: Option<u32>, after: Option<u32>) {
        let own = serde_json::to_value(&event.body).unwrap()["step"].as_u64();
        if let Some(step) = own {
            assert_eq!(Some(step), before.map(u64::from), "{event:?}");
        }
        match (before, after) {
            (None, None) => {}
            (None, Some(first)) => assert!(first == 1 && matches!(event.body, Body::Started(_))),
            (Some(_), None) => assert!(own.is_some(), "the last decision was made or taken away: {event:?}"),
            (Some(before), Some(after)) if before == after => {}
            (Some(before), Some(after)) => {
                assert!(after == before + 1 && own.is_some(), "step {after} after {before} by {event:?}");
            }
        }
    }
}

/// A player of any sort: with a key or without, with a seed or without.
fn player(number: usize, rng: &mut Rng) -> Player {
    let player = Player::new(number).on(seat(number).index());
    let player = if rng.once_in(2) { player.with_key() } else { player };
    if rng.once_in(3) { player } else { player.with_this_seed(bytes(&format!("{}", rng.next()))) }
}
