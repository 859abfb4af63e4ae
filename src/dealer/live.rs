//! A game as this instance knows it: its table at a known place of its log, with its secrets.

use std::collections::BTreeMap;

use super::DealerError;
use crate::event::{Body, Event};
use crate::ids::GameId;
use crate::ledger::Ledger;
use crate::log::Head;
use crate::seed_chain::{Disclosed, SeedChain, ServerSeeds};
use crate::table::{Secrets, Table};

/// A game's table, the end of its log, and what is secret of it.
pub struct Live {
    /// The table after the newest event that is known here.
    pub table: Table,
    /// What the next event is chained to.
    pub head: Head,
    /// What stands in no event yet.
    pub secrets: Secrets,
}

impl Live {
    /// Rebuilds a game from its log; `None` if there is no such game.
    ///
    /// # Errors
    ///
    /// When the database is away, or what it holds is no log.
    pub async fn load(ledger: &Ledger, game: GameId) -> Result<Option<Self>, DealerError> {
        let mut events = ledger.events(game, None, None).await?;
        loop {
            let Some(newest) = events.last() else { return Ok(None) };
            let newest = newest.seq;
            let secrets = load_secrets(ledger, game).await?;
            // Secrets change together with events: if none came in between, the two belong together.
            let more = ledger.events(game, Some(newest), None).await?;
            if more.is_empty() {
                return Self::rebuild(&events, secrets).map(Some);
            }
            events.extend(more);
        }
    }

    fn rebuild(events: &[Event], secrets: Secrets) -> Result<Self, DealerError> {
        let (first, rest) = events.split_first().ok_or_else(|| DealerError::corrupt("an empty log"))?;
        let mut table = Table::begin(first).map_err(|fault| DealerError::corrupt(format!("event 0: {fault}")))?;
        let disclosed = disclosed(events);
        let seeds: &dyn ServerSeeds = if secrets.chain.is_some() { &secrets } else { &disclosed };
        for event in rest {
            take(&mut table, event, seeds)?;
        }
        let head = events.last().map_or(Head::EMPTY, Head::after);
        Ok(Self { table, head, secrets })
    }

    /// Takes in what others have appended since; says whether there was anything.
    ///
    /// # Errors
    ///
    /// As [`Live::load`]; the game is to be loaded anew then.
    pub async fn catch_up(&mut self, ledger: &Ledger) -> Result<bool, DealerError> {
        let game = self.table.game();
        let mut caught_up = false;
        loop {
            let events = ledger.events(game, Some(self.table.seq()), None).await?;
            let Some(newest) = events.last() else { return Ok(caught_up) };
            caught_up = true;
            let head = Head::after(newest);
            // The chain of a game that is on is known already, so the table can go on; what the server sealed
            // elsewhere is not.
            let disclosed = disclosed(&events);
            let seeds: &dyn ServerSeeds = if self.secrets.chain.is_some() { &self.secrets } else { &disclosed };
            for event in &events {
                take(&mut self.table, event, seeds)?;
            }
            self.head = head;
            let stored = ledger.secrets(game).await?;
            self.secrets.sealed = stored.moves.into_iter().collect();
            if self.table.is_over() {
                self.secrets.chain = None;
            }
        }
    }
}

/// An ended game's table as it was after one of its events, or after the last.
///
/// # Errors
///
/// When there is no such game, it has not ended, or it has no such event.
pub fn look_back(events: &[Event], at: Option<u64>) -> Result<Table, DealerError> {
    let (first, rest) = events.split_first().ok_or(DealerError::UnknownGame)?;
    let newest = events.last().unwrap_or(first);
    if !matches!(newest.body, Body::Ended(_)) {
        return Err(DealerError::NotEnded);
    }
    let at = at.unwrap_or(newest.seq);
    if at > newest.seq {
        return Err(DealerError::NoSuchEvent);
    }
    let mut table = Table::begin(first).map_err(|fault| DealerError::corrupt(format!("event 0: {fault}")))?;
    let disclosed = disclosed(events);
    for event in rest.iter().take_while(|event| event.seq <= at) {
        take(&mut table, event, &disclosed)?;
    }
    Ok(table)
}

fn take(table: &mut Table, event: &Event, seeds: &dyn ServerSeeds) -> Result<(), DealerError> {
    table.evolve(event, seeds).map_err(|stop| DealerError::corrupt(format!("event {}: {stop:?}", event.seq)))
}

/// The seeds that these events disclose.
fn disclosed(events: &[Event]) -> Disclosed {
    let newest = events.iter().rev().find_map(|event| match &event.body {
        Body::Disclosed(disclosed) => Some(disclosed),
        _ => None,
    });
    newest.map_or_else(Disclosed::default, |newest| Disclosed::up_to(newest.draw, newest.seed))
}

async fn load_secrets(ledger: &Ledger, game: GameId) -> Result<Secrets, DealerError> {
    let stored = ledger.secrets(game).await?;
    let chain = stored.root.as_ref().map(|root| SeedChain::new(root));
    Ok(Secrets { chain, sealed: stored.moves.into_iter().collect::<BTreeMap<_, _>>() })
}
