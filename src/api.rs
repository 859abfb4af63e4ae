//! The HTTP surface. No SQL here, and no rules.
//!
//! A route is registered together with its documentation, so nothing is served that the document lacks.

use std::future::Future;

use actix_web::http::header::HeaderValue;
use actix_web::{HttpRequest, HttpResponse, web};
use utoipa_actix_web::service_config::ServiceConfig;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::dealer::{Answer, Dealer, DealerError};
use crate::ids::{GameId, PlayerId};
use crate::keys::Jwk;
use crate::principal::{Outside, Tokens};
use crate::table::Command;

mod answers;
mod connection;
mod cors;
mod events;
mod extract;
mod games;
mod log;
mod operations;
mod pages;
mod play;
mod players;
mod proof;
mod request;
mod rules;
mod scores;
mod seats;
mod stream;
mod verify;

pub mod limits;
pub mod openapi;
pub mod problem;

pub use connection::Connection;
pub use cors::{Origins, cors};
pub use limits::limit;
pub use request::identify;

use limits::Limits;
use openapi::Document;
use problem::{Code, Problem};

/// What the handlers work with.
pub struct Service {
    /// Runs the games.
    pub dealer: Dealer,
    /// Issues and checks tokens.
    pub tokens: Tokens,
    /// Checks the tokens of outside identity providers.
    pub outside: Outside,
    /// The published keys.
    pub jwks: Vec<Jwk>,
    /// How much may be asked for.
    pub limits: Limits,
    /// The document of this API.
    pub document: &'static Document,
}

impl Service {
    /// Has a command judged. It is carried out whole, also if the caller hangs up meanwhile.
    async fn act(&self, game: GameId, caller: PlayerId, command: Command) -> Result<Answer, Problem> {
        let dealer = self.dealer.clone();
        write(async move { dealer.act(game, caller, &command).await }).await
    }
}

/// Carries a write out whole, also if the caller hangs up meanwhile: a request's own future is dropped then.
async fn write<T: 'static>(work: impl Future<Output = Result<T, DealerError>> + 'static) -> Result<T, Problem> {
    match actix_web::rt::spawn(work).await {
        Ok(result) => result.map_err(Problem::from),
        Err(_) => Err(Problem::of(Code::Internal)),
    }
}

/// Registers every route of the service. There is one list, for the server and for the document, so that nothing is
/// served that the document lacks.
macro_rules! register_all {
    ($config:expr) => {
        // An address is compared with one route after the other: those that are asked for most stand first.
        $config
            .service(play::make_move)
            .service(play::view)
            .service(play::commit)
            .service(play::open_move)
            .service(events::list)
            .service(players::create)
            .service(players::me)
            .service(players::create_token)
            .service(players::end_tokens)
            .service(rules::list)
            .service(rules::get)
            .service(rules::protocol)
            .service(scores::list)
            .service(games::create)
            .service(games::list)
            .service(games::detail)
            .service(games::cancel)
            .service(games::rematch)
            .service(seats::sit_down)
            .service(seats::get_up)
            .service(seats::start)
            .service(seats::open_seed)
            .service(play::resign)
            .service(play::call_timeout)
            .service(events::mine)
            .service(proof::get_bundle)
            .service(proof::audit_game)
            .service(proof::audit_file)
            .service(log::checkpoint)
            .service(log::entries)
            .service(log::inclusion)
            .service(log::consistency)
            .service(log::key)
            .service(verify::page)
            .service(verify::part)
            .service(operations::jwks)
            .service(operations::livez)
            .service(operations::readyz)
            .service(operations::metrics)
            .service(operations::document)
            .service(operations::docs);
    };
}

/// Every route, to be served. The document is not made along with it: that takes a hundred megabytes for a moment.
pub fn routes(config: &mut web::ServiceConfig) {
    register_all!(config);
}

/// Every route, to be documented.
fn documented(config: &mut ServiceConfig<'_>) {
    register_all!(config);
}

/// What the page at `/docs` is made of.
pub fn docs_page() -> SwaggerUi {
    SwaggerUi::new("/docs/{_:.*}").config(Config::from("/openapi.json"))
}

/// Answers what no route answers: an address that is none, or a method that an address does not have.
pub async fn no_route(service: web::Data<Service>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let methods = service.document.methods_at(request.path());
    match HeaderValue::from_str(&methods.join(", ")) {
        Ok(allow) if !methods.is_empty() => Err(Problem::method_not_allowed(allow)),
        _ => Err(Problem::of(Code::NotFound)),
    }
}
