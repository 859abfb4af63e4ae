//! Everything that is answered with an error: one table of codes, one form (RFC 9457).

use std::borrow::Cow;
use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use serde::Serialize;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::dealer::DealerError;
use crate::games::Move;
use crate::ledger::LedgerError;
use crate::table::Refusal;

/// After how many seconds to come again when the database is away.
const RETRY_SECONDS: u32 = 2;

/// Defines [`Code`]: for each code its status and its title.
macro_rules! codes {
    ($($variant:ident = $code:literal, $status:literal, $title:literal;)+) => {
        /// What went wrong, for programs: these codes never change their meaning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
        #[allow(missing_docs, reason = "the title of each code says what it is")]
        pub enum Code {
            $(#[serde(rename = $code)] $variant,)+
        }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The code's name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// The HTTP status that goes with it.
            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)+ }
            }

            /// What it means, the same for every occurrence.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)+ }
            }
        }
    };
}

// The names are parameters of the macro, which the derive macro of utoipa does not see.
impl PartialSchema for Code {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(Self::ALL.iter().map(|code| code.name())))
            .description(Some("What went wrong, for programs: these codes never change their meaning."))
            .into()
    }
}

impl ToSchema for Code {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("ProblemCode")
    }
}

codes! {
    MalformedJson = "malformed_json", 400, "The body is no JSON, or JSON that has more than one meaning";
    InvalidParameter = "invalid_parameter", 400, "A part of the path or of the query has not the form it must have";
    InvalidHeader = "invalid_header", 400, "A header is missing or has not the form it must have";
    TokenMissing = "token_missing", 401, "This needs a token";
    TokenInvalid = "token_invalid", 401, "The token is none of this service";
    TokenExpired = "token_expired", 401, "The token has expired";
    TokenEnded = "token_ended", 401, "The token was ended by its player";
    WrongCredentials = "wrong_credentials", 401, "Name and password do not belong together";
    NotSeated = "not_seated", 403, "The caller has no seat in this game";
    NotHost = "not_host", 403, "Only the host of the game may do this";
    NotFound = "not_found", 404, "There is nothing at this address";
    UnknownGame = "unknown_game", 404, "There is no such game";
    UnknownRules = "unknown_rules", 404, "There is no game of this kind";
    NoCheckpoint = "no_checkpoint", 404, "The log of logs has no checkpoint yet";
    MethodNotAllowed = "method_not_allowed", 405, "This address has no such method";
    RequestTimeout = "request_timeout", 408, "The request took too long to arrive";
    NameTaken = "name_taken", 409, "The name is taken";
    TableClosed = "table_closed", 409, "The table is closed";
    SeatTaken = "seat_taken", 409, "Somebody sits there";
    TableFull = "table_full", 409, "Every seat is taken";
    AlreadySeated = "already_seated", 409, "The caller has a seat already";
    CannotStart = "cannot_start", 409, "The game can't start like this";
    SeedTooEarly = "seed_too_early", 409, "Seeds are opened only after the table closed";
    SeedAlreadyOpened = "seed_already_opened", 409, "The seat has opened another seed";
    NotStarted = "not_started", 409, "The game has not started";
    GameOver = "game_over", 409, "The game is over";
    GameCutShort = "game_cut_short", 409, "The game was cut short when the service was restored";
    NotOver = "not_over", 409, "The game is not over";
    OutOfGame = "out_of_game", 409, "The caller is out of this game";
    NotYourTurn = "not_your_turn", 409, "It is not the caller's turn";
    WrongStep = "wrong_step", 409, "Another decision is at hand";
    AlreadyDecided = "already_decided", 409, "The caller has made this decision already, and differently";
    NotSealed = "not_sealed", 409, "This decision is made in the open";
    OpeningTooEarly = "opening_too_early", 409, "Not everybody is bound yet";
    OpeningDue = "opening_due", 409, "Everybody is bound: now moves are opened";
    TooLate = "too_late", 409, "The deadline has passed";
    NothingOverdue = "nothing_overdue", 409, "Nothing is overdue";
    TooManyGames = "too_many_games", 409, "The caller hosts too many open games";
    TooManySeats = "too_many_seats", 409, "The caller sits at too many games that are not over";
    BodyTooLarge = "body_too_large", 413, "The body is too large";
    UnsupportedMediaType = "unsupported_media_type", 415, "Bodies are application/json";
    InvalidBody = "invalid_body", 422, "The body has not the form that this operation takes";
    InvalidName = "invalid_name", 422, "This can't be a player's name";
    InvalidPassword = "invalid_password", 422, "This can't be a password";
    InvalidOptions = "invalid_options", 422, "These options can't be chosen";
    IdempotencyKeyReused = "idempotency_key_reused", 422, "The Idempotency-Key came before with another body";
    NoSuchSeat = "no_such_seat", 422, "The table has no such seat";
    SeatNotNamed = "seat_not_named", 422, "A seed commitment or a key needs the seat to be named";
    NoSeedCommitted = "no_seed_committed", 422, "The seat committed to no seed";
    SeedMismatch = "seed_mismatch", 422, "The seed does not open the commitment";
    SealYourself = "seal_yourself", 422, "A seat with a key seals for itself";
    CommitmentMismatch = "commitment_mismatch", 422, "Move and nonce do not open the commitment";
    MalformedMove = "malformed_move", 422, "This has not the form of a move of this game";
    InvalidStep = "invalid_step", 422, "A decision names its step, any other move names none";
    InvalidAfter = "invalid_after", 422, "The event named in after is missing or wrong";
    InvalidSignature = "invalid_signature", 422, "The player's own signature is missing, wrong, or not asked for";
    IllegalMove = "illegal_move", 422, "A rule of the game speaks against it";
    NoSuchEvent = "no_such_event", 422, "The game has no event with this number";
    RateLimited = "rate_limited", 429, "Too many requests";
    TooManyStreams = "too_many_streams", 429, "Too many streams are open";
    Internal = "internal", 500, "Something is wrong on our side";
    Unavailable = "unavailable", 503, "The database is away";
}

