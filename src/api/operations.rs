//! What operators and tools ask for: health, keys, the document, a page to try it in.

use actix_web::http::header;
use actix_web::{HttpResponse, get, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::Service;
use super::problem::{Code, Problem};
use crate::keys::Jwk;

/// The published keys (RFC 7517).
#[derive(Debug, Serialize, ToSchema)]
pub struct JwkSet<'a> {
    /// The keys: a published one is never removed.
    keys: &'a [Jwk],
}

/// How the service is.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// `ok`.
    #[schema(pattern = "^ok$", example = "ok")]
    status: &'static str,
}

/// Get the public keys
///
/// Keys that sign events, tokens and checkpoints, each with its use and period. Keep a copy of your own: keys that
/// come together with what they are to prove, prove nothing.
#[utoipa::path(
    tag = "proof", operation_id = "getKeys", security(()),
    responses((status = 200, description = "The keys.", body = JwkSet))
)]
#[get("/.well-known/jwks.json")]
pub async fn jwks(service: web::Data<Service>) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "public, max-age=300"))
        .json(JwkSet { keys: &service.jwks })
}

/// Is the process alive
///
/// Asks nobody else, the database included.
#[utoipa::path(
    tag = "operations", operation_id = "livez", security(()),
    responses((status = 200, description = "It is.", body = Health))
)]
#[get("/livez")]
pub async fn livez() -> HttpResponse {
    HttpResponse::Ok().json(Health { status: "ok" })
}

/// Can the service serve
///
/// It can while its database answers.
#[utoipa::path(
    tag = "operations", operation_id = "readyz", security(()),
    responses((status = 200, description = "It can.", body = Health))
)]
#[get("/readyz")]
pub async fn readyz(service: web::Data<Service>) -> Result<HttpResponse, Problem> {
    match service.dealer.ledger().ping().await {
        Ok(()) => Ok(HttpResponse::Ok().json(Health { status: "ok" })),
        Err(error) => {
            tracing::warn!(%error, "the database does not answer");
            Err(Problem::of(Code::Unavailable))
        }
    }
}

/// Get measurements
///
/// What this instance counts, for Prometheus (as OpenMetrics): requests, appends, the cache, streams, connections, the
/// log of logs. It names no player and no game.
#[utoipa::path(
    tag = "operations", operation_id = "getMetrics", security(()),
    responses((status = 200, description = "The measurements.", body = String,
        content_type = "application/openmetrics-text"))
)]
#[get("/metrics")]
pub async fn metrics(service: web::Data<Service>) -> Result<HttpResponse, Problem> {
    let standing = service.dealer.standing().await?;
    let text = service.dealer.ledger().metrics().text(&standing);
    Ok(HttpResponse::Ok().content_type("application/openmetrics-text; version=1.0.0; charset=utf-8").body(text))
}

/// Get this document
///
/// The OpenAPI document of everything that is served.
#[utoipa::path(
    tag = "operations", operation_id = "getDocument", security(()),
    responses((status = 200, description = "The OpenAPI document.", body = Object, content_type = "application/json"))
)]
#[get("/openapi.json")]
pub async fn document(service: web::Data<Service>) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(service.document.text().to_owned())
}

/// Try it in a browser
///
/// A page that shows this document and sends requests for you.
#[utoipa::path(
    tag = "operations", operation_id = "getDocs", security(()),
    responses((status = 200, description = "A page that shows this document, and sends requests.", body = String,
        content_type = "text/html"))
)]
#[get("/docs")]
pub async fn docs() -> HttpResponse {
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(include_str!("docs.html"))
}
