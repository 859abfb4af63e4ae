//! Games: creating them, finding them, calling them off, playing them again.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, delete, get, post, web};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::answers::{Receipt, private, receipt};
use super::extract::{Body, Caller, MaybeCaller, PathGame, Query, by_name, typed};
use super::problem::{Code, Problem};
use super::{Service, write};
use crate::cursor::Cursor;
use crate::dealer::{GamePage, GameSummary, LobbyFilter, NewGame, Rematch, Sitting};
use crate::event::{PlayerRef, SeatLimits};
use crate::game::GameResult;
use crate::games::{Kind, Options};
use crate::ids::{GameId, PlayerId};
use crate::ledger::{GameRow, Seating, Visibility};
use crate::seat::Seat;
use crate::table::{Command, MOVE_SECONDS, Status};
use crate::timestamp::Timestamp;

/// How many games a page has at most.
const MAX_PAGE: u32 = 100;
/// How many games a page has by itself.
const PAGE: u32 = 20;

/// What to play. In the document there is one such body for each kind of game, told apart by `kind`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateGame {
    /// The game.
    #[serde(deserialize_with = "by_name")]
    kind: Kind,
    /// What may be chosen; what is left out has its default.
    #[serde(default = "no_options")]
    #[schema(value_type = Options)]
    options: Value,
    /// The number of places, within the game's limits.
    #[schema(minimum = 1, maximum = 20, example = 2)]
    seats: u8,
    /// Who finds it in the lobby.
    #[serde(default, deserialize_with = "by_name")]
    #[schema(default = "public")]
    visibility: Visibility,
    /// How long a decision may take, in seconds; null: 30 days, and 24 hours for an opening.
    #[serde(default)]
    #[schema(minimum = 10, maximum = 604800, example = json!(null))]
    move_seconds: Option<u32>,
}

fn no_options() -> Value {
    Value::Object(serde_json::Map::new())
}

impl CreateGame {
    fn checked(self) -> Result<NewGame, Problem> {
        let (least, most) = self.kind.seats();
        if !(least..=most).contains(&self.seats) {
            return Err(Problem::new(Code::InvalidOptions, format!("seats must be {least} to {most} for this game")));
        }
        if self.move_seconds.is_some_and(|seconds| !MOVE_SECONDS.contains(&seconds)) {
            return Err(Problem::new(Code::InvalidOptions, "move_seconds must be 10 to 604800, or null"));
        }
        if !self.options.is_object() {
            return Err(Problem::new(Code::InvalidBody, "options must be an object"));
        }
        let options = self.kind.read_options(self.options);
        let options = options.map_err(|error| Problem::new(Code::InvalidOptions, format!("options: {error}")))?;
        if let Err(illegal) = options.fits(usize::from(self.seats)) {
            return Err(Problem::new(Code::InvalidOptions, illegal.to_string()));
        }
        let Self { seats: places, visibility, move_seconds, .. } = self;
        Ok(NewGame { options, places, visibility, move_seconds })
    }
}

/// A game in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Game {
    /// The game's id.
    game: GameId,
    /// What is played.
    kind: Kind,
    /// All options, defaults filled in.
    options: Options,
    /// The fewest who can play, and the places at this table.
    seats: SeatLimits,
    /// Who sits there, ascending by seat.
    players: Vec<SeatedPlayer>,
    /// Who created it.
    host: PlayerId,
    /// Who finds it in the lobby.
    visibility: Visibility,
    /// How long a decision may take, in seconds.
    #[schema(required)]
    move_seconds: Option<u32>,
    /// Where it is on its way.
    status: Status,
    /// How it ended; null before.
    #[schema(required)]
    result: Option<GameResult>,
    /// The game that follows it, once somebody asked for one.
    #[schema(required)]
    rematch: Option<GameId>,
    /// When it was created.
    created_at: Timestamp,
}

/// Who sits on a seat.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeatedPlayer {
    /// The seat.
    seat: Seat,
    /// Who sits there.
    player: PlayerRef,
}

