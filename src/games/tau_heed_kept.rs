//! Tau Heed Kept (clauses TH-1 to TH-13 of `tau_heed_kept/rules-1.md`).

use crate::cards::Card;
use crate::game::{
    Action, Chance, Decided, Forfeit, ForfeitReason, Game, GameResult, Illegal, NoDraw, Outcome, Purpose, Reason,
    Viewer,
};
use crate::seat::{BySeat, Seat};
use crate::timestamp::Timestamp;

mod cell;
mod facts;
mod grid;
mod growth;
mod judge;
mod moves;
mod options;
mod ranking;
mod view;

pub use cell::{Cell, Corner, Orientation};
pub use facts::{Fact, RankedCard, TauAutomaticPass, TauCorner, TauFirstCard, TauScored, TauTurn};
pub use growth::grows;
pub use moves::{Legal, Move, Pass, Place};
pub use options::{AceLinks, Growth, Options, OptionsDraft};
pub use ranking::{places, winner};
pub use view::{LastPass, Phase as ViewPhase, Placement, TableBack, TableCard, Turn, View};

use grid::{Grid, Owned};

/// TH-5.
const MAX_PLAYERS: u8 = 8;

/// What a player has that is not on the table.
#[derive(Debug, Clone, Default)]
struct Cards {
    /// Face down; the top is the last.
    deck: Vec<Card>,
    /// In the order in which the cards joined.
    hand: Vec<Card>,
}

/// A player and the cards it has.
#[derive(Debug, Clone)]
enum Player {
    In(Cards),
    /// TH-12a: who forfeited took these out of the game.
    Out(Cards),
}

impl Player {
    fn cards(&self) -> &Cards {
        match self {
            Self::In(cards) | Self::Out(cards) => cards,
        }
    }

    /// Its cards, as long as it is in the game.
    fn playing(&self) -> Option<&Cards> {
        match self {
            Self::In(cards) => Some(cards),
            Self::Out(_) => None,
        }
    }

    /// Whether it gets a turn: it is in the game and has a card in its hand or its deck (TH-12).
    fn has_turns(&self) -> bool {
        self.playing().is_some_and(|cards| !cards.hand.is_empty() || !cards.deck.is_empty())
    }
}

/// Where a game stands.
#[derive(Debug, Clone)]
enum Phase {
    /// Some deck still has cards: passes do not count (TH-12).
    Growing(Turn),
    /// TH-11: the last turn of a solitaire.
    LastTurn(Turn),
    /// TH-12: all decks are empty, and who still holds cards goes on. These seats, ascending, have passed in succession
    /// since the last placement.
    Vulture { turn: Turn, passed: Vec<Seat> },
    /// No more to decide; those had passed.
    Over { result: GameResult, passed: Vec<Seat> },
}

impl Phase {
    fn turn(&self) -> Option<Turn> {
        match self {
            Self::Growing(turn) | Self::LastTurn(turn) | Self::Vulture { turn, .. } => Some(*turn),
            Self::Over { .. } => None,
        }
    }

    fn passed(&self) -> &[Seat] {
        match self {
            Self::Growing(_) | Self::LastTurn(_) => &[],
            Self::Vulture { passed, .. } | Self::Over { passed, .. } => passed,
        }
    }

    /// Takes the seats that have passed out of the phase, which another one follows.
    fn take_passed(&mut self) -> Vec<Seat> {
        match self {
            Self::Growing(_) | Self::LastTurn(_) => Vec::new(),
            Self::Vulture { passed, .. } | Self::Over { passed, .. } => std::mem::take(passed),
        }
    }
}

/// A game of Tau Heed Kept.
#[derive(Debug, Clone)]
pub struct Rules {
    options: Options,
    players: BySeat<Player>,
    grid: Grid,
    phase: Phase,
    /// What was laid on the table last; none before the first card.
    last_placement: Option<Placement>,
    /// The corners that the last placement to settle any settled, in that order (TH-9).
    last_corners: Vec<TauCorner>,
    /// The last pass, if there was no placement after it.
    last_pass: Option<LastPass>,
}

