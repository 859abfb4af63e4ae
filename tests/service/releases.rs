//! Databases and bundles as released versions left them: today's code brings them up to date, plays their games on and
//! proves them; and what it changes in their tables an instance of that version does not notice.
//!
//! `make record-release` writes `tests/releases/<version>` anew for the version at hand: once, before it is released.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use croupier::audit::{Bundle, Verdict, audit};
use croupier::canonical::read_exactly;
use croupier::keys::Jwk;
use regex::Regex;
use serde_json::{Value, json};

use crate::app::{Setup, TestApp, TestFolder, spawn_app};
use crate::clients::{Rng, bytes, hex};
use crate::log_routes::wait_for;
use crate::scene::{Party, furnish, statuses};
use crate::support::{TestDatabase, query};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders of what was recorded, the oldest version first.
fn releases() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root().join("tests/releases")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let version = |folder: &PathBuf| -> Vec<u32> {
        let name = folder.file_name().unwrap().to_str().unwrap();
        name.split('.').map(|number| number.parse().unwrap_or_else(|_| panic!("{name} is no version"))).collect()
    };
    folders.sort_by_key(version);
    assert!(!folders.is_empty());
    folders
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|why| panic!("{}/{name}: {why}", folder.display()))
}

fn json_of(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&read(folder, name)).unwrap()
}

/// The bundle of a game, once the log of logs has what it must have of one that is over.
fn bundle_of(app: &TestApp, game: &str) -> Value {
    let path = format!("/v1/games/{game}/bundle");
    let whole = |bundle: &Value| {
        let last = bundle["events"].as_array().unwrap().last().unwrap();
        let cancelled = last["data"]["reason"] == "cancelled";
        let entries = bundle["log"]["proofs"].as_array().map_or(0, Vec::len);
        let started = bundle["events"].as_array().unwrap().iter().any(|event| event["type"] == "started");
        cancelled || entries > usize::from(started)
    };
    wait_for("a whole bundle", || Some(app.get(&path).json()).filter(whole))
}

fn verdict(bundle: &Value, keys: &[Jwk]) -> (Verdict, String) {
    let bundle = Bundle::read(bundle.to_string().as_bytes()).unwrap();
    let report = audit(&bundle, Some(keys));
    (report.verdict, report.to_string())
}

fn keys_of(jwks: &Value) -> Vec<Jwk> {
    read_exactly(&jwks["keys"]).unwrap()
}

/// The migrations of this program, each with its text.
fn migrations() -> BTreeMap<String, String> {
    let folders = fs::read_dir(root().join("migrations")).unwrap().map(|entry| entry.unwrap().path());
    folders.map(|folder| (folder.file_name().unwrap().to_str().unwrap().to_owned(), read(&folder, "up.sql"))).collect()
}

/// `make record-release`; otherwise nothing.
#[test]
fn this_version_is_recorded_when_it_is_asked_for() {
    if std::env::var_os("RECORD_RELEASE").is_none() {
        return;
    }
    let folder = root().join("tests/releases").join(env!("CARGO_PKG_VERSION"));
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(folder.join("bundles")).unwrap();
    let app = spawn_app();
    let named = json!({ "name": "Nora", "password": "a password of hers" });
    assert_eq!(app.call("POST", "/v1/players", None, Some(&named)).status, 201);
    let parties = furnish(&app);
    for party in parties.iter().filter(|party| ["ended", "voided"].contains(&party.status(&app).as_str())) {
        let bundle = bundle_of(&app, &party.game);
        fs::write(folder.join(format!("bundles/{}.json", party.game)), bundle.to_string()).unwrap();
    }
    let write = |name: &str, text: String| fs::write(folder.join(name), text).unwrap();
    write("jwks.json", app.get("/.well-known/jwks.json").json().to_string());
    write("keys.json", fs::read_to_string(app.folder().join("keys.json")).unwrap());
    let games: Vec<Value> = parties.iter().map(Party::to_json).collect();
    write("games.json", serde_json::to_string_pretty(&games).unwrap());
    let hashes = migrations().into_iter().map(|(name, text)| (name, hex(&bytes(&text)))).collect::<BTreeMap<_, _>>();
    write("migrations.json", serde_json::to_string_pretty(&hashes).unwrap());
    write("clock.txt", croupier::dealer::inputs::Clock::now(&app.clock).to_string());
    println!("{:?}", statuses(&app, &parties));
    app.stop();
    write("database.sql", app.database().dump());
}

