//! What a viewer must not learn over HTTP: in two worlds that it can't tell apart it gets the same bytes.
//!
//! A world is a service of its own, with a database of its own. Both are asked for the same in the same order, by the
//! same clock and from the same random bytes, so that keys, ids, tokens, the anchor, the house's chain and even request
//! ids are the same in both. What differs is the seed of one player, and by it the deal; and of all such seeds two were
//! chosen that show one viewer the very same cards. So the worlds differ in nothing but cards that are hidden from that
//! viewer, in that seed, and in what is hashed from it. Everything that the viewer, somebody without a seat and the
//! public are answered is compared to the byte: status, headers (but `Date`), bodies.
//!
//! The seed, hashes, signatures and commitments stand in the log, not in views: each has one length, whatever it is of,
//! and tells nothing of a card as long as the house's seed is a secret. In a log, and nowhere else, they are blackened
//! before the comparison, each by as many stars.

use serde_json::{Value, json};

use crate::app::{Setup, TestApp, TestEntropy};
use crate::clients::{Client, Rng, Write, bytes};
use crate::http::{self, Answer};

mod worlds;

/// A kind of game with the number of its places, and what its draws are made from besides the players' seeds.
struct House {
    kind: &'static str,
    options: Value,
    places: usize,
    /// What the chain's root is the SHA-256 of.
    root: &'static str,
}

/// When the game with the id below is created: the id's first 48 bits, in milliseconds.
const MOMENT: &str = "2025-07-12T18:57:36.768Z";
/// The id of every game here.
const GAME: &str = "01980000-0000-7000-8000-000000000001";

/// A service with a game that has just begun.
struct World {
    app: TestApp,
    seats: Vec<Client>,
    stranger: Client,
}

impl World {
    /// The game of a house in which one seat commits to a seed.
    fn new(house: &House, seeded: usize, seed: [u8; 32]) -> Self {
        let entropy = TestEntropy::seeded(5);
        let app = Setup { entropy: entropy.clone(), sweep_seconds: 3600, ..Setup::default() }.spawn();
        app.clock.set(MOMENT);
        let mut seats: Vec<Client> =
            (0..house.places).map(|seat| Client::new(app.guest(&format!("Player {seat}")), seat)).collect();
        let stranger = Client::new(app.guest("A stranger"), 0);
        seats[seeded].seed = Some(seed);
        entropy.plant(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        entropy.plant(&bytes(house.root));
        let body = json!({ "kind": house.kind, "options": house.options, "seats": house.places });
        let game = stranger.guest.create(&app, &body);
        assert_eq!(game, GAME);
        for client in &seats {
            client.make(&app, &client.sit(&app, GAME));
        }
        seats[seeded].make(&app, &seats[seeded].open_seed(GAME));
        Self { app, seats, stranger }
    }

    fn ask(&self, who: Who, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&Value>) -> Answer {
        let bearer = match who {
            Who::Seat(seat) => Some(&self.seats[seat]),
            Who::Stranger => Some(&self.stranger),
            Who::Public => None,
        };
        let bearer = bearer.map(|client| format!("Bearer {}", client.guest.token));
        let mut headers = headers.to_vec();
        headers.extend(bearer.as_deref().map(|bearer| ("Authorization", bearer)));
        headers.extend(body.map(|_| ("Content-Type", "application/json")));
        let body = body.map(Value::to_string).unwrap_or_default();
        http::call(self.app.address, method, path, &headers, body.as_bytes())
    }
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Seat(usize),
    Stranger,
    Public,
}

/// Two worlds that one viewer can't tell apart.
struct Pair {
    viewer: usize,
    /// The seat whose seed makes the worlds.
    hidden: usize,
    worlds: [World; 2],
    rng: Rng,
    /// Whether the hidden player has seen other cards in one world than in the other.
    differ: bool,
    /// How many answers were compared.
    compared: usize,
}

impl Pair {
    fn new(house: &House, viewer: usize, hidden: usize, seeds: [[u8; 32]; 2]) -> Self {
        let worlds = seeds.map(|seed| World::new(house, hidden, seed));
        Self { viewer, hidden, worlds, rng: Rng(77), differ: false, compared: 0 }
    }

