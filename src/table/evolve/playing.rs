//! Events of play: decisions, sealed and open, forfeits, disclosures, the end.

use super::super::{Bound, Fault, Over, Playing, Question, Sealing, Stage, Table};
use crate::canonical::to_jcs;
use crate::commitment::move_commitment;
use crate::event::{Committed, Disclosed, Moved, Opened, Resigned, SealedBy, TimedOut};
use crate::game::{Chance, Decided, ForfeitReason, NoDraw, Outcome, Refused};
use crate::games::{AnyGame, Move};
use crate::seat::{BySeat, Seat};
use crate::seed_chain::{ServerSeeds, leads_back};
use crate::timestamp::Timestamp;

use Question::{Form, Rules, Sealed, Seeds};

use super::{Effects, Stamp, Stop, check_in_time, check_late, check_move_form, check_step, misplaced, seat_of_table};

impl Table {
    pub(super) fn take_committed(
        &mut self,
        stamp: Stamp,
        seat: Seat,
        data: &Committed,
        due: Option<Timestamp>,
    ) -> Result<(), Fault> {
        let playing = self.playing("committed")?;
        let owes = playing.to_act().contains(&seat);
        let keyed = playing.places[seat_of_table(&playing.places, seat)?].key.is_some();
        let step = playing.step;
        let Sealing::Committing(bound) = &mut playing.sealing else {
            return Err(Fault::new(Sealed, "no commitment now", "committed"));
        };
        check_step(step, Some(data.step))?;
        if !owes {
            return Err(Fault::new(Sealed, "a commitment by a seat that owes one", format!("one by seat {seat}")));
        }
        if keyed && data.sealed_by == SealedBy::Server {
            return Err(Fault::new(Sealed, "sealing by the client, which has a key", "sealing by the server"));
        }
        check_in_time(stamp.at, due)?;
        bound[seat] = Some(Bound { commitment: data.commitment, by: data.sealed_by });
        playing.all_bound(stamp.at);
        Ok(())
    }

    pub(super) fn take_opened(
        &mut self,
        stamp: Stamp,
        seat: Seat,
        data: &Opened,
        due: Option<Timestamp>,
        seeds: &dyn ServerSeeds,
    ) -> Result<Effects, Stop> {
        let (game, kind) = (self.game, self.created.kind);
        let playing = self.playing("opened")?;
        let owes = playing.to_act().contains(&seat);
        let step = playing.step;
        let Sealing::Opening { bound, opened, .. } = &mut playing.sealing else {
            return Err(Fault::new(Sealed, "no opening before all are bound", "opened").into());
        };
        check_step(step, Some(data.step))?;
        let Some(bound) = bound.get(seat).copied().flatten().filter(|_| owes) else {
            return Err(Fault::new(Sealed, "an opening by a seat that owes one", format!("one by seat {seat}")).into());
        };
        check_move_form(&data.mv, kind)?;
        let digest = move_commitment(game, seat, step, &data.mv, &data.nonce);
        if digest != bound.commitment {
            let expected = format!("a move and nonce that open {}", bound.commitment);
            return Err(Fault::new(Sealed, expected, format!("ones that give {digest}")).into());
        }
        check_in_time(stamp.at, due)?;
        match playing.game.judge(seat, &data.mv) {
            Ok(()) => {
                opened[seat] = Some(data.mv.clone());
                playing.all_opened(stamp.at, seeds)
            }
            Err(illegal) if bound.by == SealedBy::Server => {
                Err(Fault::new(Rules, "a legal move, since the server sealed it", illegal.to_string()).into())
            }
            // It can't be taken back: the seat forfeits, and the step ends with it.
            Err(_) => playing.rules(stamp.at, seeds, |game, chance| {
                game.forfeit(seat, ForfeitReason::IllegalMove, stamp.at, chance).map(|_| Decided::Yes)
            }),
        }
    }

