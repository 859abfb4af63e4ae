//! How long the rules take: listing a seat's legal moves, applying one, building a view, replaying a whole game.
//!
//! `cargo bench --bench games` plays a few games of each kind at random, at the largest table of each kind, and measures
//! over all states of them; `--no-default-features` builds the core alone for it. After the figures of each operation
//! it looks for the state in which all three together take longest. Everything runs on one core, and no signature is
//! made or checked.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a benchmark that can't go on has failed")]

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use croupier::event::Event;
use croupier::games::{Kind, Move};
use croupier::hex32::Nonce;
use croupier::replay::{disclosed, replay};
use croupier::seat::Seat;
use croupier::seed_chain::ServerSeeds;
use croupier::table::{Command, Decision, Secrets, Table, View};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use serde_json::json;

#[allow(dead_code, reason = "a benchmark needs less than the tests do")]
#[path = "../tests/core/support.rs"]
mod support;

use support::{House, Player, Rng, Setup};

/// How many games of each kind are played.
const GAMES: u64 = 4;
/// How many events a game has at most here.
const MOST_EVENTS: usize = 4_000;
/// How often each state is measured when the slowest is looked for.
const REPEATS: usize = 31;
/// What the kinds are called here.
const KINDS: [&str; 6] = ["migraine", "spite_and_malice", "generals", "tau_heed_kept", "random_chess", "fatetst_rpg"];

/// A table at which somebody has to decide, and what is decided there.
struct State {
    table: Table,
    secrets: Secrets,
    seat: Seat,
    command: Command,
}

impl State {
    fn list(&self) -> Vec<Move> {
        self.table.legal(self.seat)
    }

    /// What the server does with a move: it judges it, copies the table, lets the rules act on the copy, and makes the
    /// events that follow.
    fn apply(&self) -> Decision {
        self.table.decide(&self.command, self.table.at(), Nonce::new([0; 32]), &self.secrets).unwrap()
    }

    /// What the seat gets to see; its legal moves are in it, listed once more.
    fn view(&self) -> View {
        self.table.view(Some(self.seat))
    }
}

/// A game's whole log, and each of its states in which somebody decided.
struct Recorded {
    states: Vec<State>,
    events: Vec<Event>,
    secrets: Secrets,
}

/// A game at the largest table of its kind, with the default options.
fn record(kind: Kind, number: u64) -> Recorded {
    let places = kind.seats().1;
    let setup = Setup { game: number, kind, options: json!({}), places, ..Setup::migraine() };
    let players: Vec<Player> = (0..usize::from(places)).map(Player::new).collect();
    let mut house = House::seated(&setup, &players);
    let mut rng = Rng::new(number);
    let mut states = Vec::new();
    // A run of the Fatetst RPG would go on for ever by chance.
    while !house.table.is_over() && house.events.len() < MOST_EVENTS {
        let to_act = house.table.to_act();
        let seat = if to_act.is_empty() { players[0].seat } else { *rng.pick(&to_act) };
        let player = &players[seat.index()];
        let mv = choose(kind, &house.legal(seat), &mut rng);
        let command = if mv.is_decision() { player.decide(&house, &mv) } else { player.free_move(&house, &mv) };
        let (table, secrets) = (house.table.clone(), house.secrets.clone());
        states.push(State { table, secrets, seat, command: command.clone() });
        house.send(&command);
    }
    if !house.table.is_over() {
        house.send(&players[0].resign(&house));
    }
    Recorded { states, events: house.events, secrets: house.secrets }
}

/// Any move, but for Spite & Malice: its list begins with the plays, and a match without them would have no end.
fn choose(kind: Kind, legal: &[Move], rng: &mut Rng) -> Move {
    if kind == Kind::SpiteAndMalice && !rng.once_in(4) { legal[0].clone() } else { rng.pick(legal).clone() }
}

