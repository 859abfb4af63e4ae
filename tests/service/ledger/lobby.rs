//! The lobby.

use croupier::games::Kind;
use croupier::ids::{GameId, PlayerId};
use croupier::ledger::{Append, GameChange, GameFilter, Ledger, SeatingChange, Visibility};
use croupier::table::Status;

use crate::citus;
use crate::story::{Story, at, moved, seat, seated, stored_player};
use crate::support::{TestDatabase, count_statements, raw, sql, statements};

const ALL: GameFilter = GameFilter { kind: None, status: None, player: None, viewer: None, cursor: None, limit: 100 };

async fn create(ledger: &Ledger, host: PlayerId, seconds: u32, visibility: Visibility) -> Story {
    let mut story = Story::new(host);
    ledger.append(&story.created(seconds, visibility)).await.unwrap();
    story
}

async fn sit(ledger: &Ledger, story: &mut Story, player: PlayerId) {
    let events = story.goes_on(100, vec![seated(0, player, "Ada")]);
    let seatings = vec![SeatingChange::Sit { seat: seat(0), player }];
    ledger.append(&Append { seatings, ..Append::of(events) }).await.unwrap();
}

async fn list(ledger: &Ledger, filter: &GameFilter) -> Vec<GameId> {
    ledger.games(filter).await.unwrap().iter().map(|game| game.game).collect()
}

#[tokio::test]
async fn pages_have_no_gap_and_repeat_nothing() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let mut expected = Vec::new();
    // Several of the same moment, so that the ids must tell them apart.
    for i in 0..23 {
        let mut story = create(&ledger, host, i / 4, Visibility::Public).await;
        if i % 3 == 0 {
            sit(&ledger, &mut story, host).await;
        }
        expected.push((at(i / 4), story.game));
    }
    expected.sort_unstable_by(|a, b| b.cmp(a));
    for limit in [1, 5, 7, 23, 100] {
        let (mut found, mut cursor) = (Vec::new(), None);
        loop {
            let page = ledger.games(&GameFilter { cursor, limit, ..ALL }).await.unwrap();
            assert!(page.len() <= usize::try_from(limit).unwrap());
            let Some(last) = page.last() else { break };
            cursor = Some((last.created_at, last.game));
            found.extend(page.iter().map(|game| (game.created_at, game.game)));
            // A new game meanwhile does not move the pages that follow.
            if found.len() == 5 && limit == 5 {
                let newest = create(&ledger, host, 90, Visibility::Unlisted).await;
                assert!(!found.contains(&(at(90), newest.game)));
            }
        }
        assert_eq!(found, expected, "{limit} a page");
    }
}

#[tokio::test]
async fn filters_and_who_sees_what() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let (ada, bob) = (stored_player(&ledger, "Ada").await, stored_player(&ledger, "Bob").await);
    let mut public = create(&ledger, bob, 1, Visibility::Public).await;
    let mut unlisted = create(&ledger, bob, 2, Visibility::Unlisted).await;
    let playing = create(&ledger, bob, 3, Visibility::Public).await;
    sit(&ledger, &mut public, ada).await;
    sit(&ledger, &mut unlisted, ada).await;
    let change = GameChange { status: Status::Playing, result: None, check_at: None };
    let events = playing.next(4, vec![moved(0, 1, "x")]);
    ledger.append(&Append { game: Some(change), ..Append::of(events) }).await.unwrap();
    let (public, unlisted, playing) = (public.game, unlisted.game, playing.game);

    assert_eq!(list(&ledger, &ALL).await, [playing, public]);
    assert_eq!(list(&ledger, &GameFilter { viewer: Some(ada), ..ALL }).await, [playing, public]);
    assert_eq!(list(&ledger, &GameFilter { kind: Some(Kind::Migraine), ..ALL }).await, [playing, public]);
    assert_eq!(list(&ledger, &GameFilter { status: Some(Status::Playing), ..ALL }).await, [playing]);
    assert_eq!(list(&ledger, &GameFilter { status: Some(Status::Ended), ..ALL }).await, []);
    // Of its own games a player sees all, of another's the public ones.
    let of_ada = GameFilter { player: Some(ada), ..ALL };
    assert_eq!(list(&ledger, &GameFilter { viewer: Some(ada), ..of_ada.clone() }).await, [unlisted, public]);
    for viewer in [Some(bob), None] {
        assert_eq!(list(&ledger, &GameFilter { viewer, ..of_ada.clone() }).await, [public]);
    }
    // Who created an unlisted game does not play it yet.
    assert_eq!(list(&ledger, &GameFilter { player: Some(bob), viewer: Some(bob), ..ALL }).await, []);
    let rows = ledger.games(&ALL).await.unwrap();
    assert_eq!(rows[1].seatings[0].player.name, "Ada");
    assert_eq!(Some(&rows[1]), ledger.game(public).await.unwrap().as_ref());
}

#[tokio::test]
async fn a_page_takes_two_queries_however_long_it_is() {
    count_statements();
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    for i in 0..30 {
        let mut story = create(&ledger, host, i, Visibility::Public).await;
        sit(&ledger, &mut story, host).await;
    }
    for limit in [2, 30] {
        let filter = GameFilter { limit, ..ALL };
        assert_eq!(ledger.games(&filter).await.unwrap().len(), usize::try_from(limit).unwrap());
        assert_eq!(statements(ledger.games(&filter)).await, (2, 0), "a page of {limit}");
    }
}

#[tokio::test]
async fn a_page_is_read_from_an_index() {
    if citus::workers().is_some() {
        // There the plan is the coordinator's, which merges what each shard reads from such an index.
        return;
    }
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    create(&ledger, host, 0, Visibility::Public).await;
    let owner = raw(&database.owner_url).await;
    let many =
        "INSERT INTO games SELECT gen_random_uuid(), kind, options, seats_min, seats_max, visibility, host, status,
        move_seconds, result, rematch, check_at, created_at - n * interval '1 second', updated_at FROM games,
        generate_series(1, 20000) AS n; ANALYZE games";
    sql(&owner, many).await.unwrap();
    sql(&owner, "SET plan_cache_mode = force_generic_plan").await.unwrap();
    let plan = owner
        .query(
            "EXPLAIN SELECT * FROM games WHERE visibility = 'public' AND created_at <= now()
                AND (created_at < now() OR game_id < gen_random_uuid())
                ORDER BY created_at DESC, game_id DESC LIMIT 20",
            &[],
        )
        .await
        .unwrap();
    let plan = plan.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>().join("\n");
    assert!(plan.contains("Index Scan Backward using games_lobby") && !plan.contains("Sort"), "{plan}");
}
