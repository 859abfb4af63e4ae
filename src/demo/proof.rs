//! The end of a demonstration: what was proved.

use std::io;

use super::DemoError;
use super::party::Party;
use super::words::{count, list};
use crate::event::{Actor, Body, Event};
use crate::games::{CommonFact, Fact};
use crate::replay::{disclosed, replay};

/// Reads the whole log once more, rebuilds the game from it, and tells what holds.
///
/// # Errors
///
/// When something does not hold, or the service does not answer.
pub async fn tell(party: &Party<'_>, out: &mut dyn io::Write) -> Result<(), DemoError> {
    let broken = |why: &str| DemoError::Broken(why.to_owned());
    let watch = party.watch();
    let log = party.client().events(party.game(), None).await?;
    if watch.convict(&log).is_some() || log != watch.events() {
        return Err(broken("the log is another one now than it was"));
    }
    if !watch.is_rebuilt() {
        return Err(broken("the log can't be rebuilt from what was disclosed"));
    }
    // Once more from nothing but the log: what anybody else would do.
    let table = replay(&log, &disclosed(&log)).map_err(|error| DemoError::Broken(error.to_string()))?;
    let ended = log.last().map(|event| &event.body);
    if !matches!(ended, Some(Body::Ended(ended)) if Some(&ended.result) == table.result()) {
        return Err(broken("the game has no end that follows from its rules"));
    }
    let names = party.names();
    let seeds = list(log.iter().filter_map(|event| match (&event.body, event.actor) {
        (Body::SeedOpened(_), Actor::Seat(seat)) => Some(names.of(seat).to_owned()),
        _ => None,
    }));
    let (events, draws) = (count(log.len() as i64, "event"), count(draws(&log), "draw"));
    writeln!(out)?;
    writeln!(
        out,
        "{events}, each signed by the house with a key that was known before, and chained to the one before."
    )?;
    writeln!(out, "{draws}, rebuilt from the seeds of the house and of {seeds}: what was shown is what they give.")?;
    writeln!(out, "Every move, every score and the result follow from the rules.")?;
    writeln!(out)?;
    writeln!(out, "The log: {}/v1/games/{}/events", party.client().url(), party.game())?;
    Ok(())
}

fn draws(log: &[Event]) -> i64 {
    let facts = log.iter().flat_map(|event| event.body.facts());
    facts.filter(|fact| matches!(fact, Fact::Common(CommonFact::Draw(_)))).count() as i64
}
