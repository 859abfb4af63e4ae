//! Where an event may stand at all, and by whom: the first thing that is asked of it (protocol, The log).

use super::{Fault, Question, Stage, Table};
use crate::event::{Actor, Body, VoidReason};

impl Table {
    /// Whether the stage of the game has room for this type of event, and the actor is of the right kind.
    pub(super) fn check_form(&self, actor: Actor, body: &Body) -> Result<(), Fault> {
        let stands = match (&self.stage, body) {
            (Stage::Open(_), Body::Voided(voided)) => voided.reason == VoidReason::Cancelled,
            (Stage::Closed(_), Body::Voided(voided)) => voided.reason == VoidReason::SeedMissing,
            (Stage::Open(_), Body::Seated(_) | Body::Left(_) | Body::Closed(_))
            | (Stage::Closed(_), Body::SeedOpened(_) | Body::Started(_))
            | (
                Stage::Playing(_),
                Body::Committed(_)
                | Body::Opened(_)
                | Body::Moved(_)
                | Body::Resigned(_)
                | Body::TimedOut(_)
                | Body::Disclosed(_)
                | Body::Ended(_),
            ) => true,
            _ => false,
        };
        if !stands {
            let found = format!("{} in a game that is {}", body.event_type(), self.stage.name());
            return Err(Fault::new(Question::Form, "an event that may stand here", found));
        }
        match (actor, body.command()) {
            (Actor::Server, None) => Ok(()),
            (Actor::Seat(seat), Some(_)) if seat.index() < self.stage.seats() => Ok(()),
            (Actor::Seat(seat), Some(_)) => {
                Err(Fault::new(Question::Form, "a seat of this table", format!("seat {seat}")))
            }
            (Actor::Server, Some(_)) => Err(Fault::new(Question::Form, "a seat as actor", "the server")),
            (Actor::Seat(_), None) => Err(Fault::new(Question::Form, "the server as actor", actor.to_string())),
        }
    }
}

impl Stage {
    fn name(&self) -> &'static str {
        match self {
            Self::Open(_) => "open",
            Self::Closed(_) => "closed",
            Self::Playing(_) => "playing",
            Self::Over(_) => "over",
        }
    }

    /// How many seats the table has.
    fn seats(&self) -> usize {
        match self {
            Self::Open(open) => open.places.len(),
            Self::Closed(closed) => closed.places.len(),
            Self::Playing(playing) => playing.places.len(),
            Self::Over(_) => 0,
        }
    }
}
