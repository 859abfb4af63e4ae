//! The README's first five minutes, walked: what stands there works.

use std::path::Path;
use std::process::Command;

use crate::app::spawn_app;

fn readme() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap()
}

/// The commands of the walk, in order: its blocks of `sh`.
fn walk() -> Vec<String> {
    let readme = readme();
    let section = readme.split("\n## Your first five minutes\n").nth(1).expect("the walk has a heading of its own");
    let section = section.split("\n## ").next().unwrap();
    let blocks = section.split("\n```sh\n").skip(1).map(|block| block.split("\n```").next().unwrap().to_owned());
    blocks.collect()
}

#[test]
fn the_readmes_walk_leads_through_a_whole_round() {
    let app = spawn_app();
    let steps = walk();
    assert!(steps.len() >= 10, "{} blocks were found", steps.len());
    // Marks between the blocks tell what came of each.
    let marked = steps.iter().enumerate().map(|(number, step)| format!("echo '== {number}'\n{step}\n"));
    let script = format!("set -euo pipefail\n{}echo \"== $GAME\"\n", marked.collect::<String>());
    let output = Command::new("bash")
        .args(["-c", &script])
        .env("CROUPIER", &app.url)
        .output()
        .expect("bash runs; the walk needs curl and jq too");
    let (told, errors) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{told}\n{errors}");
    let game = told.lines().last().unwrap().trim_start_matches("== ");

    let view = app.get(&format!("/v1/games/{game}/view")).json();
    assert_eq!(view["status"], "playing", "{told}");
    assert_eq!((view["step"].as_u64(), &view["awaits"]), (Some(6), &"move".into()), "the next round has begun");
    let scored = &view["state"]["last_round"];
    assert_eq!(scored["round"], 1);
    let events = app.get(&format!("/v1/games/{game}/events")).json();
    let fact = events["events"].as_array().unwrap().iter().flat_map(|event| event["data"]["facts"].as_array());
    let fact = fact.flatten().find(|fact| fact["type"] == "migraine_scored").unwrap();
    assert_eq!(fact["points"], scored["points"]);
    // The walk's last word is that round, as the log has it.
    let last = told.split("== ").nth(steps.len()).unwrap();
    let sabre = fact["sabre"].as_str().unwrap();
    assert!(last.contains(&format!("{{\"sabre\":\"{sabre}\"}}")), "{last}");
    assert!(told.contains("\"nonce\""), "who has a move sealed is told the nonce: {told}");
}

#[test]
fn the_readme_names_every_setting() {
    let config = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/config.rs")).unwrap();
    let names = config.split("env = \"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let readme = readme();
    let missing: Vec<&str> = names.filter(|name| !readme.contains(&format!("| `{name}` |"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Every setting has its row, and every measurement that an alert is made of is measured.
#[test]
fn the_operators_page_names_every_setting_and_only_what_is_measured() {
    let file = |name: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
    let (page, config) = (file("docs/operating.md"), file("src/config.rs") + &file("src/config/limits.rs"));
    for name in config.split("env = \"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        let row = |line: &str| line.starts_with("| ") && line.contains(&format!("`{name}`"));
        assert!(page.lines().any(row), "{name}");
    }
    let app = spawn_app();
    let table = crate::clients::Table::new(&app);
    table.deal(&app);
    app.get("/metrics");
    let measured = app.get("/metrics").text();
    let part = |c: char| c.is_ascii_lowercase() || c == '_';
    let mut named = 0;
    for (at, _) in page.match_indices("croupier_") {
        let name: String = page[at..].chars().take_while(|c| part(*c)).collect();
        assert!(measured.contains(&name), "{name} is not measured");
        named += 1;
    }
    assert!(named > 10);
    for path in page.split('`').filter(|text| text.starts_with("tests/")) {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(path).exists(), "{path}");
    }
}

#[test]
fn the_readmes_links_lead_somewhere() {
    let readme = readme();
    let links = readme.split("](").skip(1).map(|rest| rest.split([')', '#']).next().unwrap());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for link in links.filter(|link| !link.is_empty() && !link.contains("://")) {
        assert!(root.join(link).exists(), "{link}");
    }
}
