//! Moves in the open and sealed, giving up, time-outs.

use super::super::command::SealedMove;
use super::super::{Place, Playing, Refusal, Sealing, Stage, Table};
use super::check_move_size;
use crate::commitment::move_commitment;
use crate::event::{Actor, Body, Committed, Moved, Opened, Resigned, SealedBy, TimedOut, VoidReason, Voided};
use crate::games::Move;
use crate::hex32::{Hash, Nonce};
use crate::ids::PlayerId;
use crate::keys::Signature;
use crate::seat::Seat;
use crate::timestamp::Timestamp;

impl Table {
    pub(super) fn free_move(
        &self,
        (seat, place, playing): (Seat, &Place, &Playing),
        step: Option<u32>,
        after: Option<u64>,
        mv: &Move,
        by: Option<Signature>,
    ) -> Result<(Actor, Body), Refusal> {
        if step.is_some() {
            return Err(Refusal::StepForm("this move is no decision: its step is null, and it has an after"));
        }
        // A signature never occurs twice: a move of this kind signed anew knows the one before it.
        if place.key.is_some()
            && playing.last_free_move[seat].is_some_and(|last| after.is_some_and(|after| after < last))
        {
            return Err(Refusal::AfterForm("after is older than the move of this kind that you made last"));
        }
        playing.game.judge(seat, mv)?;
        let data = Moved { step: None, after, mv: mv.clone(), facts: Vec::new(), by };
        self.signed_after(seat, place.key.as_ref(), after, data.into())
    }

    pub(super) fn open_move(
        &self,
        (seat, place, playing): (Seat, &Place, &Playing),
        step: u32,
        mv: &Move,
        by: Option<Signature>,
    ) -> Result<(Actor, Body), Refusal> {
        playing.game.judge(seat, mv)?;
        let data = Moved { step: Some(step), after: None, mv: mv.clone(), facts: Vec::new(), by };
        self.signed(seat, place.key.as_ref(), data.into())
    }

    pub(super) fn seal_move(
        &self,
        (seat, place, playing): (Seat, &Place, &Playing),
        step: u32,
        mv: &Move,
        by: Option<Signature>,
        nonce: Nonce,
    ) -> Result<((Actor, Body), SealedMove), Refusal> {
        if place.key.is_some() {
            return Err(Refusal::SealYourself);
        }
        playing.game.judge(seat, mv)?;
        let commitment = move_commitment(self.game, seat, step, mv, &nonce);
        let data = Committed { step, commitment, sealed_by: SealedBy::Server, by };
        let event = self.signed(seat, None, data.into())?;
        Ok((event, SealedMove { step, mv: mv.clone(), nonce }))
    }

    pub(super) fn commit(
        &self,
        player: PlayerId,
        step: u32,
        commitment: Hash,
        by: Option<Signature>,
        at: Timestamp,
    ) -> Result<(Actor, Body), Refusal> {
        let (seat, place, playing) = self.player(player)?;
        self.check_turn(seat, playing, step, at)?;
        if matches!(playing.sealing, Sealing::None) {
            return Err(Refusal::NotSealed);
        }
        let data = Committed { step, commitment, sealed_by: SealedBy::Client, by };
        self.signed(seat, place.key.as_ref(), data.into())
    }

    pub(super) fn open(
        &self,
        player: PlayerId,
        step: u32,
        mv: &Move,
        nonce: Nonce,
        by: Option<Signature>,
        at: Timestamp,
    ) -> Result<(Actor, Body), Refusal> {
        let (seat, place, playing) = self.player(player)?;
        check_move_size(mv)?;
        if mv.kind() != self.kind() {
            return Err(Refusal::MoveForm(format!("it is one of {}", mv.kind().name())));
        }
        let at_hand = playing.step_at_hand().ok_or(Refusal::NotSealed)?;
        if step != at_hand {
            return Err(Refusal::WrongStep(at_hand));
        }
        let (bound, opened) = match &playing.sealing {
            Sealing::None => return Err(Refusal::NotSealed),
            Sealing::Committing(_) => return Err(Refusal::NotAllCommitted),
            Sealing::Opening { bound, opened, .. } => (bound[seat].ok_or(Refusal::NotYourTurn)?, &opened[seat]),
        };
        if opened.is_some() {
            return Err(Refusal::AlreadyDecided);
        }
        if move_commitment(self.game, seat, step, mv, &nonce) != bound.commitment {
            return Err(Refusal::CommitmentMismatch);
        }
        let data = Opened { step, mv: mv.clone(), nonce, facts: Vec::new(), by };
        let event = self.signed(seat, place.key.as_ref(), data.into())?;
        self.in_time(at)?;
        Ok(event)
    }

    pub(super) fn resign(
        &self,
        player: PlayerId,
        after: Option<u64>,
        by: Option<Signature>,
    ) -> Result<(Actor, Body), Refusal> {
        let (seat, place, _) = self.player(player)?;
        // The step is known once the rules have spoken: see `Draft::push`.
        self.signed_after(seat, place.key.as_ref(), after, Resigned { step: None, after, facts: Vec::new(), by }.into())
    }

    pub(super) fn call_timeout(&self, player: Option<PlayerId>, at: Timestamp) -> Result<(Actor, Body), Refusal> {
        if let Some(player) = player {
            self.seated(player)?;
        }
        if self.is_over() {
            return Err(Refusal::Over);
        }
        if self.in_time(at).is_ok() {
            return Err(Refusal::NothingOverdue);
        }
        let data = match &self.stage {
            Stage::Closed(closed) => Voided { reason: VoidReason::SeedMissing, seats: closed.missing() }.into(),
            Stage::Playing(playing) => {
                TimedOut { step: playing.step, seats: playing.to_act(), facts: Vec::new() }.into()
            }
            Stage::Open(_) | Stage::Over(_) => return Err(Refusal::NothingOverdue),
        };
        Ok((Actor::Server, data))
    }
}
