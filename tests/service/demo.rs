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

/// What is promised of every game, whatever it is.
const PROMISES: [&str; 8] = [
    " takes seat 0, with a seed and a key, to sign and to seal everything at home.",
    "The table is closed: now, and not before, seeds are opened.",
    "Ana has checked the log up to here, and opens the seed.",
    "The game begins.",
    "The house discloses its seed of draw ",
    " events, each signed by the house",
    "rebuilt from the seeds of the house and of Ana",
    "The log: ",
];

/// What the tale of each game holds, whatever chance makes of it.
fn sentences(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Migraine => &[
            "A table for a match of Migraine, with 2 places.",
            "Round 1. ",
            " in the middle, the sabre face down beside it, ",
            "Ana has chosen, and sealed the choice at home.",
            "Ben has chosen, and the house has sealed the choice.",
            "Ana turns over the ",
            "Ana declares ",
            "The sabre is turned up: it is the ",
            " wins the match, ",
        ],
        Kind::SpiteAndMalice => &[
            "A table for a match of Spite & Malice, with 2 places.",
            "Round 1 is shuffled and dealt: draw 1. The pay-off piles show the ",
            " has the first turn.",
            " lays the ",
            " draws ",
            " from the hand to centre stack ",
            " from the pay-off pile to centre stack ",
            " left, and shows the ",
            " has played the last pay-off card and wins round ",
            "After round ",
            ", because the points are reached: Ana has ",
        ],
        Kind::Generals => &[
            "A table for a game of Generals, with 2 places.",
            "The lot, draw 1, falls on ",
            " shuffles 1 deck, draw 2, and deals 4 cards to each; 46 cards are left.",
            "Round 1, with draw 3 for whatever chance it takes.",
            ", face down.",
            " answers with ",
            " under the deck.",
            " has no card left, and is out.",
            " because nobody ",
        ],
        Kind::RandomChess => &[
            "A table for a game of Random Chess, with 2 places.",
            "Ana lets the house play 10 moves.",
            "  8  r n b q k b n r\n  7  p p p p p p p p\n",
            "     a b c d e f g h",
            "1. M",
            " 2. ",
            ", after ",
        ],
        Kind::FatetstRpg => &[
            "A table for a run of The World's Fatetst RPG, with 1 place.",
            "The tree takes root somewhere in the last row: draw 1.",
            "Ana walks 1 tile, to column 4, row 1",
            "  It is a square, ",
            "  Ana strikes for ",
            "  It is beaten, and leaves ",
            "  Ana comes to level 6.",
            "Ana rests, for ",
            "Ana buys a better armour, for 10 gold.",
            "Ana stands under the tree, in column ",
            "Ana has found the tree, in ",
            "In the table of high scores, among all runs, it has place 1, with ",
        ],
        Kind::TauHeedKept => &[
            "A table for a game of Tau Heed Kept, with 2 places.",
            "The deck of Ana is shuffled: draw 1.",
            "The deck of Ben is shuffled: draw 2.",
            "Ana draws the ",
            ", and lays it at column 0, row 0: the table.",
            "Ben draws a card, of 52 in the deck.",
            " lays the ",
            "Round the corner between columns ",
            " wins, is turned over and claims it for ",
            "Ana has claimed ",
            ": Ana has ",
        ],
    }
}

#[test]
fn every_game_is_told_to_its_end_as_people_would_tell_it() {
    let app = spawn_app();
    for kind in Kind::ALL {
        let second: &[&str] = match kind.seats().1 {
            1 => &[],
            _ => &[" takes seat 1, with a seed, and lets the house do the sealing."],
        };
        let mut arguments = vec![kind.name(), "--url", &app.url];
        if *kind == Kind::Migraine {
            arguments.extend(["--options", r#"{"target": 1}"#]);
        }
        let output = demo(&arguments);
        let told = text(&output.stdout);
        assert!(output.status.success(), "{}: {}\n{told}", kind.name(), text(&output.stderr));
        for promise in PROMISES.iter().chain(second).chain(sentences(*kind)) {
            assert!(told.contains(promise), "{}: no {promise:?} in\n{told}", kind.name());
        }
        // Programs' words have no place in the tale.
        for word in ["{", "\"", "_", "null", "None", "Some"] {
            assert!(!told.contains(word), "{word:?} in\n{told}");
        }
        let log = told.lines().last().unwrap().trim_start_matches("The log: ").trim_start_matches(&app.url);
        let events = app.get(&format!("{log}?limit=1000")).json();
        assert_eq!(events["events"][0]["data"]["kind"], kind.name());
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
