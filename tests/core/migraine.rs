//! Migraine, clause by clause: each test names the clauses of `rules-1.md` that it tries.
//!
//! Play goes through the table, as in the service. What the cards are is worked out here from the seeds, by the table
//! of places in MI-4.

use std::cell::RefCell;
use std::collections::BTreeSet;

use croupier::cards::{Card, Rank};
use croupier::draw::{Numbers, draw_seed};
use croupier::game::{Purpose, Reason};
use croupier::games::migraine::{Declaration, Fact, Move as MigraineMove, Options, points, winner};
use croupier::games::{CommonFact, Kind, Move, State};
use croupier::seat::{BySeat, Seat};
use croupier::seed_chain::ServerSeeds;
use croupier::table::{Awaits, Command, Refusal, Status, View};
use serde_json::{Value, json};

use crate::support::{House, Player, Rng, Setup, bytes, facts, facts_of, moment, mv, seat, text, types};

const DEALER: usize = 0;
const PONE: usize = 1;

fn cut(depth: i64) -> Move {
    mv(json!({"type": "cut", "depth": depth}))
}

fn hostile(card: &str) -> Move {
    mv(json!({"type": "hostile_discard", "card": card}))
}

fn pensive(cards: &[&str]) -> Move {
    mv(json!({"type": "pensive_discard", "cards": cards}))
}

fn declare(declaration: &str) -> Move {
    mv(json!({"type": "declare", "declaration": declaration}))
}

fn cards(text: &str) -> Vec<Card> {
    text.split_whitespace().map(|card| card.parse().unwrap()).collect()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|card| card.as_str().unwrap().to_owned()).collect()
}

/// The sixteen cards before a shuffle, as the rules text writes them.
fn pack() -> Vec<String> {
    "AC JC QC KC AD JD QD KD AH JH QH KH AS JS QS KS".split(' ').map(str::to_owned).collect()
}

/// The match under test. Seat 0 deals first, so seat 1 is the pone of the first round.
struct Match {
    house: House,
    players: [Player; 2],
}

impl Match {
    fn new() -> Self {
        Self::with(&Setup::migraine())
    }

    fn with(setup: &Setup) -> Self {
        let players = [Player::new(0), Player::new(1)];
        Self { house: House::playing(setup, &players), players }
    }

    /// At the hostile discards, everything dealt without a cut.
    fn dealt() -> Self {
        let mut game = Self::new();
        game.plays(PONE, &cut(0));
        game
    }

    /// At the pensive discards: each gave away its first card.
    fn given() -> Self {
        let mut game = Self::dealt();
        game.each(|game, number| game.house.legal(seat(number))[0].clone());
        game
    }

    /// At the pone's declaration: each has laid down its first pair.
    fn laid() -> Self {
        let mut game = Self::given();
        game.each(|game, number| game.house.legal(seat(number))[0].clone());
        game
    }

    fn plays(&mut self, number: usize, mv: &Move) -> Vec<croupier::event::Event> {
        self.house.plays(&self.players[number], mv)
    }

    /// Both seats make the decision at hand.
    fn each(&mut self, choose: impl Fn(&Self, usize) -> Move) -> Vec<croupier::event::Event> {
        let moves = [0, 1].map(|number| choose(self, number));
        self.plays(0, &moves[0]);
        self.plays(1, &moves[1])
    }

    fn refusal(&self, number: usize, mv: &Move) -> Refusal {
        self.house.refusal(&self.players[number].decide(&self.house, mv))
    }

    /// The clause that a refusal names.
    fn clause(&self, number: usize, mv: &Move) -> &'static str {
        match self.refusal(number, mv) {
            Refusal::Illegal(illegal) => illegal.clause,
            other => panic!("refused by no clause: {other}"),
        }
    }

    /// A seat's view of the game's state, as JSON.
    fn state(&self, number: usize) -> Value {
        serde_json::to_value(self.house.view(seat(number)).state.unwrap()).unwrap()
    }

    fn hand(&self, number: usize) -> Vec<String> {
        texts(&self.state(number)["hands"][number]["cards"])
    }

    fn step(&self) -> u32 {
        self.house.step()
    }

    /// The deck of a draw, shuffled, from the top: worked out from the server's seed.
    fn deck(&self, draw: u32) -> Vec<String> {
        let server_seed = self.house.secrets.seed(draw).unwrap();
        let player_seeds: Vec<_> = self.players.iter().map(|player| player.seed).collect();
        let mut deck = pack();
        Numbers::new(draw_seed(self.house.table.game(), draw, &server_seed, &player_seeds)).shuffle(&mut deck);
        deck
    }

    /// Plays a whole round with the first legal discards; the declarations are what `declare` makes of the sabre, the
    /// hand and the field of each seat.
    fn round(&mut self, choose: impl Fn(Card, &[Card], &[Card]) -> Declaration) -> Vec<croupier::event::Event> {
        let draw = self.last_draw();
        let sabre: Card = self.deck(draw)[1].parse().unwrap();
        let state = self.state(0);
        let (pone, dealer) = (number(&state["pone"]), number(&state["dealer"]));
        self.plays(pone, &cut(0));
        self.each(|game, number| game.house.legal(seat(number))[0].clone());
        self.each(|game, number| game.house.legal(seat(number))[0].clone());
        let mut last = Vec::new();
        for number in [pone, dealer] {
            let hand: Vec<Card> = self.hand(number).iter().map(|card| card.parse().unwrap()).collect();
            let field: Vec<Card> = cards(&texts(&self.state(number)["fields"][number]).join(" "));
            last = self.plays(number, &declare(choose(sabre, &hand, &field).name()));
        }
        last
    }

    fn last_draw(&self) -> u32 {
        let draw = |event| facts_of(std::slice::from_ref(event), "draw").pop();
        let last = self.house.events.iter().rev().find_map(draw).unwrap();
        u32::try_from(last["draw"].as_u64().unwrap()).unwrap()
    }
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// The declaration that scores the least, or the most.
fn by_points(sabre: Card, hand: &[Card], field: &[Card], most: bool) -> Declaration {
    let score = |d: &Declaration| points(*d, hand, field, sabre);
    let all = Declaration::ALL.into_iter();
    if most { all.max_by_key(score) } else { all.min_by_key(score) }.unwrap()
}

