//! Which pages of others may use this service from a browser (CORS, WHATWG Fetch).
//!
//! Never with credentials: tokens are sent by the page itself in a header, and there are no cookies, so a page gets
//! nothing that its own script was not given.

use std::str::FromStr;

use actix_cors::Cors;
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::http::{Method, Uri};

/// What a page's script may read of an answer, besides what it always may.
const EXPOSED: &str = "ETag, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";
/// For how many seconds a browser may remember what is allowed.
const MAX_AGE: usize = 3600;

/// Which pages those are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origins {
    /// All.
    Any,
    /// Only those of these origins.
    These(Vec<String>),
    /// None.
    Off,
}

impl FromStr for Origins {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "*" => Ok(Self::Any),
            "off" => Ok(Self::Off),
            list => list.split(',').map(|one| origin(one.trim())).collect::<Result<_, _>>().map(Self::These),
        }
    }
}

/// An origin as browsers write it: scheme, host, and a port that is not the scheme's own.
fn origin(text: &str) -> Result<String, String> {
    let wrong = || format!("{text:?} is no origin such as https://cards.example");
    let uri = Uri::from_str(text).map_err(|_| wrong())?;
    let parts = uri.scheme_str().zip(uri.authority().map(|it| it.as_str()));
    let (scheme, authority) = parts.ok_or_else(wrong)?;
    let whole = format!("{scheme}://{authority}");
    if whole != text || text != text.to_lowercase() || authority.contains('@') { Err(wrong()) } else { Ok(whole) }
}

/// What tells browsers so.
pub fn cors(origins: &Origins) -> Cors {
    let cors = Cors::default()
        .allowed_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
        .allowed_headers([header::AUTHORIZATION, header::CONTENT_TYPE, header::IF_NONE_MATCH])
        .allowed_headers(["idempotency-key", "last-event-id", "traceparent"].map(HeaderName::from_static))
        .max_age(MAX_AGE);
    match origins {
        // The same for every page, so an answer need not say that it depends on which.
        Origins::Any => cors.allow_any_origin().send_wildcard().disable_vary_header(),
        Origins::These(list) => list.iter().fold(cors, |cors, origin| cors.allowed_origin(origin)),
        Origins::Off => cors,
    }
}

/// Lets a page's script read the headers that it needs, where the page may ask at all. Not by the library, which tells
/// them to everybody, and in another order in each thread: the same answers are to be the same to the byte.
pub fn expose(response: &mut ServiceResponse) {
    if response.headers().contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN) {
        response.headers_mut().insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_written_as_browsers_write_them() {
        let these = |list: &[&str]| Ok(Origins::These(list.iter().map(|one| (*one).to_owned()).collect()));
        assert_eq!("*".parse(), Ok(Origins::Any));
        assert_eq!("off".parse(), Ok(Origins::Off));
        let two = ["https://cards.example", "http://localhost:3000"];
        assert_eq!("https://cards.example, http://localhost:3000".parse(), these(&two));
        for bad in ["", "cards.example", "https://cards.example/", "https://a.example/x", "https://A.example", "*,x"] {
            assert!(bad.parse::<Origins>().is_err(), "{bad}");
        }
    }
}