#[test]
fn a_recorded_database_is_brought_up_to_date_and_its_games_are_played_on() {
    for folder in releases() {
        let database = TestDatabase::restored(&read(&folder, "database.sql"));
        let run = database.migrate();
        let keys = TestFolder::new();
        fs::write(keys.0.join("keys.json"), read(&folder, "keys.json")).unwrap();
        let app = Setup::default().spawn_on(database, keys);
        app.clock.set(read(&folder, "clock.txt").trim());
        let other = app.another();

        let mut parties: Vec<Party> =
            json_of(&folder, "games.json").as_array().unwrap().iter().map(Party::from_json).collect();
        let before = statuses(&app, &parties);
        for status in ["open", "closed", "playing", "ended", "voided"] {
            assert!(before.contains_key(status), "{status} is in no recorded game: {before:?}");
        }
        std::thread::scope(|scope| {
            for (party, seed) in parties.iter_mut().zip(5..) {
                let (app, other) = (&app, &other);
                scope.spawn(move || party.plays_to_the_end(&[app, other], &mut Rng(seed)));
            }
        });
        let now = keys_of(&app.get("/.well-known/jwks.json").json());
        let mut audited = 0;
        for party in &parties {
            let bundle = bundle_of(&other, &party.game);
            let (found, report) = verdict(&bundle, &now);
            assert_eq!(found, Verdict::Yes, "{report}");
            audited += 1;
            // What was over has not changed.
            let recorded = folder.join(format!("bundles/{}.json", party.game));
            if recorded.exists() {
                let recorded: Value = serde_json::from_str(&fs::read_to_string(recorded).unwrap()).unwrap();
                assert_eq!(recorded["events"], bundle["events"]);
            }
        }
        // Who had a password still has it, and old tokens are good as long as they were.
        let named = json!({ "name": "Nora", "password": "a password of hers" });
        assert_eq!(app.call("POST", "/v1/tokens", None, Some(&named)).status, 201);
        let version = folder.file_name().unwrap().display();
        println!("{version}: {before:?}; migrated by {run:?}; {audited} games played to their ends and proved");
    }
}

#[test]
fn recorded_bundles_are_proved_as_they_were() {
    for folder in releases() {
        let keys = keys_of(&json_of(&folder, "jwks.json"));
        let mut proved = 0;
        for entry in fs::read_dir(folder.join("bundles")).unwrap() {
            let path = entry.unwrap().path();
            let bundle = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            let (found, report) = verdict(&bundle, &keys);
            assert_eq!(found, Verdict::Yes, "{}: {report}", path.display());
            proved += 1;
        }
        assert!(proved > 4);
        println!("{}: {proved} bundles proved", folder.display());
    }
}

/// What an instance relies on in the tables: columns, keys, constraints, triggers.
fn shape(database: &TestDatabase) -> BTreeSet<String> {
    let columns = "SELECT 'column ' || concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default)
                   FROM information_schema.columns WHERE table_schema = 'public'";
    let constraints = "SELECT 'constraint ' || concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
                       FROM pg_constraint WHERE connamespace = 'public'::regnamespace";
    let triggers = "SELECT 'trigger ' || concat_ws(' ', tgrelid::regclass, pg_get_triggerdef(oid)) FROM pg_trigger
                    WHERE NOT tgisinternal";
    let unique = "SELECT 'index ' || concat_ws(' ', indrelid::regclass, pg_get_indexdef(indexrelid)) FROM pg_index
                  WHERE indisunique AND indrelid::regclass::text !~ '^pg_'";
    [columns, constraints, triggers, unique].iter().flat_map(|sql| query(&database.owner_url, sql)).collect()
}

