//! The form of answers that several operations share.

use actix_web::HttpResponse;
use actix_web::http::header;
use serde::Serialize;
use utoipa::ToSchema;

use crate::dealer::Answer;
use crate::event::Event;
use crate::hex32::Nonce;
use crate::table::View;

/// What a write made: the receipt, and the game as the caller sees it now.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Receipt)]
pub struct Receipt {
    /// The events that it appended, now or when it came the first time: signed, with their place in the log. Keep
    /// them: together with another log of the same game they convict the server.
    pub events: Vec<Event>,
    /// The game as the caller sees it now.
    pub view: View,
    /// For a move that the server sealed: the nonce that opens the commitment, so that the caller can check it at
    /// once. Null for everything else.
    #[schema(required)]
    pub nonce: Option<Nonce>,
}

impl From<Answer> for Receipt {
    fn from(answer: Answer) -> Self {
        let Answer { events, view, nonce, .. } = answer;
        Self { events, view, nonce }
    }
}

/// The answer to a write: 201, or 200 where the log held it already.
pub fn receipt(answer: Answer) -> HttpResponse {
    let mut response = if answer.repeated { HttpResponse::Ok() } else { HttpResponse::Created() };
    private(&mut response);
    response.json(Receipt::from(answer))
}

/// Marks an answer as made for this caller alone.
pub fn private(response: &mut actix_web::HttpResponseBuilder) {
    response.insert_header((header::CACHE_CONTROL, "private, no-cache"));
    response.insert_header((header::VARY, "Authorization"));
}
