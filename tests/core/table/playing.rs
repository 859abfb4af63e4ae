//! The game is on: turns, steps, resignations, the end.

use croupier::games::Move;
use croupier::table::{Awaits, Command, Refusal, Status};
use serde_json::json;

use crate::support::{House, Player, Setup, data, mv, seat, types};

fn players() -> [Player; 2] {
    [Player::new(0), Player::new(1)]
}

fn table() -> House {
    House::playing(&Setup::migraine(), &players())
}

fn cut(depth: i64) -> Move {
    mv(json!({"type": "cut", "depth": depth}))
}

#[test]
fn only_the_seat_whose_turn_it_is_moves_and_only_at_the_step_at_hand() {
    let [dealer, pone] = players();
    let mut house = table();
    assert_eq!(house.refusal(&dealer.decide(&house, &cut(0))), Refusal::NotYourTurn);
    for step in [0, 2, 99] {
        assert_eq!(house.refusal(&pone.decide_at(&house, step, &cut(0))), Refusal::WrongStep(1));
    }
    let events = house.plays(&pone, &cut(3));
    assert_eq!(
        data(&events[0]),
        json!({
            "step": 1, "after": null, "move": {"type": "cut", "depth": 3}, "by": null,
            "facts": data(&events[0])["facts"],
        })
    );
    assert_eq!(house.refusal(&pone.decide_at(&house, 1, &cut(4))), Refusal::WrongStep(2));
}

#[test]
fn a_resignation_takes_the_decision_at_hand_away() {
    for player in players() {
        let mut house = table();
        let events = house.send(&player.resign(&house));
        assert_eq!(types(&events), ["resigned", "disclosed", "ended"]);
        assert_eq!(data(&events[0])["step"], 1);
        assert_eq!(house.table.step(), None);
    }
}

#[test]
fn nothing_follows_the_end() {
    let [dealer, pone] = players();
    let mut house = table();
    house.send(&dealer.resign(&house));
    let view = house.view(seat(1));
    assert_eq!((view.status, view.awaits, view.step, view.due_at), (Status::Ended, None, None, None));
    assert!(view.to_act.is_empty() && view.legal.is_empty());
    assert_eq!(view.result.as_ref(), house.table.result());
    for command in [
        pone.decide_at(&house, 1, &cut(0)),
        pone.resign(&house),
        dealer.resign(&house),
        pone.call_timeout(),
        pone.sit(&house),
        pone.get_up(&house),
        Command::CallTimeout { player: None },
        Command::Cancel { player: None },
    ] {
        let refusal = house.refusal(&command);
        let expected = match command {
            Command::Cancel { .. } | Command::Sit { .. } | Command::GetUp { .. } => [Refusal::Over, Refusal::NotOpen],
            _ => [Refusal::Over, Refusal::Over],
        };
        assert!(expected.contains(&refusal), "{command:?}: {refusal}");
    }
}

#[test]
fn a_rounds_draw_is_disclosed_with_its_scoring_and_every_draw_before_the_end() {
    let players = players();
    let mut house = table();
    let mut disclosed = 0;
    while !house.table.is_over() {
        let player = &players[house.table.to_act()[0].index()];
        // The pone's first legal move; nobody wins by lack of trying.
        let chosen = house.legal(player.seat)[0].clone();
        let events = house.plays(player, &chosen);
        let scored = !crate::support::facts_of(&events, "migraine_scored").is_empty();
        match types(&events)[..] {
            ["moved", "disclosed"] | ["moved", "disclosed", "ended"] => {
                assert!(scored);
                disclosed += 1;
                assert_eq!(data(&events[1])["draw"], disclosed, "exactly the draw of the round that was scored");
                assert_eq!(events[0].at, events[1].at);
            }
            _ => assert!(!scored),
        }
    }
    assert!(disclosed > 1);
}

#[test]
fn the_public_view_says_who_is_to_act_and_no_more_than_that() {
    let [_, pone] = players();
    let mut house = table();
    let view = house.table.view(None);
    assert_eq!((view.awaits, view.to_act.as_slice(), view.seat), (Some(Awaits::Move), &[seat(1)][..], None));
    assert!(view.legal.is_empty());
    house.plays(&pone, &cut(0));
    let view = house.table.view(None);
    assert_eq!((view.awaits, view.to_act.len()), (Some(Awaits::Commitment), 2));
}

/// Between the event that ended the game by the rules and `ended`, which follows at once, a watcher can see the table too.
#[test]
fn once_the_rules_ended_the_game_nothing_is_awaited() {
    let mut house = table();
    let before = house.events.len();
    house.send(&players()[0].resign(&house));
    for length in before + 1..=house.events.len() {
        let table = croupier::replay::replay(&house.events[..length], &house.secrets).unwrap();
        let view = table.view(Some(seat(1)));
        assert_eq!((view.awaits, view.step, view.due_at), (None, None, None), "after {length} events");
        assert!(view.to_act.is_empty() && view.legal.is_empty());
        assert_eq!(view.result.is_some(), length == house.events.len());
    }
}