// MI-1, MI-2.

#[test]
fn mi_1_two_players_and_no_other_number() {
    assert_eq!(Kind::Migraine.seats(), (2, 2));
    let options = Kind::Migraine.read_options(json!({})).unwrap();
    for (seats, fits) in [(0, false), (1, false), (2, true), (3, false), (20, false)] {
        assert_eq!(options.fits(seats).is_ok(), fits, "{seats} seats");
        assert!(fits || options.fits(seats).unwrap_err().clause == "MI-1");
    }
}

#[test]
fn mi_1_sixteen_cards_ace_king_queen_and_jack_of_each_suit() {
    let mut game = Match::new();
    game.house.send(&game.players[0].resign(&game.house));
    let view = game.house.table.open_view(None);
    let mut deck = texts(&serde_json::to_value(view.state.unwrap()).unwrap()["deck"]["cards"]);
    assert_ne!(deck, pack(), "the deck was shuffled");
    deck.sort();
    let mut all = pack();
    all.sort();
    assert_eq!(deck, all);
}

#[test]
fn mi_2_the_first_dealer_is_the_seat_that_the_option_names() {
    for dealer in [0, 1] {
        let game = Match::with(&Setup { options: json!({"first_dealer": dealer}), ..Setup::migraine() });
        assert_eq!(game.state(0)["dealer"], dealer);
        assert_eq!(game.state(0)["pone"], 1 - dealer);
        let started = facts(&game.house.events);
        assert_eq!(
            started,
            [
                json!({"type": "draw", "draw": 1, "purpose": "deal"}),
                json!({"type": "migraine_round", "round": 1, "dealer": dealer}),
            ]
        );
        assert_eq!(types(&game.house.events), ["created", "seated", "seated", "closed", "started"]);
    }
}

#[test]
fn mi_2_by_lot_the_first_draw_says_who_deals_and_is_disclosed_at_once() {
    let mut dealers = BTreeSet::new();
    for root in 0..12 {
        let setup = Setup { options: json!({}), root: [root; 32], ..Setup::migraine() };
        let game = Match::with(&setup);
        let server_seed = game.house.secrets.seed(1).unwrap();
        let lot = Numbers::new(draw_seed(game.house.table.game(), 1, &server_seed, &[None, None])).below(2);
        assert_eq!(game.state(0)["dealer"], lot);
        assert_eq!(
            facts(&game.house.events),
            [
                json!({"type": "draw", "draw": 1, "purpose": "first_dealer"}),
                json!({"type": "dealer_chosen", "dealer": lot}),
                json!({"type": "draw", "draw": 2, "purpose": "deal"}),
                json!({"type": "migraine_round", "round": 1, "dealer": lot}),
            ]
        );
        assert_eq!(types(&game.house.events)[3..], ["closed", "started", "disclosed"]);
        assert_eq!(crate::support::data(&game.house.events[5]), json!({"draw": 1, "seed": server_seed}));
        dealers.insert(lot);
    }
    assert_eq!(dealers.len(), 2, "the lot falls on both");
}

#[test]
fn mi_2_dealer_and_pone_swap_every_round() {
    let mut game = Match::new();
    for round in 1..=6 {
        let state = game.state(0);
        assert_eq!(state["round"], round);
        assert_eq!(state["dealer"], (round - 1) % 2);
        assert_eq!(state["pone"], round % 2);
        game.round(|sabre, hand, field| by_points(sabre, hand, field, false));
    }
}

// MI-3.

#[test]
fn mi_3_the_pone_cuts_0_to_15_deep_and_nobody_else_does() {
    let game = Match::new();
    let depths: Vec<Move> = (0..16).map(cut).collect();
    assert_eq!(game.house.legal(seat(PONE)), depths);
    assert_eq!(game.house.legal(seat(DEALER)), []);
    for depth in [-1, 16, 17, 1_000_000, i64::from(i32::MIN), (1 << 53) - 1] {
        assert_eq!(game.clause(PONE, &cut(depth)), "MI-3", "{depth}");
    }
    assert_eq!(game.refusal(DEALER, &cut(3)), Refusal::NotYourTurn);
    assert_eq!(game.house.table.to_act(), [seat(PONE)]);
    assert_eq!(game.house.view(seat(PONE)).awaits, Some(Awaits::Move));
}

#[test]
fn mi_3_before_the_cut_nothing_lies_open_and_no_other_move_is_legal() {
    let game = Match::new();
    let state = game.state(PONE);
    assert_eq!(state["phase"], "cut");
    assert_eq!(state["deck"], json!({"size": 16, "cards": null}));
    assert_eq!(state["middle"], Value::Null);
    assert_eq!(state["sabre"], json!({"size": 0, "cards": null}));
    assert_eq!(state["fields"], json!([[], []]));
    assert_eq!(state["hands"][0]["size"], 0);
    for mv in [hostile("AC"), pensive(&["AC", "JC"]), declare("rank")] {
        assert_eq!(game.clause(PONE, &mv), "MI-3");
    }
}

#[test]
fn mi_3_everybody_sees_the_depth() {
    let mut game = Match::new();
    let events = game.plays(PONE, &cut(11));
    assert_eq!(crate::support::data(&events[0])["move"], json!({"type": "cut", "depth": 11}));
}

// MI-4.

/// What lies where after the deal, by the table of MI-4, for a deck from the top.
fn places(deck: &[String], pone: usize) -> Value {
    let at = |indices: &[usize]| indices.iter().map(|i| deck[*i].clone()).collect::<Vec<_>>();
    let (pone_hand, dealer_hand) = (at(&[4, 6, 8, 10, 12, 14]), at(&[5, 7, 9, 11, 13, 15]));
    let by_seat = |of_pone: Value, of_dealer: Value| {
        if pone == 0 { json!([of_pone, of_dealer]) } else { json!([of_dealer, of_pone]) }
    };
    json!({
        "middle": deck[0],
        "sabre": deck[1],
        "fields": by_seat(json!([deck[2]]), json!([deck[3]])),
        "hands": by_seat(json!(pone_hand), json!(dealer_hand)),
    })
}

