//! Events before the first card: seats, seeds, the start, the void.

use std::sync::Arc;

use super::super::{Closed, Fault, Open, Over, Place, Playing, Question, Sealing, Stage, Table};
use crate::commitment::seed_commitment;
use crate::event::{Closed as ClosedData, Left, Seated, SeedOpened, VoidReason, Voided};
use crate::game::{Chance, DrawInputs};
use crate::games::AnyGame;
use crate::seat::{BySeat, Seat};
use crate::seed_chain::ServerSeeds;
use crate::timestamp::Timestamp;

use Question::{Form, Rules, Seeds};

use super::{Effects, Stamp, Stop, check_in_time, check_late, misplaced};

impl Table {
    pub(super) fn take_seated(&mut self, seat: Seat, data: &Seated) -> Result<(), Fault> {
        self.check_after(data.after, data.key.is_some())?;
        let Stage::Open(open) = &mut self.stage else { return Err(misplaced("seated", "after closed")) };
        if open.places.iter().flat_map(|(_, place)| place).any(|place| place.player.id == data.player.id) {
            return Err(Fault::new(Form, "one seat a player", format!("a second one for {}", data.player.id)));
        }
        match open.places.get_mut(seat) {
            Some(place @ None) => {
                *place =
                    Some(Place { player: data.player.clone(), seed_commitment: data.seed_commitment, key: data.key });
            }
            Some(Some(_)) => return Err(Fault::new(Form, "a free seat", format!("seat {seat}, which is taken"))),
            None => return Err(Fault::new(Form, "a seat of this table", format!("seat {seat}"))),
        }
        open.remember(data.by)
    }

    pub(super) fn take_left(&mut self, seat: Seat, data: &Left) -> Result<(), Fault> {
        let keyed = self.places().get(seat).copied().flatten().is_some_and(|place| place.key.is_some());
        self.check_after(data.after, keyed)?;
        let Stage::Open(open) = &mut self.stage else { return Err(misplaced("left", "after closed")) };
        match open.places.get_mut(seat) {
            Some(place @ Some(_)) => *place = None,
            _ => return Err(Fault::new(Form, "a seat that is taken", format!("seat {seat}"))),
        }
        open.remember(data.by)
    }

    pub(super) fn take_closed(&mut self, at: Timestamp, data: &ClosedData) -> Result<(), Fault> {
        let Stage::Open(open) = &self.stage else { return Err(misplaced("closed", "a second time")) };
        let places: BySeat<Place> = open.places.iter().map_while(|(_, place)| place.clone()).collect();
        let taken = open.places.iter().filter(|(_, place)| place.is_some()).count();
        if places.len() != taken || usize::from(data.seats) != taken {
            let found = format!("{} with {taken} seats taken", data.seats);
            return Err(Fault::new(Form, "the number of seats, taken from 0 without a gap", found));
        }
        if let Err(illegal) = self.created.options.fits(taken) {
            return Err(Fault::new(Rules, "a table that can start", illegal.to_string()));
        }
        let committed = places.iter().any(|(_, place)| place.seed_commitment.is_some());
        let open_by = self.open_by(at, committed);
        if data.open_by != open_by {
            let show = |time: Option<Timestamp>| time.map_or("null".to_owned(), |time| time.to_string());
            return Err(Fault::new(Rules, format!("open_by {}", show(open_by)), show(data.open_by)));
        }
        let seeds = places.map(|_| None);
        self.stage = Stage::Closed(Closed { places: Arc::new(places), seeds, open_by });
        Ok(())
    }

    pub(super) fn take_seed(
        &mut self,
        stamp: Stamp,
        seat: Seat,
        data: &SeedOpened,
        due: Option<Timestamp>,
    ) -> Result<(), Fault> {
        let game = self.game;
        let Stage::Closed(closed) = &mut self.stage else {
            return Err(Fault::new(Seeds, "seeds only between closed and started", "seed_opened"));
        };
        let commitment = closed.places.get(seat).and_then(|place| place.seed_commitment);
        let Some(commitment) = commitment.filter(|_| closed.seeds[seat].is_none()) else {
            return Err(Fault::new(Seeds, "a seat that owes a seed", format!("seat {seat}")));
        };
        let digest = seed_commitment(game, seat, &data.seed);
        if digest != commitment {
            return Err(Fault::new(
                Seeds,
                format!("a seed that opens {commitment}"),
                format!("one that gives {digest}"),
            ));
        }
        check_in_time(stamp.at, due)?;
        closed.seeds[seat] = Some(data.seed);
        Ok(())
    }

    pub(super) fn take_started(&mut self, at: Timestamp, seeds: &dyn ServerSeeds) -> Result<Effects, Stop> {
        let Stage::Closed(closed) = &self.stage else { return Err(misplaced("started", "before closed").into()) };
        let draws = Arc::new(DrawInputs { game: self.game, player_seeds: closed.seeds.clone() });
        let seats = closed.places.len();
        let mut chance = Chance::new(&draws, seeds, 0);
        let game = AnyGame::deal(&self.created.options, seats, at, &mut chance)?;
        let drawn = chance.drawn();
        let facts = chance.into_facts();
        let sealing = Sealing::for_decision(&game, seats);
        self.stage = Stage::Playing(Box::new(Playing {
            places: Arc::clone(&closed.places),
            draws,
            game,
            drawn,
            disclosed: None,
            step: 1,
            started_at: at,
            asked_at: at,
            sealing,
            last_free_move: BySeat::from_fn(seats, |_| None),
        }));
        Ok(Effects { facts, used_step: None })
    }

    pub(super) fn take_voided(&mut self, at: Timestamp, data: &Voided) -> Result<(), Fault> {
        let places = match (&self.stage, data.reason) {
            (Stage::Open(open), VoidReason::Cancelled) => {
                if !data.seats.is_empty() {
                    return Err(Fault::new(Form, "no seats", format!("{:?}", data.seats)));
                }
                open.places.clone()
            }
            (Stage::Closed(closed), VoidReason::SeedMissing) => {
                check_late(at, closed.open_by)?;
                let missing = closed.missing();
                if data.seats != missing {
                    let expected = format!("the seats whose seeds are missing: {missing:?}");
                    return Err(Fault::new(Seeds, expected, format!("{:?}", data.seats)));
                }
                closed.places.map(|place| Some(place.clone()))
            }
            _ => return Err(misplaced("voided", "where the game can't become void for this reason")),
        };
        self.stage = Stage::Over(Over::Void(places));
        Ok(())
    }
}

impl Open {
    fn remember(&mut self, by: Option<crate::keys::Signature>) -> Result<(), Fault> {
        let Some(by) = by else { return Ok(()) };
        if self.signatures.contains(&by) {
            return Err(Fault::new(Question::Chain, "a signature that is new", format!("{by} again")));
        }
        self.signatures.push(by);
        Ok(())
    }
}
