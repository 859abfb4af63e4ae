//! A database that comes back from a backup: into a new cluster, with every game proved; and games that the backup has
//! cut short are never continued.

use std::fs;
use std::process::Command;

use croupier::app;
use croupier::dealer::inputs::{Clock, Inputs, SystemEntropy};
use croupier::games::Kind;
use croupier::ledger::cut_short;
use croupier::own_postgres::{Cluster, Durability};
use serde_json::{Value, json};

use crate::app::{Setup, TestApp, TestFolder, spawn_app};
use crate::clients::{Client, Rng, Table};
use crate::log_routes::{Auditor, proved_bundle};
use crate::scene::{Party, furnish, statuses};
use crate::support::{TestDatabase, query};

/// A copy of an instance's keys, as somebody has who backs them up.
fn keys_of(app: &TestApp) -> TestFolder {
    let folder = TestFolder::new();
    fs::copy(app.folder().join("keys.json"), folder.0.join("keys.json")).unwrap();
    folder
}

/// The instance that an operator starts on what the backup has.
fn comes_back(dump: &str, keys: TestFolder, like: &TestApp, cut: bool) -> TestApp {
    let database = TestDatabase::restored(dump);
    database.migrate();
    let now = like.clock.now();
    if cut {
        let done = cut_short(&database.owner_url, now).unwrap();
        println!("{done}");
    }
    let app = Setup::default().spawn_on(database, keys);
    app.clock.set(&now.to_string());
    app
}

#[test]
fn a_backup_goes_into_a_new_cluster_and_every_bundle_is_proved_there() {
    let app = spawn_app();
    let parties = furnish(&app);
    let over: Vec<&Party> =
        parties.iter().filter(|party| ["ended", "voided"].contains(&party.status(&app).as_str())).collect();
    let auditor = Auditor::new(&app);
    // A backup is made while the service runs.
    let dump = TestFolder::new();
    let file = dump.0.join("backup.sql");
    let mut made = Command::new("pg_dump");
    made.args(["--no-owner", "--no-privileges", "--file"]).arg(&file).arg(&app.database().owner_url);
    assert!(made.status().unwrap().success());
    let cluster = Cluster::throw_away(Durability::None, &|_| {}).unwrap();
    let mut filled = Command::new("psql");
    filled.args(["--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction", "--file"]).arg(&file);
    let filled = filled.arg(cluster.owner_url()).output().unwrap();
    assert!(filled.status.success(), "{}", String::from_utf8_lossy(&filled.stderr));

    let database = TestDatabase::elsewhere(cluster.owner_url(), cluster.service_url());
    database.migrate();
    let back = Setup::default().spawn_on(database, keys_of(&app));
    back.clock.set(&app.clock.now().to_string());
    assert_eq!(statuses(&back, &parties), statuses(&app, &parties));
    let mut files = Vec::new();
    for party in &over {
        let name = format!("{}.json", files.len());
        let bundle = back.get(&format!("/v1/games/{}/bundle", party.game)).json();
        assert_eq!(bundle["events"], app.get(&format!("/v1/games/{}/bundle", party.game)).json()["events"]);
        let cancelled = bundle["events"].as_array().unwrap().last().unwrap()["data"]["reason"] == "cancelled";
        auditor.write(&name, &if cancelled { bundle } else { proved_bundle(&back, &party.game) });
        files.push(name);
    }
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let (code, said) = auditor.run(&[&["--keys", "jwks.json"], &names[..]].concat());
    assert_eq!(code, 0, "{said}");
    println!("{} bundles proved after a restore into a new cluster", names.len());
    drop(back);
}

/// What a player holds who got a signed answer: the event's number and hash.
fn receipt(answer: &Value) -> Vec<(u64, Value)> {
    let events = answer["events"].as_array().unwrap();
    events.iter().map(|event| (event["seq"].as_u64().unwrap(), event["hash"].clone())).collect()
}

