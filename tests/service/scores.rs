//! The table of high scores (WF-9): a run gets into it by its own log alone, and the table can be made anew from them.

use std::process::Command;
use std::time::Instant;

use croupier::dealer::inputs::Inputs;
use croupier::dealer::{Bounds, Dealer, Notary};
use croupier::keys::{KeyUse, SigningKey, SigningKeys};
use croupier::log::EventSigner;
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};
use crate::support::{TestDatabase, block_on, raw, sql};

/// Plays a whole run; its game.
fn run(app: &TestApp) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_croupier")).args(["demo", "fatetst_rpg", "--url", &app.url]).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    told.lines().last().unwrap().rsplit('/').nth(1).unwrap().to_owned()
}

fn scores(app: &TestApp, query: &str) -> Value {
    let answer = app.get(&format!("/v1/rules/fatetst_rpg/scores?{query}"));
    assert_eq!(answer.status, 200, "{query}");
    answer.json()
}

fn rebuild(database: &TestDatabase) -> u64 {
    block_on(async {
        let keys = SigningKeys::new(SigningKey::new(&[9; 32]), KeyUse::Checkpoint);
        let notary = Notary::new("croupier.test/log".to_owned(), keys).unwrap();
        let signer = EventSigner::new(SigningKey::new(&[7; 32]));
        let dealer =
            Dealer::new(database.ledger().await, Inputs::system(), signer, notary, 1 << 20, Bounds::default(), None)
                .unwrap();
        dealer.rebuild_scores().await.unwrap()
    })
}

fn on_the_database(database: &TestDatabase, statements: &str) {
    block_on(async { sql(&raw(&database.owner_url).await, statements).await.unwrap() });
}

#[test]
fn a_finished_run_stands_in_the_table_as_its_log_has_it() {
    let app = spawn_app();
    let game = run(&app);
    let detail = app.get(&format!("/v1/games/{game}")).json();
    let table = scores(&app, "");
    let [row] = &table["scores"].as_array().unwrap()[..] else { panic!("{table}") };
    assert_eq!((&row["place"], &row["game"]), (&json!(1), &json!(game)));
    assert_eq!(row["elapsed"], detail["result"]["scores"][0]);
    assert_eq!(row["player"]["id"], detail["players"][0]["player"]["id"]);
    assert_eq!(table["next"], json!(null));
    // The score is what the log's own times say, and the audit says the same.
    let events = app.get(&format!("/v1/games/{game}/events?limit=1000&after=0")).json();
    assert!(events["events"].as_array().unwrap().iter().any(|event| event["type"] == "started"));
    let report = app.get(&format!("/v1/games/{game}/audit")).json();
    assert_ne!(report["verdict"], json!("no"), "{report}");

    // A forged row is gone once the table is made anew.
    let before = scores(&app, "runs=all");
    on_the_database(app.database(), "UPDATE scores SET elapsed = 1; UPDATE best_scores SET elapsed = 1, steps = 2");
    assert_ne!(scores(&app, "runs=all"), before);
    assert_eq!(rebuild(app.database()), 1);
    assert_eq!(scores(&app, "runs=all"), before);
    assert_eq!(scores(&app, ""), table);
    on_the_database(app.database(), "DELETE FROM scores; DELETE FROM best_scores");
    assert_eq!(rebuild(app.database()), 1);
    assert_eq!(scores(&app, "runs=all"), before);
    assert_eq!(scores(&app, ""), table);
    // A run of an unlisted game stands nowhere.
    on_the_database(app.database(), "UPDATE games SET visibility = 'unlisted'");
    rebuild(app.database());
    assert_eq!(scores(&app, "runs=all")["scores"], json!([]));
}