/// The table that a line of a shape is of.
fn table_of(line: &str) -> &str {
    line.split(' ').nth(1).unwrap()
}

/// Since when no instance uses what a migration takes away: `-- contracts what 0.3.0 was the last to use`.
fn last_users(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("-- contracts what ")?.strip_suffix(" was the last to use"))
}

#[test]
fn an_instance_of_a_recorded_version_works_on_beside_this_one() {
    let contracted: Vec<String> =
        migrations().values().filter_map(|text| last_users(text).map(str::to_owned)).collect();
    for folder in releases() {
        if contracted.iter().any(|version| folder.ends_with(version)) {
            continue;
        }
        let database = TestDatabase::restored(&read(&folder, "database.sql"));
        let before = shape(&database);
        database.migrate();
        let after = shape(&database);
        let gone: Vec<&String> = before.difference(&after).collect();
        assert!(gone.is_empty(), "{}: its statements rely on {gone:?}", folder.display());
        let tables: BTreeSet<&str> = before.iter().map(|line| table_of(line)).collect();
        // New columns that an old INSERT leaves out get a value by themselves; nothing new refuses what it writes. An
        // index over a column that it leaves null lets any number of rows in.
        let new_column = |line: &str| {
            let mut words = line.split(' ').skip(1);
            let (table, column) = (words.next()?, words.next()?);
            (line.starts_with("column") && !before.contains(line)).then(|| (table.to_owned(), column.to_owned()))
        };
        let new_columns: BTreeSet<(String, String)> = after.iter().filter_map(|line| new_column(line)).collect();
        let over_new_ones = |line: &str| {
            let columns = line.rsplit('(').next().unwrap().trim_end_matches(')').split(", ");
            columns.into_iter().any(|column| new_columns.contains(&(table_of(line).to_owned(), column.to_owned())))
        };
        let in_its_way = |line: &&String| {
            let (new, old_table) = (!before.contains(*line), tables.contains(table_of(line)));
            let harmless = match line.split(' ').next().unwrap() {
                "column" => {
                    line.contains(" YES") || line.split(" NO ").nth(1).is_some_and(|default| !default.is_empty())
                }
                "index" => over_new_ones(line),
                _ => false,
            };
            new && old_table && !harmless
        };
        let refused: Vec<&String> = after.iter().filter(in_its_way).collect();
        assert!(refused.is_empty(), "{}: its INSERTs are refused by {refused:?}", folder.display());
    }
}

