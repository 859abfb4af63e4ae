//! What a viewer must not learn.

use super::*;

/// The cards that a viewer can't see, dealt anew among the places where they may lie.
fn another_world(game: &Rules, viewer: Viewer, numbers: &mut Numbers) -> Rules {
    let mut world = game.clone();
    let table = &mut world.table;
    let mut places: Vec<&mut Card> = table.stock.iter_mut().collect();
    for pile in table.payoffs.values_mut() {
        let below = pile.len().saturating_sub(1);
        places.extend(&mut pile[..below]);
    }
    let hands = Seat::all(PLAYERS).zip(table.hands.values_mut());
    hands.filter(|(seat, _)| !viewer.sees(*seat)).for_each(|(_, hand)| places.extend(hand));
    let mut cards: Vec<Card> = places.iter().map(|card| **card).collect();
    numbers.shuffle(&mut cards);
    places.into_iter().zip(cards).for_each(|(place, card)| *place = card);
    world
}

#[test]
fn ru_5_a_view_and_every_answer_are_the_same_wherever_the_hidden_cards_lie() {
    let faces: Vec<String> = Card::full_deck().map(|card| card.to_string()).chain(["X1".to_owned()]).collect();
    let mut tried: Vec<Move> = (-1..4).map(payoff).collect();
    tried.extend((-1..5).flat_map(|from| (0..3).map(move |centre| side(from, centre))));
    tried.extend(faces.iter().flat_map(|face| (0..3).map(move |centre| hand(face, centre))));
    tried.extend(faces.iter().map(|face| discard(face, 0)));
    let mut numbers = Numbers::new([7; 32]);
    let (mut compared, mut different) = (0, 0);
    for number in 0..6 {
        let inputs = inputs(number);
        let options = serde_json::from_value(json!({"payoff": 5 + number, "decks": 2 + number % 3})).unwrap();
        let mut drawn = 0;
        let mut game: Option<Rules> = None;
        for _ in 0..120 {
            let mut chance = Chance::new(&inputs, &Seeds, drawn);
            match &mut game {
                None => game = Some(Rules::deal(&options, PLAYERS, Timestamp::MAX, &mut chance).unwrap()),
                Some(game) => {
                    let Outcome::Turn(seat) = game.outcome() else { break };
                    let legal = game.legal(seat);
                    // Plays come first in the list: two times in three one of the first is taken.
                    let among = if numbers.below(3) > 0 { legal.len().min(3) } else { legal.len() };
                    let legal = game.judge(seat, &legal[numbers.pick(among).unwrap()]).unwrap();
                    act(game, Action::Move(seat, legal), Timestamp::MAX, &mut chance).unwrap();
                }
            }
            drawn = chance.drawn();
            let game = game.as_ref().unwrap();
            for viewer in [Viewer::Public, Viewer::Seat(seat(0)), Viewer::Seat(seat(1))] {
                let world = another_world(game, viewer, &mut numbers);
                assert_eq!(game.view(viewer), world.view(viewer));
                different += usize::from(game.view(Viewer::Everything) != world.view(Viewer::Everything));
                compared += 1;
                let Viewer::Seat(own) = viewer else { continue };
                assert_eq!(game.legal(own), world.legal(own));
                for mv in &tried {
                    assert_eq!(game.judge(own, mv).err(), world.judge(own, mv).err(), "{mv:?}");
                }
            }
        }
    }
    assert!(compared > 1_000 && different == compared, "{different} of {compared} worlds are other ones");
}
