//! Spite & Malice, clause by clause: each test names the clauses of `rules-1.md` that it tries. Positions that have to be
//! set up card by card are tried inside the crate, in `games/spite_and_malice/tests`.
//!
//! Play goes through the table, as in the service. What the cards are is worked out here from the seeds, by the table
//! of places in SM-3.

use std::collections::BTreeSet;

use croupier::cards::{Card, Rank};
use croupier::draw::{Numbers, draw_seed};
use croupier::event::Event;
use croupier::game::{Chance, DrawInputs, Game, Outcome, Purpose, Reason, Viewer, play};
use croupier::games::spite_and_malice::{
    Fact, Move as SpiteMove, Options, RoundReason, Rules, View as SpiteView, first_turn, next_rank, stands_for,
};
use croupier::games::{CommonFact, Kind, Move};
use croupier::seat::BySeat;
use croupier::seed_chain::{SeedChain, ServerSeeds};
use croupier::table::{Awaits, Refusal};
use croupier::timestamp::Timestamp;
use serde_json::{Value, json};

use crate::support::{House, Player, Rng, Setup, bytes, data, facts, facts_of, game_id, mv, read, seat, types};

fn play_payoff(centre: i64) -> Move {
    mv(json!({"type": "play_payoff", "centre": centre}))
}

fn play_side(side: i64, centre: i64) -> Move {
    mv(json!({"type": "play_side", "side": side, "centre": centre}))
}

fn play_hand(card: &str, centre: i64) -> Move {
    mv(json!({"type": "play_hand", "card": card, "centre": centre}))
}

fn discard(card: &str, side: i64) -> Move {
    mv(json!({"type": "discard", "card": card, "side": side}))
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|card| card.as_str().unwrap().to_owned()).collect()
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn size(pile: &Value) -> usize {
    number(&pile["size"])
}

/// So many decks before a shuffle, as the rules text writes them.
fn pack(decks: usize) -> Vec<String> {
    let deck = || "CDHS".chars().flat_map(|suit| "A23456789TJQK".chars().map(move |rank| format!("{rank}{suit}")));
    (0..decks).flat_map(|_| deck()).collect()
}

fn setup(options: Value, root: &str) -> Setup {
    Setup { kind: Kind::SpiteAndMalice, options, root: bytes(root), ..Setup::migraine() }
}

/// The match under test.
struct Match {
    house: House,
    players: [Player; 2],
}

impl Match {
    fn new(options: Value, root: &str) -> Self {
        let players = [Player::new(0), Player::new(1).with_seed()];
        Self { house: House::playing(&setup(options, root), &players), players }
    }

    #[track_caller]
    fn plays(&mut self, mv: &Move) -> Vec<Event> {
        let number = self.to_move();
        self.house.plays(&self.players[number].clone(), mv)
    }

    /// The clause that a refusal of the seat to move names.
    #[track_caller]
    fn clause(&self, mv: &Move) -> &'static str {
        let player = &self.players[self.to_move()];
        match self.house.refusal(&player.decide(&self.house, mv)) {
            Refusal::Illegal(illegal) => illegal.clause,
            other => panic!("refused by no clause: {other}"),
        }
    }

    fn to_move(&self) -> usize {
        self.house.table.to_act()[0].index()
    }

    fn legal(&self) -> Vec<Move> {
        self.house.legal(seat(self.to_move()))
    }

    fn state(&self, number: usize) -> Value {
        json!(self.house.view(seat(number)).state)
    }

    /// The state with every card open.
    fn open(&self) -> Value {
        json!(self.house.table.open_view(None).state)
    }

    /// A pile, shuffled by a draw: worked out from the server's seed.
    fn shuffled(&self, draw: u32, piles: &mut [&mut Vec<String>]) {
        let mut numbers = self.numbers(draw);
        piles.iter_mut().for_each(|pile| numbers.shuffle(pile));
    }

    fn numbers(&self, draw: u32) -> Numbers {
        let server_seed = self.house.secrets.seed(draw).unwrap();
        let player_seeds: Vec<_> = self.players.iter().map(|player| player.seed).collect();
        Numbers::new(draw_seed(self.house.table.game(), draw, &server_seed, &player_seeds))
    }

    /// Plays the first legal move that is no discard, or else a discard by chance.
    fn play_on(&mut self, rng: &mut Rng) -> Vec<Event> {
        let legal = self.legal();
        let mv = match &legal[0] {
            first if json!(first)["type"] != "discard" => first,
            _ => rng.pick(&legal),
        };
        self.plays(mv)
    }

    /// The first discard of the list, each on the side stack of its number.
    fn only_discards(&mut self, number: i64) -> Vec<Event> {
        let card = texts(&self.state(self.to_move())["hands"][self.to_move()]["cards"])[0].clone();
        self.plays(&discard(&card, number % 4))
    }
}

// SM-1 to SM-3.

#[test]
fn sm_1_two_players_and_no_other_number() {
    assert_eq!(Kind::SpiteAndMalice.seats(), (2, 2));
    let options = Kind::SpiteAndMalice.read_options(json!({})).unwrap();
    for (seats, fits) in [(0, false), (1, false), (2, true), (3, false), (20, false)] {
        assert_eq!(options.fits(seats).is_ok(), fits, "{seats} seats");
        assert!(fits || options.fits(seats).unwrap_err().clause == "SM-1");
    }
}

