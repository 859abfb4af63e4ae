//! A player's own games: where they stand, and what is new of any of them.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use utoipa::ToSchema;

use super::{Dealer, DealerError, LobbyFilter};
use crate::event::PlayerRef;
use crate::feed::Following;
use crate::game::GameResult;
use crate::games::Kind;
use crate::ids::{GameId, PlayerId};
use crate::seat::Seat;
use crate::table::{Awaits, Status, Table};
use crate::timestamp::Timestamp;

/// How many games are told of at most, the newest of each status first.
const MOST: usize = 1000;
/// How many are read at a time.
const PAGE: u32 = 100;

/// A game of the player that is not over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct OwnGame {
    /// The game.
    pub game: GameId,
    /// The kind of game.
    pub kind: Kind,
    /// The player's seat.
    pub seat: Seat,
    /// The newest event.
    pub seq: u64,
    /// Where it is on its way.
    pub status: Status,
    /// The seats that owe what is awaited, ascending.
    pub to_act: Vec<Seat>,
}

/// Where all games of the player stand that are not over: the first thing that is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Snapshot {
    /// The games, by id.
    pub games: Vec<OwnGame>,
}

/// The player's turn has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct YourTurn {
    /// The game.
    pub game: GameId,
    /// The newest event.
    pub seq: u64,
    /// When that was.
    pub at: Timestamp,
    /// What is awaited of the player.
    pub awaits: Awaits,
    /// The number of the decision; null for a seed.
    #[schema(required, minimum = 1)]
    pub step: Option<u32>,
    /// Until when it must come; null where it is never late.
    #[schema(required)]
    pub due_at: Option<Timestamp>,
}

/// Somebody sat down, the player included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SeatTaken {
    /// The game.
    pub game: GameId,
    /// The newest event that the stream knew when it told this; who sat down before it looked is told with a later one.
    pub seq: u64,
    /// When that event was.
    pub at: Timestamp,
    /// Where.
    pub seat: Seat,
    /// Who.
    pub player: PlayerRef,
}

/// The game has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct GameStarted {
    /// The game.
    pub game: GameId,
    /// The newest event.
    pub seq: u64,
    /// When that was.
    pub at: Timestamp,
}

/// The game has ended, or is void. Nothing more is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct GameEnded {
    /// The game.
    pub game: GameId,
    /// The newest event.
    pub seq: u64,
    /// When that was.
    pub at: Timestamp,
    /// Whether it ended or is void.
    pub status: Status,
    /// How it ended; null where it is void.
    #[schema(required)]
    pub result: Option<GameResult>,
}

/// What a player is told of its games.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schema(as = News)]
pub enum News {
    /// Where all games stand.
    Snapshot(Snapshot),
    /// The player's turn has come.
    YourTurn(YourTurn),
    /// Somebody sat down.
    SeatTaken(SeatTaken),
    /// A game has started.
    GameStarted(GameStarted),
    /// A game has ended, or is void.
    GameEnded(GameEnded),
}

impl News {
    /// The names of all that is told.
    pub const TYPES: &[&str] = &["snapshot", "your_turn", "seat_taken", "game_started", "game_ended"];

    /// The name of what is told, as its `type` has it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Snapshot(_) => "snapshot",
            Self::YourTurn(_) => "your_turn",
            Self::SeatTaken(_) => "seat_taken",
            Self::GameStarted(_) => "game_started",
            Self::GameEnded(_) => "game_ended",
        }
    }
}

/// What the player has been told of a game.
#[derive(Default)]
struct Told {
    seated: Vec<(Seat, PlayerRef)>,
    started: bool,
    turn: Option<(Awaits, Option<u32>)>,
}

/// A player who is told of its games for as long as it listens.
pub struct MyGames {
    dealer: Dealer,
    player: PlayerId,
    following: Following,
    told: BTreeMap<GameId, Told>,
    news: VecDeque<News>,
}

impl Dealer {
    /// Begins to tell a player of its games.
    ///
    /// # Errors
    ///
    /// When the database is away.
    pub async fn my_games(&self, player: PlayerId) -> Result<MyGames, DealerError> {
        let following = Following::new(&self.shared.feed, player);
        let mut mine =
            MyGames { dealer: self.clone(), player, following, told: BTreeMap::new(), news: VecDeque::new() };
        let mut games = BTreeMap::new();
        for status in [Status::Playing, Status::Closed, Status::Open] {
            for game in self.own_games(player, status).await? {
                if games.len() < MOST
                    && let Some(own) = mine.begin(game).await?
                {
                    games.insert(game, own);
                }
            }
        }
        mine.news.push_back(News::Snapshot(Snapshot { games: games.into_values().collect() }));
        Ok(mine)
    }

