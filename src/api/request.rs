//! What every request gets: an id, a line in the log, and its errors in one form.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use actix_cors::CorsError;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{Error, web};
use tokio::time::Instant;

use super::problem::{Code, Problem};
use super::{Connection, Service, cors, limits, pages};

/// Gives the request an id, logs it in one line, counts it, and puts every error, the framework's included, into the one
/// form.
///
/// # Errors
///
/// Where something failed that is no route.
pub async fn identify(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse, Error> {
    let service = request.app_data::<web::Data<Service>>().cloned();
    let id = service.as_ref().and_then(|service| service.dealer.inputs().bytes::<16>().ok());
    let id = uuid::Uuid::from_bytes(id.unwrap_or_default()).simple().to_string();
    let began = Instant::now();
    let method = request.method().clone();
    let busy = request.request().conn_data::<Arc<Connection>>().cloned().map(Connection::answer);
    let trace = trace_id(request.headers()).map(str::to_owned);
    // HEAD is answered as GET is, without the body (RFC 9110, 9.3.2).
    let head = method == Method::HEAD;
    if head {
        request.head_mut().method = Method::GET;
    }
    let response = next.call(request).await.map_err(|error| problem_of(&error))?;
    let mut response = in_one_form(response, &id);
    if head {
        response = response.map_body(|_, body| Headless(body.size()).boxed());
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HeaderName::from_static("x-request-id"), value);
    }
    pages::secure(&mut response);
    cors::expose(&mut response);
    response
        .headers_mut()
        .insert(HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff"));
    // The pattern and not the path: an unlisted game's id is known to those only who were told.
    let route = response.request().match_pattern().unwrap_or_default();
    let status = response.status().as_u16();
    let took = began.elapsed();
    if let Some(service) = &service {
        // Any name may come as a method; only those that are served are told apart.
        let method = if status == 404 || status == 405 { "other" } else { method.as_str() };
        service.dealer.ledger().metrics().request(method, &route, status, took);
    }
    let millis = took.as_micros() as f64 / 1000.0;
    tracing::info!(%method, route, status, millis, request_id = id, trace_id = trace, "request");
    Ok(match busy {
        Some(busy) => response.map_body(|_, body| busy.hold(body)),
        None => response,
    })
}

/// The size of a body that is not sent.
struct Headless(BodySize);

impl MessageBody for Headless {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.0
    }

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(None)
    }
}

/// The trace that a request belongs to (W3C Trace Context, `traceparent`), so that its line in the log is found.
fn trace_id(headers: &HeaderMap) -> Option<&str> {
    let parent = headers.get("traceparent")?.to_str().ok()?;
    let mut parts = parent.split('-');
    let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let hex =
        |text: &str, length| text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let whole = hex(version, 2) && version != "ff" && hex(trace, 32) && hex(span, 16) && hex(flags, 2);
    (whole && trace.bytes().any(|byte| byte != b'0')).then_some(trace)
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
            let (request, old) = response.into_parts();
            let mut new = problem.response(id);
            let kept = old.headers().iter().filter(|(name, _)| stays(name));
            kept.for_each(|(name, value)| new.headers_mut().append(name.clone(), value.clone()));
            ServiceResponse::new(request, new)
        }
        None => response.map_into_boxed_body(),
    }
}

/// What an answer keeps when its error is put into the one form: what was found out about who asks.
fn stays(name: &HeaderName) -> bool {
    *name == header::VARY
        || *name == limits::POLICY
        || *name == limits::LEFT
        || name.as_str().starts_with("access-control-")
}

fn is_problem<B>(response: &ServiceResponse<B>) -> bool {
    let content_type = response.headers().get(header::CONTENT_TYPE);
    content_type.is_some_and(|value| value.as_bytes() == b"application/problem+json")
}

/// One of our own problems as it is, or what is nearest to an error of the framework.
fn problem_of(error: &Error) -> Problem {
    if let Some(problem) = error.as_error::<Problem>() {
        return problem.clone();
    }
    match error.as_error::<CorsError>() {
        Some(refused) => Problem::new(Code::InvalidHeader, refused.to_string()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_taken_up_if_it_is_one() {
        let trace = |parent: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HeaderName::from_static("traceparent"), HeaderValue::from_str(parent).unwrap());
            trace_id(&headers).map(str::to_owned)
        };
        let id = "4bf92f3577b34da6a3ce929d0e0e4736";
        assert_eq!(trace(&format!("00-{id}-00f067aa0ba902b7-01")).as_deref(), Some(id));
        for none in [
            "",
            id,
            &format!("ff-{id}-00f067aa0ba902b7-01"),
            &format!("00-{}-00f067aa0ba902b7-01", id.to_uppercase()),
            &format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
            &format!("00-{id}-00f067aa0ba902b7"),
        ] {
            assert_eq!(trace(none), None, "{none}");
        }
    }
}