    /// What a seat sees in both worlds.
    fn views(&self, seat: usize) -> [Value; 2] {
        self.worlds.each_ref().map(|world| world.seats[seat].view(&world.app, GAME))
    }

    /// What the viewer sees.
    fn view(&self) -> Value {
        let [one, _] = self.views(self.viewer);
        one
    }

    /// What a seat may do in both worlds.
    fn common(&self, seat: usize) -> Vec<Value> {
        let [one, two] = self.views(seat).map(|view| view["legal"].as_array().unwrap().clone());
        one.into_iter().filter(|mv| two.contains(mv)).collect()
    }

    /// The seat that decides.
    fn to_act(&self) -> usize {
        self.view()["to_act"][0].as_u64().unwrap() as usize
    }

    /// A seat decides: the same in both worlds, or sealed, where nobody is told what.
    fn decides(&mut self, seat: usize, mvs: [&Value; 2]) {
        let step = self.view()["step"].as_u64().unwrap();
        let client = &self.worlds[0].seats[seat];
        let writes = if self.view()["awaits"] == "commitment" {
            mvs.map(|mv| client.seal(GAME, step, mv))
        } else {
            mvs.map(|mv| client.make_move(GAME, step, mv))
        };
        self.writes(seat, &writes);
    }

    /// A seat makes a move that is no decision.
    fn moves_freely(&mut self, seat: usize, mv: &Value) {
        let after = self.view()["seq"].clone();
        let body = json!({ "step": null, "after": after, "move": mv });
        let write = Write::new("POST", format!("/v1/games/{GAME}/moves"), body);
        self.writes(seat, &[write.clone(), write]);
    }

    /// A seat writes in both worlds, and everybody looks.
    fn writes(&mut self, seat: usize, writes: &[Write; 2]) {
        let answers = [0, 1].map(|i| {
            let world = &self.worlds[i];
            world.seats[seat].make(&world.app, &writes[i])
        });
        if seat == self.viewer {
            self.same(&answers, &format!("{:?}", writes[0]));
        }
        self.everybody_looks();
    }

    /// The viewer, somebody without a seat and the public read all there is, and try what they may not do.
    fn everybody_looks(&mut self) {
        let [one, two] = self.views(self.hidden);
        self.differ |= one["state"] != two["state"];
        let tag = self.view()["seq"].to_string();
        let game = format!("/v1/games/{GAME}");
        for who in [Who::Seat(self.viewer), Who::Stranger, Who::Public] {
            self.asks(who, "GET", &format!("{game}/view"), None);
            for path in ["", "/events?limit=1000", "/bundle", "/audit", "/view?open=true", "/view?at=1", "/view?at=x"] {
                // What needs no token is the same for the stranger; the seat's own token must not change it either.
                if who != Who::Stranger {
                    self.asks(who, "GET", &format!("{game}{path}"), None);
                }
            }
            self.tries_what_is_refused(who);
        }
        for known in [format!("\"{tag}\""), "*".to_owned(), "\"0\"".to_owned()] {
            let answers = self.worlds.each_ref().map(|world| {
                let headers = [("If-None-Match", known.as_str())];
                world.ask(Who::Seat(self.viewer), "GET", &format!("{game}/view"), &headers, None)
            });
            self.same(&answers, &known);
        }
        let after = self.view()["seq"].as_u64().unwrap() - 1;
        self.asks(Who::Public, "GET", &format!("{game}/events?after={after}&limit=1"), None);
        self.asks(Who::Public, "GET", "/v1/games?kind=migraine", None);
        self.asks(Who::Seat(self.viewer), "GET", "/v1/games", None);
    }

