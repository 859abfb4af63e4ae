//! The examples of the document: recorded from this run, and of the same form in every run.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::app::{Guest, Setup, TestApp, TestEntropy};
use crate::away::let_in;
use crate::clients::{Client, Write};
use crate::conformance::{DOCUMENT, operations};
use crate::http::{self, Answer};
use crate::sse::Stream;

/// How many lines of a text an example shows, and how many characters of a text within JSON.
const LINES: usize = 12;
const CHARACTERS: usize = 1200;

/// A service, and what it was asked and answered.
struct Recorder {
    app: TestApp,
    operations: BTreeMap<String, Value>,
    problems: BTreeMap<u16, Map<String, Value>>,
}

/// The operation that a request goes to: its name, its path with parameters, what is said of it.
fn operation_at(method: &str, target: &str) -> (&'static str, &'static str, &'static Value) {
    let given = target.split('?').next().unwrap().split('/').collect::<Vec<_>>();
    let fits = |template: &str| {
        let parts = template.split('/').collect::<Vec<_>>();
        let fits = |(part, given): (&&str, &&str)| part == given || part.starts_with('{');
        parts.len() == given.len() && parts.iter().zip(&given).all(fits)
    };
    let found = operations().filter(|(its, path, _)| its == method && fits(path));
    let (_, path, operation) = found.min_by_key(|(_, path, _)| path.contains('{')).expect("an operation");
    (operation["operationId"].as_str().unwrap(), path, operation)
}

/// What long texts are cut to.
fn shortened(value: &mut Value) {
    match value {
        Value::String(text) if text.chars().count() > CHARACTERS => {
            *text = text.chars().take(CHARACTERS).chain(['…']).collect();
        }
        Value::Array(items) => items.iter_mut().for_each(shortened),
        Value::Object(fields) => fields.iter_mut().for_each(|(_, field)| shortened(field)),
        _ => {}
    }
}

impl Recorder {
    fn new() -> Self {
        let app = Setup { entropy: TestEntropy::seeded(6), sweep_seconds: 3600, ..Setup::default() }.spawn();
        Self { app, operations: BTreeMap::new(), problems: BTreeMap::new() }
    }

    /// Asks and records. Of each answer the first of its status and type is kept.
    fn ask(&mut self, who: Option<&Guest>, headers: &[(&str, &str)], write: &Write) -> Answer {
        let bearer = who.map(|guest| format!("Bearer {}", guest.token));
        let mut headers = headers.to_vec();
        headers.extend(bearer.as_deref().map(|value| ("Authorization", value)));
        let body = write.body.as_ref().map(Value::to_string).unwrap_or_default();
        if write.body.is_some() && !headers.iter().any(|(name, _)| *name == "Content-Type") {
            headers.push(("Content-Type", "application/json"));
        }
        // What a stream says is checked by the tests of streams.
        let is_stream = headers.iter().any(|(name, _)| *name == "Accept");
        let send = if is_stream { http::send } else { http::call };
        let answer = send(self.app.address, write.method, &write.path, &headers, body.as_bytes());
        self.record(&headers, write, &answer);
        answer
    }

    /// As [`Recorder::ask`], for what must succeed.
    fn make(&mut self, who: Option<&Guest>, headers: &[(&str, &str)], write: &Write) -> Answer {
        let answer = self.ask(who, headers, write);
        assert!(answer.status < 300, "{write:?}: {} {}", answer.status, answer.text());
        answer
    }

    fn get(&mut self, who: Option<&Guest>, path: &str) -> Answer {
        self.make(who, &[], &Write::new("GET", path.to_owned(), Value::Null))
    }

