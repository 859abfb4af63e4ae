//! A second auditor, in JavaScript and of the protocol only (`verifier/verifier.js`), says the same of the same files.
//!
//! It knows no rules: what this one says by the rules, or by the form that a game gives to a move, it can't say. But
//! whatever it finds wrong is wrong, and what is neither of those both find at the same event.

use std::fs;
use std::path::Path;
use std::process::Command;

use croupier::audit::{Bundle, Verdict, audit};
use croupier::canonical::{parse_as, to_jcs};
use serde::Deserialize;

use super::forgeries;
use super::mutations::{self, Mutation};
use super::recorded::all;
use super::recording::{Game, key_set, keys};

/// Runs the verifier on files that are named one a line, and writes what it says of each in one line.
const SCRIPT: &str = r#"
import { readFileSync } from "node:fs";
const [verifier, list, keys] = process.argv.slice(2);
const { verifyBundle } = await import(verifier);
const apart = JSON.parse(readFileSync(keys, "utf8"));
const said = [];
for (const file of readFileSync(list, "utf8").split("\n").filter((line) => line !== "")) {
  const report = await verifyBundle(readFileSync(file), { keys: apart });
  said.push({
    unusable: report.verdict === "unusable",
    answers: report.questions.map(({ answer, fault }) => [answer, fault === null ? null : fault.seq]),
  });
}
process.stdout.write(JSON.stringify(said));
"#;

#[derive(Debug, Deserialize)]
struct Said {
    unusable: bool,
    answers: Vec<(String, Option<u64>)>,
}

/// What the second auditor says of each file; `None` where there is no node to run it.
fn second(files: &[Vec<u8>]) -> Option<Vec<Said>> {
    let version = Command::new("node").arg("--version").output().ok()?;
    assert!(version.status.success());
    let folder = std::env::temp_dir().join(format!("croupier-second-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let names: Vec<String> =
        files.iter().enumerate().map(|(number, text)| write(&format!("{number}.json"), text)).collect();
    let arguments = [
        write("run.mjs", SCRIPT.as_bytes()),
        format!("file://{}", Path::new(env!("CARGO_MANIFEST_DIR")).join("verifier/verifier.js").display()),
        write("list.txt", names.join("\n").as_bytes()),
        write("keys.json", &key_set()),
    ];
    let output = Command::new("node").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::remove_dir_all(&folder).unwrap();
    Some(parse_as(&output.stdout).unwrap())
}

/// The questions that both answer.
const COMMON: [usize; 5] = [0, 1, 2, 4, 6];

fn compare(name: &str, text: &[u8], said: &Said) -> Result<(), String> {
    let Ok(bundle) = Bundle::read(text) else {
        let fair = said.answers.iter().all(|(answer, _)| answer == "yes" || answer == "not_asked");
        return if said.unusable || !fair { Ok(()) } else { Err(format!("{name} is refused by the first only")) };
    };
    let report = audit(&bundle, Some(&keys()));
    let differ = || Err(format!("{name}: {said:?}, but\n{report}"));
    if said.unusable {
        return if report.verdict == Verdict::No { Ok(()) } else { differ() };
    }
    let own = |number: usize| report.answers[number].fault.as_ref().map(|fault| fault.seq);
    let first = (0..7).filter_map(own).min();
    // What the second finds, the first finds there too, or it has found something else that is no later.
    for number in COMMON {
        let (answer, seq) = &said.answers[number];
        let agrees = match answer.as_str() {
            "no" => {
                own(number).is_some() && seq.is_none_or(|seq| own(number).is_some_and(|own| own <= seq))
                    || first.is_some_and(|first| seq.is_none_or(|seq| first <= seq))
            }
            // Without a fault in the form, signatures and the log of logs are the same to both.
            "yes" if own(0).is_none() && [1, 6].contains(&number) => report.answers[number].verdict == Verdict::Yes,
            _ => true,
        };
        if !agrees {
            return differ();
        }
    }
    let all_yes = COMMON.iter().all(|number| said.answers[*number].0 == "yes");
    if report.verdict == Verdict::Yes && !all_yes { differ() } else { Ok(()) }
}

#[test]
fn both_auditors_agree() {
    let games = all();
    let mut files: Vec<(String, Vec<u8>)> = games.iter().map(|game| (game.name.clone(), game.text())).collect();
    let strangers: Vec<_> = games.iter().flat_map(|game| game.events()).collect();
    let mutated = games.iter().flat_map(|game| {
        let events = mutations::of_events(game, &strangers, 29);
        let values = mutations::of_values(game, 397);
        events.into_iter().chain(values)
    });
    files.extend(mutated.map(|Mutation { name, bundle, .. }| (name, to_jcs(&bundle))));
    files.extend(bytes_changed(&games));
    let forged = forgeries::all().iter().step_by(23);
    files.extend(forged.map(|forgery| (forgery.name.clone(), to_jcs(&forgery.bundle))));
    let texts: Vec<Vec<u8>> = files.iter().map(|(_, text)| text.clone()).collect();
    let Some(said) = second(&texts) else {
        println!("skipped: there is no node here");
        return;
    };
    let whole = said.iter().take(games.len());
    for said in whole {
        assert!(COMMON.iter().all(|number| said.answers[*number].0 == "yes"), "{said:?}");
    }
    let differ: Vec<String> =
        files.iter().zip(&said).filter_map(|((name, text), said)| compare(name, text, said).err()).collect();
    println!("{} files compared", files.len());
    assert!(differ.is_empty(), "{}:\n{}", differ.len(), differ[..differ.len().min(6)].join("\n"));
}

fn bytes_changed(games: &[&Game]) -> Vec<(String, Vec<u8>)> {
    let changed = |game: &&Game| {
        let (text, name) = (game.text(), game.name.clone());
        let place = |at: usize| (format!("{name}, byte {at}"), mutations::with_byte(&text, at));
        (0..text.len()).step_by(4001).map(place).collect::<Vec<_>>()
    };
    games.iter().flat_map(changed).collect()
}
