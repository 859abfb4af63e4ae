//! Random Chess (clauses RC-1 to RC-10 of `random_chess/rules-1.md`).

use crate::game::{
    Action, Chance, Decided, Forfeit, ForfeitReason, Game, GameResult, Illegal, NoDraw, Outcome, Purpose, Reason,
    Viewer,
};
use crate::seat::{BySeat, Seat};
use crate::seed_chain::CHAIN_LENGTH;
use crate::timestamp::Timestamp;

mod course;
mod facts;
mod fen;
mod generate;
mod man;
mod moves;
mod notation;
mod options;
mod position;
mod square;
mod start;
#[cfg(test)]
mod tests;
mod variant;
mod view;

pub use course::{Course, End, Profile, Written};
pub use facts::{ChessOver, ChessPly, ChessStart, Fact};
pub use fen::NotAPosition;
pub use man::{Man, Role, Side};
pub use moves::{Advance, Legal, Move, Play as PlayMove};
#[cfg(feature = "server")]
pub use options::VariantName;
pub use options::{MaharajaSquare, Options, OptionsDraft, Play};
pub use position::{ChessMove, Position, Special, Wing};
pub use square::{NotASquare, Square};
pub use variant::{ARRAYS, Laws, SideLaws, Variant, array_960};
pub use view::{BoardMan, View};

/// Whoever sits may advance (RC-8).
const MAX_SEATS: u8 = 8;
/// How many plies one move may advance (RC-8).
const MAX_ADVANCE: u8 = 200;

/// Who goes on with the game.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    /// RC-8: the program plays both sides, whenever somebody has it advance.
    Watched,
    /// RC-9: seat 0 plays this side, and is to move.
    Played,
    /// No more moves.
    Over(GameResult),
}

/// A game of Random Chess.
#[derive(Debug, Clone)]
pub struct Rules {
    options: Options,
    /// The number of the array in Chess960.
    number: Option<u16>,
    /// The position that the game began with.
    start: Position,
    course: Course,
    phase: Phase,
    /// Whether each seat is in the game.
    seats: BySeat<bool>,
    /// How many draws were made: none of them is a secret.
    drawn: u32,
}

impl Game for Rules {
    type Options = Options;
    type Move = Move;
    type Legal = Legal;
    type View = View;

    const SEATS: (u8, u8) = (1, MAX_SEATS);
    const RULES: &'static [&'static str] = &[include_str!("random_chess/rules-1.md")];
    const REASONS: &'static [Reason] = &[
        Reason::WhiteMates,
        Reason::BlackMates,
        Reason::Stalemate,
        Reason::InsufficientMaterial,
        Reason::FiftyMoves,
        Reason::SeventyFiveMoves,
        Reason::Threefold,
        Reason::Fivefold,
        Reason::Extinct,
        Reason::Cap,
        Reason::Forfeit,
    ];

    fn fits(_: &Options, seats: usize) -> Result<(), Illegal> {
        if (1..=usize::from(MAX_SEATS)).contains(&seats) {
            Ok(())
        } else {
            Err(Illegal::new("RC-8", "Random Chess has one to eight seats"))
        }
    }

    fn is_decision(mv: &Move) -> bool {
        match mv {
            Move::Advance(_) => false,
            Move::Play(_) => true,
        }
    }

    fn deal(options: &Options, seats: usize, _: Timestamp, chance: &mut Chance<'_>) -> Result<Self, NoDraw> {
        let (number, start) = start::draw(options, chance)?;
        let draw = Some(chance.drawn()).filter(|drawn| *drawn > 0);
        chance.tell(Fact::ChessStart(ChessStart { draw, number, fen: start.fen() }));
        let mut game = Self {
            options: options.clone(),
            number,
            course: Course::begin(start.clone(), options.profile()),
            start,
            phase: Phase::Watched,
            seats: BySeat::from_fn(seats, |_| true),
            drawn: chance.drawn(),
        };
        game.settle(chance);
        game.go_on(chance)?;
        Ok(game)
    }

    fn legal(&self, seat: Seat) -> Vec<Move> {
        match self.phase {
            Phase::Watched if self.is_in(seat) => {
                (1..=MAX_ADVANCE).map(|plies| Move::Advance(Advance { plies: plies.into() })).collect()
            }
            Phase::Played if seat == Seat::FIRST => {
                self.course.legal().iter().map(|mv| Move::Play(PlayMove { uci: mv.uci() })).collect()
            }
            _ => Vec::new(),
        }
    }

    fn judge(&self, seat: Seat, mv: &Move) -> Result<Legal, Illegal> {
        if !self.is_in(seat) {
            return Err(Illegal::new("RC-10", "this seat is out of the game"));
        }
        match (&self.phase, mv) {
            (Phase::Over(_), _) => Err(Illegal::new("RC-4", "the game is over")),
            (Phase::Watched, Move::Advance(Advance { plies })) => {
                let plies = u8::try_from(*plies).ok().filter(|plies| (1..=MAX_ADVANCE).contains(plies));
                plies.map(Legal::Advance).ok_or_else(|| Illegal::new("RC-8", "it advances by 1 to 200 plies"))
            }
            (Phase::Played, Move::Advance(_)) => {
                Err(Illegal::new("RC-8", "seat 0 plays a side, so the program moves by itself"))
            }
            (Phase::Watched, Move::Play(_)) => Err(Illegal::new("RC-9", "no seat plays a side in this game")),
            (Phase::Played, Move::Play(_)) if seat != Seat::FIRST => {
                Err(Illegal::new("RC-9", "seat 0 alone plays a side"))
            }
            (Phase::Played, Move::Play(PlayMove { uci })) => {
                let found = self.course.legal().iter().find(|mv| mv.uci() == *uci);
                let refused = || Illegal::new("RC-2", "this is no legal move here, or no UCI text of one");
                found.copied().map(Legal::Play).ok_or_else(refused)
            }
        }
    }

    fn canonical(mv: &Move) -> Move {
        mv.clone()
    }

    fn is_in(&self, seat: Seat) -> bool {
        self.seats.get(seat).copied().unwrap_or_default()
    }

    fn apply(&mut self, action: Action<Legal>, _: Timestamp, chance: &mut Chance<'_>) -> Result<Decided, NoDraw> {
        match action {
            Action::Move(_, Legal::Advance(plies)) => {
                for _ in 0..plies {
                    if self.phase != Phase::Watched {
                        break;
                    }
                    self.draw_ply(chance)?;
                }
                Ok(Decided::No)
            }
            Action::Move(_, Legal::Play(mv)) => {
                self.make(mv, None, chance);
                self.go_on(chance)?;
                Ok(Decided::Yes)
            }
            // Nothing is sealed in this game.
            Action::Sealed(_) => Ok(Decided::No),
            Action::Forfeit(seat, reason) => Ok(self.forfeit(&[seat], reason, chance)),
            Action::TimedOut(seats) => Ok(self.forfeit(&seats, ForfeitReason::TimedOut, chance)),
        }
    }

    fn outcome(&self) -> Outcome<'_> {
        match &self.phase {
            Phase::Watched => Outcome::Nobody,
            Phase::Played => Outcome::Turn(Seat::FIRST),
            Phase::Over(result) => Outcome::Over(result),
        }
    }

    fn stop(&mut self) {
        // The chain is at its end, so all of it was drawn.
        self.drawn = CHAIN_LENGTH;
        self.phase = Phase::Over(result(Vec::new(), Reason::Cap));
    }

    fn disclosable(&self) -> u32 {
        self.drawn
    }

    fn view(&self, _: Viewer) -> View {
        view::view(self)
    }

    fn grown(&self) -> usize {
        self.course.bytes()
    }
}

