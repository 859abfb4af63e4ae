//! What keeps the pages to themselves: headers for browsers.

use actix_web::dev::ServiceResponse;
use actix_web::http::header::{self, HeaderName, HeaderValue};

/// The verifier may load what is beside it and a bundle, and nothing else. Its icon is an empty one within it.
const VERIFIER: &str = "default-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The page that shows the document may load what is beside it, and send requests to this service. Swagger UI draws its
/// icons from data, and puts styles into elements.
const DOCUMENT: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Adds what a page needs, by its decoded path; nothing where there is no page.
pub fn secure(response: &mut ServiceResponse) {
    let path = response.request().match_info().as_str();
    let below = |page: &str| path.strip_prefix(page).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let policy = match (below("/docs"), below("/verify")) {
        (true, _) => DOCUMENT,
        (_, true) => VERIFIER,
        _ => return,
    };
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
}
