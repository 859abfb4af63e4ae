//! The log of logs as it is stored: entries, checkpoints, and which games still lack an entry.
//!
//! An entry goes to the index that is the size, by a plain INSERT: of all instances that want the place, the primary
//! key lets one have it, and the unique leaf lets each entry in once. Games' marks follow afterwards; no correctness
//! rests on them.

use std::collections::HashMap;

use diesel::data_types::PgTimestamp;
use diesel::sql_types::{Array, Bool, Uuid as SqlUuid};
use diesel::{BoolExpressionMethods, ExpressionMethods, OptionalExtension, QueryDsl, SelectableHelper, sql_query};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::event_rows::EventRow;
use super::lease::within;
use super::moment;
use super::schema::{checkpoints, events, games, log_entries};
use super::{Ledger, LedgerError};
use crate::event::Event;
use crate::hex32::Hash;
use crate::ids::GameId;
use crate::merkle::leaf_hash;
use crate::timestamp::Timestamp;

/// An entry of the log of logs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// Its place.
    pub index: u64,
    /// The entry, as canonical JSON.
    pub entry: String,
}

/// A checkpoint as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCheckpoint {
    /// How many entries the log had.
    pub size: u64,
    /// The signed note.
    pub note: String,
}

/// Which entry of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// That of its start.
    Started,
    /// That of its end.
    Over,
}

/// A game whose mark is missing, and where it stands in the order in which they are looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unmarked {
    /// The game.
    pub game: GameId,
    /// When its status changed last.
    pub updated_at: Timestamp,
}

/// A place in the log as the database has it; there is none beyond.
fn stored_index(index: u64) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX)
}

fn read_index(index: i64) -> Result<u64, LedgerError> {
    u64::try_from(index).map_err(|error| LedgerError::corrupt("a place in the log of logs", error))
}

fn read_leaf(index: i64, leaf: Vec<u8>) -> Result<Hash, LedgerError> {
    let bytes = leaf.try_into();
    bytes.map(Hash::new).map_err(|_| LedgerError::corrupt(&format!("leaf {index}"), "a hash of another length"))
}

