//! Whole matches over HTTP, on two instances at once, with every mix of sealing, seeds and keys. After each write: its
//! receipt, its repeat, another in its place, and what everybody sees.

use std::collections::BTreeMap;

use croupier::replay::{disclosed, replay};
use serde_json::{Value, json};

use crate::app::{Setup, TestApp, TestEntropy};
use crate::clients::{Client, Rng, Table, Write, two};
use crate::http;
use crate::watch::Watch;

/// A match under way, and all that was seen of it.
struct Match<'a> {
    instances: [&'a TestApp; 2],
    table: Table,
    watch: Watch,
    rng: Rng,
    /// Every write that was made, by whom, with the first event of its receipt and its nonce.
    made: Vec<(usize, Write, Value, Value)>,
    /// What each of them saw, by event: Ana, Ben, the public.
    seen: BTreeMap<u64, [Value; 3]>,
}

impl<'a> Match<'a> {
    /// Either instance.
    fn app(&mut self) -> &'a TestApp {
        *self.rng.pick(&self.instances)
    }

    fn path(&self, rest: &str) -> String {
        format!("/v1/games/{}/{rest}", self.table.game)
    }

    /// Makes a write for the first time, and again, and another in its place.
    fn write(&mut self, client: &Client, write: &Write, other: Option<Write>) {
        let answer = client.make(self.app(), write);
        assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
        assert_eq!(answer.header("vary"), Some("Authorization"));
        self.watch.receipt(&answer);
        let receipt = answer.json();
        assert_eq!(receipt["view"], client.view(self.app(), &self.table.game));
        self.made.push((client.seat, write.clone(), receipt["events"][0].clone(), receipt["nonce"].clone()));
        self.again(self.made.len() - 1);
        if let Some(other) = other {
            let answer = client.send(self.app(), &other);
            assert_eq!(answer.status, 409, "{other:?}: {}", answer.text());
        }
        let game = format!("/v1/games/{}", self.table.game);
        assert_eq!(self.app().get(&game).json()["seq"].as_u64(), self.watch.newest(), "nothing came in between");
    }

    /// A write that was made once is answered with what it made.
    fn again(&mut self, index: usize) {
        let (seat, write, event, nonce) = self.made[index].clone();
        let client = self.table.both()[seat].clone();
        let answer = client.send(self.app(), &write);
        assert_eq!(answer.status, 200, "{write:?}: {}", answer.text());
        assert_eq!((&answer.json()["events"], &answer.json()["nonce"]), (&json!([event]), &nonce), "{write:?}");
    }

    /// Everybody looks: the public things are the same for all, and nobody sees another's hand.
    fn look(&mut self) -> [Value; 3] {
        let table = self.table.both().map(Client::clone);
        let views = [Some(&table[0]), Some(&table[1]), None].map(|client| {
            let token = client.map(|client| client.guest.token.as_str());
            let path = self.path("view");
            let answer = self.app().call("GET", &path, token, None);
            assert_eq!(answer.header("etag"), Some(&*format!("\"{}\"", answer.json()["seq"])));
            assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
            assert_eq!(answer.header("vary"), Some("Authorization"));
            answer.json()
        });
        for (i, view) in views.iter().enumerate() {
            assert_eq!(view["seat"], if i < 2 { json!(i) } else { json!(null) });
            assert_eq!(public(view), public(&views[2]));
            for hidden in ["deck", "sabre"] {
                assert_eq!(view["state"][hidden]["cards"], json!(null), "{hidden}");
            }
            for (seat, hand) in view["state"]["hands"].as_array().unwrap().iter().enumerate() {
                let over = view["status"] == "ended";
                assert_eq!(hand["cards"].is_null(), seat != i, "the hand of {seat} as {i} sees it, over: {over}");
            }
        }
        assert_eq!(views[2]["legal"], json!([]));
        self.seen.insert(views[0]["seq"].as_u64().unwrap(), views.clone());
        views
    }

    /// Who knows the newest event is told so and nothing more.
    fn not_modified(&mut self, seq: u64) {
        let bearer = format!("Bearer {}", self.table.ana.guest.token);
        let (path, address) = (self.path("view"), self.app().address);
        let (newest, old) = (format!("\"{seq}\""), format!("\"{}\"", seq.wrapping_sub(1)));
        let ask = |known: &str| {
            let headers = [("Authorization", &*bearer), ("If-None-Match", known)];
            http::call(address, "GET", &path, &headers, b"")
        };
        for known in [newest.clone(), format!("W/{newest}"), format!("{old}, {newest}"), "*".to_owned()] {
            let answer = ask(&known);
            assert_eq!((answer.status, answer.body.as_slice()), (304, &b""[..]), "{known}");
            let headers = ["etag", "cache-control", "vary"].map(|name| answer.header(name));
            assert_eq!(headers, [Some(&*newest), Some("private, no-cache"), Some("Authorization")]);
        }
        for known in [old, seq.to_string(), "\"\"".to_owned(), "x".to_owned()] {
            assert_eq!(ask(&known).status, 200, "{known}");
        }
    }

    /// Plays to the end by moves from `legal`.
    fn play(&mut self) {
        let mut chosen = BTreeMap::new();
        loop {
            let views = self.look();
            let view = &views[2];
            if self.watch.events.len() % 5 == 0 {
                self.not_modified(view["seq"].as_u64().unwrap());
            }
            if view["status"] == "ended" {
                return;
            }
            for query in ["view?open=true", "view?at=0"] {
                let path = self.path(query);
                assert_eq!(self.app().get(&path).code(), "not_over");
            }
            let (game, step) = (self.table.game.clone(), view["step"].as_u64().unwrap());
            let to_act = view["to_act"].as_array().unwrap().iter().map(|seat| seat.as_u64().unwrap() as usize);
            let to_act = to_act.collect::<Vec<_>>();
            let seat = *self.rng.pick(&to_act);
            let client = self.table.both()[seat].clone();
            let legal = views[seat]["legal"].as_array().unwrap();
            for idle in (0..2).filter(|seat| !to_act.contains(seat)) {
                assert_eq!(views[idle]["legal"], json!([]), "nothing to do for {idle}");
            }
            let (write, other) = match view["awaits"].as_str().unwrap() {
                "move" => {
                    let (mv, other) = (self.rng.pick(legal).clone(), self.rng.pick(legal).clone());
                    let other = (other != mv).then(|| client.make_move(&game, step, &other));
                    (client.make_move(&game, step, &mv), other)
                }
                "commitment" => {
                    let (mv, other) = (self.rng.pick(legal).clone(), self.rng.pick(legal).clone());
                    let other = (other != mv).then(|| client.seal(&game, step, &other));
                    chosen.insert((seat, step), mv.clone());
                    (client.seal(&game, step, &mv), other)
                }
                "opening" => {
                    let mv = &chosen[&(seat, step)];
                    (client.open(&game, step, mv), Some(client.seal(&game, step, &json!({"type": "cut", "depth": 1}))))
                }
                other => panic!("{other}"),
            };
            let wrong = write.body.as_ref().map(|body| with(body, "step", json!(step + 1))).unwrap();
            let wrong = Write { body: Some(wrong), ..write.clone() };
            assert_eq!(client.send(self.app(), &wrong).code(), "wrong_step");
            self.write(&client, &write, other);
        }
    }

    /// After the end everything can be seen again as it was, by each and with every card open.
    fn look_back(&mut self) {
        let newest = self.watch.newest().unwrap();
        for (seq, views) in self.seen.clone() {
            for (i, view) in views.iter().enumerate() {
                let token = self.table.both().get(i).map(|client| client.guest.token.clone());
                let path = self.path(&format!("view?at={seq}"));
                let answer = self.app().call("GET", &path, token.as_deref(), None);
                assert_eq!(answer.header("etag"), Some(&*format!("\"{seq}\"")));
                assert_eq!(answer.json(), *view, "as {i} saw it at {seq}");
            }
            let path = self.path(&format!("view?at={seq}&open=true"));
            let open = self.app().get(&path).json();
            assert_eq!(public(&open), public(&views[2]));
            for (seat, own) in views[..2].iter().enumerate() {
                assert_eq!(open["state"]["hands"][seat], own["state"]["hands"][seat], "at {seq}");
            }
            let sizes = ["deck", "sabre"].map(|pile| open["state"][pile]["cards"].as_array().unwrap().len());
            assert_eq!(json!(sizes), json!(["deck", "sabre"].map(|pile| &open["state"][pile]["size"])));
        }
        for seq in 0..=newest {
            let path = self.path(&format!("view?at={seq}&open=true"));
            assert_eq!(self.app().get(&path).json()["seq"], seq);
        }
        let path = self.path(&format!("view?at={}", newest + 1));
        assert_eq!(self.app().get(&path).code(), "no_such_event");
        let path = self.path("view?open=true");
        assert_eq!(self.app().get(&path).json()["status"], "ended");
    }

    /// Whoever was not there comes to the same result from what is public alone.
    fn replay(&mut self) {
        let mut stranger = Watch::new(self.app(), &self.table.game.clone());
        assert_eq!(stranger.events, self.watch.events, "receipts and pages are the same log");
        stranger.catch_up(self.instances[1]);
        let events = stranger.typed();
        let table = replay(&events, &disclosed(&events)).unwrap();
        let view = self.look()[2].clone();
        assert_eq!(json!(table.view(None)), view);
        let result = &stranger.events.last().unwrap()["data"]["result"];
        assert_eq!((&view["result"], &json!(table.result())), (result, result));
        let path = format!("/v1/games/{}", self.table.game);
        assert_eq!(self.app().get(&path).json()["result"], *result);
    }
}

