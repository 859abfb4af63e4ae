//! A battle from the attack to its end (GE-9 to GE-14, GE-17).

use super::combat::{Side, Verdict, resolve, sort_low_to_high};
use super::slots::Slots;
use super::{Battle, BattleOutcome, Fact, General, GeneralsOut, JokerShown, Phase, Picked, PickedBy, Rules};
use crate::cards::Face;
use crate::game::{Chance, Decided, Forfeit, ForfeitReason, NoDraw, Reason};
use crate::seat::Seat;

/// Cards that lie face down against a seat (GE-9). They stay in their slots.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attack {
    pub attacker: Seat,
    pub target: Seat,
    pub slots: Slots,
}

impl Rules {
    /// The cards in these slots of a seat.
    pub(super) fn faces(&self, seat: Seat, slots: Slots) -> Vec<Face> {
        let row = self.generals.get(seat).map_or(&[][..], General::row);
        slots.iter().filter_map(|slot| row.get(slot).copied()).collect()
    }

    /// GE-9.
    pub(super) fn attack(&mut self, attack: Attack) -> Decided {
        self.attacked = true;
        self.phase = Phase::Defend(attack);
        Decided::Yes
    }

    /// GE-10: the answer lies, the attack is turned up.
    pub(super) fn defend(&mut self, answer: Slots, chance: &mut Chance<'_>) -> Result<Decided, NoDraw> {
        let Phase::Defend(attack) = self.phase else { return Ok(Decided::No) };
        let Attack { attacker, target, slots } = attack;
        let (attacking, answering) = (self.faces(attacker, slots), self.faces(target, answer));
        let mut battle = self.battle(attack, Some(answer));
        match resolve(&attacking, &answering) {
            Verdict::JokerPicks => {
                self.phase = Phase::Pick(attack, answer);
                chance.tell(Fact::JokerShown(JokerShown {
                    attacker,
                    target,
                    attack_slots: slots.iter().collect(),
                    attack: attacking,
                    answer_slots: answer.iter().collect(),
                    answer: answering,
                }));
                return Ok(Decided::Yes);
            }
            Verdict::JokerAnswered => {
                battle.outcome = BattleOutcome::JokerAnswered;
                battle.destroyed = self.destroy(attacker, slots);
                battle.destroyed.extend(self.destroy(target, answer));
            }
            Verdict::Compared(totals) => {
                battle.totals = Some(totals);
                (battle.outcome, battle.destroyed) = match totals.winner() {
                    Side::Attack => (BattleOutcome::AttackWon, self.destroy(target, answer)),
                    Side::Answer => (BattleOutcome::AnswerWon, self.destroy(attacker, slots)),
                };
            }
        }
        self.end_battle(battle, chance)
    }

    /// GE-12: the joker takes the card in this slot of the target's row with it, or one at random.
    pub(super) fn pick(
        &mut self,
        slot: Option<usize>,
        by: PickedBy,
        chance: &mut Chance<'_>,
    ) -> Result<Decided, NoDraw> {
        let Phase::Pick(attack, answer) = self.phase else { return Ok(Decided::No) };
        let Attack { attacker, target, slots } = attack;
        let row = self.row(target).len();
        // The target holds its answer at least, so there is always a card to pick.
        let Some(slot) = slot.or_else(|| self.numbers.pick(row)) else { return Ok(Decided::No) };
        let mut battle = self.battle(attack, Some(answer));
        battle.outcome = BattleOutcome::JokerPicked;
        battle.destroyed = self.destroy(attacker, slots);
        // One of at most 224 slots, so the cast loses nothing.
        let picked = self.destroy(target, Slots::ascending([slot as u8]));
        battle.picked = picked.first().map(|card| Picked { slot, card: *card, by });
        battle.destroyed.extend(picked);
        self.end_battle(battle, chance)
    }

