//! Spite & Malice (clauses SM-1 to SM-16 of `spite_and_malice/rules-1.md`).

use crate::cards::Card;
use crate::game::{
    Action, Chance, Decided, Forfeit, ForfeitReason, Game, GameResult, Illegal, NoDraw, Outcome, Purpose, Reason,
    Viewer,
};
use crate::seat::{BySeat, Seat};
use crate::seed_chain::CHAIN_LENGTH;
use crate::timestamp::Timestamp;

mod facts;
mod judge;
mod layout;
mod moves;
mod options;
#[cfg(test)]
mod tests;
mod view;

pub use facts::{
    CardsDrawn, CentrePlay, Fact, FirstTurn, PayoffTurned, PayoffsReshuffled, PlayedFrom, RoundOver, RoundReason,
    SpiteDeal, StackRecycled,
};
pub use layout::{first_turn, next_rank, stands_for};
pub use moves::{Discard, Legal, Move, PlayHand, PlayPayoff, PlaySide};
pub use options::{Options, OptionsDraft};
pub use view::{CentreCard, CentreStack, PayoffPile, Phase as ViewPhase, View};

use layout::{COMPLETE, HAND, Layout};
use moves::{Source, Step};

/// SM-1.
const PLAYERS: usize = 2;
/// SM-16: the last turn that a round can have.
const MAX_TURNS: u32 = 2_000;
/// SM-16: the last round that can be played.
const MAX_ROUNDS: u32 = 500;

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn {
    seat: Seat,
    /// Counted from 1 in each round, both seats' together.
    number: u32,
}

impl Turn {
    fn next(self) -> Self {
        Self { seat: other(self.seat), number: self.number + 1 }
    }

    /// Who had the round's first turn: they take turns, one each.
    fn first(self) -> Seat {
        if self.number % 2 == 1 { self.seat } else { other(self.seat) }
    }
}

#[derive(Debug, Clone)]
enum Phase {
    /// SM-6: any number of plays, then a discard.
    Turn(Turn),
    /// No more to decide. The cards lie as they lay then; without a turn if the round never came to one.
    Over { turn: Option<Turn>, result: GameResult },
}

impl Phase {
    fn turn(&self) -> Option<Turn> {
        match self {
            Self::Turn(turn) => Some(*turn),
            Self::Over { turn, .. } => *turn,
        }
    }
}

/// A match of Spite & Malice.
#[derive(Debug, Clone)]
pub struct Rules {
    options: Options,
    /// Counted from 1.
    round: u32,
    scores: BySeat<i64>,
    table: Layout,
    /// The pairs of top cards that were compared in this round (SM-4).
    compared: Vec<BySeat<Card>>,
    phase: Phase,
    /// The newest play to the centre, of this round or an earlier one.
    last_play: Option<CentrePlay>,
    /// The stack that was completed last, in this round or an earlier one.
    last_recycled: Option<StackRecycled>,
    /// The round that ended last.
    last_round: Option<RoundOver>,
    /// Draws that are no secret any more.
    disclosable: u32,
    /// Who gave up or was late, ascending (RU-9).
    forfeited: Vec<Seat>,
}

fn other(seat: Seat) -> Seat {
    seat.left(PLAYERS)
}

impl Game for Rules {
    type Options = Options;
    type Move = Move;
    type Legal = Legal;
    type View = View;

