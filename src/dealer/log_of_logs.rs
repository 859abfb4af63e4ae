//! The log of logs, filled in the background (protocol, The log of logs).
//!
//! Every instance fills it, and none waits for another: entries go to the place that is the size, which the database
//! gives to one; whoever loses reads what the other wrote and goes on behind it. An instance that is killed anywhere
//! leaves entries without marks or without a checkpoint, and the next one that looks finds them there.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use tokio::sync::{Mutex, Notify};

use super::{Dealer, DealerError};
use crate::audit::entry_of;
use crate::checkpoint::{Checkpoint, is_origin};
use crate::event::{Body, Event};
use crate::hex32::Hash;
use crate::ids::GameId;
use crate::keys::{Jwk, KeyId, KeyUse, SigningKeys};
use crate::ledger::{LedgerError, Mark, StoredCheckpoint, Unmarked};
use crate::merkle::{Tree, key_entry, leaf_hash};

/// How many leaves are read at once.
const PAGE: u32 = 10_000;
/// How many games of each kind one filling looks at.
const BATCH: u32 = 200;
/// How often a filling begins again because another instance was faster.
const MAX_ATTEMPTS: usize = 16;
/// How long the filler waits if nobody nudges it.
const PAUSE: Duration = Duration::from_secs(1);
/// How long after a nudge it lets more come.
const GATHER: Duration = Duration::from_millis(200);

/// What signs checkpoints, and under which name.
pub struct Notary {
    pub(super) origin: String,
    /// What the log was called before.
    earlier: Vec<String>,
    pub(super) keys: SigningKeys,
}

impl Notary {
    /// Signs with these keys as this log; `None` where the name can't be a log's.
    pub fn new(origin: String, keys: SigningKeys) -> Option<Self> {
        is_origin(&origin).then_some(Self { origin, earlier: Vec::new(), keys })
    }

    /// Signs as the log that is begun after the database was restored so many times: under the name that it had before,
    /// entries may have been signed that are lost.
    #[must_use]
    pub fn restored(mut self, times: usize) -> Self {
        let first = self.origin.clone();
        for number in 2..times.saturating_add(2) {
            self.earlier.push(std::mem::replace(&mut self.origin, format!("{first}/{number}")));
        }
        self
    }

    fn is_of_this_log(&self, origin: &String) -> bool {
        *origin == self.origin || self.earlier.contains(origin)
    }
}

/// What this instance knows of the log of logs.
pub(super) struct LogOfLogs {
    pub(super) notary: Notary,
    tree: RwLock<Tree>,
    progress: Mutex<Progress>,
    nudged: Notify,
}

/// How far this instance's filler is.
#[derive(Default)]
struct Progress {
    /// The newest checkpoint that was held against the tree.
    checked: Option<StoredCheckpoint>,
    /// The keys that are in the log.
    keys: BTreeSet<KeyId>,
    /// Behind which game to go on, so that games that can't be read hold up no others.
    started: Option<Unmarked>,
    over: Option<Unmarked>,
}

/// What one filling did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Filled {
    /// How many entries it added.
    pub entries: usize,
    /// The size of the checkpoint that it signed.
    pub checkpoint: Option<u64>,
    /// Whether there may be more to do.
    pub more: bool,
}

/// Something that is to be in the log.
struct Wanted {
    entry: Option<String>,
    of: Subject,
}

enum Subject {
    Key(KeyId),
    Game(GameId, Mark),
}

/// What is to be in the log, and where the next filling goes on.
struct Batch {
    wanted: Vec<Wanted>,
    started: Option<Unmarked>,
    over: Option<Unmarked>,
}

impl LogOfLogs {
    pub(super) fn new(notary: Notary) -> Self {
        Self { notary, tree: RwLock::default(), progress: Mutex::default(), nudged: Notify::new() }
    }

    /// The tree as far as it is known here. Never held while waiting.
    pub(super) fn tree(&self) -> RwLockReadGuard<'_, Tree> {
        // A leaf is there whole or not at all, so a panic elsewhere leaves the tree usable.
        self.tree.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that there is something to log.
    pub(super) fn nudge(&self) {
        self.nudged.notify_one();
    }

    /// Takes in leaves that follow on those known, the last known one among them.
    fn take_in(&self, known: usize, rows: &[(u64, Hash)]) -> Result<(), DealerError> {
        if known > 0 && rows.is_empty() {
            return Err(DealerError::log(format!("entry {} is gone", known - 1)));
        }
        let mut tree = self.tree.write().unwrap_or_else(PoisonError::into_inner);
        for (index, leaf) in rows {
            let place = usize::try_from(*index).unwrap_or(usize::MAX);
            match tree.leaf(place) {
                Some(before) if before == leaf => {}
                Some(_) => return Err(DealerError::log(format!("entry {index} is another than it was"))),
                None if place == tree.size() => tree.push(*leaf),
                None => return Err(DealerError::log(format!("entry {} is missing", tree.size()))),
            }
        }
        Ok(())
    }
}