#[test]
fn mi_3_mi_4_every_cut_and_either_dealer_put_every_card_in_its_place() {
    for dealer in [0, 1] {
        for depth in 0..16 {
            let setup = Setup { options: json!({"first_dealer": dealer}), ..Setup::migraine() };
            let mut game = Match::with(&setup);
            let mut deck = game.deck(1);
            deck.rotate_left(depth);
            let expected = places(&deck, 1 - dealer);
            let events = game.plays(1 - dealer, &cut(i64::try_from(depth).unwrap()));
            let what = format!("dealer {dealer}, cut {depth}");
            let open: Vec<Value> = [0, 1].iter().map(|i| expected["fields"][*i][0].clone()).collect();
            assert_eq!(
                facts(&events),
                [json!({"type": "migraine_deal", "middle": expected["middle"], "fields": open})],
                "{what}"
            );
            for number in [0, 1] {
                let state = game.state(number);
                assert_eq!(state["middle"], expected["middle"], "{what}");
                assert_eq!(state["fields"], expected["fields"], "{what}");
                assert_eq!(state["hands"][number], json!({"size": 6, "cards": expected["hands"][number]}), "{what}");
                assert_eq!(state["hands"][1 - number], json!({"size": 6, "cards": null}), "{what}");
                assert_eq!(state["sabre"], json!({"size": 1, "cards": null}), "{what}");
                assert_eq!(state["deck"], json!({"size": 0, "cards": null}), "{what}");
            }
            // Under the cards: the sabre is the second of the deck.
            game.house.send(&game.players[0].resign(&game.house));
            let open = serde_json::to_value(game.house.table.open_view(None).state.unwrap()).unwrap();
            assert_eq!(open["sabre"], json!({"size": 1, "cards": [expected["sabre"]]}), "{what}");
            assert_eq!(open["hands"][1 - dealer]["cards"], expected["hands"][1 - dealer], "{what}");
        }
    }
}

#[test]
fn mi_4_each_round_is_a_shuffle_of_the_whole_pack_by_the_next_draw() {
    let mut game = Match::new();
    for round in 1..=4 {
        assert_eq!(game.last_draw(), round);
        let mut deck = game.deck(round);
        let pone = number(&game.state(0)["pone"]);
        deck.rotate_left(5);
        game.plays(pone, &cut(5));
        assert_eq!(game.state(0)["middle"], deck[0]);
        assert_eq!(game.state(pone)["hands"][pone]["cards"], places(&deck, pone)["hands"][pone]);
        game.each(|game, number| game.house.legal(seat(number))[0].clone());
        game.each(|game, number| game.house.legal(seat(number))[0].clone());
        game.plays(pone, &declare("chuck"));
        game.plays(1 - pone, &declare("chuck"));
    }
}

// MI-5.

#[test]
fn mi_5_any_card_of_the_own_hand_and_no_other() {
    let game = Match::dealt();
    for number in [0, 1] {
        let own = game.hand(number);
        let legal: Vec<Move> = own.iter().map(|card| hostile(card)).collect();
        assert_eq!(game.house.legal(seat(number)), legal);
        let all = pack();
        for card in all.iter().map(String::as_str).chain(["2C", "TD", "X1", "qs", "QSS", "", "Q", "♠Q", " QS"]) {
            let mv = hostile(card);
            if own.iter().any(|held| held == card) {
                assert!(game.house.ask(&game.players[number].decide(&game.house, &mv)).is_ok(), "{card}");
            } else {
                assert_eq!(game.clause(number, &mv), "MI-5", "{card}");
            }
        }
    }
}

#[test]
fn mi_5_a_refusal_is_the_same_wherever_the_card_lies() {
    let game = Match::dealt();
    let own = game.hand(PONE);
    let refused: BTreeSet<String> = pack()
        .iter()
        .filter(|card| !own.contains(card))
        .map(|card| game.refusal(PONE, &hostile(card)).to_string())
        .collect();
    assert_eq!(refused.len(), 1, "{refused:?}");
}

#[test]
fn mi_5_ru_10_a_choice_is_final_and_the_other_learns_only_that_it_was_made() {
    let mut game = Match::dealt();
    let other_before = game.state(DEALER);
    let own_before = game.state(PONE);
    let chosen = hostile(&game.hand(PONE)[2]);
    let events = game.plays(PONE, &chosen);
    assert_eq!(types(&events), ["committed"]);
    assert!(!text(&events).contains(&game.hand(PONE)[2]), "the log does not name the card");
    assert_eq!(game.house.table.to_act(), [seat(DEALER)]);
    assert_eq!(game.house.view(seat(DEALER)).to_act, [seat(DEALER)]);
    assert_eq!(game.state(DEALER), other_before);
    assert_eq!(game.state(PONE), own_before, "the card stays in the hand until the step is opened");
    assert_eq!(game.house.legal(seat(PONE)), []);
    for mv in [chosen, hostile(&game.hand(PONE)[0])] {
        assert_eq!(game.refusal(PONE, &mv), Refusal::AlreadyDecided);
    }
    let nonce = Rng::new(5).nonce();
    let again = game.players[PONE].commit(&game.house, &hostile(&game.hand(PONE)[1]), &nonce);
    assert_eq!(game.house.refusal(&again), Refusal::AlreadyDecided);
}

#[test]
fn mi_5_both_cards_are_shown_together_and_lie_in_the_others_fields() {
    let mut game = Match::dealt();
    let hands = [game.hand(0), game.hand(1)];
    let fields = game.state(0)["fields"].clone();
    let chosen = [hands[0][3].clone(), hands[1][5].clone()];
    let first = game.plays(0, &hostile(&chosen[0]));
    let last = game.plays(1, &hostile(&chosen[1]));
    assert_eq!(facts(&first), Vec::<Value>::new());
    assert_eq!(types(&last), ["committed", "opened", "opened"]);
    assert_eq!(facts(&last[..2]), Vec::<Value>::new(), "facts come with the step's last opening");
    assert_eq!(facts(&last[2..]), [json!({"type": "hostile_discards", "cards": chosen})]);
    for number in [0, 1] {
        let mut hand = hands[number].clone();
        hand.retain(|card| *card != chosen[number]);
        assert_eq!(game.hand(number), hand);
        let field = json!([fields[number][0], chosen[1 - number]]);
        assert_eq!(game.state(0)["fields"][number], field);
        assert_eq!(game.state(0)["hands"][number]["size"], 5);
    }
    assert_eq!(game.state(0)["phase"], "pensive_discard");
}

