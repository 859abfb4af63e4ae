//! Two guests play one whole game of each kind against each other.
//!
//! All this program knows of the service is its OpenAPI document, of which progenitor makes the module `croupier` while
//! this compiles. (It reads OpenAPI 3.0, hence the older copy.)

use std::error::Error;

use rand::Rng;
use rand::seq::IndexedRandom;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde_json::{Value, json};

mod croupier {
    progenitor::generate_api!("../../openapi/openapi-3.0.json");
}

use croupier::types::{FatetstRpgState, GameId, Kind, MakeMove, Move, SitDown, State, Status, View};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Moves that bring a game to its end, the best first; any other will do where there is none of these.
const BEST: [&str; 5] = ["play_payoff", "play_side", "play_hand", "attack", "place"];

/// The level at which the hero goes north.
const LEVEL: i64 = 6;

/// Options that make a game short; all others have their defaults.
fn shorter(kind: Kind) -> Value {
    match kind {
        Kind::Migraine => json!({ "target": 3 }),
        Kind::SpiteAndMalice => json!({ "payoff": 5, "target": 1 }),
        _ => json!({}),
    }
}

/// Somebody who plays, with a token of its own.
struct Player(croupier::Client);

impl Player {
    async fn sign_up(url: &str, name: String) -> Outcome<Self> {
        let new = serde_json::from_value(json!({ "name": name }))?;
        let token = croupier::Client::new(url).create_player(&new).await?.into_inner().token;
        let headers = HeaderMap::from_iter([(AUTHORIZATION, format!("Bearer {token}").parse()?)]);
        let client = reqwest::Client::builder().default_headers(headers).build()?;
        Ok(Self(croupier::Client::new_with_client(url, client)))
    }

    /// Opens a table and tells the game's id.
    async fn create(&self, kind: Kind, seats: usize) -> Outcome<GameId> {
        let new = serde_json::from_value(json!({ "kind": kind, "seats": seats, "options": shorter(kind) }))?;
        let key = uuid::Uuid::new_v4().to_string().parse()?;
        Ok(self.0.create_game(&key, &new).await?.into_inner().view.game)
    }

    async fn sit_down(&self, game: &GameId) -> Outcome<View> {
        Ok(self.0.sit_down(game, Some(&SitDown::default())).await?.into_inner().view)
    }

    /// Makes a move, a decision where one is at hand; tells how the game is then.
    async fn make_move(&self, game: &GameId) -> Outcome<View> {
        let view = self.0.get_view(game, None, None).await?.into_inner();
        let move_ = match &view.state {
            Some(State::FatetstRpgState(state)) => adventure(state)?,
            _ => choose(&view.legal)?.clone(),
        };
        let body = MakeMove { step: view.step, move_, after: None, by: None };
        Ok(self.0.make_move(game, &body).await?.into_inner().view)
    }
}

/// Any of the best moves. Shuffling one's hand is no decision.
fn choose(legal: &[Move]) -> Outcome<&Move> {
    let type_of = |mv: &Move| serde_json::to_value(mv).map(|mv| mv["type"].clone()).unwrap_or_default();
    let decisions: Vec<&Move> = legal.iter().filter(|mv| type_of(mv) != "shuffle_hand").collect();
    let of_type = |name: &&str| decisions.iter().copied().filter(|mv| type_of(mv) == **name).collect::<Vec<_>>();
    let moves = BEST.iter().map(of_type).find(|moves| !moves.is_empty()).unwrap_or(decisions.clone());
    moves.choose(&mut rand::rng()).copied().ok_or("there is nothing to decide".into())
}

/// Fights near the first town until the level is reached, then goes north to look for the tree in the last row.
fn adventure(state: &FatetstRpgState) -> Outcome<Move> {
    let (hero, x, y) = (&state.hero, state.hero.place.x, state.hero.place.y);
    let item = if hero.armour <= hero.weapons { "armour" } else { "weapon" };
    let move_ = match &state.town {
        _ if state.enemy.is_some() => json!({ "type": "strike" }),
        Some(_) if hero.hp < hero.max_hp => json!({ "type": "rest" }),
        Some(town) if hero.gold >= town.rest + if item == "armour" { town.armour } else { town.weapon } => {
            json!({ "type": "buy", "item": item })
        }
        _ if hero.level < LEVEL => {
            let hurt = 2 * hero.hp <= hero.max_hp;
            let direction = if y == 0 || y == 1 && !hurt { "n" } else { "s" };
            json!({ "type": "walk", "direction": direction, "tiles": 1 })
        }
        _ if y < state.height - 1 => json!({ "type": "walk", "direction": "n", "tiles": 25 }),
        _ => {
            let west = x == state.width - 1 || x > 0 && rand::random();
            json!({ "type": "walk", "direction": if west { "w" } else { "e" }, "tiles": 25 })
        }
    };
    Ok(serde_json::from_value(move_)?)
}

/// Plays a game of this kind to its end.
async fn play(kind: Kind, players: &[Player]) -> Outcome<()> {
    let host = &players[0];
    let game = host.create(kind, players.len()).await?;
    let mut view = host.sit_down(&game).await?;
    for player in &players[1..] {
        view = player.sit_down(&game).await?;
    }
    let mut moves = 0;
    while view.status == Status::Playing {
        // Where nobody has to decide, whoever sits there may go on.
        let next = view.to_act.first().map_or(0, |seat| i32::from(seat.clone()));
        view = players[usize::try_from(next)?].make_move(&game).await?;
        moves += 1;
    }
    let result = view.result.filter(|_| view.status == Status::Ended).ok_or("the game has no result")?;
    let events = host.0.get_bundle(&game).await?.into_inner().events.len();
    let won = match result.winners.as_slice() {
        [] => "nobody wins".to_owned(),
        winners => format!("seats {} win", json!(winners)),
    };
    println!("{kind}: {moves} moves, {events} events; {won}: {}", result.reason);
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let url = std::env::var("CROUPIER").unwrap_or("http://127.0.0.1:8080".to_owned());
    let number: u32 = rand::rng().random();
    let mut players = Vec::new();
    for name in ["Ana", "Ben"] {
        players.push(Player::sign_up(&url, format!("{name} {number}")).await?);
    }
    for rules in players[0].0.list_rules().await?.into_inner().rules {
        let seats = players.len().min(usize::try_from(u32::from(rules.seats.max))?);
        play(rules.kind, &players[..seats]).await?;
    }
    Ok(())
}