/// A game, and how far it is.
#[derive(Debug, Serialize, ToSchema)]
pub struct GameDetail {
    /// The game's id.
    game: GameId,
    /// What is played.
    kind: Kind,
    /// All options, defaults filled in.
    options: Options,
    /// The fewest who can play, and the places at this table.
    seats: SeatLimits,
    /// Who sits there, ascending by seat, and what they contribute to the draws.
    players: Vec<SeatDetail>,
    /// Who created it.
    host: PlayerId,
    /// Who finds it in the lobby.
    visibility: Visibility,
    /// How long a decision may take, in seconds.
    #[schema(required)]
    move_seconds: Option<u32>,
    /// Where it is on its way.
    status: Status,
    /// The newest event.
    seq: u64,
    /// How it ended; null before.
    #[schema(required)]
    result: Option<GameResult>,
    /// The game that follows it, once somebody asked for one.
    #[schema(required)]
    rematch: Option<GameId>,
    /// When it was created.
    created_at: Timestamp,
}

/// Who sits on a seat, and what it contributes.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeatDetail {
    /// The seat.
    seat: Seat,
    /// Who sits there.
    player: PlayerRef,
    /// Whether it committed to a seed that goes into every draw.
    seed_committed: bool,
    /// Whether it has opened that seed.
    seed_opened: bool,
    /// Whether it signs all it sends with a key of its own.
    has_key: bool,
}

impl From<GameRow> for Game {
    fn from(row: GameRow) -> Self {
        let players = row.seatings.into_iter().map(|Seating { seat, player }| SeatedPlayer { seat, player }).collect();
        Self {
            game: row.game,
            kind: row.kind,
            options: row.options,
            seats: row.seats,
            players,
            host: row.host,
            visibility: row.visibility,
            move_seconds: row.move_seconds,
            status: row.status,
            result: row.result,
            rematch: row.rematch,
            created_at: row.created_at,
        }
    }
}

impl From<GameSummary> for GameDetail {
    fn from(summary: GameSummary) -> Self {
        let GameSummary { row, seq, seated } = summary;
        let seat_detail = |sitting: Sitting| {
            let Sitting { seat, player, seed_committed, seed_opened, has_key } = sitting;
            SeatDetail { seat, player, seed_committed, seed_opened, has_key }
        };
        Self {
            game: row.game,
            kind: row.kind,
            options: row.options,
            seats: row.seats,
            players: seated.into_iter().map(seat_detail).collect(),
            host: row.host,
            visibility: row.visibility,
            move_seconds: row.move_seconds,
            status: row.status,
            seq,
            result: row.result,
            rematch: row.rematch,
            created_at: row.created_at,
        }
    }
}

/// Create a game
///
/// The anchor of its shuffles is published with this, before anybody sits down. The caller is the game's host, and
/// not seated yet. The same `Idempotency-Key` with the same body gives the same game, for 24 hours.
#[utoipa::path(
    tag = "games", operation_id = "createGame", request_body = CreateGame, security(("token" = [])),
    params(("Idempotency-Key" = String, Header, description = "A fresh UUID for each game to be created.",
        pattern = "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$")),
    responses(
        (status = 201, description = "The game's first event.", body = Receipt,
            headers(("Location" = String, description = "Where the game is."))),
        (status = 200, description = "It was created before, with this key.", body = Receipt,
            headers(("Location" = String, description = "Where the game is."))),
    )
)]
#[post("/v1/games")]
pub async fn create(
    service: web::Data<Service>,
    caller: Caller,
    request: HttpRequest,
    Body(body): Body<Value>,
) -> Result<HttpResponse, Problem> {
    let key = idempotency_key(&request)?;
    let new = typed::<CreateGame>(body.clone())?.checked()?;
    let (dealer, host) = (service.dealer.clone(), caller.id());
    let made = write(async move { dealer.create(host, new, key, &body).await }).await?;
    created(&service, host, made).await
}

fn idempotency_key(request: &HttpRequest) -> Result<uuid::Uuid, Problem> {
    let mut keys = request.headers().get_all("idempotency-key");
    let key = keys.next().and_then(|value| uuid::Uuid::try_parse(value.to_str().ok()?).ok());
    key.filter(|_| keys.next().is_none())
        .ok_or(Problem::new(Code::InvalidHeader, "Idempotency-Key must be one UUID, a fresh one for each game"))
}

async fn created(service: &Service, caller: PlayerId, made: Rematch) -> Result<HttpResponse, Problem> {
    let view = service.dealer.view(made.game, Some(caller)).await?;
    let mut response = if made.repeated { HttpResponse::Ok() } else { HttpResponse::Created() };
    private(&mut response);
    response.insert_header((header::LOCATION, format!("/v1/games/{}", made.game)));
    Ok(response.json(Receipt { events: vec![made.created], view, nonce: None }))
}