#[test]
fn sm_1_sm_2_sm_3_every_card_of_the_deal_is_in_its_place() {
    for (decks, payoff, stock) in [(2, 20, 54), (2, 30, 34), (2, 5, 84), (3, 7, 132), (4, 5, 188), (4, 30, 138)] {
        let options = json!({"decks": decks, "payoff": payoff});
        // A deal whose first tops differ, so that the pay-off piles lie as they were dealt.
        let game = (0..)
            .map(|i| Match::new(options.clone(), &format!("deal {i}")))
            .find(|game| facts_of(&game.house.events, "payoffs_reshuffled").is_empty());
        let game = game.unwrap();
        let mut deck = pack(decks);
        assert_eq!(deck.len(), 52 * decks);
        game.shuffled(1, &mut [&mut deck]);
        let open = game.open();
        let (hands, rest) = (&deck[2 * payoff..2 * payoff + 10], &deck[2 * payoff + 10..]);
        for number in [0, 1] {
            let pile = &deck[number * payoff..(number + 1) * payoff];
            assert_eq!(open["payoffs"][number], json!({"size": payoff, "top": pile[0], "cards": pile}));
            let hand = &hands[5 * number..5 * number + 5];
            assert_eq!(open["hands"][number], json!({"size": 5, "cards": hand}));
            // What each sees: the tops, the own hand, and sizes.
            let state = game.state(number);
            for other in [0, 1] {
                let top = &deck[other * payoff];
                assert_eq!(state["payoffs"][other], json!({"size": payoff, "top": top, "cards": null}));
                let seen = if other == number { json!(hand) } else { Value::Null };
                assert_eq!(state["hands"][other], json!({"size": 5, "cards": seen}));
            }
            assert_eq!(state["stock"], json!({"size": stock, "cards": null}));
            assert_eq!(state["sides"], json!([[[], [], [], []], [[], [], [], []]]));
            let empty = json!({"height": 0, "needs": "A", "cards": []});
            assert_eq!(state["centres"], json!([empty, empty, empty]));
        }
        assert_eq!(open["stock"], json!({"size": stock, "cards": rest}));
        assert_eq!(rest.len(), stock, "SM-2: 54 with the default options");
        let started = facts(&game.house.events);
        assert_eq!(started[0], json!({"type": "draw", "draw": 1, "purpose": "deal"}));
        assert_eq!(started[1], json!({"type": "spite_deal", "round": 1, "tops": [deck[0], deck[payoff]]}));
        assert_eq!(types(&game.house.events), ["created", "seated", "seated", "closed", "seed_opened", "started"]);
    }
}

// SM-4.

#[test]
fn sm_4_the_higher_pay_off_card_has_the_first_turn_and_a_king_is_the_lowest() {
    // From the lowest.
    let order = "KA23456789TJQ";
    for (i, first) in order.chars().enumerate() {
        for (j, second) in order.chars().enumerate() {
            for suits in ["CC", "SH"] {
                let suits: Vec<char> = suits.chars().collect();
                let cards = [format!("{first}{}", suits[0]), format!("{second}{}", suits[1])];
                let tops: BySeat<Card> = cards.iter().map(|card| card.parse().unwrap()).collect();
                let expected = if i == j { None } else { Some(seat(usize::from(j > i))) };
                assert_eq!(first_turn(&tops), expected, "{cards:?}");
            }
        }
    }
}

#[test]
fn sm_4_equal_tops_are_shuffled_again_until_they_differ_and_every_pair_is_public() {
    let mut rounds = BTreeSet::new();
    let mut firsts = BTreeSet::new();
    for root in 0..120 {
        let game = Match::new(json!({"payoff": 6}), &format!("tops {root}"));
        let told = facts(&game.house.events);
        let mut deck = pack(2);
        game.shuffled(1, &mut [&mut deck]);
        let mut piles = [deck[..6].to_vec(), deck[6..12].to_vec()];
        let mut expected = vec![
            json!({"type": "draw", "draw": 1, "purpose": "deal"}),
            json!({"type": "spite_deal", "round": 1, "tops": [piles[0][0], piles[1][0]]}),
        ];
        let mut compared = vec![json!([piles[0][0], piles[1][0]])];
        while piles[0][0][..1] == piles[1][0][..1] {
            let draw = u32::try_from(compared.len()).unwrap() + 1;
            let [first, second] = &mut piles;
            game.shuffled(draw, &mut [first, second]);
            expected.push(json!({"type": "draw", "draw": draw, "purpose": "first_turn"}));
            expected.push(json!({"type": "payoffs_reshuffled", "tops": [piles[0][0], piles[1][0]]}));
            compared.push(json!([piles[0][0], piles[1][0]]));
        }
        let order = |card: &str| "KA23456789TJQ".find(&card[..1]).unwrap();
        let first = usize::from(order(&piles[1][0]) > order(&piles[0][0]));
        expected.push(json!({"type": "first_turn", "seat": first}));
        assert_eq!(told, expected);
        assert_eq!(game.to_move(), first);
        for view in [game.state(0), game.state(1), json!(game.house.table.view(None).state)] {
            assert_eq!(view["compared"], json!(compared));
            assert_eq!(
                (&view["first_turn"], &view["to_move"], &view["turn"]),
                (&json!(first), &json!(first), &json!(1))
            );
        }
        let open = game.open();
        for number in [0, 1] {
            assert_eq!(open["payoffs"][number]["cards"], json!(piles[number]));
        }
        rounds.insert(compared.len());
        firsts.insert((first, piles[first][0][..1].to_owned(), piles[1 - first][0][..1].to_owned()));
    }
    assert!(rounds.contains(&1) && rounds.contains(&2), "{rounds:?}");
    assert!(firsts.iter().any(|(_, _, lower)| lower == "K"), "no king was compared");
}

// SM-5, SM-6.

