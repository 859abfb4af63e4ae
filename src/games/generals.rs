//! Generals (clauses GE-1 to GE-17 of `generals/rules-1.md`).

use crate::cards::Face;
use crate::draw::Numbers;
use crate::game::{Action, Chance, Decided, ForfeitReason, Game, GameResult, Illegal, NoDraw, Outcome, Reason, Viewer};
use crate::seat::{BySeat, MAX_SEATS, Seat};
use crate::timestamp::Timestamp;

mod battle;
mod combat;
mod facts;
mod moves;
mod options;
mod rounds;
mod slots;
mod view;

#[cfg(test)]
mod tests;

pub use combat::{Side, Totals, Verdict, has_advantage, is_run, resolve, value};
pub use facts::{
    Battle, BattleOutcome, Fact, GeneralsDeal, GeneralsDealer, GeneralsOut, GeneralsPass, GeneralsRound, JokerShown,
    Picked, PickedBy, RoundDraws,
};
pub use moves::{Attack, Defend, Legal, Move, Pick, ShuffleHand};
pub use options::{Options, OptionsDraft};
pub use slots::{NoSlots, SentSlots, Slots};
pub use view::{Deck, Laid, Phase as ViewPhase, Row, Standing, View};

use combat::sets;

/// GE-4.
const FEWEST: u8 = 2;
/// GE-16: the last round that is played.
const MAX_ROUNDS: u32 = 1_000;

/// A player and the own hand.
#[derive(Debug, Clone)]
enum General {
    /// Who still plays.
    In {
        /// GE-12: the slots, counted from 0. What lies on the table is still in its slot.
        row: Vec<Face>,
        /// GE-12a: whether the right to shuffle was not used since the last battle.
        may_shuffle: bool,
    },
    /// GE-14: who has no cards left.
    Out,
    /// RU-9.
    Forfeited,
}

impl General {
    fn row(&self) -> &[Face] {
        match self {
            Self::In { row, .. } => row,
            Self::Out | Self::Forfeited => &[],
        }
    }
}

/// What the game waits for.
#[derive(Debug, Clone)]
enum Phase {
    /// GE-7: this seat's turn has come.
    Attack(Seat),
    /// GE-10: the target answers.
    Defend(battle::Attack),
    /// GE-12: the attack is a joker, the answer lies in these slots, and the attacker picks.
    Pick(battle::Attack, Slots),
    /// No more to decide.
    Over(GameResult),
}

/// A game of Generals.
#[derive(Clone)]
pub struct Rules {
    options: Options,
    dealer: Seat,
    /// Counted from 1.
    round: u32,
    /// Whether somebody has attacked in this round (GE-16).
    attacked: bool,
    /// The stream of numbers of this round's draw (GE-12a), with a block of it that was made in advance: boxed, so that
    /// no other game has to carry its size.
    numbers: Box<Numbers>,
    /// From the top down (GE-6).
    deck: Vec<Face>,
    generals: BySeat<General>,
    phase: Phase,
    /// RU-11.
    last_battle: Option<Battle>,
    /// RU-11.
    last_passes: Vec<GeneralsPass>,
    /// RU-11.
    last_draws: Option<RoundDraws>,
    /// How many draws were made.
    draws: u32,
}

impl Game for Rules {
    type Options = Options;
    type Move = Move;
    type Legal = Legal;
    type View = View;