    fn record(&mut self, headers: &[(&str, &str)], write: &Write, answer: &Answer) {
        let (name, template, operation) = operation_at(write.method, &write.path);
        if answer.status >= 400 {
            let example = json!({ "summary": answer.json()["title"], "value": answer.json() });
            self.problems.entry(answer.status).or_default().entry(answer.code()).or_insert(example);
            return;
        }
        let record = self.operations.entry(name.to_owned()).or_insert_with(|| json!({}));
        for (parameter, value) in parameters(operation, template, &write.path, headers) {
            record["parameters"][parameter] = value;
        }
        if let (Some(body), None) = (&write.body, record.get("request")) {
            record["request"] = body.clone();
        }
        let media_type = answer.header("content-type").unwrap_or_default().split(';').next().unwrap();
        let example = match media_type {
            "" => return,
            "application/json" => answer.json(),
            "application/x-ndjson" => serde_json::from_str(answer.text().lines().next().unwrap()).unwrap(),
            _ => answer.text().lines().take(LINES).map(|line| format!("{line}\n")).collect::<String>().into(),
        };
        self.keep(name, answer.status, media_type, example);
    }

    fn keep(&mut self, name: &str, status: u16, media_type: &str, mut example: Value) {
        // The document can't hold itself.
        if let ("getDocument", Some(fields)) = (name, example.as_object_mut()) {
            fields.retain(|field, _| ["openapi", "info", "servers"].contains(&field.as_str()));
        }
        shortened(&mut example);
        let record = self.operations.entry(name.to_owned()).or_insert_with(|| json!({}));
        let place = &mut record["responses"][status.to_string()][media_type];
        if place.is_null() {
            *place = example;
        }
    }

    /// All of it, as `openapi/examples.json` has it.
    fn recorded(&self) -> Value {
        json!({ "operations": self.operations, "problems": self.problems })
    }
}

/// The values that a request gave to its parameters.
fn parameters<'a>(
    operation: &'a Value,
    template: &str,
    target: &str,
    headers: &[(&str, &str)],
) -> Vec<(&'a str, Value)> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let parts = template.split('/').zip(path.split('/'));
    let in_path = parts.filter_map(|(part, value)| Some((part.strip_prefix('{')?.strip_suffix('}')?, value)));
    let given = in_path.chain(query.split('&').filter_map(|pair| pair.split_once('='))).chain(headers.iter().copied());
    let given = given.collect::<BTreeMap<&str, &str>>();
    let listed = operation["parameters"].as_array().into_iter().flatten();
    let value = |parameter: &'a Value| {
        let name = parameter["name"].as_str().unwrap();
        let text = *given.get(name)?;
        let simple = parameter["schema"]["type"].to_string();
        let typed = simple.contains("integer") || simple.contains("boolean");
        Some((name, if typed { serde_json::from_str(text).unwrap() } else { json!(text) }))
    };
    listed.filter_map(value).collect()
}

/// A value with nothing left of it but its form. How often one form follows itself in a list is no part of it:
/// a proof has as many hashes as the tree was high at that moment.
fn form(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) => json!("boolean"),
        Value::Number(_) => json!("number"),
        Value::String(_) => json!("text"),
        Value::Array(items) => {
            let mut forms = items.iter().map(form).collect::<Vec<_>>();
            forms.dedup();
            forms.into()
        }
        Value::Object(fields) => fields.iter().map(|(name, field)| (name.clone(), form(field))).collect(),
    }
}

fn post(path: impl Into<String>, body: Value) -> Write {
    Write::new("POST", path.into(), body)
}

/// The whole run: every operation succeeds in it, and everything that a test can bring about goes wrong.
fn run() -> Recorder {
    let mut it = Recorder::new();
    let (ana, ben) = sign_up(&mut it);
    for path in ["/v1/rules", "/v1/rules/migraine", "/livez", "/readyz", "/openapi.json", "/docs", "/verify"] {
        it.get(None, path);
    }
    it.get(None, "/verify/page.js");
    it.get(None, "/.well-known/jwks.json");
    it.get(Some(&ana), "/v1/players/me");
    let game = a_game(&mut it, &ana, &ben);
    tables_that_end_early(&mut it, &ana, &ben);
    // Last, since it waits: each request takes some of the run's chance, and so none may be there but these.
    read(&mut it, &game);
    let page = it.get(None, &format!("/v1/games?player={}&limit=1", ana.id)).json();
    it.get(None, &format!("/v1/games?cursor={}", page["next"].as_str().unwrap()));
    for form in ["text/event-stream", "application/x-ndjson"] {
        news(&mut it, &ana, form);
    }
    high_scores(&mut it);
    it.get(None, "/metrics");
    it.make(Some(&ana), &[], &Write::new("DELETE", "/v1/tokens".to_owned(), Value::Null));
    it.ask(Some(&ana), &[], &Write::new("GET", "/v1/players/me".to_owned(), Value::Null));
    bad_times(&mut it);
    it
}