#[test]
fn sm_5_each_turn_begins_with_a_full_hand_drawn_from_the_top() {
    let mut game = Match::new(json!({}), "turns");
    let mut rng = Rng::new(5);
    let mut drew = BTreeSet::new();
    for _ in 0..150 {
        let before = game.open();
        let own = game.to_move();
        let events = game.play_on(&mut rng);
        let drawn = facts_of(&events, "cards_drawn");
        if data(&events[0])["move"]["type"] != "discard" || !facts_of(&events, "spite_round_over").is_empty() {
            continue;
        }
        let other = 1 - own;
        let (old, stock) = (texts(&before["hands"][other]["cards"]), texts(&before["stock"]["cards"]));
        let count = 5 - old.len();
        let expected = json!({
            "type": "cards_drawn", "seat": other, "count": count, "hand": 5, "stock": stock.len() - count,
        });
        // At the first turns there is nothing to draw.
        assert_eq!(drawn, if count == 0 { vec![] } else { vec![expected] });
        let hand = [old, stock[..count].to_vec()].concat();
        assert_eq!(game.open()["hands"][other]["cards"], json!(hand), "the new ones join last, the top one first");
        assert_eq!(game.open()["stock"]["cards"], json!(stock[count..]));
        assert_eq!(game.state(own)["hands"][other], json!({"size": 5, "cards": null}));
        drew.insert(count);
    }
    assert!(drew.len() > 2, "{drew:?}");
}

/// What the seat to move may do, written out once more from SM-6 to SM-8.
fn moves(open: &Value, own: usize) -> Vec<Value> {
    let heights: Vec<usize> = (0..3).map(|i| open["centres"][i]["cards"].as_array().unwrap().len()).collect();
    let fits = |card: &str| -> Vec<usize> {
        let rank = "A23456789TJQK".find(&card[..1]).unwrap();
        (0..3).filter(|centre| rank == 12 || rank == heights[*centre]).collect()
    };
    let mut moves = Vec::new();
    let top = open["payoffs"][own]["top"].as_str().unwrap();
    moves.extend(fits(top).iter().map(|centre| json!({"type": "play_payoff", "centre": centre})));
    for side in 0..4 {
        if let Some(top) = open["sides"][own][side].as_array().unwrap().last() {
            let to = fits(top.as_str().unwrap());
            moves.extend(to.iter().map(|centre| json!({"type": "play_side", "side": side, "centre": centre})));
        }
    }
    let mut hand: Vec<String> = Vec::new();
    for card in texts(&open["hands"][own]["cards"]) {
        if !hand.contains(&card) {
            hand.push(card);
        }
    }
    for card in &hand {
        moves.extend(fits(card).iter().map(|centre| json!({"type": "play_hand", "card": card, "centre": centre})));
    }
    for card in &hand {
        moves.extend((0..4).map(|side| json!({"type": "discard", "card": card, "side": side})));
    }
    moves
}

#[test]
fn sm_6_sm_7_sm_8_the_legal_moves_in_their_order() {
    let mut rng = Rng::new(6);
    let mut seen = BTreeSet::new();
    for root in 0..4 {
        let mut game = Match::new(json!({"payoff": 8, "target": 500}), &format!("moves {root}"));
        for _ in 0..120 {
            let own = game.to_move();
            let legal = game.legal();
            assert_eq!(json!(legal), json!(moves(&game.open(), own)));
            assert_eq!(game.house.legal(seat(1 - own)), []);
            seen.extend(legal.iter().map(|mv| json!(mv)["type"].as_str().unwrap().to_owned()));
            let among = if rng.once_in(2) { legal.len() } else { 1 };
            let mv = rng.pick(&legal[..among]).clone();
            game.plays(&mv);
        }
    }
    assert_eq!(seen.len(), 4);
}

#[test]
fn sm_6_a_play_moves_its_card_and_tells_what_it_stands_for() {
    let mut game = Match::new(json!({"decks": 3}), "plays");
    let mut rng = Rng::new(61);
    let mut sources = BTreeSet::new();
    for _ in 0..250 {
        let own = game.to_move();
        let before = game.open();
        let legal = game.legal();
        let mv = if rng.once_in(3) { rng.pick(&legal).clone() } else { legal[0].clone() };
        let events = game.plays(&mv);
        let mv = json!(mv);
        let Some(centre) = mv["centre"].as_u64() else { continue };
        let from = mv["type"].as_str().unwrap().trim_start_matches("play_");
        let card = match from {
            "payoff" => before["payoffs"][own]["top"].clone(),
            "side" => before["sides"][own][number(&mv["side"])].as_array().unwrap().last().unwrap().clone(),
            _ => mv["card"].clone(),
        };
        let height = number(&before["centres"][number(&json!(centre))]["height"]);
        let rank = "A23456789TJQ".chars().nth(height).unwrap().to_string();
        let side = mv.get("side").cloned().unwrap_or(Value::Null);
        let expected = json!({
            "type": "centre_play", "seat": own, "from": from, "side": side, "card": card, "centre": centre,
            "stands_for": rank,
        });
        let told = facts(&events);
        assert_eq!(told[0], expected);
        // RU-11: it stays in view, whatever the card led to.
        let mut kept = expected;
        kept.as_object_mut().unwrap().remove("type");
        assert_eq!(json!(game.house.table.view(None).state)["last_play"], kept);
        sources.insert((from.to_owned(), card.as_str().unwrap().starts_with('K')));
        if from == "payoff" && facts_of(&events, "spite_round_over").is_empty() {
            let pile = texts(&before["payoffs"][own]["cards"]);
            let turned = json!({"type": "payoff_turned", "seat": own, "card": pile[1], "left": pile.len() - 1});
            assert_eq!(told[1], turned);
            assert_eq!(game.state(1 - own)["payoffs"][own]["top"], pile[1], "for both players");
        }
        if height < 11 && facts_of(&events, "spite_round_over").is_empty() {
            let cards = json!(game.house.table.view(None).state)["centres"][number(&json!(centre))]["cards"].clone();
            assert_eq!(cards[height], json!({"card": card, "stands_for": rank}));
            assert_eq!(cards.as_array().unwrap().len(), height + 1);
        }
    }
    assert_eq!(sources.len(), 6, "kings and others, from everywhere: {sources:?}");
}

