//! What browsers are told: which pages may ask, what they may read, and what our own pages may do.

use serde_json::json;

use crate::app::{Setup, TestApp, spawn_app};
use crate::http::{self, Answer};

const PAGE: &str = "https://front.example";

fn ask(app: &TestApp, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    http::send(app.address, method, path, headers, b"")
}

fn preflight(app: &TestApp, origin: &str, method: &str, headers: &str) -> Answer {
    let asked =
        [("Origin", origin), ("Access-Control-Request-Method", method), ("Access-Control-Request-Headers", headers)];
    ask(app, "OPTIONS", "/v1/games", &asked)
}

fn list(answer: &Answer, name: &str) -> Vec<String> {
    let mut list: Vec<String> =
        answer.header(name).unwrap_or_default().split(',').map(|one| one.trim().to_lowercase()).collect();
    list.sort();
    list
}

fn problem(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{}", answer.text());
    assert_eq!(answer.json()["request_id"].as_str(), answer.header("x-request-id"));
}

fn never_with_credentials(answer: &Answer) {
    assert_eq!(answer.header("access-control-allow-credentials"), None);
}

#[test]
fn every_page_may_ask_and_reads_errors_too() {
    let app = Setup::with(&[("--limit-reads", "off:6")]).spawn();
    let answer = preflight(&app, PAGE, "POST", "authorization, content-type, idempotency-key");
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some("*")));
    assert_eq!(list(&answer, "access-control-allow-methods"), ["delete", "get", "post", "put"]);
    let allowed = ["authorization", "content-type", "idempotency-key", "if-none-match", "last-event-id", "traceparent"];
    assert_eq!(list(&answer, "access-control-allow-headers"), allowed);
    assert_eq!(answer.header("access-control-max-age"), Some("3600"));
    never_with_credentials(&answer);
    // A preflight is no request yet, and is not counted.
    assert_eq!((0..10).filter(|_| preflight(&app, PAGE, "GET", "authorization").status == 200).count(), 10);

    let exposed = ["etag", "location", "ratelimit", "ratelimit-policy", "retry-after", "x-request-id"];
    let origin = ("Origin", PAGE);
    let token = ("Authorization", "Bearer x");
    let good = ask(&app, "GET", "/v1/rules", &[origin]);
    assert_eq!(good.status, 200);
    let bad = [
        (ask(&app, "GET", "/v1/players/me", &[origin]), 401, "token_missing"),
        (ask(&app, "GET", "/v1/players/me", &[origin, token]), 401, "token_invalid"),
        (ask(&app, "GET", "/nowhere", &[origin]), 404, "not_found"),
        (ask(&app, "PATCH", "/v1/games", &[origin]), 405, "method_not_allowed"),
        (ask(&app, "POST", "/v1/players", &[origin]), 422, "invalid_body"),
        (ask(&app, "GET", "/v1/rules/x/y", &[origin]), 404, "not_found"),
        (ask(&app, "GET", "/v1/rules/nothing", &[origin]), 404, "unknown_rules"),
        (ask(&app, "GET", "/v1/rules", &[origin]), 429, "rate_limited"),
    ];
    for (answer, status, code) in &bad {
        problem(answer, *status, code);
    }
    for answer in bad.iter().map(|(answer, ..)| answer).chain([&good]) {
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"), "{}", answer.text());
        assert_eq!(list(answer, "access-control-expose-headers"), exposed);
        never_with_credentials(answer);
    }
    // The same for all, so nothing depends on who asks.
    assert_eq!(good.header("vary"), None);
}

#[test]
fn what_a_page_may_not_is_a_problem_as_others() {
    let app = spawn_app();
    for (method, headers) in [("PATCH", ""), ("TRACE", "authorization"), ("GET", "x-mine"), ("GET", "cookie")] {
        let answer = preflight(&app, PAGE, method, headers);
        problem(&answer, 400, "invalid_header");
        assert_eq!(answer.header("access-control-allow-methods"), None);
    }
    // No preflight: a method that nothing has.
    problem(&ask(&app, "OPTIONS", "/v1/games", &[("Origin", PAGE)]), 405, "method_not_allowed");
    problem(&ask(&app, "OPTIONS", "/v1/games", &[]), 405, "method_not_allowed");
}

