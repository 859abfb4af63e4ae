//! The load, run as its program against instances that come and go.

use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::app::spawn_app;

/// Starts a load with these arguments.
pub fn load(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_croupier"));
    command.args(["load", "--json", "--quiet", "--warm-up=0"]).args(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn report(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stdout));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn whole_games_are_played_and_read_back() {
    let app = spawn_app();
    let games = ["--kind=migraine", "--options={\"target\":1}", "--games=3", "--total-games=4", "--verify-signatures"];
    let output = load(&[&games[..], &["--address", &app.url]].concat()).wait_with_output().unwrap();
    let report = report(&output);
    assert_eq!(report["games_ended"], 4, "{report}");
    assert!(report["moves"].as_u64().unwrap() > 20, "{report}");
    let read = &report["read_back"];
    let none = ["lost", "broken", "forged"].map(|what| read[what].as_u64());
    assert_eq!((read["games"].as_u64(), none), (Some(4), [Some(0); 3]), "{report}");
    assert_eq!(report["errors"], serde_json::json!({}));
}

/// Of a game without decisions, and of one that only ends for who goes the right way.
#[test]
fn whole_games_of_the_last_two_kinds_are_played() {
    let app = spawn_app();
    for kind in ["random_chess", "fatetst_rpg"] {
        let output = load(&["--kind", kind, "--seats=1", "--games=2", "--total-games=2", "--address", &app.url]);
        let report = report(&output.wait_with_output().unwrap());
        assert_eq!(
            (report["games_ended"].as_u64(), report["read_back"]["lost"].as_u64()),
            (Some(2), Some(0)),
            "{report}"
        );
        assert_eq!(report["errors"], serde_json::json!({}));
    }
}

#[test]
fn an_instance_that_stops_in_mid_load_loses_nothing() {
    let app = spawn_app();
    let other = app.another();
    let addresses = format!("{},{}", app.url, other.url);
    let running = load(&["--games=4", "--seconds=2", "--spread-seats", "--address", &addresses]);
    std::thread::sleep(Duration::from_secs(1));
    drop(other);
    let report = report(&running.wait_with_output().unwrap());
    assert_eq!(report["read_back"]["lost"], 0, "{report}");
    assert!(report["moves"].as_u64().unwrap() > 0, "{report}");
}

#[test]
fn where_nobody_answers_it_says_so() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let output = load(&["--patience=0.1", "--address", &free.to_string()]).wait_with_output().unwrap();
    assert!(!output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "croupier: no instance answers\n");
}
