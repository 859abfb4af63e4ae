//! Whole games as people can read them, in `tests/transcripts`: what happened, what each seat saw of it and what it could
//! do. A change of the rules, of a view or of one byte of a log shows there as a line that is another one.
//!
//! `UPDATE_TRANSCRIPTS=1 cargo test --no-default-features --test core transcripts` writes them anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use croupier::event::Event;
use croupier::games::{Kind, Move};
use croupier::hex32::Nonce;
use croupier::seat::Seat;
use croupier::table::{Awaits, Table};
use serde_json::{Value, json};

use crate::laws::kinds;
use crate::support::{House, Player, Rng, Setup, bytes, mv};

/// How a recorded game ends.
enum End {
    /// It is played to its end.
    Played,
    /// After so many decisions a seat gives up.
    Resigned(u32, usize),
    /// As before, one seat after the other; between them the game goes on.
    AllResigned(Vec<(u32, usize)>),
    /// After so many decisions time runs out.
    TimedOut(u32),
    /// At this step a seat opens an illegal move.
    Illegal(u32, usize, Value),
}

struct Recording {
    name: &'static str,
    setup: Setup,
    players: Vec<Player>,
    end: End,
}

fn recordings(kind: Kind) -> Vec<Recording> {
    let table = |name, options: Value, players: &[Player], end| Recording {
        name,
        setup: Setup {
            kind,
            options,
            root: bytes(name),
            move_seconds: Some(60),
            places: u8::try_from(players.len()).unwrap(),
            ..Setup::migraine()
        },
        players: players.into(),
        end,
    };
    let recording = |name, options: Value, players: [Player; 2], end| table(name, options, &players, end);
    let [thin, seeded, keyed] = [
        [Player::new(0), Player::new(1)],
        [Player::new(0).with_seed(), Player::new(1)],
        [Player::new(0).with_key().with_seed(), Player::new(1).with_seed()],
    ];
    match kind {
        Kind::Migraine => vec![
            recording("lot-and-keys", json!({"target": 3}), keyed.clone(), End::Played),
            recording("thin-clients", json!({"target": 1, "first_dealer": 1}), thin.clone(), End::Played),
            recording("resigned-in-the-second-round", json!({"first_dealer": 0}), seeded.clone(), End::Resigned(7, 1)),
            recording("both-too-late", json!({"first_dealer": 0}), thin.clone(), End::TimedOut(1)),
            recording("the-dealer-too-late", json!({"first_dealer": 0}), seeded, End::TimedOut(4)),
            recording(
                "an-illegal-opening",
                json!({"first_dealer": 1}),
                keyed,
                End::Illegal(3, 0, json!({"type": "pensive_discard", "cards": ["AS", "AS"]})),
            ),
        ],
        Kind::SpiteAndMalice => vec![
            recording("small-piles-281", json!({"target": 3, "decks": 4, "payoff": 5}), seeded.clone(), End::Played),
            recording("resigned-out-of-turn", json!({"decks": 3}), keyed.clone(), End::Resigned(12, 1)),
            recording("too-late", json!({}), thin, End::TimedOut(3)),
        ],
        Kind::TauHeedKept => vec![
            table("alone", json!({}), &keyed[..1], End::Played),
            table("alone-too-late", json!({"growth": "any", "ace_links": "listed"}), &thin[..1], End::TimedOut(12)),
            recording("two-to-the-vultures-rounds", json!({}), keyed, End::Played),
            table(
                "of-three-two-resign",
                json!({"growth": "any"}),
                &[&seeded[..], &[Player::new(2)]].concat(),
                End::AllResigned(vec![(9, 1), (14, 2)]),
            ),
        ],
        Kind::Generals => vec![
            recording("two-by-lot", json!({}), keyed.clone(), End::Played),
            recording("too-late-to-answer", json!({"dealer": 0}), seeded, End::TimedOut(1)),
            table(
                "of-four-two-resign",
                json!({"decks": 2, "hand": 5, "dealer": 1}),
                &[&keyed[..], &[Player::new(2), Player::new(3)]].concat(),
                End::AllResigned(vec![(9, 2), (20, 0), (30, 3)]),
            ),
        ],
        Kind::FatetstRpg => vec![
            table("given-up", json!({}), &keyed[..1], End::Resigned(60, 0)),
            table("too-late", json!({}), &seeded[..1], End::TimedOut(9)),
        ],
        Kind::RandomChess => vec![
            recording(
                "a-maharaja-somewhere",
                json!({"variant": "maharaja", "maharaja_square": "random"}),
                keyed,
                End::Played,
            ),
            table(
                "black-against-the-house",
                json!({"play": "black", "profile": "fide"}),
                &seeded[..1],
                End::TimedOut(9),
            ),
            table(
                "three-leave-one-by-one",
                json!({"variant": "chess960"}),
                &[&thin[..], &[Player::new(2)]].concat(),
                End::AllResigned(vec![(1, 1), (2, 0), (2, 2)]),
            ),
        ],
    }
}