#[test]
fn only_pages_of_these_origins_where_some_are_named() {
    let app = Setup::with(&[("--cors-origins", "https://front.example,http://localhost:3000")]).spawn();
    for origin in [PAGE, "http://localhost:3000"] {
        let answer = preflight(&app, origin, "POST", "authorization");
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some(origin)));
        never_with_credentials(&answer);
        for path in ["/v1/rules", "/nowhere"] {
            let answer = ask(&app, "GET", path, &[("Origin", origin)]);
            assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
            assert!(list(&answer, "vary").contains(&"origin".to_owned()), "{path}");
            never_with_credentials(&answer);
        }
    }
    let near = [
        "https://evil.example",
        "https://front.example.evil.example",
        "http://front.example",
        "null",
        "https://front.example:8443",
        "http://localhost:3001",
    ];
    for origin in near {
        let answer = preflight(&app, origin, "POST", "authorization");
        problem(&answer, 400, "invalid_header");
        assert_eq!(answer.header("access-control-allow-origin"), None);
        let answer = ask(&app, "GET", "/v1/rules", &[("Origin", origin)]);
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, None), "{origin}");
    }
    // An answer that depends on who asks says so beside what it depends on anyway.
    let table = crate::clients::Table::new(&app);
    let view = ask(&app, "GET", &format!("/v1/games/{}/view", table.game), &[("Origin", PAGE)]);
    let vary = list(&view, "vary");
    assert!(vary.contains(&"authorization".to_owned()) && vary.contains(&"origin".to_owned()), "{vary:?}");
}

#[test]
fn no_page_of_others_where_that_is_off() {
    let app = Setup::with(&[("--cors-origins", "off")]).spawn();
    problem(&preflight(&app, PAGE, "POST", "authorization"), 405, "method_not_allowed");
    let answer = ask(&app, "GET", "/v1/rules", &[("Origin", PAGE)]);
    assert_eq!(answer.status, 200);
    assert!(!answer.headers.iter().any(|(name, _)| name.to_lowercase().starts_with("access-control-")));
}

#[test]
fn our_pages_load_what_is_beside_them_and_stand_in_no_frame() {
    let app = spawn_app();
    for path in [
        "/docs",
        "/docs/",
        "/docs/index.html",
        "/docs/swagger-initializer.js",
        "/%64ocs",
        "/verify",
        "/verify/page.js",
        "/verify/nothing.js",
    ] {
        let answer = ask(&app, "GET", path, &[]);
        let policy = answer.header("content-security-policy").unwrap_or_else(|| panic!("{path} has no policy"));
        let of = |name: &str| policy.split(';').map(str::trim).find_map(|it| it.strip_prefix(name)).map(str::trim);
        for none in ["frame-ancestors", "base-uri", "form-action"] {
            assert_eq!(of(none), Some("'none'"), "{path}: {none}");
        }
        let scripts = of("script-src").or(of("default-src"));
        assert_eq!(scripts, Some("'self'"), "{path}: no script but our own files");
        for (name, value) in [
            ("referrer-policy", "no-referrer"),
            ("x-frame-options", "DENY"),
            ("x-content-type-options", "nosniff"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path}: {name}");
        }
        // No script stands in a page itself, which the policy would stop.
        if answer.header("content-type").is_some_and(|value| value.starts_with("text/html")) {
            for script in answer.text().split("<script").skip(1) {
                let (attributes, rest) = script.split_once('>').unwrap();
                assert!(attributes.contains("src=") && rest.trim_start().starts_with("</script>"), "{path}: {script}");
            }
            assert!(!answer.text().contains(" onload=") && !answer.text().contains("javascript:"), "{path}");
        }
    }
    // What is no page has nothing of it.
    let answer = app.call("GET", "/v1/rules", None, Some(&json!(null)));
    assert_eq!(answer.header("content-security-policy"), None);
    assert_eq!(ask(&app, "GET", "/docsx", &[]).header("content-security-policy"), None);
}

/// A page as a real browser shows it, and what the browser complained of; `None` where there is no browser.
fn shown(address: &str, path: &str) -> Option<(String, String)> {
    let folder = crate::app::TestFolder::new();
    let profile = format!("--user-data-dir={}", folder.0.display());
    let mut chromium = std::process::Command::new("chromium");
    chromium.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", &profile]);
    chromium.args(["--virtual-time-budget=20000", "--dump-dom", &format!("http://{address}{path}")]);
    let shown = chromium.output().ok().filter(|output| output.status.success())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some((text(&shown.stdout), text(&shown.stderr)))
}

#[test]
fn a_real_browser_shows_our_pages_under_their_policies() {
    let app = spawn_app();
    let address = app.address.to_string();
    let table = crate::clients::Table::new(&app);
    let looks = [("/docs".to_owned(), "Make a move"), (format!("/verify#{}", table.game), table.game.as_str())];
    for (path, expected) in looks {
        let Some((page, complaints)) = shown(&address, &path) else {
            println!("Skipped: there is no chromium here.");
            return;
        };
        assert!(page.contains(expected), "{path}: {page:.2000}");
        let stopped = complaints.lines().filter(|line| line.contains("Content Security Policy")).collect::<Vec<_>>();
        assert!(stopped.is_empty(), "{path}: {stopped:?}");
    }
}
