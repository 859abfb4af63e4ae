//! What an operator reads off `/metrics`, and a replica for what may be a moment old.

use serde_json::json;

use crate::app::{Setup, TestApp, spawn_app};
use crate::clients::Table;
use crate::sse::Stream;
use crate::support::TestDatabase;

fn measured(app: &TestApp, name: &str) -> f64 {
    let answer = app.get("/metrics");
    assert_eq!((answer.status, answer.text().ends_with("# EOF\n")), (200, true));
    let text = answer.text();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
    line.unwrap_or_else(|| panic!("{name} is not in {text}"))
}

#[test]
fn an_operator_sees_how_the_service_does_and_nobody_who_plays() {
    let app = spawn_app();
    let table = Table::new(&app);
    table.deal(&app);
    // Out of turn: refused, and nothing appended.
    let mv = json!({ "type": "cut", "depth": 0 });
    table.ben.send(&app, &table.ben.make_move(&table.game, 7, &mv));
    app.get("/nowhere/at/all");
    let stream = Stream::sse(app.address, &format!("/v1/games/{}/events", table.game), None, None);

    let moves = "croupier_requests_total{method=\"POST\",route=\"/v1/games/{id}/moves\",status=\"201\"}";
    assert!((measured(&app, moves) - 1.0).abs() < 0.1);
    let appends = measured(&app, "croupier_appends_total{outcome=\"Done\"}");
    assert!(appends >= 4.0, "created, two seats and a deal at the least: {appends}");
    assert!((measured(&app, "croupier_append_batch_size_count") - appends).abs() < 0.1, "each went by itself");
    app.until("the stream is counted", || measured(&app, "croupier_streams{of=\"game\"}") > 0.5);
    drop(stream);
    app.until("nor longer than it lasts", || measured(&app, "croupier_streams{of=\"game\"}") < 0.5);
    assert!(measured(&app, "croupier_cached_games") > 0.5 && measured(&app, "croupier_cached_bytes") > 1000.0);
    assert!(measured(&app, "croupier_database_connections{of=\"idle\"}") > 0.5);
    let text = app.get("/metrics").text();
    for private in [&table.game, &table.ana.guest.id, &table.ana.guest.name, &table.ana.guest.token] {
        assert!(!text.contains(private.as_str()));
    }
    assert!(!text.contains("nowhere"), "what anybody may ask for makes no lines");
}

#[test]
fn what_may_be_a_moment_old_is_read_from_the_replica_and_all_else_is_not() {
    // A replica that is behind by everything there is.
    let replica = TestDatabase::new();
    let app = Setup { read_url: Some(replica.url.clone()), ..Setup::default() }.spawn();
    let table = Table::new(&app);
    let path = |rest: &str| format!("/v1/games/{}{rest}", table.game);
    let lobby = |token: Option<&str>, query: &str| {
        let list = app.call("GET", &format!("/v1/games?{query}"), token, None).json();
        list["games"].as_array().unwrap().len()
    };
    assert_eq!(lobby(None, "status=playing"), 0, "the lobby is the replica's");
    let ana = &table.ana.guest;
    assert_eq!(lobby(Some(&ana.token), &format!("player={}", ana.id)), 1, "one's own games are not");
    table.deal(&app);
    table.ben.make(&app, &table.ben.resign(&app, &table.game));
    // What the replica does not have whole is not read there.
    assert_eq!(app.get(&path("/bundle")).json()["events"].as_array().unwrap().len(), table.events(&app).len());
    assert_eq!(app.get(&path("/view?open=true")).json()["status"], "ended");
    assert_eq!(app.get(&path("/audit")).status, 200);

    // One that is away stops nobody.
    let app = Setup { read_url: Some("postgres://nobody@127.0.0.1:1/none".to_owned()), ..Setup::default() }.spawn();
    let table = Table::new(&app);
    assert_eq!(app.get("/v1/games?status=playing").json()["games"].as_array().unwrap().len(), 1);
    table.ben.make(&app, &table.ben.resign(&app, &table.game));
    assert_eq!(app.get(&format!("/v1/games/{}/bundle", table.game)).status, 200);
}
