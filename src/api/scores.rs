//! The table of high scores of The World's Fatetst RPG (WF-9).

use std::fmt;
use std::str::FromStr;

use actix_web::{HttpResponse, get, web};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Service;
use super::extract::Query;
use super::problem::{Code, Problem};
use crate::dealer::{RankedScore, ScorePage, ScoresFrom};
use crate::event::PlayerRef;
use crate::ids::{GameId, PlayerId};
use crate::ledger::{ScoreFilter, ScoreKey};
use crate::timestamp::Timestamp;

/// How many rows a page has if nobody says otherwise.
const PAGE: u32 = 20;
/// How many rows a page has at most.
const MAX_PAGE: u32 = 100;

/// Which runs are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Runs {
    /// Each player's best.
    Best,
    /// All.
    All,
}

/// Which part of the table to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ScoresQuery {
    /// Each player's best run, or all runs; the best ones if it is left out.
    #[param(inline)]
    runs: Option<Runs>,
    /// The runs of this player.
    player: Option<PlayerId>,
    /// Begin with the run of this game.
    from: Option<GameId>,
    /// Where to go on: `next` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
    /// How many runs.
    #[param(minimum = 1, maximum = 100, default = 20)]
    limit: Option<u32>,
}

/// A place in the table.
#[derive(Debug, Clone, Copy)]
struct Cursor {
    key: ScoreKey,
    place: u64,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ScoreKey { elapsed, steps, finished_at, game } = self.key;
        let text = format!("{elapsed} {steps} {finished_at} {game} {}", self.place);
        f.write_str(&URL_SAFE_NO_PAD.encode(text))
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(text).map_err(drop)?).map_err(drop)?;
        let parts: Vec<&str> = text.split(' ').collect();
        let [elapsed, steps, finished_at, game, place] = parts[..] else { return Err(()) };
        let key = ScoreKey {
            elapsed: elapsed.parse().map_err(drop)?,
            steps: steps.parse().map_err(drop)?,
            finished_at: finished_at.parse().map_err(drop)?,
            game: game.parse().map_err(drop)?,
        };
        Ok(Self { key, place: place.parse().map_err(drop)? })
    }
}

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|()| serde::de::Error::custom("cursor must be the `next` of a page"))
    }
}

/// A page of the table of high scores.
#[derive(Debug, Serialize, ToSchema)]
pub struct Scores {
    /// The runs, the best first.
    scores: Vec<FatetstScore>,
    /// The cursor of the next page; null on the last.
    #[schema(required)]
    next: Option<String>,
}

/// A finished run.
#[derive(Debug, Serialize, ToSchema)]
pub struct FatetstScore {
    /// Its place among those that are listed.
    #[schema(minimum = 1)]
    place: u64,
    /// The game: its log is there for everybody to replay and to audit.
    game: GameId,
    /// Whose run.
    player: PlayerRef,
    /// How long it took by the log's clock, in milliseconds (WF-8).
    #[schema(minimum = 0)]
    elapsed: i64,
    /// How many steps it took (WF-3).
    #[schema(minimum = 1)]
    steps: i64,
    /// When it was finished.
    finished_at: Timestamp,
}

impl From<RankedScore> for FatetstScore {
    fn from(RankedScore { place, score }: RankedScore) -> Self {
        let ScoreKey { elapsed, steps, finished_at, game } = score.key;
        Self { place, game, player: score.player, elapsed, steps, finished_at }
    }
}

/// List high scores
///
/// The finished public runs of The World's Fatetst RPG, the fastest first; of equal times that with fewer steps, then the
/// one that finished earlier. Each row names its game, so that anybody can replay and audit it.
#[utoipa::path(
    tag = "rules", operation_id = "listFatetstScores", params(ScoresQuery), security(()),
    responses((status = 200, description = "A page of the table.", body = Scores))
)]
#[get("/v1/rules/fatetst_rpg/scores")]
pub async fn list(service: web::Data<Service>, Query(query): Query<ScoresQuery>) -> Result<HttpResponse, Problem> {
    let ScoresQuery { runs, player, from, cursor, limit } = query;
    let limit = limit.unwrap_or(PAGE);
    if !(1..=MAX_PAGE).contains(&limit) {
        return Err(Problem::new(Code::InvalidParameter, "limit must be 1 to 100"));
    }
    let from = match (cursor, from) {
        (Some(_), Some(_)) => {
            return Err(Problem::new(Code::InvalidParameter, "a page goes on by cursor, or begins by from"));
        }
        (Some(Cursor { key, place }), None) => ScoresFrom::After(key, place),
        (None, Some(game)) => ScoresFrom::Game(game),
        (None, None) => ScoresFrom::Best,
    };
    let filter = ScoreFilter { best: runs != Some(Runs::All), player };
    let ScorePage { scores, more } = service.dealer.scores(filter, from, limit).await?;
    let last = scores.last().filter(|_| more);
    let next = last.map(|RankedScore { place, score }| Cursor { key: score.key, place: *place }.to_string());
    Ok(HttpResponse::Ok().json(Scores { scores: scores.into_iter().map(FatetstScore::from).collect(), next }))
}