#[test]
fn sm_6_there_are_no_other_moves() {
    let mut game = Match::new(json!({}), "refused");
    let own = game.to_move();
    for side in 0..4 {
        for centre in 0..3 {
            assert_eq!(game.clause(&play_side(side, centre)), "SM-6", "an empty side stack");
        }
    }
    let state = game.state(own);
    let hand = texts(&state["hands"][own]["cards"]);
    // Neither the pay-off card nor a card of the opponent can be discarded or played from the hand.
    let mut foreign = texts(&game.open()["hands"][1 - own]["cards"]);
    foreign.extend(state["payoffs"][own]["top"].as_str().map(str::to_owned));
    foreign.extend(["X1", "", "10S", "qs", " QS", "QSS"].map(str::to_owned));
    for card in foreign.iter().filter(|card| !hand.contains(card)) {
        assert_eq!(game.clause(&discard(card, 0)), "SM-6", "{card}");
        assert_eq!(game.clause(&play_hand(card, 0)), "SM-6", "{card}");
    }
    for far in [-1, 3, 4, 255, 256, 1 << 32, (1 << 53) - 1, -((1 << 53) - 1)] {
        assert_eq!(game.clause(&play_payoff(far)), "SM-2", "{far}");
        assert_eq!(game.clause(&play_hand(&hand[0], far)), "SM-2", "{far}");
        assert_eq!(game.clause(&play_side(0, far)), "SM-2", "{far}");
        if far != 3 {
            assert_eq!(game.clause(&play_side(far, 0)), "SM-2", "{far}");
            assert_eq!(game.clause(&discard(&hand[0], far)), "SM-2", "{far}");
        }
    }
    // Out of turn.
    let other = &game.players[1 - own];
    let theirs = texts(&game.open()["hands"][1 - own]["cards"])[0].clone();
    for mv in [discard(&theirs, 0), play_payoff(0)] {
        assert_eq!(game.house.refusal(&other.decide(&game.house, &mv)), Refusal::NotYourTurn);
    }
    assert_eq!(game.house.view(seat(own)).awaits, Some(Awaits::Move));
    // Nothing is left of what was refused.
    assert_eq!(game.state(own), state);
    game.plays(&discard(&hand[0], 3));
    assert_eq!(game.to_move(), 1 - own, "the discard ends the turn");
    assert_eq!(game.state(0)["sides"][own], json!([[], [], [], [hand[0]]]));
    // The opponent's side stack is out of reach: the own one of that number is empty.
    assert_eq!(game.clause(&play_side(3, 0)), "SM-6");
}

#[test]
fn ru_5_a_refusal_is_the_same_wherever_the_card_lies() {
    let game = Match::new(json!({}), "answers");
    let own = texts(&game.state(game.to_move())["hands"][game.to_move()]["cards"]);
    let player = &game.players[game.to_move()];
    let refused: BTreeSet<String> = pack(1)
        .iter()
        .filter(|card| !own.contains(card))
        .map(|card| game.house.refusal(&player.decide(&game.house, &discard(card, 0))).to_string())
        .collect();
    assert_eq!(refused.len(), 1, "{refused:?}");
}

// SM-7, SM-8.

#[test]
fn sm_7_sm_8_what_fits_on_which_height_and_what_it_stands_for() {
    let next = "A23456789TJQ";
    for height in 0..=12 {
        assert_eq!(next_rank(height).map(|rank| rank.to_string()), next.chars().nth(height).map(String::from));
        for card in Card::full_deck() {
            let fits = height < 12 && (card.rank() == Rank::King || usize::from(card.rank().number()) == height + 1);
            let rank = next.chars().nth(height).filter(|_| fits).map(String::from);
            assert_eq!(stands_for(card, height).map(|rank| rank.to_string()), rank, "{card} on {height}");
        }
    }
}

#[test]
fn sm_7_sm_8_the_worked_examples_of_building() {
    let put = |card: &str, height: usize| stands_for(card.parse().unwrap(), height).map(|rank| rank.to_string());
    for (card, height, stands) in [
        ("AD", 0, Some("A")),
        ("2S", 1, Some("2")),
        ("3H", 2, Some("3")),
        ("KS", 10, Some("J")),
        ("JD", 11, None),
        ("QH", 11, Some("Q")),
        ("KD", 11, Some("Q")),
        ("QH", 10, None),
        ("KC", 0, Some("A")),
        ("2D", 1, Some("2")),
        ("AS", 1, None),
        ("QS", 12, None),
        ("KS", 12, None),
    ] {
        assert_eq!(put(card, height).as_deref(), stands, "{card} on height {height}");
    }
}

// SM-9.

