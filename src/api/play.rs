//! Playing: the view, moves, sealed moves, giving up, time-outs, the log.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, get, post, web};
use serde::Deserialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::Service;
use super::answers::{Receipt, private, receipt};
use super::extract::{Body, Caller, MaybeCaller, OptionalBody, PathGame, Query, whole};
use super::problem::Problem;
use crate::games::Move;
use crate::hex32::{Hash, Nonce};
use crate::ids::GameId;
use crate::keys::Signature;
use crate::table::{Command, Refusal, View};

/// When and how to look.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ViewQuery {
    /// For an ended game: look at it as it was after this event.
    #[serde(default, deserialize_with = "whole")]
    at: Option<u64>,
    /// For an ended game: with every card open.
    open: Option<bool>,
}

/// Look at the table
///
/// What the caller may know and may do now: with a token the seat's view, without one the public's. `legal` lists
/// every move that the caller may make. The ETag is the number of the newest event.
#[utoipa::path(
    tag = "play", operation_id = "getView", params(("id" = GameId, Path, description = "The game."), ViewQuery),
    security((), ("token" = [])),
    responses(
        (status = 200, description = "The table.", body = View,
            headers(("ETag" = String, description = "The number of the newest event."))),
        (status = 304, description = "Nothing has happened since the event in If-None-Match."),
    )
)]
#[get("/v1/games/{id}/view")]
pub async fn view(
    service: web::Data<Service>,
    caller: MaybeCaller,
    request: HttpRequest,
    PathGame(game): PathGame,
    Query(ViewQuery { at, open }): Query<ViewQuery>,
) -> Result<HttpResponse, Problem> {
    let open = open.unwrap_or(false);
    let view = if at.is_some() || open {
        service.dealer.view_at(game, caller.id(), at, open).await?
    } else {
        service.dealer.view(game, caller.id()).await?
    };
    let tag = format!("\"{}\"", view.seq);
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let known = known.is_some_and(|known| known.split(',').map(str::trim).any(|one| is_tag(one, &tag)));
    let mut response = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    private(&mut response);
    response.insert_header((header::ETAG, tag));
    Ok(if known { response.finish() } else { response.json(view) })
}

/// Whether one part of an If-None-Match names this tag (RFC 9110, 13.1.2).
fn is_tag(one: &str, tag: &str) -> bool {
    one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag
}

/// A move.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MakeMove {
    /// The decision, as the view names it; null for a move that is no decision.
    #[serde(default)]
    #[schema(minimum = 1, example = 1)]
    step: Option<u32>,
    /// For a move that is no decision: the newest event that the caller knows. By it a repeat is known for one; it is no
    /// condition.
    #[serde(default)]
    #[schema(example = json!(null))]
    after: Option<u64>,
    /// The move.
    #[serde(rename = "move")]
    #[schema(value_type = Move)]
    mv: Value,
    /// The caller's signature over this command; needed with a key.
    #[serde(default)]
    #[schema(example = json!(null))]
    by: Option<Signature>,
}

/// Make a move
///
/// An open move; or, where several seats decide at the same time, one that the server seals until all are bound: the
/// answer's `nonce` opens the commitment then.
#[utoipa::path(
    tag = "play", operation_id = "makeMove", params(("id" = GameId, Path, description = "The game.")),
    request_body = MakeMove, security(("token" = [])),
    responses(
        (status = 201, description = "The move is made, or sealed.", body = Receipt),
        (status = 200, description = "It was made before.", body = Receipt),
    )
)]
#[post("/v1/games/{id}/moves")]
pub async fn make_move(
    service: web::Data<Service>,
    caller: Caller,
    PathGame(game): PathGame,
    Body(MakeMove { step, after, mv, by }): Body<MakeMove>,
) -> Result<HttpResponse, Problem> {
    let player = caller.id();
    let mv = read_move(mv)?;
    service.act(game, player, Command::Move { player, step, after, mv, by }).await.map(receipt)
}

/// A move's form is refused by the rules (RU-2), not by the API.
fn read_move(value: Value) -> Result<Move, Problem> {
    Move::read(value).map_err(|error| Refusal::MoveForm(error.to_string()).into())
}

/// The commitment to a move.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    /// The decision, as the view names it.
    #[schema(minimum = 1, example = 2)]
    step: u32,
    /// The commitment: see the protocol.
    commitment: Hash,
    /// The caller's signature over this command; needed with a key.
    #[serde(default)]
    #[schema(example = json!(null))]
    by: Option<Signature>,
}

