//! Sitting down, getting up, starting, calling off, opening seeds.

use super::super::command::Command;
use super::super::{Refusal, Stage, Table};
use crate::commitment::seed_commitment;
use crate::event::{Actor, Body, Left, Seated, SeedOpened, VoidReason, Voided};
use crate::hex32::PlayerSeed;
use crate::ids::PlayerId;
use crate::keys::Signature;
use crate::timestamp::Timestamp;

impl Table {
    pub(super) fn sit(&self, command: &Command) -> Result<(Actor, Body), Refusal> {
        let Command::Sit { player, seat, seed_commitment, key, after, by } = command else {
            return Err(Refusal::NotOpen);
        };
        let open = self.still_open()?;
        if let Some(seat) = self.seat_of(player.id) {
            return Err(Refusal::AlreadySeated(seat));
        }
        let seat = match seat {
            Some(seat) => match open.places.get(*seat) {
                None => return Err(Refusal::NoSuchSeat),
                Some(Some(_)) => return Err(Refusal::SeatTaken),
                Some(None) => *seat,
            },
            None if seed_commitment.is_some() || key.is_some() => return Err(Refusal::SeatNotNamed),
            None => {
                let free = open.places.iter().find(|(_, place)| place.is_none());
                free.map(|(seat, _)| seat).ok_or(Refusal::Full)?
            }
        };
        let data =
            Seated { player: player.clone(), seed_commitment: *seed_commitment, key: *key, after: *after, by: *by };
        self.signed_after(seat, key.as_ref(), *after, data.into())
    }

    pub(super) fn get_up(
        &self,
        player: PlayerId,
        after: Option<u64>,
        by: Option<Signature>,
    ) -> Result<(Actor, Body), Refusal> {
        let (seat, place) = self.seated(player)?;
        self.still_open()?;
        self.signed_after(seat, place.key.as_ref(), after, Left { after, by }.into())
    }

    pub(super) fn start(&self, player: PlayerId, at: Timestamp) -> Result<(Actor, Body), Refusal> {
        if player != self.created.host {
            return Err(Refusal::NotHost);
        }
        let open = self.still_open()?;
        let taken = open.places.iter().filter(|(_, place)| place.is_some()).count();
        let in_front = open.places.iter().take_while(|(_, place)| place.is_some()).count();
        if taken < usize::from(self.created.seats.min) {
            let least = self.created.seats.min;
            return Err(Refusal::CantStart(format!("{taken} of at least {least} players have sat down")));
        }
        if taken != in_front {
            return Err(Refusal::CantStart("seats are to be taken from 0 on without a gap".to_owned()));
        }
        self.created.options.fits(taken)?;
        Ok((Actor::Server, self.closing(at)))
    }

    pub(super) fn cancel(&self, player: Option<PlayerId>) -> Result<(Actor, Body), Refusal> {
        if player.is_some_and(|player| player != self.created.host) {
            return Err(Refusal::NotHost);
        }
        let open = self.still_open()?;
        if player.is_none() && open.places.iter().any(|(_, place)| place.is_some()) {
            return Err(Refusal::NothingOverdue);
        }
        Ok((Actor::Server, Voided { reason: VoidReason::Cancelled, seats: Vec::new() }.into()))
    }

    pub(super) fn open_seed(
        &self,
        player: PlayerId,
        seed: PlayerSeed,
        by: Option<Signature>,
        at: Timestamp,
    ) -> Result<(Actor, Body), Refusal> {
        let (seat, place) = self.seated(player)?;
        let closed = match &self.stage {
            Stage::Closed(closed) => closed,
            Stage::Open(_) => return Err(Refusal::NotClosed),
            Stage::Playing(_) if place.seed_commitment.is_some() => return Err(Refusal::SeedAlreadyOpened),
            Stage::Playing(_) => return Err(Refusal::NoSeedCommitted),
            Stage::Over(_) => return Err(Refusal::Over),
        };
        let commitment = place.seed_commitment.ok_or(Refusal::NoSeedCommitted)?;
        if closed.seeds[seat].is_some() {
            return Err(Refusal::SeedAlreadyOpened);
        }
        if seed_commitment(self.game, seat, &seed) != commitment {
            return Err(Refusal::SeedMismatch);
        }
        let event = self.signed(seat, place.key.as_ref(), SeedOpened { seed, by }.into())?;
        self.in_time(at)?;
        Ok(event)
    }
}
