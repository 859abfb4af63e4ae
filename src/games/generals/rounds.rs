//! Turns and rounds (GE-5, GE-7, GE-15, GE-16).

use super::combat::Side;
use super::{Fact, General, GeneralsPass, GeneralsRound, MAX_ROUNDS, Phase, RoundDraws, Rules};
use crate::game::{Chance, GameResult, NoDraw, Purpose, Reason};
use crate::seat::Seat;

/// The seats of a table in turn order: clockwise, the dealer last (GE-5).
pub(super) fn turn_order(dealer: Seat, players: usize) -> impl Iterator<Item = Seat> {
    let first = dealer.left(players);
    std::iter::successors(Some(first), move |seat| (*seat != dealer).then(|| seat.left(players)))
}

impl Rules {
    /// The seats still in whose turn comes after another's in a round, in turn order; all of them for `None`.
    pub(super) fn turns_after(&self, turn: Option<Seat>) -> impl Iterator<Item = Seat> {
        let mut order = turn_order(self.dealer, self.generals.len());
        if let Some(turn) = turn {
            // Uses the order up to that turn.
            order.find(|seat| *seat == turn);
        }
        order.filter(|seat| matches!(self.generals[*seat], General::In { .. }))
    }

    /// Goes on to the next seat that can attack, through passes, the end of the round and the start of the next.
    pub(super) fn go_on(&mut self, mut turn: Option<Seat>, chance: &mut Chance<'_>) -> Result<(), NoDraw> {
        let mut passed_before = false;
        loop {
            let Some(seat) = self.turns_after(turn).next() else {
                if !self.end_round(chance) {
                    return Ok(());
                }
                self.start_round(chance)?;
                turn = None;
                continue;
            };
            if self.row(seat).iter().any(|face| Side::Attack.takes(*face)) {
                self.phase = Phase::Attack(seat);
                return Ok(());
            }
            let pass = GeneralsPass { round: self.round, seat };
            if !passed_before {
                self.last_passes.clear();
                passed_before = true;
            }
            self.last_passes.push(pass.clone());
            chance.tell(Fact::GeneralsPass(pass));
            turn = Some(seat);
        }
    }

    /// GE-15, GE-16: who is in draws a card, if there is one. Says whether another round follows.
    fn end_round(&mut self, chance: &mut Chance<'_>) -> bool {
        let in_order: Vec<Seat> = self.turns_after(None).take(self.deck.len()).collect();
        for (seat, card) in in_order.iter().zip(self.deck.drain(..in_order.len())) {
            if let General::In { row, .. } = &mut self.generals[*seat] {
                row.push(card);
            }
        }
        let nobody_drew = in_order.is_empty();
        let draws = RoundDraws { round: self.round, seats: in_order, deck: self.deck.len() };
        self.last_draws = Some(draws.clone());
        chance.tell(Fact::RoundDraws(draws));
        if nobody_drew && !self.attacked {
            self.end(Vec::new(), Reason::Stalemate);
        } else if self.round >= MAX_ROUNDS {
            self.end(Vec::new(), Reason::Cap);
        } else {
            return true;
        }
        false
    }

    /// Opens the draw of the next round (GE-12a).
    fn start_round(&mut self, chance: &mut Chance<'_>) -> Result<(), NoDraw> {
        *self.numbers = chance.draw(Purpose::Round)?;
        self.draws = chance.drawn();
        self.round += 1;
        self.attacked = false;
        chance.tell(Fact::GeneralsRound(GeneralsRound { round: self.round }));
        Ok(())
    }

    /// Ends the game; the cards stay where they are.
    pub(super) fn end(&mut self, winners: Vec<Seat>, reason: Reason) {
        self.phase = Phase::Over(GameResult { winners, scores: Vec::new(), reason });
    }
}
