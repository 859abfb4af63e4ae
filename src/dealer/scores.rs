//! High scores: what a log says of a finished run, and the table of all of them (WF-9).

use super::{Dealer, DealerError};
use crate::event::{Actor, Event};
use crate::games::fatetst_rpg::{Fact as FatetstFact, TreeFound};
use crate::games::{Fact, Kind};
use crate::ids::GameId;
use crate::ledger::{GameFilter, NewScore, Score, ScoreFilter, ScoreKey};
use crate::replay::{disclosed, replay};
use crate::table::{Status, Table};

/// A row of the table with its place, counted from 1.
#[derive(Debug, Clone)]
pub struct RankedScore {
    /// Its place among those that are listed.
    pub place: u64,
    /// The run.
    pub score: Score,
}

/// Where a page of the table begins.
#[derive(Debug, Clone, Copy)]
pub enum ScoresFrom {
    /// With the best run.
    Best,
    /// With this run.
    Game(GameId),
    /// After this run, which has this place.
    After(ScoreKey, u64),
}

/// One page of the table, the best first.
#[derive(Debug, Clone)]
pub struct ScorePage {
    /// The runs.
    pub scores: Vec<RankedScore>,
    /// Whether more follow.
    pub more: bool,
}

/// The run that these events finish, if they finish one.
pub(super) fn finished_run(table: &Table, events: &[Event]) -> Option<NewScore> {
    events.iter().rev().find_map(|event| {
        let Actor::Seat(seat) = event.actor else { return None };
        let found = event.body.facts().iter().find_map(|fact| match fact {
            Fact::FatetstRpg(FatetstFact::TreeFound(found)) => Some(*found),
            _ => None,
        });
        let TreeFound { elapsed, steps, .. } = found?;
        let place = table.places().get(seat).copied().flatten()?;
        Some(NewScore { player: place.player.id, elapsed, steps, finished_at: event.at })
    })
}

impl Dealer {
    /// A page of the table of high scores.
    ///
    /// # Errors
    ///
    /// When the run to begin with stands in no table, or the database is away.
    pub async fn scores(&self, filter: ScoreFilter, from: ScoresFrom, limit: u32) -> Result<ScorePage, DealerError> {
        let (from, before) = match from {
            ScoresFrom::Best => (None, 0),
            ScoresFrom::After(key, place) => (Some((key, false)), place),
            ScoresFrom::Game(game) => {
                let key = self.ledger().score_of(filter, game).await?.ok_or(DealerError::UnknownGame)?;
                (Some((key, true)), self.ledger().scores_before(filter, key).await?)
            }
        };
        let mut scores = self.ledger().scores(filter, from, limit.saturating_add(1)).await?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = scores.len() > limit;
        scores.truncate(limit);
        let places = before.saturating_add(1)..;
        let scores = places.zip(scores).map(|(place, score)| RankedScore { place, score }).collect();
        Ok(ScorePage { scores, more })
    }

    /// Makes the table anew from the logs of all finished public runs, each replayed; says how many there are.
    ///
    /// # Errors
    ///
    /// When a log does not replay, or the database is away.
    pub async fn rebuild_scores(&self) -> Result<u64, DealerError> {
        const PAGE: u32 = 100;
        self.ledger().clear_scores().await?;
        let (kind, status) = (Some(Kind::FatetstRpg), Some(Status::Ended));
        let mut filter = GameFilter { kind, status, player: None, viewer: None, cursor: None, limit: PAGE };
        let mut count = 0;
        loop {
            // Not from a replica: a run that is missing there would be missing for ever.
            let page = self.ledger().games(&filter).await?;
            let Some(last) = page.last() else { return Ok(count) };
            filter.cursor = Some((last.created_at, last.game));
            for row in page {
                let events = self.ledger().events(row.game, None, None).await?;
                let table = replay(&events, &disclosed(&events))?;
                if let Some(score) = finished_run(&table, &events) {
                    self.ledger().restore_score(row.game, &score).await?;
                    count += 1;
                }
            }
        }
    }
}
