//! What one thread does: its share of the tables and watchers, on a runtime of its own.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinSet, LocalSet};

use super::LoadError;
use super::caller::House;
use super::choice::Lot;
use super::kept::Kept;
use super::read_back;
use super::report::ReadBackReport;
use super::table::{Game, Play, Table};
use super::tally::{Progress, Tally, Window};
use super::watcher::{Sight, Watcher};
use crate::keys::Jwk;

/// How many tables are set up at once.
const BUILDERS: usize = 16;
/// How long watchers may take to hear of the last moves.
const CATCH_UP: Duration = Duration::from_secs(5);

/// How far all threads may go.
#[derive(Debug, Clone, Copy)]
pub enum Phase {
    /// Sign players up, and begin games.
    Games,
    /// Have watchers listen.
    Watchers,
    /// Play.
    Play(Window),
}

impl Phase {
    /// When it is measured, once that is known.
    pub fn window(self) -> Option<Window> {
        match self {
            Self::Play(window) => Some(window),
            Self::Games | Self::Watchers => None,
        }
    }
}

/// What a thread has to do.
#[derive(Clone)]
pub struct Plan {
    /// What is played.
    pub play: Play,
    /// Where the instances are.
    pub addresses: Arc<[std::net::SocketAddr]>,
    /// Where watchers ask.
    pub watch_addresses: Arc<[std::net::SocketAddr]>,
    /// How long to go on where nobody answers.
    pub patience: Duration,
    /// The first table of this thread.
    pub first_table: usize,
    /// The tables of this thread.
    pub tables: usize,
    /// The games that stand still, of this thread.
    pub standing: usize,
    /// Watchers of games that are played.
    pub watchers: usize,
    /// Watchers of games that stand still.
    pub idle_watchers: usize,
    /// How many of the tables may ask at once; `None`: all.
    pub in_flight: Option<usize>,
    /// How many games may still be begun, by all threads; `None`: any number.
    pub games_left: Option<Arc<AtomicU64>>,
    /// Whether the logs are read back in the end.
    pub read_back: bool,
    /// The keys by which signatures are verified then, if they are.
    pub keys: Option<Arc<[Jwk]>>,
    /// Where lots begin.
    pub seed: u64,
}

/// What a thread has found.
pub struct Found {
    /// What it counted.
    pub tally: Tally,
    /// What the logs held.
    pub read_back: ReadBackReport,
}

/// The games that a thread has begun.
type Games = Rc<RefCell<Vec<Rc<Kept>>>>;

/// Runs a share. `ready` is told when all games are set up, and when all watchers listen; `phase` says when to go on.
///
/// # Errors
///
/// When no instance answers any more, or something is refused that nothing can be done without.
pub fn run(
    plan: Plan,
    progress: Arc<Progress>,
    phase: watch::Receiver<Phase>,
    ready: mpsc::Sender<()>,
) -> Result<Found, LoadError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(LoadError::Io)?;
    LocalSet::new().block_on(&runtime, share(plan, progress, phase, ready))
}

async fn share(
    plan: Plan,
    progress: Arc<Progress>,
    mut phase: watch::Receiver<Phase>,
    ready: mpsc::Sender<()>,
) -> Result<Found, LoadError> {
    let tally = Rc::new(RefCell::new(Tally::default()));
    let house = House {
        addresses: plan.addresses.clone(),
        patience: plan.patience,
        tally: tally.clone(),
        progress,
        turns: plan.in_flight.map(|turns| Rc::new(Semaphore::new(turns))),
        idle: Rc::new(RefCell::new(plan.addresses.iter().map(|_| Vec::new()).collect())),
    };
    let mut lot = Lot::new(plan.seed);
    let games: Games = Rc::default();
    let idle = stand(&plan, &house, &mut lot, &games).await?;
    let set_up = gather(&plan, &house, &mut lot).await?;
    // Nobody listens where somebody else has failed already; then nobody says how to go on, either.
    let _ = ready.send(());
    let stopped = |_| LoadError::NobodyAnswers;
    phase.wait_for(|phase| !matches!(phase, Phase::Games)).await.map_err(stopped)?;
    let (mut tables, mut shown) = (JoinSet::new(), Vec::new());
    for (table, first) in set_up {
        let kept = first.as_ref().map(|game| game.kept.clone());
        games.borrow_mut().extend(kept.clone());
        let (announce, announced) = watch::channel(kept);
        shown.push(announced);
        let (games, phase, left) = (games.clone(), phase.clone(), plan.games_left.clone());
        tables.spawn_local(run_table(table, first, games, phase, left, announce));
    }
    let mut watchers = Watchers::new(&plan, &house, &phase);
    watchers.gather(&shown, &idle).await?;
    let _ = ready.send(());
    drop(ready);
    while let Some(table) = tables.join_next().await {
        table.map_err(|_| LoadError::Panicked)??;
    }
    watchers.finish(&shown, &tally).await?;
    drop(watchers);
    let games = games.take();
    let read_back = match plan.read_back {
        true => read_back::read_back(&house, &games, plan.keys.as_deref()).await?,
        false => ReadBackReport::default(),
    };
    let tally = tally.take();
    Ok(Found { tally, read_back })
}