impl Game for Rules {
    type Options = Options;
    type Move = Move;
    type Legal = Legal;
    type View = View;

    const SEATS: (u8, u8) = (1, MAX_PLAYERS);
    const RULES: &'static [&'static str] = &[include_str!("tau_heed_kept/rules-1.md")];
    const REASONS: &'static [Reason] = &[Reason::LastTurn, Reason::HandsEmpty, Reason::AllPassed, Reason::Forfeit];

    fn fits(_: &Options, seats: usize) -> Result<(), Illegal> {
        if (1..=usize::from(MAX_PLAYERS)).contains(&seats) {
            Ok(())
        } else {
            Err(Illegal::new("TH-5", "Tau Heed Kept is for one to eight players"))
        }
    }

    fn is_decision(_: &Move) -> bool {
        true
    }

    fn deal(options: &Options, seats: usize, _: Timestamp, chance: &mut Chance<'_>) -> Result<Self, NoDraw> {
        let mut decks = Vec::with_capacity(seats);
        for _ in Seat::all(seats) {
            let mut deck: Vec<Card> = Card::full_deck().collect();
            chance.draw(Purpose::Deck)?.shuffle(&mut deck);
            decks.push(deck);
        }
        Ok(Self::begin(options, decks.into_iter().collect(), chance))
    }

    fn legal(&self, seat: Seat) -> Vec<Move> {
        self.list(seat)
    }

    fn judge(&self, seat: Seat, mv: &Move) -> Result<Legal, Illegal> {
        self.judge_turn(seat)?;
        match mv {
            Move::Place(place) => self.judge_placement(seat, place),
            Move::Pass(Pass {}) => Ok(Legal::Pass),
        }
    }

    fn canonical(mv: &Move) -> Move {
        mv.clone()
    }

    fn is_in(&self, seat: Seat) -> bool {
        self.players.get(seat).is_some_and(|player| player.playing().is_some())
    }

    fn apply(&mut self, action: Action<Legal>, _: Timestamp, chance: &mut Chance<'_>) -> Result<Decided, NoDraw> {
        Ok(match action {
            Action::Move(seat, legal) => self.play(seat, legal, chance),
            // Nothing is sealed in this game.
            Action::Sealed(_) => Decided::No,
            Action::Forfeit(seat, reason) => self.forfeit(&[seat], reason, chance),
            Action::TimedOut(seats) => self.forfeit(&seats, ForfeitReason::TimedOut, chance),
        })
    }

    fn outcome(&self) -> Outcome<'_> {
        match &self.phase {
            Phase::Growing(turn) | Phase::LastTurn(turn) | Phase::Vulture { turn, .. } => Outcome::Turn(turn.seat),
            Phase::Over { result, .. } => Outcome::Over(result),
        }
    }

    fn stop(&mut self) {
        self.over(Vec::new(), Reason::Cap);
    }

    fn disclosable(&self) -> u32 {
        match self.phase {
            Phase::Growing(_) | Phase::LastTurn(_) | Phase::Vulture { .. } => 0,
            // One draw a seat, and at most eight seats, so the cast loses nothing.
            Phase::Over { .. } => self.players.len() as u32,
        }
    }

    fn view(&self, viewer: Viewer) -> View {
        view::view(self, viewer)
    }
}

impl Rules {
    /// Begins a game in which the decks lie in this order, each from the top down (TH-5, TH-6). Tells the first card
    /// and what follows on it.
    pub fn begin(options: &Options, decks: BySeat<Vec<Card>>, chance: &mut Chance<'_>) -> Self {
        let players = decks.map(|deck| {
            Player::In(Cards { deck: deck.iter().rev().copied().collect(), hand: Vec::with_capacity(deck.len()) })
        });
        let mut game = Self {
            options: *options,
            players,
            grid: Grid::new(*options),
            phase: Phase::Growing(Turn { seat: Seat::FIRST, drew: true }),
            last_placement: None,
            last_corners: Vec::new(),
            last_pass: None,
        };
        if let Some(card) = game.draw(Seat::FIRST) {
            chance.tell(Fact::TauFirstCard(TauFirstCard { seat: Seat::FIRST, card }));
            game.lay(Seat::FIRST, card, Cell::ORIGIN);
        }
        game.go_on(Seat::FIRST, chance);
        game
    }

