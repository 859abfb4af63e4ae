//! The log of logs as everybody sees it: over HTTP, in bundles, and by the offline auditor.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use croupier::dealer::inputs::{Inputs, SystemEntropy};
use croupier::keyring;
use serde_json::{Value, json};

use crate::app::{Guest, Setup, TestApp, TestFolder, spawn_app};
use crate::support::{TestDatabase, block_on, raw, sql};

/// Asks again and again, for a few seconds.
pub fn wait_for<T>(what: &str, ask: impl Fn() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = ask() {
            return found;
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "{what} does not come");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Two who play together.
pub struct Table {
    host: Guest,
    guest: Guest,
}

impl Table {
    pub fn seated(app: &TestApp) -> Self {
        Self { host: app.guest("Ana"), guest: app.guest("Ben") }
    }

    /// A game that has started.
    pub fn start(&self, app: &TestApp) -> String {
        let game = self.host.create(app, &json!({"kind": "migraine", "seats": 2}));
        for player in [&self.host, &self.guest] {
            let answer = player.post(app, &format!("/v1/games/{game}/seats"), &json!({}));
            assert_eq!(answer.status, 201, "{}", answer.text());
        }
        game
    }

    /// A game that has ended.
    pub fn play(&self, app: &TestApp) -> String {
        let game = self.start(app);
        let answer = self.guest.post(app, &format!("/v1/games/{game}/resignation"), &json!({}));
        assert_eq!(answer.status, 201, "{}", answer.text());
        game
    }
}

pub fn bundle(app: &TestApp, game: &str) -> Value {
    app.get(&format!("/v1/games/{game}/bundle")).json()
}

/// The bundle, once the log of logs has all that it must have of the game.
pub fn proved_bundle(app: &TestApp, game: &str) -> Value {
    wait_for("the proof of a game", || Some(bundle(app, game)).filter(|bundle| !bundle["log"].is_null()))
}

fn size_of(checkpoint: &str) -> u64 {
    checkpoint.lines().nth(1).unwrap().parse().unwrap()
}

/// A folder for the files of an auditor.
pub struct Auditor(TestFolder);

impl Auditor {
    pub fn new(app: &TestApp) -> Self {
        let auditor = Self(TestFolder::new());
        auditor.write("jwks.json", &app.get("/.well-known/jwks.json").json());
        auditor
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.0.join(name)
    }

    pub fn write(&self, name: &str, value: &Value) {
        std::fs::write(self.path(name), value.to_string()).unwrap();
    }

    fn kept(&self) -> String {
        std::fs::read_to_string(self.path("kept.json")).unwrap()
    }

    /// Exit code and what was said.
    pub fn run(&self, arguments: &[&str]) -> (i32, String) {
        let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_croupier-audit"))
            .current_dir(Path::new(&self.0.0))
            .args(arguments)
            .output()
            .unwrap();
        let said = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
        (status.code().unwrap(), said)
    }

    fn audit(&self, bundle: &Value, more: &[&str]) -> (i32, String) {
        self.write("game.json", bundle);
        self.run(&[&["--keys", "jwks.json", "game.json"], more].concat())
    }
}

#[test]
fn a_game_that_is_over_is_proved_by_its_file_which_changes_no_more() {
    let app = spawn_app();
    let table = Table::seated(&app);
    let game = table.start(&app);
    wait_for("the start", || {
        let proof = app.get(&format!("/v1/log/inclusion?game={game}")).json();
        proof["proofs"].as_array().filter(|proofs| !proofs.is_empty()).map(drop)
    });
    assert!(bundle(&app, &game)["log"].is_null(), "the game is on");
    table.guest.post(&app, &format!("/v1/games/{game}/resignation"), &json!({}));
    let first = proved_bundle(&app, &game);
    assert_eq!(first["log"]["proofs"].as_array().unwrap().len(), 2);
    assert_eq!(first["keys"].as_array().unwrap().len(), 2, "the events' key and the checkpoint's");
    assert_eq!(first, bundle(&app, &game));

    let auditor = Auditor::new(&app);
    let (code, said) = auditor.audit(&first, &[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("6. yes") && said.contains("2 entries proved") && said.contains("All in all: yes"), "{said}");
    let report = app.get(&format!("/v1/games/{game}/audit")).json();
    assert_eq!((&report["verdict"], &report["answers"][6]["verdict"]), (&json!("yes"), &json!("yes")));
    // Its own keys prove nothing about their owner.
    let (code, said) = auditor.run(&["game.json"]);
    assert_eq!(code, 2, "{said}");

    // Another instance says the same, and another game changes nothing but the checkpoint.
    let other = app.another();
    assert_eq!(first, bundle(&other, &game));
    table.play(&other);
    let later = wait_for("a newer checkpoint", || Some(bundle(&app, &game)).filter(|bundle| *bundle != first));
    assert_eq!((&later["events"], &later["keys"]), (&first["events"], &first["keys"]));
    assert_eq!(auditor.audit(&later, &[]).0, 0);

    for (place, wrong) in [
        ("/log/proofs/0/hashes/0", json!("00".repeat(32))),
        ("/log/proofs/1/index", json!(0)),
        ("/log/proofs/1/entry", later["log"]["proofs"][0]["entry"].clone()),
        ("/log/checkpoint", json!(later["log"]["checkpoint"].as_str().unwrap().replacen("log\n", "log\n1", 1))),
        ("/log/checkpoint", json!("")),
    ] {
        let mut forged = later.clone();
        *forged.pointer_mut(place).unwrap() = wrong;
        let (code, said) = auditor.audit(&forged, &[]);
        assert!(code == 1 && said.contains("6. no"), "{place}: {said}");
    }
}

#[test]
fn an_auditor_remembers_checkpoints_and_takes_extensions_only() {
    let app = spawn_app();
    let table = Table::seated(&app);
    let game = table.play(&app);
    let (auditor, early) = (Auditor::new(&app), proved_bundle(&app, &game));
    let keeping = ["--checkpoints", "kept.json"];
    let (code, said) = auditor.audit(&early, &keeping);
    assert!(code == 0 && said.contains("The first checkpoint seen of croupier/log"), "{said}");
    assert_eq!(auditor.audit(&early, &keeping).0, 0, "the same again");
    let kept_early = auditor.kept();

    table.play(&app);
    let later = wait_for("a newer checkpoint", || {
        let later = bundle(&app, &game);
        (size_of(later["log"]["checkpoint"].as_str()?) == 3 + 4).then_some(later)
    });
    let from = size_of(early["log"]["checkpoint"].as_str().unwrap());
    let (code, said) = auditor.audit(&later, &keeping);
    let asked = format!("/v1/log/consistency?from={from}&to=7");
    assert!(code == 2 && said.contains(&asked), "{said}");
    assert_eq!(auditor.kept(), kept_early);
    let proof = app.get(&asked).json();
    auditor.write("proof.json", &proof);
    let mut forged = proof.clone();
    forged["hashes"][0] = json!("00".repeat(32));
    auditor.write("forged.json", &forged);
    let (code, said) = auditor.audit(&later, &[&keeping[..], &["--consistency", "forged.json"]].concat());
    assert!(code == 1 && said.contains("is refused") && auditor.kept() == kept_early, "{said}");
    let with_proof = [&keeping[..], &["--consistency", "proof.json"]].concat();
    let (code, said) = auditor.audit(&later, &with_proof);
    assert!(code == 0 && said.contains("has grown") && auditor.kept() != kept_early, "{said}");

    // An older one is not taken for the newest, and is no fault either.
    let kept_later = auditor.kept();
    let (code, said) = auditor.audit(&early, &keeping);
    assert!(code == 2 && said.contains("is older than the one kept"), "{said}");
    assert_eq!(auditor.audit(&early, &with_proof).0, 0);
    assert_eq!(auditor.kept(), kept_later);

    // What is no file of checkpoints is never written over.
    std::fs::write(auditor.path("kept.json"), "{}").unwrap();
    assert_eq!(auditor.audit(&later, &keeping).0, 3);
    assert_eq!(auditor.kept(), "{}");
    assert_eq!(auditor.run(&["--checkpoints", "kept.json", "game.json"]).0, 3, "keys got apart are needed");
    let report: Value = {
        std::fs::remove_file(auditor.path("kept.json")).unwrap();
        let (_, said) = auditor.audit(&later, &[&keeping[..], &["--json"]].concat());
        serde_json::from_str(&said).unwrap()
    };
    assert_eq!((&report["verdict"], &report["kept_checkpoint"]["verdict"]), (&json!("yes"), &json!("yes")));
}

#[test]
fn a_void_after_the_table_closed_is_in_it_and_a_cancelled_game_is_not() {
    let app = spawn_app();
    let table = Table::seated(&app);
    let cancelled = table.host.create(&app, &json!({"kind": "migraine", "seats": 2}));
    let answer = app.call("DELETE", &format!("/v1/games/{cancelled}"), Some(&table.host.token), None);
    assert!(answer.status < 300, "{}", answer.text());
    let void = table.host.create(&app, &json!({"kind": "migraine", "seats": 2}));
    for (seat, player) in [&table.host, &table.guest].into_iter().enumerate() {
        let body = json!({"seat": seat, "seed_commitment": "ab".repeat(32)});
        assert_eq!(player.post(&app, &format!("/v1/games/{void}/seats"), &body).status, 201);
    }
    app.clock.advance(601);
    let bundle_of_void = proved_bundle(&app, &void);
    assert_eq!(bundle_of_void["log"]["proofs"].as_array().unwrap().len(), 1);
    let auditor = Auditor::new(&app);
    let (code, said) = auditor.audit(&bundle_of_void, &[]);
    assert!(code == 0 && said.contains("6. yes"), "{said}");
    let bundle_of_cancelled = bundle(&app, &cancelled);
    assert!(bundle_of_cancelled["log"].is_null());
    let (code, said) = auditor.audit(&bundle_of_cancelled, &[]);
    assert!(code == 0 && said.contains("6. yes"), "{said}");
}

#[test]
fn pages_and_sizes() {
    let app = spawn_app();
    let table = Table::seated(&app);
    let game = table.play(&app);
    proved_bundle(&app, &game);
    let page = app.get("/v1/log/entries?start=1&limit=2").json();
    assert_eq!((&page["entries"][0]["index"], &page["next"]), (&json!(1), &json!(3)));
    let rest = app.get("/v1/log/entries?start=3").json();
    assert_eq!((rest["entries"].as_array().unwrap().len(), &rest["next"]), (2, &Value::Null));
    let entry: Value = serde_json::from_str(rest["entries"][1]["entry"].as_str().unwrap()).unwrap();
    assert_eq!(entry["kind"], "croupier/v1/game-over");
    assert_ne!(entry["game"], json!(game), "no game is named");
    let checkpoint = app.get("/v1/log/checkpoint");
    assert!(checkpoint.header("content-type").unwrap().starts_with("text/plain"));
    assert!(checkpoint.text().starts_with("croupier/log\n5\n"));
    assert_eq!(app.get("/v1/log/consistency?from=3").json()["to"], 5);
    assert_eq!(app.get("/v1/log/consistency?from=0&to=0").json()["hashes"], json!([]));
    for wrong in [
        "entries?limit=0",
        "entries?limit=1001",
        "entries?start=-1",
        "entries?start=18446744073709551615",
        "entries?x=1",
        "consistency",
        "consistency?from=4&to=3",
        "consistency?from=1&to=6",
        "consistency?from=18446744073709551615",
        "inclusion",
        "inclusion?game=x",
    ] {
        assert_eq!(app.get(&format!("/v1/log/{wrong}")).code(), "invalid_parameter", "{wrong}");
    }
    assert_eq!(app.get("/v1/log/entries?start=9007199254740991").json()["entries"], json!([]));
    let unknown = format!("/v1/log/inclusion?game={}", crate::story::fresh_game());
    assert_eq!(app.get(&unknown).code(), "unknown_game");
}

/// A log whose first checkpoint isn't written yet has nothing to prove, and says so; its games go on.
#[test]
fn before_the_first_checkpoint_there_is_nothing_to_prove() {
    let database = TestDatabase::new();
    let owner = database.owner_url.clone();
    let change = |statements: &str| block_on(async { sql(&raw(&owner).await, statements).await }).unwrap();
    change(
        "CREATE FUNCTION not_yet() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not yet'; END $$;
        CREATE TRIGGER not_yet BEFORE INSERT ON checkpoints FOR EACH ROW EXECUTE FUNCTION not_yet();",
    );
    let app = Setup::default().spawn_on(database, TestFolder::new());
    let game = Table::seated(&app).play(&app);
    for path in ["checkpoint", "consistency?from=0", &format!("inclusion?game={game}")] {
        let answer = app.get(&format!("/v1/log/{path}"));
        assert_eq!((answer.status, answer.code().as_str()), (404, "no_checkpoint"), "{path}");
    }
    assert_eq!(bundle(&app, &game)["log"], Value::Null);
    let report = app.get(&format!("/v1/games/{game}/audit"));
    assert_eq!(report.status, 200, "{}", report.text());
    assert_ne!(report.json()["verdict"], json!("no"), "{}", report.text());
    change("DROP TRIGGER not_yet ON checkpoints");
    assert_ne!(proved_bundle(&app, &game)["log"], Value::Null);
}

/// Keys are rotated while games go on: no event, token or checkpoint is out of its key's period.
#[test]
fn keys_rotate() {
    let old = spawn_app();
    let table = Table::seated(&old);
    let before = table.play(&old);
    let between = table.start(&old);
    proved_bundle(&old, &before);
    let secrets = std::fs::read_to_string(old.folder().join("keys.json")).unwrap();
    let inputs = Inputs::new(old.clock.clone(), SystemEntropy);
    let rotated = keyring::rotate(old.folder(), &inputs, 600).unwrap();
    let app = old.another();
    drop(old);
    let keys = app.get("/.well-known/jwks.json").json();
    let keys = keys["keys"].as_array().unwrap();
    assert_eq!(keys.len(), 6);
    let at = json!(rotated.at);
    assert_eq!(keys.iter().filter(|key| key["not_after"] == at && key["not_before"].is_null()).count(), 3);
    assert_eq!(keys.iter().filter(|key| key["not_before"] == at && key["not_after"].is_null()).count(), 3);
    let early = wait_for("the new keys' entries", || {
        Some(app.get("/v1/log/checkpoint").text()).filter(|note| size_of(note) == 3 + 3 + 3)
    });
    let verifiers = app.get("/v1/log/key").text();
    assert_eq!(verifiers.lines().count(), 2);

    app.clock.advance(601);
    let answer = table.guest.post(&app, &format!("/v1/games/{between}/resignation"), &json!({}));
    assert_eq!(answer.status, 201, "an old token goes on: {}", answer.text());
    let new_event_key = rotated.new.iter().find(|jwk| jwk.croupier_use == croupier::keys::KeyUse::Event).unwrap();
    assert_eq!(answer.json()["events"][0]["signature"]["key"], json!(new_event_key.kid));
    assert_eq!(app.guest("Cem").get(&app, "/v1/players/me").status, 200, "so does a new one");
    let auditor = Auditor::new(&app);
    let later = wait_for("the end under a new checkpoint", || {
        Some(bundle(&app, &between)).filter(|bundle| !bundle["log"].is_null())
    });
    assert_eq!(later["keys"].as_array().unwrap().len(), 3, "two for events, one for the checkpoint");
    for game in [&before, &between] {
        let (code, said) = auditor.audit(&bundle(&app, game), &[]);
        assert_eq!(code, 0, "{said}");
    }
    assert_ne!(app.get("/v1/log/key").text().lines().next(), verifiers.lines().next(), "the new one first");
    assert!(size_of(later["log"]["checkpoint"].as_str().unwrap()) > size_of(&early));

    // Whoever starts with the keys of before would sign past their end, so nobody does.
    std::fs::write(app.folder().join("keys.json"), secrets).unwrap();
    let why = app.another_fails();
    assert!(why.contains("is published with another period"), "{why}");
}

/// The command itself, which shows no secret.
#[test]
fn the_command_that_rotates_shows_public_halves_only() {
    let app = spawn_app();
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_croupier"));
        command.args(["keys", "rotate", "--after", "3600", "--data"]).arg(app.folder());
        command.output().unwrap()
    };
    let output = run();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let keys: Value = serde_json::from_slice(&std::fs::read(app.folder().join("keys.json")).unwrap()).unwrap();
    for usage in ["event", "token", "checkpoint"] {
        let keys = keys[usage].as_array().unwrap();
        assert_eq!(keys.len(), 2);
        assert!(keys.iter().all(|key| !said.contains(key["secret"].as_str().unwrap())));
    }
    assert_eq!(said.lines().count(), 7, "{said}");
    let again = run();
    assert!(!again.status.success() && String::from_utf8(again.stderr).unwrap().contains("last rotation"));
}