    pub(super) fn take_moved(
        &mut self,
        stamp: Stamp,
        seat: Seat,
        data: &Moved,
        due: Option<Timestamp>,
        seeds: &dyn ServerSeeds,
    ) -> Result<Effects, Stop> {
        let kind = self.created.kind;
        let next = self.seq + 1;
        let decision = data.mv.is_decision();
        check_move_form(&data.mv, kind)?;
        let keyed = self.is_keyed(seat);
        if decision {
            if let Some(after) = data.after {
                return Err(Fault::new(Form, "after null for a decision", after.to_string()).into());
            }
        } else {
            self.check_after(data.after, keyed)?;
        }
        let playing = self.playing("moved")?;
        let seat = seat_of_table(&playing.places, seat)?;
        if decision {
            check_step(playing.step, data.step)?;
            if playing.game.outcome() != Outcome::Turn(seat) {
                return Err(Fault::new(Rules, "a move by the seat whose turn it is", format!("seat {seat}")).into());
            }
            check_in_time(stamp.at, due)?;
        } else if let Some(step) = data.step {
            return Err(Fault::new(Form, "step null for a move that is no decision", step.to_string()).into());
        } else {
            playing.last_free_move[seat] = Some(next);
        }
        let mut illegal = None;
        let effects =
            playing.rules(stamp.at, seeds, |game, chance| match game.play(seat, &data.mv, stamp.at, chance) {
                Ok(decided) => Ok(decided),
                Err(Refused::Draw(no_draw)) => Err(no_draw),
                Err(Refused::Illegal(why)) => {
                    illegal = Some(why);
                    Ok(Decided::No)
                }
            })?;
        match illegal {
            Some(why) => Err(Fault::new(Rules, "a legal move", why.to_string()).into()),
            None => Ok(effects),
        }
    }

    /// Whether the seat signs what it sends in this game, which is on.
    fn is_keyed(&self, seat: Seat) -> bool {
        matches!(&self.stage, Stage::Playing(playing) if playing.places.get(seat).is_some_and(|place| place.key.is_some()))
    }

    pub(super) fn take_resigned(
        &mut self,
        stamp: Stamp,
        seat: Seat,
        data: &Resigned,
        seeds: &dyn ServerSeeds,
    ) -> Result<Effects, Stop> {
        let keyed = self.is_keyed(seat);
        self.check_after(data.after, keyed)?;
        let playing = self.playing("resigned")?;
        if !playing.game.is_in(seat) {
            return Err(Fault::new(Form, "a seat that is in the game", format!("seat {seat}")).into());
        }
        playing.rules(stamp.at, seeds, |game, chance| game.forfeit(seat, ForfeitReason::Resigned, stamp.at, chance))
    }

    pub(super) fn take_timed_out(
        &mut self,
        stamp: Stamp,
        data: &TimedOut,
        due: Option<Timestamp>,
        seeds: &dyn ServerSeeds,
    ) -> Result<Effects, Stop> {
        let playing = self.playing("timed_out")?;
        check_step(playing.step, Some(data.step))?;
        check_late(stamp.at, due)?;
        let owing = playing.to_act();
        if owing.is_empty() || data.seats != owing {
            return Err(Fault::new(Rules, format!("the seats that owe: {owing:?}"), format!("{:?}", data.seats)).into());
        }
        playing.rules(stamp.at, seeds, |game, chance| game.time_out(owing, stamp.at, chance))
    }

    pub(super) fn take_disclosed(&mut self, data: &Disclosed) -> Result<(), Fault> {
        let anchor = self.created.anchor;
        let playing = self.playing("disclosed")?;
        let due = playing.game.disclosable();
        if data.draw != due {
            return Err(Fault::new(Seeds, format!("draw {due} disclosed, no more and no less"), data.draw.to_string()));
        }
        let (from, earlier) = match &playing.disclosed {
            Some((draw, seed)) => (*draw, *seed.as_bytes()),
            None => (0, *anchor.as_bytes()),
        };
        if !leads_back(&data.seed, data.draw.saturating_sub(from), &earlier) {
            let expected = format!("a seed that leads back to the anchor {anchor}");
            return Err(Fault::new(Seeds, expected, "one that does not"));
        }
        playing.disclosed = Some((data.draw, data.seed));
        Ok(())
    }

