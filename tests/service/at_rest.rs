//! Secrets stay secret where they lie: neither a copy of the whole database nor the log of the process, at its most
//! talkative, holds one. The service runs as an operator runs it: as a program of its own, by the machine's clock and
//! randomness.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use croupier::canonical::to_jcs;
use croupier::keyring::Keyring;
use croupier::ledger::{GameSecrets, Ledger, LedgerSettings, SecretKeys};
use croupier::seed_chain::{SeedChain, ServerSeeds};
use serde_json::{Value, json};

use crate::app::TestFolder;
use crate::clients::hex;
use crate::http::{self, Answer};
use crate::story::fresh_uuid;
use crate::support::{TestDatabase, block_on, query};

/// The program, running.
struct Program {
    child: Child,
    address: SocketAddr,
    folder: TestFolder,
    database: TestDatabase,
}

impl Program {
    fn start() -> Self {
        let (database, folder) = (TestDatabase::new(), TestFolder::new());
        let data = folder.0.display().to_string();
        let mut child = Command::new(env!("CARGO_BIN_EXE_croupier"))
            .args(["serve", "--listen", "127.0.0.1:0", "--workers", "1", "--log", "trace", "--data", &data])
            .args(["--database-url", &database.url, "--database-owner-url", &database.owner_url])
            .stdout(Stdio::piped())
            .stderr(File::create(folder.0.join("log")).unwrap())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let greeting = "Croupier deals at http://";
        let address = lines.find_map(|line| Some(line.unwrap().strip_prefix(greeting)?.parse().unwrap()));
        let address = address.expect("it says where it listens");
        // What else it says goes nowhere, but it must not fail to say it.
        std::thread::spawn(move || lines.count());
        Self { child, address, folder, database }
    }

    fn call(&self, method: &str, path: &str, token: &str, body: &Value) -> Answer {
        let (bearer, key) = (format!("Bearer {token}"), fresh_uuid().to_string());
        let mut headers = vec![("Content-Type", "application/json"), ("Idempotency-Key", key.as_str())];
        headers.extend(Some(("Authorization", bearer.as_str())).filter(|_| !token.is_empty()));
        let body = if body.is_null() { String::new() } else { body.to_string() };
        http::call(self.address, method, path, &headers, body.as_bytes())
    }

    /// As [`Program::call`], for what must succeed.
    fn make(&self, method: &str, path: &str, token: &str, body: &Value) -> Value {
        let answer = self.call(method, path, token, body);
        assert!((200..300).contains(&answer.status), "{path}: {}", answer.text());
        answer.json()
    }

    /// A new table at which these sit down.
    fn table(&self, tokens: &[String], body: &Value) -> String {
        let game = self.make("POST", "/v1/games", &tokens[0], body)["view"]["game"].as_str().unwrap().to_owned();
        let seats = usize::try_from(body["seats"].as_u64().unwrap()).unwrap();
        for token in &tokens[..seats] {
            self.make("POST", &format!("/v1/games/{game}/seats"), token, &json!({}));
        }
        game
    }

    fn keys(&self) -> (Keyring, Value) {
        let text = std::fs::read_to_string(self.folder.0.join("keys.json")).unwrap();
        (Keyring::read(&text, "keys.json").unwrap(), serde_json::from_str(&text).unwrap())
    }

    /// What the house knows of a game and tells nobody.
    fn secrets(&self, game: &str) -> GameSecrets {
        let secret_keys = SecretKeys::new(&self.keys().0.secrets()).unwrap();
        let settings = LedgerSettings {
            url: self.database.url.clone(),
            read_url: None,
            pool_size: 1,
            batch: 1,
            statement_cache: false,
            secret_keys,
        };
        block_on(async { Ledger::connect(settings).await.unwrap().secrets(game.parse().unwrap()).await.unwrap() })
    }

    /// Every row of every table, as text: what is binary, in lower-case hex.
    fn dump(&self) -> String {
        let owner = &self.database.owner_url;
        let tables = query(
            owner,
            "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables
             WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1",
        );
        assert!(tables.iter().any(|table| table == "public.secrets"), "{tables:?}");
        let rows = |table: &String| query(owner, &format!("SELECT t::text FROM {table} t"));
        tables.iter().flat_map(rows).collect::<Vec<_>>().join("\n")
    }

