//! RC-1, RC-3, RC-7 to RC-10 at a table: options, moves, draws, disclosures, forfeits.

use croupier::audit::{Verdict, audit};
use croupier::draw::{Numbers, draw_seed};
use croupier::event::Body;
use croupier::game::{Game, Purpose};
use croupier::games::random_chess::{Fact, Move as ChessMove, Options, Position, Rules, Side, Variant, array_960};
use croupier::games::{CommonFact, Kind};
use croupier::seed_chain::{SeedChain, ServerSeeds};
use croupier::table::Refusal;
use serde_json::{Value, json};

use super::position;
use crate::audit::forging;
use crate::support::{House, Player, Setup, bytes, data, facts_of, game_id, mv, read, seat, types};

fn table(options: Value, seats: usize) -> (House, Vec<Player>) {
    table_of(options, seats, 1)
}

fn table_of(options: Value, seats: usize, game: u64) -> (House, Vec<Player>) {
    let setup = Setup {
        game,
        kind: Kind::RandomChess,
        options,
        places: u8::try_from(seats).unwrap(),
        move_seconds: Some(60),
        root: bytes("chess"),
    };
    let players: Vec<Player> = (0..seats).map(Player::new).collect();
    (House::playing(&setup, &players), players)
}

fn advance(plies: i64) -> croupier::games::Move {
    mv(json!({"type": "advance", "plies": plies}))
}

fn play(uci: &str) -> croupier::games::Move {
    mv(json!({"type": "play", "uci": uci}))
}

fn state(house: &House) -> Value {
    serde_json::to_value(house.table.view(None).state.unwrap()).unwrap()
}

/// The clause by which a move is refused.
#[track_caller]
fn clause(house: &House, player: &Player, mv: &croupier::games::Move) -> &'static str {
    let command = if mv.is_decision() { player.decide_at(house, 1, mv) } else { player.free_move(house, mv) };
    match house.refusal(&command) {
        Refusal::Illegal(illegal) => illegal.clause,
        other => panic!("{other:?}"),
    }
}

#[test]
fn rc_8_nobody_has_to_decide_and_nothing_is_due() {
    let (mut house, players) = table(json!({}), 2);
    let view = house.table.view(Some(seat(1)));
    assert_eq!((view.step, view.due_at, view.awaits, &view.to_act[..]), (None, None, None, &[][..]));
    assert_eq!(view.legal.len(), 200);
    assert_eq!(house.table.no_deadline_before(house.now), None);
    house.wait(400 * 24 * 3_600_000);
    assert_eq!(house.refusal(&players[0].call_timeout()), Refusal::NothingOverdue);
    assert_eq!(house.refusal(&players[0].decide_at(&house, 1, &play("e2e4"))), Refusal::NotYourTurn);
    let events = house.send(&players[1].free_move(&house, &advance(3)));
    assert_eq!(types(&events), ["moved", "disclosed"], "one event for all plies, and the disclosure with it");
    assert_eq!(data(&events[0])["step"], json!(null));
    assert_eq!(data(&events[1])["draw"], json!(3));
    assert_eq!(house.table.step(), None);
}

#[test]
fn rc_8_how_far_it_advances() {
    let (mut house, players) = table(json!({}), 1);
    for wrong in [0, -1, 201, 256, 257, (1 << 53) - 1] {
        assert_eq!(clause(&house, &players[0], &advance(wrong)), "RC-8", "{wrong}");
    }
    let mut plies = 0;
    while !house.table.is_over() {
        let events = house.send(&players[0].free_move(&house, &advance(200)));
        let made = facts_of(&events, "chess_ply").len();
        plies += made;
        let over = facts_of(&events, "chess_over");
        assert!(made == 200 && over.is_empty() || over.len() == 1 && made > 0, "it stops at the end");
        assert_eq!(types(&events).last() == Some(&"ended"), over.len() == 1);
    }
    assert_eq!(state(&house)["moves"].as_array().unwrap().len(), plies);
    assert_eq!(house.refusal(&players[0].free_move(&house, &advance(1))), Refusal::Over);
    let result = house.table.result().unwrap();
    assert!(result.winners.is_empty() && result.scores.is_empty());
}