impl Dealer {
    /// How many entries the log of logs has, and for how long the game has waited that waits longest for its own.
    ///
    /// # Errors
    ///
    /// When the database is away.
    pub(super) async fn log_lag(&self) -> Result<(u64, Duration), DealerError> {
        let size = self.ledger().newest_checkpoint().await?.map_or(0, |checkpoint| checkpoint.size);
        let now = self.inputs().now();
        let mut lag = Duration::ZERO;
        for mark in [Mark::Started, Mark::Over] {
            for waiting in self.ledger().games_to_log(mark, None, 1).await? {
                let millis = now.millis().saturating_sub(waiting.updated_at.millis());
                lag = lag.max(Duration::from_millis(u64::try_from(millis).unwrap_or(0)));
            }
        }
        Ok((size, lag))
    }

    /// Waits until there may be something to log.
    pub async fn something_to_log(&self) {
        let nudged = tokio::time::timeout(PAUSE, self.shared.log.nudged.notified()).await;
        if nudged.is_ok() {
            tokio::time::sleep(GATHER).await;
        }
    }

    /// Brings the log of logs up to date: adds what is missing, and signs a checkpoint. Any number of instances may do
    /// so at once.
    ///
    /// # Errors
    ///
    /// When the database is away; `Log` when what is stored is no extension of its newest checkpoint, or of what it
    /// was: then nothing is added and nothing signed.
    pub async fn fill_log(&self) -> Result<Filled, DealerError> {
        let mut progress = self.shared.log.progress.lock().await;
        for _ in 0..MAX_ATTEMPTS {
            self.check_newest(&mut progress).await?;
            let Batch { wanted, started, over } = self.wanted(&progress).await?;
            let entries = match self.add(&wanted).await {
                Err(DealerError::Ledger(LedgerError::Conflict)) => continue,
                added => added?,
            };
            for mark in [Mark::Started, Mark::Over] {
                let of_mark = |wanted: &Wanted| match wanted.of {
                    Subject::Game(game, of) if of == mark => Some(game),
                    _ => None,
                };
                let games: Vec<GameId> = wanted.iter().filter_map(of_mark).collect();
                self.ledger().mark_logged(&games, mark).await?;
            }
            for Wanted { of, .. } in wanted {
                if let Subject::Key(id) = of {
                    progress.keys.insert(id);
                }
            }
            (progress.started, progress.over) = (started, over);
            let checkpoint = self.sign_checkpoint(&mut progress).await?;
            return Ok(Filled { entries, checkpoint, more: started.is_some() || over.is_some() });
        }
        Err(DealerError::Busy)
    }

    /// Reads the leaves that were added since.
    pub(super) async fn sync_log(&self) -> Result<(), DealerError> {
        loop {
            let known = self.shared.log.tree().size();
            // The last one again: if it is gone, or another, so is what this instance has signed.
            let rows = self.ledger().log_leaves(known.saturating_sub(1) as u64, PAGE).await?;
            self.shared.log.take_in(known, &rows)?;
            if rows.len() < PAGE as usize {
                return Ok(());
            }
        }
    }

    /// Holds the newest checkpoint against the leaves; the size that it is of.
    async fn check_newest(&self, progress: &mut Progress) -> Result<u64, DealerError> {
        // First the checkpoint, then the leaves: so the leaves are at least as many.
        let stored = self.ledger().newest_checkpoint().await?;
        self.sync_log().await?;
        let Some(stored) = stored else { return Ok(0) };
        if progress.checked.as_ref() != Some(&stored) {
            self.check(&stored).await?;
        }
        let size = stored.size;
        progress.checked = Some(stored);
        Ok(size)
    }

    async fn check(&self, stored: &StoredCheckpoint) -> Result<(), DealerError> {
        let keys = self.ledger().signing_keys().await?;
        let Some((checkpoint, _)) = open_note(&stored.note, &keys) else {
            return Err(DealerError::log("no published key has signed its newest checkpoint"));
        };
        if !self.shared.log.notary.is_of_this_log(&checkpoint.origin) {
            let (theirs, ours) = (&checkpoint.origin, &self.shared.log.notary.origin);
            return Err(DealerError::log(format!("its checkpoints are of {theirs}, and this instance's of {ours}")));
        }
        let root = self.shared.log.tree().root(usize::try_from(checkpoint.size).unwrap_or(usize::MAX));
        if checkpoint.size != stored.size || root != Some(checkpoint.root) {
            return Err(DealerError::log(format!("it is no extension of its checkpoint of size {}", stored.size)));
        }
        Ok(())
    }

