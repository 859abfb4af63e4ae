//! The place of a finished run in the table of high scores.

use std::io;

use super::DemoError;
use super::party::Party;
use super::words::count;

/// Looks a finished run up in the table, and tells its place.
///
/// # Errors
///
/// When it is not there, or the service does not answer.
pub async fn tell(party: &Party<'_>, out: &mut dyn io::Write) -> Result<(), DemoError> {
    let scores = party.client().scores_from(party.game()).await?;
    let broken = || DemoError::Broken("the run stands in no table of high scores".to_owned());
    let own = scores.scores.first().filter(|score| score.game == party.game()).ok_or_else(broken)?;
    let steps = count(i64::try_from(own.steps).unwrap_or(i64::MAX), "step");
    writeln!(out, "In the table of high scores, among all runs, it has place {}, with {steps}.", own.place)?;
    out.flush()?;
    Ok(())
}