fn sign_up(it: &mut Recorder) -> (Guest, Guest) {
    let credentials = json!({ "name": "Ana", "password": "correct horse battery staple" });
    let guest = |answer: &Answer| {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let answer = answer.json();
        let (id, name) = (text(&answer["player"]["id"]), text(&answer["player"]["name"]));
        Guest { id, name, token: text(&answer["token"]) }
    };
    let ana = guest(&it.make(None, &[], &post("/v1/players", credentials.clone())));
    let ben = guest(&it.make(None, &[], &post("/v1/players", json!({ "name": "Ben" }))));
    it.make(None, &[], &post("/v1/tokens", credentials.clone()));
    it.ask(None, &[], &post("/v1/players", credentials));
    it.ask(None, &[], &post("/v1/players", json!({ "name": " " })));
    it.ask(None, &[], &post("/v1/players", json!({ "name": "Cleo", "password": "short" })));
    it.ask(None, &[("Content-Type", "text/plain")], &post("/v1/players", json!({ "name": "Cleo" })));
    it.ask(None, &[], &post("/v1/players", json!({ "name": "C".repeat(70_000) })));
    it.ask(None, &[], &post("/v1/tokens", json!({ "name": "Ana", "password": "not her password" })));
    it.ask(None, &[], &Write::new("GET", "/v1/players/me".to_owned(), Value::Null));
    (ana, ben)
}

/// Opens a table; tells its id.
fn create(it: &mut Recorder, who: &Guest, number: u32, body: Value) -> String {
    let key = format!("6f1c3a52-7c0e-4d4e-9a55-{number:012}");
    let answer = it.make(Some(who), &[("Idempotency-Key", &key)], &post("/v1/games", body));
    answer.json()["view"]["game"].as_str().unwrap().to_owned()
}

/// A game with a seed and a client that seals, up to a resignation.
fn a_game(it: &mut Recorder, ana: &Guest, ben: &Guest) -> String {
    let body = json!({ "kind": "migraine", "options": { "first_dealer": 0 }, "seats": 2 });
    let game = create(it, ana, 1, body.clone());
    it.ask(Some(ana), &[], &post("/v1/games", body));
    create(it, ben, 2, json!({ "kind": "tau_heed_kept", "seats": 1, "visibility": "public" }));
    let lobby = it.get(Some(ana), "/v1/games?kind=migraine&status=open&limit=1").json();
    it.get(Some(ana), "/v1/games?limit=1");
    assert_eq!(lobby["games"][0]["game"], game.as_str());
    let (ana, ben) = (Client::new(ana.clone(), 0).with_seed().sealing(), Client::new(ben.clone(), 1));
    let make = |it: &mut Recorder, who: &Client, write: &Write| it.make(Some(&who.guest), &[], write);
    let of_game = |rest: &str| format!("/v1/games/{game}{rest}");
    let write = ana.sit(&it.app, &game);
    make(it, &ana, &write);
    let write = ben.sit(&it.app, &game);
    it.ask(Some(&ben.guest), &[], &post(of_game("/seats"), json!({ "seat": 0 })));
    make(it, &ben, &write);
    it.ask(Some(&ana.guest), &[], &Write::new("PUT", of_game("/seed"), json!({ "seed": "0f".repeat(32) })));
    make(it, &ana, &ana.open_seed(&game));
    it.get(Some(&ana.guest), &of_game(""));
    it.get(Some(&ben.guest), &of_game("/view"));
    let cut = |depth: u32| json!({ "type": "cut", "depth": depth });
    it.ask(Some(&ben.guest), &[], &ben.make_move(&game, 1, &cut(16)));
    it.ask(Some(&ana.guest), &[], &ana.make_move(&game, 1, &cut(7)));
    make(it, &ben, &ben.make_move(&game, 1, &cut(7)));
    let given = ana.view(&it.app, &game)["legal"][0].clone();
    make(it, &ana, &ana.commit(&game, 2, &given));
    it.ask(Some(&ana.guest), &[], &ana.open(&game, 2, &given));
    let theirs = ben.view(&it.app, &game)["legal"][0].clone();
    make(it, &ben, &ben.make_move(&game, 2, &theirs));
    make(it, &ana, &ana.open(&game, 2, &given));
    let write = ben.resign(&it.app, &game);
    make(it, &ben, &write);
    it.ask(Some(&ben.guest), &[], &ben.make_move(&game, 3, &theirs));
    make(it, &ana, &post(of_game("/rematch"), Value::Null));
    game
}

