//! Faults of real processes, under load: instances and databases that are killed, stand still, take no writes or are cut
//! off. What was acknowledged is there afterwards, every game is played on to its end, and every game's bundle verifies.
//!
//! `FAULTS=20 make test ARGS="--test service faults"` has twenty times as many: a hundred dead instances and twenty dead
//! databases.

mod house;
mod proxy;

use std::thread::sleep;
use std::time::{Duration, Instant};

use house::House;

/// What happens to the house. Each leaves it so that it can serve again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// An instance is killed, and started again.
    InstanceKilled,
    /// All processes of the database are killed, and it is started again.
    DatabaseKilled,
    /// The database stands still for a while.
    DatabasePaused,
    /// The database takes no writes for a while.
    DatabaseReadOnly,
    /// There is no space left on the disk of the database and of all logs.
    DiskFull,
    /// Every session of the database is ended, whatever it does just then.
    SessionsEnded,
    /// An instance is cut off from the database for a while, the other is not.
    InstanceCutOff,
}

/// How often each happens, once over.
const FAULTS: [(Fault, usize); 7] = [
    (Fault::InstanceKilled, 5),
    (Fault::DatabaseKilled, 1),
    (Fault::SessionsEnded, 2),
    (Fault::DatabasePaused, 1),
    (Fault::DatabaseReadOnly, 1),
    (Fault::DiskFull, 1),
    (Fault::InstanceCutOff, 1),
];

/// What is played meanwhile: sealed moves and open ones, two seats and three.
const LOADS: [&[&str]; 4] = [
    &["--kind=migraine", "--options={\"target\":2}"],
    &["--kind=spite_and_malice"],
    &["--kind=tau_heed_kept", "--seats=2"],
    &["--kind=generals", "--seats=3"],
];

fn strike(house: &mut House, fault: Fault, number: usize) {
    match fault {
        Fault::InstanceKilled => house.kill_instance(number % 2),
        Fault::DatabaseKilled => house.kill_database(),
        Fault::DatabasePaused => {
            house.signal_database("STOP");
            sleep(Duration::from_secs(2));
            house.signal_database("CONT");
        }
        Fault::DatabaseReadOnly => {
            house.read_only(true);
            sleep(Duration::from_secs(1));
            house.read_only(false);
        }
        Fault::DiskFull => house.fill_disk(),
        Fault::SessionsEnded => house.end_sessions(),
        Fault::InstanceCutOff => {
            house.proxy.cut(true);
            sleep(Duration::from_secs(1));
            house.proxy.cut(false);
        }
    }
}

/// The faults in an order in which they are mixed, the same each time.
fn in_turn(times: usize) -> Vec<Fault> {
    let all =
        FAULTS.iter().flat_map(|(fault, count)| (0..count * times).map(move |n| ((2 * n + 1), count * times, *fault)));
    let mut all: Vec<_> = all.collect();
    // Each kind evenly over the whole.
    all.sort_by(|(n, of, _), (m, other, _)| (n * other).cmp(&(m * of)));
    all.into_iter().map(|(_, _, fault)| fault).collect()
}

#[test]
fn whatever_fails_nothing_acknowledged_is_lost_and_every_game_goes_on_to_its_end() {
    let times = std::env::var("FAULTS").map_or(1, |times| times.parse().expect("a number"));
    let mut house = House::open();
    let mut faults = in_turn(times);
    if !house.has_own_disk {
        println!("without a full disk: only root can mount one that may be filled");
        faults.retain(|fault| *fault != Fault::DiskFull);
    }
    let (mut survived, mut loads) = (0, 0);
    let (mut moves, mut retries, mut repeats) = (0, 0, 0);
    while survived < faults.len() {
        let mut load = house.load(LOADS[loads % LOADS.len()]);
        loads += 1;
        // It begins in earnest when games are under way.
        sleep(Duration::from_millis(500));
        while survived < faults.len() && load.try_wait().unwrap().is_none() {
            strike(&mut house, faults[survived], survived);
            survived += 1;
            // Not in step with anything.
            sleep(Duration::from_millis(100 + (survived as u64 * 7919) % 400));
        }
        let report = house::report(load);
        let count = |name: &str| report[name].as_u64().unwrap();
        let read = &report["read_back"];
        let lost = ["lost", "broken", "forged"].map(|what| read[what].as_u64().unwrap());
        assert_eq!((lost, count("stale_views"), count("broken_chains")), ([0; 3], 0, 0), "{report}\n{}", house.said());
        for (error, _) in report["errors"].as_object().unwrap() {
            assert!(error.starts_with("503 "), "{report}\n{}", house.said());
        }
        moves += count("moves_acknowledged");
        retries += count("retries");
        repeats += count("repeats");
    }
    let games = audited(&house);
    println!(
        "survived {survived} faults ({}) under {loads} loads: {moves} moves acknowledged, none lost; {retries} requests \
         sent again, {repeats} of them done before; {games} games played to their end, and their bundles verify",
        FAULTS
            .map(|(fault, _)| format!("{} x {fault:?}", faults.iter().filter(|struck| **struck == fault).count()))
            .join(", ")
    );
}

/// How many games there are, of which every one has ended and is found good by the auditor.
fn audited(house: &House) -> usize {
    let games = house.games();
    assert!(games.len() > 10);
    let end = Instant::now() + Duration::from_secs(60);
    for game in &games {
        // The log of logs is a moment behind.
        loop {
            let report = house.get(&format!("/v1/games/{game}/audit"));
            if report["verdict"] == "yes" {
                break;
            }
            assert!(Instant::now() < end && report["verdict"] != "no", "{report}");
            sleep(Duration::from_millis(100));
        }
    }
    house.audit_offline(&games);
    games.len()
}
