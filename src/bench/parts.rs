//! The parts of the benchmark: each measures something and tells it in a table.

use std::time::Duration;

use super::house::{Database, House, Instance};
use super::pgbench;
use super::run::{Run, Shown};
use super::table::{Table, median, number};
use super::{Bench, BenchError, Part};

/// Measures a part.
///
/// # Errors
///
/// When something can't be started, or a promise was not kept.
pub fn measure(part: Part, bench: &Bench, house: &House<'_>) -> Result<Table, BenchError> {
    match part {
        Part::Ratio => ratio(bench, house),
        Part::Lone => lone(bench, house),
        Part::Half => half(bench, house),
        Part::Instances => instances(bench, house),
        Part::Progress => progress(bench, house),
        Part::Table => full_table(bench, house),
        Part::Long => long(bench, house),
        Part::Watchers => watchers(bench, house),
        Part::Lag => lag(bench, house),
    }
}

/// Values of one figure, by their median.
fn middle(shown: &[Shown], figure: impl Fn(&Shown) -> f64) -> f64 {
    median(&shown.iter().map(figure).collect::<Vec<_>>())
}

fn one(database: &Database<'_>) -> Result<Vec<Instance>, BenchError> {
    database.instances(1)
}

fn ratio(bench: &Bench, house: &House<'_>) -> Result<Table, BenchError> {
    let database = house.database("ratio")?;
    let service = one(&database)?;
    pgbench::prepare(&database)?;
    let columns = [
        "round",
        "pgbench inserts/s",
        "database, µs an insert",
        "moves/s",
        "ratio",
        "service, µs a move",
        "database, µs a move",
        "load, µs a move",
        "p50 ms",
        "p99 ms",
    ];
    let mut table = Table::new(format!("Moves against inserts, {} games at once", bench.games), &columns);
    let mut rounds: Vec<Vec<f64>> = Vec::new();
    for round in 0..bench.rounds {
        let length = Duration::try_from_secs_f64(bench.seconds).unwrap_or(Duration::from_secs(10));
        let inserts = pgbench::run(house, &database, bench.games, length, round)?;
        let shown = Run::new(bench, house, &service).run()?;
        let cpu = |name| shown.process(name, "cpu_us_per_move");
        let (p50, p99) = (shown.number("/latency_ms/p50"), shown.number("/latency_ms/p99"));
        let ratio = shown.moves() / inserts.per_second.max(1.0);
        let (service, postgres, load) = (cpu("service"), cpu("postgres"), cpu("load"));
        let figures = vec![inserts.per_second, inserts.cpu_us, shown.moves(), ratio, service, postgres, load, p50, p99];
        table.row(&written((round + 1).to_string(), &figures));
        rounds.push(figures);
    }
    let columns = rounds.first().map_or(0, Vec::len);
    let medians: Vec<f64> = (0..columns)
        .map(|column| median(&rounds.iter().filter_map(|round| round.get(column).copied()).collect::<Vec<_>>()))
        .collect();
    table.row(&written("median".to_owned(), &medians));
    Ok(table)
}

/// A row of the part `ratio`.
fn written(name: String, figures: &[f64]) -> Vec<String> {
    let digits = [0, 1, 0, 2, 1, 1, 1, 2, 2];
    let figures = figures.iter().zip(digits).map(|(figure, digits)| number(*figure, digits));
    std::iter::once(name).chain(figures).collect()
}

fn lone(bench: &Bench, house: &House<'_>) -> Result<Table, BenchError> {
    let database = house.database("lone")?;
    let service = one(&database)?;
    let mut table = Table::new("A lone game, one move after the other", &["round", "moves/s", "p50 ms", "p99 ms"]);
    let mut all = Vec::new();
    for round in 0..bench.rounds {
        let shown = Run::new(bench, house, &service).with("--games", 1).run()?;
        table.row(&latencies((round + 1).to_string(), std::slice::from_ref(&shown)));
        all.push(shown);
    }
    table.row(&latencies("median".to_owned(), &all));
    Ok(table)
}

/// A name, moves a second, and two quantiles.
fn latencies(name: String, shown: &[Shown]) -> Vec<String> {
    let quantile = |path| number(middle(shown, |shown| shown.number(path)), 2);
    vec![name, number(middle(shown, Shown::moves), 0), quantile("/latency_ms/p50"), quantile("/latency_ms/p99")]
}