/// Whether one more game may be begun.
fn claim(left: Option<&AtomicU64>) -> bool {
    left.is_none_or(|left| left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok())
}

/// Gathers so many tables at once and has each do `work`, until that finds nothing more to do.
async fn build<T, W>(count: usize, plan: &Plan, house: &House, lot: &mut Lot, work: W) -> Result<Vec<T>, LoadError>
where
    T: 'static,
    W: AsyncFn(House, Rc<Play>, Lot, usize) -> Result<Vec<T>, LoadError> + Clone + 'static,
{
    let play = Rc::new(plan.play.clone());
    let mut builders = JoinSet::new();
    for number in 0..BUILDERS.min(count) {
        let (house, play, lot, work) = (house.clone(), play.clone(), lot.another(), work.clone());
        builders.spawn_local(async move { work(house, play, lot, number).await });
    }
    let mut all = Vec::new();
    while let Some(made) = builders.join_next().await {
        all.extend(made.map_err(|_| LoadError::Panicked)??);
    }
    Ok(all)
}

/// Sets up the games that stand still.
async fn stand(plan: &Plan, house: &House, lot: &mut Lot, games: &Games) -> Result<Vec<Rc<Kept>>, LoadError> {
    let left = Rc::new(Cell::new(plan.standing));
    let idle = build(plan.standing, plan, house, lot, async move |house: House, play, lot, number| {
        let mut table = Table::gather(house.clone(), play, number, lot).await?;
        let mut made = Vec::new();
        while let Some(rest) = left.get().checked_sub(1) {
            left.set(rest);
            made.push(table.begin().await?.kept);
            Progress::count(&house.progress.games_begun);
        }
        table.release();
        Ok(made)
    });
    let idle = idle.await?;
    games.borrow_mut().extend(idle.iter().cloned());
    Ok(idle)
}

/// Sets up the tables, each with its first game, if it gets one.
async fn gather(plan: &Plan, house: &House, lot: &mut Lot) -> Result<Vec<(Table, Option<Game>)>, LoadError> {
    let (next, end) = (Rc::new(Cell::new(plan.first_table)), plan.first_table + plan.tables);
    let games_left = plan.games_left.clone();
    build(plan.tables, plan, house, lot, async move |house: House, play: Rc<Play>, mut lot: Lot, _| {
        let mut made = Vec::new();
        while next.get() < end {
            let number = next.replace(next.get() + 1);
            let mut table = Table::gather(house.clone(), play.clone(), number, lot.another()).await?;
            let first = if claim(games_left.as_deref()) { Some(table.begin().await?) } else { None };
            if house.turns.is_some() {
                table.release();
            }
            Progress::count(&house.progress.games_begun);
            made.push((table, first));
        }
        Ok(made)
    })
    .await
}

/// Plays at a table until the time is over or there are enough games.
async fn run_table(
    mut table: Table,
    first: Option<Game>,
    games: Games,
    mut phase: watch::Receiver<Phase>,
    left: Option<Arc<AtomicU64>>,
    announce: watch::Sender<Option<Rc<Kept>>>,
) -> Result<(), LoadError> {
    let begun = phase.wait_for(|phase| phase.window().is_some()).await.ok().and_then(|phase| phase.window());
    let (Some(window), Some(mut game)) = (begun, first) else { return Ok(()) };
    loop {
        table.play(&mut game, window).await?;
        table.note_end(&game);
        if window.is_past(Instant::now()) || !claim(left.as_deref()) {
            return Ok(());
        }
        game = table.begin().await?;
        games.borrow_mut().push(game.kept.clone());
        announce.send_replace(Some(game.kept.clone()));
    }
}