impl Ledger {
    /// Entries of the log of logs from one place on, `limit` of them at most. Ascending.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn log_entries(&self, from: u64, limit: u32) -> Result<Vec<LogEntry>, LedgerError> {
        let query = log_entries::table.filter(log_entries::idx.ge(stored_index(from)));
        let query = query.select((log_entries::idx, log_entries::entry)).order(log_entries::idx);
        let query = query.limit(i64::from(limit));
        let mut lease = self.lease().await?;
        let result = within(query.load::<(i64, String)>(lease.connection())).await;
        let rows = lease.settle(result).await?;
        rows.into_iter().map(|(index, entry)| Ok(LogEntry { index: read_index(index)?, entry })).collect()
    }

    /// As [`Ledger::log_entries`], but the leaves' hashes alone, each with its place.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn log_leaves(&self, from: u64, limit: u32) -> Result<Vec<(u64, Hash)>, LedgerError> {
        let query = log_entries::table.filter(log_entries::idx.ge(stored_index(from)));
        let query = query.select((log_entries::idx, log_entries::leaf)).order(log_entries::idx);
        let query = query.limit(i64::from(limit));
        let mut lease = self.lease().await?;
        let result = within(query.load::<(i64, Vec<u8>)>(lease.connection())).await;
        let rows = lease.settle(result).await?;
        rows.into_iter().map(|(index, leaf)| Ok((read_index(index)?, read_leaf(index, leaf)?))).collect()
    }

    /// Where these leaves stand, as far as they are in the log.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn log_places(&self, leaves: &[Hash]) -> Result<Vec<(Hash, u64)>, LedgerError> {
        if leaves.is_empty() {
            return Ok(Vec::new());
        }
        let bytes: Vec<&[u8]> = leaves.iter().map(|leaf| leaf.as_bytes().as_slice()).collect();
        let query = log_entries::table.filter(log_entries::leaf.eq_any(bytes));
        let query = query.select((log_entries::idx, log_entries::leaf));
        let mut lease = self.lease().await?;
        let result = within(query.load::<(i64, Vec<u8>)>(lease.connection())).await;
        let rows = lease.settle(result).await?;
        rows.into_iter().map(|(index, leaf)| Ok((read_leaf(index, leaf)?, read_index(index)?))).collect()
    }

    /// Adds entries at the end of the log, which has so many: all of them or none.
    ///
    /// # Errors
    ///
    /// `Conflict` when the log has grown meanwhile, or has one of them already; `Unknown` when it may have been done.
    pub async fn append_log_entries(&self, size: u64, entries: &[String]) -> Result<(), LedgerError> {
        if entries.is_empty() {
            return Ok(());
        }
        let row = |(index, entry): (i64, &String)| {
            let leaf = leaf_hash(entry.as_bytes()).as_bytes().to_vec();
            (log_entries::idx.eq(index), log_entries::entry.eq(entry.clone()), log_entries::leaf.eq(leaf))
        };
        let rows: Vec<_> = (stored_index(size)..).zip(entries).map(row).collect();
        let statement = diesel::insert_into(log_entries::table).values(rows);
        let mut lease = self.lease().await?;
        let result = within(statement.execute(lease.connection())).await;
        lease.settle_write(result).await.map(drop)
    }

    /// The checkpoint of the largest size; `None` while there is none.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn newest_checkpoint(&self) -> Result<Option<StoredCheckpoint>, LedgerError> {
        let query = checkpoints::table.select((checkpoints::size, checkpoints::note));
        let query = query.order(checkpoints::size.desc()).limit(1);
        let mut lease = self.lease().await?;
        let result = within(async { query.get_result::<(i64, String)>(lease.connection()).await.optional() }).await;
        let row = lease.settle(result).await?;
        row.map(|(size, note)| Ok(StoredCheckpoint { size: read_index(size)?, note })).transpose()
    }

    /// Stores a checkpoint.
    ///
    /// # Errors
    ///
    /// `Conflict` when there is one of this size.
    pub async fn insert_checkpoint(&self, checkpoint: &StoredCheckpoint) -> Result<(), LedgerError> {
        let row = (checkpoints::size.eq(stored_index(checkpoint.size)), checkpoints::note.eq(checkpoint.note.as_str()));
        let statement = diesel::insert_into(checkpoints::table).values(row);
        let mut lease = self.lease().await?;
        let result = within(statement.execute(lease.connection())).await;
        lease.settle_write(result).await.map(drop)
    }

    /// Games that have started, or are over, and are not marked as logged; those that changed first come first.
    /// `after` goes on behind a game.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn games_to_log(
        &self,
        mark: Mark,
        after: Option<Unmarked>,
        limit: u32,
    ) -> Result<Vec<Unmarked>, LedgerError> {
        // Word for word what the indexes are made for: they serve a condition that the planner can see.
        let unmarked = diesel::dsl::sql::<Bool>(match mark {
            Mark::Started => "NOT started_logged AND status IN ('playing', 'ended')",
            Mark::Over => "NOT over_logged AND status IN ('ended', 'voided')",
        });
        let mut query = games::table.select((games::game_id, games::updated_at)).filter(unmarked).into_boxed();
        if let Some(Unmarked { game, updated_at }) = after {
            let at = moment::stored(updated_at);
            let later = games::updated_at.gt(at).or(games::game_id.gt(game.uuid()));
            query = query.filter(games::updated_at.ge(at).and(later));
        }
        let query = query.order((games::updated_at, games::game_id)).limit(i64::from(limit));
        let mut lease = self.lease().await?;
        let result = within(query.load::<(Uuid, PgTimestamp)>(lease.connection())).await;
        let read = |(game, at): (Uuid, PgTimestamp)| {
            let game = GameId::new(game).map_err(|error| LedgerError::corrupt("a game's id", error))?;
            Ok(Unmarked { game, updated_at: moment::read(at)? })
        };
        lease.settle(result).await?.into_iter().map(read).collect()
    }

    /// Marks games: the log of logs has this entry of each, or needs none.
    ///
    /// # Errors
    ///
    /// When the database fails, with some of them marked; the call may be repeated.
    pub async fn mark_logged(&self, these: &[GameId], mark: Mark) -> Result<(), LedgerError> {
        let column = match mark {
            Mark::Started => "started_logged",
            Mark::Over => "over_logged",
        };
        for these in self.together(these) {
            let mut lease = self.lease().await?;
            let result = match these.as_slice() {
                // By itself: where the table is distributed, so its node alone is asked.
                [one] => {
                    let statement = sql_query(format!("UPDATE games SET {column} = true WHERE game_id = $1"));
                    within(statement.bind::<SqlUuid, _>(*one).execute(lease.connection())).await
                }
                // Locked in the order in which appends lock them too, so that nobody waits in a ring.
                many => {
                    let statement = sql_query(format!(
                        "WITH these AS MATERIALIZED (SELECT game_id FROM games WHERE game_id = ANY ($1) ORDER BY game_id \
                         FOR NO KEY UPDATE) \
                         UPDATE games SET {column} = true FROM these WHERE games.game_id = these.game_id"
                    ));
                    within(statement.bind::<Array<SqlUuid>, _>(many).execute(lease.connection())).await
                }
            };
            lease.settle(result).await?;
        }
        Ok(())
    }

    /// The events of games from which their entries are made: creation, start, end. Ascending; of a game whose events
    /// can't be read, why.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn milestones(
        &self,
        of: &[GameId],
    ) -> Result<HashMap<GameId, Result<Vec<Event>, LedgerError>>, LedgerError> {
        let mut found = HashMap::new();
        for games in self.together(of) {
            let these = events::event_type.eq_any(["created", "started", "ended", "voided"]);
            let query = events::table.filter(events::game_id.eq_any(games).and(these));
            let query = query.select(EventRow::as_select()).order((events::game_id, events::seq));
            let mut lease = self.lease().await?;
            let result = within(query.load::<EventRow>(lease.connection())).await;
            for row in lease.settle(result).await? {
                let game = GameId::new(row.game_id).map_err(|error| LedgerError::corrupt("a game's id", error))?;
                let events = found.entry(game).or_insert_with(|| Ok(Vec::new()));
                match (row.read(), &mut *events) {
                    (Ok(event), Ok(events)) => events.push(event),
                    (Err(error), _) => *events = Err(error),
                    (Ok(_), Err(_)) => {}
                }
            }
        }
        Ok(found)
    }

    /// Games in parts that one statement is for, as they are stored.
    fn together(&self, games: &[GameId]) -> impl Iterator<Item = Vec<Uuid>> {
        games.chunks(self.batch.max(1)).map(|games| games.iter().map(|game| game.uuid()).collect())
    }
}
