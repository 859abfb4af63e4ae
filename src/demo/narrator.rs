//! Tells a log, event by event: what is the same for all games here, the rest by the game's own teller.

use std::io;

use super::teller::Teller;
use super::words::Names;
use crate::event::{
    Actor, Body, Closed, Committed, Created, Disclosed, Ended, Event, Opened, SealedBy, Seated, TimedOut,
};
use crate::game::{Forfeit, ForfeitReason};
use crate::games::{CommonFact, Fact};
use crate::seat::Seat;

/// Tells the log of one game.
pub struct Narrator {
    names: Names,
    teller: Box<dyn Teller>,
}

impl Narrator {
    /// A narrator who calls the players so.
    pub fn new(names: Names, teller: Box<dyn Teller>) -> Self {
        Self { names, teller }
    }

    /// Who tells the game.
    pub fn teller(&self) -> &dyn Teller {
        self.teller.as_ref()
    }

    /// Tells these events.
    ///
    /// # Errors
    ///
    /// When the tale can't be written.
    pub fn tell(&mut self, events: &[Event], out: &mut dyn io::Write) -> io::Result<()> {
        for line in events.iter().flat_map(|event| self.lines(event)) {
            writeln!(out, "{line}")?;
        }
        out.flush()
    }

    fn lines(&mut self, event: &Event) -> Vec<String> {
        let mut lines = match event.actor {
            Actor::Server => self.by_server(&event.body),
            Actor::Seat(seat) => self.by_seat(seat, &event.body),
        };
        for fact in event.body.facts() {
            lines.extend(match fact {
                Fact::Common(CommonFact::Forfeit(forfeit)) => vec![self.forfeit(forfeit)],
                fact => self.teller.told_fact(&self.names, fact),
            });
        }
        lines
    }

    fn by_server(&mut self, body: &Body) -> Vec<String> {
        match body {
            Body::Created(Created { seats, anchor, .. }) => {
                let places = if seats.max == 1 { "1 place".to_owned() } else { format!("{} places", seats.max) };
                vec![
                    format!("A table for {}, with {places}.", self.teller.title()),
                    format!("Before anybody sits down, the anchor of all its shuffles is public: {anchor}"),
                    String::new(),
                ]
            }
            Body::Closed(Closed { open_by: Some(_), .. }) => {
                vec!["The table is closed: now, and not before, seeds are opened.".to_owned()]
            }
            Body::Closed(_) => vec!["The table is closed.".to_owned()],
            Body::Started(_) => vec!["The game begins.".to_owned()],
            Body::TimedOut(TimedOut { seats, .. }) => vec![format!("Time is up for {}.", self.names.all(seats))],
            Body::Disclosed(Disclosed { draw, .. }) => {
                // Only what the watch has taken in is told, and it rebuilds all that it can.
                vec![format!(
                    "The house discloses its seed of draw {draw}, and it is so: the draw gives what was shown."
                )]
            }
            Body::Ended(Ended { result }) => {
                let mut lines = vec![String::new()];
                lines.extend(self.teller.told_result(&self.names, result));
                lines
            }
            Body::Voided(_) => vec!["The game is void.".to_owned()],
            _ => Vec::new(),
        }
    }

    fn by_seat(&mut self, seat: Seat, body: &Body) -> Vec<String> {
        let name = self.names.of(seat);
        match body {
            Body::Seated(Seated { player, seed_commitment, key, .. }) => {
                let known_as = if player.name == name { String::new() } else { format!(" (here as {})", player.name) };
                let how = match (seed_commitment, key) {
                    (Some(_), Some(_)) => "with a seed and a key, to sign and to seal everything at home",
                    (None, Some(_)) => "with a key, to sign and to seal everything at home",
                    (Some(_), None) => "with a seed, and lets the house do the sealing",
                    (None, None) => "and leaves chance and sealing to the house",
                };
                vec![format!("{name}{known_as} takes seat {seat}, {how}.")]
            }
            Body::Left(_) => vec![format!("{name} gets up again.")],
            Body::SeedOpened(_) => {
                vec![format!("{name} has checked the log up to here, and opens the seed.")]
            }
            Body::Committed(Committed { sealed_by: SealedBy::Client, .. }) => {
                vec![format!("{name} has chosen, and sealed the choice at home.")]
            }
            Body::Committed(_) => vec![format!("{name} has chosen, and the house has sealed the choice.")],
            Body::Opened(Opened { mv, .. }) => self.teller.told_move(&self.names, seat, mv),
            Body::Moved(moved) => self.teller.told_move(&self.names, seat, &moved.mv),
            Body::Resigned(_) => vec![format!("{name} gives up.")],
            _ => Vec::new(),
        }
    }

    fn forfeit(&self, forfeit: &Forfeit) -> String {
        let why = match forfeit.reason {
            ForfeitReason::Resigned => "by giving up",
            ForfeitReason::TimedOut => "by being late",
            ForfeitReason::IllegalMove => "by a move against the rules",
        };
        format!("{} forfeits the game {why}.", self.names.of(forfeit.seat))
    }
}