fn half(bench: &Bench, house: &House<'_>) -> Result<Table, BenchError> {
    let database = house.database("half")?;
    let service = one(&database)?;
    let mut table = Table::new("Latency at the full and at half of the load", &["load", "moves/s", "p50 ms", "p99 ms"]);
    let (mut full, mut half) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds {
        let shown = Run::new(bench, house, &service).run()?;
        let rate = (shown.moves() / 2.0).max(1.0);
        full.push(shown);
        half.push(Run::new(bench, house, &service).with("--rate", rate).run()?);
    }
    table.row(&latencies("full".to_owned(), &full));
    table.row(&latencies("half".to_owned(), &half));
    Ok(table)
}

fn instances(bench: &Bench, house: &House<'_>) -> Result<Table, BenchError> {
    let database = house.database("instances")?;
    let columns = [
        "instances",
        "moves/s",
        "to the first",
        "p50 ms",
        "p99 ms",
        "services, µs a move",
        "database, µs a move",
        "lost",
    ];
    let mut table = Table::new("Instances on one database", &columns);
    let mut shown: Vec<Vec<Shown>> = bench.instances.iter().map(|_| Vec::new()).collect();
    for _ in 0..bench.rounds {
        for (count, shown) in bench.instances.iter().zip(&mut shown) {
            let services = database.instances(*count)?;
            shown.push(Run::new(bench, house, &services).run()?);
        }
    }
    let first = shown.first().map_or(0.0, |shown| middle(shown, Shown::moves));
    for (count, shown) in bench.instances.iter().zip(&shown) {
        let mut row = latencies(count.to_string(), shown);
        row.insert(2, number(middle(shown, Shown::moves) / first.max(1.0), 2));
        for name in ["service", "postgres"] {
            row.push(number(middle(shown, |shown| shown.process(name, "cpu_us_per_move")), 0));
        }
        row.push(number(shown.iter().map(|shown| shown.number("/read_back/lost")).sum(), 0));
        table.row(&row);
    }
    table.note("A game stays with one instance; the games are spread over all.");
    Ok(table)
}

fn progress(bench: &Bench, house: &House<'_>) -> Result<Table, BenchError> {
    let database = house.database("progress")?;
    let columns = ["games in progress", "moves/s", "p50 ms", "p99 ms", "service, KiB a game"];
    let mut table = Table::new(format!("Games in progress, {} moves under way at once", bench.games), &columns);
    let mut shown: Vec<Vec<Shown>> = bench.progress.iter().map(|_| Vec::new()).collect();
    for _ in 0..bench.rounds {
        for (games, shown) in bench.progress.iter().zip(&mut shown) {
            // A new one each time, so that its memory is that of these games.
            let service = one(&database)?;
            let run = Run::new(bench, house, &service).with("--games", games).with("--in-flight", bench.games);
            shown.push(run.run()?);
        }
    }
    for (games, shown) in bench.progress.iter().zip(&shown) {
        let grown = |shown: &Shown| {
            let resident = |when| shown.process("service", when);
            (resident("resident_kib_with_games") - resident("resident_kib_at_start")) / (*games).max(1) as f64
        };
        let mut row = latencies(games.to_string(), shown);
        row.push(number(middle(shown, grown), 1));
        table.row(&row);
    }
    table.note("All of them are played, in turns.");
    Ok(table)
}

/// Events of games that are long over, a thousand each.
fn fill(database: &Database<'_>, events: u64) -> Result<(), BenchError> {
    let (hash, signature, key) = ("ab".repeat(32), "cd".repeat(64), "k".repeat(43));
    let data = pgbench::DATA;
    database.psql(&format!(
        "INSERT INTO events (game_id, seq, prev, at, actor, type, data, hash, key, signature) \
         SELECT ('01980000-' || substr(md5(game::text), 1, 4) || '-7' || substr(md5(game::text), 5, 3) || '-8' || \
         substr(md5(game::text), 8, 15))::uuid, seq, '\\x{hash}', '2026-01-02', 1, 'moved', '{data}', '\\x{hash}', \
         '{key}', '\\x{signature}' FROM generate_series(1, {games}) game, generate_series(0, 999) seq",
        games = events / 1000
    ))?;
    database.psql("VACUUM ANALYZE events")?;
    database.psql("CHECKPOINT")
}