    pub(super) fn take_ended(&mut self, result: &crate::game::GameResult) -> Result<(), Fault> {
        let Stage::Playing(playing) = &self.stage else { return Err(misplaced("ended", "before started")) };
        match playing.game.outcome() {
            Outcome::Over(expected) if expected == result => {}
            Outcome::Over(expected) => {
                let show = |result| String::from_utf8_lossy(&to_jcs(result)).into_owned();
                return Err(Fault::new(Rules, format!("the result {}", show(expected)), show(result)));
            }
            _ => return Err(Fault::new(Rules, "the game to go on", "ended")),
        }
        let over = Over::Ended { playing: playing.clone(), result: result.clone() };
        self.stage = Stage::Over(over);
        Ok(())
    }
}

impl Sealing {
    /// How a new decision is made.
    pub(super) fn for_decision(game: &AnyGame, seats: usize) -> Self {
        match game.outcome() {
            Outcome::Sealed(_) => Self::Committing(BySeat::from_fn(seats, |_| None)),
            Outcome::Turn(_) | Outcome::Nobody | Outcome::Over(_) => Self::None,
        }
    }
}

impl Playing {
    /// Lets the rules act, and asks for the next decision if this one is over.
    fn rules(
        &mut self,
        at: Timestamp,
        seeds: &dyn ServerSeeds,
        act: impl FnOnce(&mut AnyGame, &mut Chance<'_>) -> Result<Decided, NoDraw>,
    ) -> Result<Effects, Stop> {
        let mut chance = Chance::new(&self.draws, seeds, self.drawn);
        let used_step = self.step_at_hand();
        let decided = act(&mut self.game, &mut chance)?;
        self.drawn = chance.drawn();
        let facts = chance.into_facts();
        if decided == Decided::No && !self.is_over() {
            // Somebody left who was not asked, or may have been the last one asked for.
            self.all_bound(at);
            return Ok(Effects { facts, used_step: None });
        }
        self.step += 1;
        self.asked_at = at;
        self.sealing = Sealing::for_decision(&self.game, self.places.len());
        Ok(Effects { facts, used_step })
    }

    /// Once every seat that must decide is bound, they open.
    fn all_bound(&mut self, since: Timestamp) {
        let done = self.to_act().is_empty();
        if let Sealing::Committing(bound) = &self.sealing
            && done
        {
            let opened = bound.map(|_| None);
            self.sealing = Sealing::Opening { bound: bound.clone(), opened, since };
        }
    }

    /// Once every seat that must decide has opened, the rules take their moves.
    fn all_opened(&mut self, at: Timestamp, seeds: &dyn ServerSeeds) -> Result<Effects, Stop> {
        if !self.to_act().is_empty() {
            return Ok(Effects::default());
        }
        let Sealing::Opening { opened, .. } = &self.sealing else { return Ok(Effects::default()) };
        let moves: Vec<(Seat, Move)> = opened.iter().filter_map(|(seat, mv)| mv.clone().map(|mv| (seat, mv))).collect();
        let mut illegal = None;
        let effects = self.rules(at, seeds, |game, chance| match game.play_sealed(&moves, at, chance) {
            Ok(decided) => Ok(decided),
            Err(Refused::Draw(no_draw)) => Err(no_draw),
            Err(Refused::Illegal(why)) => {
                illegal = Some(why);
                Ok(Decided::No)
            }
        })?;
        match illegal {
            Some(why) => Err(Fault::new(Rules, "legal moves", why.to_string()).into()),
            None => Ok(effects),
        }
    }
}
