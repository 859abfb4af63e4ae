//! The deal, turns and rounds (GE-4 to GE-7, GE-15, GE-16).

use super::combat::Side;
use super::{
    Fact, General, GeneralsDeal, GeneralsDealer, GeneralsPass, GeneralsRound, MAX_ROUNDS, Options, Phase, RoundDraws,
    Rules,
};
use crate::cards::{Card, Face};
use crate::game::{Chance, GameResult, NoDraw, Purpose, Reason};
use crate::seat::{BySeat, Seat};

/// GE-5: the dealer, the deal, and the start of the first round.
pub(super) fn deal(options: &Options, players: usize, chance: &mut Chance<'_>) -> Result<Rules, NoDraw> {
    let dealer = match options.dealer() {
        Some(dealer) => dealer,
        None => {
            let lot = chance.draw(Purpose::FirstDealer)?.pick(players).unwrap_or_default();
            // The lot is a number below that of the players, so it is a seat.
            let dealer = Seat::new(lot).unwrap_or(Seat::FIRST);
            chance.tell(Fact::GeneralsDealer(GeneralsDealer { dealer }));
            dealer
        }
    };
    let mut deck = pack(options, players);
    chance.draw(Purpose::Deal)?.shuffle(&mut deck);
    let dealt: Vec<Face> = deck.drain(..(players * options.hand()).min(deck.len())).collect();
    let mut generals = BySeat::from_fn(players, |_| General::Out);
    for (place, seat) in turn_order(dealer, players).enumerate() {
        let row = dealt.iter().skip(place).step_by(players).copied().collect();
        generals[seat] = General::In { row, may_shuffle: true };
    }
    let (decks, hand) = (options.decks(players), options.hand());
    chance.tell(Fact::GeneralsDeal(GeneralsDeal { dealer, decks, hand, deck: deck.len() }));
    let numbers = Box::new(chance.draw(Purpose::Round)?);
    chance.tell(Fact::GeneralsRound(GeneralsRound { round: 1 }));
    let mut game = Rules {
        options: options.clone(),
        dealer,
        round: 1,
        attacked: false,
        numbers,
        deck,
        generals,
        phase: Phase::Attack(dealer),
        last_battle: None,
        last_passes: Vec::new(),
        last_draws: None,
        draws: chance.drawn(),
    };
    game.go_on(None, chance)?;
    Ok(game)
}

/// All cards before a shuffle: deck after deck, jokers last in each (GE-1, GE-4).
fn pack(options: &Options, players: usize) -> Vec<Face> {
    let decks = 0..options.decks(players);
    decks.flat_map(|_| Card::full_deck().map(Face::Plain).chain((1..=options.jokers()).map(Face::Joker))).collect()
}

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
