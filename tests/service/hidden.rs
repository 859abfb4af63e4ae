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
use crate::conformance::{self, Asked};
use crate::http::{self, Answer};

mod worlds;

/// A game with what its draws are made from, besides the player's seed that makes the worlds.
struct Deal {
    kind: &'static str,
    options: Value,
    places: usize,
    /// Whose id it has: see [`Deal::game`].
    number: u8,
    /// What the chain's root is the SHA-256 of.
    root: &'static str,
    viewer: usize,
    /// The seat whose seed makes the worlds.
    hidden: usize,
}

/// When the games are created: the first 48 bits of their ids, in milliseconds.
const MOMENT: &str = "2025-07-12T18:57:36.768Z";

impl Deal {
    fn game(&self) -> String {
        format!("01980000-0000-7000-8000-{:012x}", self.number)
    }
}

/// A service, with players who sit at one table after the other.
struct World {
    app: TestApp,
    entropy: TestEntropy,
    seats: Vec<Client>,
    stranger: Client,
}

impl World {
    fn new() -> Self {
        let entropy = TestEntropy::seeded(5);
        let app = Setup { entropy: entropy.clone(), sweep_seconds: 3600, ..Setup::default() }.spawn();
        app.clock.set(MOMENT);
        let seats = (0..3).map(|seat| Client::new(app.guest(&format!("Player {seat}")), seat)).collect();
        let stranger = Client::new(app.guest("A stranger"), 0);
        Self { app, entropy, seats, stranger }
    }

    /// A game begins, in which one seat has a seed.
    fn begin(&mut self, deal: &Deal, seed: [u8; 32]) {
        let mut id = [0; 10];
        id[9] = deal.number;
        self.entropy.plant(&id);
        self.entropy.plant(&bytes(deal.root));
        let body = json!({ "kind": deal.kind, "options": deal.options, "seats": deal.places });
        let game = self.stranger.guest.create(&self.app, &body);
        assert_eq!(game, deal.game());
        for (seat, client) in self.seats.iter_mut().enumerate() {
            client.seed = (seat == deal.hidden).then_some(seed);
            client.seals = false;
        }
        for client in &self.seats[..deal.places] {
            client.make(&self.app, &client.sit(&self.app, &game));
        }
        let hidden = &self.seats[deal.hidden];
        hidden.make(&self.app, &hidden.open_seed(&game));
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
        http::send(self.app.address, method, path, &headers, body.as_bytes())
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
struct Pair<'a> {
    game: String,
    places: usize,
    viewer: usize,
    hidden: usize,
    worlds: &'a mut [World; 2],
    rng: Rng,
    /// Whether the hidden player has seen other cards in one world than in the other.
    differ: bool,
    /// How many answers were compared.
    compared: usize,
}

impl<'a> Pair<'a> {
    fn new(worlds: &'a mut [World; 2], deal: &Deal, seeds: [[u8; 32]; 2]) -> Self {
        for (world, seed) in worlds.iter_mut().zip(seeds) {
            world.begin(deal, seed);
        }
        let (game, places, viewer, hidden) = (deal.game(), deal.places, deal.viewer, deal.hidden);
        Self { game, places, viewer, hidden, worlds, rng: Rng(77), differ: false, compared: 0 }
    }

    fn path(&self, rest: &str) -> String {
        format!("/v1/games/{}{rest}", self.game)
    }

    /// What a seat sees in both worlds.
    fn views(&self, seat: usize) -> [Value; 2] {
        let path = self.path("/view");
        self.worlds.each_ref().map(|world| world.ask(Who::Seat(seat), "GET", &path, &[], None).json())
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
        let view = self.view();
        let step = view["step"].as_u64().unwrap();
        let client = &self.worlds[0].seats[seat];
        let writes = if view["awaits"] == "commitment" {
            mvs.map(|mv| client.seal(&self.game, step, mv))
        } else {
            mvs.map(|mv| client.make_move(&self.game, step, mv))
        };
        self.writes(seat, &writes);
    }