    const SEATS: (u8, u8) = (FEWEST, MAX_SEATS);
    const RULES: &'static [&'static str] = &[include_str!("generals/rules-1.md")];
    const REASONS: &'static [Reason] =
        &[Reason::LastStanding, Reason::AllOut, Reason::Stalemate, Reason::Forfeit, Reason::Cap];

    fn fits(options: &Options, seats: usize) -> Result<(), Illegal> {
        if !(usize::from(FEWEST)..=usize::from(MAX_SEATS)).contains(&seats) {
            return Err(Illegal::new("GE-4", "Generals is for 2 to 20 players"));
        }
        if options.dealer().is_some_and(|dealer| dealer.index() >= seats) {
            return Err(Illegal::new("GE-4", "the dealer must be one of the players"));
        }
        let (needed, there) = (seats * options.hand(), options.cards(seats));
        if needed > there {
            let detail = format!("{seats} hands of {} need {needed} cards, and there are {there}", options.hand());
            return Err(Illegal::new("GE-4", detail));
        }
        Ok(())
    }

    fn is_decision(mv: &Move) -> bool {
        !matches!(mv, Move::ShuffleHand(_))
    }

    fn deal(options: &Options, seats: usize, _: Timestamp, chance: &mut Chance<'_>) -> Result<Self, NoDraw> {
        rounds::deal(options, seats, chance)
    }

    fn legal(&self, seat: Seat) -> Vec<Move> {
        let mut legal = match &self.phase {
            Phase::Attack(turn) if *turn == seat => {
                let sets = sets(self.row(seat), Side::Attack);
                let targets = self.seats_in().filter(|target| *target != seat);
                let mut attacks = Vec::with_capacity(sets.len() * self.generals.len() + 1);
                for target in targets {
                    let target = target.index() as i64;
                    attacks.extend(sets.iter().map(|set| Move::Attack(Attack { target, slots: (*set).into() })));
                }
                attacks
            }
            Phase::Defend(attack) if attack.target == seat => {
                let sets = sets(self.row(seat), Side::Answer);
                sets.into_iter().map(|set| Move::Defend(Defend { slots: set.into() })).collect()
            }
            Phase::Pick(attack, _) if attack.attacker == seat => {
                let slots = 0..self.row(attack.target).len() as i64;
                slots.map(Some).chain([None]).map(|slot| Move::Pick(Pick { slot })).collect()
            }
            _ => Vec::new(),
        };
        if self.judge_shuffle(seat).is_ok() {
            legal.push(Move::ShuffleHand(ShuffleHand {}));
        }
        legal
    }

    fn judge(&self, seat: Seat, mv: &Move) -> Result<Legal, Illegal> {
        match (&self.phase, mv) {
            (Phase::Over(_), _) => Err(Illegal::new("GE-14", "the game is over")),
            (_, Move::ShuffleHand(_)) => self.judge_shuffle(seat),
            (Phase::Attack(turn), Move::Attack(attack)) if *turn == seat => {
                let target = self.judge_target(seat, attack.target)?;
                self.judge_cards(seat, &attack.slots, Side::Attack).map(|slots| Legal::Attack(target, slots))
            }
            (Phase::Attack(_), Move::Attack(_)) => Err(Illegal::new("GE-7", "it is another seat's turn to attack")),
            (Phase::Attack(_), _) => Err(Illegal::new("GE-7", "no attack lies on the table")),
            (Phase::Defend(attack), Move::Defend(answer)) if attack.target == seat => {
                self.judge_cards(seat, &answer.slots, Side::Answer).map(Legal::Defend)
            }
            (Phase::Defend(_), _) => Err(Illegal::new("GE-10", "now the target answers the attack")),
            (Phase::Pick(attack, _), Move::Pick(pick)) if attack.attacker == seat => {
                let Some(slot) = pick.slot else { return Ok(Legal::Pick(None)) };
                let slot = usize::try_from(slot).ok().filter(|slot| *slot < self.row(attack.target).len());
                match slot {
                    Some(slot) => Ok(Legal::Pick(Some(slot))),
                    None => Err(Illegal::new("GE-12", "the target's hand has no such slot")),
                }
            }
            (Phase::Pick(..), _) => Err(Illegal::new("GE-12", "now the attacker picks a card of the target's hand")),
        }
    }

    fn canonical(mv: &Move) -> Move {
        match mv {
            Move::Attack(Attack { target, slots }) => Move::Attack(Attack { target: *target, slots: slots.sorted() }),
            Move::Defend(Defend { slots }) => Move::Defend(Defend { slots: slots.sorted() }),
            other => other.clone(),
        }
    }

    fn is_in(&self, seat: Seat) -> bool {
        matches!(self.generals.get(seat), Some(General::In { .. }))
    }

    fn apply(&mut self, action: Action<Legal>, _: Timestamp, chance: &mut Chance<'_>) -> Result<Decided, NoDraw> {
        match action {
            Action::Move(attacker, Legal::Attack(target, slots)) => {
                Ok(self.attack(battle::Attack { attacker, target, slots }))
            }
            Action::Move(_, Legal::Defend(slots)) => self.defend(slots, chance),
            Action::Move(_, Legal::Pick(slot)) => {
                self.pick(slot, if slot.is_some() { PickedBy::Attacker } else { PickedBy::Lot }, chance)
            }
            Action::Move(seat, Legal::ShuffleHand) => {
                self.shuffle_hand(seat);
                Ok(Decided::No)
            }
            // No decision of this game is made by several seats at the same time.
            Action::Sealed(_) => Ok(Decided::No),
            Action::Forfeit(seat, reason) => self.forfeit(&[seat], reason, chance),
            // GE-12: who is late to pick has one picked, and plays on.
            Action::TimedOut(_) if matches!(self.phase, Phase::Pick(..)) => self.pick(None, PickedBy::Deadline, chance),
            Action::TimedOut(seats) => self.forfeit(&seats, ForfeitReason::TimedOut, chance),
        }
    }

    fn outcome(&self) -> Outcome<'_> {
        match &self.phase {
            Phase::Attack(turn) => Outcome::Turn(*turn),
            Phase::Defend(attack) => Outcome::Turn(attack.target),
            Phase::Pick(attack, _) => Outcome::Turn(attack.attacker),
            Phase::Over(result) => Outcome::Over(result),
        }
    }

    fn stop(&mut self) {
        self.end(Vec::new(), Reason::Cap);
    }

    fn disclosable(&self) -> u32 {
        // Cards wander from hand to deck and back, so every draw hides something as long as the game is on.
        if matches!(self.phase, Phase::Over(_)) { self.draws } else { 0 }
    }

    fn view(&self, viewer: Viewer) -> View {
        view::view(self, viewer)
    }
}

