//! Random sequences of calls, by players and by a stranger, with good and wrong tokens and ids, on two instances by
//! turns: each is answered as a simple model of lobby and seats foretells, and leaves what the model says.
//!
//! `MODEL_SECONDS=600 cargo test --test service lobby_model` tries longer. A failing sequence is made as short as it can
//! be, and shown call by call.

mod model;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};

use crate::app::{Guest, Setup, TestApp};
use crate::clients::{Client, Write};
use crate::http;
use crate::story::fresh_uuid;
use model::{Answered, Game, MADE, REPEATED, Sitting, Stage};

/// For how long sequences are tried, in seconds, if nobody says otherwise.
const SECONDS: u64 = 10;
/// How many sequences are tried at least, however long that takes.
const CASES: usize = 25;
/// Who calls: three who play, and one who looks in now and then.
const CALLERS: usize = 4;

/// What somebody asks for.
#[derive(Debug, Clone)]
enum Ask {
    Create {
        large: bool,
    },
    Sit {
        seat: Option<u8>,
        seed: bool,
    },
    GetUp,
    Start,
    OpenSeed {
        right: bool,
    },
    Cancel,
    /// Any of the moves that the caller's view lists, or one that is at no time right.
    Move(usize),
    Resign,
    CallTimeout,
    Rematch,
}

/// What may be wrong with a call beside what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Nothing,
    NoToken,
    StrangeToken,
    UnknownGame,
    NoId,
}

#[derive(Debug, Clone)]
struct Call {
    who: usize,
    ask: Ask,
    /// Of the games that there are.
    game: usize,
    wrong: Wrong,
    /// On which of the two instances.
    other: bool,
}

fn any_call() -> impl Strategy<Value = Call> {
    let ask = prop_oneof![
        2 => any::<bool>().prop_map(|large| Ask::Create { large }),
        8 => (prop::option::of(0..4_u8), prop::bool::weighted(0.3)).prop_map(|(seat, seed)| Ask::Sit { seat, seed }),
        2 => Just(Ask::GetUp),
        2 => Just(Ask::Start),
        4 => prop::bool::weighted(0.8).prop_map(|right| Ask::OpenSeed { right }),
        1 => Just(Ask::Cancel),
        6 => (0..64_usize).prop_map(Ask::Move),
        2 => Just(Ask::Resign),
        1 => Just(Ask::CallTimeout),
        2 => Just(Ask::Rematch),
    ];
    let wrong = prop_oneof![
        16 => Just(Wrong::Nothing),
        1 => Just(Wrong::NoToken),
        1 => Just(Wrong::StrangeToken),
        1 => Just(Wrong::UnknownGame),
        1 => Just(Wrong::NoId),
    ];
    let who = prop_oneof![4 => Just(0), 4 => Just(1), 2 => Just(2), 1 => Just(3)];
    (who, ask, 0..64_usize, wrong, any::<bool>()).prop_map(|(who, ask, game, wrong, other)| Call {
        who,
        ask,
        game,
        wrong,
        other,
    })
}

/// Two instances, and what the model holds to be there.
struct World<'a> {
    apps: &'a [TestApp; 2],
    callers: Vec<Guest>,
    games: Vec<Game>,
    counts: &'a mut BTreeMap<String, u64>,
}

impl<'a> World<'a> {
    fn new(apps: &'a [TestApp; 2], counts: &'a mut BTreeMap<String, u64>) -> Self {
        let guest = |who: usize| {
            apps[who % 2].guest(&format!("{who} {}", fresh_uuid().simple()).chars().take(32).collect::<String>())
        };
        let callers = (0..CALLERS).map(guest).collect();
        let mut world = Self { apps, callers, games: Vec::new(), counts };
        let create =
            |who, large| Call { who, ask: Ask::Create { large }, game: 0, wrong: Wrong::Nothing, other: large };
        // There is always a game to ask about.
        [create(0, false), create(1, true)].iter().for_each(|call| world.make(call).unwrap());
        world
    }

    /// The client of a caller, as if it sat on this seat.
    fn client(&self, who: usize, seat: usize) -> Client {
        Client::new(self.callers[who].clone(), seat).with_seed()
    }

