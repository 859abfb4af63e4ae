//! The known answers of `tests/vectors.json`, one test for each of its sections.

use std::collections::BTreeMap;

use croupier::canonical::{self, digest, to_jcs};
use croupier::cards::{Card, Face, Rank};
use croupier::commitment::{command_digest, move_commitment, seed_commitment};
use croupier::draw::{Numbers, draw_seed};
use croupier::event::{Actor, Body, Event, event_hash};
use croupier::hex32::{Hash, Nonce, PlayerSeed, ServerSeed};
use croupier::ids::GameId;
use croupier::keys::{Jwk, PublicKey, SigningKey};
use croupier::merkle;
use croupier::seat::Seat;
use croupier::seed_chain::{CHAIN_LENGTH, Disclosed, SeedChain, ServerSeeds, leads_back};
use serde::Deserialize;
use serde_json::Value;

const VECTORS: &[u8] = include_bytes!("../vectors.json");

/// A section of the file, as the type that reads it.
fn section<T: for<'de> Deserialize<'de>>(name: &str) -> T {
    let all = canonical::parse(VECTORS).unwrap();
    serde_json::from_value(all[name].clone()).unwrap_or_else(|why| panic!("{name}: {why}"))
}

fn secret(hex: &str) -> SigningKey {
    SigningKey::new(hex.parse::<Hash>().unwrap().as_bytes())
}

#[test]
fn canonical_json_and_its_digest() {
    #[derive(Deserialize)]
    struct Vector {
        object: Value,
        jcs: String,
        digest: Hash,
    }
    for Vector { object, jcs, digest: expected } in section::<Vec<Vector>>("digest") {
        assert_eq!(String::from_utf8(to_jcs(&object)).unwrap(), jcs);
        assert_eq!(digest(&object), expected);
    }
}

#[test]
fn texts_that_are_no_i_json_are_refused() {
    #[derive(Deserialize)]
    struct Vector {
        why: String,
        json: String,
    }
    let refused: Vec<Vector> = section("refused");
    assert!(!refused.is_empty());
    for Vector { why, json } in refused {
        assert!(canonical::parse(json.as_bytes()).is_err(), "{why}: {json}");
    }
}

#[test]
fn the_servers_chain_from_its_root_to_its_anchor() {
    #[derive(Deserialize)]
    struct Vector {
        length: u32,
        root: Hash,
        seeds: BTreeMap<String, Hash>,
    }
    let Vector { length, root, seeds } = section("chain");
    assert_eq!(length, CHAIN_LENGTH);
    let chain = SeedChain::new(root.as_bytes());
    for (number, expected) in seeds {
        let number: u32 = number.parse().unwrap();
        if number == 0 {
            assert_eq!(chain.anchor(), expected);
            continue;
        }
        let seed = chain.seed(number).unwrap();
        assert!(seed == ServerSeed::new(*expected.as_bytes()), "s[{number}]");
        assert!(Disclosed::up_to(number, seed).seed(1) == chain.seed(1), "s[1] from s[{number}]");
        assert!(leads_back(&seed, number, chain.anchor().as_bytes()), "the anchor from s[{number}]");
    }
}

#[test]
fn commitments_to_seeds() {
    #[derive(Deserialize)]
    struct Vector {
        game: GameId,
        seat: Seat,
        seed: PlayerSeed,
        commitment: Hash,
    }
    for Vector { game, seat, seed, commitment } in section::<Vec<Vector>>("seed_commitment") {
        assert_eq!(seed_commitment(game, seat, &seed), commitment);
    }
}

#[test]
fn seeds_of_draws() {
    #[derive(Deserialize)]
    struct Vector {
        game: GameId,
        draw: u32,
        server_seed: ServerSeed,
        player_seeds: Vec<Option<PlayerSeed>>,
        seed: Hash,
    }
    for Vector { game, draw, server_seed, player_seeds, seed } in section::<Vec<Vector>>("draw_seed") {
        assert_eq!(Hash::new(draw_seed(game, draw, &server_seed, &player_seeds)), seed);
    }
}

#[test]
fn the_key_stream_word_by_word() {
    #[derive(Deserialize)]
    struct Vector {
        seed: Hash,
        words: Vec<u32>,
    }
    let Vector { seed, words } = section("key_stream");
    let mut numbers = Numbers::new(*seed.as_bytes());
    let found: Vec<u32> = words.iter().map(|_| numbers.word()).collect();
    assert_eq!(found, words);
}