    /// What is missing in the log, as far as is known without looking there.
    async fn wanted(&self, progress: &Progress) -> Result<Batch, DealerError> {
        let keys = self.ledger().signing_keys().await?;
        let new_keys = keys.iter().filter(|jwk| !progress.keys.contains(&jwk.kid));
        let of_key = |jwk: &Jwk| Wanted { entry: Some(key_entry(jwk.croupier_use, &jwk.x)), of: Subject::Key(jwk.kid) };
        let mut wanted: Vec<Wanted> = new_keys.map(of_key).collect();
        let started = self.wanted_games(Mark::Started, progress.started, &mut wanted).await?;
        let over = self.wanted_games(Mark::Over, progress.over, &mut wanted).await?;
        Ok(Batch { wanted, started, over })
    }

    /// Says behind which game the next filling goes on, if there may be more.
    async fn wanted_games(
        &self,
        mark: Mark,
        after: Option<Unmarked>,
        wanted: &mut Vec<Wanted>,
    ) -> Result<Option<Unmarked>, DealerError> {
        let games = self.ledger().games_to_log(mark, after, BATCH).await?;
        let ids: Vec<GameId> = games.iter().map(|unmarked| unmarked.game).collect();
        let mut milestones = self.ledger().milestones(&ids).await?;
        for game in ids {
            let events = milestones.remove(&game).unwrap_or_else(|| Ok(Vec::new()));
            match events.map_err(DealerError::from).and_then(|events| wanted_entry(&events, mark)) {
                Ok(entry) => wanted.push(Wanted { entry, of: Subject::Game(game, mark) }),
                Err(DealerError::Corrupt(why)) | Err(DealerError::Ledger(LedgerError::Corrupt(why))) => {
                    tracing::error!(%game, %why, "a game can't be brought into the log of logs");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(games.last().copied().filter(|_| games.len() == BATCH as usize))
    }

    /// Adds those entries that are not in the log; says how many. When it returns they all are.
    async fn add(&self, wanted: &[Wanted]) -> Result<usize, DealerError> {
        let entries: Vec<&String> = wanted.iter().filter_map(|wanted| wanted.entry.as_ref()).collect();
        let leaves: Vec<Hash> = entries.iter().map(|entry| leaf_hash(entry.as_bytes())).collect();
        let there = self.ledger().log_places(&leaves).await?;
        let there: BTreeSet<&[u8; 32]> = there.iter().map(|(leaf, _)| leaf.as_bytes()).collect();
        let missing = entries.iter().zip(&leaves).filter(|(_, leaf)| !there.contains(leaf.as_bytes()));
        let missing: Vec<String> = missing.map(|(entry, _)| (*entry).clone()).collect();
        let size = self.shared.log.tree().size() as u64;
        self.ledger().append_log_entries(size, &missing).await?;
        Ok(missing.len())
    }

    /// Signs a checkpoint of the log as it is now, unless there is one.
    async fn sign_checkpoint(&self, progress: &mut Progress) -> Result<Option<u64>, DealerError> {
        let newest = self.check_newest(progress).await?;
        let (size, root) = {
            let tree = self.shared.log.tree();
            (tree.size(), tree.root(tree.size()))
        };
        let (size, Some(root)) = (size as u64, root) else { return Ok(None) };
        if size <= newest {
            return Ok(None);
        }
        let notary = &self.shared.log.notary;
        let Some((_, key)) = notary.keys.at(self.inputs().now()) else {
            tracing::error!("no checkpoint key signs now: the log of logs has entries without a checkpoint");
            return Ok(None);
        };
        let note = Checkpoint { origin: notary.origin.clone(), size, root }.sign(key);
        match self.ledger().insert_checkpoint(&StoredCheckpoint { size, note }).await {
            Ok(()) => Ok(Some(size)),
            // Another instance was faster; it is held against the tree before anything is signed after it.
            Err(LedgerError::Conflict) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The entry of a game's start or end, from its milestones; `None` for an end that needs none, since the table was never
/// closed.
fn wanted_entry(milestones: &[Event], mark: Mark) -> Result<Option<String>, DealerError> {
    let marked = milestones.iter().find(|event| match mark {
        Mark::Started => matches!(event.body, Body::Started(_)),
        Mark::Over => matches!(event.body, Body::Ended(_) | Body::Voided(_)),
    });
    let marked = marked.ok_or_else(|| DealerError::corrupt("its log has not what its status says"))?;
    Ok(entry_of(milestones, marked))
}

/// The checkpoint in a note, and the published key that signed it.
pub(super) fn open_note<'a>(note: &str, keys: &'a [Jwk]) -> Option<(Checkpoint, &'a Jwk)> {
    let mut keys = keys.iter().filter(|jwk| jwk.croupier_use == KeyUse::Checkpoint);
    keys.find_map(|jwk| Some((Checkpoint::open(note, &jwk.x).ok()?, jwk)))
}
