//! `croupier load`: whole games, many at once, over HTTP; how fast the service is, and whether it keeps its promises.
//!
//! Every answer is checked as it comes: its events must be chained to those before, with no gap; no view may be older
//! than what its reader was told. In the end every log is read back, and must hold what was acknowledged. Instances
//! may die meanwhile: what was not answered is asked again of another.
//!
//! It shares the machine with what it measures, so it is lean: one thread, connections that are kept, and answers of
//! which only the fields that count are read.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch;

use crate::canonical;
use crate::dealer::inputs::Inputs;
use crate::demo::{kind_parser, options_parser, teller};
use crate::games::Kind;
use crate::keys::Jwk;

mod answer;
mod caller;
mod choice;
mod connection;
mod histogram;
mod kept;
mod load_error;
mod processes;
mod read_back;
mod report;
mod scan;
mod share;
mod table;
mod tally;
mod watcher;

pub use load_error::LoadError;
pub use processes::{Process, Usage};
pub use report::Report;

use report::{ProcessReport, ReadBackReport, WatchersReport};
use share::{Found, Phase, Plan};
use table::Play;
use tally::{Progress, Tally, Window};

/// What to play, how much of it, and where.
#[derive(Debug, Clone, Args)]
pub struct Load {
    /// The instances, as host:port or http://host:port; several with commas, or by naming this several times.
    #[arg(long = "address", env = "CROUPIER", default_value = "127.0.0.1:8080", value_delimiter = ',')]
    pub addresses: Vec<String>,
    /// The game.
    #[arg(long, default_value = "spite_and_malice", value_parser = kind_parser())]
    pub kind: Kind,
    /// What to choose for the game, as JSON, like '{"target": 5}'; by default what makes a short game.
    #[arg(long, value_parser = options_parser)]
    pub options: Option<Value>,
    /// How many play a game; by default two, or as many as it takes.
    #[arg(long)]
    pub seats: Option<u8>,
    /// How many games are played at once.
    #[arg(long, default_value_t = 64)]
    pub games: usize,
    /// How many requests may be under way at once; the games take turns then. By default one a game.
    #[arg(long)]
    pub in_flight: Option<usize>,
    /// For how long it is measured; by default 10 seconds, or until --total-games are over.
    #[arg(long)]
    pub seconds: Option<f64>,
    /// How long it runs before it is measured.
    #[arg(long, default_value_t = 1.0)]
    pub warm_up: f64,
    /// How many games to play in all.
    #[arg(long)]
    pub total_games: Option<u64>,
    /// How many moves a second to make in all, instead of as many as can be.
    #[arg(long)]
    pub rate: Option<f64>,
    /// How long each player thinks before each move, in milliseconds.
    #[arg(long, default_value_t = 0)]
    pub think_ms: u64,
    /// How many more games to begin and leave standing before it is measured.
    #[arg(long, default_value_t = 0)]
    pub games_in_progress: usize,
    /// How many watch the games that are played, over event streams.
    #[arg(long, default_value_t = 0)]
    pub watchers: usize,
    /// How many watch games that stand still.
    #[arg(long, default_value_t = 0)]
    pub idle_watchers: usize,
    /// The instances that watchers ask; by default the same.
    #[arg(long = "watch-address", value_delimiter = ',')]
    pub watch_addresses: Vec<String>,
    /// Have the seats of one game ask different instances; else a game stays with one while that lives.
    #[arg(long)]
    pub spread_seats: bool,
    /// How many threads make the load.
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
    /// How long to go on asking where no instance answers, in seconds.
    #[arg(long, default_value_t = 30.0)]
    pub patience: f64,
    /// Do not read the logs back in the end.
    #[arg(long)]
    pub no_read_back: bool,
    /// Verify every hash and every signature as well when the logs are read back.
    #[arg(long, conflicts_with = "no_read_back")]
    pub verify_signatures: bool,
    /// A process to tell the processor time and the memory of, as NAME=PID; its children count too.
    #[arg(long = "process")]
    pub processes: Vec<Process>,
    /// Tell the result as JSON.
    #[arg(long)]
    pub json: bool,
    /// Do not tell every second how it goes on.
    #[arg(long)]
    pub quiet: bool,
}

/// Plays, and tells what was seen.
///
/// # Errors
///
/// See [`LoadError`]. A promise that was not kept is none of them: [`Report::is_good`] tells.
pub fn run(load: &Load, inputs: &Inputs) -> Result<Report, LoadError> {
    let plans = plans(load, inputs)?;
    let mut report = blank_report(load);
    let mut meters = Meters::new(load);
    let progress = Arc::new(Progress::default());
    let (begin, phase) = watch::channel(Phase::Games);
    let (ready, is_ready) = mpsc::channel::<()>();
    let threads: Vec<_> = plans
        .into_iter()
        .map(|plan| {
            let (progress, phase, ready) = (progress.clone(), phase.clone(), ready.clone());
            thread::spawn(move || share::run(plan, progress, phase, ready))
        })
        .collect();
    drop((phase, ready));
    let teller = Teller { progress: &progress, quiet: load.quiet };
    if teller.wait_until_ready(&is_ready, threads.len()) {
        meters.read();
        begin.send_replace(Phase::Watchers);
        if teller.wait_until_ready(&is_ready, threads.len()) {
            measure(load, &begin, &threads, &teller, &mut meters, &mut report);
        }
    }
    drop(begin);
    finish(load, threads, &mut report)?;
    Ok(report)
}