    /// A seat makes a move that is no decision.
    fn moves_freely(&mut self, seat: usize, mv: &Value) {
        let after = self.view()["seq"].clone();
        let body = json!({ "step": null, "after": after, "move": mv });
        let write = Write::new("POST", self.path("/moves"), body);
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
        let view = self.view();
        let foreign = self.foreign_moves(&view);
        for who in [Who::Seat(self.viewer), Who::Stranger, Who::Public] {
            self.asks(who, "GET", &self.path("/view"), None);
            self.tries_what_is_refused(who, &view, &foreign);
        }
        let proof = *self.rng.pick(&["/bundle", "/audit", "/view?open=true", "/view?at=1"]);
        for path in ["", "/events?limit=1000", proof] {
            // What needs no token is the same with any; the seat's own must not change it either.
            let who = *self.rng.pick(&[Who::Seat(self.viewer), Who::Public]);
            self.asks(who, "GET", &self.path(path), None);
        }
        let known = format!("\"{}\"", view["seq"]);
        let answers = self.worlds.each_ref().map(|world| {
            let headers = [("If-None-Match", known.as_str())];
            world.ask(Who::Seat(self.viewer), "GET", &self.path("/view"), &headers, None)
        });
        assert_eq!(answers[0].status, 304);
        self.same(&answers, &known);
        self.asks(Who::Seat(self.viewer), "GET", "/v1/games", None);
    }

    /// Moves that others could make in either world, and that nobody could; and all other writes, out of place.
    fn tries_what_is_refused(&mut self, who: Who, view: &Value, foreign: &[Value]) {
        let moves = self.path("/moves");
        let number = if who == Who::Seat(self.viewer) { 6 } else { 1 };
        let step = view["step"].as_u64().unwrap_or(1);
        for _ in 0..number {
            let mv = self.rng.pick(foreign);
            self.is_refused(who, &moves, &json!({ "step": step, "move": mv }));
        }
        if who != Who::Seat(self.viewer) {
            return;
        }
        if let Some(mv) = view["legal"].get(0) {
            self.is_refused(who, &moves, &json!({ "step": step + 1, "move": mv }));
            let opening = json!({ "step": step, "move": mv, "nonce": hex64('5') });
            self.is_refused(who, &self.path("/openings"), &opening);
        }
        self.is_refused(who, &moves, &json!({ "step": null, "move": { "type": "cut", "depth": 1 } }));
        self.is_refused(who, &moves, &json!({ "step": step, "move": { "type": "sesame" } }));
        self.is_refused(who, &self.path("/commitments"), &json!({ "step": step + 1, "commitment": hex64('7') }));
        self.is_refused(who, &self.path("/timeout"), &Value::Null);
    }

    /// What seats other than the viewer could do in one world or the other: it names cards that the viewer can't see.
    fn foreign_moves(&self, view: &Value) -> Vec<Value> {
        let seats = (0..self.places).filter(|seat| *seat != self.viewer);
        let lists = seats.flat_map(|seat| self.views(seat)).map(|view| view["legal"].as_array().unwrap().clone());
        let mut moves: Vec<Value> = lists.flatten().collect();
        moves.extend(worlds::nobodys_moves());
        moves.retain(|mv| !view["legal"].as_array().unwrap().contains(mv));
        moves
    }

    fn is_refused(&mut self, who: Who, path: &str, body: &Value) {
        let answers = self.asks(who, "POST", path, Some(body).filter(|body| !body.is_null()));
        // By chance it is the viewer's own sealed move, which is only repeated then.
        let status = answers[0].status;
        assert!(status == 200 || (400..500).contains(&status), "{path} {body}: {}", answers[0].text());
    }

    /// Asks in both worlds, and gets the same.
    fn asks(&mut self, who: Who, method: &str, path: &str, body: Option<&Value>) -> [Answer; 2] {
        let answers = self.worlds.each_ref().map(|world| world.ask(who, method, path, &[], body));
        let sent = body.map(Value::to_string).unwrap_or_default();
        conformance::check(&Asked { method, target: path, body: sent.as_bytes() }, &answers[0]);
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