// MI-6.

#[test]
fn mi_6_any_two_cards_of_the_own_hand_are_one_pair_each() {
    let game = Match::given();
    for number in [0, 1] {
        let deck = pack();
        let mut own = game.hand(number);
        own.sort_by_key(|card| deck.iter().position(|other| other == card));
        let mut pairs = Vec::new();
        for (i, first) in own.iter().enumerate() {
            for second in &own[i + 1..] {
                pairs.push(pensive(&[first, second]));
            }
        }
        assert_eq!(pairs.len(), 10);
        assert_eq!(game.house.legal(seat(number)), pairs);
    }
}

#[test]
fn mi_6_other_pairs_are_refused() {
    let game = Match::given();
    let (own, other) = (game.hand(PONE), game.hand(DEALER));
    let given = texts(&facts_of(&game.house.events, "hostile_discards")[0]["cards"]);
    let middle = game.state(0)["middle"].as_str().unwrap().to_owned();
    for pair in [
        vec![own[0].as_str(), own[0].as_str()],
        vec![own[0].as_str(), given[PONE].as_str()],
        vec![own[0].as_str(), given[DEALER].as_str()],
        vec![own[0].as_str(), other[0].as_str()],
        vec![own[0].as_str(), middle.as_str()],
        vec![own[0].as_str(), "2C"],
        vec![own[0].as_str(), ""],
        vec![own[0].as_str()],
        vec![own[0].as_str(), own[1].as_str(), own[2].as_str()],
        vec![],
    ] {
        assert_eq!(game.clause(PONE, &pensive(&pair)), "MI-6", "{pair:?}");
    }
    assert_eq!(game.clause(PONE, &hostile(&own[0])), "MI-6", "the time of hostile discards is over");
}

#[test]
fn mi_6_not_before_both_hostile_cards_are_shown() {
    let mut game = Match::dealt();
    let pair = |game: &Match| pensive(&[&game.hand(PONE)[0], &game.hand(PONE)[1]]);
    assert_eq!(game.clause(PONE, &pair(&game)), "MI-5");
    let step = game.step();
    game.plays(PONE, &hostile(&game.hand(PONE)[0]));
    assert_eq!(game.refusal(PONE, &pair(&game)), Refusal::AlreadyDecided);
    let early = game.players[PONE].decide_at(&game.house, step + 1, &pair(&game));
    assert_eq!(game.house.refusal(&early), Refusal::WrongStep(step));
}

#[test]
fn mi_6_ru_2_the_pair_is_taken_in_either_order_and_joins_in_deck_order() {
    for reversed in [false, true] {
        let mut game = Match::given();
        let hands = [game.hand(0), game.hand(1)];
        let fields = game.state(0)["fields"].clone();
        let legal = [game.house.legal(seat(0))[4].clone(), game.house.legal(seat(1))[7].clone()];
        let chosen = legal.clone().map(|mv| texts(&serde_json::to_value(&mv).unwrap()["cards"]));
        let send = |pair: &[String]| {
            if reversed { pensive(&[&pair[1], &pair[0]]) } else { pensive(&[&pair[0], &pair[1]]) }
        };
        game.plays(0, &send(&chosen[0]));
        let last = game.plays(1, &send(&chosen[1]));
        assert_eq!(
            crate::support::data(&last[2])["move"],
            serde_json::to_value(send(&chosen[1])).unwrap(),
            "the log has the order that was sent"
        );
        assert_eq!(facts(&last), [json!({"type": "pensive_discards", "cards": chosen})]);
        for number in [0, 1] {
            let mut hand = hands[number].clone();
            hand.retain(|card| !chosen[number].contains(card));
            assert_eq!(game.hand(number), hand, "three cards, in the order in which they joined");
            let field = json!([fields[number][0], fields[number][1], chosen[number][0], chosen[number][1]]);
            assert_eq!(game.state(0)["fields"][number], field);
        }
    }
}

// MI-7.

#[test]
fn mi_7_first_the_pone_then_the_dealer_who_knows_what_the_pone_said() {
    let mut game = Match::laid();
    let all: Vec<Move> = ["rank", "suit", "chuck"].into_iter().map(declare).collect();
    assert_eq!(game.house.legal(seat(PONE)), all);
    assert_eq!(game.house.legal(seat(DEALER)), []);
    assert_eq!(game.refusal(DEALER, &declare("rank")), Refusal::NotYourTurn);
    assert_eq!(game.state(DEALER)["pone_declared"], Value::Null);
    game.plays(PONE, &declare("suit"));
    assert_eq!(game.house.legal(seat(DEALER)), all);
    assert_eq!(game.house.legal(seat(PONE)), []);
    assert_eq!(game.state(DEALER)["pone_declared"], "suit");
    assert_eq!(game.refusal(PONE, &declare("rank")), Refusal::NotYourTurn);
}

#[test]
fn mi_7_rank_suit_or_chuck_and_no_other_word() {
    let mut game = Match::laid();
    let wrong = ["", "Rank", "ranks", "rank ", "both", "QS", "null"];
    for word in wrong {
        assert_eq!(game.clause(PONE, &declare(word)), "MI-7", "{word}");
    }
    for mv in [cut(0), hostile(&game.hand(PONE)[0]), pensive(&[&game.hand(PONE)[0], &game.hand(PONE)[1]])] {
        assert_eq!(game.clause(PONE, &mv), "MI-7");
    }
    game.plays(PONE, &declare("rank"));
    for word in wrong {
        assert_eq!(game.clause(DEALER, &declare(word)), "MI-7", "{word}");
    }
    assert_eq!(game.clause(DEALER, &cut(0)), "MI-7");
    game.plays(DEALER, &declare("rank"));
}

// MI-8.