#[test]
fn numbers_below_a_bound() {
    #[derive(Deserialize)]
    struct Vector {
        seed: Hash,
        n: Vec<u32>,
        results: Vec<u32>,
    }
    let Vector { seed, n, results } = section("below");
    let mut numbers = Numbers::new(*seed.as_bytes());
    let found: Vec<u32> = n.iter().map(|n| numbers.below(*n)).collect();
    assert_eq!(found, results);
}

#[test]
fn shuffles_of_every_deck() {
    #[derive(Deserialize)]
    struct Vector {
        deck: String,
        seed: Hash,
        before: String,
        after: String,
    }
    const MIGRAINE: [Rank; 4] = [Rank::Ace, Rank::Jack, Rank::Queen, Rank::King];
    let plain = || Card::full_deck().map(Face::Plain);
    let jokers = |n: u8| (1..=n).map(Face::Joker);
    for Vector { deck: name, seed, before, after } in section::<Vec<Vector>>("shuffle") {
        let mut deck: Vec<Face> = match name.as_str() {
            "migraine" => Card::deck(&MIGRAINE).map(Face::Plain).collect(),
            "standard" => plain().collect(),
            "standard with 2 jokers" => plain().chain(jokers(2)).collect(),
            "two decks" => plain().chain(plain()).collect(),
            "two decks with 4 jokers each" => plain().chain(jokers(4)).chain(plain()).chain(jokers(4)).collect(),
            other => panic!("no such deck: {other}"),
        };
        let show = |deck: &[Face]| deck.iter().map(Face::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(show(&deck), before, "{name}");
        Numbers::new(*seed.as_bytes()).shuffle(&mut deck);
        assert_eq!(show(&deck), after, "{name}");
    }
}

#[test]
fn commitments_to_moves() {
    #[derive(Deserialize)]
    struct Vector {
        game: GameId,
        seat: Seat,
        step: u32,
        #[serde(rename = "move")]
        mv: Value,
        nonce: Nonce,
        commitment: Hash,
    }
    for Vector { game, seat, step, mv, nonce, commitment } in section::<Vec<Vector>>("move_commitment") {
        assert_eq!(move_commitment(game, seat, step, &mv, &nonce), commitment);
        let typed = croupier::games::Move::read(mv.clone()).unwrap();
        assert_eq!(move_commitment(game, seat, step, &typed, &nonce), commitment, "{mv} as a type");
    }
}

#[test]
fn a_key_as_a_jwk_with_its_thumbprint() {
    #[derive(Deserialize)]
    struct Vector {
        secret: String,
        jwk: Value,
        thumbprint: String,
    }
    let Vector { secret: hex, jwk, thumbprint } = section("keys");
    let public = secret(&hex).public();
    assert_eq!(public.id().to_string(), thumbprint);
    let read: Jwk = serde_json::from_value(jwk.clone()).unwrap();
    assert_eq!(read, Jwk::new(public, read.croupier_use, read.not_before, read.not_after));
    assert_eq!(serde_json::to_value(&read).unwrap(), jwk);
}

#[test]
fn what_a_player_signs() {
    #[derive(Deserialize)]
    struct Vector {
        player_secret: String,
        player_key: PublicKey,
        digests: Vec<Expected>,
    }
    #[derive(Deserialize)]
    struct Expected {
        #[serde(rename = "type")]
        event_type: String,
        digest: Hash,
        data: Option<Value>,
    }
    let Vector { player_secret, player_key, digests } = section("command");
    assert_eq!(secret(&player_secret).public(), player_key);
    let log = log();
    let game: GameId = section::<BTreeMap<String, Value>>("game_tag")["game"].as_str().unwrap().parse().unwrap();
    for Expected { event_type, digest, data } in digests {
        // Without data of its own, the digest is of the event of that type in the log below.
        let (seat, data) = match data {
            Some(data) => (Seat::FIRST, data),
            None => {
                let event = log.iter().find(|event| event["type"] == event_type.as_str()).unwrap();
                (Seat::new(usize::try_from(event["actor"].as_u64().unwrap()).unwrap()).unwrap(), event["data"].clone())
            }
        };
        // By the protocol's page: the data without these.
        let mut command = data.as_object().unwrap().clone();
        for left_out in ["by", "facts", "player", "sealed_by"] {
            command.remove(left_out);
        }
        if event_type == "resigned" {
            command.remove("step");
        }
        assert_eq!(command_digest(game, seat, &event_type, &command), digest, "{event_type}");
        let by = data["by"].as_str().unwrap().parse().unwrap();
        assert!(player_key.verifies(digest.as_bytes(), &by), "{event_type}");
        // By the crate's own idea of a command. One of the moves is of a game that comes later.
        if let Ok(body) = Body::read(&event_type, &data) {
            let (command, signature) = body.command().unwrap();
            assert_eq!(command_digest(game, seat, &event_type, &command), digest, "{event_type} as a type");
            assert_eq!(signature, Some(by));
            assert!(body.is_signed_by(game, seat, Some(&player_key)));
        } else {
            assert_eq!(event_type, "moved");
        }
    }
}

fn log() -> Vec<Value> {
    #[derive(Deserialize)]
    struct Vector {
        log: Vec<Value>,
    }
    section::<Vector>("events").log
}

#[test]
fn the_beginning_of_a_log() {
    let jwk: Jwk = serde_json::from_value(section::<BTreeMap<String, Value>>("keys")["jwk"].clone()).unwrap();
    let mut prev = Hash::ZERO;
    for (seq, value) in log().into_iter().enumerate() {
        let event: Event = canonical::parse_as(&to_jcs(&value)).unwrap();
        assert_eq!(serde_json::to_value(&event).unwrap(), value, "event {seq} written as it was read");
        let Event { game, at, actor, hash, signature, .. } = &event;
        assert_eq!((event.seq, event.prev), (seq as u64, prev));
        let event_type = event.body.event_type();
        assert_eq!(event_hash(*game, event.seq, &prev, *at, *actor, event_type, &value["data"]), *hash, "as sent");
        assert_eq!(event_hash(*game, event.seq, &prev, *at, *actor, event_type, &event.body), *hash, "as a type");
        assert_eq!(signature.key, jwk.kid);
        assert!(jwk.signs_at(*at) && jwk.x.verifies(hash.as_bytes(), &signature.value), "event {seq}");
        let sealed = croupier::log::seal(
            croupier::log::Head { next: event.seq, hash: prev },
            *game,
            *at,
            vec![(*actor, event.body.clone())],
            &croupier::log::EventSigner::new(secret(
                section::<BTreeMap<String, Value>>("keys")["secret"].as_str().unwrap(),
            )),
        );
        assert_eq!(sealed, std::slice::from_ref(&event), "event {seq} made again");
        if let Actor::Seat(seat) = actor {
            let key = (seat.index() == 0).then(|| section::<BTreeMap<String, Value>>("command")["player_key"].clone());
            let key: Option<PublicKey> = key.map(|key| serde_json::from_value(key).unwrap());
            assert!(event.body.is_signed_by(*game, *seat, key.as_ref()), "event {seq}");
        }
        prev = *hash;
    }
}

#[test]
fn the_tag_of_a_game() {
    #[derive(Deserialize)]
    struct Vector {
        game: GameId,
        tag: Hash,
    }
    let Vector { game, tag } = section("game_tag");
    assert_eq!(merkle::game_tag(game), tag);
}

#[test]
fn roots_of_the_log_of_logs() {
    #[derive(Deserialize)]
    struct Vector {
        entries: Vec<String>,
        roots: BTreeMap<String, Hash>,
    }
    let Vector { entries, roots } = section("merkle");
    for entry in &entries {
        assert_eq!(String::from_utf8(to_jcs(&canonical::parse(entry.as_bytes()).unwrap())).unwrap(), *entry);
    }
    let leaves: Vec<Hash> = entries.iter().map(|entry| merkle::leaf_hash(entry.as_bytes())).collect();
    assert_eq!(roots.len(), leaves.len() + 1);
    for (size, root) in roots {
        assert_eq!(merkle::root(&leaves[..size.parse::<usize>().unwrap()]), root, "{size} entries");
    }
}

/// No section of the file may be left out above.
#[test]
fn every_section_has_its_test() {
    let all = canonical::parse(VECTORS).unwrap();
    let found: Vec<&str> = all.as_object().unwrap().keys().map(String::as_str).collect();
    let mut tested = vec![
        "about",
        "salt",
        "digest",
        "refused",
        "chain",
        "seed_commitment",
        "draw_seed",
        "key_stream",
        "below",
        "shuffle",
        "move_commitment",
        "keys",
        "command",
        "events",
        "game_tag",
        "merkle",
    ];
    tested.sort_unstable();
    let mut found = found;
    found.sort_unstable();
    assert_eq!(found, tested);
}