#[test]
fn a_run_that_is_given_up_or_going_on_stands_in_no_table() {
    let app = spawn_app();
    let guest = app.guest("Runner");
    let game = guest.create(&app, &json!({ "kind": "fatetst_rpg", "seats": 1 }));
    let ask = |method: &str, path: &str, body: &Value| {
        app.call(method, &format!("/v1/games/{game}{path}"), Some(&guest.token), Some(body))
    };
    assert_eq!(ask("POST", "/seats", &json!({})).status, 201);
    let view = app.call("GET", &format!("/v1/games/{game}/view"), Some(&guest.token), None).json();
    assert_eq!((&view["to_act"], &view["step"], &view["state"]["tree"]), (&json!([0]), &json!(1), &json!(null)));
    // The clock is the log's: no client tells a time.
    let mv = json!({ "type": "walk", "direction": "n", "tiles": 1, "at": "2000-01-01T00:00:00.000Z" });
    assert_eq!(ask("POST", "/moves", &json!({ "step": 1, "move": mv })).status, 422);
    let mv = json!({ "type": "walk", "direction": "n", "tiles": 1 });
    let timed = json!({ "step": 1, "move": mv, "at": "2000-01-01T00:00:00.000Z" });
    assert_eq!(ask("POST", "/moves", &timed).status, 422);
    assert_eq!(ask("POST", "/moves", &json!({ "step": 1, "move": mv })).status, 201);
    assert_eq!(ask("POST", "/resignation", &json!({})).status, 201);
    assert_eq!(scores(&app, "runs=all")["scores"], json!([]));
    let unknown = app.get(&format!("/v1/rules/fatetst_rpg/scores?from={game}"));
    assert_eq!((unknown.status, unknown.code()), (404, "unknown_game".to_owned()));
}

/// Rows of runs that nobody played, of these players: elapsed, steps, when finished, by the number of the game.
fn pretend(app: &TestApp, rows: &[(&str, i64, i64, &str)]) {
    let values = rows.iter().enumerate().map(|(number, (player, elapsed, steps, at))| {
        format!("('01980000-0000-7000-8000-{number:012x}', '{player}', {elapsed}, {steps}, '{at}')")
    });
    let values = values.collect::<Vec<_>>().join(", ");
    let statement = format!(
        "INSERT INTO scores (game_id, player_id, elapsed, steps, finished_at) VALUES {values};
         INSERT INTO best_scores (player_id, game_id, elapsed, steps, finished_at)
            SELECT DISTINCT ON (player_id) player_id, game_id, elapsed, steps, finished_at FROM scores
            ORDER BY player_id, elapsed, steps, finished_at, game_id"
    );
    on_the_database(app.database(), &statement);
}