#[test]
fn a_game_that_a_restored_backup_has_cut_short_is_never_continued() {
    let app = spawn_app();
    let mut rng = Rng(3);
    let mut ended = Party::at_a_new_table(&app, Kind::Migraine, None);
    ended.plays_to_the_end(&[&app], &mut rng);
    let ended_file = proved_bundle(&app, &ended.game);
    let table = Table::timed(&app, 60);
    let open = Party::at_a_new_table(&app, Kind::TauHeedKept, None);
    let dump = app.database().dump();

    // What is acknowledged now the backup does not have.
    let ben = &table.ben;
    let cut = |depth: u32| ben.make_move(&table.game, 1, &json!({ "type": "cut", "depth": depth }));
    let told = receipt(&ben.make(&app, &cut(3)).json());
    let after = Party::at_a_new_table(&app, Kind::Migraine, None).sits_down(&app).opens_seeds(&app);
    let lost = after.game.clone();
    let unlogged = "SELECT count(*) FROM games WHERE game_id = '{}' AND NOT started_logged";
    app.until("the lost game is logged", || query(&app.database().owner_url, &unlogged.replace("{}", &lost)) == ["0"]);
    let checkpoint = |app: &TestApp| app.get("/v1/log/checkpoint").text();
    let name = |note: &str| note.lines().next().unwrap().to_owned();
    let signed = checkpoint(&app);
    app.clock.advance(5);

    // The accident: without a word to the service, the game goes on under numbers that were signed before.
    {
        let back = comes_back(&dump, keys_of(&app), &app, false);
        let again = receipt(&ben.make(&back, &cut(4)).json());
        assert_eq!(told[0].0, again[0].0);
        assert_ne!(told[0].1, again[0].1, "two signatures over one number: this convicts the server");
    }

    let back = comes_back(&dump, keys_of(&app), &app, true);
    let other = back.another();
    for app in [&back, &other] {
        let code = |answer: crate::http::Answer| (answer.status, answer.code());
        let refused = (409, "game_cut_short".to_owned());
        assert_eq!(code(ben.send(app, &cut(4))), refused);
        assert_eq!(code(ben.send(app, &ben.resign(app, &table.game))), refused);
        let sits = Client::new(app.guest(&format!("a newcomer {}", app.address.port())), 0);
        assert_eq!(code(sits.send(app, &sits.sit(app, &open.game))), refused);
        let host = &open.clients[0].guest;
        assert_eq!(code(app.call("DELETE", &format!("/v1/games/{}", open.game), Some(&host.token), None)), refused);
        // Nobody finds them, and everybody may read them.
        for query in ["status=open", "status=playing"] {
            assert_eq!(app.get(&format!("/v1/games?{query}")).json()["games"], json!([]), "{query}");
        }
        let path = format!("/v1/games/{}", table.game);
        assert_eq!(app.get(&path).json()["status"], "voided");
        assert_eq!(app.get(&format!("{path}/audit")).json()["verdict"], "not_yet");
    }
    // Nor does the service continue them: what would be late is not, even after days.
    let logs = || [&table.game, &open.game].map(|game| back.get(&format!("/v1/games/{game}/events")).json());
    let before = logs();
    back.clock.advance(2 * 24 * 3600);
    std::thread::sleep(std::time::Duration::from_millis(2500));
    assert_eq!(logs(), before);

    // What was over is as it was, and new games are dealt; their log of logs is another one.
    assert_eq!(back.get(&format!("/v1/games/{}/bundle", ended.game)).json()["events"], ended_file["events"]);
    let auditor = Auditor::new(&app);
    let mut new = Party::at_a_new_table(&back, Kind::Migraine, None);
    new.plays_to_the_end(&[&back, &other], &mut rng);
    auditor.write("before.json", &ended_file);
    auditor.write("after.json", &proved_bundle(&other, &new.game));
    let kept = ["--keys", "jwks.json", "--checkpoints", "kept.json"];
    for file in ["before.json", "after.json"] {
        let (code, said) = auditor.run(&[&kept[..], &[file]].concat());
        assert_eq!(code, 0, "{said}");
    }
    assert_eq!((name(&signed), name(&checkpoint(&back))), ("croupier/log".to_owned(), "croupier/log/2".to_owned()));

    // Once more: the log has a third name, and an instance takes what it finds for its own.
    let dump = back.database().dump();
    let third = comes_back(&dump, keys_of(&back), &back, true);
    // What is of the very moment of the restore counts as before it.
    third.clock.advance_millis(1);
    assert_eq!(third.get(&format!("/v1/games/{}/bundle", new.game)).status, 200);
    let mut new = Party::at_a_new_table(&third, Kind::Migraine, None);
    new.plays_to_the_end(&[&third], &mut rng);
    proved_bundle(&third, &new.game);
    assert_eq!(name(&checkpoint(&third)), "croupier/log/3");
}

/// The command as an operator types it.
#[test]
fn croupier_restored_says_what_it_did() {
    let app = spawn_app();
    Table::new(&app);
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_croupier"));
        command.arg("restored").env("DATABASE_URL", &app.database().url);
        command.env("DATABASE_OWNER_URL", &app.database().owner_url).output().unwrap()
    };
    let output = run();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.starts_with("1 games that were not over are cut short"), "{said}");
    assert!(String::from_utf8(run().stdout).unwrap().starts_with("0 games"));
    // Without a database it says so.
    let inputs = Inputs::new(app.clock.clone(), SystemEntropy);
    let settings = app.settings();
    let nowhere = croupier::config::Settings { database_url: None, database_owner_url: None, ..settings };
    assert!(app::cut_short(&nowhere, &inputs).is_err());
}
