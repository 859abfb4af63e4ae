//! Games of every kind are audited while they are played, by both auditors, and once more when they are over.

use std::path::Path;
use std::process::Command;

use croupier::canonical::parse;
use croupier::games::Kind;
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};
use crate::clients::{Client, Rng};
use crate::log_routes::{Auditor, bundle, proved_bundle};
use crate::scene::make_a_move;

/// Runs the auditor in JavaScript on files of a folder, and writes what it answers to each question.
const SCRIPT: &str = r#"
import { readFileSync } from "node:fs";
const [verifier, folder, count] = process.argv.slice(2);
const { verifyBundle } = await import(verifier);
const keys = JSON.parse(readFileSync(`${folder}/jwks.json`, "utf8"));
const said = [];
for (let number = 0; number < Number(count); number += 1) {
  const report = await verifyBundle(readFileSync(`${folder}/${number}.json`), { keys });
  said.push(report.questions.map(({ answer }) => answer));
}
process.stdout.write(JSON.stringify(said));
"#;

/// How many moves are made before the first seats give up.
const MOVES: usize = 12;

/// A table with a seed and a key among thin clients, started.
fn start(app: &TestApp, kind: Kind) -> (String, Vec<Client>) {
    let name = kind.name();
    let client = |seat: usize| {
        let guest = app.guest(&format!("{name} {seat}"));
        let client = Client::new(guest, seat);
        if seat == 0 { client.with_seed().with_key() } else { client }
    };
    let seats = if kind == Kind::Generals { 3 } else { kind.seats().1.min(2).into() };
    let clients: Vec<Client> = (0..seats).map(client).collect();
    let game = clients[0].guest.create(app, &json!({ "kind": name, "seats": seats }));
    for client in &clients {
        client.make(app, &client.sit(app, &game));
    }
    clients[0].make(app, &clients[0].open_seed(&game));
    (game, clients)
}

#[test]
fn games_are_audited_while_they_are_played() {
    let app = spawn_app();
    let auditor = Auditor::new(&app);
    let mut rng = Rng(17);
    let mut files: Vec<(String, bool)> = Vec::new();
    let mut audit = |name: &str, file: &Value, over: bool| {
        auditor.write(&format!("{}.json", files.len()), file);
        files.push((name.to_owned(), over));
    };
    for kind in Kind::ALL {
        let (game, clients) = start(&app, *kind);
        let mut sealed = Vec::new();
        for number in 0..MOVES {
            if number % 3 == 0 {
                audit(kind.name(), &bundle(&app, &game), false);
            }
            make_a_move(&app, &game, &clients, &mut rng, &mut sealed);
        }
        let report = app.get(&format!("/v1/games/{game}/audit")).json();
        assert_eq!((&report["verdict"], &report["keys"]), (&json!("not_yet"), &json!("apart")), "{report}");
        for client in clients.iter().rev() {
            if client.view(&app, &game)["status"] == "playing" {
                client.make(&app, &client.resign(&app, &game));
            }
        }
        audit(kind.name(), &proved_bundle(&app, &game), true);
    }

    let names: Vec<String> = (0..files.len()).map(|number| format!("{number}.json")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (code, said) = auditor.run(&[&["--json", "--keys", "jwks.json"], &names[..]].concat());
    assert_eq!((code, said.lines().count()), (2, files.len()), "{said}");
    for (line, (name, over)) in said.lines().zip(&files) {
        let report = parse(line.as_bytes()).unwrap();
        let expected = if *over { "yes" } else { "not_yet" };
        assert_eq!(
            (report["kind"].as_str(), report["verdict"].as_str()),
            (Some(name.as_str()), Some(expected)),
            "{line}"
        );
    }
    let Some(second) = in_javascript(&auditor, files.len()) else { return println!("skipped: there is no node here") };
    for (answers, (name, over)) in second.iter().zip(&files) {
        let expected: &[&str] = if *over { &["yes", "not_asked"] } else { &["not_yet", "not_asked"] };
        assert!(answers.iter().all(|answer| expected.contains(&answer.as_str())), "{name}, over: {over}: {answers:?}");
    }
}

/// What the auditor in JavaScript answers, file by file; `None` where there is no node to run it.
fn in_javascript(auditor: &Auditor, count: usize) -> Option<Vec<Vec<String>>> {
    Command::new("node").arg("--version").output().ok()?;
    let script = auditor.path("run.mjs");
    std::fs::write(&script, SCRIPT).unwrap();
    let verifier = Path::new(env!("CARGO_MANIFEST_DIR")).join("verifier/verifier.js");
    let folder = auditor.path("");
    let output = Command::new("node").args([&script, &verifier, &folder]).arg(count.to_string()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}
