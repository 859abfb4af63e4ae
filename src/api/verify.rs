//! A page to check a game in: the verifier that runs in the browser, and trusts this service no more than any other.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, get};

use super::problem::{Code, Problem};

/// The page's files, with their types.
const FILES: [(&str, &str, &str); 3] = [
    ("verifier.js", "text/javascript; charset=utf-8", include_str!("../../verifier/verifier.js")),
    ("page.js", "text/javascript; charset=utf-8", include_str!("../../verifier/page.js")),
    ("page.css", "text/css; charset=utf-8", include_str!("../../verifier/page.css")),
];

fn file(content_type: &str, body: &'static str) -> HttpResponse {
    HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-cache")).content_type(content_type).body(body)
}

/// Check a game in a browser
///
/// A page that takes a game's id or its bundle and shows, check by check, what holds, with each shuffle laid out card
/// by card. It asks this service for the bundle and for nothing else.
#[utoipa::path(
    tag = "proof", operation_id = "getVerifier", security(()),
    responses((status = 200, description = "The page.", body = String, content_type = "text/html"))
)]
#[get("/verify")]
pub async fn page() -> HttpResponse {
    file("text/html; charset=utf-8", include_str!("../../verifier/index.html"))
}

/// Get a part of that page
///
/// `verifier.js` is the verifier itself: one file without dependencies, which also runs in Node.
#[utoipa::path(
    tag = "proof", operation_id = "getVerifierFile", security(()),
    params(("file" = String, Path, description = "`verifier.js`, `page.js` or `page.css`.")),
    responses((status = 200, description = "The file.", body = String, content_type = "text/javascript"))
)]
#[get("/verify/{file}")]
pub async fn part(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let name = request.match_info().query("file");
    let found = FILES.iter().find(|(file, ..)| *file == name).ok_or(Problem::of(Code::NotFound))?;
    Ok(file(found.1, found.2))
}