/// What each thread does.
fn plans(load: &Load, inputs: &Inputs) -> Result<Vec<Plan>, LoadError> {
    let addresses = resolve(&load.addresses)?;
    let watch_addresses =
        if load.watch_addresses.is_empty() { addresses.clone() } else { resolve(&load.watch_addresses)? };
    let (least, most) = load.kind.seats();
    let seats = load.seats.unwrap_or(2.clamp(least, most));
    if !(least..=most).contains(&seats) {
        return Err(LoadError::Setup(format!("{} is played on {least} to {most} seats", load.kind.name())));
    }
    let threads = load.threads.clamp(1, load.games.max(1));
    // A share of what there is: the first threads have one more where it does not come out even.
    let share = |all: usize, thread: usize| all / threads + usize::from(thread < all % threads);
    let keys = if load.verify_signatures { Some(event_keys(&addresses)?) } else { None };
    let games_left = load.total_games.map(|total| Arc::new(AtomicU64::new(total)));
    let play = Play {
        kind: load.kind,
        options: load.options.clone().unwrap_or_else(|| teller::of(load.kind).options()),
        seats,
        eager: teller::eager(load.kind),
        spread_seats: load.spread_seats,
        watched: load.watchers > 0,
        think: Duration::from_millis(load.think_ms),
        pace: load.rate.map_or(Ok(Duration::ZERO), |rate| seconds(load.games as f64 / rate))?,
    };
    let mut first_table = 0;
    let mut plans = Vec::new();
    for thread in 0..threads {
        let tables = share(load.games, thread);
        plans.push(Plan {
            play: play.clone(),
            addresses: addresses.clone(),
            watch_addresses: watch_addresses.clone(),
            patience: seconds(load.patience)?,
            first_table,
            tables,
            standing: share(load.games_in_progress, thread),
            watchers: share(load.watchers, thread),
            idle_watchers: share(load.idle_watchers, thread),
            in_flight: load.in_flight.map(|all| share(all, thread).max(1)),
            games_left: games_left.clone(),
            read_back: !load.no_read_back,
            keys: keys.clone(),
            seed: u64::from_le_bytes(inputs.bytes()?),
        });
        first_table += tables;
    }
    Ok(plans)
}

fn seconds(seconds: f64) -> Result<Duration, LoadError> {
    Duration::try_from_secs_f64(seconds).map_err(|_| LoadError::Setup(format!("{seconds} is no time to wait")))
}

fn resolve(addresses: &[String]) -> Result<Arc<[SocketAddr]>, LoadError> {
    let resolve = |address: &String| {
        let host = address.strip_prefix("http://").unwrap_or(address).trim_end_matches('/');
        let found = host.to_socket_addrs().ok().and_then(|mut found| found.next());
        found.ok_or_else(|| LoadError::Address(address.clone()))
    };
    addresses.iter().map(resolve).collect()
}

/// The keys that sign events, asked for before there are any.
fn event_keys(addresses: &[SocketAddr]) -> Result<Arc<[Jwk]>, LoadError> {
    #[derive(Deserialize)]
    struct Keys {
        keys: Vec<Jwk>,
    }
    let address = *addresses.first().ok_or(LoadError::NobodyAnswers)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(LoadError::Io)?;
    runtime.block_on(async {
        let mut connection = connection::Connection::open(address).await.map_err(|_| LoadError::NobodyAnswers)?;
        let ask = caller::request("GET", "/.well-known/jwks.json", None, "", "");
        connection.ask(&ask).await.map_err(|_| LoadError::NobodyAnswers)?;
        let keys: Keys = canonical::parse_as(connection.body()).map_err(|_| LoadError::Nonsense("a set of keys"))?;
        Ok(keys.keys.into())
    })
}

/// The processes to look at, ourselves among them, and what they have used at each reading.
struct Meters(Vec<(Process, Vec<Usage>)>);

impl Meters {
    fn new(load: &Load) -> Self {
        let own = Process { name: "load".to_owned(), pid: std::process::id() };
        let mut meters = Self(load.processes.iter().cloned().chain([own]).map(|one| (one, Vec::new())).collect());
        meters.read();
        meters
    }

    fn read(&mut self) {
        // A process that has died uses nothing.
        self.0.iter_mut().for_each(|(process, read)| read.push(Usage::of(process.pid).unwrap_or_default()));
    }