    /// Moves that others could make in either world, and that nobody could; and all other writes, out of place.
    fn tries_what_is_refused(&mut self, who: Who) {
        let game = format!("/v1/games/{GAME}");
        let view = self.view();
        let (step, own) = (view["step"].as_u64().unwrap_or(1), view["legal"].as_array().unwrap());
        let mut moves = self.foreign_moves();
        moves.retain(|mv| !own.contains(mv));
        let number = if who == Who::Seat(self.viewer) { 6 } else { 1 };
        for _ in 0..number.min(moves.len()) {
            let index = (self.rng.next() % moves.len() as u64) as usize;
            let mv = moves.swap_remove(index);
            self.is_refused(who, &format!("{game}/moves"), &json!({ "step": step, "move": mv }));
        }
        if who == Who::Public {
            return;
        }
        if let Some(mv) = own.first() {
            self.is_refused(who, &format!("{game}/moves"), &json!({ "step": step + 1, "move": mv }));
            self.is_refused(
                who,
                &format!("{game}/openings"),
                &json!({ "step": step, "move": mv, "nonce": hex64('5') }),
            );
        }
        self.is_refused(who, &format!("{game}/moves"), &json!({ "step": null, "move": { "type": "cut", "depth": 1 } }));
        self.is_refused(who, &format!("{game}/moves"), &json!({ "step": step, "move": { "type": "sesame" } }));
        self.is_refused(who, &format!("{game}/commitments"), &json!({ "step": step + 1, "commitment": hex64('7') }));
        self.is_refused(who, &format!("{game}/timeout"), &Value::Null);
        self.is_refused(who, &format!("{game}/rematch"), &Value::Null);
    }

    /// What seats other than the viewer could do in one world or the other: it names cards that the viewer can't see.
    fn foreign_moves(&self) -> Vec<Value> {
        let seats = (0..self.worlds[0].seats.len()).filter(|seat| *seat != self.viewer);
        let lists = seats.flat_map(|seat| self.views(seat)).map(|view| view["legal"].as_array().unwrap().clone());
        let mut moves: Vec<Value> = lists.flatten().collect();
        moves.extend(worlds::nobodys_moves());
        moves
    }

    fn is_refused(&mut self, who: Who, path: &str, body: &Value) {
        let answers = self.asks(who, "POST", path, Some(body).filter(|body| !body.is_null()));
        assert!((400..500).contains(&answers[0].status), "{path} {body}: {}", answers[0].text());
    }

    /// Asks in both worlds, and gets the same.
    fn asks(&mut self, who: Who, method: &str, path: &str, body: Option<&Value>) -> [Answer; 2] {
        let answers = self.worlds.each_ref().map(|world| world.ask(who, method, path, &[], body));
        self.same(&answers, &format!("{who:?} {method} {path} {body:?}"));
        answers
    }

    fn same(&mut self, answers: &[Answer; 2], what: &str) {
        let [one, two] = answers.each_ref().map(shown);
        assert_eq!(one, two, "{what}");
        self.compared += 1;
    }
}

fn hex64(digit: char) -> String {
    digit.to_string().repeat(64)
}

/// Status, headers and body as they came, but for the date, and with what is random in a log blackened. The headers are
/// sorted: the framework writes them in the order of a hash map, which it draws anew for every answer.
fn shown(answer: &Answer) -> (u16, Vec<(String, String)>, String) {
    let mut headers: Vec<_> = answer.headers.clone();
    headers.retain(|(name, _)| !name.eq_ignore_ascii_case("date"));
    headers.sort();
    let mut body = answer.text();
    let json: Value = serde_json::from_str(&body).unwrap_or_default();
    for event in json["events"].as_array().into_iter().flatten() {
        for place in ["/hash", "/prev", "/signature/value", "/data/seed", "/data/seed_commitment", "/data/commitment"] {
            if let Some(text) = event.pointer(place).and_then(Value::as_str) {
                assert!(text.len() == 64 || text.len() == 86, "{place}: {text}");
                body = body.replace(text, &"*".repeat(text.len()));
            }
        }
    }
    (answer.status, headers, body)
}