    /// TH-11 goes for a table with one seat, TH-12 for one with several.
    fn is_solitaire(&self) -> bool {
        self.players.len() == 1
    }

    /// Takes the top card off a player's deck.
    fn draw(&mut self, seat: Seat) -> Option<Card> {
        match self.players.get_mut(seat)? {
            Player::In(cards) => cards.deck.pop(),
            Player::Out(_) => None,
        }
    }

    fn lay(&mut self, seat: Seat, card: Card, cell: Cell) {
        self.grid.lay(cell, Owned { owner: seat, card });
        self.last_placement = Some(Placement::new(seat, card, cell));
        self.last_pass = None;
        if let Phase::Vulture { passed, .. } = &mut self.phase {
            passed.clear();
        }
    }

    /// A legal move of the seat whose turn it is, and all that follows on it.
    fn play(&mut self, seat: Seat, legal: Legal, chance: &mut Chance<'_>) -> Decided {
        if self.phase.turn().is_none_or(|turn| turn.seat != seat) {
            return Decided::No;
        }
        match legal {
            Legal::Place(card, cell, corners) => self.place(seat, card, cell, corners, chance),
            Legal::Pass => self.pass(seat, false),
        }
        self.go_on(seat, chance);
        Decided::Yes
    }

    /// TH-8, TH-9.
    fn place(&mut self, seat: Seat, card: Card, cell: Cell, corners: [Corner; 4], chance: &mut Chance<'_>) {
        if let Some(Player::In(cards)) = self.players.get_mut(seat) {
            cards.hand.retain(|held| *held != card);
        }
        self.lay(seat, card, cell);
        let mut settled = Vec::new();
        for corner in corners {
            // Whether a corner is still due is only known now: the one before may have opened it.
            settled.extend(self.grid.settle(corner));
        }
        if !settled.is_empty() {
            settled.iter().for_each(|corner| chance.tell(Fact::TauCorner(*corner)));
            self.last_corners = settled;
        }
    }

    /// TH-7, and TH-12 where passes count.
    fn pass(&mut self, seat: Seat, automatic: bool) {
        self.last_pass = Some(LastPass { seat, automatic });
        if let Phase::Vulture { passed, .. } = &mut self.phase
            && let Err(at) = passed.binary_search(&seat)
        {
            passed.insert(at, seat);
        }
    }

    /// After a seat's turn: the next turn that somebody has to decide on, or the end.
    fn go_on(&mut self, after: Seat, chance: &mut Chance<'_>) {
        let mut last = after;
        loop {
            if let Phase::LastTurn(_) = self.phase {
                return self.end(self.leaders(), Reason::LastTurn, chance);
            }
            let Some(seat) = self.next_with_turns(last) else {
                return self.end(self.leaders(), Reason::HandsEmpty, chance);
            };
            if self.all_passed() {
                return self.end(self.leaders(), Reason::AllPassed, chance);
            }
            self.begin_turn(seat, chance);
            if !self.passes_by_itself(seat, chance) {
                return;
            }
            last = seat;
        }
    }

    /// The next seat to the left that has cards, the same one last. Only decks and hands can be empty, so where nobody
    /// has a turn they all are.
    fn next_with_turns(&self, after: Seat) -> Option<Seat> {
        let seats = self.players.len();
        let mut seat = after;
        for _ in 0..seats {
            seat = seat.left(seats);
            if self.players[seat].has_turns() {
                return Some(seat);
            }
        }
        None
    }

    /// TH-12: whether everybody who still holds cards has passed since the last placement.
    fn all_passed(&self) -> bool {
        let Phase::Vulture { passed, .. } = &self.phase else { return false };
        self.players.iter().all(|(seat, player)| !player.has_turns() || passed.contains(&seat))
    }

