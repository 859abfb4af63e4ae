//! What every request gets: an id, a line in the log, and its errors in one form.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, web};

use super::Service;
use super::problem::{Code, Problem};

/// Gives the request an id, logs it in one line, and puts every error, the framework's included, into the one form.
///
/// # Errors
///
/// Where something failed that is no route.
pub async fn identify(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse, Error> {
    let service = request.app_data::<web::Data<Service>>().cloned();
    let now = || service.as_ref().map_or(0, |service| service.dealer.inputs().now().millis());
    let id = service.as_ref().and_then(|service| service.dealer.inputs().bytes::<16>().ok());
    let id = uuid::Uuid::from_bytes(id.unwrap_or_default()).simple().to_string();
    let began = now();
    let method = request.method().clone();
    let response = next.call(request).await.map_err(|error| problem_of(&error))?;
    let mut response = in_one_form(response, &id);
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HeaderName::from_static("x-request-id"), value);
    }
    response
        .headers_mut()
        .insert(HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff"));
    // The pattern and not the path: an unlisted game's id is known to those only who were told.
    let route = response.request().match_pattern().unwrap_or_default();
    let status = response.status().as_u16();
    let millis = now().saturating_sub(began);
    tracing::info!(%method, route, status, millis, request_id = id, "request");
    Ok(response)
}

/// The answer, with its error as a problem of this request.
fn in_one_form(response: ServiceResponse<impl MessageBody + 'static>, id: &str) -> ServiceResponse<BoxBody> {
    let failed = response.status().is_client_error() || response.status().is_server_error();
    let problem = match response.response().error() {
        Some(error) => Some(problem_of(error)),
        None if failed && !is_problem(&response) => Some(problem_of_status(response.status())),
        None => None,
    };
    match problem {
        Some(problem) => {
            let (request, _) = response.into_parts();
            ServiceResponse::new(request, problem.response(id))
        }
        None => response.map_into_boxed_body(),
    }
}

fn is_problem<B>(response: &ServiceResponse<B>) -> bool {
    let content_type = response.headers().get(actix_web::http::header::CONTENT_TYPE);
    content_type.is_some_and(|value| value.as_bytes() == b"application/problem+json")
}

/// One of our own problems as it is, or what is nearest to an error of the framework.
fn problem_of(error: &Error) -> Problem {
    match error.as_error::<Problem>() {
        Some(problem) => problem.clone(),
        None => problem_of_status(error.as_response_error().status_code()),
    }
}

fn problem_of_status(status: StatusCode) -> Problem {
    Problem::of(match status.as_u16() {
        400 => Code::MalformedJson,
        401 => Code::TokenInvalid,
        404 => Code::NotFound,
        405 => Code::MethodNotAllowed,
        408 => Code::RequestTimeout,
        413 => Code::BodyTooLarge,
        415 => Code::UnsupportedMediaType,
        429 => Code::RateLimited,
        503 => Code::Unavailable,
        status if status < 500 => Code::InvalidParameter,
        _ => Code::Internal,
    })
}
