//! An append in the making: the event that a command makes, and all that follows at once.

use super::super::command::{SealedMove, Secrets};
use super::super::evolve::{Effects, Stamp, Stop};
use super::super::{Fault, Follow, Question, Table};
use super::Decision;
use crate::event::{Actor, Body, Disclosed, Ended, Moved, Opened, Resigned, Started, TimedOut};
use crate::seat::Seat;
use crate::seed_chain::ServerSeeds;
use crate::timestamp::Timestamp;

/// An append in the making.
pub(super) struct Draft<'a> {
    pub(super) at: Timestamp,
    pub(super) table: Table,
    pub(super) bodies: Vec<(Actor, Body)>,
    pub(super) secrets: &'a Secrets,
    /// The move that the server seals with this append.
    pub(super) sealed: Option<(Seat, SealedMove)>,
}

impl Draft<'_> {
    /// Lets the table take the event, completes it with what the rules made of it, and adds it.
    pub(super) fn push(&mut self, actor: Actor, mut body: Body) -> Result<(), Stop> {
        let stamp = Stamp { at: self.at, actor };
        let Effects { facts: new, used_step } = self.table.take(stamp, &body, self.secrets)?;
        match &mut body {
            Body::Started(Started { facts })
            | Body::Opened(Opened { facts, .. })
            | Body::Moved(Moved { facts, .. })
            | Body::TimedOut(TimedOut { facts, .. }) => *facts = new,
            Body::Resigned(Resigned { facts, step, .. }) => {
                *facts = new;
                *step = used_step;
            }
            _ => {}
        }
        self.bodies.push((actor, body));
        Ok(())
    }

    /// Adds all that must follow at once.
    pub(super) fn follow(&mut self) -> Result<(), Stop> {
        while let Some(follow) = self.table.follows() {
            let (actor, body) = match follow {
                Follow::Close => (Actor::Server, self.table.closing(self.at)),
                Follow::Start => (Actor::Server, Started { facts: Vec::new() }.into()),
                Follow::Open(seat) => (Actor::Seat(seat), self.opening(seat)?),
                Follow::Disclose(draw) => {
                    let seed = self.secrets.seed(draw).ok_or(Stop::Undisclosed(draw))?;
                    (Actor::Server, Disclosed { draw, seed }.into())
                }
                Follow::End(result) => (Actor::Server, Ended { result }.into()),
            };
            self.push(actor, body)?;
        }
        Ok(())
    }

    /// The opening of what the server sealed for a seat.
    pub(super) fn opening(&self, seat: Seat) -> Result<Body, Stop> {
        let new = self.sealed.as_ref().filter(|(owner, _)| *owner == seat).map(|(_, sealed)| sealed);
        let Some(SealedMove { step, mv, nonce }) = new.or_else(|| self.secrets.sealed.get(&seat)) else {
            let expected = format!("the move that was sealed for seat {seat}");
            return Err(Fault::new(Question::Sealed, expected, "none among the secrets").into());
        };
        Ok(Opened { step: *step, mv: mv.clone(), nonce: *nonce, facts: Vec::new(), by: None }.into())
    }

    pub(super) fn finish(self) -> Decision {
        // A sealed move is of use until its step is over.
        let stale = |sealed: &SealedMove| self.table.step() != Some(sealed.step);
        let unsealed = self.secrets.sealed.iter().filter(|(_, sealed)| stale(sealed)).map(|(seat, _)| *seat).collect();
        let sealed = self.sealed.filter(|(_, sealed)| !stale(sealed));
        Decision { at: self.at, bodies: self.bodies, table: self.table, sealed, unsealed }
    }
}