#[test]
fn mi_8_the_worked_examples() {
    use Declaration::{Chuck, Rank, Suit};
    for (declaration, own, sabre, expected) in [
        (Chuck, "AS KS QS JS", "AH", 3),
        (Chuck, "AS KS QS JH", "JS", 5),
        (Chuck, "AS AH AD JH", "AC", 5),
        (Chuck, "AS AH AD JH", "KC", 0),
        (Rank, "AS AH KD", "AC", 3),
        (Suit, "AC KC QC", "JC", 7),
        (Rank, "KS QH JD", "AC", 0),
        // Both seven in one round.
        (Rank, "AS AH AD", "AC", 7),
        (Suit, "KC QC JC", "AC", 7),
    ] {
        let own = cards(own);
        assert_eq!(
            points(declaration, &own, &own, sabre.parse().unwrap()),
            expected,
            "{declaration:?} {own:?} {sabre}"
        );
    }
}

#[test]
fn mi_8_hand_cards_with_the_sabres_rank_or_suit_1_3_7() {
    let (rank, suit) = (cards("AD AH AS"), cards("JC QC KC"));
    let none = cards("JD QH KS");
    for (count, expected) in [0, 1, 3, 7].into_iter().enumerate() {
        let sabre = "AC".parse().unwrap();
        let hand = |line: &[Card]| [&line[..count], &none[count..]].concat();
        assert_eq!(points(Declaration::Rank, &hand(&rank), &[], sabre), expected);
        assert_eq!(points(Declaration::Suit, &hand(&suit), &[], sabre), expected);
        // Neither line counts for the other.
        assert_eq!(points(Declaration::Suit, &hand(&rank), &[], sabre), 0);
        assert_eq!(points(Declaration::Rank, &hand(&suit), &[], sabre), 0);
    }
}

#[test]
fn mi_8_one_attribute_is_common_to_all_four() {
    // Each card shares something with another one here, but no one attribute is common to all.
    for field in ["AS AH KH KS", "AS KS KH QH", "AC AD KC KD", "AS AH AD KD"] {
        assert_eq!(points(Declaration::Chuck, &[], &cards(field), "JC".parse().unwrap()), 0, "{field}");
    }
}

#[test]
fn mi_8_of_all_21840_fields_and_sabres_96_give_3_and_384_give_5_and_none_both() {
    let deck: Vec<Card> = pack().iter().map(|card| card.parse().unwrap()).collect();
    let (mut pairs, mut threes, mut fives, mut both) = (0, 0, 0, 0);
    for mask in 0..1u32 << 16 {
        if mask.count_ones() != 4 {
            continue;
        }
        let (field, rest): (Vec<_>, Vec<_>) = (0..16).partition(|i| mask >> i & 1 == 1);
        let field: Vec<Card> = field.into_iter().map(|i| deck[i]).collect();
        for sabre in rest.into_iter().map(|i| deck[i]) {
            let same = |a: Card, b: Card| [a.rank() == b.rank(), a.suit() == b.suit()];
            // Written out once more: a line is a rank or a suit.
            let line = |attribute: usize| {
                let four = field.iter().all(|card| same(*card, field[0])[attribute]);
                let three = field.iter().filter(|card| same(**card, sabre)[attribute]).count() >= 3;
                (four, three)
            };
            let (three, five) = (line(0).0 || line(1).0, line(0).1 || line(1).1);
            let expected = if three { 3 } else { 0 } + if five { 5 } else { 0 };
            assert_eq!(points(Declaration::Chuck, &[], &field, sabre), expected, "{field:?} {sabre}");
            pairs += 1;
            threes += i32::from(three);
            fives += i32::from(five);
            both += i32::from(three && five);
        }
    }
    assert_eq!((pairs, threes, fives, both), (21_840, 96, 384, 0));
}

#[test]
fn mi_8_sabre_and_hands_are_shown_and_each_scores_its_own_cards() {
    for (pone, dealer) in [("rank", "suit"), ("chuck", "rank"), ("suit", "chuck")] {
        let mut game = Match::laid();
        let hands = [game.hand(0), game.hand(1)];
        let fields = game.state(0)["fields"].clone();
        let sabre = game.deck(1)[1].clone();
        assert_eq!(facts(&game.plays(PONE, &declare(pone))), Vec::<Value>::new());
        let events = game.plays(DEALER, &declare(dealer));
        let declared = |number: usize| if number == PONE { pone } else { dealer };
        let score = |number: usize| {
            let declaration = Declaration::ALL.into_iter().find(|d| d.name() == declared(number)).unwrap();
            let field = cards(&texts(&fields[number]).join(" "));
            points(declaration, &cards(&hands[number].join(" ")), &field, sabre.parse().unwrap())
        };
        let scored = json!({
            "type": "migraine_scored",
            "round": 1,
            "dealer": DEALER,
            "middle": game.deck(1)[0],
            "sabre": sabre,
            "hands": hands,
            "fields": fields,
            "declarations": [declared(0), declared(1)],
            "points": [score(0), score(1)],
            "scores": [score(0), score(1)],
        });
        assert_eq!(
            facts(&events),
            [
                scored.clone(),
                json!({"type": "draw", "draw": 2, "purpose": "deal"}),
                json!({"type": "migraine_round", "round": 2, "dealer": 1 - DEALER}),
            ]
        );
        assert_eq!(types(&events), ["moved", "disclosed"]);
        assert_eq!(crate::support::data(&events[1])["draw"], 1, "the round's draw is disclosed with its scoring");
        // MI-9, RU-11: the round scored last stays in everybody's view.
        let mut kept = scored;
        kept.as_object_mut().unwrap().remove("type");
        assert_eq!(game.state(0)["last_round"], kept);
        assert_eq!(serde_json::to_value(game.house.table.view(None).state).unwrap()["last_round"], kept);
        assert_eq!(game.state(1)["scores"], kept["scores"]);
    }
}

// MI-9.

#[test]
fn mi_9_the_target_and_a_lead_of_two() {
    let scores = |a: i64, b: i64| [a, b].into_iter().collect::<BySeat<i64>>();
    for (a, b, won) in [
        (15, 13, true),
        (15, 14, false),
        (16, 15, false),
        (15, 15, false),
        (16, 14, true),
        (22, 20, true),
        (14, 2, false),
        (22, 21, false),
        (17, 19, true),
        (14, 15, false),
        (3, 15, true),
        (0, 0, false),
    ] {
        let expected = won.then(|| seat(usize::from(b > a)));
        assert_eq!(winner(&scores(a, b), 15), expected, "{a}:{b}");
        assert_eq!(winner(&scores(b, a), 15), won.then(|| seat(usize::from(a > b))), "{b}:{a}");
    }
    // The lead of two holds for every target.
    for (target, a, b, won) in
        [(1, 1, 0, false), (1, 2, 0, true), (1, 2, 1, false), (100, 99, 0, false), (100, 100, 98, true)]
    {
        assert_eq!(winner(&scores(a, b), target).is_some(), won, "{a}:{b} for {target}");
    }
}

