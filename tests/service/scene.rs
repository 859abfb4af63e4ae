//! Games in every state of their lives, and how they are played on: for a database that is looked at again later.

use std::collections::BTreeMap;

use croupier::games::Kind;
use serde_json::{Value, json};

use crate::app::{Guest, TestApp};
use crate::clients::{Client, Rng, Write};
use crate::support::query;

/// After how many moves all but one give up: no random game is that long unless it has no end.
const LONG: usize = 600;

/// A game with those who play it, and what they have sealed and not opened: seat, step and move.
pub struct Party {
    pub game: String,
    pub clients: Vec<Client>,
    sealed: Vec<(usize, u64, Value)>,
}

impl Party {
    /// The first seat has a seed and a key, the second a seed alone, the rest nothing. Nobody sits yet.
    pub fn at_a_new_table(app: &TestApp, kind: Kind, move_seconds: Option<u32>) -> Self {
        let seats = usize::from(3.clamp(kind.seats().0, kind.seats().1));
        let client = |seat: usize| {
            let client = Client::new(app.guest(&format!("{} {}", kind.name(), how_many(app))), seat);
            match seat {
                0 => client.with_seed().with_key(),
                1 => client.with_seed(),
                _ => client,
            }
        };
        let clients: Vec<Client> = (0..seats).map(client).collect();
        let options = match kind {
            Kind::Migraine => json!({ "target": 2, "first_dealer": 0 }),
            Kind::SpiteAndMalice => json!({ "target": 1, "decks": 2, "payoff": 5 }),
            _ => json!({}),
        };
        let body = json!({ "kind": kind.name(), "options": options, "seats": seats, "move_seconds": move_seconds });
        let game = clients[0].guest.create(app, &body);
        Self { game, clients, sealed: Vec::new() }
    }

    pub fn sits_down(self, app: &TestApp) -> Self {
        self.clients.iter().for_each(|client| drop(client.make(app, &client.sit(app, &self.game))));
        self
    }

    pub fn opens_seeds(self, app: &TestApp) -> Self {
        let seeded = self.clients.iter().filter(|client| client.seed.is_some());
        seeded.for_each(|client| drop(client.make(app, &client.open_seed(&self.game))));
        self
    }

    pub fn plays(mut self, app: &TestApp, moves: usize, rng: &mut Rng) -> Self {
        (0..moves).for_each(|_| make_a_move(app, &self.game, &self.clients, rng, &mut self.sealed));
        self
    }

    pub fn status(&self, app: &TestApp) -> String {
        app.get(&format!("/v1/games/{}", self.game)).json()["status"].as_str().unwrap().to_owned()
    }

    /// Whatever is missing until the game is over, by turns on each of these instances.
    pub fn plays_to_the_end(&mut self, apps: &[&TestApp], rng: &mut Rng) {
        for number in 0.. {
            let app = apps[number % apps.len()];
            let detail = app.get(&format!("/v1/games/{}", self.game)).json();
            match detail["status"].as_str().unwrap() {
                "open" => {
                    let sits = |client: &&Client| {
                        let players = detail["players"].as_array().unwrap();
                        players.iter().any(|sitting| sitting["player"]["id"] == client.guest.id)
                    };
                    let next = self.clients.iter().find(|client| !sits(client)).expect("a full table closes");
                    next.make(app, &next.sit(app, &self.game));
                }
                "closed" => {
                    let owes = |client: &&Client| {
                        client.view(app, &self.game)["to_act"].as_array().unwrap().contains(&json!(client.seat))
                    };
                    let next = self.clients.iter().find(owes).expect("somebody owes a seed");
                    next.make(app, &next.open_seed(&self.game));
                }
                "playing" if number > LONG => {
                    let client = self
                        .clients
                        .iter()
                        .find(|client| client.send(app, &client.resign(app, &self.game)).status == 201);
                    assert!(client.is_some(), "nobody can give up");
                }
                "playing" => make_a_move(app, &self.game, &self.clients, rng, &mut self.sealed),
                _ => return,
            }
        }
    }

    /// For a file.
    pub fn to_json(&self) -> Value {
        let client = |client: &Client| {
            let Client { guest: Guest { id, name, token }, seat, seed, key, seals } = client;
            json!({
                "id": id, "name": name, "token": token, "seat": seat, "seals": seals,
                "seed": seed.is_some(), "key": key.is_some(),
            })
        };
        json!({
            "game": self.game, "sealed": self.sealed, "clients": self.clients.iter().map(client).collect::<Vec<_>>(),
        })
    }

    /// Back from a file: seeds and keys come from the names.
    pub fn from_json(value: &Value) -> Self {
        let client = |value: &Value| {
            let text = |name: &str| value[name].as_str().unwrap().to_owned();
            let guest = Guest { id: text("id"), name: text("name"), token: text("token") };
            let seat = value["seat"].as_u64().unwrap() as usize;
            let client = Client::new(guest, seat);
            let client = if value["seed"] == true { client.with_seed() } else { client };
            let client = if value["key"] == true { client.with_key() } else { client };
            Client { seals: value["seals"] == true, ..client }
        };
        Self {
            game: value["game"].as_str().unwrap().to_owned(),
            sealed: serde_json::from_value(value["sealed"].clone()).unwrap(),
            clients: value["clients"].as_array().unwrap().iter().map(client).collect(),
        }
    }
}