/// Plays the game: each seat that is to act chooses at random, a seat with a key seals by itself.
fn play(recording: &Recording) -> House {
    let Recording { name, setup, players, end } = recording;
    let mut house = House::seated(setup, players);
    for player in players.iter().filter(|player| player.seed.is_some()) {
        house.wait(2000);
        house.send(&player.open_seed(&house));
    }
    let mut rng = Rng::new(bytes(name).iter().map(|byte| u64::from(*byte)).sum());
    let mut kept: BTreeMap<Seat, (Move, Nonce)> = BTreeMap::new();
    // Where nobody has to decide the moves are counted that somebody made all the same.
    let mut made = 0;
    while !house.table.is_over() {
        let step = house.table.step().unwrap_or(made + 1);
        match end {
            End::Resigned(after, seat) if step > *after => {
                house.wait(5000);
                house.send(&players[*seat].resign(&house));
                continue;
            }
            End::AllResigned(all) => {
                let due = all.iter().find(|(after, seat)| step > *after && may_resign(&house, &players[*seat]));
                if let Some((_, seat)) = due {
                    house.wait(5000);
                    house.send(&players[*seat].resign(&house));
                    continue;
                }
            }
            End::TimedOut(after) if step > *after => {
                house.wait_until_due(1);
                house.send(&players[0].call_timeout());
                continue;
            }
            _ => {}
        }
        house.wait(1500);
        let mut to_act = house.table.to_act();
        if to_act.is_empty() {
            to_act.extend(house.table.places().seats().filter(|seat| may_resign(&house, &players[seat.index()])));
        }
        let player = &players[to_act[rng.below(to_act.len())].index()];
        if house.table.view(None).awaits == Some(Awaits::Opening) {
            let (mv, nonce) = kept.remove(&player.seat).unwrap();
            house.send(&player.open(&house, &mv, &nonce));
            continue;
        }
        let mut chosen = kinds::choose(setup.kind, &house.legal(player.seat), &mut rng);
        if house.table.view(None).awaits == Some(Awaits::Commitment) && player.has_key() {
            if let End::Illegal(at, seat, illegal) = end
                && (step, player.seat.index()) == (*at, *seat)
            {
                chosen = mv(illegal.clone());
            }
            let nonce = rng.nonce();
            house.send(&player.commit(&house, &chosen, &nonce));
            kept.insert(player.seat, (chosen, nonce));
        } else if chosen.is_decision() {
            house.plays(player, &chosen);
        } else {
            house.send(&player.free_move(&house, &chosen));
            made += 1;
        }
    }
    house
}

fn may_resign(house: &House, player: &Player) -> bool {
    house.ask(&player.resign(house)).is_ok()
}

/// A value in as few signs as people need: a pile as its size and, where they are seen, its cards; of a hash or a
/// signature the beginning.
fn brief(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) if text.len() > 40 => format!("{}…", &text[..8]),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(brief).collect::<Vec<_>>().join(" ")),
        Value::Object(fields) if fields.len() == 2 && fields.contains_key("stands_for") => {
            let (card, rank) = (brief(&fields["card"]), brief(&fields["stands_for"]));
            if card.starts_with(&rank) { card } else { format!("{card}={rank}") }
        }
        Value::Object(fields) => match (fields.get("size"), fields.get("cards")) {
            (Some(size), Some(Value::Null)) if fields.len() == 2 => size.to_string(),
            (Some(size), Some(cards)) if fields.len() == 2 => format!("{size}{}", brief(cards)),
            _ => format!("{{{}}}", named(value)),
        },
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn named(object: &Value) -> String {
    let field = |(name, value): (&String, &Value)| format!("{name}={}", brief(value));
    sorted(object).into_iter().map(field).collect::<Vec<_>>().join(" ")
}

/// An object's fields by name, however it was built.
fn sorted(object: &Value) -> BTreeMap<&String, &Value> {
    object.as_object().unwrap().iter().collect()
}

/// Legal moves, those of a type together.
fn moves(legal: &Value) -> String {
    let mut by_type: Vec<(String, Vec<String>)> = Vec::new();
    for mv in legal.as_array().unwrap() {
        let name = mv["type"].as_str().unwrap().to_owned();
        let rest = sorted(mv).into_iter().filter(|(field, _)| *field != "type");
        let rest = rest.map(|(_, value)| brief(value)).collect::<Vec<_>>().join(" ");
        match by_type.last_mut() {
            Some((last, all)) if *last == name => all.push(rest),
            _ => by_type.push((name, vec![rest])),
        }
    }
    let line = |(name, all): (String, Vec<String>)| format!("{name}: {}", all.join(", "));
    by_type.into_iter().map(line).collect::<Vec<_>>().join("; ")
}