/// What there is to read of a game that is over.
fn read(it: &mut Recorder, game: &str) {
    let of_game = |rest: &str| format!("/v1/games/{game}{rest}");
    it.get(None, &of_game("/events?after=0&limit=2"));
    for form in ["text/event-stream", "application/x-ndjson"] {
        let stream = Write::new("GET", of_game("/events?after=0&view=true"), Value::Null);
        it.make(None, &[("Accept", form), ("Last-Event-ID", "0")], &stream);
    }
    it.get(None, &of_game("/view?at=1&open=true"));
    it.ask(None, &[], &Write::new("GET", of_game("/view?at=1000"), Value::Null));
    let logged = |app: &TestApp| app.get(&format!("/v1/log/inclusion?game={game}"));
    it.app.until("the log of logs has the game's end", || {
        let answer = logged(&it.app);
        answer.status == 200 && answer.json()["proofs"].as_array().is_some_and(|proofs| proofs.len() == 2)
    });
    let bundle = it.get(None, &of_game("/bundle")).json();
    it.get(None, &of_game("/audit"));
    it.make(None, &[], &post("/v1/audits", bundle));
    it.get(None, &format!("/v1/log/inclusion?game={game}"));
    it.get(None, "/v1/log/checkpoint");
    it.get(None, "/v1/log/entries?start=0&limit=2");
    it.get(None, "/v1/log/consistency?from=1&to=2");
    it.get(None, "/v1/log/key");
    it.get(None, "/v1/protocol");
}

fn tables_that_end_early(it: &mut Recorder, ana: &Guest, ben: &Guest) {
    let body = json!({ "kind": "generals", "seats": 3, "move_seconds": 10 });
    let game = create(it, ana, 3, body);
    let signing = Client::new(ben.clone(), 1).with_key();
    let write = signing.sit(&it.app, &game);
    it.make(Some(ben), &[], &write);
    let write = signing.get_up(&it.app, &game);
    it.make(Some(ben), &[], &write);
    it.ask(Some(ana), &[], &post(format!("/v1/games/{game}/start"), Value::Null));
    it.ask(Some(ben), &[], &post(format!("/v1/games/{game}/start"), Value::Null));
    for who in [ana, ben] {
        it.make(Some(who), &[], &post(format!("/v1/games/{game}/seats"), json!({})));
    }
    it.make(Some(ana), &[], &post(format!("/v1/games/{game}/start"), Value::Null));
    it.ask(Some(ana), &[], &post(format!("/v1/games/{game}/timeout"), Value::Null));
    it.app.clock.advance(11);
    it.make(Some(ana), &[], &post(format!("/v1/games/{game}/timeout"), Value::Null));
    let off = create(it, ana, 4, json!({ "kind": "migraine", "seats": 2 }));
    it.ask(Some(ben), &[], &Write::new("DELETE", format!("/v1/games/{off}"), Value::Null));
    it.make(Some(ana), &[], &Write::new("DELETE", format!("/v1/games/{off}"), Value::Null));
    it.ask(Some(ana), &[], &Write::new("GET", "/v1/games/none/view".to_owned(), Value::Null));
    let nobodys = "/v1/games/01980000-0000-7000-8000-000000000000";
    it.ask(Some(ana), &[], &Write::new("GET", nobodys.to_owned(), Value::Null));
    it.ask(None, &[], &Write::new("GET", "/v1/rules/poker".to_owned(), Value::Null));
}