/// A number that no player of this database has in its name.
fn how_many(app: &TestApp) -> String {
    query(&app.database().owner_url, "SELECT count(*) FROM players").remove(0)
}

/// One move by whoever has to move, if anybody has: such that games get on.
pub fn make_a_move(
    app: &TestApp,
    game: &str,
    clients: &[Client],
    rng: &mut Rng,
    sealed: &mut Vec<(usize, u64, Value)>,
) {
    let last = &clients[clients.len() - 1];
    let view = last.view(app, game);
    if view["step"].is_null() {
        // Nobody has to decide, and who may makes a move all the same.
        let Some(mv) = view["legal"].as_array().unwrap().first() else { return };
        let body = json!({ "step": null, "after": view["seq"], "move": mv });
        return drop(last.make(app, &Write::new("POST", format!("/v1/games/{game}/moves"), body)));
    }
    // What was committed is opened once it is asked for.
    for client in clients {
        let view = client.view(app, game);
        let mine = view["to_act"].as_array().is_some_and(|seats| seats.contains(&json!(client.seat)));
        let Some(step) = view["step"].as_u64().filter(|_| mine) else { continue };
        let write = match view["awaits"].as_str() {
            Some("opening") => {
                let at = sealed.iter().position(|(seat, of, _)| (*seat, *of) == (client.seat, step)).unwrap();
                client.open(game, step, &sealed.remove(at).2)
            }
            awaits => {
                // Whoever shuffles its hand decides nothing by it.
                let decides = |mv: &&Value| mv["type"] != "shuffle_hand";
                let legal: Vec<&Value> = view["legal"].as_array().unwrap().iter().filter(decides).collect();
                // In Spite & Malice no game ends where nobody plays what can be played.
                let plays = |mv: &&&Value| mv["type"].as_str().is_some_and(|name| name.starts_with("play_"));
                let eager: Vec<&Value> = legal.iter().filter(plays).copied().collect();
                let mv = (*rng.pick(if eager.is_empty() { &legal } else { &eager })).clone();
                if awaits == Some("commitment") && client.seals {
                    sealed.push((client.seat, step, mv.clone()));
                    client.commit(game, step, &mv)
                } else {
                    client.make_move(game, step, &mv)
                }
            }
        };
        client.make(app, &write);
        return;
    }
}

/// For every kind of game one in each state: open, closed, playing, resigned, called off, and one without its seed.
/// Moves the clock on.
pub fn furnish(app: &TestApp) -> Vec<Party> {
    let mut rng = Rng(11);
    let mut parties = Vec::new();
    for kind in Kind::ALL {
        let new = || Party::at_a_new_table(app, *kind, None);
        let open = new();
        open.clients[0].make(app, &open.clients[0].sit(app, &open.game));
        let closed = new().sits_down(app);
        let seeded = closed.clients.iter().find(|client| client.seed.is_some()).unwrap();
        if closed.clients.len() > 1 {
            seeded.make(app, &seeded.open_seed(&closed.game));
        }
        let begun = new().sits_down(app).opens_seeds(app);
        let playing = new().sits_down(app).opens_seeds(app).plays(app, 9, &mut rng);
        // In mid step, where there is one: one is bound and the others are not.
        let mut sealing = new().sits_down(app).opens_seeds(app);
        for _ in 0..30 {
            sealing = sealing.plays(app, 1, &mut rng);
            if !sealing.sealed.is_empty() || sealing.status(app) != "playing" {
                break;
            }
        }
        let resigned = new().sits_down(app).opens_seeds(app).plays(app, 4, &mut rng);
        for client in &resigned.clients {
            client.send(app, &client.resign(app, &resigned.game));
        }
        let cancelled = new();
        let path = format!("/v1/games/{}", cancelled.game);
        app.call("DELETE", &path, Some(&cancelled.clients[0].guest.token), None);
        parties.extend([open, closed, begun, playing, sealing, resigned, cancelled]);
    }
    let mut whole = Party::at_a_new_table(app, Kind::Migraine, None).sits_down(app).opens_seeds(app);
    whole.plays_to_the_end(&[app], &mut rng);
    let late = Party::at_a_new_table(app, Kind::Migraine, Some(60)).sits_down(app).opens_seeds(app);
    let seedless = Party::at_a_new_table(app, Kind::Migraine, Some(60)).sits_down(app);
    app.clock.advance(61);
    app.until("what is late is swept", || late.status(app) == "ended" && seedless.status(app) == "voided");
    parties.extend([whole, late, seedless]);
    parties
}

/// How many games there are of each status.
pub fn statuses(app: &TestApp, parties: &[Party]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    parties.iter().for_each(|party| *counts.entry(party.status(app)).or_default() += 1);
    counts
}