#[test]
fn sm_9_a_complete_stack_goes_into_the_stock_by_the_next_draw() {
    let mut game = Match::new(json!({"decks": 4, "payoff": 30}), "recycled");
    let mut rng = Rng::new(9);
    let (mut draws, mut recycled) = (facts_of(&game.house.events, "draw").len(), 0);
    while recycled < 6 {
        let before = game.open();
        let mv = game.legal()[0].clone();
        let complete = json!(mv)["centre"]
            .as_u64()
            .filter(|centre| before["centres"][usize::try_from(*centre).unwrap()]["height"] == 11);
        let events = game.play_on(&mut rng);
        assert!(facts_of(&events, "spite_round_over").is_empty(), "these piles are large");
        let Some(centre) = complete else {
            assert!(facts_of(&events, "draw").is_empty());
            continue;
        };
        draws += 1;
        recycled += 1;
        let played = facts_of(&events, "centre_play")[0].clone();
        assert_eq!(played["stands_for"], "Q", "a queen, or a king on a jack");
        let draw = json!({"type": "draw", "draw": draws, "purpose": "recycle"});
        assert_eq!(facts_of(&events, "draw"), [draw]);
        let mut pile = texts(&before["stock"]["cards"]);
        let stack = before["centres"][usize::try_from(centre).unwrap()]["cards"].as_array().unwrap().clone();
        pile.extend(stack.iter().map(|card| card["card"].as_str().unwrap().to_owned()));
        pile.push(played["card"].as_str().unwrap().to_owned());
        game.shuffled(u32::try_from(draws).unwrap(), &mut [&mut pile]);
        let told = json!({"type": "stack_recycled", "centre": centre, "stock": pile.len()});
        assert_eq!(facts_of(&events, "stack_recycled"), [told]);
        let drawn = facts_of(&events, "cards_drawn").iter().map(|fact| number(&fact["count"])).sum::<usize>();
        assert_eq!(game.open()["stock"]["cards"], json!(pile[drawn..]));
        // Nobody sees more of it than its size.
        let empty = json!({"height": 0, "needs": "A", "cards": []});
        for state in [game.state(0), game.state(1), json!(game.house.table.view(None).state)] {
            assert_eq!(state["stock"], json!({"size": pile.len() - drawn, "cards": null}));
            assert_eq!(state["centres"][usize::try_from(centre).unwrap()], empty);
            assert_eq!(state["last_recycled"], json!({"centre": centre, "stock": pile.len()}));
        }
        assert_eq!(types(&events), ["moved"], "the draw stays a secret while the round is on");
    }
}

// SM-11, SM-15.

#[test]
fn sm_11_sm_15_matches_go_from_round_to_round_until_a_player_has_the_target() {
    let mut rng = Rng::new(11);
    let mut reasons = BTreeSet::new();
    for (i, target) in [1, 4, 9, 17].into_iter().enumerate() {
        let mut game = Match::new(json!({"target": target, "decks": 4, "payoff": 5}), &format!("match {i}"));
        let (mut round, mut scores) = (1, [0, 0]);
        let mut draws = facts_of(&game.house.events, "draw").len();
        while !game.house.table.is_over() {
            let own = game.to_move();
            let before = game.open();
            let events = game.play_on(&mut rng);
            let told = facts(&events);
            let Some(at) = told.iter().position(|fact| fact["type"] == "spite_round_over") else {
                draws += facts_of(&events, "draw").len();
                assert_eq!(types(&events), ["moved"]);
                continue;
            };
            let won = told[at]["reason"] == "payoff";
            let left = number(&before["payoffs"][1 - own]["size"]);
            assert_eq!(won, told[0]["from"] == "payoff" && before["payoffs"][own]["size"] == 1);
            let mut points = [0, 0];
            points[own] = if won { left } else { 0 };
            scores = [scores[0] + points[0], scores[1] + points[1]];
            let mut payoffs = [left, left];
            payoffs[own] = number(&before["payoffs"][own]["size"]) - usize::from(won);
            let over = json!({
                "type": "spite_round_over", "round": round, "reason": told[at]["reason"],
                "winner": won.then_some(own), "payoffs": payoffs, "points": points, "scores": scores,
            });
            assert_eq!(told[at], over);
            // Before the next round's deal everything drawn so far is disclosed, and no card is shown.
            draws += told[..at].iter().filter(|fact| fact["type"] == "draw").count();
            assert_eq!(data(&events[1])["draw"], draws);
            let mut kept = over;
            kept.as_object_mut().unwrap().remove("type");
            assert_eq!(game.state(0)["last_round"], kept, "RU-11");
            assert_eq!(game.state(1)["scores"], json!(scores));
            reasons.insert(told[at]["reason"].as_str().unwrap().to_owned());
            if won && scores[own] >= target {
                assert_eq!(types(&events), ["moved", "disclosed", "ended"]);
                let result = json!({"winners": [own], "scores": scores, "reason": "target"});
                assert_eq!(data(&events[2]), json!({"result": result}));
                assert_eq!(told.len(), at + 1, "no next round begins");
                assert_eq!(game.house.table.step(), None);
                continue;
            }
            assert_eq!(types(&events), ["moved", "disclosed"]);
            draws += told[at..].iter().filter(|fact| fact["type"] == "draw").count();
            round += 1;
            assert_eq!(
                told[at + 1],
                json!({"type": "draw", "draw": data(&events[1])["draw"].as_u64().unwrap() + 1, "purpose": "deal"})
            );
            assert_eq!((&told[at + 2]["type"], &told[at + 2]["round"]), (&json!("spite_deal"), &json!(round)));
            assert_eq!(told.last().unwrap(), &json!({"type": "first_turn", "seat": game.to_move()}));
            let state = game.state(0);
            assert_eq!((&state["round"], &state["turn"]), (&json!(round), &json!(1)));
            assert_eq!(state["stock"]["size"], 188, "all cards are dealt anew");
        }
        assert!(scores.iter().max().unwrap() >= &target);
    }
    assert!(reasons.contains("payoff"));
}

// SM-13, SM-14.