    /// What was used between the third reading and the fourth, in which so many moves were made.
    fn report(self, moves: u64, measured: Duration) -> Vec<ProcessReport> {
        let report = |(process, read): (Process, Vec<Usage>)| {
            let [first, games, before, after] = <[Usage; 4]>::try_from(read).unwrap_or_default();
            let cpu = after.cpu.saturating_sub(before.cpu).as_secs_f64();
            ProcessReport {
                name: process.name,
                cpu_us_per_move: cpu * 1e6 / moves.max(1) as f64,
                cores: cpu / measured.as_secs_f64(),
                resident_kib_at_start: first.resident_kib,
                resident_kib_with_games: games.resident_kib,
                resident_kib_set_up: before.resident_kib,
                resident_kib_at_end: after.resident_kib,
            }
        };
        self.0.into_iter().map(report).collect()
    }
}

fn blank_report(load: &Load) -> Report {
    let watchers = (load.watchers + load.idle_watchers > 0).then(|| WatchersReport {
        watchers: load.watchers,
        idle_watchers: load.idle_watchers,
        ..WatchersReport::default()
    });
    Report {
        kind: load.kind.name(),
        games: load.games,
        games_in_progress: load.games_in_progress,
        seconds: 0.0,
        moves_per_second: 0.0,
        tally: Tally::default(),
        read_back: None,
        watchers,
        processes: Vec::new(),
        timeline: Vec::new(),
    }
}

type Threads = [thread::JoinHandle<Result<Found, LoadError>>];

/// Opens the window, and looks at what goes on in it.
fn measure(
    load: &Load,
    begin: &watch::Sender<Phase>,
    threads: &Threads,
    teller: &Teller<'_>,
    meters: &mut Meters,
    report: &mut Report,
) {
    let warm_up = seconds(load.warm_up).unwrap_or_default();
    let length = load.seconds.or(if load.total_games.is_some() { None } else { Some(10.0) });
    let start = Instant::now() + warm_up;
    let end = length.and_then(|length| start.checked_add(seconds(length).ok()?));
    begin.send_replace(Phase::Play(Window { begin: start, end }));
    let finished = || threads.iter().all(thread::JoinHandle::is_finished);
    thread::sleep(warm_up);
    meters.read();
    let began = Instant::now();
    let first = Progress::read(&teller.progress.moves);
    let (mut moves, mut next) = (first, began);
    let ended = loop {
        next += Duration::from_secs(1);
        let until = end.map_or(next, |end| end.min(next));
        while Instant::now() < until && !finished() {
            thread::sleep(until.saturating_duration_since(Instant::now()).min(Duration::from_millis(50)));
        }
        let now = Instant::now();
        let total = Progress::read(&teller.progress.moves);
        if now >= next {
            report.timeline.push(total - moves);
            teller.tell_second(total - moves);
            moves = total;
        }
        if finished() || end.is_some_and(|end| now >= end) {
            break now;
        }
    };
    meters.read();
    let measured = ended.duration_since(began);
    report.seconds = measured.as_secs_f64();
    let made = Progress::read(&teller.progress.moves) - first;
    report.processes = std::mem::replace(meters, Meters(Vec::new())).report(made, measured);
}

/// Adds up what the threads have found.
fn finish(
    load: &Load,
    threads: Vec<thread::JoinHandle<Result<Found, LoadError>>>,
    report: &mut Report,
) -> Result<(), LoadError> {
    let mut tally = Tally::default();
    let mut read_back = ReadBackReport::default();
    let mut failed = None;
    for thread in threads {
        match thread.join().map_err(|_| LoadError::Panicked).and_then(|found| found) {
            Ok(found) => {
                tally.add(found.tally);
                read_back.add(found.read_back);
            }
            // What came first is the cause: others stop since there is nothing to begin any more.
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    if let Some(error) = failed {
        return Err(error);
    }
    report.read_back = (!load.no_read_back).then_some(read_back);
    report.count(tally, Duration::from_secs_f64(report.seconds.max(1e-3)));
    Ok(())
}

/// Tells on standard error how it goes on.
struct Teller<'a> {
    progress: &'a Progress,
    quiet: bool,
}

impl Teller<'_> {
    /// Whether all threads have set up what they need.
    fn wait_until_ready(&self, ready: &mpsc::Receiver<()>, threads: usize) -> bool {
        let mut count = 0;
        while count < threads {
            match ready.recv_timeout(Duration::from_secs(1)) {
                Ok(()) => count += 1,
                Err(mpsc::RecvTimeoutError::Timeout) if self.quiet => {}
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    let begun = Progress::read(&self.progress.games_begun);
                    eprintln!("setting up: {begun} games, {} watchers", Progress::read(&self.progress.watchers));
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }

    fn tell_second(&self, moves: u64) {
        if !self.quiet {
            let ended = Progress::read(&self.progress.games_ended);
            let retries = Progress::read(&self.progress.retries);
            eprintln!("{moves} moves/s, {ended} games ended, {retries} retries");
        }
    }
}