    async fn own_games(&self, player: PlayerId, status: Status) -> Result<Vec<GameId>, DealerError> {
        let filter = LobbyFilter { kind: None, status: Some(status), player: Some(player) };
        let (mut games, mut from) = (Vec::new(), None);
        while games.len() < MOST {
            let page = self.games(filter.clone(), Some(player), from, PAGE).await?;
            games.extend(page.games.iter().map(|row| row.game));
            from = page.next;
            if from.is_none() {
                break;
            }
        }
        Ok(games)
    }
}

impl MyGames {
    /// What is to be told next, if anything is.
    pub fn pop(&mut self) -> Option<News> {
        self.news.pop_front()
    }

    /// Waits for games of which there is something new, with the newest event of each. May be given up and called again.
    pub async fn changed(&self) -> BTreeMap<GameId, u64> {
        self.following.news().await
    }

    /// Finds out what is new of these games.
    ///
    /// # Errors
    ///
    /// When the database is away; then it is best to begin anew.
    pub async fn look_at(&mut self, changed: BTreeMap<GameId, u64>) -> Result<(), DealerError> {
        for (game, seq) in changed {
            self.look(game, seq).await?;
        }
        Ok(())
    }

    /// Follows a game of which nothing was told.
    async fn begin(&mut self, game: GameId) -> Result<Option<OwnGame>, DealerError> {
        // First followed, then read: what comes in between is told.
        self.following.follow(game);
        let player = self.player;
        let (own, told) = self.dealer.read(game, |table| (own_game(table, player), Told::of(table, player))).await?;
        match own.filter(|own| !matches!(own.status, Status::Ended | Status::Voided)) {
            Some(own) => {
                self.following.has_read(game, own.seq);
                // Whose turn it is stands in the snapshot, and is told by it.
                self.told.insert(game, told);
                Ok(Some(own))
            }
            None => {
                self.following.leave(game);
                Ok(None)
            }
        }
    }

    async fn look(&mut self, game: GameId, seq: u64) -> Result<(), DealerError> {
        if !self.told.contains_key(&game) {
            if self.told.len() >= MOST {
                return Ok(());
            }
            self.following.follow(game);
        }
        let player = self.player;
        let mut told = self.told.remove(&game).unwrap_or_default();
        let (news, goes_on) =
            self.dealer.read_from(game, seq, |table| (told.catch_up(table, player), goes_on(table, player))).await?;
        self.news.extend(news);
        if goes_on {
            self.told.insert(game, told);
        } else {
            self.following.leave(game);
        }
        Ok(())
    }
}

fn goes_on(table: &Table, player: PlayerId) -> bool {
    !table.is_over() && table.seat_of(player).is_some()
}

fn own_game(table: &Table, player: PlayerId) -> Option<OwnGame> {
    Some(OwnGame {
        game: table.game(),
        kind: table.kind(),
        seat: table.seat_of(player)?,
        seq: table.seq(),
        status: table.status(),
        to_act: table.to_act(),
    })
}

fn seated(table: &Table) -> Vec<(Seat, PlayerRef)> {
    table.places().iter().filter_map(|(seat, place)| Some((seat, (*place)?.player.clone()))).collect()
}

fn turn(table: &Table, player: PlayerId) -> Option<(Awaits, Option<u32>)> {
    let seat = table.seat_of(player)?;
    table.to_act().contains(&seat).then(|| Some((table.awaits()?, table.step())))?
}

impl Told {
    fn of(table: &Table, player: PlayerId) -> Self {
        let started = !matches!(table.status(), Status::Open | Status::Closed);
        Self { seated: seated(table), started, turn: turn(table, player) }
    }

    /// What is to be told now, in the order in which it came about.
    fn catch_up(&mut self, table: &Table, player: PlayerId) -> Vec<News> {
        let now = Self::of(table, player);
        let (game, seq, at) = (table.game(), table.seq(), table.at());
        let mut news = Vec::new();
        for (seat, player) in now.seated.iter().filter(|sitting| !self.seated.contains(sitting)).cloned() {
            news.push(News::SeatTaken(SeatTaken { game, seq, at, seat, player }));
        }
        if now.started && !self.started && table.status() != Status::Voided {
            news.push(News::GameStarted(GameStarted { game, seq, at }));
        }
        if let Some((awaits, step)) = now.turn.filter(|turn| self.turn.as_ref() != Some(turn)) {
            let due_at = table.due_at();
            news.push(News::YourTurn(YourTurn { game, seq, at, awaits, step, due_at }));
        }
        if table.is_over() {
            let (status, result) = (table.status(), table.result().cloned());
            news.push(News::GameEnded(GameEnded { game, seq, at, status, result }));
        }
        *self = now;
        news
    }
}