#[test]
fn sm_13_when_nobody_plays_the_stock_runs_out_and_the_round_is_a_tie() {
    let mut game = Match::new(json!({"payoff": 30}), "stock");
    for round in 1..=3 {
        // 34 cards in the stock: one drawn in each turn from the third on. Turn 36 takes the last, turn 37 finds none.
        for turn in 1..=35 {
            assert_eq!(game.state(0)["turn"], turn);
            let events = game.only_discards(turn);
            let drawn: Vec<Value> = facts_of(&events, "cards_drawn");
            let stock = if turn == 1 { None } else { Some(json!(34 - (turn - 1))) };
            assert_eq!(drawn.first().map(|fact| fact["stock"].clone()), stock);
            assert!(facts_of(&events, "spite_round_over").is_empty());
        }
        assert_eq!(game.state(0)["stock"]["size"], 0, "that alone ends nothing");
        let other = 1 - game.to_move();
        let events = game.only_discards(36);
        let told = facts(&events);
        let drawn = json!({"type": "cards_drawn", "seat": other, "count": 0, "hand": 4, "stock": 0});
        let over = json!({
            "type": "spite_round_over", "round": round, "reason": "stock", "winner": null,
            "payoffs": [30, 30], "points": [0, 0], "scores": [0, 0],
        });
        assert_eq!(told[..2], [drawn, over]);
        assert_eq!(types(&events), ["moved", "disclosed"]);
        assert_eq!(game.state(0)["round"], round + 1);
    }
}

#[test]
fn sm_14_there_is_always_a_discard_and_no_pass() {
    let mut game = Match::new(json!({}), "no pass");
    let mut rng = Rng::new(14);
    let mut both = 0;
    for _ in 0..200 {
        let legal = game.legal();
        let discards = legal.iter().filter(|mv| json!(mv)["type"] == "discard").count();
        assert!(discards >= 4 && discards % 4 == 0);
        both += usize::from(discards < legal.len());
        game.play_on(&mut rng);
    }
    assert!(both > 50, "and one may discard although plays exist");
    for name in ["pass", "draw", "end_turn"] {
        assert!(Kind::SpiteAndMalice.read_move(json!({"type": name})).is_err());
    }
}

// SM-16, RU-8: long matches, without a table.

struct Bare {
    game: Rules,
    inputs: DrawInputs,
    chain: SeedChain,
    drawn: u32,
}

impl Bare {
    fn new(options: Value) -> Self {
        let inputs = DrawInputs { game: game_id(1), player_seeds: BySeat::from_fn(2, |_| None) };
        let chain = SeedChain::new(&bytes("bare"));
        let options: Options = read(options);
        let mut chance = Chance::new(&inputs, &chain, 0);
        let game = Rules::deal(&options, 2, Timestamp::MAX, &mut chance).unwrap();
        let drawn = chance.drawn();
        Self { game, inputs, chain, drawn }
    }

    fn plays(&mut self, mv: &SpiteMove) -> Vec<Value> {
        let Outcome::Turn(seat) = self.game.outcome() else { panic!("it is over") };
        let mut chance = Chance::new(&self.inputs, &self.chain, self.drawn);
        play(&mut self.game, seat, mv, Timestamp::MAX, &mut chance).unwrap();
        self.drawn = chance.drawn();
        chance.into_facts().iter().map(|fact| json!(fact)).collect()
    }

    fn legal(&self) -> Vec<SpiteMove> {
        let Outcome::Turn(seat) = self.game.outcome() else { return Vec::new() };
        self.game.legal(seat)
    }
}

#[test]
fn sm_16_after_round_500_the_match_is_a_draw() {
    let mut bare = Bare::new(json!({"payoff": 30}));
    let (mut last, mut turns) = (Vec::new(), 0);
    while let Some(mv) = bare.legal().pop() {
        last = bare.plays(&mv);
        turns += 1;
    }
    assert_eq!(turns, 500 * 36, "nobody ever plays");
    assert_eq!((&last[1]["type"], &last[1]["round"]), (&json!("spite_round_over"), &json!(500)));
    assert_eq!(last.len(), 2);
    let Outcome::Over(result) = bare.game.outcome() else { panic!("it goes on") };
    assert_eq!(
        (result.winners.as_slice(), result.scores.as_slice(), result.reason),
        (&[][..], &[0, 0][..], Reason::Cap)
    );
    assert_eq!(bare.game.disclosable(), bare.drawn);
}

#[test]
fn sm_16_after_turn_2000_the_round_is_a_tie_and_the_match_goes_on() {
    let mut bare = Bare::new(json!({"decks": 4, "payoff": 5}));
    let (turn, told) = loop {
        let view = bare.game.view(Viewer::Public);
        let mv = gets_nowhere(&view, &bare.legal());
        let told = bare.plays(&mv);
        if told.iter().any(|fact| fact["type"] == "spite_round_over") {
            assert!(matches!(mv, SpiteMove::Discard(_)), "the turn has ended with its discard");
            break (view.turn.unwrap(), told);
        }
    };
    assert_eq!(turn, 2_000);
    let over = json!({
        "type": "spite_round_over", "round": 1, "reason": "cap", "winner": null,
        "payoffs": [5, 5], "points": [0, 0], "scores": [0, 0],
    });
    assert_eq!(told[0], over, "and nobody draws before it");
    assert_eq!(told[1]["purpose"], "deal");
    let view = bare.game.view(Viewer::Public);
    assert_eq!((view.round, view.turn), (2, Some(1)));
}

/// Any play that leaves the pay-off pile alone, or else the discard that buries the least: best on a card that is one
/// higher, then on an empty place, then on the smallest stack.
fn gets_nowhere(view: &SpiteView, legal: &[SpiteMove]) -> SpiteMove {
    let own = view.to_move.unwrap();
    let cost = |mv: &&SpiteMove| match mv {
        SpiteMove::PlaySide(_) | SpiteMove::PlayHand(_) => 0,
        SpiteMove::Discard(discard) => {
            let stack = &view.sides[own][usize::try_from(discard.side).unwrap()];
            let rank = |card: &Card| usize::from(card.rank().number());
            match stack.last() {
                Some(top) if rank(top) == rank(&discard.card.parse().unwrap()) + 1 => 1,
                None => 2,
                Some(_) => 3 + stack.len(),
            }
        }
        SpiteMove::PlayPayoff(_) => usize::MAX,
    };
    legal.iter().min_by_key(cost).unwrap().clone()
}

// RU-9: forfeits.