/// Whoever watches.
struct Watchers {
    tasks: JoinSet<Result<(), LoadError>>,
    /// By watcher: which table it watches, and how far it has seen.
    live: Vec<(usize, Rc<Sight>)>,
    idle: Vec<Rc<Sight>>,
    house: House,
    phase: watch::Receiver<Phase>,
    plan: (usize, usize),
    /// What the idle ones watch, kept so that their watching goes on.
    standing: Vec<watch::Sender<Option<Rc<Kept>>>>,
}

impl Watchers {
    fn new(plan: &Plan, house: &House, phase: &watch::Receiver<Phase>) -> Self {
        let house = House { addresses: plan.watch_addresses.clone(), ..house.clone() };
        let (tasks, live, idle, standing) = (JoinSet::new(), Vec::new(), Vec::new(), Vec::new());
        Self { tasks, live, idle, house, phase: phase.clone(), plan: (plan.watchers, plan.idle_watchers), standing }
    }

    /// Has all of them listen.
    async fn gather(
        &mut self,
        tables: &[watch::Receiver<Option<Rc<Kept>>>],
        idle: &[Rc<Kept>],
    ) -> Result<(), LoadError> {
        for number in 0..self.plan.0 {
            let Some(table) = number.checked_rem(tables.len()) else { return Err(LoadError::NothingToWatch) };
            let sight = self.listen(number, tables[table].clone());
            self.live.push((table, sight));
            self.settle(64).await?;
        }
        for number in 0..self.plan.1 {
            let Some(game) = number.checked_rem(idle.len()) else { return Err(LoadError::NothingToWatch) };
            let (sender, game) = watch::channel(Some(idle[game].clone()));
            self.standing.push(sender);
            let sight = self.listen(number, game);
            self.idle.push(sight);
            self.settle(64).await?;
        }
        self.settle(0).await
    }

    fn listen(&mut self, number: usize, games: watch::Receiver<Option<Rc<Kept>>>) -> Rc<Sight> {
        let sight = Rc::new(Sight::default());
        let watcher = Watcher::new(self.house.clone(), number, games, self.phase.clone());
        self.tasks.spawn_local(watcher.run(sight.clone()));
        sight
    }

    /// Waits until no more than so many of the newest do not listen yet.
    async fn settle(&mut self, at_most: usize) -> Result<(), LoadError> {
        let live = self.live.iter().map(|(_, sight)| sight);
        let waiting = |sights: &mut dyn Iterator<Item = &Rc<Sight>>| sights.filter(|one| !one.is_listening()).count();
        // Only the newest can still be waiting.
        let newest: Vec<Rc<Sight>> = live.rev().take(256).chain(self.idle.iter().rev().take(256)).cloned().collect();
        while waiting(&mut newest.iter()) > at_most {
            if let Some(failed) = self.tasks.try_join_next() {
                failed.map_err(|_| LoadError::Panicked)??;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }

    /// Gives them time to hear of the last moves; what they have not heard of then is missing.
    async fn finish(
        &mut self,
        tables: &[watch::Receiver<Option<Rc<Kept>>>],
        tally: &RefCell<Tally>,
    ) -> Result<(), LoadError> {
        let until = Instant::now() + CATCH_UP;
        let behind = |live: &[(usize, Rc<Sight>)]| -> u64 {
            let of = |(table, sight): &(usize, Rc<Sight>)| {
                let events = tables[*table].borrow().as_ref().map_or(0, |game| game.len());
                events.saturating_sub(sight.seen())
            };
            live.iter().map(of).sum()
        };
        while behind(&self.live) > 0 && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tally.borrow_mut().watched.missing += behind(&self.live);
        while let Some(ended) = self.tasks.try_join_next() {
            ended.map_err(|_| LoadError::Panicked)??;
        }
        Ok(())
    }
}