/// Which games to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct GamesQuery {
    /// Games of this kind.
    kind: Option<Kind>,
    /// Games with this status.
    status: Option<Status>,
    /// Games in which this player sits; the caller's own may be unlisted ones.
    player: Option<PlayerId>,
    /// Where to go on: `next` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
    /// How many games.
    #[param(minimum = 1, maximum = 100, default = 20)]
    limit: Option<u32>,
}

/// A page of games.
#[derive(Debug, Serialize, ToSchema)]
pub struct Games {
    /// The games, the newest first.
    games: Vec<Game>,
    /// The cursor of the next page; null on the last.
    #[schema(required)]
    next: Option<String>,
}

/// List games
///
/// The lobby: the newest first. Unlisted games stand in no list but their own players'.
#[utoipa::path(
    tag = "games", operation_id = "listGames", params(GamesQuery), security((), ("token" = [])),
    responses((status = 200, description = "A page of games.", body = Games))
)]
#[get("/v1/games")]
pub async fn list(
    service: web::Data<Service>,
    caller: MaybeCaller,
    Query(query): Query<GamesQuery>,
) -> Result<HttpResponse, Problem> {
    let GamesQuery { kind, status, player, cursor, limit } = query;
    let limit = limit.unwrap_or(PAGE);
    if !(1..=MAX_PAGE).contains(&limit) {
        return Err(Problem::new(Code::InvalidParameter, "limit must be 1 to 100"));
    }
    let from = cursor.map(|cursor| (cursor.created_at, cursor.game));
    let filter = LobbyFilter { kind, status, player };
    let GamePage { games, next } = service.dealer.games(filter, caller.id(), from, limit).await?;
    let next = next.map(|(created_at, game)| Cursor { created_at, game }.to_string());
    let mut response = HttpResponse::Ok();
    private(&mut response);
    Ok(response.json(Games { games: games.into_iter().map(Game::from).collect(), next }))
}

/// Look at a game
///
/// What is played, who sits there, who contributes a seed, and how far it is.
#[utoipa::path(
    tag = "games", operation_id = "getGame", params(("id" = GameId, Path, description = "The game.")),
    security((), ("token" = [])),
    responses((status = 200, description = "The game.", body = GameDetail))
)]
#[get("/v1/games/{id}")]
pub async fn detail(
    service: web::Data<Service>,
    _caller: MaybeCaller,
    PathGame(game): PathGame,
) -> Result<HttpResponse, Problem> {
    let summary = service.dealer.summary(game).await?;
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-cache")).json(GameDetail::from(summary)))
}

/// Call a game off
///
/// By its host, before it closed. The game is void then.
#[utoipa::path(
    tag = "games", operation_id = "cancelGame", params(("id" = GameId, Path, description = "The game.")),
    security(("token" = [])),
    responses(
        (status = 201, description = "It is called off.", body = Receipt),
        (status = 200, description = "It was called off before.", body = Receipt),
    )
)]
#[delete("/v1/games/{id}")]
pub async fn cancel(
    service: web::Data<Service>,
    caller: Caller,
    PathGame(game): PathGame,
) -> Result<HttpResponse, Problem> {
    let player = caller.id();
    service.act(game, player, Command::Cancel { player: Some(player) }).await.map(receipt)
}

/// Play it again
///
/// One next game for whoever of the players asks, however often: same kind, options, places, visibility and
/// `move_seconds`. Its host is who asked first, and nobody is seated.
#[utoipa::path(
    tag = "games", operation_id = "rematch", params(("id" = GameId, Path, description = "The game that is over.")),
    security(("token" = [])),
    responses(
        (status = 201, description = "The next game's first event.", body = Receipt,
            headers(("Location" = String, description = "Where the next game is."))),
        (status = 200, description = "Somebody had asked before.", body = Receipt,
            headers(("Location" = String, description = "Where the next game is."))),
    )
)]
#[post("/v1/games/{id}/rematch")]
pub async fn rematch(
    service: web::Data<Service>,
    caller: Caller,
    PathGame(game): PathGame,
) -> Result<HttpResponse, Problem> {
    let (dealer, player) = (service.dealer.clone(), caller.id());
    let made = write(async move { dealer.rematch(game, player).await }).await?;
    created(&service, player, made).await
}