/// The recorded games of a kind, played when they are asked for first.
fn games(name: &str) -> &'static [Recorded] {
    static PLAYED: LazyLock<Mutex<BTreeMap<Kind, &'static [Recorded]>>> = LazyLock::new(Mutex::default);
    let kind = *Kind::ALL.iter().find(|kind| kind.name() == name).unwrap();
    let play = || &*Vec::leak((0..GAMES).map(|number| record(kind, number)).collect());
    PLAYED.lock().unwrap().entry(kind).or_insert_with(play)
}

/// All states of a kind's games, one after the other, again and again.
fn states(name: &str) -> impl Iterator<Item = &'static State> {
    let all: Vec<&State> = games(name).iter().flat_map(|game| &game.states).collect();
    all.into_iter().cycle()
}

#[divan::bench(args = KINDS)]
fn list_moves(bencher: Bencher, name: &str) {
    let mut states = states(name);
    bencher.with_inputs(|| states.next().unwrap()).bench_local_values(State::list);
}

#[divan::bench(args = KINDS)]
fn apply_a_move(bencher: Bencher, name: &str) {
    let mut states = states(name);
    bencher.with_inputs(|| states.next().unwrap()).bench_local_values(State::apply);
}

#[divan::bench(args = KINDS)]
fn build_a_view(bencher: Bencher, name: &str) {
    let mut states = states(name);
    bencher.with_inputs(|| states.next().unwrap()).bench_local_values(State::view);
}

/// All that an auditor does with the log of a game but reading it from text, hashes and signatures: every rule, draw and
/// commitment, with the seeds that the log itself discloses. Counted in events.
#[divan::bench(args = KINDS, sample_count = 30)]
fn replay_a_game(bencher: Bencher, name: &str) {
    replay_each(bencher, name, |game| replay(&game.events, &disclosed(&game.events)).unwrap());
}

/// The same with the chain of the server, which does it for a game that is not in its memory.
#[divan::bench(args = KINDS, sample_count = 30)]
fn replay_on_the_server(bencher: Bencher, name: &str) {
    replay_each(bencher, name, |game| replay(&game.events, &game.secrets as &dyn ServerSeeds).unwrap());
}

fn replay_each(bencher: Bencher, name: &str, replay: impl Fn(&Recorded) -> Table) {
    let games = games(name);
    let events: usize = games.iter().map(|game| game.events.len()).sum();
    bencher
        .counter(ItemsCount::new(events))
        .bench_local(|| games.iter().for_each(|game| drop(black_box(replay(game)))));
}

/// The median over some repetitions.
fn median<T>(work: impl Fn() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            let made = black_box(work());
            let took = start.elapsed();
            drop(made);
            took
        })
        .collect();
    times.sort();
    times[REPEATS / 2]
}

/// Measures every state by itself, and shows the one in which listing, applying and viewing together take longest.
fn show_slowest() {
    println!("\nEvery state by itself, in µs: the median of {REPEATS} repetitions of list + apply + view.");
    for name in KINDS {
        let all = || games(name).iter().flat_map(|game| &game.states);
        let measure = |state: &State| [median(|| state.list()), median(|| state.apply()), median(|| state.view())];
        let mut sums: Vec<(Duration, [Duration; 3], &State)> = all()
            .map(|state| {
                let parts = measure(state);
                (parts.iter().sum(), parts, state)
            })
            .collect();
        sums.sort_by_key(|(sum, ..)| *sum);
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let half = sums[sums.len() / 2].0;
        let (sum, [list, apply, view], state) = &sums[sums.len() - 1];
        println!(
            "{name:17} {:6} states, half of them within {:5.1}; the slowest {:5.1} = {:.1} + {:.1} + {:.1}, \
             with {} moves listed, after event {}",
            sums.len(),
            micros(half),
            micros(*sum),
            micros(*list),
            micros(*apply),
            micros(*view),
            state.list().len(),
            state.table.seq(),
        );
    }
}

fn main() {
    divan::main();
    // With a filter or a list, that is all that was asked for.
    if std::env::args().skip(1).all(|argument| argument == "--bench") {
        show_slowest();
    }
}
