//! What must hold whatever bytes come in: one function a target.
//!
//! The coverage-guided fuzzers (`fuzz/`, `make fuzz`) call these functions, and add to the corpus what leads to new
//! code. The test here calls them without any tool: on every file of the corpus, and then on chance changes of these for
//! `FUZZ_SECONDS`, shared by the targets. What a fuzzer finds becomes a file of the corpus, and so a test.

use std::sync::LazyLock;

use croupier::audit::{Bundle, Verdict, audit};
use croupier::canonical::{parse, read_exactly, to_jcs};
use croupier::cards::{Card, CardText, Face, Rank};
use croupier::cursor::Cursor;
use croupier::event::Event;
use croupier::games::{Fact, Kind, Move};
use croupier::keys::Jwk;
use croupier::table::Table;
use serde_json::Value;

use crate::laws::{kinds, play_by};
use crate::support::{House, Player, Setup, bytes};

#[cfg(test)]
mod corpus;

/// What is called with any bytes.
pub type Target = fn(&[u8]);

/// The targets by name; the corpus of each is the folder of this name in `fuzz/corpus`.
pub const TARGETS: [(&str, Target); 5] =
    [("bundle", bundle), ("cards", cards), ("cursor", cursor), ("moves", moves), ("play", play)];

/// The bundle reader and the whole audit.
pub fn bundle(bytes: &[u8]) {
    audit_anything(bytes);
}

/// Audits whatever it is, with the keys of the recorded games and without; never panics, and its report is of a bounded
/// size.
pub fn audit_anything(bytes: &[u8]) -> Option<Verdict> {
    static KEYS: LazyLock<Vec<Jwk>> = LazyLock::new(|| {
        let file: Value = parse(include_bytes!("../bundles/keys.json")).unwrap();
        read_exactly(&file["keys"]).unwrap()
    });
    let bundle = Bundle::read(bytes).ok()?;
    let with = audit(&bundle, Some(&KEYS));
    let without = audit(&bundle, None);
    assert!(!with.to_string().chars().any(|c| c.is_control() && c != '\n'), "{with}");
    assert!(with.to_string().len() < 20_000 && without.to_string().len() < 20_000);
    assert_ne!(without.verdict, Verdict::Yes);
    Some(with.verdict)
}

/// The parsers of cards: what is read is written back the same, and nothing else is a card.
pub fn cards(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (card, face) = (text.parse::<Card>(), text.parse::<Face>());
    if let Ok(rank) = text.parse::<Rank>() {
        assert_eq!(rank.to_string(), text);
    }
    match card {
        Ok(card) => {
            assert_eq!(card.to_string(), text);
            assert_eq!((CardText::from(text), face), (CardText::Card(card), Ok(Face::Plain(card))));
        }
        Err(_) => {
            assert_eq!(CardText::from(text), CardText::Other(text.into()));
            assert!(face.is_err() || face.is_ok_and(|face| matches!(face, Face::Joker(_)) && face.to_string() == text));
        }
    }
    let written = to_jcs(&CardText::from(text));
    assert_eq!(written, to_jcs(&text));
    assert_eq!(serde_json::from_slice::<CardText>(&written).unwrap(), CardText::from(text));
}

/// The cursor of a list: there is one text for each place.
pub fn cursor(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(cursor) = text.parse::<Cursor>() {
        assert_eq!(cursor.to_string(), text);
    }
}

/// JSON as it comes in a request: a move, a fact or an event of any game is written back the same, or refused; so is a
/// choice of options. A move is judged by a game of each kind, and what is judged legal is listed.
pub fn moves(bytes: &[u8]) {
    let Ok(value) = parse(bytes) else { return };
    for kind in Kind::ALL {
        if let Ok(mv) = kind.read_move(value.clone()) {
            assert_eq!(Move::read(value.clone()), Ok(mv.clone()));
            assert_eq!(to_jcs(&mv), to_jcs(&value), "read and written");
            let canonical = mv.canonical();
            assert_eq!(canonical.canonical(), canonical);
            assert_eq!(canonical.is_decision(), mv.is_decision());
            assert_eq!(kind.read_move(serde_json::to_value(&canonical).unwrap()), Ok(canonical));
            BEGUN.iter().for_each(|(house, players)| judge(house, players, &mv));
        }
        if let Ok(options) = kind.read_options(value.clone()) {
            for seats in 0..=21 {
                let _ = options.fits(seats);
            }
            assert_eq!(kind.read_options(serde_json::to_value(&options).unwrap()), Ok(options));
        }
    }
    if let Ok(fact) = Fact::read(value.clone()) {
        assert_eq!(to_jcs(&fact), to_jcs(&value), "read and written");
        fact.drawn();
    }
    if let Ok(event) = Event::read(&value) {
        assert_eq!(to_jcs(&event), to_jcs(&value), "read and written");
        let _ = Table::begin(&event);
    }
}

/// A game of each kind that has just begun.
static BEGUN: LazyLock<Vec<(House, Vec<Player>)>> =
    LazyLock::new(|| Kind::ALL.iter().map(|kind| begun(*kind)).collect());

fn begun(kind: Kind) -> (House, Vec<Player>) {
    let places = 2.clamp(kind.seats().0, kind.seats().1);
    let setup = Setup { kind, options: serde_json::json!({}), places, root: bytes(kind.name()), ..Setup::migraine() };
    let players: Vec<Player> = (0..usize::from(places)).map(Player::new).collect();
    (House::playing(&setup, &players), players)
}

fn judge(house: &House, players: &[Player], mv: &Move) {
    for player in players {
        // Where nobody has to decide, a decision has to be refused whatever step it is said to be of.
        let step = house.table.step().unwrap_or(1);
        let command = if mv.is_decision() { player.decide_at(house, step, mv) } else { player.free_move(house, mv) };
        let accepted = house.ask(&command).is_ok();
        assert_eq!(accepted, kinds::is_listed(&house.legal(player.seat), mv), "{mv:?}");
    }
}

/// A whole game by players whose every choice is one of the bytes, under all the laws of `laws`: what is listed is
/// accepted and nothing else, a refusal changes nothing, the log replays to the very table, no card gets lost.
pub fn play(bytes: &[u8]) {
    play_by(bytes);
}