#[test]
fn mi_9_matches_end_where_the_rule_says_so_and_nowhere_else() {
    let mut seen = BTreeSet::new();
    let mut rng = Rng::new(9);
    for number in 0..60 {
        let target = i64::from([15, 1, 2, 7][number as usize % 4]);
        let options = json!({"target": target, "first_dealer": null});
        let mut game = Match::with(&Setup { options, root: bytes(&format!("match {number}")), ..Setup::migraine() });
        while !game.house.table.is_over() {
            // A third of the matches is declared at random, where one can fall behind and come back.
            let at_random = number % 3 == 2;
            let luck = RefCell::new(&mut rng);
            let events = game.round(|sabre, hand, field| match at_random {
                true => *luck.borrow_mut().pick(&Declaration::ALL),
                false => by_points(sabre, hand, field, true),
            });
            let scored = facts_of(&events, "migraine_scored").remove(0);
            let [a, b] = [0, 1].map(|i| scored["scores"][i].as_i64().unwrap());
            let won = a.max(b) >= target && (a - b).abs() >= 2;
            seen.insert((target, a.max(b), a.min(b), won));
            assert_eq!(game.house.table.is_over(), won, "{a}:{b} for {target}");
            if !won {
                assert_eq!(types(&events), ["moved", "disclosed"]);
                continue;
            }
            assert_eq!(types(&events), ["moved", "disclosed", "ended"]);
            let result = json!({"winners": [usize::from(b > a)], "scores": [a, b], "reason": "target"});
            assert_eq!(crate::support::data(&events[2]), json!({"result": result}));
            assert_eq!(facts(&events).len(), 1, "no next round begins");
            assert_eq!(game.house.table.step(), None);
        }
    }
    let past = |won: bool| seen.iter().filter(|(target, high, ..)| high >= target).any(|(.., w)| *w == won);
    assert!(past(true) && past(false), "no match went on past its target");
}

#[test]
fn mi_9_the_check_comes_only_after_a_whole_round() {
    // Target 1 with a lead of two: whatever the pone declares, nothing ends before the dealer has declared too.
    let mut game = Match::with(&Setup { options: json!({"target": 1, "first_dealer": 0}), ..Setup::migraine() });
    game.plays(PONE, &cut(0));
    game.each(|game, number| game.house.legal(seat(number))[0].clone());
    game.each(|game, number| game.house.legal(seat(number))[0].clone());
    assert_eq!(types(&game.plays(PONE, &declare("rank"))), ["moved"]);
    assert_eq!(game.state(0)["scores"], json!([0, 0]));
}

#[test]
fn mi_9_ru_8_after_round_1000_the_match_is_a_draw() {
    let mut game = Match::with(&Setup { options: json!({"target": 100, "first_dealer": 0}), ..Setup::migraine() });
    let mut events = Vec::new();
    while !game.house.table.is_over() {
        events = game.round(|sabre, hand, field| by_points(sabre, hand, field, false));
    }
    assert_eq!(types(&events), ["moved", "disclosed", "ended"]);
    assert_eq!(facts(&events).len(), 1);
    assert_eq!(facts(&events)[0]["round"], 1000);
    assert_eq!(crate::support::data(&events[1])["draw"], 1000);
    let result = game.house.table.result().unwrap();
    assert_eq!((result.winners.as_slice(), result.reason), (&[][..], Reason::Cap));
    assert_eq!(json!(result.scores), facts(&events)[0]["scores"]);
}

// RU-9: forfeits.

/// A match in each of its phases.
fn phases() -> Vec<(&'static str, Match)> {
    let mut declared = Match::laid();
    declared.plays(PONE, &declare("suit"));
    let mut committed = Match::dealt();
    let card = committed.hand(DEALER)[0].clone();
    committed.plays(DEALER, &hostile(&card));
    vec![
        ("cut", Match::new()),
        ("hostile discard", Match::dealt()),
        ("hostile discard, one is bound", committed),
        ("pensive discard", Match::given()),
        ("the pone declares", Match::laid()),
        ("the dealer declares", declared),
    ]
}

#[test]
fn ru_9_a_seat_may_resign_at_any_time_and_the_other_wins_at_once() {
    for number in [0, 1] {
        for (phase, mut game) in phases() {
            let step = game.step();
            let events = game.house.send(&game.players[number].resign(&game.house));
            assert_eq!(types(&events), ["resigned", "disclosed", "ended"], "{phase}");
            assert_eq!(
                crate::support::data(&events[0]),
                json!({
                    "step": step, "after": null, "by": null,
                    "facts": [{"type": "forfeit", "seat": number, "reason": "resigned"}],
                }),
                "{phase}"
            );
            let result = json!({"winners": [1 - number], "scores": [0, 0], "reason": "forfeit"});
            assert_eq!(crate::support::data(&events[2]), json!({"result": result}), "{phase}");
            assert_eq!(crate::support::data(&events[1])["draw"], 1, "all draws are disclosed");
        }
    }
}

#[test]
fn ru_9_who_misses_a_deadline_forfeits_and_the_scores_stay() {
    let mut game = Match::new();
    let scored = game.round(|sabre, hand, field| by_points(sabre, hand, field, true));
    let scores = facts_of(&scored, "migraine_scored")[0]["scores"].clone();
    game.house.wait_until_due(1);
    // Now the other seat is the pone.
    let events = game.house.send(&game.players[1].call_timeout());
    assert_eq!(types(&events), ["timed_out", "disclosed", "ended"]);
    assert_eq!(
        crate::support::data(&events[0]),
        json!({"step": 6, "seats": [0], "facts": [{"type": "forfeit", "seat": 0, "reason": "timed_out"}]})
    );
    let result = json!({"winners": [1], "scores": scores, "reason": "forfeit"});
    assert_eq!(crate::support::data(&events[2]), json!({"result": result}));
}