    /// The request, and what is to be answered. The model goes on as if it were.
    fn foretell(&mut self, call: &Call, app: &TestApp) -> (Write, Answered) {
        let who = call.who;
        if let Ask::Create { large } = call.ask {
            let body =
                json!({ "kind": if large { "tau_heed_kept" } else { "migraine" }, "seats": if large { 3 } else { 2 } });
            return (Write::new("POST", "/v1/games".to_owned(), body), MADE);
        }
        let place = call.game % self.games.len();
        let id = match call.wrong {
            Wrong::UnknownGame => fresh_uuid().to_string(),
            Wrong::NoId => "my-game".to_owned(),
            _ => self.games[place].id.clone(),
        };
        let own = self.games[place].seat_of(who);
        let stranger = self.client(who, own.unwrap_or_default());
        // What is wrong otherwise is found before anything is asked of the game.
        let unheard = call.wrong != Wrong::Nothing;
        let mut copy = self.games[place].clone();
        let game = if unheard { &mut copy } else { &mut self.games[place] };
        let bare = |what: &str| Write::new("POST", format!("/v1/games/{id}/{what}"), Value::Null);
        match &call.ask {
            Ask::Create { .. } => unreachable!("answered above"),
            Ask::Sit { seat, seed } => {
                let of = Client { seat: seat.map_or(0, usize::from), ..stranger };
                let commitment =
                    if *seed { of.sit(app, &game.id).body.unwrap()["seed_commitment"].clone() } else { Value::Null };
                let body = json!({ "seat": seat, "seed_commitment": commitment });
                let mut answered = game.sit(who, *seat, *seed);
                // A commitment that names no seat is made for another, so it is no repeat.
                if *seed && seat.is_none() && answered == REPEATED {
                    let same = game.seat_of(who) == Some(0);
                    answered = if same { REPEATED } else { game.still_open().unwrap_or((409, "already_seated")) };
                }
                (Write::new("POST", format!("/v1/games/{id}/seats"), body), answered)
            }
            Ask::GetUp => (stranger.get_up(app, &id), game.get_up(who)),
            Ask::Start => (bare("start"), game.start(who)),
            Ask::OpenSeed { right } => {
                let client = if *right { stranger } else { Client { seed: Some([7; 32]), ..stranger } };
                (client.open_seed(&id), game.open_seed(who, *right))
            }
            Ask::Cancel => (Write::new("DELETE", format!("/v1/games/{id}"), Value::Null), game.cancel(who)),
            Ask::Move(choice) => {
                let view = stranger.view(app, &game.id);
                let legal: Vec<&Value> = view["legal"].as_array().unwrap().iter().collect();
                let owes = own.is_some_and(|seat| view["to_act"].as_array().unwrap().contains(&json!(seat)));
                if game.plays(who).is_none() && owes && !legal.is_empty() {
                    (stranger.make_move(&id, view["step"].as_u64().unwrap(), legal[choice % legal.len()]), MADE)
                } else {
                    let mv = if game.large { json!({ "type": "pass" }) } else { json!({ "type": "cut", "depth": 0 }) };
                    (stranger.make_move(&id, 4_000_000, &mv), game.plays(who).unwrap_or((409, "wrong_step")))
                }
            }
            Ask::Resign => (bare("resignation"), game.resign(who)),
            Ask::CallTimeout => (bare("timeout"), game.call_timeout(who)),
            Ask::Rematch => {
                let answered = match (game.seat_of(who), game.stage.is_over(), game.next) {
                    (None, _, _) => (403, "not_seated"),
                    (_, false, _) => (409, "not_over"),
                    (_, _, Some(_)) => REPEATED,
                    (_, _, None) => MADE,
                };
                (bare("rematch"), answered)
            }
        }
    }

    /// Makes a call, and holds answer and games against the model.
    fn make(&mut self, call: &Call) -> Result<(), TestCaseError> {
        let (app, look) = (&self.apps[usize::from(call.other)], &self.apps[usize::from(!call.other)]);
        let (write, mut expected) = self.foretell(call, app);
        let creates = matches!(call.ask, Ask::Create { .. });
        match call.wrong {
            Wrong::NoToken => expected = (401, "token_missing"),
            Wrong::StrangeToken => expected = (401, "token_invalid"),
            Wrong::UnknownGame if !creates => expected = (404, "unknown_game"),
            Wrong::NoId if !creates => expected = (400, "invalid_parameter"),
            _ => {}
        }
        let bearer = match call.wrong {
            Wrong::NoToken => None,
            Wrong::StrangeToken => Some("Bearer eyJhbGciOiJFZERTQSJ9.e30.AAAA".to_owned()),
            _ => Some(format!("Bearer {}", self.callers[call.who].token)),
        };
        let key = fresh_uuid().to_string();
        let mut headers: Vec<(&str, &str)> = bearer.iter().map(|bearer| ("Authorization", bearer.as_str())).collect();
        headers.extend(write.body.as_ref().map(|_| ("Content-Type", "application/json")));
        headers.extend(creates.then_some(("Idempotency-Key", key.as_str())));
        let body = write.body.as_ref().map(Value::to_string).unwrap_or_default();
        let answer = http::call(app.address, write.method, &write.path, &headers, body.as_bytes());
        let code = if answer.status < 300 { String::new() } else { answer.code() };
        *self.counts.entry(format!("{} {code}", answer.status)).or_default() += 1;
        if (answer.status, code.as_str()) != expected {
            return Err(TestCaseError::fail(format!(
                "{call:?}\n  {write:?}\n  was answered {} {code}, and not {expected:?}: {}\n  {:#?}",
                answer.status,
                answer.text(),
                self.games
            )));
        }
        if answer.status < 300 {
            self.learn(call, &answer.json());
        }
        let place = if creates { self.games.len() - 1 } else { call.game % self.games.len() };
        self.compare(look, &self.games[place.min(self.games.len() - 1)])
    }

