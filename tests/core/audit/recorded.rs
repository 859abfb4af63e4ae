//! Every recorded game audits as it should, and so does each of its beginnings.

use std::collections::BTreeSet;
use std::fs;

use croupier::audit::{Bundle, Report, Verdict, audit};
use croupier::games::Kind;
use serde_json::{Value, json};

use super::forging::{bundle, reseal};
use super::recording::{Game, folder, games, key_set, keys};
use crate::support::text;

/// All recorded games.
pub fn all() -> Vec<&'static Game> {
    Kind::ALL.iter().flat_map(|kind| games(*kind)).collect()
}

/// Audits what a test has made, with the published keys apart.
pub fn audited(bundle: &Value) -> Report {
    let bundle = Bundle::read(text(bundle).as_bytes()).unwrap_or_else(|why| panic!("{why}"));
    audit(&bundle, Some(&keys()))
}

pub fn verdicts(report: &Report) -> Vec<Verdict> {
    report.answers.iter().map(|answer| answer.verdict).collect()
}

/// What was answered with no: questions and events.
pub fn faults(report: &Report) -> Vec<(u8, u64)> {
    report.answers.iter().filter_map(|answer| Some((answer.number, answer.fault.as_ref()?.seq))).collect()
}

#[test]
fn the_files_are_as_recorded() {
    let update = std::env::var_os("UPDATE_BUNDLES").is_some();
    let mut files = vec![("keys.json".to_owned(), key_set())];
    files.extend(all().iter().map(|game| (format!("{}.json", game.name), game.text())));
    for (name, text) in &files {
        let path = folder().join(name);
        if update {
            fs::create_dir_all(folder()).unwrap();
            fs::write(path, text).unwrap();
        } else {
            let recorded = fs::read(path).unwrap_or_default();
            assert!(recorded == *text, "{name} is another one. If that is meant, write it anew: UPDATE_BUNDLES=1");
        }
    }
    let known: BTreeSet<String> = files.into_iter().map(|(name, _)| name).collect();
    let found: BTreeSet<String> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(found, known, "files that nothing records, or the other way round");
}

#[test]
fn with_the_keys_apart_every_question_is_answered_with_yes() {
    for game in all() {
        let read = Bundle::read(&game.text()).unwrap();
        let report = audit(&read, Some(&keys()));
        assert_eq!(verdicts(&report), [Verdict::Yes; 7], "{}: {report}", game.name);
        assert_eq!(report.verdict, Verdict::Yes);
        assert_eq!(report.result.as_ref(), game.house.table.result());
    }
}

#[test]
fn keys_out_of_the_file_prove_nothing_about_their_owner() {
    for game in all() {
        let report = audit(&Bundle::read(&game.text()).unwrap(), None);
        let mut expected = [Verdict::Yes; 7];
        expected[1] = Verdict::NotYet;
        // A cancelled game has nothing in the log of logs, so no key is needed for it.
        if !game.name.ends_with("cancelled") {
            expected[6] = Verdict::NotYet;
        }
        assert_eq!(verdicts(&report), expected, "{}: {report}", game.name);
        assert_eq!(report.verdict, Verdict::NotYet);
        assert!(report.to_string().contains("prove nothing about their owner"), "{report}");
    }
}

#[test]
fn a_beginning_is_never_fair_and_never_wrong() {
    for game in all() {
        let events = game.events();
        // Also within an append, which nobody is ever shown, the rest of it could still come.
        for length in 1..=events.len() {
            let report = audited(&bundle(&events[..length]));
            assert!(report.verdict != Verdict::No, "{}, {length} events: {report}", game.name);
            let whole = length == events.len();
            assert_eq!(report.verdict == Verdict::Yes, whole, "{}, {length} events: {report}", game.name);
            assert!(whole || verdicts(&report) == [Verdict::NotYet; 7], "{}, {length}: {report}", game.name);
        }
    }
}

#[test]
fn an_end_that_is_not_logged_yet_is_not_yet() {
    for game in all().into_iter().filter(|game| !game.name.ends_with("cancelled")) {
        let mut bundle = bundle(&game.events());
        bundle["log"]["proofs"].as_array_mut().unwrap().pop();
        let report = audited(&bundle);
        assert_eq!(report.answers[6].verdict, Verdict::NotYet, "{report}");
        assert!(faults(&report).is_empty());
        bundle["log"] = json!(null);
        assert_eq!(audited(&bundle).verdict, Verdict::NotYet);
    }
}

/// The numbers of draws are public from the start, whatever their seeds are.
#[test]
fn a_draw_out_of_order_is_found_before_it_is_disclosed() {
    let draws = |event: &Value| {
        let facts = event["data"]["facts"].as_array().cloned().unwrap_or_default();
        facts.iter().filter(|fact| fact["type"] == "draw").count()
    };
    for game in all() {
        let events = game.events();
        let Some(at) = events.iter().position(|event| draws(event) > 0) else { continue };
        for number in [0, 2, 4096] {
            let mut events = events[..=at].to_vec();
            let facts = events[at]["data"]["facts"].as_array_mut().unwrap();
            let last = facts.iter_mut().rfind(|fact| fact["type"] == "draw").unwrap();
            let own = last["draw"].as_u64().unwrap();
            last["draw"] = json!(if number == own { own + 1 } else { number });
            reseal(&mut events);
            let report = audited(&bundle(&events));
            let found = faults(&report);
            assert!(found == [(3, at as u64)] || found == [(0, at as u64)], "{}, {number}: {report}", game.name);
        }
    }
}
