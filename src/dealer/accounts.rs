//! Whose tokens are good: what this instance remembers of players, so that a move does not ask the database who made it.

use std::sync::{Arc, Mutex, PoisonError};

use super::recent::Recent;
use super::{Account, Dealer, DealerError};
use crate::ids::PlayerId;
use crate::timestamp::Timestamp;

/// How many players are remembered.
const CAPACITY: usize = 32 * 1024;
/// For how many milliseconds what is remembered is believed. An instance obeys the end of a player's tokens within
/// 5 s, wherever it was asked for.
const BELIEVED_MILLIS: i64 = 4000;
/// How often what was used is read anew, in milliseconds: often enough that it is never too old to be believed.
pub const REFRESH_MILLIS: u64 = 1500;

struct Known {
    account: Arc<Account>,
    read_at: Timestamp,
    /// Since it was read.
    used: bool,
}

/// The players that this instance remembers.
pub(super) struct Accounts {
    known: Mutex<Recent<PlayerId, Known>>,
}

impl Accounts {
    pub(super) fn new() -> Self {
        Self { known: Mutex::new(Recent::new(CAPACITY)) }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Recent<PlayerId, Known>) -> T) -> T {
        // The map is whole between two calls, so a panic elsewhere leaves it usable.
        work(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn get(&self, player: PlayerId, now: Timestamp) -> Option<Arc<Account>> {
        self.with(|known| {
            let known = known.get_mut(&player).filter(|known| is_fresh(known.read_at, now))?;
            known.used = true;
            Some(Arc::clone(&known.account))
        })
    }

    /// Keeps what the database said, unless something later is known: tokens never become good again.
    fn keep(&self, account: Account, read_at: Timestamp) -> Arc<Account> {
        self.with(|known| match known.get_mut(&account.id) {
            Some(known) if known.account.token_generation > account.token_generation => Arc::clone(&known.account),
            Some(known) if *known.account == account => {
                (known.read_at, known.used) = (read_at, false);
                Arc::clone(&known.account)
            }
            _ => {
                let account = Arc::new(account);
                known.insert(account.id, Known { account: Arc::clone(&account), read_at, used: false });
                account
            }
        })
    }

    pub(super) fn forget(&self, player: PlayerId) {
        self.with(|known| known.remove(&player));
    }

    /// Who was seen since it was last read, or has a stream open, which holds the account.
    fn used(&self) -> Vec<PlayerId> {
        let is_used = |known: &Known| known.used || Arc::strong_count(&known.account) > 1;
        self.with(|known| known.iter_mut().filter(|(_, known)| is_used(known)).map(|(player, _)| *player).collect())
    }
}

/// Also a clock that was set back makes it stale.
fn is_fresh(read_at: Timestamp, now: Timestamp) -> bool {
    (0..BELIEVED_MILLIS).contains(&now.millis().saturating_sub(read_at.millis()))
}

impl Dealer {
    /// A player by id, as it was at most 4 seconds ago.
    ///
    /// # Errors
    ///
    /// When the database is away.
    pub async fn account(&self, player: PlayerId) -> Result<Option<Arc<Account>>, DealerError> {
        let accounts = &self.shared.accounts;
        let now = self.inputs().now();
        if let Some(account) = accounts.get(player, now) {
            return Ok(Some(account));
        }
        let row = self.ledger().player(player).await?;
        Ok(row.map(|row| accounts.keep(row.into(), now)))
    }

    /// Reads anew those who were seen since they were last read, in one query; to be called every
    /// [`REFRESH_MILLIS`], so that those who play are not asked for one by one.
    ///
    /// # Errors
    ///
    /// When the database is away.
    pub async fn refresh_accounts(&self) -> Result<(), DealerError> {
        let used = self.shared.accounts.used();
        if used.is_empty() {
            return Ok(());
        }
        let now = self.inputs().now();
        for row in self.ledger().players(&used).await? {
            self.shared.accounts.keep(row.into(), now);
        }
        Ok(())
    }
}
