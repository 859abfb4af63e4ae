//! The demonstration, run as its program against a service.

use std::process::{Command, Output};

use croupier::games::Kind;

use crate::app::spawn_app;

fn demo(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_croupier"));
    command.arg("demo").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn every_game_can_be_shown_to_its_end() {
    let app = spawn_app();
    for kind in Kind::ALL {
        let output = demo(&[kind.name(), "--url", &app.url]);
        let told = text(&output.stdout);
        assert!(output.status.success(), "{}: {}\n{told}", kind.name(), text(&output.stderr));
        for promise in
            [" events, each signed by the house", "rebuilt from the seeds of the house and of Ana", "The log: "]
        {
            assert!(told.contains(promise), "{}: no {promise:?} in\n{told}", kind.name());
        }
        let log = told.lines().last().unwrap().trim_start_matches("The log: ").trim_start_matches(&app.url);
        let events = app.get(&format!("{log}?limit=1000")).json();
        assert_eq!(events["events"][0]["data"]["kind"], kind.name());
    }
}

#[test]
fn migraine_is_told_as_people_would_tell_it() {
    let app = spawn_app();
    let output = demo(&["migraine", "--url", &app.url, "--options", r#"{"target": 1}"#]);
    let told = text(&output.stdout);
    assert!(output.status.success(), "{}\n{told}", text(&output.stderr));
    for sentence in [
        "A table for a match of Migraine, with 2 places.",
        "Ana takes seat 0, with a seed and a key, to sign and to seal everything at home.",
        "Ben takes seat 1, with a seed, and lets the house do the sealing.",
        "The table is closed: now, and not before, seeds are opened.",
        "Ana has checked the log up to here, and opens the seed.",
        "Round 1. ",
        " in the middle, the sabre face down beside it, ",
        "Ana has chosen, and sealed the choice at home.",
        "Ben has chosen, and the house has sealed the choice.",
        "Ana turns over the ",
        "Ana declares ",
        "The sabre is turned up: it is the ",
        "The house discloses its seed of draw 1, and it is so",
        " wins the match, ",
    ] {
        assert!(told.contains(sentence), "no {sentence:?} in\n{told}");
    }
    // Programs' words have no place in the tale.
    for word in ["{", "\"", "_discard", "pensive", "None"] {
        assert!(!told.contains(word), "{word:?} in\n{told}");
    }
}

#[test]
fn where_nothing_can_be_shown_one_sentence_says_why() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = format!("http://{free}");
    for (arguments, sentence) in [
        (
            vec!["migraine", "--url", &nobody],
            format!(
                "croupier: no service answers at {nobody}: start one with `make run`, or name another with --url\n"
            ),
        ),
        (
            vec!["migraine", "--url", "https://example.invalid"],
            "croupier: https://example.invalid is no address that can be asked here: it must begin with http://\n"
                .to_owned(),
        ),
        (
            vec!["migraine", "--url", &nobody, "--seats", "3"],
            "croupier: migraine is played on 2 to 2 seats\n".to_owned(),
        ),
        (
            vec!["migraine", "--url", &nobody, "--options", r#"{"target": 0}"#],
            "croupier: the options can't be chosen: target must be 1 to 100\n".to_owned(),
        ),
    ] {
        let output = demo(&arguments);
        assert!(!output.status.success());
        assert_eq!((text(&output.stdout), text(&output.stderr)), (String::new(), sentence));
    }
}