    const SEATS: (u8, u8) = (2, 2);
    const RULES: &'static [&'static str] = &[include_str!("spite_and_malice/rules-1.md")];
    const REASONS: &'static [Reason] = &[Reason::Target, Reason::Forfeit, Reason::Cap];

    fn fits(_: &Options, seats: usize) -> Result<(), Illegal> {
        if seats == PLAYERS { Ok(()) } else { Err(Illegal::new("SM-1", "Spite & Malice is for two players")) }
    }

    fn is_decision(_: &Move) -> bool {
        true
    }

    fn deal(options: &Options, _: usize, _: Timestamp, chance: &mut Chance<'_>) -> Result<Self, NoDraw> {
        let round = 1;
        let mut opening = Opening::deal(options, round, chance)?;
        let first = opening.first_turn(chance)?;
        Ok(Self {
            options: options.clone(),
            round,
            scores: BySeat::from_fn(PLAYERS, |_| 0),
            table: opening.table,
            compared: opening.compared,
            phase: Phase::Turn(first),
            last_play: None,
            last_recycled: None,
            last_round: None,
            disclosable: 0,
            forfeited: Vec::new(),
        })
    }

    fn legal(&self, seat: Seat) -> Vec<Move> {
        self.moves(seat)
    }

    fn judge(&self, seat: Seat, mv: &Move) -> Result<Legal, Illegal> {
        self.step(seat, mv).map(Legal)
    }

    fn canonical(mv: &Move) -> Move {
        mv.clone()
    }

    fn is_in(&self, seat: Seat) -> bool {
        self.scores.get(seat).is_some() && !self.forfeited.contains(&seat)
    }

    fn apply(&mut self, action: Action<Legal>, _: Timestamp, chance: &mut Chance<'_>) -> Result<Decided, NoDraw> {
        match action {
            Action::Move(_, Legal(step)) => self.take(step, chance)?,
            // Nothing is decided by both at once.
            Action::Sealed(_) => return Ok(Decided::No),
            Action::Forfeit(seat, reason) => self.forfeit(&[seat], reason, chance),
            Action::TimedOut(seats) => self.forfeit(&seats, ForfeitReason::TimedOut, chance),
        }
        Ok(Decided::Yes)
    }

    fn outcome(&self) -> Outcome<'_> {
        match &self.phase {
            Phase::Turn(turn) => Outcome::Turn(turn.seat),
            Phase::Over { result, .. } => Outcome::Over(result),
        }
    }

    fn stop(&mut self) {
        // The chain is at its end, so all of it was drawn.
        self.disclosable = CHAIN_LENGTH;
        self.end(Vec::new(), Reason::Cap);
    }

    fn disclosable(&self) -> u32 {
        self.disclosable
    }

    fn view(&self, viewer: Viewer) -> View {
        view::view(self, viewer)
    }
}

/// A round before its first turn.
struct Opening {
    table: Layout,
    compared: Vec<BySeat<Card>>,
}

impl Opening {
    /// SM-3.
    fn deal(options: &Options, round: u32, chance: &mut Chance<'_>) -> Result<Self, NoDraw> {
        let table = Layout::deal(options, &mut chance.draw(Purpose::Deal)?);
        let mut opening = Self { table, compared: Vec::new() };
        opening.compare(|tops| chance.tell(Fact::SpiteDeal(SpiteDeal { round, tops })));
        Ok(opening)
    }

    fn compare(&mut self, tell: impl FnOnce(BySeat<Card>)) {
        if let Some(tops) = self.table.tops() {
            tell(tops.clone());
            self.compared.push(tops);
        }
    }

    /// SM-4: compares the top cards until they differ. Where a draw fails, all cards are there as they lay before it.
    fn first_turn(&mut self, chance: &mut Chance<'_>) -> Result<Turn, NoDraw> {
        loop {
            if let Some(seat) = self.compared.last().and_then(first_turn) {
                chance.tell(Fact::FirstTurn(FirstTurn { seat }));
                return Ok(Turn { seat, number: 1 });
            }
            self.table.reshuffle_payoffs(&mut chance.draw(Purpose::FirstTurn)?);
            self.compare(|tops| chance.tell(Fact::PayoffsReshuffled(PayoffsReshuffled { tops })));
        }
    }
}

impl Rules {
    /// SM-6: one step of the turn at hand.
    fn take(&mut self, step: Step, chance: &mut Chance<'_>) -> Result<(), NoDraw> {
        match (&self.phase, step) {
            (Phase::Turn(turn), Step::Play { from, centre }) => self.play(turn.seat, from, centre, chance),
            (Phase::Turn(turn), Step::Discard { hand, side }) => {
                let turn = *turn;
                self.table.discard(turn.seat, hand, side);
                self.next_turn(turn, chance)
            }
            (Phase::Over { .. }, _) => Ok(()),
        }
    }

    /// SM-12: what follows from one play, in its order.
    fn play(&mut self, seat: Seat, from: Source, centre: usize, chance: &mut Chance<'_>) -> Result<(), NoDraw> {
        let Some((card, stands_for)) = self.table.play(seat, from, centre) else { return Ok(()) };
        let play = CentrePlay::new(seat, from, card, centre, stands_for);
        self.last_play = Some(play);
        chance.tell(Fact::CentrePlay(play));
        if let Source::Payoff = from {
            let pile = &self.table.payoffs[seat];
            match pile.last() {
                Some(card) => {
                    chance.tell(Fact::PayoffTurned(PayoffTurned { seat, card: *card, left: pile.len() }));
                }
                None => return self.end_round(RoundReason::Payoff, Some(seat), chance),
            }
        }
        if self.table.centres[centre].len() == COMPLETE {
            self.table.recycle(centre, &mut chance.draw(Purpose::Recycle)?);
            // One of three, so the cast loses nothing.
            let recycled = StackRecycled { centre: centre as u8, stock: self.table.stock.len() };
            self.last_recycled = Some(recycled);
            chance.tell(Fact::StackRecycled(recycled));
        }
        if self.table.hands[seat].is_empty() {
            return self.fill_hand(seat, chance);
        }
        Ok(())
    }

