//! A game followed event by event, as one caller sees it after each.

use super::live::read_together;
use super::{Dealer, DealerError};
use crate::event::Event;
use crate::feed::{Feed, Watch};
use crate::ids::{GameId, PlayerId};
use crate::replay::{disclosed, replay};
use crate::seed_chain::{SeedChain, ServerSeeds};
use crate::table::{Table, View};

/// The game as it was after one event, and what it takes to go on to the next.
pub struct Follower {
    /// `None` before the first event.
    table: Option<Table>,
    seeds: Box<dyn ServerSeeds + Send + Sync>,
    caller: Option<PlayerId>,
}

impl Follower {
    /// The caller's view after the next event.
    ///
    /// # Errors
    ///
    /// When it is not the next event of this game.
    pub fn follow(&mut self, event: &Event) -> Result<View, DealerError> {
        let table = match self.table.take() {
            None => Table::begin(event).map_err(|fault| DealerError::corrupt(fault.to_string()))?,
            Some(mut table) => {
                table.evolve(event, &*self.seeds)?;
                table
            }
        };
        let view = table.view(self.caller.and_then(|player| table.seat_of(player)));
        self.table = Some(table);
        Ok(view)
    }
}

impl Dealer {
    /// Watches a game on this instance from now on.
    pub fn watch(&self, game: GameId) -> Watch {
        Watch::new(&self.shared.feed, game)
    }

    /// Who watches what on this instance.
    pub fn feed(&self) -> &Feed {
        &self.shared.feed
    }

    /// A follower of a game for whom this event is the next.
    ///
    /// # Errors
    ///
    /// When there is no such game, or the database is away.
    pub async fn follower(&self, game: GameId, caller: Option<PlayerId>, next: u64) -> Result<Follower, DealerError> {
        let (events, stored) = read_together(self.ledger(), game, None).await?;
        if events.is_empty() {
            return Err(DealerError::UnknownGame);
        }
        let replayed = self.off_the_workers(move || {
            // Once a game is over its root is gone, and the log discloses every draw.
            let seeds: Box<dyn ServerSeeds + Send + Sync> = match &stored.root {
                Some(root) => Box::new(SeedChain::new(root)),
                None => Box::new(disclosed(&events)),
            };
            let before = || events.iter().take_while(|event| event.seq < next);
            let table = (next > 0).then(|| replay(before(), &*seeds)).transpose()?;
            Ok(Follower { table, seeds, caller })
        });
        replayed.await?
    }
}
