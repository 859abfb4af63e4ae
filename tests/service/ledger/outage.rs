//! A database that goes away and comes back.

use std::time::{Duration, Instant};

use croupier::ledger::{Append, LedgerError};
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::citus;
use crate::story::{Story, moved, stored_player};
use crate::support::{TestDatabase, connect, raw, sql};

#[tokio::test]
async fn after_its_sessions_were_ended_it_goes_on() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let mut story = Story::stored(&ledger, host).await;
    for round in 1..=5 {
        database.end_sessions().await;
        let append = Append::of(story.next(round, vec![moved(0, round, "x")]));
        // A connection may look alive until it is used. Then nobody knows: the log does.
        match ledger.append(&append).await {
            Ok(()) => {}
            Err(LedgerError::Unknown(_) | LedgerError::Unavailable(_)) => {
                // The connection that reads may be one of those ended, too; but only once.
                let newest = match ledger.newest_seq(story.game).await {
                    Err(error) if error.is_transient() => ledger.newest_seq(story.game).await,
                    result => result,
                };
                assert_eq!(newest.unwrap(), Some(u64::from(round) - 1));
                ledger.append(&append).await.unwrap();
            }
            Err(error) => panic!("{error:?}"),
        }
        story.goes_on(round, vec![moved(0, round, "x")]);
    }
    assert_eq!(ledger.newest_seq(story.game).await.unwrap(), Some(5));
}

#[tokio::test]
async fn while_it_takes_nobody_it_is_unavailable_at_once() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let outside = database.outside().await;
    let host = stored_player(&ledger, "Ada").await;
    let story = Story::stored(&ledger, host).await;
    sql(&outside, &format!("ALTER DATABASE {} ALLOW_CONNECTIONS false", database.name())).await.unwrap();
    database.end_sessions().await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let append = Append::of(story.next(1, vec![moved(0, 1, "x")]));
    for _ in 0..10 {
        let begin = Instant::now();
        let error = ledger.append(&append).await.unwrap_err();
        assert!(matches!(error, LedgerError::Unavailable(_)) && error.is_transient(), "{error:?}");
        assert!(!error.to_string().contains(database.name()), "what players may see: {error}");
        assert!(begin.elapsed() < Duration::from_secs(2));
    }
    assert!(ledger.ping().await.is_err());
    let error = connect(&database.url, &[1]).await.map(drop).unwrap_err();
    assert!(error.is_transient(), "{error:?}");

    sql(&outside, &format!("ALTER DATABASE {} ALLOW_CONNECTIONS true", database.name())).await.unwrap();
    ledger.append(&append).await.unwrap();
    ledger.ping().await.unwrap();
}

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

async fn server(config: &Config) -> Box<dyn Stream> {
    let port = config.get_ports()[0];
    match &config.get_hosts()[0] {
        Host::Unix(folder) => {
            let socket = folder.join(format!(".s.PGSQL.{port}"));
            Box::new(UnixStream::connect(socket).await.unwrap())
        }
        Host::Tcp(host) => Box::new(TcpStream::connect((host.as_str(), port)).await.unwrap()),
    }
}

/// The database behind a door that can be closed without a word: no connection is refused, and none gets an answer.
async fn behind_a_door(url: &str) -> (String, watch::Sender<bool>) {
    let config = url.parse::<Config>().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let there = format!("postgres://{}@127.0.0.1:{port}/{}", config.get_user().unwrap(), config.get_dbname().unwrap());
    let (door, open) = watch::channel(true);
    tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let (config, mut open) = (config.clone(), open.clone());
            tokio::spawn(async move {
                let mut server = server(&config).await;
                while open.wait_for(|open| *open).await.is_ok() {
                    tokio::select! {
                        _ = copy_bidirectional(&mut client, &mut server) => return,
                        _ = open.wait_for(|open| !*open) => {}
                    }
                }
            });
        }
    });
    (there, door)
}

#[tokio::test]
async fn while_it_does_not_answer_nobody_waits_long() {
    let database = TestDatabase::new();
    let (url, door) = behind_a_door(&database.url).await;
    let ledger = connect(&url, &[1]).await.unwrap();
    let host = stored_player(&ledger, "Ada").await;
    let story = Story::stored(&ledger, host).await;
    door.send(false).unwrap();
    let append = Append::of(story.next(1, vec![moved(0, 1, "x")]));
    let begin = Instant::now();
    // Over the connection that there was: it was sent, so nobody knows.
    let error = ledger.append(&append).await.unwrap_err();
    assert!(matches!(error, LedgerError::Unknown(_)), "{error:?}");
    assert!(begin.elapsed() < Duration::from_secs(6), "{:?}", begin.elapsed());
    // That connection is not used again, and no new one is to be had.
    let begin = Instant::now();
    let error = ledger.append(&append).await.unwrap_err();
    assert!(matches!(error, LedgerError::Unavailable(_)), "{error:?}");
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());

    door.send(true).unwrap();
    ledger.ping().await.unwrap();
    match ledger.append(&append).await {
        Ok(()) | Err(LedgerError::Conflict) => {}
        Err(error) => panic!("{error:?}"),
    }
    assert_eq!(ledger.event_range(story.game, 1, 9).await.unwrap(), append.events);
}

#[tokio::test]
async fn a_write_whose_caller_hangs_up_is_done_whole() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let owner = raw(&database.owner_url).await;
    let host = stored_player(&ledger, "Ada").await;
    let mut story = Story::stored(&ledger, host).await;
    // Somebody holds the row of the game, so a change of it waits.
    sql(&owner, "BEGIN; UPDATE games SET started_logged = false").await.unwrap();
    let change =
        croupier::ledger::GameChange { status: croupier::table::Status::Playing, result: None, check_at: None };
    let append = Append { game: Some(change), ..Append::of(story.goes_on(1, vec![moved(0, 1, "dropped")])) };
    let dropped = tokio::time::timeout(Duration::from_millis(300), ledger.append(&append)).await;
    assert!(dropped.is_err());
    sql(&owner, "ROLLBACK").await.unwrap();
    while ledger.newest_seq(story.game).await.unwrap() == Some(0) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(ledger.events(story.game, Some(0), None).await.unwrap(), append.events);
    let game = ledger.game(story.game).await.unwrap().unwrap();
    assert_eq!(game.status, croupier::table::Status::Playing);
}

#[tokio::test]
async fn a_statement_that_takes_too_long_is_given_up_by_the_server() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let owner = raw(&database.owner_url).await;
    let host = stored_player(&ledger, "Ada").await;
    let story = Story::stored(&ledger, host).await;
    let append = Append::of(story.next(1, vec![moved(0, 1, "x")]));
    // Somebody holds the place in the log, and neither takes it nor leaves it.
    let hold =
        "BEGIN; INSERT INTO events SELECT game_id, 1, prev, at, actor, type, data, hash, key, signature FROM events";
    sql(&owner, hold).await.unwrap();
    let begin = Instant::now();
    let error = ledger.append(&append).await.unwrap_err();
    assert!(matches!(&error, LedgerError::Unknown(why) if why.contains("statement timeout")), "{error:?}");
    assert!(begin.elapsed() < Duration::from_secs(5));
    sql(&owner, "ROLLBACK").await.unwrap();
    match ledger.append(&append).await {
        Ok(()) => {}
        // A node that was told too late has written it. That is what `Unknown` says.
        Err(LedgerError::Conflict) if citus::workers().is_some() => {}
        Err(error) => panic!("{error:?}"),
    }
}