#[test]
fn rc_1_each_ply_is_the_draw_s_pick_among_the_sorted_moves() {
    let (mut house, players) = table(json!({}), 1);
    house.send(&players[0].free_move(&house, &advance(40)));
    let events = house.send(&players[0].free_move(&house, &advance(60)));
    // Written out here from the protocol and from RC-1, with nothing of the rules but the list of moves.
    let chain = SeedChain::new(&bytes("chess"));
    let mut before = position(Variant::Chess, state(&house)["start"].as_str().unwrap());
    let all: Vec<Value> =
        house.events.iter().flat_map(|event| facts_of(std::slice::from_ref(event), "chess_ply")).collect();
    assert_eq!(all.len(), 100);
    for (ply, fact) in (1..).zip(&all) {
        let mut texts: Vec<String> = before.legal().iter().map(|mv| mv.uci()).collect();
        texts.sort();
        let seed = draw_seed(game_id(1), ply, &chain.seed(ply).unwrap(), &[None]);
        let picked = &texts[Numbers::new(seed).below(texts.len() as u32) as usize];
        assert_eq!((&fact["uci"], &fact["choices"]), (&json!(picked), &json!(texts.len())), "ply {ply}");
        assert_eq!((&fact["ply"], &fact["draw"]), (&json!(ply), &json!(ply)));
        let mv = before.read_uci(picked).unwrap();
        assert_eq!(fact["san"], json!(before.san(mv)));
        before = before.after(mv);
        assert_eq!(fact["fen"], json!(before.fen()));
    }
    let draws = facts_of(&events, "draw");
    assert_eq!(draws.first(), Some(&json!({"type": "draw", "draw": 41, "purpose": "ply"})));
    assert_eq!(draws.len(), 60);
}

#[test]
fn rc_3_the_same_draws_make_the_same_game() {
    let run = |chunks: &[i64]| {
        let (mut house, players) = table(json!({"variant": "hecatomb"}), 1);
        for plies in chunks {
            house.send(&players[0].free_move(&house, &advance(*plies)));
        }
        state(&house)
    };
    let one = run(&[20]);
    assert_eq!(one, run(&[1; 20]), "however it was advanced");
    assert_eq!(one["draws"], json!(20));
}

#[test]
fn rc_7_what_is_drawn_at_the_start() {
    let seed = |draw| draw_seed(game_id(1), draw, &SeedChain::new(&bytes("chess")).seed(draw).unwrap(), &[None]);
    let (house, _) = table(json!({"variant": "chess960"}), 1);
    let number = Numbers::new(seed(1)).below(960);
    let start = facts_of(&house.events, "chess_start");
    let fen = Position::start_of_chess960(number as u16).fen();
    assert_eq!(start, [json!({"type": "chess_start", "draw": 1, "number": number, "fen": fen})]);
    let last: Vec<&str> = types(&house.events)[house.events.len() - 2..].to_vec();
    assert_eq!(last, ["started", "disclosed"], "no secret from the start on");
    assert_eq!(facts_of(&house.events, "draw"), [json!({"type": "draw", "draw": 1, "purpose": "array"})]);

    let (house, _) = table(json!({"variant": "maharaja", "maharaja_square": "random", "castling": false}), 1);
    let square = Numbers::new(seed(1)).below(24);
    let file = char::from(b'a' + (square % 8) as u8);
    let board = state(&house)["board"].clone();
    let maharaja = json!({"square": format!("{file}{}", square / 8 + 1), "side": "white", "role": "maharaja"});
    assert!(board.as_array().unwrap().contains(&maharaja), "{board}");
    assert!(state(&house)["fen"].as_str().unwrap().contains(" w - - 0 1"), "nobody castles");

    let (house, _) = table(json!({"variant": "maharaja", "maharaja_square": "c3"}), 1);
    assert_eq!(state(&house)["fen"], json!("rnbqkbnr/pppppppp/8/8/8/2M5/8/8 w kq - 0 1"));
    assert_eq!(types(&house.events).last(), Some(&"started"), "nothing was drawn");
    let (house, _) = table(json!({"variant": "chess960", "number": 354}), 1);
    assert_eq!(state(&house)["number"], json!(354));
    assert!(state(&house)["fen"].as_str().unwrap().starts_with("bnrkrbqn/pppppppp/8"));
}