fn full_table(bench: &Bench, house: &House<'_>) -> Result<Table, BenchError> {
    let (empty, full) = (house.database("empty")?, house.database("full")?);
    let services = [one(&empty)?, one(&full)?];
    fill(&full, bench.events)?;
    let columns = ["events in the table at first", "moves/s", "to the empty one", "p50 ms", "p99 ms"];
    let mut table = Table::new("A full table of events against an empty one", &columns);
    let mut shown = [Vec::new(), Vec::new()];
    for _ in 0..bench.rounds {
        for (service, shown) in services.iter().zip(&mut shown) {
            shown.push(Run::new(bench, house, service).run()?);
        }
    }
    let first = middle(&shown[0], Shown::moves);
    for (events, shown) in [0, bench.events].iter().zip(&shown) {
        let mut row = latencies(events.to_string(), shown);
        row.insert(2, number(middle(shown, Shown::moves) / first.max(1.0), 2));
        table.row(&row);
    }
    Ok(table)
}

fn long(bench: &Bench, house: &House<'_>) -> Result<Table, BenchError> {
    let database = house.database("long")?;
    let service = one(&database)?;
    let games = 4;
    let longest = r#"{"target": 500, "payoff": 30}"#;
    let run = Run::new(bench, house, &service).with("--games", games).with("--options", longest);
    let shown = run.with("--warm-up", 0).with("--seconds", bench.seconds * 3.0).run()?;
    let columns = ["second", "moves a game until then", "moves/s"];
    let mut table = Table::new(format!("{games} games that grow long"), &columns);
    let mut made = 0.0;
    let timeline = shown.numbers("/timeline");
    let step = (timeline.len() / 10).max(1);
    for (second, moves) in timeline.iter().enumerate() {
        made += moves;
        if (second + 1) % step == 0 {
            table.row(&[(second + 1).to_string(), number(made / f64::from(games), 0), number(*moves, 0)]);
        }
    }
    Ok(table)
}

fn watchers(bench: &Bench, house: &House<'_>) -> Result<Table, BenchError> {
    let database = house.database("watchers")?;
    let columns = ["idle watchers", "moves/s", "p50 ms", "p99 ms", "service, KiB a watcher"];
    let mut table = Table::new("Watchers of games that stand still", &columns);
    let mut shown: Vec<Vec<Shown>> = bench.watchers.iter().map(|_| Vec::new()).collect();
    for _ in 0..bench.rounds {
        for (watchers, shown) in bench.watchers.iter().zip(&mut shown) {
            let service = one(&database)?;
            let run = Run::new(bench, house, &service).with("--games-in-progress", 100);
            shown.push(run.with("--idle-watchers", watchers).run()?);
        }
    }
    for (watchers, shown) in bench.watchers.iter().zip(&shown) {
        let grown = |shown: &Shown| {
            let resident = |when| shown.process("service", when);
            (resident("resident_kib_set_up") - resident("resident_kib_with_games")) / (*watchers).max(1) as f64
        };
        let mut row = latencies(watchers.to_string(), shown);
        row.push(if *watchers > 0 { number(middle(shown, grown), 1) } else { String::new() });
        table.row(&row);
    }
    Ok(table)
}

fn lag(bench: &Bench, house: &House<'_>) -> Result<Table, BenchError> {
    let database = house.database("lag")?;
    let services = database.instances(2)?;
    let (movers, watched) = (&services[..1], &services[1]);
    let full = Run::new(bench, house, movers).run()?;
    let columns = ["watching", "moves/s", "events", "p50 ms", "p99 ms", "missing, twice, out of order"];
    let mut table = Table::new(format!("From the mover's answer to the event, {} watchers", bench.games), &columns);
    for (name, address) in [("the same instance", &movers[0].address), ("another instance", &watched.address)] {
        let mut shown = Vec::new();
        for _ in 0..bench.rounds {
            let run = Run::new(bench, house, &services).with("--rate", (full.moves() / 2.0).max(1.0));
            let run = run.with("--address", &movers[0].address).with("--watch-address", address);
            shown.push(run.with("--watchers", bench.games).run()?);
        }
        let figure = |path, digits| number(middle(&shown, |shown| shown.number(path)), digits);
        let sum = |path| number(shown.iter().map(|shown| shown.number(path)).sum(), 0);
        table.row(&[
            name.to_owned(),
            number(middle(&shown, Shown::moves), 0),
            figure("/watchers/events", 0),
            figure("/watchers/lag_ms/p50", 2),
            figure("/watchers/lag_ms/p99", 2),
            ["/watchers/missing", "/watchers/twice", "/watchers/out_of_order"].map(sum).join(", "),
        ]);
    }
    table.note("At half of the full load; an event that came before the answer counts as no time.");
    Ok(table)
}
