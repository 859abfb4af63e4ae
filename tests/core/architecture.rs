//! The shape of the crate, read from its source: which layer may name which, and what stays out of which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What is pure: no IO, no clock, no entropy.
const PURE: usize = 2;
/// The only layer with SQL.
const LEDGER: usize = 3;
/// The lowest layer that knows of HTTP.
const API: usize = 5;
/// What starts things, the binaries among it.
const WIRING: usize = 6;
/// Past this a file is missing a noun.
const LONGEST_FILE: usize = 450;

struct Source {
    path: PathBuf,
    /// The module right below the crate's root that the file belongs to.
    module: String,
    layer: usize,
    text: String,
}

impl Source {
    /// The lines of code, counted from 1, without comments.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(i, line)| (i + 1, line.split("//").next().unwrap_or_default()))
    }

    fn at(&self, line: usize) -> String {
        format!("{}:{line}", self.path.display())
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Every source file but the list of modules itself.
fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    let layers = layers();
    let source = |path: PathBuf| {
        let inside = path.strip_prefix(&root).unwrap().to_path_buf();
        let first = inside.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs").to_owned();
        let layer = *layers.get(&module).unwrap_or_else(|| panic!("{module} stands in no list of src/lib.rs"));
        Source { text: fs::read_to_string(&path).unwrap(), path: Path::new("src").join(inside), module, layer }
    };
    let sources: Vec<Source> = paths.into_iter().filter(|path| !path.ends_with("src/lib.rs")).map(source).collect();
    assert!(sources.len() > 20, "the source is not where it was");
    sources
}

/// The layers as `lib.rs` lists them, each module under the heading of its layer. Arrows go down only, or stay within a
/// layer.
fn layers() -> BTreeMap<String, usize> {
    let list = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let mut layers = BTreeMap::from([("bin".to_owned(), WIRING)]);
    let mut layer = None;
    for line in list.lines() {
        if let Some(heading) = line.strip_prefix("// Layer ") {
            layer = heading.split(':').next().unwrap().parse().ok();
        } else if let Some(module) = line.strip_prefix("pub mod ").or(line.strip_prefix("mod ")) {
            let module = module.trim_end_matches(';').to_owned();
            layers.insert(module, layer.unwrap_or_else(|| panic!("{line} stands under no layer")));
        }
    }
    let count = layers.values().collect::<BTreeSet<_>>().len();
    assert_eq!(count, WIRING + 1, "seven layers are listed in src/lib.rs");
    layers
}

/// The modules below the crate's root that a line names, as `crate::table` or `crate::{seat, table}` or, in a binary,
/// `croupier::table`.
fn named(line: &str, root: &str, layers: &BTreeMap<String, usize>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in line.match_indices(root) {
        let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        let rest = &line[at + root.len()..];
        match rest.strip_prefix('{') {
            Some(list) => names.extend(list.split(',').map(|item| word(item.trim()))),
            None => drop(names.insert(word(rest))),
        }
    }
    names.retain(|name| layers.contains_key(name));
    names
}

/// Whether the line holds this word, and not just as a part of another.
fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(part) && !line[at + word.len()..].chars().next().is_some_and(part)
    })
}

fn none(found: &[String], what: &str) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// Where a word stands in the layers that must not have it.
fn words(forbidden: &[&str], layers: impl Fn(usize) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| layers(source.layer)) {
        for (number, line) in source.code() {
            for word in forbidden.iter().filter(|word| has_word(line, word)) {
                // The one place that has to name a float: it refuses them.
                if !(source.module == "canonical" && REFUSED_FLOATS.iter().any(|name| line.contains(name))) {
                    found.push(format!("{} {word}", source.at(number)));
                }
            }
        }
    }
    found
}

#[test]
fn no_arrow_goes_up_the_layers() {
    let layers = layers();
    let mut up = Vec::new();
    let mut arrows = 0;
    for source in &sources() {
        let root = if source.module == "bin" { "croupier::" } else { "crate::" };
        for (number, line) in source.code() {
            for name in named(line, root, &layers) {
                arrows += 1;
                let layer = layers[&name];
                if layer > source.layer {
                    up.push(format!("{} layer {} names {name}, layer {layer}", source.at(number), source.layer));
                }
            }
        }
    }
    none(&up, "arrows that go up");
    assert!(arrows > 100, "only {arrows} arrows were found");
}

/// What a reader and a writer of JSON must have for floats, to refuse them.
const REFUSED_FLOATS: [&str; 3] = ["fn visit_f64", "fn serialize_f32(self, _:", "fn serialize_f64(self, _:"];

#[test]
fn the_pure_layers_have_no_floats_clocks_unordered_maps_or_waiting() {
    let forbidden = [
        "f32",
        "f64",
        "HashMap",
        "HashSet",
        "SystemTime",
        "Instant",
        "async",
        "await",
        "getrandom",
        "OsRng",
        "tokio",
        "println",
        "eprintln",
        "unsafe",
    ];
    none(&words(&forbidden, |layer| layer <= PURE), "in layers 0 to 2");
}

#[test]
fn sql_is_the_ledgers_alone() {
    none(&words(&["diesel", "diesel_async", "sql_query"], |layer| layer < LEDGER), "below the ledger");
    // The built-in database is set up before there is a ledger, by Postgres's own programs.
    none(&words(&["diesel", "diesel_async", "sql_query"], |layer| layer > LEDGER), "above the ledger");
}

#[test]
fn http_is_the_apis_alone() {
    let forbidden = ["StatusCode", "actix_web", "actix", "HttpResponse"];
    none(&words(&forbidden, |layer| layer < API), "below the API");
}

#[test]
fn one_file_one_noun() {
    let sources = sources();
    let lines = |source: &Source| source.text.lines().count();
    let long: Vec<String> = sources
        .iter()
        .filter(|source| lines(source) > LONGEST_FILE)
        .map(|source| format!("{} has {} lines", source.path.display(), lines(source)))
        .collect();
    none(&long, "files that miss a noun");
    let mods: Vec<String> = sources
        .iter()
        .filter(|source| source.path.ends_with("mod.rs") || source.path.ends_with("utils.rs"))
        .map(|source| source.path.display().to_string())
        .collect();
    none(&mods, "files without a noun");
    let globs: Vec<String> = sources
        .iter()
        .flat_map(|source| source.code().map(|(number, line)| (source.at(number), line)))
        .filter(|(_, line)| line.trim_start().starts_with("use ") && line.contains("::*"))
        .filter(|(_, line)| !line.contains("use super::*"))
        .map(|(at, line)| format!("{at} {}", line.trim()))
        .collect();
    none(&globs, "glob imports");
}

/// Without the feature `server` nothing of the server is in the tree.
#[test]
fn the_core_depends_on_nothing_that_does_io() {
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let core: BTreeSet<&str> = dependencies
        .lines()
        .filter(|line| line.contains('=') && !line.starts_with('#') && !line.contains("optional = true"))
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    let allowed = [
        "base64",
        "chrono",
        "curve25519-dalek",
        "ed25519-dalek",
        "rand_chacha",
        "rand_core",
        "serde",
        "serde_json",
        "serde_json_canonicalizer",
        "sha2",
        "subtle",
        "uuid",
        "zeroize",
    ];
    assert_eq!(core, BTreeSet::from(allowed));
}