#[test]
fn rc_9_a_seat_plays_white() {
    let (mut house, players) = table(json!({"play": "white"}), 2);
    let view = house.table.view(Some(seat(0)));
    assert_eq!((view.step, &view.to_act[..], view.legal.len()), (Some(1), &[seat(0)][..], 20));
    assert!(view.due_at.is_some() && house.legal(seat(1)).is_empty());
    for player in &players {
        assert_eq!(clause(&house, player, &advance(1)), "RC-8", "{}", player.name);
    }
    for wrong in ["e2e5", "e7e5", "e2", "", "e2e4q", "E2E4"] {
        assert_eq!(clause(&house, &players[0], &play(wrong)), "RC-2", "{wrong}");
    }
    let events = house.plays(&players[0], &play("e2e4"));
    assert_eq!(types(&events), ["moved", "disclosed"]);
    let plies = facts_of(&events, "chess_ply");
    assert_eq!(plies.len(), 2, "the answer follows by itself");
    assert_eq!((&plies[0]["draw"], &plies[1]["draw"]), (&json!(null), &json!(1)));
    assert_eq!((&plies[0]["uci"], &plies[1]["side"]), (&json!("e2e4"), &json!("black")));
    assert_eq!(house.table.step(), Some(2));
}

#[test]
fn rc_9_a_seat_plays_black_or_the_side_that_moves_first() {
    let (house, _) = table(json!({"play": "black"}), 1);
    assert_eq!(facts_of(&house.events, "chess_ply").len(), 1, "the first ply is a fact of the start");
    assert_eq!(types(&house.events)[house.events.len() - 2..], ["started", "disclosed"]);
    assert_eq!((house.table.step(), state(&house)["turn"].clone()), (Some(1), json!("black")));
    let (house, _) = table(json!({"play": "black", "variant": "dunsany"}), 1);
    assert_eq!(facts_of(&house.events, "chess_ply").len(), 0, "Black moves first there");
    let (house, _) = table(json!({"play": "white", "variant": "dunsany"}), 1);
    assert_eq!(facts_of(&house.events, "chess_ply").len(), 1);
}

/// Plays for seat 0, mating where it can, until the game is over.
fn play_on(options: Value, game: u64) -> (Vec<usize>, String, Value) {
    let (mut house, players) = table_of(options, 1, game);
    while !house.table.is_over() {
        let state = state(&house);
        let variant = super::variant(state["variant"].as_str().unwrap());
        let before = position(variant, state["fen"].as_str().unwrap());
        let value = |mv: &croupier::games::random_chess::ChessMove| {
            let after = before.after(*mv);
            let men = Side::ALL.map(|side| after.men(side).count());
            let own = before.turn() as usize;
            (after.legal().is_empty() && after.in_check(), men[own] as i64 - 2 * men[1 - own] as i64)
        };
        let best = before.legal().into_iter().max_by_key(value).unwrap();
        house.plays(&players[0], &play(&best.uci()));
    }
    let result = house.table.result().unwrap();
    let reason = serde_json::to_value(result.reason).unwrap().as_str().unwrap().to_owned();
    let over = facts_of(&house.events, "chess_over").pop().unwrap();
    (result.winners.iter().map(|seat| seat.index()).collect(), reason, over)
}

#[test]
fn rc_9_seat_0_wins_with_its_side() {
    let (winners, reason, over) = play_on(json!({"variant": "maharaja", "play": "white"}), 1);
    assert_eq!((winners, &*reason, &over["winner"]), (vec![0], "white_mates", &json!("white")));
    // White's pawns may come to a stand; then it is another game.
    let options = json!({"variant": "dunsany", "play": "black"});
    let taken = (1..40).map(|game| play_on(options.clone(), game)).find(|(_, reason, _)| reason == "extinct");
    let (winners, _, over) = taken.unwrap();
    assert_eq!((winners, &over["winner"]), (vec![0], &json!("black")));
}

#[test]
fn rc_10_who_plays_a_side_loses_by_a_forfeit() {
    for late in [false, true] {
        let (mut house, players) = table(json!({"play": "white"}), 2);
        let events = if late {
            house.wait_until_due(1);
            house.send(&players[1].call_timeout())
        } else {
            house.send(&players[0].resign(&house))
        };
        assert_eq!(types(&events), [if late { "timed_out" } else { "resigned" }, "ended"]);
        assert_eq!(data(&events[0])["step"], json!(1));
        assert_eq!(data(&events[1])["result"], json!({"winners": [], "scores": [], "reason": "forfeit"}));
    }
    let (mut house, players) = table(json!({"play": "white"}), 2);
    let events = house.send(&players[1].resign(&house));
    assert_eq!((types(&events), &data(&events[0])["step"]), (vec!["resigned"], &json!(null)), "only out");
    assert_eq!(house.table.to_act(), [seat(0)]);
}