/// Commit to a move
///
/// Where several seats decide at the same time: the client seals its move itself, and opens it once all are bound.
#[utoipa::path(
    tag = "play", operation_id = "commit", params(("id" = GameId, Path, description = "The game.")),
    request_body = Commit, security(("token" = [])),
    responses(
        (status = 201, description = "The caller is bound.", body = Receipt),
        (status = 200, description = "The caller was bound to this before.", body = Receipt),
    )
)]
#[post("/v1/games/{id}/commitments")]
pub async fn commit(
    service: web::Data<Service>,
    caller: Caller,
    PathGame(game): PathGame,
    Body(Commit { step, commitment, by }): Body<Commit>,
) -> Result<HttpResponse, Problem> {
    let player = caller.id();
    service.act(game, player, Command::Commit { player, step, commitment, by }).await.map(receipt)
}

/// What opens a commitment.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenMove {
    /// The decision.
    #[schema(minimum = 1, example = 2)]
    step: u32,
    /// The move that the caller is bound to.
    #[serde(rename = "move")]
    #[schema(value_type = Move)]
    mv: Value,
    /// What blinded the commitment.
    nonce: Nonce,
    /// The caller's signature over this command; needed with a key.
    #[serde(default)]
    #[schema(example = json!(null))]
    by: Option<Signature>,
}

/// Open a sealed move
///
/// Once every seat is bound. A move that opens the commitment but breaks the rules can't be taken back: it goes into
/// the log, and the seat forfeits the game.
#[utoipa::path(
    tag = "play", operation_id = "openMove", params(("id" = GameId, Path, description = "The game.")),
    request_body = OpenMove, security(("token" = [])),
    responses(
        (status = 201, description = "The move is open.", body = Receipt),
        (status = 200, description = "It was open before.", body = Receipt),
    )
)]
#[post("/v1/games/{id}/openings")]
pub async fn open_move(
    service: web::Data<Service>,
    caller: Caller,
    PathGame(game): PathGame,
    Body(OpenMove { step, mv, nonce, by }): Body<OpenMove>,
) -> Result<HttpResponse, Problem> {
    let player = caller.id();
    let mv = read_move(mv)?;
    service.act(game, player, Command::Open { player, step, mv, nonce, by }).await.map(receipt)
}

/// How to give up.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Resign {
    /// The newest event that the caller knows; needed with a key.
    #[serde(default)]
    #[schema(example = json!(null))]
    after: Option<u64>,
    /// The caller's signature over this command; needed with a key.
    #[serde(default)]
    #[schema(example = json!(null))]
    by: Option<Signature>,
}

/// Give up
///
/// At any time while the game is on, also out of turn.
#[utoipa::path(
    tag = "play", operation_id = "resign", params(("id" = GameId, Path, description = "The game.")),
    request_body = Option<Resign>, security(("token" = [])),
    responses(
        (status = 201, description = "The caller has given up.", body = Receipt),
        (status = 200, description = "The caller had given up before.", body = Receipt),
    )
)]
#[post("/v1/games/{id}/resignation")]
pub async fn resign(
    service: web::Data<Service>,
    caller: Caller,
    PathGame(game): PathGame,
    OptionalBody(body): OptionalBody<Resign>,
) -> Result<HttpResponse, Problem> {
    let player = caller.id();
    let Resign { after, by } = body.unwrap_or_default();
    service.act(game, player, Command::Resign { player, after, by }).await.map(receipt)
}

/// Call a time-out
///
/// Any seat may have it logged that others are late; the server does so by itself too.
#[utoipa::path(
    tag = "play", operation_id = "callTimeout", params(("id" = GameId, Path, description = "The game.")),
    security(("token" = [])),
    responses(
        (status = 201, description = "The time-out is logged.", body = Receipt),
        (status = 200, description = "It was logged before.", body = Receipt),
    )
)]
#[post("/v1/games/{id}/timeout")]
pub async fn call_timeout(
    service: web::Data<Service>,
    caller: Caller,
    PathGame(game): PathGame,
) -> Result<HttpResponse, Problem> {
    let player = caller.id();
    service.act(game, player, Command::CallTimeout { player: Some(player) }).await.map(receipt)
}