/// Matches in several places: before the first move, in the middle of a turn, in another's turn, in a second round.
fn places() -> Vec<Match> {
    let mut all = vec![Match::new(json!({}), "forfeit")];
    for (decisions, payoff) in [(1, 20), (2, 20), (30, 20), (150, 5)] {
        let mut game = Match::new(json!({"payoff": payoff, "target": 500}), "forfeit");
        let mut rng = Rng::new(decisions);
        (0..decisions).for_each(|_| drop(game.play_on(&mut rng)));
        all.push(game);
    }
    all
}

#[test]
fn ru_9_a_seat_may_resign_at_any_time_and_the_other_wins_at_once() {
    let mut scored = 0;
    for number in [0, 1] {
        for mut game in places() {
            let (step, scores) = (game.house.step(), game.state(0)["scores"].clone());
            let draws = facts_of(&game.house.events, "draw").len();
            let events = game.house.send(&game.players[number].resign(&game.house));
            assert_eq!(types(&events), ["resigned", "disclosed", "ended"]);
            assert_eq!(
                data(&events[0]),
                json!({
                    "step": step, "after": null, "by": null,
                    "facts": [{"type": "forfeit", "seat": number, "reason": "resigned"}],
                })
            );
            assert_eq!(data(&events[1])["draw"], draws, "all draws are disclosed");
            let result = json!({"winners": [1 - number], "scores": scores, "reason": "forfeit"});
            assert_eq!(data(&events[2]), json!({"result": result}));
            scored += usize::from(scores != json!([0, 0]));
        }
    }
    assert!(scored > 0, "no match with points was resigned");
}

#[test]
fn ru_9_who_misses_the_deadline_forfeits() {
    let mut game = Match::new(json!({}), "late");
    let own = game.to_move();
    game.plays(&discard(&texts(&game.state(own)["hands"][own]["cards"])[0], 0));
    game.house.wait_until_due(1);
    let events = game.house.send(&game.players[own].call_timeout());
    assert_eq!(types(&events), ["timed_out", "disclosed", "ended"]);
    let late = json!({"type": "forfeit", "seat": 1 - own, "reason": "timed_out"});
    assert_eq!(data(&events[0]), json!({"step": 2, "seats": [1 - own], "facts": [late]}));
    let result = json!({"winners": [own], "scores": [0, 0], "reason": "forfeit"});
    assert_eq!(data(&events[2]), json!({"result": result}));
}

// RU-10.

#[test]
fn ru_10_every_play_and_every_discard_is_one_step() {
    let mut game = Match::new(json!({"payoff": 5, "target": 500}), "steps");
    let mut rng = Rng::new(10);
    for step in 1..=200 {
        assert_eq!(game.house.step(), step);
        let events = game.play_on(&mut rng);
        assert_eq!(data(&events[0])["step"], step);
    }
    assert!(game.state(0)["round"].as_u64() > Some(1), "also over the end of a round");
}

// RU-5, RU-11: what each may know.

#[test]
fn ru_5_the_public_sees_no_hand_and_a_seat_only_its_own() {
    let mut game = Match::new(json!({}), "views");
    let mut rng = Rng::new(50);
    for _ in 0..60 {
        game.play_on(&mut rng);
        let public = json!(game.house.table.view(None).state);
        for number in [0, 1] {
            assert_eq!(public["hands"][number]["cards"], Value::Null);
            assert_eq!(public["payoffs"][number]["cards"], Value::Null);
            let mut own = game.state(number);
            assert_eq!(own["hands"][number]["cards"].as_array().unwrap().len(), size(&own["hands"][number]));
            own["hands"][number]["cards"] = Value::Null;
            assert_eq!(own, public, "but for the own hand all see the same");
        }
        assert_eq!(public["stock"]["cards"], Value::Null);
    }
}

#[test]
fn ru_11_an_ended_match_can_be_looked_at_with_every_card_open() {
    let mut game = places().remove(3);
    let before = [game.state(0), game.state(1)];
    game.house.send(&game.players[0].resign(&game.house));
    let open = game.open();
    for number in [0, 1] {
        for pile in [&open["hands"][number], &open["payoffs"][number], &open["stock"]] {
            assert_eq!(texts(&pile["cards"]).len(), size(pile));
        }
    }
    // The winner's own view opens no further, and the loser sees what the public sees.
    let mut expected = before[1].clone();
    (expected["phase"], expected["to_move"]) = (json!("over"), Value::Null);
    assert_eq!(game.state(1), expected);
    assert_eq!(game.state(0), json!(game.house.table.view(None).state));
}

#[test]
fn ru_11_the_pairs_that_were_compared_stay_until_the_next_round() {
    let game = (0..)
        .map(|i| Match::new(json!({"payoff": 30}), &format!("pairs {i}")))
        .find(|game| facts_of(&game.house.events, "payoffs_reshuffled").len() == 1);
    let mut game = game.unwrap();
    let compared = game.state(0)["compared"].clone();
    assert_eq!(compared.as_array().unwrap().len(), 2);
    for turn in 1..=36 {
        assert_eq!(game.state(0)["compared"], compared);
        game.only_discards(turn);
    }
    let tops = facts(&game.house.events).into_iter().rev().find_map(|fact| fact.get("tops").cloned());
    assert_eq!(game.state(0)["compared"].as_array().unwrap().last(), tops.as_ref());
}

// RU-2, RU-7: forms.

