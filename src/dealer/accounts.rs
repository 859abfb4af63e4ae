//! Whose tokens are good: what this instance remembers of players, so that a move does not ask the database who made it.
//!
//! Of what is remembered nothing ever changes but that tokens are ended. So nobody is read again: it is asked, again and
//! again, whose tokens were ended lately, and as long as that is answered, what is remembered is believed.

use std::sync::{Arc, Mutex, PoisonError};

use super::recent::Recent;
use super::{Account, Dealer, DealerError};
use crate::ids::PlayerId;
use crate::ledger::Player;
use crate::timestamp::Timestamp;

/// How many players are remembered.
const CAPACITY: usize = 32 * 1024;
/// For how many milliseconds what is remembered is believed after somebody was asked. An instance obeys the end of a
/// player's tokens within 5 s, wherever it was asked for.
const BELIEVED_MILLIS: i64 = 4000;
/// How often it is asked whose tokens were ended, in milliseconds: often enough that what is remembered is believed.
pub const LOOK_MILLIS: u64 = 1500;
/// After how many milliseconds without an answer everything is forgotten: what was ended meanwhile may not be told any
/// more. Far less than [`crate::ledger::ENDED_LATELY_MINUTES`].
const PATIENCE_MILLIS: i64 = 60_000;

/// A player as the database said, and when it was asked.
struct Known {
    account: Arc<Account>,
    read_at: Timestamp,
}

/// The players that this instance remembers.
pub(super) struct Accounts {
    remembered: Mutex<Remembered>,
}

struct Remembered {
    players: Recent<PlayerId, Known>,
    /// When it was last asked whose tokens were ended, and answered.
    looked_at: Option<Timestamp>,
}

impl Accounts {
    pub(super) fn new() -> Self {
        Self { remembered: Mutex::new(Remembered { players: Recent::new(CAPACITY), looked_at: None }) }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Remembered) -> T) -> T {
        // What is remembered is whole between two calls, so a panic elsewhere leaves it usable.
        work(&mut self.remembered.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn get(&self, player: PlayerId, now: Timestamp) -> Option<Arc<Account>> {
        self.with(|Remembered { players, looked_at }| {
            let known = players.get_mut(&player)?;
            let is_believed = |at| is_within(BELIEVED_MILLIS, at, now);
            (is_believed(known.read_at) || looked_at.is_some_and(is_believed)).then(|| Arc::clone(&known.account))
        })
    }

    /// Keeps what the database said, unless something later is known: tokens never become good again.
    fn keep(&self, account: Account, read_at: Timestamp) -> Arc<Account> {
        self.with(|Remembered { players, .. }| match players.get_mut(&account.id) {
            Some(known) if known.account.token_generation >= account.token_generation => {
                known.read_at = read_at;
                Arc::clone(&known.account)
            }
            _ => {
                let account = Arc::new(account);
                players.insert(account.id, Known { account: Arc::clone(&account), read_at });
                account
            }
        })
    }

    pub(super) fn forget(&self, player: PlayerId) {
        self.with(|remembered| remembered.players.remove(&player));
    }

    /// Takes in whose tokens were ended, asked at this time; all is forgotten if that was not asked for too long.
    fn take_in(&self, ended: Vec<Player>, now: Timestamp) {
        self.with(|Remembered { players, looked_at }| {
            if !looked_at.is_some_and(|at| is_within(PATIENCE_MILLIS, at, now)) {
                *players = Recent::new(CAPACITY);
            }
            for player in ended {
                if let Some(known) = players.get_mut(&player.id)
                    && known.account.token_generation < player.token_generation
                {
                    *known = Known { account: Arc::new(player.into()), read_at: now };
                }
            }
            *looked_at = Some(now);
        });
    }
}

/// Whether it was so few milliseconds ago; a clock that was set back makes it another time altogether.
fn is_within(millis: i64, at: Timestamp, now: Timestamp) -> bool {
    (0..millis).contains(&now.millis().saturating_sub(at.millis()))
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

    /// Asks whose tokens were ended lately; to be called every [`LOOK_MILLIS`], so that those who play are not asked for
    /// one by one.
    ///
    /// # Errors
    ///
    /// When the database is away.
    pub async fn look_for_ended_tokens(&self) -> Result<(), DealerError> {
        let now = self.inputs().now();
        let ended = self.ledger().players_whose_tokens_ended_lately().await?;
        self.shared.accounts.take_in(ended, now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "019b7a5d-0f3e-76bd-ae5c-76030dd90abe";

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000 + millis).unwrap()
    }

    fn player(token_generation: u32) -> Player {
        Player {
            id: ID.parse().unwrap(),
            name: "Ana".to_owned(),
            name_key: "ana".to_owned(),
            password_hash: None,
            identity: None,
            token_generation,
            tokens_ended_at: None,
            created_at: at(0),
        }
    }

    fn generation(accounts: &Accounts, now: i64) -> Option<u32> {
        accounts.get(ID.parse().unwrap(), at(now)).map(|account| account.token_generation)
    }

    #[test]
    fn who_is_remembered_is_believed_as_long_as_it_is_told_whose_tokens_were_ended() {
        let accounts = Accounts::new();
        accounts.take_in(Vec::new(), at(0));
        accounts.keep(player(0).into(), at(10));
        assert_eq!(generation(&accounts, 4009), Some(0));
        assert_eq!(generation(&accounts, 4010), None);
        for time in [5000, 20_000, 79_999] {
            accounts.take_in(Vec::new(), at(time));
            assert_eq!(generation(&accounts, time + 3999), Some(0));
            assert_eq!(generation(&accounts, time + 4000), None);
        }
        // Too long nobody was told of, and a clock that was set back: who knows what was ended meanwhile.
        for time in [140_000, 139_000] {
            accounts.keep(player(0).into(), at(time - 1));
            accounts.take_in(Vec::new(), at(time));
            assert_eq!(generation(&accounts, time), None, "{time}");
        }
    }

    #[test]
    fn tokens_that_were_ended_never_become_good_again() {
        let accounts = Accounts::new();
        accounts.take_in(vec![player(3)], at(0));
        assert_eq!(generation(&accounts, 0), None, "who is not known is not remembered for it");
        accounts.keep(player(2).into(), at(0));
        accounts.take_in(vec![player(3)], at(1));
        assert_eq!(generation(&accounts, 1), Some(3));
        // Read before the end, and late to arrive.
        assert_eq!(accounts.keep(player(2).into(), at(1)).token_generation, 3);
        accounts.take_in(vec![player(2)], at(2));
        assert_eq!(generation(&accounts, 2), Some(3));
    }
}
