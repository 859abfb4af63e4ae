//! Who watches which game on this instance, and what they are told.
//!
//! Whoever watches is told that there is something new, and then takes what it has not seen: from the newest events,
//! which are kept here as long as somebody watches, or from the log. So nothing is queued for anybody, a slow reader
//! costs no memory and delays nobody, and no event can come twice or be left out.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};

use crate::event::{Body, Event};
use crate::ids::{GameId, PlayerId};

/// How many events of a watched game are kept; whoever is further behind reads the log.
const KEPT: usize = 64;

/// An event as it is sent to everybody: once made, shared by all.
#[derive(Clone)]
pub struct Published {
    /// The event.
    pub event: Arc<Event>,
    /// The event as JSON.
    pub json: Arc<str>,
}

impl Published {
    /// An event, and its JSON.
    pub fn new(event: Event) -> Self {
        // An event is a tree of texts, numbers and lists: writing it can't fail.
        let json = serde_json::to_string(&event).unwrap_or_default().into();
        Self { event: Arc::new(event), json }
    }
}

/// The watchers of this instance.
#[derive(Default)]
pub struct Feed {
    games: Mutex<HashMap<GameId, Watched>>,
    players: Mutex<HashMap<PlayerId, Vec<Arc<Inbox>>>>,
    closing: watch::Sender<bool>,
}

/// A game that somebody watches.
struct Watched {
    /// How many events are known to be in its log; 0 where nobody has looked yet.
    length: watch::Sender<u64>,
    kept: VecDeque<Published>,
    watchers: usize,
    /// The players who are told of their games and take part in this one.
    followers: Vec<Arc<Inbox>>,
}

/// The games of a player of which there is something new.
struct Inbox {
    player: PlayerId,
    /// The newest event of each.
    games: Mutex<BTreeMap<GameId, u64>>,
    news: Notify,
}

/// None of the maps is ever left half changed, so a panic elsewhere leaves them usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Inbox {
    fn put(&self, game: GameId, seq: u64) {
        let mut games = lock(&self.games);
        let newest = games.entry(game).or_insert(seq);
        *newest = seq.max(*newest);
        drop(games);
        self.news.notify_one();
    }
}

impl Watched {
    fn new() -> Self {
        Self { length: watch::Sender::new(0), kept: VecDeque::new(), watchers: 0, followers: Vec::new() }
    }

    fn is_idle(&self) -> bool {
        self.watchers == 0 && self.followers.is_empty()
    }

    fn announce(&self, game: GameId, seq: u64) {
        let is_news = self.length.send_if_modified(|length| {
            let is_news = seq >= *length;
            *length = (*length).max(seq.saturating_add(1));
            is_news
        });
        if is_news {
            self.followers.iter().for_each(|inbox| inbox.put(game, seq));
        }
    }
}

impl Feed {
    /// Tells the watchers of a game of events that were appended, in order; those that are known already are passed
    /// over.
    pub fn publish(&self, events: &[Event]) {
        let Some(last) = events.last() else { return };
        self.seat(events);
        let mut games = lock(&self.games);
        let Some(watched) = games.get_mut(&last.game) else { return };
        if watched.watchers > 0 {
            for event in events {
                // What is kept has no gap; after one it begins anew.
                match watched.kept.back().map(|kept| kept.event.seq) {
                    Some(newest) if event.seq <= newest => continue,
                    Some(newest) if event.seq > newest + 1 => watched.kept.clear(),
                    _ => {}
                }
                watched.kept.push_back(Published::new(event.clone()));
                if watched.kept.len() > KEPT {
                    watched.kept.pop_front();
                }
            }
        }
        watched.announce(last.game, last.seq);
    }

    /// Who sat down by these events follows the game from now on.
    fn seat(&self, events: &[Event]) {
        for event in events {
            if let Body::Seated(seated) = &event.body {
                self.seated(event.game, event.seq, seated.player.id);
            }
        }
    }

    /// Tells a player's streams of a game at which it sat down.
    pub fn seated(&self, game: GameId, seq: u64, player: PlayerId) {
        for inbox in lock(&self.players).get(&player).into_iter().flatten() {
            inbox.put(game, seq);
        }
    }

    /// Takes in that a game has this event, appended by another instance. Says from which event on the log is to be
    /// read and published, so that not each watcher reads it by itself; `None` where that is no use.
    pub fn hear(&self, game: GameId, seq: u64) -> Option<u64> {
        let games = lock(&self.games);
        let watched = games.get(&game)?;
        let length = *watched.length.borrow();
        let few = seq.checked_sub(length).is_some_and(|more| more < KEPT as u64);
        if few && watched.watchers > 0 {
            return Some(length);
        }
        watched.announce(game, seq);
        None
    }

