//! Where an event may stand at all, and by whom: the first thing that is asked of it (protocol, The log).

use super::{Fault, Question, Stage, Status, Table};
use crate::event::{Actor, Body, VoidReason};

/// Whether a game at this point has room for this type of event, and the actor is of the right kind.
pub(crate) fn may_stand(status: Status, seats: usize, actor: Actor, body: &Body) -> Result<(), Fault> {
    let stands = match (status, body) {
        (Status::Open, Body::Voided(voided)) => voided.reason == VoidReason::Cancelled,
        (Status::Closed, Body::Voided(voided)) => voided.reason == VoidReason::SeedMissing,
        (Status::Open, Body::Seated(_) | Body::Left(_) | Body::Closed(_))
        | (Status::Closed, Body::SeedOpened(_) | Body::Started(_))
        | (
            Status::Playing,
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
        let stage = match status {
            Status::Open => "open",
            Status::Closed => "closed",
            Status::Playing => "playing",
            Status::Ended | Status::Voided => "over",
        };
        let found = format!("{} in a game that is {stage}", body.event_type());
        return Err(Fault::new(Question::Form, "an event that may stand here", found));
    }
    match (actor, body.command()) {
        (Actor::Server, None) => Ok(()),
        (Actor::Seat(seat), Some(_)) if seat.index() < seats => Ok(()),
        (Actor::Seat(seat), Some(_)) => Err(Fault::new(Question::Form, "a seat of this table", format!("seat {seat}"))),
        (Actor::Server, Some(_)) => Err(Fault::new(Question::Form, "a seat as actor", "the server")),
        (Actor::Seat(_), None) => Err(Fault::new(Question::Form, "the server as actor", actor.to_string())),
    }
}

impl Table {
    /// See [`may_stand`].
    pub(super) fn check_form(&self, actor: Actor, body: &Body) -> Result<(), Fault> {
        may_stand(self.status(), self.stage.seats(), actor, body)
    }
}

impl Stage {
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
