//! Players with clients of their own, which speak the protocol by hand: seeds, keys, moves that they seal themselves.

use croupier::canonical::digest;
use croupier::keys::SigningKey;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::app::{Guest, TestApp};
use crate::http::Answer;

/// The tests' own source of numbers (SplitMix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[(self.next() % list.len() as u64) as usize]
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// 32 bytes that a name stands for.
pub fn bytes(name: &str) -> [u8; 32] {
    Sha256::digest(name).into()
}

/// A write, as it may be sent again.
#[derive(Debug, Clone)]
pub struct Write {
    pub method: &'static str,
    pub path: String,
    pub body: Option<Value>,
}

impl Write {
    pub fn new(method: &'static str, path: String, body: Value) -> Self {
        Self { method, path, body: Some(body).filter(|body| !body.is_null()) }
    }
}

/// Somebody on a seat.
#[derive(Clone)]
pub struct Client {
    pub guest: Guest,
    pub seat: usize,
    pub seed: Option<[u8; 32]>,
    pub key: Option<[u8; 32]>,
    /// Whether it seals its moves itself.
    pub seals: bool,
}

impl Client {
    /// Somebody with neither seed nor key, who lets the server seal.
    pub fn new(guest: Guest, seat: usize) -> Self {
        Self { guest, seat, seed: None, key: None, seals: false }
    }

    pub fn with_seed(self) -> Self {
        Self { seed: Some(bytes(&format!("seed of {}", self.guest.name))), ..self }
    }

    pub fn with_key(self) -> Self {
        Self { key: Some(bytes(&format!("key of {}", self.guest.name))), seals: true, ..self }
    }

    pub fn sealing(self) -> Self {
        Self { seals: true, ..self }
    }

    pub fn send(&self, app: &TestApp, write: &Write) -> Answer {
        app.call(write.method, &write.path, Some(&self.guest.token), write.body.as_ref())
    }

    /// As [`Client::send`], for what must succeed for the first time.
    pub fn make(&self, app: &TestApp, write: &Write) -> Answer {
        let answer = self.send(app, write);
        assert_eq!(answer.status, 201, "{}: {write:?}: {}", self.guest.name, answer.text());
        answer
    }