#[test]
fn ru_9_both_late_for_one_step_is_a_draw() {
    let mut game = Match::given();
    game.house.wait_until_due(1);
    let events = game.house.send(&Command::CallTimeout { player: None });
    assert_eq!(
        facts(&events),
        [
            json!({"type": "forfeit", "seat": 0, "reason": "timed_out"}),
            json!({"type": "forfeit", "seat": 1, "reason": "timed_out"}),
        ]
    );
    let result = json!({"winners": [], "scores": [0, 0], "reason": "forfeit"});
    assert_eq!(crate::support::data(&events[2]), json!({"result": result}));
}

#[test]
fn ru_9_an_illegal_opening_forfeits_and_ends_the_step() {
    let mut game = Match::dealt();
    let (nonce, foreign) = (Rng::new(3).nonce(), hostile(&game.hand(PONE)[0]));
    game.house.send(&game.players[DEALER].commit(&game.house, &foreign, &nonce));
    let own = hostile(&game.hand(PONE)[0]);
    game.house.send(&game.players[PONE].commit(&game.house, &own, &nonce));
    let events = game.house.send(&game.players[DEALER].open(&game.house, &foreign, &nonce));
    assert_eq!(types(&events), ["opened", "disclosed", "ended"]);
    assert_eq!(facts(&events), [json!({"type": "forfeit", "seat": DEALER, "reason": "illegal_move"})]);
    let result = json!({"winners": [PONE], "scores": [0, 0], "reason": "forfeit"});
    assert_eq!(crate::support::data(&events[2]), json!({"result": result}));
}

// RU-10.

#[test]
fn ru_10_steps_count_the_decisions_from_1() {
    let mut game = Match::new();
    for round in 0..3u32 {
        let steps = |game: &Match| game.step() - 5 * round;
        let pone = number(&game.state(0)["pone"]);
        assert_eq!(steps(&game), 1);
        game.plays(pone, &cut(0));
        assert_eq!(steps(&game), 2);
        game.plays(pone, &game.house.legal(seat(pone))[0].clone());
        assert_eq!(steps(&game), 2, "a sealed step of both seats is one decision");
        game.plays(1 - pone, &game.house.legal(seat(1 - pone))[0].clone());
        assert_eq!(steps(&game), 3);
        game.each(|game, number| game.house.legal(seat(number))[0].clone());
        assert_eq!(steps(&game), 4);
        game.plays(pone, &declare("chuck"));
        assert_eq!(steps(&game), 5);
        game.plays(1 - pone, &declare("chuck"));
        assert_eq!(steps(&game), 6);
    }
}

// What each may know.

#[test]
fn before_declaring_a_player_knows_twelve_cards_and_four_are_unknown() {
    let game = Match::laid();
    for own in [0, 1] {
        let state = game.state(own);
        let mut known = vec![state["middle"].as_str().unwrap().to_owned()];
        known.extend(texts(&state["fields"][0]));
        known.extend(texts(&state["fields"][1]));
        known.extend(texts(&state["hands"][own]["cards"]));
        let known: BTreeSet<String> = known.into_iter().collect();
        assert_eq!(known.len(), 12);
        let unknown: BTreeSet<String> = pack().into_iter().filter(|card| !known.contains(card)).collect();
        let mut hidden: BTreeSet<String> = game.hand(1 - own).into_iter().collect();
        hidden.insert(game.deck(1)[1].clone());
        assert_eq!(unknown, hidden);
        let shown = text(&game.house.view(seat(own)));
        assert!(unknown.iter().all(|card| !shown.contains(card.as_str())));
    }
}

/// Everything that anybody is told before the scoring: views, legal moves, events, and the answers to all kinds of
/// wrong moves.
#[test]
fn the_sabre_is_in_no_view_log_or_answer_before_the_scoring() {
    for root in 0..4u8 {
        let mut game = Match::with(&Setup { root: [root; 32], ..Setup::migraine() });
        let sabre = game.deck(1)[1].clone();
        let mut told = 0;
        let mut check = |game: &Match| {
            let mut all = vec![
                [None, Some(seat(0)), Some(seat(1))].map(|seat| text(&game.house.table.view(seat))).join(" "),
                text(&game.house.events),
            ];
            for number in [0, 1] {
                for mv in [cut(99), hostile(&sabre), pensive(&[&sabre, &sabre]), declare("sabre")] {
                    let command = game.players[number].decide(&game.house, &mv);
                    all.push(game.house.ask(&command).err().map(|refusal| refusal.to_string()).unwrap_or_default());
                }
            }
            told += all.len();
            all.iter().for_each(|text| assert!(!text.contains(&sabre), "{text}"));
        };
        check(&game);
        game.plays(PONE, &cut(0));
        for _ in 0..2 {
            for number in [0, 1] {
                check(&game);
                game.plays(number, &game.house.legal(seat(number))[1].clone());
            }
        }
        check(&game);
        game.plays(PONE, &declare("rank"));
        check(&game);
        let scored = game.plays(DEALER, &declare("rank"));
        assert!(text(&scored).contains(&sabre), "now it is shown");
        assert!(told > 50);
    }
}

#[test]
fn ru_5_the_public_sees_no_hand_and_a_seat_only_its_own() {
    let game = Match::given();
    let view = |view: View| serde_json::to_value(view.state.unwrap()).unwrap();
    let public = view(game.house.table.view(None));
    for number in [0, 1] {
        assert_eq!(public["hands"][number], json!({"size": 5, "cards": null}));
        assert_eq!(game.state(number)["hands"][1 - number], json!({"size": 5, "cards": null}));
        let mut own = game.state(number);
        own["hands"][number]["cards"] = Value::Null;
        assert_eq!(own, public, "but for the own hand all see the same");
    }
}