/// The table of high scores, with two runs in it.
fn high_scores(it: &mut Recorder) {
    for _ in 0..2 {
        let mut demo = std::process::Command::new(env!("CARGO_BIN_EXE_croupier"));
        let output = demo.args(["demo", "fatetst_rpg", "--url", &it.app.url]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let path = "/v1/rules/fatetst_rpg/scores";
    let page = it.get(None, &format!("{path}?runs=all&limit=1")).json();
    let (run, text) = (&page["scores"][0], |value: &Value| value.as_str().unwrap().to_owned());
    it.get(None, &format!("{path}?player={}", text(&run["player"]["id"])));
    it.get(None, &format!("{path}?from={}", text(&run["game"])));
    it.get(None, &format!("{path}?cursor={}", text(&page["next"])));
}

/// What is refused whatever is asked for: what does not arrive, what comes too often, and all while the database is away.
fn bad_times(it: &mut Recorder) {
    let late = Write::new("POST", "/v1/tokens".to_owned(), Value::Null);
    let address = it.app.address;
    let waits = std::thread::spawn(move || {
        let headers = [("Content-Type", "application/json"), ("Content-Length", "50")];
        http::send(address, "POST", "/v1/tokens", &headers, b"")
    });
    let lobby = Write::new("GET", "/v1/games".to_owned(), Value::Null);
    let strict = Setup::with(&[("--limit-lobby", "1:1")]).spawn();
    for _ in 0..2 {
        let answer = http::call(strict.address, lobby.method, &lobby.path, &[], b"");
        it.record(&[], &lobby, &answer);
    }
    let_in(&it.app, false);
    it.app.until("word that the database is away", || it.app.get("/readyz").status == 503);
    it.ask(None, &[], &lobby);
    it.record(&[], &late, &waits.join().unwrap());
    // For what is done at the end.
    let_in(&it.app, true);
}

/// The first message of a stream that has no end.
fn news(it: &mut Recorder, who: &Guest, form: &str) {
    let (address, path) = (it.app.address, "/v1/events");
    let example = if form == "text/event-stream" {
        let message = Stream::sse(address, path, Some(&who.token), None).next().unwrap();
        format!("event: {}\ndata: {}\n\n", message.name.unwrap(), message.data).into()
    } else {
        Stream::ndjson(address, path, Some(&who.token)).next().unwrap().data
    };
    it.keep("followMyGames", 200, form, example);
}

#[test]
fn examples_are_those_of_a_recorded_run() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi/examples.json");
    let recorded = run().recorded();
    if std::env::var_os("UPDATE_EXAMPLES").is_some() {
        std::fs::write(path, format!("{}\n", serde_json::to_string_pretty(&recorded).unwrap())).unwrap();
        return;
    }
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (kept, now) = (form(&kept), form(&recorded));
    for part in ["operations", "problems"] {
        let names = |value: &Value| value[part].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&kept), names(&now), "record them anew: see CONTRIBUTING");
        for name in names(&kept) {
            let (kept, now) = (&kept[part][&name], &now[part][&name]);
            assert_eq!(kept, now, "{name} is answered otherwise now: record them anew, see CONTRIBUTING");
        }
    }
}

#[test]
fn every_operation_has_examples_of_what_it_takes_and_gives() {
    let has = |media: &Value| media.get("example").is_some();
    for (method, path, operation) in operations() {
        let name = format!("{method} {path}");
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(has(parameter), "{name} has no example of {}", parameter["name"]);
        }
        for (media_type, media) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
            assert!(has(media), "{name} has no example of what it takes as {media_type}");
        }
        let responses = operation["responses"].as_object().unwrap().iter();
        let good = responses.filter(|(status, response)| status.starts_with('2') && response["content"].is_object());
        let good = good.map(|(_, response)| response["content"].as_object().unwrap()).collect::<Vec<_>>();
        let whole = |content: &&Map<String, Value>| content.values().all(has);
        assert!(good.is_empty() || good.iter().any(whole), "{name} has no example of what it answers");
    }
    for status in ["400", "401", "403", "404", "408", "409", "413", "415", "422", "429", "503"] {
        let media = &DOCUMENT["components"]["responses"][format!("Problem{status}")]["content"];
        assert!(media["application/problem+json"]["examples"].is_object(), "no example of {status}");
    }
}
