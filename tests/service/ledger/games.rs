//! Games as rows.

use croupier::event::{PlayerRef, SeatLimits};
use croupier::game::{GameResult, Reason};
use croupier::games::Kind;
use croupier::ledger::{Append, GameChange, LedgerError, Seating, SeatingChange, Visibility};
use croupier::table::Status;
use futures_util::future::join_all;
use serde_json::json;

use crate::story::{Story, at, fresh_game, moved, seat, seated, stored_player};
use crate::support::TestDatabase;

#[tokio::test]
async fn a_game_goes_from_open_to_ended() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let (ada, bob) = (stored_player(&ledger, "Ada").await, stored_player(&ledger, "Bob").await);
    let mut story = Story::new(ada);
    ledger.append(&story.created(0, Visibility::Unlisted)).await.unwrap();
    let game = ledger.game(story.game).await.unwrap().unwrap();
    assert_eq!((game.kind, game.visibility, game.host), (Kind::Migraine, Visibility::Unlisted, ada));
    assert_eq!((game.status, game.seats, game.move_seconds), (Status::Open, SeatLimits { min: 2, max: 2 }, Some(60)));
    assert_eq!(serde_json::to_value(&game.options).unwrap(), json!({"target": 21, "first_dealer": null}));
    assert_eq!((game.result, game.rematch, game.check_at, game.seatings), (None, None, None, vec![]));
    assert_eq!((game.created_at, game.updated_at), (at(0), at(0)));

    let sit = |number, player| SeatingChange::Sit { seat: seat(number), player };
    let events = story.goes_on(1, vec![seated(1, ada, "Ada")]);
    ledger.append(&Append { seatings: vec![sit(1, ada)], ..Append::of(events) }).await.unwrap();
    let events = story.goes_on(2, vec![seated(1, ada, "Ada")]);
    let seatings = vec![SeatingChange::GetUp { seat: seat(1) }, sit(0, ada), sit(1, bob)];
    ledger.append(&Append { seatings, ..Append::of(events) }).await.unwrap();
    let game = ledger.game(story.game).await.unwrap().unwrap();
    let place =
        |number, id, name: &str| Seating { seat: seat(number), player: PlayerRef { id, name: name.to_owned() } };
    assert_eq!(game.seatings, [place(0, ada, "Ada"), place(1, bob, "Bob")]);
    assert_eq!((game.status, game.updated_at), (Status::Open, at(2)));

    // Nobody sits twice, and nobody on another's lap.
    for wrong in [sit(2, bob), sit(1, ada)] {
        let events = story.next(3, vec![seated(1, ada, "Ada")]);
        let append = Append { seatings: vec![wrong], ..Append::of(events) };
        assert_eq!(ledger.append(&append).await, Err(LedgerError::Conflict));
    }

    let result = GameResult { winners: vec![seat(0)], scores: vec![21, -3], reason: Reason::Target };
    let change = GameChange { status: Status::Ended, result: Some(result.clone()), check_at: None };
    let events = story.goes_on(4, vec![moved(0, 1, "x")]);
    ledger.append(&Append { game: Some(change), ..Append::of(events) }).await.unwrap();
    let game = ledger.game(story.game).await.unwrap().unwrap();
    assert_eq!((game.status, game.result, game.updated_at), (Status::Ended, Some(result), at(4)));
}

#[tokio::test]
async fn what_is_due_and_what_is_stale_is_found() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let mut stories = Vec::new();
    for seconds in [3, 1, 2] {
        let mut story = Story::new(host);
        ledger.append(&story.created(seconds, Visibility::Unlisted)).await.unwrap();
        stories.push(story);
    }
    let [a, b, c] = [0, 1, 2].map(|i: usize| stories[i].game);
    assert_eq!(ledger.stale_open_games(at(3), 10).await.unwrap(), [b, c]);
    assert_eq!(ledger.stale_open_games(at(9), 2).await.unwrap(), [b, c]);
    let change = GameChange { status: Status::Playing, result: None, check_at: Some(at(20)) };
    let events = stories[1].goes_on(4, vec![moved(0, 1, "x")]);
    ledger.append(&Append { game: Some(change), ..Append::of(events) }).await.unwrap();
    assert_eq!(ledger.stale_open_games(at(9), 10).await.unwrap(), [c, a]);

    assert_eq!(ledger.due_games(at(19), 10).await.unwrap(), []);
    assert_eq!(ledger.due_games(at(20), 10).await.unwrap(), [b]);
    ledger.set_check_at(a, Some(at(10))).await.unwrap();
    assert_eq!(ledger.due_games(at(20), 10).await.unwrap(), [a, b]);
    assert_eq!(ledger.due_games(at(20), 1).await.unwrap(), [a]);
    ledger.set_check_at(b, None).await.unwrap();
    assert_eq!(ledger.due_games(at(99), 10).await.unwrap(), [a]);
    assert_eq!(ledger.game(a).await.unwrap().unwrap().check_at, Some(at(10)));
}

#[tokio::test]
async fn one_rematch_for_whoever_asks() {
    let database = TestDatabase::new();
    let (here, there) = (database.ledger().await, database.ledger().await);
    let host = stored_player(&here, "Ada").await;
    let story = Story::stored(&here, host).await;
    let proposals = (0..20).map(|_| fresh_game()).collect::<Vec<_>>();
    let asked = proposals.iter().enumerate().map(|(i, proposed)| {
        let ledger = if i % 2 == 0 { &here } else { &there };
        ledger.reserve_rematch(story.game, *proposed)
    });
    let answers = join_all(asked).await.into_iter().map(|answer| answer.unwrap().unwrap()).collect::<Vec<_>>();
    assert!(proposals.contains(&answers[0]));
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(here.game(story.game).await.unwrap().unwrap().rematch, Some(answers[0]));
    assert_eq!(here.reserve_rematch(fresh_game(), proposals[0]).await.unwrap(), None);
}
