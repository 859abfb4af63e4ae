//! The games: what can be played, with which options, by which rules; and by which protocol they are dealt.

use actix_web::{HttpRequest, HttpResponse, get, web};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::Service;
use super::problem::{Code, Problem};
use crate::event::SeatLimits;
use crate::game::Reason;
use crate::games::Kind;
use crate::hex32::Hash;

/// All games of the house.
#[derive(Debug, Serialize, ToSchema)]
pub struct RulesList {
    /// The games.
    rules: Vec<RulesSummary>,
}

/// A game of the house.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RulesSummary {
    /// The game.
    kind: Kind,
    /// The fewest and the most who can play it.
    seats: SeatLimits,
    /// The version of the rules that new games are played by.
    #[schema(minimum = 1)]
    version: u32,
    /// What may be chosen: a JSON Schema with defaults and limits.
    #[schema(value_type = Object)]
    options: Value,
    /// The reasons that a result can name.
    reasons: Vec<Reason>,
}

/// A game's rules in all versions.
#[derive(Debug, Serialize, ToSchema)]
pub struct Rules {
    /// The game.
    kind: Kind,
    /// The fewest and the most who can play it.
    seats: SeatLimits,
    /// The version of the rules that new games are played by.
    #[schema(minimum = 1)]
    version: u32,
    /// What may be chosen: a JSON Schema with defaults and limits.
    #[schema(value_type = Object)]
    options: Value,
    /// The reasons that a result can name.
    reasons: Vec<Reason>,
    /// The rules of each version, the newest last.
    versions: Vec<RulesVersion>,
}

/// A game's rules in one version.
#[derive(Debug, Serialize, ToSchema)]
pub struct RulesVersion {
    /// Counted from 1.
    #[schema(minimum = 1)]
    version: u32,
    /// The SHA-256 of the text, which `created` names.
    sha256: Hash,
    /// The rules, in Markdown, with the clauses that refusals name.
    text: &'static str,
}

/// The fairness protocol, as this service follows it.
const PROTOCOL: &str = include_str!("../../docs/protocol.md");

fn summary(kind: Kind, service: &Service) -> RulesSummary {
    let (min, max) = kind.seats();
    RulesSummary {
        kind,
        seats: SeatLimits { min, max },
        version: kind.rules_version(),
        options: service.document.options_schema(kind),
        reasons: kind.reasons().to_vec(),
    }
}

/// List the games
///
/// Every kind of game that can be played here, with its seats and options.
#[utoipa::path(
    tag = "rules", operation_id = "listRules", security(()),
    responses((status = 200, description = "The games.", body = RulesList))
)]
#[get("/v1/rules")]
pub async fn list(service: web::Data<Service>) -> HttpResponse {
    let rules = Kind::ALL.iter().map(|kind| summary(*kind, &service)).collect();
    HttpResponse::Ok().json(RulesList { rules })
}

/// Read a game's rules
///
/// The text of every version, with the clauses that refusals name; `sha256` is what `created` of a game names.
#[utoipa::path(
    tag = "rules", operation_id = "getRules", params(("kind" = Kind, Path, description = "The game.")), security(()),
    responses((status = 200, description = "The rules.", body = Rules))
)]
#[get("/v1/rules/{kind}")]
pub async fn get(service: web::Data<Service>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let name = request.match_info().query("kind");
    let kind = Kind::ALL.iter().find(|kind| kind.name() == name).ok_or(Problem::of(Code::UnknownRules))?;
    let versions = (1..=kind.rules_version()).filter_map(|version| kind.rules(version));
    let versions =
        versions.map(|rules| RulesVersion { version: rules.version, sha256: rules.sha256, text: rules.text }).collect();
    let RulesSummary { kind, seats, version, options, reasons } = summary(*kind, &service);
    Ok(HttpResponse::Ok().json(Rules { kind, seats, version, options, reasons, versions }))
}

/// Read the protocol
///
/// What is hashed, signed and drawn, to the byte, in Markdown: commitments, the signature `by`, the chain of events, how
/// cards follow from seeds, bundles, and the log of logs. All that a verifier or a client that trusts nobody needs.
#[utoipa::path(
    tag = "proof", operation_id = "getProtocol", security(()),
    responses((status = 200, description = "The protocol.", body = String, content_type = "text/markdown"))
)]
#[get("/v1/protocol")]
pub async fn protocol() -> HttpResponse {
    HttpResponse::Ok().content_type("text/markdown; charset=utf-8").body(PROTOCOL)
}