/// An error, as `application/problem+json` (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemBody<'a> {
    /// A URI that names the kind of problem.
    #[serde(rename = "type")]
    #[schema(value_type = String, example = "urn:croupier:problem:not_your_turn")]
    problem_type: String,
    /// What the code means, the same for every occurrence.
    #[schema(example = "It is not the caller's turn")]
    title: &'static str,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599, example = 409)]
    status: u16,
    /// What is wrong this time, for people.
    #[schema(example = "it is not your turn")]
    detail: &'a str,
    /// What went wrong, for programs.
    code: Code,
    /// The clause of the rules that speaks against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "MI-5")]
    clause: Option<&'a str>,
    /// What the caller might do instead, where it has legal moves.
    #[serde(skip_serializing_if = "<[Move]>::is_empty")]
    legal: &'a [Move],
    /// The request's id, for asking its operator.
    request_id: &'a str,
}

/// An error on its way to the caller.
#[derive(Debug, Clone)]
pub struct Problem {
    code: Code,
    detail: Cow<'static, str>,
    clause: Option<&'static str>,
    legal: Vec<Move>,
    allow: Option<HeaderValue>,
    /// After how many seconds to come again.
    retry_after: Option<u32>,
}

impl Problem {
    /// A problem of this kind; `detail` says what is wrong this time and tells no secret.
    pub fn new(code: Code, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { code, detail: detail.into(), clause: None, legal: Vec::new(), allow: None, retry_after: None }
    }

    /// A problem of this kind about which there is no more to say.
    pub fn of(code: Code) -> Self {
        Self::new(code, code.title())
    }

    /// The answer to a method that the address does not have.
    pub fn method_not_allowed(allow: HeaderValue) -> Self {
        Self { allow: Some(allow), ..Self::of(Code::MethodNotAllowed) }
    }

    /// The same, with the time after which to come again, in seconds.
    pub fn retry_after(self, seconds: u32) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// What is wrong on our side is logged where it happens, and never told.
    fn internal(error: &dyn fmt::Display) -> Self {
        tracing::error!(%error, "a request failed");
        Self::of(Code::Internal)
    }