    /// TH-7: the seat's turn, with a card drawn for it if its deck has one.
    fn begin_turn(&mut self, seat: Seat, chance: &mut Chance<'_>) {
        let drawn = self.draw(seat);
        if let (Some(card), Player::In(cards)) = (drawn, &mut self.players[seat]) {
            cards.hand.push(card);
        }
        let turn = Turn { seat, drew: drawn.is_some() };
        chance.tell(Fact::TauTurn(TauTurn { seat, drew: turn.drew, deck: self.players[seat].cards().deck.len() }));
        self.phase = self.phase_of(turn);
    }

    /// What phase a turn belongs to, by the decks as they are now.
    fn phase_of(&mut self, turn: Turn) -> Phase {
        let decks_last = self.players.iter().any(|(_, player)| player.playing().is_some_and(|c| !c.deck.is_empty()));
        if decks_last {
            Phase::Growing(turn)
        } else if self.is_solitaire() {
            Phase::LastTurn(turn)
        } else {
            Phase::Vulture { turn, passed: self.phase.take_passed() }
        }
    }

    /// TH-12: once all decks are empty, who can place nothing passes without being asked. Says whether it did.
    fn passes_by_itself(&mut self, seat: Seat, chance: &mut Chance<'_>) -> bool {
        if matches!(self.phase, Phase::Growing(_)) || self.can_place(seat) {
            return false;
        }
        chance.tell(Fact::TauAutomaticPass(TauAutomaticPass { seat }));
        self.pass(seat, true);
        true
    }

    /// TH-12a, RU-9.
    fn forfeit(&mut self, seats: &[Seat], reason: ForfeitReason, chance: &mut Chance<'_>) -> Decided {
        let Some(turn) = self.phase.turn() else { return Decided::No };
        for seat in seats {
            chance.tell(Forfeit { seat: *seat, reason });
            if let Some(player) = self.players.get_mut(*seat) {
                let (Player::In(cards) | Player::Out(cards)) = player;
                let cards = std::mem::take(cards);
                *player = Player::Out(cards);
            }
        }
        if let Phase::Vulture { passed, .. } = &mut self.phase {
            passed.retain(|seat| !seats.contains(seat));
        }
        let left: Vec<Seat> = self.players.seats().filter(|seat| self.is_in(*seat)).collect();
        if left.len() <= 1 {
            self.end(left, Reason::Forfeit, chance);
            return Decided::Yes;
        }
        if !seats.contains(&turn.seat) {
            // With the decks that were taken out all may be empty now; then the seat at turn may have to pass.
            self.phase = self.phase_of(turn);
            if !self.passes_by_itself(turn.seat, chance) {
                return Decided::No;
            }
        }
        self.go_on(turn.seat, chance);
        Decided::Yes
    }

    /// TH-11, TH-12.
    fn score(&self, seat: Seat) -> i64 {
        // A deck has 52 cards and a table 416, so the casts lose nothing.
        let corners = self.grid.claimed(seat) as i64;
        let left = self.players[seat].cards().hand.len() as i64;
        if self.is_solitaire() { corners - left } else { corners }
    }

    fn scores(&self) -> BySeat<i64> {
        BySeat::from_fn(self.players.len(), |seat| self.score(seat))
    }

    /// The highest score of those who are in the game wins; equal ones share it (TH-12, TH-12a).
    fn leaders(&self) -> Vec<Seat> {
        let playing = || self.players.seats().filter(|seat| self.is_in(*seat));
        let best = playing().map(|seat| self.score(seat)).max();
        playing().filter(|seat| Some(self.score(*seat)) == best).collect()
    }

    /// Ends the game and tells what was counted.
    fn end(&mut self, winners: Vec<Seat>, reason: Reason, chance: &mut Chance<'_>) {
        let corners = BySeat::from_fn(self.players.len(), |seat| self.grid.claimed(seat));
        let hands = self.players.map(|player| player.cards().hand.len());
        chance.tell(Fact::TauScored(TauScored { corners, hands, scores: self.scores() }));
        self.over(winners, reason);
    }

    fn over(&mut self, winners: Vec<Seat>, reason: Reason) {
        let result = GameResult { winners, scores: self.scores().as_slice().to_vec(), reason };
        self.phase = Phase::Over { result, passed: self.phase.take_passed() };
    }
}