#[test]
fn rc_10_the_last_seat_left_does_not_win() {
    let (mut house, players) = table(json!({}), 3);
    house.send(&players[2].free_move(&house, &advance(5)));
    for number in [1, 2] {
        let events = house.send(&players[number].resign(&house));
        assert_eq!(types(&events), ["resigned"], "the game goes on");
        assert_eq!(house.refusal(&players[number].free_move(&house, &advance(1))), Refusal::OutOfGame);
    }
    assert_eq!(state(&house)["forfeited"], json!([1, 2]));
    house.send(&players[0].free_move(&house, &advance(5)));
    let events = house.send(&players[0].resign(&house));
    assert_eq!(types(&events), ["resigned", "ended"]);
    assert_eq!(data(&events[0])["step"], json!(null), "there was no decision to take away");
    assert_eq!(data(&events[1])["result"], json!({"winners": [], "scores": [], "reason": "forfeit"}));
}

#[test]
fn a_game_that_is_on_is_audited_up_to_its_newest_event() {
    let (mut house, players) = table(json!({"variant": "chess960"}), 1);
    for _ in 0..3 {
        house.send(&players[0].free_move(&house, &advance(7)));
        let known = croupier::replay::disclosed(&house.events);
        let table = croupier::replay::replay(&house.events, &known).unwrap();
        assert_eq!(table.seq(), house.table.seq(), "nothing has to wait");
    }
    // Another move than the draw gives is found at once, and is the draw's fault.
    let events: Vec<Value> = house.events.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    let mut forged = events;
    let at = forged.len() - 2;
    let fact = forged[at]["data"]["facts"].as_array_mut().unwrap().iter_mut().find(|fact| fact["type"] == "chess_ply");
    fact.unwrap()["uci"] = json!("a2a3");
    forging::reseal(&mut forged);
    let text = croupier::canonical::to_jcs(&forging::bundle(&forged));
    let bundle = croupier::audit::Bundle::read(&text).unwrap();
    let report = audit(&bundle, Some(&forging::jwks()));
    assert_eq!(report.verdict, Verdict::No, "{report}");
}

#[test]
fn ru_7_options() {
    let read = |value: Value| Kind::RandomChess.read_options(value);
    let defaults = json!({
        "variant": "chess", "profile": "server", "number": null, "castling": true, "maharaja_square": null, "play": "none",
    });
    assert_eq!(serde_json::to_value(read(json!({})).unwrap()).unwrap(), defaults);
    let mut right = vec![
        json!({"number": null, "maharaja_square": null, "castling": true}),
        json!({"variant": "chess960", "number": 0}),
        json!({"variant": "chess960", "number": 959}),
        json!({"variant": "maharaja", "castling": false, "maharaja_square": "h3"}),
        json!({"variant": "maharaja", "maharaja_square": "random"}),
        json!({"variant": "maharaja", "maharaja_square": "e1"}),
        json!({"play": "black", "profile": "fide"}),
    ];
    right.extend(Variant::ALL.map(|variant| json!({"variant": variant.name()})));
    for right in right {
        let chosen = serde_json::to_value(read(right.clone()).unwrap_or_else(|why| panic!("{right}: {why}"))).unwrap();
        for (name, value) in defaults.as_object().unwrap() {
            assert_eq!(&chosen[name], right.get(name).unwrap_or(value), "{name} of {right}");
        }
        assert_eq!(serde_json::to_value(read(chosen.clone()).unwrap()).unwrap(), chosen, "written and read back");
    }
    for wrong in [
        json!({"variant": "Chess"}),
        json!({"variant": "shogi"}),
        json!({"variant": null}),
        json!({"variant": 1}),
        json!({"profile": "FIDE"}),
        json!({"profile": null}),
        json!({"variant": "chess960", "number": 960}),
        json!({"variant": "chess960", "number": -1}),
        json!({"variant": "chess960", "number": "518"}),
        json!({"number": 518}),
        json!({"variant": "horde", "number": 0}),
        json!({"castling": false}),
        json!({"castling": null}),
        json!({"castling": 1}),
        json!({"variant": "maharaja", "maharaja_square": "a4"}),
        json!({"variant": "maharaja", "maharaja_square": "i1"}),
        json!({"variant": "maharaja", "maharaja_square": "E1"}),
        json!({"maharaja_square": "e1"}),
        json!({"maharaja_square": "random"}),
        json!({"variant": "maharaja", "maharaja_square": "Random"}),
        json!({"play": "both"}),
        json!({"play": null}),
        json!({"seats": 2}),
        json!([]),
        json!(null),
    ] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
    assert_eq!(Kind::RandomChess.seats(), (1, 8));
    let options: Options = crate::support::read(json!({}));
    assert!(Rules::fits(&options, 0).is_err() && Rules::fits(&options, 9).is_err() && Rules::fits(&options, 8).is_ok());
}