    pub fn view(&self, app: &TestApp, game: &str) -> Value {
        let answer = self.guest.get(app, &format!("/v1/games/{game}/view"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }

    /// The newest event that it says it knows, where it must.
    fn after(&self, app: &TestApp, game: &str) -> Option<u64> {
        self.key.map(|_| app.get(&format!("/v1/games/{game}")).json()["seq"].as_u64().unwrap())
    }

    /// Its signature over a command, as the protocol's page has it.
    pub fn by(&self, game: &str, event_type: &str, command: &Value) -> Value {
        let Some(key) = &self.key else { return Value::Null };
        let command = json!({
            "kind": "croupier/v1/command", "game": game, "seat": self.seat, "type": event_type, "command": command,
        });
        json!(SigningKey::new(key).sign(digest(&command).as_bytes()))
    }

    pub fn sit(&self, app: &TestApp, game: &str) -> Write {
        let seed_commitment = self.seed.map(|seed| {
            let kind = "croupier/v1/seed-commitment";
            digest(&json!({ "kind": kind, "game": game, "seat": self.seat, "seed": hex(&seed) }))
        });
        let key = self.key.map(|key| SigningKey::new(&key).public());
        let mut body = json!({ "seed_commitment": seed_commitment, "key": key, "after": self.after(app, game) });
        let by = self.by(game, "seated", &body);
        (body["seat"], body["by"]) = (json!(self.seat), by);
        Write::new("POST", format!("/v1/games/{game}/seats"), body)
    }

    pub fn open_seed(&self, game: &str) -> Write {
        let mut body = json!({ "seed": hex(&self.seed.expect("a client with a seed")) });
        body["by"] = self.by(game, "seed_opened", &body);
        Write::new("PUT", format!("/v1/games/{game}/seed"), body)
    }

    /// A move in the open, or one for the server to seal.
    pub fn make_move(&self, game: &str, step: u64, mv: &Value) -> Write {
        let mut body = json!({ "step": step, "after": null, "move": mv });
        body["by"] = self.by(game, "moved", &body);
        Write::new("POST", format!("/v1/games/{game}/moves"), body)
    }

    /// The nonce of a move that it seals: fresh for each step and move.
    pub fn nonce(&self, game: &str, step: u64, mv: &Value) -> String {
        hex(&bytes(&format!("{} {game} {step} {mv}", self.guest.name)))
    }

    pub fn commit(&self, game: &str, step: u64, mv: &Value) -> Write {
        let (kind, nonce) = ("croupier/v1/move-commitment", self.nonce(game, step, mv));
        let commitment =
            json!({ "kind": kind, "game": game, "seat": self.seat, "step": step, "move": mv, "nonce": nonce });
        let mut body = json!({ "step": step, "commitment": digest(&commitment) });
        body["by"] = self.by(game, "committed", &body);
        Write::new("POST", format!("/v1/games/{game}/commitments"), body)
    }

    pub fn open(&self, game: &str, step: u64, mv: &Value) -> Write {
        let mut body = json!({ "step": step, "move": mv, "nonce": self.nonce(game, step, mv) });
        body["by"] = self.by(game, "opened", &body);
        Write::new("POST", format!("/v1/games/{game}/openings"), body)
    }

    /// A sealed move: its commitment, or the plain move for the server to seal.
    pub fn seal(&self, game: &str, step: u64, mv: &Value) -> Write {
        if self.seals { self.commit(game, step, mv) } else { self.make_move(game, step, mv) }
    }

    pub fn resign(&self, app: &TestApp, game: &str) -> Write {
        let mut body = json!({ "after": self.after(app, game) });
        body["by"] = self.by(game, "resigned", &body);
        Write::new("POST", format!("/v1/games/{game}/resignation"), body)
    }

    pub fn get_up(&self, app: &TestApp, game: &str) -> Write {
        let command = json!({ "after": self.after(app, game) });
        let query = match self.by(game, "left", &command).as_str() {
            Some(by) => format!("?after={}&by={by}", command["after"]),
            None => String::new(),
        };
        Write::new("DELETE", format!("/v1/games/{game}/seats/me{query}"), Value::Null)
    }
}

pub fn call_timeout(game: &str) -> Write {
    Write::new("POST", format!("/v1/games/{game}/timeout"), Value::Null)
}

/// A game of Migraine that Ana (seat 0, who deals first) and Ben (seat 1, who cuts) have just begun.
pub struct Table {
    pub game: String,
    pub ana: Client,
    pub ben: Client,
}

impl Table {
    /// Guests who let the server seal.
    pub fn new(app: &TestApp) -> Self {
        Self::with(app, &json!({ "kind": "migraine", "options": { "first_dealer": 0 }, "seats": 2 }))
    }

    /// As [`Table::new`], with a clock on decisions.
    pub fn timed(app: &TestApp, move_seconds: u32) -> Self {
        let options = json!({ "first_dealer": 0 });
        Self::with(app, &json!({ "kind": "migraine", "options": options, "seats": 2, "move_seconds": move_seconds }))
    }

    fn with(app: &TestApp, body: &Value) -> Self {
        let [ana, ben] = two(app);
        Self::of(app, body, ana, ben)
    }

    /// These two at a new table: they sit down and open their seeds.
    pub fn of(app: &TestApp, body: &Value, ana: Client, ben: Client) -> Self {
        let game = ana.guest.create(app, body);
        for client in [&ana, &ben] {
            client.make(app, &client.sit(app, &game));
        }
        for client in [&ana, &ben].into_iter().filter(|client| client.seed.is_some()) {
            client.make(app, &client.open_seed(&game));
        }
        Self { game, ana, ben }
    }

    pub fn both(&self) -> [&Client; 2] {
        [&self.ana, &self.ben]
    }

    /// The whole log.
    pub fn events(&self, app: &TestApp) -> Vec<Value> {
        let answer = app.get(&format!("/v1/games/{}/events?limit=1000", self.game)).json();
        assert!(answer["next"].is_null());
        answer["events"].as_array().unwrap().clone()
    }

    /// The types of the events, in order.
    pub fn types(&self, app: &TestApp) -> Vec<String> {
        self.events(app).iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    }

    /// Ben declines to cut, so the cards are dealt.
    pub fn deal(&self, app: &TestApp) -> Answer {
        self.ben.make(app, &self.ben.make_move(&self.game, 1, &json!({ "type": "cut", "depth": 0 })))
    }

    /// The first move that a client may make.
    pub fn first_legal(&self, app: &TestApp, client: &Client) -> Value {
        client.view(app, &self.game)["legal"][0].clone()
    }
}

/// Guests called Ana and Ben, each time with another number behind.
pub fn two(app: &TestApp) -> [Client; 2] {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let guest = |name: &str, seat| Client::new(app.guest(&format!("{name} {number}")), seat);
    [guest("Ana", 0), guest("Ben", 1)]
}
