//! The log of logs: checkpoints, entries and proofs.

use actix_web::http::header;
use actix_web::{HttpResponse, get, web};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Service;
use super::extract::{Query, whole};
use super::problem::{Code, Problem};
use crate::audit::{ConsistencyProof, LogProof};
use crate::ids::GameId;
use crate::ledger::LogEntry as StoredEntry;

/// How many entries a page holds, if nothing is said.
const ENTRIES: u32 = 100;
/// How many entries a page holds at most.
const MAX_ENTRIES: u32 = 1000;

/// Which entries.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EntriesQuery {
    /// The first entry's index; 0 if left out.
    #[serde(default, deserialize_with = "whole")]
    start: Option<u64>,
    /// How many entries.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u32>,
}

/// An entry of the log of logs.
#[derive(Debug, Serialize, ToSchema)]
pub struct LogEntry {
    /// Its index.
    index: u64,
    /// The entry, as canonical JSON: its leaf is the SHA-256 of a zero byte and this text.
    entry: String,
}

/// A page of the log of logs.
#[derive(Debug, Serialize, ToSchema)]
pub struct LogEntries {
    /// The entries, in order.
    entries: Vec<LogEntry>,
    /// `start` of the next page; null where the log ends for now.
    #[schema(required)]
    next: Option<u64>,
}

/// Which game.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct InclusionQuery {
    /// The game.
    game: GameId,
}

/// Between which sizes.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ConsistencyQuery {
    /// The smaller size: that of the checkpoint that you kept.
    #[serde(deserialize_with = "whole")]
    from: u64,
    /// The larger size; that of the newest checkpoint if left out.
    #[serde(default, deserialize_with = "whole")]
    to: Option<u64>,
}

/// Get the newest checkpoint
///
/// A signed note (C2SP tlog-checkpoint): how many entries the log of logs has, and the root of its tree. Keep it: no
/// later checkpoint can leave out, change or backdate a game that this one has.
#[utoipa::path(
    tag = "proof", operation_id = "getCheckpoint", security(()),
    responses((status = 200, description = "The signed note.", body = String, content_type = "text/plain"))
)]
#[get("/v1/log/checkpoint")]
pub async fn checkpoint(service: web::Data<Service>) -> Result<HttpResponse, Problem> {
    let checkpoint = service.dealer.checkpoint().await?;
    Ok(text(checkpoint.note))
}

/// Read the log of logs
///
/// Its entries: starts and ends of games, and keys. Hash them yourself, and you have the checkpoint's root.
#[utoipa::path(
    tag = "proof", operation_id = "listLogEntries", params(EntriesQuery), security(()),
    responses((status = 200, description = "A page of entries.", body = LogEntries))
)]
#[get("/v1/log/entries")]
pub async fn entries(
    service: web::Data<Service>,
    Query(EntriesQuery { start, limit }): Query<EntriesQuery>,
) -> Result<HttpResponse, Problem> {
    let limit = limit.unwrap_or(ENTRIES);
    if !(1..=MAX_ENTRIES).contains(&limit) {
        return Err(Problem::new(Code::InvalidParameter, "limit must be 1 to 1000"));
    }
    let found = service.dealer.log_entries(start.unwrap_or(0), limit + 1).await?;
    let next = found.get(limit as usize).map(|entry| entry.index);
    let entry = |StoredEntry { index, entry }: StoredEntry| LogEntry { index, entry };
    let entries = found.into_iter().take(limit as usize).map(entry).collect();
    Ok(uncached().json(LogEntries { entries, next }))
}

/// Prove a game's start and end
///
/// The newest checkpoint, and for each entry that the log of logs has of the game, the hashes that lead from it to the
/// checkpoint's root.
#[utoipa::path(
    tag = "proof", operation_id = "getInclusion", params(InclusionQuery), security(()),
    responses((status = 200, description = "Checkpoint and proofs.", body = LogProof))
)]
#[get("/v1/log/inclusion")]
pub async fn inclusion(
    service: web::Data<Service>,
    Query(InclusionQuery { game }): Query<InclusionQuery>,
) -> Result<HttpResponse, Problem> {
    Ok(uncached().json(service.dealer.log_proof(game).await?))
}

/// Prove that the log of logs only grew
///
/// The hashes that lead from the roots of two checkpoints to each other: the smaller log is a beginning of the larger.
#[utoipa::path(
    tag = "proof", operation_id = "getConsistency", params(ConsistencyQuery), security(()),
    responses((status = 200, description = "The proof.", body = ConsistencyProof))
)]
#[get("/v1/log/consistency")]
pub async fn consistency(
    service: web::Data<Service>,
    Query(ConsistencyQuery { from, to }): Query<ConsistencyQuery>,
) -> Result<HttpResponse, Problem> {
    Ok(uncached().json(service.dealer.log_consistency(from, to).await?))
}

/// Get the checkpoints' key
///
/// In the form that verifiers of signed notes take, `name+id+key`: one line for each key that signs checkpoints or has
/// signed them, the one that signs now first.
#[utoipa::path(
    tag = "proof", operation_id = "getLogKey", security(()),
    responses((status = 200, description = "The verifier keys.", body = String, content_type = "text/plain"))
)]
#[get("/v1/log/key")]
pub async fn key(service: web::Data<Service>) -> Result<HttpResponse, Problem> {
    let keys = service.dealer.verifier_keys().await?;
    Ok(text(keys.into_iter().map(|key| key + "\n").collect()))
}

fn uncached() -> actix_web::HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response.insert_header((header::CACHE_CONTROL, "no-cache"));
    response
}

fn text(body: String) -> HttpResponse {
    uncached().content_type("text/plain; charset=utf-8").body(body)
}