    /// SM-5, SM-16: the other player's turn, after a discard.
    fn next_turn(&mut self, turn: Turn, chance: &mut Chance<'_>) -> Result<(), NoDraw> {
        if turn.number >= MAX_TURNS {
            return self.end_round(RoundReason::Cap, None, chance);
        }
        let turn = turn.next();
        self.phase = Phase::Turn(turn);
        self.fill_hand(turn.seat, chance)
    }

    /// SM-5, SM-10, SM-13: the player must draw until the hand is full; a tie if the stock can't give so much.
    fn fill_hand(&mut self, seat: Seat, chance: &mut Chance<'_>) -> Result<(), NoDraw> {
        if self.table.hands[seat].len() >= HAND {
            return Ok(());
        }
        let count = self.table.draw(seat);
        let (hand, stock) = (self.table.hands[seat].len(), self.table.stock.len());
        chance.tell(Fact::CardsDrawn(CardsDrawn { seat, count, hand, stock }));
        if hand < HAND { self.end_round(RoundReason::Stock, None, chance) } else { Ok(()) }
    }

    /// SM-11, SM-13, SM-16: scores the round; then the match ends, or the next round begins (SM-15).
    fn end_round(&mut self, reason: RoundReason, winner: Option<Seat>, chance: &mut Chance<'_>) -> Result<(), NoDraw> {
        let payoffs = self.table.payoffs.map(Vec::len);
        let points = BySeat::from_fn(PLAYERS, |seat| {
            // At most 30 cards, so the cast loses nothing.
            if winner == Some(seat) { payoffs[other(seat)] as i64 } else { 0 }
        });
        self.scores = BySeat::from_fn(PLAYERS, |seat| self.scores[seat] + points[seat]);
        let over = RoundOver { round: self.round, reason, winner, payoffs, points, scores: self.scores.clone() };
        self.last_round = Some(over.clone());
        self.disclosable = chance.drawn();
        chance.tell(Fact::SpiteRoundOver(over));
        let target = i64::from(self.options.target());
        if let Some(winner) = winner.filter(|seat| self.scores[*seat] >= target) {
            self.end(vec![winner], Reason::Target);
        } else if self.round >= MAX_ROUNDS {
            self.end(Vec::new(), Reason::Cap);
        } else {
            self.next_round(chance)?;
        }
        Ok(())
    }

    /// SM-15: the next round is a new deal, with a first turn of its own.
    fn next_round(&mut self, chance: &mut Chance<'_>) -> Result<(), NoDraw> {
        let round = self.round + 1;
        let mut opening = Opening::deal(&self.options, round, chance)?;
        let first = opening.first_turn(chance);
        (self.round, self.table, self.compared) = (round, opening.table, opening.compared);
        match first {
            Ok(turn) => {
                self.phase = Phase::Turn(turn);
                Ok(())
            }
            Err(no_draw) => {
                // Dealt, but nobody will ever have the first turn: only the chain's end leaves a game like that.
                self.phase = Phase::Over { turn: None, result: self.result(Vec::new(), Reason::Cap) };
                Err(no_draw)
            }
        }
    }

    /// RU-9.
    fn forfeit(&mut self, seats: &[Seat], reason: ForfeitReason, chance: &mut Chance<'_>) {
        for seat in seats {
            chance.tell(Forfeit { seat: *seat, reason });
        }
        self.forfeited = seats.to_vec();
        let winners = self.scores.seats().filter(|seat| !seats.contains(seat)).collect();
        self.end(winners, Reason::Forfeit);
        self.disclosable = chance.drawn();
    }

    /// Ends the match; the cards stay where they are.
    fn end(&mut self, winners: Vec<Seat>, reason: Reason) {
        let turn = self.phase.turn();
        self.phase = Phase::Over { turn, result: self.result(winners, reason) };
    }

    fn result(&self, winners: Vec<Seat>, reason: Reason) -> GameResult {
        GameResult { winners, scores: self.scores.as_slice().to_vec(), reason }
    }
}