#[test]
fn ru_2_a_move_has_exactly_its_fields_with_their_types() {
    for right in [
        json!({"type": "play_payoff", "centre": 0}),
        json!({"type": "play_payoff", "centre": -7}),
        json!({"type": "play_side", "side": 3, "centre": 1}),
        json!({"type": "play_hand", "card": "7S", "centre": 2}),
        json!({"type": "play_hand", "card": "anything", "centre": 2}),
        json!({"type": "discard", "card": "", "side": 99}),
    ] {
        let read = Kind::SpiteAndMalice.read_move(right.clone()).unwrap();
        assert_eq!(json!(read), right);
        assert_eq!(Move::read(right).unwrap(), read);
        assert_eq!(read.canonical(), read);
        assert!(read.is_decision());
    }
    for wrong in [
        json!({"type": "play_payoff"}),
        json!({"type": "play_payoff", "centre": "0"}),
        json!({"type": "play_payoff", "centre": null}),
        json!({"type": "play_payoff", "centre": true}),
        json!({"type": "play_payoff", "centre": [0]}),
        json!({"type": "play_payoff", "centre": 0, "card": "7S"}),
        json!({"type": "play_payoff", "center": 0}),
        json!({"type": "play_payoff", "side": 0}),
        json!({"type": "play_side", "side": 0}),
        json!({"type": "play_side", "side": 0, "side2": 1}),
        json!({"type": "play_side", "side": 0, "centre": 0, "seat": 0}),
        json!({"type": "play_side", "side": 0, "card": "7S", "centre": 0}),
        json!({"type": "play_hand", "card": 7, "centre": 0}),
        json!({"type": "play_hand", "card": ["7S"], "centre": 0}),
        json!({"type": "play_hand", "centre": 0}),
        json!({"type": "discard", "card": "7S"}),
        json!({"type": "discard", "card": null, "side": 0}),
        json!({"type": "discard", "card": "7S", "side": 0, "centre": 0}),
        json!({"type": "Discard", "card": "7S", "side": 0}),
        json!({"type": "play", "card": "7S", "centre": 0}),
        json!({"card": "7S", "side": 0}),
        json!(["discard", "7S", 0]),
        json!("discard"),
        json!(null),
    ] {
        assert!(Kind::SpiteAndMalice.read_move(wrong.clone()).is_err(), "{wrong}");
        assert!(Move::read(wrong.clone()).is_err(), "{wrong}");
    }
    assert!(Kind::Migraine.read_move(json!({"type": "discard", "card": "7S", "side": 0})).is_err());
}

#[test]
fn ru_7_options_have_their_defaults_and_limits() {
    let read = |value: Value| Kind::SpiteAndMalice.read_options(value);
    let written = |value: Value| json!(read(value).unwrap());
    assert_eq!(written(json!({})), json!({"target": 50, "decks": 2, "payoff": 20}));
    for (name, least, most) in [("target", 1, 500), ("decks", 2, 4), ("payoff", 5, 30)] {
        for right in [least, most] {
            assert_eq!(written(json!({name: right}))[name], right);
        }
        for wrong in [
            json!(least - 1),
            json!(most + 1),
            json!(-1),
            json!(256 + least),
            json!((1i64 << 32) + least),
            json!((1i64 << 53) - 1),
            json!(null),
            json!(least.to_string()),
            json!(true),
            json!([least]),
        ] {
            let fits = wrong.as_i64().is_some_and(|value| (least..=most).contains(&value));
            assert_eq!(read(json!({name: wrong})).is_ok(), fits, "{name} {wrong}");
        }
    }
    for wrong in [json!({"goal": 50}), json!({"Target": 50}), json!([50, 2, 20]), json!([]), json!(null), json!("{}")] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
}

// The rules text.

#[test]
fn the_rules_text_names_every_move_fact_option_purpose_and_reason() {
    let rules = Kind::SpiteAndMalice.rules(1).unwrap().text;
    let mut names: Vec<String> = SpiteMove::TYPES.iter().map(|name| format!("\"type\":\"{name}\"")).collect();
    let cell = |name: &str| format!("\n| `{name}` |");
    names.extend(Fact::TYPES.iter().chain(CommonFact::TYPES).map(|name| cell(name)));
    let options = json!(Kind::SpiteAndMalice.read_options(json!({})).unwrap());
    names.extend(options.as_object().unwrap().keys().map(|name| cell(name)));
    for purpose in [Purpose::Deal, Purpose::FirstTurn, Purpose::Recycle] {
        names.push(cell(json!(purpose).as_str().unwrap()));
    }
    for reason in Kind::SpiteAndMalice.reasons() {
        names.push(cell(json!(reason).as_str().unwrap()));
    }
    for reason in [RoundReason::Payoff, RoundReason::Stock, RoundReason::Cap] {
        names.push(cell(json!(reason).as_str().unwrap()));
    }
    names.extend((1..=16).map(|n| format!("\n**SM-{n} ")));
    names.extend((1..=11).map(|n| format!("\n**RU-{n} ")));
    names.extend(pack(1).chunks(13).map(|suit| suit.join(" ")));
    for name in names {
        assert!(rules.contains(&name), "{name:?}");
    }
}

/// Every field that a fact can have stands in the rules text, in the row of that fact.
#[test]
fn the_rules_text_tells_every_field_of_every_fact() {
    let rules = Kind::SpiteAndMalice.rules(1).unwrap().text;
    let mut seen = BTreeSet::new();
    for root in 0..12 {
        let mut game = Match::new(json!({"payoff": 5, "target": 3}), &format!("fields {root}"));
        let mut rng = Rng::new(root);
        while !game.house.table.is_over() {
            game.play_on(&mut rng);
        }
        for fact in facts(&game.house.events) {
            let name = fact["type"].as_str().unwrap().to_owned();
            let row = rules.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).unwrap();
            for field in fact.as_object().unwrap().keys().filter(|field| *field != "type") {
                assert!(row.contains(&format!("`{field}`")), "{name}: {field}");
            }
            seen.insert(name);
        }
    }
    seen.remove("draw");
    assert_eq!(seen, Fact::TYPES.iter().map(|name| (*name).to_owned()).collect());
}
