//! Writes are safe to repeat: finding in the log what a repeated command once made.

use super::{Closed, Command, Sealing, Stage, Table};
use crate::commitment::move_commitment;
use crate::event::{Actor, Body, Event, SealedBy, Seated, VoidReason};
use crate::games::Move;
use crate::ids::PlayerId;
use crate::seat::Seat;

/// The event that a command made when it came the first time; `None` if it never came. Moves are equal after
/// canonical order, what is sealed is equal to the byte.
pub fn find_repeat<'a>(events: &'a [Event], command: &Command) -> Option<&'a Event> {
    match command {
        Command::Sit { player, seat, seed_commitment, key, .. } => {
            let (event, seated) = last_seated(events, player.id)?;
            let same_seat = seat.is_none_or(|seat| event.actor == Actor::Seat(seat));
            (same_seat && seated.seed_commitment == *seed_commitment && seated.key == *key).then_some(event)
        }
        Command::GetUp { player, .. } => {
            let (seated, _) = last_seated(events, *player)?;
            let left = |event: &&Event| event.actor == seated.actor && matches!(event.body, Body::Left(_));
            events.iter().filter(|event| event.seq > seated.seq).find(left)
        }
        Command::Start { .. } => events.iter().find(|event| matches!(event.body, Body::Closed(_))),
        Command::Cancel { .. } => {
            let cancelled = |event: &&Event| match &event.body {
                Body::Voided(voided) => voided.reason == VoidReason::Cancelled,
                _ => false,
            };
            events.last().filter(cancelled)
        }
        Command::OpenSeed { player, seed, .. } => of_seat(events, *player)
            .find(|event| matches!(&event.body, Body::SeedOpened(opened) if opened.seed == *seed)),
        Command::Move { player, step: Some(step), mv, .. } => find_decision(events, *player, *step, mv),
        Command::Move { player, step: None, after, mv, .. } => of_seat(events, *player).find(|event| {
            let newer = after.is_some_and(|after| event.seq > after);
            newer && matches!(&event.body, Body::Moved(moved) if moved.step.is_none() && moved.mv.canonical() == mv.canonical())
        }),
        Command::Commit { player, step, commitment, .. } => of_seat(events, *player).find(|event| {
            matches!(&event.body, Body::Committed(committed)
                if committed.step == *step
                    && committed.commitment == *commitment
                    && committed.sealed_by == SealedBy::Client)
        }),
        Command::Open { player, step, mv, nonce, .. } => of_seat(events, *player).find(|event| {
            matches!(&event.body, Body::Opened(opened)
                if opened.step == *step && opened.mv == *mv && opened.nonce == *nonce)
        }),
        Command::Resign { player, .. } => {
            of_seat(events, *player).find(|event| matches!(event.body, Body::Resigned(_)))
        }
        Command::CallTimeout { .. } => last_timeout(events),
    }
}

/// The events of the seat that the player holds, or held last.
fn of_seat(events: &[Event], player: PlayerId) -> impl Iterator<Item = &Event> {
    let actor = last_seated(events, player).map(|(event, _)| event.actor);
    events.iter().filter(move |event| actor == Some(event.actor))
}

/// When the player sat down last.
fn last_seated(events: &[Event], player: PlayerId) -> Option<(&Event, &Seated)> {
    events.iter().rev().find_map(|event| match &event.body {
        Body::Seated(seated) if seated.player.id == player => Some((event, seated)),
        _ => None,
    })
}

/// A move that the log holds in the open, or that the server sealed and has opened since. What it sealed and has not
/// opened is among the secrets: the caller compares that with [`super::Secrets::sealed`].
fn find_decision<'a>(events: &'a [Event], player: PlayerId, step: u32, mv: &Move) -> Option<&'a Event> {
    let same = |other: &Move| other.canonical() == mv.canonical();
    let opened = of_seat(events, player).find_map(|event| match &event.body {
        Body::Opened(opened) if opened.step == step && same(&opened.mv) => Some((event.game, event.actor, opened)),
        _ => None,
    });
    of_seat(events, player).find(|event| match &event.body {
        Body::Moved(moved) => moved.step == Some(step) && same(&moved.mv),
        Body::Committed(committed) if committed.step == step && committed.sealed_by == SealedBy::Server => opened
            .is_some_and(|(game, actor, opened)| match actor {
                Actor::Seat(seat) => {
                    committed.commitment == move_commitment(game, seat, step, &opened.mv, &opened.nonce)
                }
                Actor::Server => false,
            }),
        _ => false,
    })
}

/// The newest time-out, if no decision was made since.
fn last_timeout(events: &[Event]) -> Option<&Event> {
    let newest = events.iter().rev().find(|event| !matches!(event.body, Body::Disclosed(_) | Body::Ended(_)))?;
    let seed_missing = |body: &Body| matches!(body, Body::Voided(voided) if voided.reason == VoidReason::SeedMissing);
    (matches!(newest.body, Body::TimedOut(_)) || seed_missing(&newest.body)).then_some(newest)
}

impl Table {
    /// Whether the log may hold already what the command asks for, so that it is worth a look.
    pub fn may_repeat(&self, command: &Command) -> bool {
        let seated = |player: PlayerId| self.seat_of(player);
        match command {
            Command::Sit { player, .. } => seated(player.id).is_some(),
            Command::GetUp { player, .. } => seated(*player).is_none(),
            Command::Start { player } => *player == self.created.host && !matches!(self.stage, Stage::Open(_)),
            Command::Cancel { player } => self.is_over() && player.is_none_or(|player| player == self.created.host),
            Command::OpenSeed { player, .. } => seated(*player).is_some_and(|seat| match &self.stage {
                Stage::Open(_) => false,
                Stage::Closed(Closed { seeds, .. }) => seeds[seat].is_some(),
                Stage::Playing(_) | Stage::Over(_) => true,
            }),
            Command::Move { player, step: None, after: Some(after), .. } => {
                seated(*player).is_some_and(|seat| match &self.stage {
                    Stage::Playing(playing) => playing.last_free_move[seat].is_some_and(|last| last > *after),
                    _ => true,
                })
            }
            Command::Move { step: None, .. } => self.is_over(),
            Command::Move { player, step: Some(step), .. }
            | Command::Commit { player, step, .. }
            | Command::Open { player, step, .. } => {
                seated(*player).is_some_and(|seat| self.step().is_none_or(|now| *step < now || !self.owes(seat)))
            }
            Command::Resign { player, .. } => seated(*player).is_some_and(|seat| match &self.stage {
                Stage::Playing(playing) => !playing.game.is_in(seat),
                _ => true,
            }),
            Command::CallTimeout { player } => player.is_some_and(|player| seated(player).is_some()),
        }
    }

    /// Whether the seat has not yet done its part of the decision at hand.
    fn owes(&self, seat: Seat) -> bool {
        let Stage::Playing(playing) = &self.stage else { return false };
        match &playing.sealing {
            Sealing::None => true,
            Sealing::Committing(bound) => bound[seat].is_none(),
            Sealing::Opening { .. } => false,
        }
    }
}
