//! What the service is built from: licences, crates that occur twice, and where they come from, by the lists of
//! `deny.toml`. cargo-deny itself, which takes minutes to build, is for `make deny`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The texts of a list in `deny.toml`; of a table in it, its first text.
fn listed(name: &str) -> BTreeSet<String> {
    let file = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("deny.toml")).unwrap();
    let list = file.split(&format!("\n{name} = [\n")).nth(1).unwrap_or_else(|| panic!("no {name} in deny.toml"));
    let lines = list.split("\n]").next().unwrap().lines();
    lines.map(|line| line.split('"').nth(1).unwrap_or_else(|| panic!("{line}")).to_owned()).collect()
}

/// Whether one of the ways to take a licence is among those allowed. `AND` binds closer than `OR`, as SPDX has it; the
/// old `/` means `OR`.
fn is_allowed(licence: &str, allowed: &BTreeSet<String>) -> bool {
    let one = |part: &str| allowed.contains(part.trim());
    if let Some((inner, rest)) = licence.strip_prefix('(').and_then(|rest| rest.split_once(") AND ")) {
        return is_allowed(inner, allowed) && is_allowed(rest, allowed);
    }
    licence.replace('/', " OR ").split(" OR ").any(|way| way.split(" AND ").all(one))
}

/// The packages that go into the service on this machine's kind, each with what was published of it.
fn packages() -> Vec<Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--locked", "--offline", "--all-features"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let nodes: BTreeMap<String, Value> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (text(&node["id"]), node["deps"].clone()))
        .collect();
    let mut found = BTreeSet::new();
    let mut next = vec![text(&metadata["resolve"]["root"])];
    while let Some(id) = next.pop() {
        let ships = |dep: &&Value| dep["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"] != "dev");
        next.extend(nodes[&id].as_array().unwrap().iter().filter(ships).map(|dep| text(&dep["pkg"])));
        if !found.insert(id) {
            continue;
        }
        next.retain(|id| !found.contains(id));
    }
    let Value::Array(packages) = metadata["packages"].take() else { panic!("no packages") };
    packages.into_iter().filter(|package| found.contains(package["id"].as_str().unwrap())).collect()
}

#[test]
fn the_service_is_built_from_what_deny_toml_allows() {
    let (licences, skipped) = (listed("allow"), listed("skip"));
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let packages = packages();
    assert!(packages.len() > 200, "{} packages", packages.len());
    for package in &packages {
        let (name, version) = (package["name"].as_str().unwrap(), package["version"].as_str().unwrap());
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_allowed(licence, &licences), "{name} is under {licence:?}");
        let own = name == "croupier" && package["source"].is_null();
        let registry = "registry+https://github.com/rust-lang/crates.io-index";
        assert!(own || package["source"] == registry, "{name} comes from {}", package["source"]);
        if !skipped.contains(&format!("{name}@{version}")) {
            versions.entry(name.to_owned()).or_default().push(version.to_owned());
        }
    }
    let twice: Vec<_> = versions.iter().filter(|(_, versions)| versions.len() > 1).collect();
    assert!(twice.is_empty(), "{twice:?}: bring them together, or say in deny.toml for whom to wait");
    println!("{} packages, {} waited for", packages.len(), skipped.len());
}

#[test]
fn a_licence_is_read_as_it_is_meant() {
    let allowed = listed("allow");
    for (licence, yes) in [
        ("MIT", true),
        ("Apache-2.0 OR GPL-3.0", true),
        ("MIT/GPL-2.0", true),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
        ("Apache-2.0 AND ISC", true),
        ("GPL-3.0", false),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR Apache-2.0) AND AGPL-3.0", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(licence, &allowed), yes, "{licence}");
    }
}
