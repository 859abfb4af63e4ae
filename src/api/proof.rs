//! What auditors ask for: a game in one file, and reports.

use std::time::Duration;

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, get, post, web};

use super::Service;
use super::extract::{PathGame, read_body};
use super::problem::{Code, Problem};
use crate::audit::{MAX_BUNDLE_BYTES, Report};
use crate::dealer::GameFile;
use crate::ids::GameId;

/// How long a bundle may take to arrive.
const BUNDLE_TIME: Duration = Duration::from_secs(60);

/// Get a game in one file
///
/// All that an auditor needs: give it to `croupier-audit`, or to a verifier of your own.
#[utoipa::path(
    tag = "proof", operation_id = "getBundle", params(("id" = GameId, Path, description = "The game.")),
    security(()),
    responses((status = 200, description = "The file.", body = GameFile))
)]
#[get("/v1/games/{id}/bundle")]
pub async fn get_bundle(service: web::Data<Service>, PathGame(game): PathGame) -> Result<HttpResponse, Problem> {
    let bundle = service.dealer.bundle(game).await?;
    let name = format!("attachment; filename=\"croupier-{game}.json\"");
    let mut response = HttpResponse::Ok();
    response.insert_header((header::CACHE_CONTROL, "no-cache"));
    response.insert_header((header::CONTENT_DISPOSITION, name));
    Ok(response.json(bundle))
}

/// Have a game of this service audited
///
/// The report of the auditor, made here with the keys that this service has published. It is this service's word: to
/// trust nobody, audit the bundle yourself. A moment after its end a game's entries are not in the log of logs yet, and
/// the verdict is `not_yet`: ask again after a second.
#[utoipa::path(
    tag = "proof", operation_id = "getAudit", params(("id" = GameId, Path, description = "The game.")),
    security(()),
    responses((status = 200, description = "The report.", body = Report))
)]
#[get("/v1/games/{id}/audit")]
pub async fn audit_game(service: web::Data<Service>, PathGame(game): PathGame) -> Result<HttpResponse, Problem> {
    let report = service.dealer.audit(game).await?;
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-cache")).json(report))
}

/// Have a file audited
///
/// A bundle of up to 32 MiB, of this service or of another. The keys are those of the file, so the report says that
/// they prove nothing about their owner.
#[utoipa::path(
    tag = "proof", operation_id = "auditBundle", request_body = GameFile, security(()),
    responses((status = 200, description = "The report.", body = Report))
)]
#[post("/v1/audits")]
pub async fn audit_file(
    service: web::Data<Service>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let body = read_body(&request, payload, MAX_BUNDLE_BYTES, BUNDLE_TIME).await?;
    let body = body.ok_or(Problem::new(Code::InvalidBody, "this operation takes a bundle"))?;
    let report = service.dealer.audit_file(body).await?;
    let report = report.map_err(|error| Problem::new(Code::InvalidBody, error.to_string()))?;
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-store")).json(report))
}
