//! Events as JSON: each a closed object, read exactly as it is written.

use croupier::canonical::{self, to_jcs};
use croupier::event::{Body, Event};
use serde_json::{Value, json};

use crate::support::{House, Player, Rng, Setup, mv, seat};

/// Logs that hold an event of every type.
fn logs() -> Vec<Event> {
    let players = [Player::new(0).with_key().with_seed(), Player::new(1)];
    let mut match_played = House::new(&Setup { options: json!({}), ..Setup::migraine() });
    let house = &mut match_played;
    house.send(&players[1].sit(house));
    house.send(&players[1].get_up(house));
    house.send(&players[1].sit(house));
    house.send(&players[0].sit(house));
    house.send(&players[0].open_seed(house));
    let cut = mv(json!({"type": "cut", "depth": 3}));
    let pone = house.table.to_act()[0];
    house.plays(&players[pone.index()], &cut);
    let nonce = Rng::new(1).nonce();
    for _ in 0..2 {
        let moves = [0, 1].map(|number| house.legal(seat(number))[0].clone());
        house.send(&players[0].commit(house, &moves[0], &nonce));
        house.plays(&players[1], &moves[1]);
        house.send(&players[0].open(house, &moves[0], &nonce));
    }
    for _ in 0..2 {
        let player = &players[house.table.to_act()[0].index()];
        house.plays(player, &house.legal(player.seat)[0].clone());
    }
    let mut resigned = house.clone();
    resigned.send(&players[0].resign(&resigned));
    house.wait_until_due(1);
    house.send(&players[1].call_timeout());
    let mut void = House::seated(&Setup::migraine(), &players);
    void.wait_until_due(1);
    void.send(&players[1].call_timeout());
    [match_played.events, resigned.events, void.events].concat()
}

fn read(value: &Value) -> Result<Event, canonical::NotIJson> {
    canonical::parse_as(&to_jcs(value))
}

#[test]
fn every_type_of_event_is_read_as_it_is_written() {
    let mut seen: Vec<&str> = Vec::new();
    for event in logs() {
        let value = serde_json::to_value(&event).unwrap();
        assert_eq!(read(&value).unwrap(), event);
        seen.push(event.body.event_type());
    }
    for name in Body::TYPES {
        assert!(seen.contains(name), "no {name} was tried");
    }
}

/// The places of a JSON value, as paths.
fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    found.push(path.to_owned());
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| places(value, &format!("{path}/{name}"), found))
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, value)| places(value, &format!("{path}/{i}"), found));
        }
        _ => {}
    }
}

/// Whatever is changed in the form of an event, it is read no more; and what is read is what was sent.
#[test]
fn no_field_is_left_out_added_or_written_in_another_form() {
    let mut tried = 0;
    for event in logs() {
        let value = serde_json::to_value(&event).unwrap();
        let mut paths = Vec::new();
        places(&value, "", &mut paths);
        for path in paths {
            let mut changed = value.clone();
            let place = changed.pointer_mut(&path).unwrap();
            let variants: Vec<Value> = match place.clone() {
                Value::Object(fields) => {
                    let mut variants: Vec<Value> = Vec::new();
                    for name in fields.keys() {
                        let mut less = fields.clone();
                        less.remove(name);
                        variants.push(Value::Object(less));
                    }
                    let mut more = fields.clone();
                    more.insert("extra".to_owned(), Value::Null);
                    variants.push(Value::Object(more));
                    variants.push(Value::Array(fields.values().cloned().collect()));
                    variants
                }
                Value::Array(items) => vec![json!({"0": items}), json!(null), json!("")],
                Value::String(text) => {
                    vec![json!({text.clone(): null}), json!([text]), json!(1), json!(true), json!(null), json!(" ")]
                }
                Value::Number(number) => {
                    vec![json!(number.to_string()), json!([number]), json!(true), json!(-1), json!(1_u64 << 40)]
                }
                Value::Null => vec![json!([]), json!({}), json!("null"), json!(false)],
                Value::Bool(_) => vec![],
            };
            for variant in variants {
                *changed.pointer_mut(&path).unwrap() = variant;
                tried += 1;
                if let Ok(read) = read(&changed) {
                    // A text may be any text, as a name is; then the event holds just that.
                    assert_eq!(serde_json::to_value(&read).unwrap(), changed, "at {path}");
                }
            }
        }
    }
    assert!(tried > 2000, "{tried}");
}

#[test]
fn a_list_is_no_object() {
    let events = logs();
    let created = serde_json::to_value(&events[0]).unwrap();
    for path in ["", "/data", "/data/rules", "/data/seats", "/data/options", "/signature"] {
        let mut changed = created.clone();
        let place = changed.pointer_mut(path).unwrap();
        // Serde would read these from a list, in the order of the type's fields.
        let fields: &[&str] = match path {
            "" => &["game", "seq", "prev", "at", "actor", "type", "data", "hash", "signature"],
            "/data" => &["protocol", "kind", "rules", "options", "seats", "anchor", "chain", "move_seconds", "host"],
            "/data/rules" => &["version", "text"],
            "/data/seats" => &["min", "max"],
            "/data/options" => &["target", "first_dealer"],
            _ => &["key", "value"],
        };
        *place = fields.iter().map(|name| place[*name].clone()).collect();
        assert!(read(&changed).is_err(), "{path} as a list");
    }
}
