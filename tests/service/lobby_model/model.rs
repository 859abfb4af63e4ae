//! What lobby and seats do, as simply as it can be said: without rules, log and cards.

use std::collections::BTreeSet;

/// A seat that is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sitting {
    pub who: usize,
    pub seed: bool,
    pub opened: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Open,
    Closed,
    Playing,
    Ended,
    Cancelled,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Playing => "playing",
            Self::Ended => "ended",
            Self::Cancelled => "voided",
        }
    }

    pub fn is_over(self) -> bool {
        matches!(self, Self::Ended | Self::Cancelled)
    }
}

/// What is known of a game without its rules and its log.
#[derive(Debug, Clone)]
pub struct Game {
    pub id: String,
    pub large: bool,
    pub host: usize,
    pub stage: Stage,
    pub seats: Vec<Option<Sitting>>,
    /// Who has sat there and got up.
    pub left: BTreeSet<usize>,
    pub resigned: BTreeSet<usize>,
    pub next: Option<usize>,
}

/// What is answered: the status, and the code of a problem.
pub type Answered = (u16, &'static str);

pub const MADE: Answered = (201, "");
pub const REPEATED: Answered = (200, "");

impl Game {
    pub fn new(id: String, large: bool, host: usize) -> Self {
        let (left, resigned) = (BTreeSet::new(), BTreeSet::new());
        // Three places of which one will do, or two that are both needed.
        let seats = vec![None; if large { 3 } else { 2 }];
        Self { id, large, host, stage: Stage::Open, seats, left, resigned, next: None }
    }

    pub fn kind(&self) -> &'static str {
        if self.large { "tau_heed_kept" } else { "migraine" }
    }

    pub fn seat_of(&self, who: usize) -> Option<usize> {
        self.seats.iter().position(|sitting| sitting.is_some_and(|sitting| sitting.who == who))
    }

    /// Who sits down, gets up, starts or calls off: only at an open table.
    pub fn still_open(&self) -> Option<Answered> {
        match self.stage {
            Stage::Open => None,
            Stage::Closed | Stage::Playing => Some((409, "table_closed")),
            Stage::Ended | Stage::Cancelled => Some((409, "game_over")),
        }
    }

    fn close(&mut self) {
        self.seats.retain(Option::is_some);
        let seeds = self.seats.iter().flatten().any(|sitting| sitting.seed);
        self.stage = if seeds { Stage::Closed } else { Stage::Playing };
    }

    pub fn sit(&mut self, who: usize, seat: Option<u8>, seed: bool) -> Answered {
        let own = self.seat_of(who);
        if let Some(own) = own
            && seat.is_none_or(|seat| usize::from(seat) == own)
            && self.seats[own].is_some_and(|sitting| sitting.seed == seed)
        {
            return REPEATED;
        }
        if let Some(refused) = self.still_open() {
            return refused;
        }
        if own.is_some() {
            return (409, "already_seated");
        }
        let free = match seat.map(usize::from) {
            Some(seat) if seat >= self.seats.len() => return (422, "no_such_seat"),
            Some(seat) if self.seats[seat].is_some() => return (409, "seat_taken"),
            Some(seat) => seat,
            None if seed => return (422, "seat_not_named"),
            None => self.seats.iter().position(Option::is_none).expect("a full table is closed"),
        };
        self.seats[free] = Some(Sitting { who, seed, opened: false });
        self.left.remove(&who);
        if self.seats.iter().all(Option::is_some) {
            self.close();
        }
        MADE
    }

    pub fn get_up(&mut self, who: usize) -> Answered {
        let Some(seat) = self.seat_of(who) else {
            return if self.left.contains(&who) { REPEATED } else { (403, "not_seated") };
        };
        if let Some(refused) = self.still_open() {
            return refused;
        }
        self.seats[seat] = None;
        self.left.insert(who);
        MADE
    }

    pub fn start(&mut self, who: usize) -> Answered {
        if who != self.host {
            return (403, "not_host");
        }
        match self.stage {
            Stage::Closed | Stage::Playing | Stage::Ended => return REPEATED,
            Stage::Cancelled => return (409, "game_over"),
            Stage::Open => {}
        }
        let taken = self.seats.iter().flatten().count();
        let in_front = self.seats.iter().take_while(|seat| seat.is_some()).count();
        if taken < if self.large { 1 } else { 2 } || taken != in_front {
            return (409, "cannot_start");
        }
        self.close();
        MADE
    }

    pub fn cancel(&mut self, who: usize) -> Answered {
        match (who == self.host, self.stage) {
            (false, _) => (403, "not_host"),
            (true, Stage::Cancelled) => REPEATED,
            (true, _) => self.still_open().unwrap_or_else(|| {
                self.stage = Stage::Cancelled;
                MADE
            }),
        }
    }

    pub fn open_seed(&mut self, who: usize, right: bool) -> Answered {
        let Some(seat) = self.seat_of(who) else { return (403, "not_seated") };
        let Some(sitting) = self.seats[seat].as_mut() else { return (403, "not_seated") };
        match self.stage {
            Stage::Open => (409, "seed_too_early"),
            _ if sitting.opened && right => REPEATED,
            Stage::Ended | Stage::Cancelled => (409, "game_over"),
            _ if !sitting.seed => (422, "no_seed_committed"),
            _ if sitting.opened => (409, "seed_already_opened"),
            _ if !right => (422, "seed_mismatch"),
            _ => {
                sitting.opened = true;
                if self.seats.iter().flatten().all(|sitting| sitting.opened || !sitting.seed) {
                    self.stage = Stage::Playing;
                }
                MADE
            }
        }
    }

    /// Why somebody does not play here.
    pub fn plays(&self, who: usize) -> Option<Answered> {
        match self.stage {
            _ if self.seat_of(who).is_none() => Some((403, "not_seated")),
            Stage::Open | Stage::Closed => Some((409, "not_started")),
            Stage::Playing if self.resigned.contains(&who) => Some((409, "out_of_game")),
            Stage::Playing => None,
            Stage::Ended | Stage::Cancelled => Some((409, "game_over")),
        }
    }

    pub fn resign(&mut self, who: usize) -> Answered {
        if self.seat_of(who).is_some() && self.resigned.contains(&who) {
            return REPEATED;
        }
        self.plays(who).unwrap_or_else(|| {
            self.resigned.insert(who);
            MADE
        })
    }

    pub fn call_timeout(&self, who: usize) -> Answered {
        match self.seat_of(who) {
            None => (403, "not_seated"),
            Some(_) if self.stage.is_over() => (409, "game_over"),
            Some(_) => (409, "nothing_overdue"),
        }
    }
}
