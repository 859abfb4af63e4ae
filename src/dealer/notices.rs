//! How instances hear of each other's events: through the database, gathered over a few milliseconds, and only that there
//! are some. Whoever hears of an event reads the log; whoever hears nothing looks by itself, again and again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use uuid::Uuid;

use super::Dealer;
use crate::event::{Body, Event};
use crate::ids::{GameId, PlayerId};
use crate::ledger::{LedgerError, MAX_ANNOUNCEMENT};

/// For how long notices are gathered.
const GATHER: Duration = Duration::from_millis(10);
/// How often an instance looks by itself whether it missed something.
const LOOK: Duration = Duration::from_secs(2);
/// How long to wait before connecting anew.
const RETRY: Duration = Duration::from_millis(500);

/// What is new of a game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Notice {
    /// Its newest event.
    seq: u64,
    /// Who sat down.
    seated: BTreeSet<PlayerId>,
}

/// What other instances have not been told yet.
pub(super) struct Notices {
    /// Who tells: one's own notices are passed over.
    instance: Uuid,
    gathered: Mutex<BTreeMap<GameId, Notice>>,
    some: Notify,
}

impl Notices {
    pub(super) fn new(instance: Uuid) -> Self {
        Self { instance, gathered: Mutex::default(), some: Notify::new() }
    }

    fn add(&self, events: &[Event]) {
        let Some(last) = events.last() else { return };
        // The map is whole between two statements, so a panic elsewhere leaves it usable.
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let was_empty = gathered.is_empty();
        let notice = gathered.entry(last.game).or_default();
        notice.seq = last.seq;
        let seated = events.iter().filter_map(|event| match &event.body {
            Body::Seated(seated) => Some(seated.player.id),
            _ => None,
        });
        notice.seated.extend(seated);
        drop(gathered);
        if was_empty {
            self.some.notify_one();
        }
    }

    fn take(&self) -> BTreeMap<GameId, Notice> {
        std::mem::take(&mut *self.gathered.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Notices as announcements: the instance, then for each game its id, its newest event and who sat down.
fn write(instance: Uuid, notices: BTreeMap<GameId, Notice>) -> Vec<String> {
    let begin = || instance.simple().to_string();
    let (mut texts, mut text) = (Vec::new(), begin());
    for (game, Notice { seq, seated }) in notices {
        let mut entry = format!(" {}:{seq}", game.uuid().simple());
        for player in seated {
            // Writing to a text can't fail.
            let _ = write!(entry, ":{}", player.uuid().simple());
        }
        if text.len() + entry.len() > MAX_ANNOUNCEMENT {
            texts.push(std::mem::replace(&mut text, begin()));
        }
        text.push_str(&entry);
    }
    texts.push(text);
    texts
}

/// What another instance announced; nothing where it is one's own, or none of ours.
fn read(instance: Uuid, text: &str) -> Vec<(GameId, Notice)> {
    let mut words = text.split(' ');
    match words.next().and_then(|word| Uuid::try_parse(word).ok()) {
        Some(other) if other != instance => words.filter_map(read_notice).collect(),
        _ => Vec::new(),
    }
}

fn read_notice(text: &str) -> Option<(GameId, Notice)> {
    let mut parts = text.split(':');
    let game = GameId::new(Uuid::try_parse(parts.next()?).ok()?).ok()?;
    let seq = parts.next()?.parse().ok()?;
    let seated = parts.map(|part| PlayerId::new(Uuid::try_parse(part).ok()?).ok()).collect::<Option<_>>()?;
    Some((game, Notice { seq, seated }))
}

impl Dealer {
    /// Tells whoever watches, here and elsewhere, of events that were appended here.
    pub(super) fn tell(&self, events: &[Event]) {
        self.shared.feed.publish(events);
        self.shared.notices.add(events);
    }

    /// Tells other instances what was appended here, for ever.
    pub async fn send_notices(&self) {
        loop {
            self.shared.notices.some.notified().await;
            sleep(GATHER).await;
            for text in write(self.shared.notices.instance, self.shared.notices.take()) {
                if let Err(error) = self.ledger().announce(&text).await {
                    tracing::debug!(%error, "could not tell other instances: they will see for themselves");
                }
            }
        }
    }

    /// Hears what other instances appended, for ever.
    pub async fn hear_notices(&self) {
        loop {
            if let Err(error) = self.listen().await {
                tracing::warn!(%error, "could not listen to other instances");
            }
            // Watchers here are not to wait for the connection.
            let _ = self.look().await;
            sleep(RETRY).await;
        }
    }

    async fn listen(&self) -> Result<(), LedgerError> {
        let mut listener = self.ledger().listen().await?;
        // What came while nobody listened.
        self.look().await?;
        let mut look_at = Instant::now() + LOOK;
        loop {
            tokio::select! {
                heard = listener.next() => self.hear(&heard?).await?,
                () = sleep_until(look_at) => {
                    listener.check().await?;
                    self.look().await?;
                    look_at = Instant::now() + LOOK;
                }
            }
        }
    }

    async fn hear(&self, text: &str) -> Result<(), LedgerError> {
        let notices = read(self.shared.notices.instance, text);
        for (game, Notice { seq, seated }) in &notices {
            for player in seated {
                self.shared.feed.seated(*game, *seq, *player);
            }
        }
        self.follow_up(notices.into_iter().map(|(game, Notice { seq, .. })| (game, seq))).await
    }

    /// Looks whether any game that is watched here goes on without anybody having said so: the instance that appended
    /// may have died before it could.
    async fn look(&self) -> Result<(), LedgerError> {
        let watched = self.shared.feed.watched();
        if watched.is_empty() {
            return Ok(());
        }
        self.follow_up(self.ledger().newer(&watched).await?).await
    }

    /// Brings watchers here up to these events, reading what they need in one question.
    async fn follow_up(&self, newest: impl IntoIterator<Item = (GameId, u64)>) -> Result<(), LedgerError> {
        let hear = |(game, seq): (GameId, u64)| Some((game, self.shared.feed.hear(game, seq)?));
        let known: Vec<(GameId, u64)> = newest.into_iter().filter_map(hear).collect();
        let events = self.ledger().new_events(&known).await?;
        events.chunk_by(|one, next| one.game == next.game).for_each(|of_game| self.shared.feed.publish(of_game));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uuid(n: u64) -> Uuid {
        uuid::Builder::from_unix_timestamp_millis(n, &[0; 10]).into_uuid()
    }

    #[test]
    fn what_one_instance_writes_another_reads_and_itself_passes_over() {
        let notices: BTreeMap<GameId, Notice> = (0..500)
            .map(|n| {
                let seated = (0..n % 3).map(|m| PlayerId::new(uuid(n + m)).unwrap()).collect();
                (GameId::new(uuid(n)).unwrap(), Notice { seq: n * n, seated })
            })
            .collect();
        let texts = write(uuid(1), notices.clone());
        assert!(texts.len() > 1 && texts.iter().all(|text| text.len() <= MAX_ANNOUNCEMENT));
        let heard: BTreeMap<_, _> = texts.iter().flat_map(|text| read(uuid(2), text)).collect();
        assert_eq!(heard, notices);
        assert!(texts.iter().all(|text| read(uuid(1), text).is_empty()));
        for foreign in ["", "hello", "00000000000000000000000000000000 x:y z"] {
            assert!(read(uuid(2), foreign).is_empty());
        }
    }
}