    /// Ends it, as an operator does, and gives back what it logged.
    fn stop(mut self) -> String {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").arg(&pid).status().unwrap().success());
        assert!(self.child.wait().unwrap().success());
        let mut log = String::new();
        File::open(self.folder.0.join("log")).unwrap().read_to_string(&mut log).unwrap();
        log
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// What is looked for, with what it is.
#[derive(Default)]
struct Needles(BTreeMap<String, String>);

impl Needles {
    fn text(&mut self, what: &str, text: &str) {
        assert!(text.len() >= 8, "{what} is found by chance: {text}");
        self.0.insert(what.to_owned(), text.to_owned());
    }

    /// Bytes as they may be written: hex, base64 at any place of a longer text, a list of numbers, an escaped literal.
    fn bytes(&mut self, what: &str, bytes: &[u8]) {
        let lower = hex(bytes);
        self.text(&format!("{what}, hex"), &lower);
        self.text(&format!("{what}, upper-case hex"), &lower.to_uppercase());
        for before in 0..3 {
            let moved = [vec![0; before], bytes.to_vec()].concat();
            for (name, engine) in [("base64", STANDARD), ("base64url", URL_SAFE_NO_PAD)] {
                // The first and the last characters hold bits of what stands beside.
                let text = engine.encode(&moved);
                let text = &text.trim_end_matches('=')[(before * 8).div_ceil(6)..];
                self.text(&format!("{what}, {name} after {before} bytes"), &text[..text.len() - 1]);
            }
        }
        self.text(&format!("{what}, numbers"), bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ").as_str());
        self.text(&format!("{what}, literal"), &bytes.escape_ascii().to_string());
    }

    fn found_in(&self, place: &str) -> Vec<&str> {
        self.0.iter().filter(|(_, text)| place.contains(text.as_str())).map(|(what, _)| what.as_str()).collect()
    }
}

/// Everything that a game under way keeps from the public.
fn of_game(program: &Program, kind: &str, game: &str, needles: &mut Needles) {
    let secrets = program.secrets(game);
    let root = secrets.root.expect("a running game has its root");
    needles.bytes(&format!("{kind}: root"), root.as_slice());
    let chain = SeedChain::new(&root);
    let log = program.make("GET", &format!("/v1/games/{game}/events"), "", &Value::Null);
    let disclosed = log["events"].as_array().unwrap().iter().filter(|event| event["type"] == "disclosed");
    let disclosed = disclosed.map(|event| event["data"]["draw"].as_u64().unwrap()).max().unwrap_or_default();
    // A lot is disclosed at once; all that comes after it is a secret.
    for draw in (disclosed as u32 + 1..10).chain([4095]) {
        needles.bytes(&format!("{kind}: seed {draw}"), chain.seed(draw).unwrap().as_bytes());
    }
    for (seat, sealed) in &secrets.moves {
        needles.bytes(&format!("{kind}: nonce of {seat:?}"), sealed.nonce.as_bytes());
        let mv = String::from_utf8(to_jcs(&sealed.mv)).unwrap();
        needles.text(&format!("{kind}: sealed move of {seat:?}"), &mv);
    }
}

/// The hand that a view shows to its seat, as JSON has it.
fn hand(view: &Value, seat: usize) -> String {
    // Games without cards have no hands.
    let cards = view["state"]["hands"][seat]["cards"].as_array();
    cards.into_iter().flatten().map(Value::to_string).collect::<Vec<_>>().join(",")
}

#[test]
fn neither_the_database_nor_the_log_tells_a_secret() {
    let program = Program::start();
    let mut needles = Needles::default();
    let password = "correct horse battery staple";
    let mut tokens = Vec::new();
    for name in ["Ana", "Ben"] {
        let body = json!({ "name": name, "password": format!("{password} {name}") });
        tokens.push(program.make("POST", "/v1/players", "", &body)["token"].as_str().unwrap().to_owned());
        tokens.push(program.make("POST", "/v1/tokens", "", &body)["token"].as_str().unwrap().to_owned());
    }
    needles.text("a password", password);
    for token in &tokens {
        needles.text(&format!("token {token}"), token);
        needles.text(&format!("the signature of token {token}"), token.rsplit('.').next().unwrap());
    }
    let tokens = [tokens[1].clone(), tokens[3].clone()];

    // A running game of each kind, with hands; in Migraine a move that the house has sealed, too.
    let kinds = [
        ("migraine", 2),
        ("spite_and_malice", 2),
        ("generals", 2),
        ("tau_heed_kept", 2),
        ("random_chess", 2),
        ("fatetst_rpg", 1),
    ];
    assert_eq!(kinds.len(), croupier::games::Kind::ALL.len());
    for (kind, seats) in kinds {
        let game = program.table(&tokens, &json!({ "kind": kind, "seats": seats }));
        let path = format!("/v1/games/{game}");
        let view = |token: &str| program.make("GET", &format!("{path}/view"), token, &Value::Null);
        let first_legal = |token: &str| {
            let view = view(token);
            let mv = view["legal"].as_array().unwrap().iter().find(|mv| mv["type"] != "shuffle_hand").cloned();
            mv.map(|mv| json!({ "step": view["step"], "move": mv }))
        };
        for token in tokens.iter().cycle().take(3) {
            // In Migraine the cut, and one of the two sealed moves; in the others open moves.
            let bound = program.secrets(&game).moves.len();
            if let Some(write) = first_legal(token).filter(|_| bound == 0) {
                program.make("POST", &format!("{path}/moves"), token, &write);
            }
        }
        assert_eq!(program.secrets(&game).moves.len(), usize::from(kind == "migraine"));
        of_game(&program, kind, &game, &mut needles);
        for (seat, token) in tokens.iter().enumerate() {
            let hand = hand(&view(token), seat);
            // A single card stands in the log of public moves, too.
            if hand.contains(',') {
                needles.text(&format!("{kind}: hand of {seat}"), &hand);
            }
        }
    }
    refused_secrets(&program, &tokens, &mut needles);

    let (keyring, keys) = program.keys();
    for usage in ["event", "token", "checkpoint"] {
        for entry in keys[usage].as_array().unwrap() {
            needles.bytes(usage, &unhex(entry["secret"].as_str().unwrap()));
        }
    }
    for key in keyring.secrets() {
        needles.bytes("the key of secrets", key.as_slice());
    }
    println!("{} needles", needles.0.len());

    let game = program.make("GET", "/v1/games", &tokens[0], &Value::Null)["games"][0]["game"].clone();
    let anchor = program.make("GET", &format!("/v1/games/{}/events", game.as_str().unwrap()), "", &Value::Null);
    let anchor = anchor["events"][0]["data"]["anchor"].as_str().unwrap().to_owned();
    let dump = program.dump();
    assert_eq!(needles.found_in(&dump), Vec::<&str>::new(), "in the database");
    // The search finds what is there.
    assert!(dump.contains(&anchor) && dump.contains("Ana"));
    let log = program.stop();
    assert_eq!(needles.found_in(&log), Vec::<&str>::new(), "in the log");
    assert!(log.contains("request_id") && log.contains("/v1/games/{id}/moves"), "{log}");
}

/// What players send at the wrong time, or in the wrong place, is theirs all the same.
fn refused_secrets(program: &Program, tokens: &[String; 2], needles: &mut Needles) {
    let game = program.make("POST", "/v1/games", &tokens[0], &json!({ "kind": "migraine", "seats": 2 }));
    let path = format!("/v1/games/{}", game["view"]["game"].as_str().unwrap());
    let seed = [0x5d; 31].into_iter().chain([0x0a]).collect::<Vec<u8>>();
    needles.bytes("a seed sent too early", &seed);
    let sit = json!({ "seat": 0, "seed_commitment": hex(&[0xc5; 32]) });
    program.make("POST", &format!("{path}/seats"), &tokens[0], &sit);
    let early = program.call("PUT", &format!("{path}/seed"), &tokens[0], &json!({ "seed": hex(&seed) }));
    assert_eq!(early.code(), "seed_too_early");
    program.make("POST", &format!("{path}/seats"), &tokens[1], &json!({}));
    let wrong = program.call("PUT", &format!("{path}/seed"), &tokens[0], &json!({ "seed": hex(&seed) }));
    assert_eq!(wrong.code(), "seed_mismatch");

    let nonce = [0x6e; 31].into_iter().chain([0x0b]).collect::<Vec<u8>>();
    needles.bytes("a nonce sent too early", &nonce);
    let opening = json!({ "step": 1, "move": { "type": "hostile_discard", "card": "QS" }, "nonce": hex(&nonce) });
    assert!(program.call("POST", &format!("{path}/openings"), &tokens[0], &opening).status >= 400);

    let mistyped = "a password with a slip 1";
    needles.text("a mistyped password", mistyped);
    let body = |name: &str| json!({ "name": name, "password": mistyped });
    assert_eq!(program.call("POST", "/v1/tokens", "", &body("Ana")).code(), "wrong_credentials");
    assert_eq!(program.call("POST", "/v1/players", "", &body("Ana")).code(), "name_taken");
    assert_eq!(program.call("POST", "/v1/tokens", "", &json!({ "nom": "Ana", "password": mistyped })).status, 422);
    let forged = format!("{}AAAAAAAA", &tokens[0][..tokens[0].len() - 8]);
    needles.text("a forged token", &forged);
    assert_eq!(program.call("GET", "/v1/players/me", &forged, &Value::Null).code(), "token_invalid");
    let query = format!("/v1/games?token={}", tokens[0]);
    assert_eq!(program.call("GET", &query, "", &Value::Null).code(), "invalid_parameter");
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}