#[test]
fn ru_11_an_ended_game_can_be_looked_at_with_every_card_open() {
    let mut game = Match::given();
    game.house.send(&game.players[0].resign(&game.house));
    assert_eq!(game.house.table.status(), Status::Ended);
    let open = serde_json::to_value(game.house.table.open_view(None).state.unwrap()).unwrap();
    assert_eq!(open["sabre"]["cards"], json!([game.deck(1)[1]]));
    assert_eq!(open["hands"][0]["size"], texts(&open["hands"][0]["cards"]).len());
    // The players' own views open no further, and a seat that is out sees what the public sees.
    assert_eq!(game.state(1)["hands"][0]["cards"], Value::Null);
    assert_eq!(game.state(1)["sabre"]["cards"], Value::Null);
    assert_eq!(game.house.view(seat(0)).state, game.house.table.view(None).state);
}

#[test]
fn ru_11_what_the_pone_declared_stays_in_view_when_the_dealer_forfeits() {
    let mut game = Match::laid();
    game.plays(PONE, &declare("suit"));
    game.house.send(&game.players[DEALER].resign(&game.house));
    assert_eq!(game.state(PONE)["pone_declared"], "suit");
    // A round that is scored has it in full, and the next one begins without.
    let mut game = Match::new();
    game.round(|sabre, hand, field| by_points(sabre, hand, field, true));
    assert_eq!(game.state(PONE)["pone_declared"], Value::Null);
    while !game.house.table.is_over() {
        game.round(|sabre, hand, field| by_points(sabre, hand, field, true));
    }
    let state = game.state(PONE);
    let pone = number(&state["pone"]);
    assert_eq!(state["pone_declared"], state["last_round"]["declarations"][pone]);
}

// RU-2, RU-7: forms.

#[test]
fn ru_2_a_move_has_exactly_its_fields_with_their_types() {
    for right in [
        json!({"type": "cut", "depth": 0}),
        json!({"type": "cut", "depth": -7}),
        json!({"type": "hostile_discard", "card": "anything"}),
        json!({"type": "pensive_discard", "cards": []}),
        json!({"type": "pensive_discard", "cards": ["KD", "AS"]}),
        json!({"type": "declare", "declaration": ""}),
    ] {
        let read = Kind::Migraine.read_move(right.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), right);
        assert_eq!(Move::read(right).unwrap(), read);
    }
    for wrong in [
        json!({"type": "cut"}),
        json!({"depth": 0}),
        json!({"type": "cut", "depth": "0"}),
        json!({"type": "cut", "depth": true}),
        json!({"type": "cut", "depth": null}),
        json!({"type": "cut", "depth": [0]}),
        json!({"type": "cut", "depth": 0, "card": "QS"}),
        json!({"type": "Cut", "depth": 0}),
        json!({"type": "hostile_discard", "card": 1}),
        json!({"type": "hostile_discard", "card": ["QS"]}),
        json!({"type": "hostile_discard", "cards": ["QS"]}),
        json!({"type": "hostile_discard", "card": "QS", "seat": 0}),
        json!({"type": "pensive_discard", "cards": "KD AS"}),
        json!({"type": "pensive_discard", "cards": [1, 2]}),
        json!({"type": "pensive_discard", "cards": {"0": "KD", "1": "AS"}}),
        json!({"type": "declare", "declaration": ["rank"]}),
        json!({"type": "declare", "declaration": {"rank": null}}),
        json!({"type": "declare"}),
        json!({"type": "attack"}),
        json!({"type": ["cut"], "depth": 0}),
        json!(["cut", {"depth": 0}]),
        json!(["cut", 0]),
        json!("cut"),
        json!(null),
        json!(7),
        json!({}),
    ] {
        assert!(Kind::Migraine.read_move(wrong.clone()).is_err(), "{wrong}");
        assert!(Move::read(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn ru_7_options_have_their_defaults_and_limits() {
    let read = |value: Value| Kind::Migraine.read_options(value);
    let written = |value: Value| serde_json::to_value(read(value).unwrap()).unwrap();
    assert_eq!(written(json!({})), json!({"target": 15, "first_dealer": null}));
    assert_eq!(written(json!({"target": 1, "first_dealer": 1})), json!({"target": 1, "first_dealer": 1}));
    assert_eq!(written(json!({"target": 100, "first_dealer": null})), json!({"target": 100, "first_dealer": null}));
    for wrong in [
        json!({"target": 0}),
        json!({"target": 101}),
        json!({"target": -1}),
        json!({"target": null}),
        json!({"target": "15"}),
        json!({"target": true}),
        json!({"first_dealer": 2}),
        json!({"first_dealer": -1}),
        json!({"first_dealer": "0"}),
        json!({"goal": 15}),
        json!({"target": 15, "Target": 15}),
        json!([15, null]),
        json!([]),
        json!(null),
        json!("{}"),
    ] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
}

// The rules text.

#[test]
fn the_rules_text_names_every_move_fact_option_purpose_and_reason() {
    let rules = Kind::Migraine.rules(1).unwrap().text;
    let mut names: Vec<String> = MigraineMove::TYPES.iter().map(|name| format!("\"type\":\"{name}\"")).collect();
    let cell = |name: &str| format!("\n| `{name}` |");
    names.extend(Fact::TYPES.iter().chain(CommonFact::TYPES).map(|name| cell(name)));
    let options: Options = crate::support::read(json!({}));
    let options = serde_json::to_value(&options).unwrap();
    names.extend(options.as_object().unwrap().keys().map(|name| cell(name)));
    for purpose in [Purpose::FirstDealer, Purpose::Deal] {
        names.push(cell(serde_json::to_value(purpose).unwrap().as_str().unwrap()));
    }
    for reason in Kind::Migraine.reasons() {
        names.push(cell(serde_json::to_value(reason).unwrap().as_str().unwrap()));
    }
    names.extend((1..=9).map(|n| format!("\n**MI-{n} ")));
    names.extend((1..=11).map(|n| format!("\n**RU-{n} ")));
    for name in names {
        assert!(rules.contains(&name), "{name:?}");
    }
    let deck: Vec<String> =
        Card::deck(&[Rank::Ace, Rank::Jack, Rank::Queen, Rank::King]).map(|card| card.to_string()).collect();
    assert!(rules.contains(&deck.join(" ")), "the order of the deck");
}

#[test]
fn a_game_s_clock_stands_still_in_these_tests_unless_they_move_it() {
    let game = Match::laid();
    assert!(game.house.events.iter().all(|event| event.at == moment(0)));
    assert!(matches!(game.house.view(Seat::FIRST).state, Some(State::Migraine(_))));
}