/// What of a view is another one than after the event before: first of the game, then of its state.
fn changes(before: &Value, after: &Value) -> String {
    let mut changed: Vec<String> = Vec::new();
    for (name, value) in sorted(after) {
        if !["legal", "seq", "state"].contains(&name.as_str()) && before.get(name) != Some(value) {
            changed.push(format!("{name}{}", change(before.get(name), value)));
        }
    }
    match (before.get("state"), after.get("state")) {
        (Some(before), Some(after)) if before.is_object() && after.is_object() => {
            changed.extend(
                Some(changes(before, after)).filter(|state| !state.is_empty()).map(|state| format!("| {state}")),
            );
        }
        (_, Some(after)) if after.is_object() => changed.push(format!("| {}", named(after))),
        _ => {}
    }
    changed.join(" ")
}

/// A value that is another one than before; of a long list, what came and what went.
fn change(before: Option<&Value>, after: &Value) -> String {
    let (Some(Value::Array(before)), Value::Array(after)) = (before, after) else {
        return format!("={}", brief(after));
    };
    if after.len() <= 8 || before.len() <= 8 {
        return format!("={}", brief(&json!(after)));
    }
    let missing = |sign: char, list: &[Value], other: &[Value]| {
        let only = list.iter().filter(|item| !other.contains(item));
        only.map(|item| format!(" {sign}{}", brief(item))).collect::<String>()
    };
    missing('-', before, after) + &missing('+', after, before)
}

fn transcript(house: &House) -> String {
    let created = house.table.created();
    let mut out = format!("{} rules {}\n", created.kind.name(), created.rules.version);
    let mut table = Table::begin(&house.events[0]).unwrap();
    let mut before: BTreeMap<String, Value> = BTreeMap::new();
    for event in &house.events {
        if event.seq > 0 {
            table.evolve(event, &house.secrets).unwrap();
        }
        write_event(&mut out, event);
        let seats = table.places().seats();
        let viewers = std::iter::once(None).chain(seats.map(Some));
        for viewer in viewers {
            let name = viewer.map_or("public".to_owned(), |seat| format!("seat {seat}"));
            let view = serde_json::to_value(table.view(viewer)).unwrap();
            let old = before.insert(name.clone(), view.clone()).unwrap_or(json!({"legal": []}));
            let changed = changes(&old, &view);
            if !changed.is_empty() {
                writeln!(out, "  {name:6} sees {changed}").unwrap();
            }
            if old["legal"] != view["legal"] {
                let legal = moves(&view["legal"]);
                writeln!(out, "  {name:6} may  {}", if legal.is_empty() { "nothing" } else { &legal }).unwrap();
            }
        }
    }
    writeln!(out, "\nhash {}", house.events.last().unwrap().hash).unwrap();
    out
}

fn write_event(out: &mut String, event: &Event) {
    let mut data = serde_json::to_value(&event.body).unwrap();
    let facts = data.as_object_mut().unwrap().remove("facts");
    let actor = brief(&serde_json::to_value(event.actor).unwrap());
    let actor = if actor == "server" { actor } else { format!("seat {actor}") };
    let (at, event_type) = (event.at.to_string(), event.body.event_type());
    let (data, hash) = (named(&data), brief(&json!(event.hash)));
    writeln!(out, "\n{} {} {actor} {event_type} {data} #{hash}", event.seq, &at[11..23]).unwrap();
    for fact in facts.iter().flat_map(|facts| facts.as_array().unwrap()) {
        let mut fact = fact.clone();
        let name = fact.as_object_mut().unwrap().remove("type").unwrap();
        writeln!(out, "  fact {} {}", brief(&name), named(&fact)).unwrap();
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts")
}

#[test]
fn recorded_games_read_as_they_did() {
    let update = std::env::var_os("UPDATE_TRANSCRIPTS").is_some();
    let mut known = BTreeSet::new();
    for kind in Kind::ALL {
        for recording in recordings(*kind) {
            let house = play(&recording);
            assert!(house.table.is_over());
            let text = transcript(&house);
            let name = format!("{}-{}.txt", kind.name(), recording.name);
            let path = folder().join(&name);
            known.insert(name.clone());
            if update {
                fs::create_dir_all(folder()).unwrap();
                fs::write(&path, &text).unwrap();
                continue;
            }
            let recorded = fs::read_to_string(&path).unwrap_or_default();
            let differs = recorded.lines().zip(text.lines()).position(|(old, new)| old != new);
            let line = differs.unwrap_or_else(|| recorded.lines().count().min(text.lines().count()));
            assert!(
                recorded == text,
                "{name}, line {}:\nwas {}\nis  {}\nIf that is meant, write them anew: UPDATE_TRANSCRIPTS=1",
                line + 1,
                recorded.lines().nth(line).unwrap_or("nothing"),
                text.lines().nth(line).unwrap_or("nothing"),
            );
        }
    }
    let found: BTreeSet<String> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(found, known, "files without a recording, or the other way round");
}
