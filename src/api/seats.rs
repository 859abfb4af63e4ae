//! Sitting down, getting up, starting, and opening seeds.

use actix_web::{HttpResponse, delete, post, put, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::Service;
use super::answers::{Receipt, receipt};
use super::extract::{Body, Caller, OptionalBody, PathGame, Query, whole};
use super::problem::Problem;
use crate::event::PlayerRef;
use crate::hex32::{Hash, PlayerSeed};
use crate::ids::GameId;
use crate::keys::{PublicKey, Signature};
use crate::seat::Seat;
use crate::table::Command;

/// How to sit down.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SitDown {
    /// Where; the first free seat if left out. A commitment or a key needs it.
    #[serde(default)]
    seat: Option<Seat>,
    /// The commitment to a seed of 32 bytes, fresh from the operating system, that goes into every draw.
    #[serde(default)]
    #[schema(example = json!(null))]
    seed_commitment: Option<Hash>,
    /// A key of the player's own: all that this seat sends is to be signed with it then, this included.
    #[serde(default)]
    #[schema(example = json!(null))]
    key: Option<PublicKey>,
    /// The newest event that the caller knows; needed with a key.
    #[serde(default)]
    #[schema(example = 0)]
    after: Option<u64>,
    /// The caller's signature over this command; needed with a key.
    #[serde(default)]
    #[schema(example = json!(null))]
    by: Option<Signature>,
}

/// Sit down
///
/// One seat a player. Who takes the last free place closes the table: `closed` is in the answer then, and `started`
/// too if nobody committed to a seed.
#[utoipa::path(
    tag = "seats", operation_id = "sitDown", params(("id" = GameId, Path, description = "The game.")),
    request_body = Option<SitDown>, security(("token" = [])),
    responses(
        (status = 201, description = "The caller sits.", body = Receipt),
        (status = 200, description = "The caller sat there already.", body = Receipt),
    )
)]
#[post("/v1/games/{id}/seats")]
pub async fn sit_down(
    service: web::Data<Service>,
    caller: Caller,
    PathGame(game): PathGame,
    OptionalBody(body): OptionalBody<SitDown>,
) -> Result<HttpResponse, Problem> {
    let SitDown { seat, seed_commitment, key, after, by } = body.unwrap_or_default();
    let player = PlayerRef { id: caller.id(), name: caller.0.name.clone() };
    let id = player.id;
    service.act(game, id, Command::Sit { player, seat, seed_commitment, key, after, by }).await.map(receipt)
}

/// What a seat with a key adds where there is no body.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Signed {
    /// The newest event that the caller knows; needed with a key.
    #[serde(default, deserialize_with = "whole")]
    after: Option<u64>,
    /// The caller's signature over this command; needed with a key.
    by: Option<Signature>,
}

/// Get up
///
/// Before the table closed; the seat is free again.
#[utoipa::path(
    tag = "seats", operation_id = "getUp", params(("id" = GameId, Path, description = "The game."), Signed),
    security(("token" = [])),
    responses(
        (status = 201, description = "The seat is free.", body = Receipt),
        (status = 200, description = "The caller had got up before.", body = Receipt),
    )
)]
#[delete("/v1/games/{id}/seats/me")]
pub async fn get_up(
    service: web::Data<Service>,
    caller: Caller,
    PathGame(game): PathGame,
    Query(Signed { after, by }): Query<Signed>,
) -> Result<HttpResponse, Problem> {
    let player = caller.id();
    service.act(game, player, Command::GetUp { player, after, by }).await.map(receipt)
}

/// Start the game
///
/// The host closes the table before every place is taken; a full table closes by itself. The places must be taken from 0
/// on without a gap then: whoever sits beyond one gets up and sits down anew.
#[utoipa::path(
    tag = "seats", operation_id = "startGame", params(("id" = GameId, Path, description = "The game.")),
    security(("token" = [])),
    responses(
        (status = 201, description = "The table is closed.", body = Receipt),
        (status = 200, description = "It was closed before.", body = Receipt),
    )
)]
#[post("/v1/games/{id}/start")]
pub async fn start(
    service: web::Data<Service>,
    caller: Caller,
    PathGame(game): PathGame,
) -> Result<HttpResponse, Problem> {
    let player = caller.id();
    service.act(game, player, Command::Start { player }).await.map(receipt)
}

/// The seed that the caller committed to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenSeed {
    /// The seed.
    seed: PlayerSeed,
    /// The caller's signature over this command; needed with a key.
    #[serde(default)]
    #[schema(example = json!(null))]
    by: Option<Signature>,
}

/// Open my seed
///
/// After the table closed. The last seed starts the game. Before sending it a client checks that the log is whole,
/// that the anchor never changed, that its own commitment is in it, and that `closed` is.
#[utoipa::path(
    tag = "seats", operation_id = "openSeed", params(("id" = GameId, Path, description = "The game.")),
    request_body = OpenSeed, security(("token" = [])),
    responses(
        (status = 201, description = "The seed is open.", body = Receipt),
        (status = 200, description = "It was open before.", body = Receipt),
    )
)]
#[put("/v1/games/{id}/seed")]
pub async fn open_seed(
    service: web::Data<Service>,
    caller: Caller,
    PathGame(game): PathGame,
    Body(OpenSeed { seed, by }): Body<OpenSeed>,
) -> Result<HttpResponse, Problem> {
    let player = caller.id();
    service.act(game, player, Command::OpenSeed { player, seed, by }).await.map(receipt)
}