    /// These seats forfeit (RU-9, GE-17).
    pub(super) fn forfeit(
        &mut self,
        seats: &[Seat],
        reason: ForfeitReason,
        chance: &mut Chance<'_>,
    ) -> Result<Decided, NoDraw> {
        for seat in seats {
            chance.tell(Forfeit { seat: *seat, reason });
        }
        let fights = |attack: &Attack| seats.contains(&attack.attacker) || seats.contains(&attack.target);
        // Whose turn is over by this; and the battle, if one is called off.
        let (ended, battle) = match &self.phase {
            Phase::Attack(turn) => (Some(*turn).filter(|turn| seats.contains(turn)), None),
            Phase::Defend(attack) if fights(attack) => (Some(attack.attacker), Some(self.battle(*attack, None))),
            Phase::Pick(attack, answer) if fights(attack) => {
                (Some(attack.attacker), Some(self.battle(*attack, Some(*answer))))
            }
            Phase::Defend(_) | Phase::Pick(..) | Phase::Over(_) => (None, None),
        };
        for seat in seats {
            if let Some(general) = self.generals.get_mut(*seat) {
                let left = std::mem::replace(general, General::Forfeited);
                self.deck.extend(left.row());
            }
        }
        if let Some(battle) = battle {
            self.close(battle, chance);
        }
        let remaining: Vec<Seat> = self.seats_in().collect();
        if remaining.len() <= 1 {
            self.end(remaining, Reason::Forfeit);
            return Ok(Decided::Yes);
        }
        match ended {
            Some(turn) => self.go_on(Some(turn), chance).map(|()| Decided::Yes),
            None => Ok(Decided::No),
        }
    }

    /// What there is to tell of a battle if nothing more happens in it. What was not shown is not told.
    fn battle(&self, attack: Attack, answer: Option<Slots>) -> Battle {
        let Attack { attacker, target, slots } = attack;
        Battle {
            round: self.round,
            attacker,
            target,
            attack_slots: slots.iter().collect(),
            attack: answer.map(|_| self.faces(attacker, slots)),
            answer_slots: answer.map(|slots| slots.iter().collect()),
            answer: answer.map(|slots| self.faces(target, slots)),
            outcome: BattleOutcome::CalledOff,
            totals: None,
            picked: None,
            destroyed: Vec::new(),
        }
    }

    /// GE-13: cards of a seat go under the deck, low to high, and its row closes up.
    fn destroy(&mut self, seat: Seat, slots: Slots) -> Vec<Face> {
        let mut lost = self.faces(seat, slots);
        sort_low_to_high(&mut lost);
        if let Some(General::In { row, .. }) = self.generals.get_mut(seat) {
            slots.iter().rev().filter(|slot| *slot < row.len()).collect::<Vec<_>>().into_iter().for_each(|slot| {
                row.remove(slot);
            });
        }
        self.deck.extend(&lost);
        lost
    }

    /// The table is cleared, and everybody may shuffle once more (GE-12a).
    fn close(&mut self, battle: Battle, chance: &mut Chance<'_>) {
        self.phase = Phase::Attack(battle.attacker);
        for general in self.generals.values_mut() {
            if let General::In { may_shuffle, .. } = general {
                *may_shuffle = true;
            }
        }
        self.last_battle = Some(battle.clone());
        chance.tell(Fact::Battle(battle));
    }

    /// GE-14, and what follows a battle at once.
    fn end_battle(&mut self, battle: Battle, chance: &mut Chance<'_>) -> Result<Decided, NoDraw> {
        let turn = battle.attacker;
        self.close(battle, chance);
        for seat in self.generals.seats() {
            let general = &mut self.generals[seat];
            if matches!(general, General::In { row, .. } if row.is_empty()) {
                *general = General::Out;
                chance.tell(Fact::GeneralsOut(GeneralsOut { seat }));
            }
        }
        let remaining: Vec<Seat> = self.seats_in().collect();
        match remaining.len() {
            0 => self.end(remaining, Reason::AllOut),
            1 => self.end(remaining, Reason::LastStanding),
            _ => self.go_on(Some(turn), chance)?,
        }
        Ok(Decided::Yes)
    }
}