    /// Every game that somebody watches or follows here, and how many of its events are known here.
    pub fn watched(&self) -> Vec<(GameId, u64)> {
        lock(&self.games).iter().map(|(game, watched)| (*game, *watched.length.borrow())).collect()
    }

    /// How many streams there are: of games, and of players.
    pub fn streams(&self) -> (usize, usize) {
        let games = lock(&self.games).values().map(|watched| watched.watchers).sum();
        let players = lock(&self.players).values().map(Vec::len).sum();
        (games, players)
    }

    /// Whether all streams are to end: whoever watches may go on at another instance.
    pub fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    /// Ends all streams.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    fn change(&self, game: GameId, change: impl FnOnce(&mut Watched)) {
        let mut games = lock(&self.games);
        let watched = games.entry(game).or_insert_with(Watched::new);
        change(watched);
        if watched.is_idle() {
            games.remove(&game);
        } else if watched.watchers == 0 {
            watched.kept.clear();
        }
    }
}

/// A watcher of one game; it stops watching when dropped.
pub struct Watch {
    feed: Arc<Feed>,
    game: GameId,
    length: watch::Receiver<u64>,
}

impl Watch {
    /// Watches a game from now on. What was appended before is in the log.
    pub fn new(feed: &Arc<Feed>, game: GameId) -> Self {
        let mut games = lock(&feed.games);
        let watched = games.entry(game).or_insert_with(Watched::new);
        watched.watchers += 1;
        let length = watched.length.subscribe();
        drop(games);
        Self { feed: Arc::clone(feed), game, length }
    }

    /// Waits until there is an event with this number.
    pub async fn news(&mut self, next: u64) {
        // The sender lives as long as somebody watches, so this waits for news alone.
        let _ = self.length.wait_for(|length| *length > next).await;
    }

    /// Whether there is said to be an event with this number.
    pub fn has_news(&self, next: u64) -> bool {
        *self.length.borrow() > next
    }

    /// Says that the log was read up to here, so that nobody is asked for what is known.
    pub fn has_read(&self, seq: u64) {
        self.feed.change(self.game, |watched| watched.announce(self.game, seq));
    }

    /// The events from this one on, if all of them are kept; else the log has them.
    pub fn take(&self, next: u64) -> Option<Vec<Published>> {
        let games = lock(&self.feed.games);
        let kept = &games.get(&self.game)?.kept;
        let first = kept.front()?.event.seq;
        (first <= next).then(|| kept.iter().filter(|kept| kept.event.seq >= next).cloned().collect())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.feed.change(self.game, |watched| watched.watchers = watched.watchers.saturating_sub(1));
    }
}

/// A player who is told of its games; it stops following them when dropped.
pub struct Following {
    feed: Arc<Feed>,
    inbox: Arc<Inbox>,
    games: BTreeSet<GameId>,
}

impl Following {
    /// Is told from now on of games at which the player sits down, and of those it follows.
    pub fn new(feed: &Arc<Feed>, player: PlayerId) -> Self {
        let inbox = Arc::new(Inbox { player, games: Mutex::default(), news: Notify::new() });
        lock(&feed.players).entry(player).or_default().push(Arc::clone(&inbox));
        Self { feed: Arc::clone(feed), inbox, games: BTreeSet::new() }
    }

    /// Follows a game from now on. What was appended before is in the log.
    pub fn follow(&mut self, game: GameId) {
        if self.games.insert(game) {
            self.feed.change(game, |watched| watched.followers.push(Arc::clone(&self.inbox)));
        }
    }

    /// Says that the log of a game was read up to here, so that nobody is asked for what is known.
    pub fn has_read(&self, game: GameId, seq: u64) {
        self.feed.change(game, |watched| watched.announce(game, seq));
    }

    /// Follows a game no more.
    pub fn leave(&mut self, game: GameId) {
        if self.games.remove(&game) {
            self.remove(game);
        }
    }

    fn remove(&self, game: GameId) {
        self.feed.change(game, |watched| watched.followers.retain(|inbox| !Arc::ptr_eq(inbox, &self.inbox)));
    }

    /// Waits for news of any game: the games, with the newest event of each.
    pub async fn news(&self) -> BTreeMap<GameId, u64> {
        loop {
            let games = std::mem::take(&mut *lock(&self.inbox.games));
            if !games.is_empty() {
                return games;
            }
            self.inbox.news.notified().await;
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.games.iter().for_each(|game| self.remove(*game));
        let mut players = lock(&self.feed.players);
        let Some(inboxes) = players.get_mut(&self.inbox.player) else { return };
        inboxes.retain(|inbox| !Arc::ptr_eq(inbox, &self.inbox));
        if inboxes.is_empty() {
            players.remove(&self.inbox.player);
        }
    }
}