#[test]
fn the_order_of_the_table_and_its_pages() {
    let app = spawn_app();
    let [ana, ben] = ["Ana", "Ben"].map(|name| app.guest(name).id);
    let (early, late) = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
    pretend(
        &app,
        &[
            (&ana, 5_000, 100, early), // 0: slowest
            (&ben, 1_000, 100, late),  // 1: equal time and steps, finished later
            (&ana, 1_000, 100, early), // 2
            (&ben, 1_000, 99, late),   // 3: fewer steps
            (&ben, 999, 900, late),    // 4: fastest
            (&ana, 1_000, 100, early), // 5: all equal, then by id
        ],
    );
    let numbers = |table: &Value| -> Vec<i64> {
        let rows = table["scores"].as_array().unwrap().iter();
        rows.map(|row| i64::from_str_radix(&row["game"].as_str().unwrap()[24..], 16).unwrap()).collect()
    };
    let places = |table: &Value| -> Vec<i64> {
        table["scores"].as_array().unwrap().iter().map(|row| row["place"].as_i64().unwrap()).collect()
    };
    let all = scores(&app, "runs=all");
    assert_eq!((numbers(&all), places(&all)), (vec![4, 3, 2, 5, 1, 0], vec![1, 2, 3, 4, 5, 6]));
    let best = scores(&app, "");
    assert_eq!((numbers(&best), places(&best)), (vec![4, 2], vec![1, 2]), "each player's best");
    assert_eq!(best["scores"][0]["player"]["name"], json!("Ben"));
    assert_eq!(numbers(&scores(&app, &format!("runs=all&player={ana}"))), [2, 5, 0]);
    assert_eq!(numbers(&scores(&app, &format!("player={ana}"))), [2]);

    // By pages of every length, without a gap or a repeat.
    for limit in 1..=7 {
        let (mut seen, mut ranks, mut cursor) = (Vec::new(), Vec::new(), String::new());
        loop {
            let page = scores(&app, &format!("runs=all&limit={limit}{cursor}"));
            seen.extend(numbers(&page));
            ranks.extend(places(&page));
            match page["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!((seen, ranks), (vec![4, 3, 2, 5, 1, 0], vec![1, 2, 3, 4, 5, 6]), "{limit} a page");
    }
    let from = scores(&app, "runs=all&from=01980000-0000-7000-8000-000000000005&limit=2");
    assert_eq!((numbers(&from), places(&from)), (vec![5, 1], vec![4, 5]));
    for wrong in ["limit=0", "limit=101", "runs=worst", "cursor=x", "player=x", "from=x", "elapsed=1", "runs="] {
        let answer = app.get(&format!("/v1/rules/fatetst_rpg/scores?{wrong}"));
        assert_eq!((answer.status, answer.code()), (400, "invalid_parameter".to_owned()), "{wrong}");
    }
}

/// `cargo test --release --features load --test service a_million -- --ignored --nocapture` prints the figures.
#[test]
#[ignore = "makes a million rows"]
fn a_million_runs_are_quick() {
    let app = spawn_app();
    let ana = app.guest("Ana").id;
    on_the_database(
        app.database(),
        &format!(
            "INSERT INTO players (id, name, name_key, created_at)
                SELECT ('01980000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, 'p' || n, 'p' || n, now()
                FROM generate_series(1, 10000) AS n;
             INSERT INTO scores (game_id, player_id, elapsed, steps, finished_at)
                SELECT ('01980000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
                    CASE WHEN n % 100 = 0 THEN '{ana}'::uuid
                        ELSE ('01980000-0000-7000-9000-' || lpad(to_hex(n % 10000 + 1), 12, '0'))::uuid END,
                    100000 + (n::bigint * 7919) % 86300000, 1000 + n % 2000, date_trunc('second', now())
                FROM generate_series(1, 1000000) AS n;
             INSERT INTO best_scores (player_id, game_id, elapsed, steps, finished_at)
                SELECT DISTINCT ON (player_id) player_id, game_id, elapsed, steps, finished_at FROM scores
                ORDER BY player_id, elapsed, steps, finished_at, game_id;
             ANALYZE scores; ANALYZE best_scores"
        ),
    );
    let middle = scores(&app, "runs=all&from=01980000-0000-7000-8000-00000007a120&limit=100");
    let cursor = middle["next"].as_str().unwrap().to_owned();
    println!("the middle is at place {}", middle["scores"][0]["place"]);
    for (what, query) in [
        ("the first page of players' bests", "limit=100".to_owned()),
        ("the first page of all runs", "runs=all&limit=100".to_owned()),
        ("a page from the middle of all runs", format!("runs=all&limit=100&cursor={cursor}")),
        ("the runs of a player with 10,000", format!("runs=all&limit=100&player={ana}")),
        ("the place of a run in the middle", "runs=all&from=01980000-0000-7000-8000-00000007a120&limit=1".to_owned()),
    ] {
        let mut times: Vec<f64> = (0..21)
            .map(|_| {
                let start = Instant::now();
                assert!(!scores(&app, &query)["scores"].as_array().unwrap().is_empty());
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("{:7.2} ms  {what}", times[times.len() / 2]);
        assert!(times[times.len() / 2] < 500.0, "{what}: {times:?}");
    }
}