fn result(winners: Vec<Seat>, reason: Reason) -> GameResult {
    GameResult { winners, scores: Vec::new(), reason }
}

impl Rules {
    /// RC-1: the program's move, by one draw.
    fn draw_ply(&mut self, chance: &mut Chance<'_>) -> Result<(), NoDraw> {
        let mut numbers = chance.draw(Purpose::Ply)?;
        self.drawn = chance.drawn();
        // Where nothing is legal the game is over.
        let mv = numbers.pick(self.course.legal().len()).map(|at| self.course.legal()[at]);
        if let Some(mv) = mv {
            self.make(mv, Some(self.drawn), chance);
        }
        Ok(())
    }

    /// Makes a legal move, and tells it.
    fn make(&mut self, mv: ChessMove, draw: Option<u32>, chance: &mut Chance<'_>) {
        let (side, choices) = (self.course.position().turn(), self.course.legal().len());
        let Written { uci, san } = self.course.make(mv).clone();
        let (ply, fen) = (self.course.moves().len(), self.course.position().fen());
        chance.tell(Fact::ChessPly(ChessPly { ply, side, draw, choices, uci, san, fen }));
        self.settle(chance);
    }

    /// RC-4: ends the game, if it ends here, and tells it.
    fn settle(&mut self, chance: &mut Chance<'_>) {
        if let Some(end) = self.course.end() {
            let (reason, winner) = (self.reason(end), end.winner());
            chance.tell(Fact::ChessOver(ChessOver { reason, winner }));
            let won = winner.is_some() && winner == self.options.play().side();
            let winners = if won { vec![Seat::FIRST] } else { Vec::new() };
            self.phase = Phase::Over(result(winners, reason));
        }
    }

    /// RC-9: where seat 0 plays a side, the program moves by itself until it is that side's turn.
    fn go_on(&mut self, chance: &mut Chance<'_>) -> Result<(), NoDraw> {
        let Some(own) = self.options.play().side() else { return Ok(()) };
        while !matches!(self.phase, Phase::Over(_)) {
            if self.course.position().turn() == own {
                self.phase = Phase::Played;
                break;
            }
            self.draw_ply(chance)?;
        }
        Ok(())
    }

    fn reason(&self, end: End) -> Reason {
        let fide = self.options.profile() == Profile::Fide;
        match end {
            End::Extinct(_) => Reason::Extinct,
            End::Mate(Side::White) => Reason::WhiteMates,
            End::Mate(Side::Black) => Reason::BlackMates,
            End::Stalemate => Reason::Stalemate,
            End::InsufficientMaterial => Reason::InsufficientMaterial,
            End::Quiet if fide => Reason::SeventyFiveMoves,
            End::Quiet => Reason::FiftyMoves,
            End::Repetition if fide => Reason::Fivefold,
            End::Repetition => Reason::Threefold,
            End::Cap => Reason::Cap,
        }
    }

    /// RC-10: who plays a side loses by it; anybody else only leaves, and the last one ends the game.
    fn forfeit(&mut self, seats: &[Seat], reason: ForfeitReason, chance: &mut Chance<'_>) -> Decided {
        for seat in seats {
            chance.tell(Forfeit { seat: *seat, reason });
            if let Some(is_in) = self.seats.get_mut(*seat) {
                *is_in = false;
            }
        }
        let played = self.options.play() != Play::None;
        let over = if played { !self.is_in(Seat::FIRST) } else { !self.seats.as_slice().contains(&true) };
        if !over {
            return Decided::No;
        }
        self.phase = Phase::Over(result(Vec::new(), Reason::Forfeit));
        Decided::Yes
    }
}