/// Why a migration that comes after a release is none that only expands.
fn contracts(text: &str) -> Vec<&'static str> {
    let code: String = text.lines().map(|line| line.split("--").next().unwrap()).collect::<Vec<_>>().join(" ");
    let code = Regex::new(r"\s+").unwrap().replace_all(&code, " ").to_uppercase();
    let created = Regex::new(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)").unwrap();
    let own: BTreeSet<&str> = created.captures_iter(&code).map(|found| found.get(1).unwrap().as_str()).collect();
    // On tables of its own a migration may do what it likes.
    let of_others = |pattern: &str| {
        let found = Regex::new(pattern).unwrap();
        found.captures_iter(&code).any(|found| found.get(1).is_none_or(|table| !own.contains(table.as_str())))
    };
    let refused = [
        (r"\bDROP\b", "it drops something"),
        (r"\bRENAME\b", "it renames something"),
        (r"ALTER TABLE (?:ONLY )?(\w+) [^;]*\bTYPE\b", "it changes a column's type"),
        (r"ALTER TABLE (?:ONLY )?(\w+) [^;]*SET NOT NULL", "it makes a column NOT NULL"),
        (r"ALTER TABLE (?:ONLY )?(\w+) [^;]*ADD (?:CONSTRAINT|CHECK|UNIQUE|FOREIGN|PRIMARY)", "it adds a constraint"),
        (r"CREATE TRIGGER [^;]* ON (\w+)", "it adds a trigger"),
        (r"\bREVOKE\b", "it takes a right away"),
        (r"\bTRUNCATE (?:TABLE )?(\w+)", "it empties a table"),
        (r"\bDELETE FROM (\w+)", "it deletes rows"),
    ];
    let mut why: Vec<&str> = refused.iter().filter(|(pattern, _)| of_others(pattern)).map(|(_, why)| *why).collect();
    let added = Regex::new(r"ALTER TABLE (?:ONLY )?(\w+) [^;]*?ADD COLUMN ([^;,]*)").unwrap();
    let new: BTreeSet<&str> =
        added.captures_iter(&code).filter_map(|found| found.get(2)?.as_str().split(' ').next()).collect();
    let unique = Regex::new(r"CREATE UNIQUE INDEX [^;]*ON (\w+) ?\(([^)]*)\)").unwrap();
    let strict = |found: regex::Captures<'_>| {
        !own.contains(&found[1]) && !found[2].split(',').any(|column| new.contains(column.trim()))
    };
    if unique.captures_iter(&code).any(strict) {
        why.push("it adds a unique index over columns that there were");
    }
    let bare = |definition: &str| definition.contains("NOT NULL") && !definition.contains("DEFAULT");
    if added.captures_iter(&code).any(|found| bare(&found[2])) {
        why.push("it adds a column that old INSERTs leave out, NOT NULL and without a default");
    }
    why
}

#[test]
fn migrations_after_a_release_only_expand() {
    let migrations = migrations();
    let mut released = BTreeSet::new();
    for folder in releases() {
        for (name, hash) in json_of(&folder, "migrations.json").as_object().unwrap() {
            let text = migrations.get(name).unwrap_or_else(|| panic!("{name} was released and is gone"));
            assert_eq!(*hash, hex(&bytes(text)), "{name} was released in {}, and is another now", folder.display());
            released.insert(name.clone());
        }
    }
    for (name, text) in migrations.iter().filter(|(name, _)| !released.contains(*name)) {
        let why = contracts(text);
        assert!(why.is_empty() || last_users(text).is_some(), "{name}: {why:?}; see CONTRIBUTING.md, Changing tables");
    }
    for (sql, refused) in [
        ("ALTER TABLE games ADD COLUMN a text;", false),
        ("ALTER TABLE games ADD COLUMN a integer NOT NULL DEFAULT 0;", false),
        (
            "CREATE INDEX i ON games (kind); CREATE TABLE t (a text NOT NULL, UNIQUE (a)); CREATE UNIQUE INDEX u ON t (a);",
            false,
        ),
        ("ALTER TABLE games ADD COLUMN a integer NOT NULL;", true),
        ("ALTER TABLE games\n    DROP COLUMN kind;", true),
        ("ALTER TABLE games RENAME kind TO sort;", true),
        ("ALTER TABLE games ALTER COLUMN kind TYPE varchar;", true),
        ("ALTER TABLE games ALTER COLUMN result SET NOT NULL;", true),
        ("ALTER TABLE games ADD CONSTRAINT c CHECK (seats_max < 9);", true),
        ("CREATE UNIQUE INDEX u ON games (kind);", true),
        ("ALTER TABLE games ADD COLUMN a text; CREATE UNIQUE INDEX u ON games (a, kind);", false),
        ("DELETE FROM players;", true),
        ("-- DROP TABLE games;", false),
    ] {
        assert_eq!(!contracts(sql).is_empty(), refused, "{sql}: {:?}", contracts(sql));
    }
}