fn with(value: &Value, field: &str, new: Value) -> Value {
    let mut value = value.clone();
    value[field] = new;
    value
}

/// What is the same for everybody.
fn public(view: &Value) -> Value {
    let mut view = with(&with(view, "seat", json!(null)), "legal", json!(null));
    for hand in view["state"]["hands"].as_array_mut().into_iter().flatten() {
        hand["cards"] = json!(null);
    }
    for pile in ["deck", "sabre"] {
        if let Some(pile) = view["state"].get_mut(pile) {
            pile["cards"] = json!(null);
        }
    }
    view
}

fn play(seed: u64, ana: impl Fn(Client) -> Client, ben: impl Fn(Client) -> Client) {
    let app = Setup { entropy: TestEntropy::seeded(seed), ..Setup::default() }.spawn();
    let other = app.another();
    let [one, two] = two(&app);
    let table =
        Table::of(&app, &json!({ "kind": "migraine", "options": { "target": 3 }, "seats": 2 }), ana(one), ben(two));
    let watch = Watch::new(&app, &table.game);
    let mut game =
        Match { instances: [&app, &other], watch, table, rng: Rng(seed), made: Vec::new(), seen: BTreeMap::new() };
    game.play();
    (0..game.made.len()).for_each(|index| game.again(index));
    game.look_back();
    game.replay();
    let mut types = game.watch.events.iter().map(|event| event["type"].as_str().unwrap()).collect::<Vec<_>>();
    types.sort_unstable();
    types.dedup();
    assert!(["committed", "disclosed", "ended", "moved", "opened", "started"].iter().all(|name| types.contains(name)));
}

#[test]
fn the_server_seals_for_both() {
    play(1, |ana| ana, |ben| ben);
}

#[test]
fn ana_seals_herself_and_ben_lets_the_server() {
    play(2, |ana| ana.sealing().with_seed(), |ben| ben);
}

#[test]
fn ben_seals_himself_and_ana_lets_the_server() {
    play(3, |ana| ana.with_seed(), |ben| ben.sealing().with_seed());
}

#[test]
fn both_seal_themselves() {
    play(4, |ana| ana.sealing(), |ben| ben.sealing().with_seed());
}

#[test]
fn ana_signs_and_ben_does_not() {
    play(5, |ana| ana.with_key().with_seed(), |ben| ben);
}

#[test]
fn both_sign_and_seed() {
    play(6, |ana| ana.with_key().with_seed(), |ben| ben.with_key().with_seed());
}