impl Rules {
    fn row(&self, seat: Seat) -> &[Face] {
        self.generals.get(seat).map_or(&[], General::row)
    }

    /// Who is still in, ascending.
    fn seats_in(&self) -> impl Iterator<Item = Seat> {
        self.generals.iter().filter(|(_, general)| matches!(general, General::In { .. })).map(|(seat, _)| seat)
    }

    fn decks(&self) -> usize {
        self.options.decks(self.generals.len())
    }

    /// Whose turn of the round it is.
    fn turn(&self) -> Option<Seat> {
        match &self.phase {
            Phase::Attack(turn) => Some(*turn),
            Phase::Defend(attack) | Phase::Pick(attack, _) => Some(attack.attacker),
            Phase::Over(_) => None,
        }
    }

    /// GE-7: another seat that is still in.
    fn judge_target(&self, seat: Seat, target: i64) -> Result<Seat, Illegal> {
        let target = usize::try_from(target).ok().and_then(|target| Seat::new(target).ok());
        match target {
            Some(target) if target == seat => Err(Illegal::new("GE-7", "nobody attacks the own hand")),
            Some(target) if self.is_in(target) => Ok(target),
            _ => Err(Illegal::new("GE-7", "the target must be a seat that is still in")),
        }
    }

    /// GE-7, GE-8, GE-10: cards of the own row that can be laid together in this role.
    fn judge_cards(&self, seat: Seat, sent: &SentSlots, side: Side) -> Result<Slots, Illegal> {
        let clause = if side == Side::Attack { "GE-7" } else { "GE-10" };
        let slots = Slots::read(sent, self.row(seat).len()).map_err(|why| match why {
            NoSlots::Count => Illegal::new(clause, "1 to 3 cards are laid, or 1 joker"),
            NoSlots::Missing => Illegal::new(clause, "your hand has no such slot"),
            NoSlots::Twice => Illegal::new(clause, "a slot is named twice"),
        })?;
        let faces = self.faces(seat, slots);
        if !faces.iter().all(|face| side.takes(*face)) {
            return Err(Illegal::new("GE-7", "hearts defend only"));
        }
        if !is_run(&faces) {
            return Err(Illegal::new("GE-8", "several cards are of one suit, and their ranks follow each other"));
        }
        Ok(slots)
    }

    /// GE-12a.
    fn judge_shuffle(&self, seat: Seat) -> Result<Legal, Illegal> {
        match (&self.phase, self.generals.get(seat)) {
            (Phase::Over(_), _) => Err(Illegal::new("GE-14", "the game is over")),
            (Phase::Defend(_) | Phase::Pick(..), _) => {
                Err(Illegal::new("GE-12a", "nobody shuffles while an attack lies on the table"))
            }
            (Phase::Attack(_), Some(General::In { may_shuffle: true, .. })) => Ok(Legal::ShuffleHand),
            (Phase::Attack(_), Some(General::In { .. })) => {
                Err(Illegal::new("GE-12a", "you have shuffled already, and may again after the next battle"))
            }
            (Phase::Attack(_), _) => Err(Illegal::new("GE-12a", "only a seat that is still in has a hand to shuffle")),
        }
    }

    /// GE-12a.
    fn shuffle_hand(&mut self, seat: Seat) {
        if let Some(General::In { row, may_shuffle }) = self.generals.get_mut(seat) {
            self.numbers.shuffle(row);
            *may_shuffle = false;
        }
    }
}
