//! From a log to the table that it amounts to: what the server does with stored events, and an auditor with a file.

use std::fmt;

use crate::event::{self, Body, Event};
use crate::hex32::ServerSeed;
use crate::seed_chain::{Disclosed, ServerSeeds, leads_back};
use crate::table::{Fault, Question, Stop, Table};

/// Where a log can't be replayed any further, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayError {
    /// The event that does not fit, by its place in the log.
    pub seq: u64,
    /// What is wrong with it, or which draw it needs.
    pub stop: Stop,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.stop {
            Stop::Fault(fault) => write!(f, "event {}: {fault}", self.seq),
            Stop::Undisclosed(draw) => write!(f, "event {} needs draw {draw}, which is not disclosed", self.seq),
        }
    }
}

impl std::error::Error for ReplayError {}

/// The table after all of a game's events so far, from its first on.
///
/// # Errors
///
/// At the first event that may not stand where it stands, or that needs a seed which `seeds` does not know.
pub fn replay<'a>(events: impl IntoIterator<Item = &'a Event>, seeds: &dyn ServerSeeds) -> Result<Table, ReplayError> {
    let mut events = events.into_iter();
    let table = match events.next() {
        Some(first) => Table::begin(first),
        None => Err(Fault::new(Question::Form, "created as the first event", "an empty log")),
    };
    let mut table = table.map_err(|fault| ReplayError { seq: 0, stop: fault.into() })?;
    resume(&mut table, events, seeds)?;
    Ok(table)
}

/// Takes the events that follow into a table.
///
/// # Errors
///
/// As [`replay`]; the table is of no use then.
pub fn resume<'a>(
    table: &mut Table,
    events: impl IntoIterator<Item = &'a Event>,
    seeds: &dyn ServerSeeds,
) -> Result<(), ReplayError> {
    for event in events {
        let seq = table.seq() + 1;
        table.evolve(event, seeds).map_err(|stop| ReplayError { seq, stop })?;
    }
    Ok(())
}

/// The seeds that a log itself discloses: all that an auditor has. From the first disclosure on that does not lead back
/// to the anchor, none is taken.
pub fn disclosed<'a>(events: impl IntoIterator<Item = &'a Event>) -> Disclosed {
    let mut events = events.into_iter();
    let Some(Body::Created(created)) = events.next().map(|first| &first.body) else { return Disclosed::default() };
    let mut last = (0, ServerSeed::new(*created.anchor.as_bytes()));
    for event in events {
        let Body::Disclosed(event::Disclosed { draw, seed }) = &event.body else { continue };
        if *draw <= last.0 || !leads_back(seed, draw - last.0, last.1.as_bytes()) {
            break;
        }
        last = (*draw, *seed);
    }
    Disclosed::up_to(last.0, last.1)
}