    /// What only the rules know, or the service chooses.
    fn learn(&mut self, call: &Call, answer: &Value) {
        let id = answer["view"]["game"].as_str().unwrap().to_owned();
        if let Ask::Create { large } = call.ask {
            self.games.push(Game::new(id, large, call.who));
            return;
        }
        let place = call.game % self.games.len();
        match (&call.ask, self.games[place].next) {
            (Ask::Rematch, None) => {
                self.games[place].next = Some(self.games.len());
                self.games.push(Game::new(id, self.games[place].large, call.who));
            }
            (Ask::Rematch, Some(next)) => assert_eq!(self.games[next].id, id),
            (Ask::Move(_) | Ask::Resign, _) if answer["view"]["status"] == "ended" => {
                self.games[place].stage = Stage::Ended;
            }
            _ => {}
        }
    }

    /// A game is as the model has it.
    fn compare(&self, app: &TestApp, game: &Game) -> Result<(), TestCaseError> {
        let detail = app.get(&format!("/v1/games/{}", game.id)).json();
        let sitting = |(seat, sitting): (usize, &Option<Sitting>)| {
            sitting.map(|Sitting { who, seed, opened }| json!([seat, self.callers[who].id, seed, opened]))
        };
        let expected = json!({
            "kind": game.kind(), "status": game.stage.name(), "host": self.callers[game.host].id,
            "rematch": game.next.map(|next| &self.games[next].id),
            "players": game.seats.iter().enumerate().filter_map(sitting).collect::<Vec<_>>(),
        });
        let told = |sitting: &Value| {
            json!([sitting["seat"], sitting["player"]["id"], sitting["seed_committed"], sitting["seed_opened"]])
        };
        let found = json!({
            "kind": detail["kind"], "status": detail["status"], "host": detail["host"],
            "rematch": detail["rematch"],
            "players": detail["players"].as_array().unwrap().iter().map(told).collect::<Vec<_>>(),
        });
        prop_assert_eq!(found, expected, "{}", game.id);
        Ok(())
    }

    /// Every caller finds its games in the lobby, each with its status, and the log of every game is in order.
    fn look_around(&self) -> Result<(), TestCaseError> {
        for (who, guest) in self.callers.iter().enumerate() {
            let page = guest.get(&self.apps[0], &format!("/v1/games?limit=100&player={}", guest.id)).json();
            let found: BTreeSet<(String, String)> = page["games"]
                .as_array()
                .unwrap()
                .iter()
                .map(|game| (game["game"].to_string(), game["status"].to_string()))
                .collect();
            let own = self.games.iter().filter(|game| game.seat_of(who).is_some());
            let own = own.map(|game| (json!(game.id).to_string(), json!(game.stage.name()).to_string())).collect();
            prop_assert_eq!(found, own, "the games of {}", who);
        }
        for game in &self.games {
            self.compare(&self.apps[0], game)?;
            let report = self.apps[1].get(&format!("/v1/games/{}/audit", game.id)).text();
            prop_assert!(!report.contains("\"no\""), "{}", report);
        }
        Ok(())
    }
}

#[test]
fn every_sequence_of_calls_is_answered_as_the_model_foretells() {
    let seconds = std::env::var("MODEL_SECONDS").map_or(SECONDS, |seconds| seconds.parse().expect("seconds"));
    let app = Setup { workers: 1, connections: 8, ..Setup::default() }.spawn();
    let apps = [app.another(), app];
    let (end, mut counts, mut cases) = (Instant::now() + Duration::from_secs(seconds), BTreeMap::new(), 0);
    let calls = prop::collection::vec(any_call(), 1..40);
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    // What some of the sequences must have led to; on a slow machine it takes them longer.
    let led_to = ["201 ", "200 ", "401 token_missing", "403 not_seated", "404 unknown_game", "409 table_closed"];
    let missing = |counts: &BTreeMap<String, u64>| led_to.into_iter().find(|answered| !counts.contains_key(*answered));
    while Instant::now() < end || cases < CASES || (missing(&counts).is_some() && cases < 40 * CASES) {
        let play = |calls: &[Call]| {
            let mut world = World::new(&apps, &mut counts);
            calls.iter().try_for_each(|call| world.make(call))?;
            world.look_around()
        };
        shortest_failure(calls.new_tree(&mut runner).unwrap(), play);
        cases += 1;
    }
    println!("{cases} sequences, {} calls: {counts:#?}", counts.values().sum::<u64>());
    assert_eq!(missing(&counts), None, "never came");
}

/// Plays a sequence, and where it fails, ever shorter ones that fail too, of which the shortest is shown.
fn shortest_failure(
    mut tree: impl ValueTree<Value = Vec<Call>>,
    mut play: impl FnMut(&[Call]) -> Result<(), TestCaseError>,
) {
    let mut shortest = tree.current();
    let Err(mut why) = play(&shortest) else { return };
    let mut shorter = tree.simplify();
    for _ in 0..400 {
        if !shorter {
            break;
        }
        let calls = tree.current();
        shorter = match play(&calls) {
            Err(again) => {
                (why, shortest) = (again, calls);
                tree.simplify()
            }
            Ok(()) => tree.complicate(),
        };
    }
    shortest.iter().for_each(|call| println!("{call:?}"));
    panic!("{why}");
}