    /// What went wrong.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The answer to the request with this id.
    pub fn response(&self, request_id: &str) -> HttpResponse {
        let status = StatusCode::from_u16(self.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = HttpResponse::build(status);
        response.insert_header((header::CONTENT_TYPE, "application/problem+json"));
        response.insert_header((header::CACHE_CONTROL, "no-store"));
        if let Some(allow) = &self.allow {
            response.insert_header((header::ALLOW, allow.clone()));
        }
        if self.code.status() == 401 {
            response.insert_header((header::WWW_AUTHENTICATE, "Bearer"));
        }
        let away = (self.code == Code::Unavailable).then_some(RETRY_SECONDS);
        if let Some(seconds) = self.retry_after.or(away) {
            response.insert_header((header::RETRY_AFTER, seconds));
        }
        let body = ProblemBody {
            problem_type: format!("urn:croupier:problem:{}", self.code.name()),
            title: self.code.title(),
            status: self.code.status(),
            detail: &self.detail,
            code: self.code,
            clause: self.clause,
            legal: &self.legal,
            request_id,
        };
        // These are texts and numbers, so writing them as JSON does not fail.
        response.body(serde_json::to_vec(&body).unwrap_or_default())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.name(), self.detail)
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Replaced by the middleware, which knows the request's id.
    fn error_response(&self) -> HttpResponse {
        self.response("")
    }
}

impl From<DealerError> for Problem {
    fn from(error: DealerError) -> Self {
        let code = match error {
            DealerError::Refused { refusal, legal } => return Self { legal, ..refusal.into() },
            DealerError::Ledger(error) => return error.into(),
            DealerError::Corrupt(_) | DealerError::Log(_) | DealerError::NoEntropy => return Self::internal(&error),
            DealerError::UnknownGame => Code::UnknownGame,
            DealerError::IdempotencyKeyReused => Code::IdempotencyKeyReused,
            DealerError::CutShort => Code::GameCutShort,
            DealerError::NotOver => Code::NotOver,
            DealerError::NotEnded => Code::NotOver,
            DealerError::NoSuchEvent => Code::NoSuchEvent,
            DealerError::NameTaken => Code::NameTaken,
            DealerError::WrongCredentials => Code::WrongCredentials,
            DealerError::Busy => Code::Unavailable,
            DealerError::NoCheckpoint => Code::NoCheckpoint,
            DealerError::TooManyGames(_) => Code::TooManyGames,
            DealerError::TooManySeats(_) => Code::TooManySeats,
            DealerError::NoSuchSize(_) => Code::InvalidParameter,
        };
        Self::new(code, error.to_string())
    }
}

impl From<LedgerError> for Problem {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::Unavailable(_) | LedgerError::Unknown(_) => {
                tracing::warn!(%error, "the database is away");
                Self::of(Code::Unavailable)
            }
            // Conflicts are judged again where they can come up; one that gets here is a fault of this program.
            LedgerError::Conflict | LedgerError::Corrupt(_) | LedgerError::Other(_) => Self::internal(&error),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let code = match &refusal {
            Refusal::NotSeated => Code::NotSeated,
            Refusal::NotHost => Code::NotHost,
            Refusal::NotOpen => Code::TableClosed,
            Refusal::NoSuchSeat => Code::NoSuchSeat,
            Refusal::SeatTaken => Code::SeatTaken,
            Refusal::Full => Code::TableFull,
            Refusal::AlreadySeated(_) => Code::AlreadySeated,
            Refusal::SeatNotNamed => Code::SeatNotNamed,
            Refusal::CantStart(_) => Code::CannotStart,
            Refusal::NotClosed => Code::SeedTooEarly,
            Refusal::NoSeedCommitted => Code::NoSeedCommitted,
            Refusal::SeedAlreadyOpened => Code::SeedAlreadyOpened,
            Refusal::SeedMismatch => Code::SeedMismatch,
            Refusal::NotStarted => Code::NotStarted,
            Refusal::Over => Code::GameOver,
            Refusal::OutOfGame => Code::OutOfGame,
            Refusal::NotYourTurn => Code::NotYourTurn,
            Refusal::WrongStep(_) => Code::WrongStep,
            Refusal::AlreadyDecided => Code::AlreadyDecided,
            Refusal::NotSealed => Code::NotSealed,
            Refusal::NotAllCommitted => Code::OpeningTooEarly,
            Refusal::OpeningDue => Code::OpeningDue,
            Refusal::SealYourself => Code::SealYourself,
            Refusal::CommitmentMismatch => Code::CommitmentMismatch,
            Refusal::MoveForm(_) => Code::MalformedMove,
            Refusal::StepForm(_) => Code::InvalidStep,
            Refusal::AfterForm(_) => Code::InvalidAfter,
            Refusal::Signature(_) => Code::InvalidSignature,
            Refusal::TooLate => Code::TooLate,
            Refusal::NothingOverdue => Code::NothingOverdue,
            Refusal::Illegal(_) => Code::IllegalMove,
        };
        let problem = match &refusal {
            Refusal::Illegal(illegal) => Self::new(code, illegal.detail.clone()),
            refusal => Self::new(code, refusal.to_string()),
        };
        let clause = match refusal {
            Refusal::Illegal(illegal) => Some(illegal.clause),
            Refusal::MoveForm(_) => Some("RU-2"),
            _ => None,
        };
        Self { clause, ..problem }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_code_has_one_name_an_error_status_and_a_title() {
        let names: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), Code::ALL.len());
        for code in Code::ALL {
            assert!((400..600).contains(&code.status()) && !code.title().is_empty(), "{code:?}");
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
        }
    }
}