#[test]
fn ru_2_the_form_of_moves() {
    for right in [json!({"type": "advance", "plies": -5}), json!({"type": "play", "uci": "whatever"})] {
        assert!(Kind::RandomChess.read_move(right).is_ok());
    }
    for wrong in [
        json!({"type": "advance"}),
        json!({"type": "advance", "plies": "1"}),
        json!({"type": "advance", "plies": null}),
        json!({"type": "advance", "plies": 1, "by": 0}),
        json!({"type": "advance", "plies": 1.0}),
        json!({"type": "play"}),
        json!({"type": "play", "uci": 1}),
        json!({"type": "play", "uci": null}),
        json!({"type": "play", "uci": "e2e4", "san": "e4"}),
        json!({"type": "castle"}),
        json!({"plies": 1}),
        json!([]),
        json!(null),
    ] {
        assert!(Kind::RandomChess.read_move(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn the_rules_text_names_every_clause_move_fact_option_purpose_reason_and_array() {
    let rules = Kind::RandomChess.rules(1).unwrap().text;
    let cell = |name: &str| format!("\n| `{name}` |");
    let word = |value: Value| cell(value.as_str().unwrap());
    let mut names: Vec<String> = ChessMove::TYPES.iter().map(|name| format!("\"type\":\"{name}\"")).collect();
    names.extend(Fact::TYPES.iter().chain(CommonFact::TYPES).map(|name| cell(name)));
    let options: Options = read(json!({}));
    names.extend(serde_json::to_value(options).unwrap().as_object().unwrap().keys().map(|name| cell(name)));
    names.extend([Purpose::Array, Purpose::Ply].map(|purpose| word(serde_json::to_value(purpose).unwrap())));
    names.extend(Rules::REASONS.iter().map(|reason| word(serde_json::to_value(reason).unwrap())));
    for variant in Variant::ALL.into_iter().filter(|variant| *variant != Variant::Chess960) {
        names.push(format!("\n| `{}` | `{}` |", variant.name(), variant.laws().fen));
    }
    names.extend((1..=10).map(|n| format!("\n**RC-{n} ")));
    names.extend([2, 3, 4, 5, 7, 8, 9, 10, 11].map(|n| format!("\n**RU-{n} ")));
    for name in names {
        assert!(rules.contains(&name), "{name:?}");
    }
    assert_eq!(array_960(518), array_960(518 + 960), "numbers begin anew");
}

#[test]
fn facts_are_read_as_they_are_written() {
    let (mut house, players) = table(json!({"variant": "chess960", "play": "white"}), 1);
    let first = house.legal(seat(0))[0].clone();
    house.plays(&players[0], &first);
    house.send(&players[0].resign(&house));
    let mut drawn = 0;
    for event in &house.events {
        for fact in event.body.facts() {
            let value = serde_json::to_value(fact).unwrap();
            assert_eq!(croupier::games::Fact::read(value.clone()).as_ref(), Ok(fact));
            let mut longer = value.clone();
            longer["more"] = json!(1);
            assert!(croupier::games::Fact::read(longer).is_err());
            let by_draw = value["type"] == "draw" || value.get("draw").is_some_and(|draw| !draw.is_null());
            assert_eq!(fact.drawn().is_null(), !by_draw, "{value}");
            drawn += usize::from(by_draw);
        }
    }
    assert_eq!(drawn, 4, "array and ply, each as a draw and as what it gave");
    assert!(house.events.iter().any(|event| matches!(event.body, Body::Disclosed(_))));
}
