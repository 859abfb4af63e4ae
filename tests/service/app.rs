//! The service itself, as it runs for an operator: a real server on a free port, with a database, a folder, a clock
//! and chance of its own.
//!
//! Its thread is not the test's, so a test may talk to it by blocking calls ([`crate::http`]), by the client library
//! or by other programs.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;

use clap::Parser;
use croupier::app::{self, Stopper};
use croupier::config::Settings;
use croupier::dealer::inputs::{Clock, Entropy, Inputs, NoEntropy, SystemEntropy};
use croupier::timestamp::Timestamp;
use serde_json::{Value, json};

use crate::http::{self, Answer};
use crate::support::TestDatabase;

/// A clock that stands still until a test moves it. Clones are one clock.
#[derive(Clone)]
pub struct TestClock(Arc<AtomicI64>);

impl TestClock {
    /// The moment at which every test begins.
    fn new() -> Self {
        Self(Arc::new(AtomicI64::new("2026-01-02T03:04:05.006Z".parse::<Timestamp>().unwrap().millis())))
    }

    /// Stands at this moment from now on.
    pub fn set(&self, moment: &str) {
        self.0.store(moment.parse::<Timestamp>().unwrap().millis(), Ordering::SeqCst);
    }

    /// Moves on by so many milliseconds.
    pub fn advance_millis(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }

    /// Moves on by so many seconds.
    pub fn advance(&self, seconds: u32) {
        self.advance_millis(i64::from(seconds) * 1000);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst)).unwrap()
    }
}

/// Where the service's random bytes come from.
#[derive(Clone)]
pub enum TestEntropy {
    /// The operating system.
    System,
    /// SplitMix64 from a seed: the same bytes in every run in which the same is asked for in the same order.
    Seeded(Arc<Mutex<Seeded>>),
}

/// The state of SplitMix64, and what is given out before its numbers.
pub struct Seeded {
    state: u64,
    planted: Vec<Vec<u8>>,
}

impl TestEntropy {
    pub fn seeded(seed: u64) -> Self {
        Self::Seeded(Arc::new(Mutex::new(Seeded { state: seed, planted: Vec::new() })))
    }

    /// Whoever asks next for so many bytes gets these.
    pub fn plant(&self, bytes: &[u8]) {
        let Self::Seeded(seeded) = self else { panic!("nothing can be planted in the operating system") };
        seeded.lock().unwrap().planted.push(bytes.to_vec());
    }
}

impl Entropy for TestEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoEntropy> {
        let Self::Seeded(seeded) = self else { return SystemEntropy.fill(bytes) };
        let Seeded { state, planted } = &mut *seeded.lock().unwrap();
        if let Some(index) = planted.iter().position(|one| one.len() == bytes.len()) {
            bytes.copy_from_slice(&planted.remove(index));
            return Ok(());
        }
        for chunk in bytes.chunks_mut(8) {
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = *state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            chunk.copy_from_slice(&(z ^ (z >> 31)).to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

/// What a test may want otherwise: `Setup { workers: 4, ..Setup::default() }.spawn()`.
#[derive(Clone)]
pub struct Setup {
    pub entropy: TestEntropy,
    /// How many threads serve.
    pub workers: usize,
    /// How many connections to the database the instance holds at most.
    pub connections: usize,
    /// How often, by the machine's clock, the service looks for what is late by the test's clock.
    pub sweep_seconds: u32,
    /// Where a replica of the database is, if there is one.
    pub read_url: Option<String>,
    /// More settings, by the names of their arguments. Limits that are not named here are off.
    pub settings: Vec<(&'static str, String)>,
}

/// All limits, by the names of their arguments.
pub const LIMITS: [&str; 10] = [
    "--limit-moves",
    "--limit-reads",
    "--limit-lobby",
    "--limit-sign-up",
    "--limit-sign-in",
    "--limit-audits",
    "--max-open-games",
    "--max-seats",
    "--max-streams",
    "--max-address-streams",
];

impl Default for Setup {
    fn default() -> Self {
        Self {
            entropy: TestEntropy::System,
            workers: 1,
            connections: 4,
            sweep_seconds: 1,
            read_url: None,
            settings: Vec::new(),
        }
    }
}

impl Setup {
    /// With these settings too.
    pub fn with(settings: &[(&'static str, &str)]) -> Self {
        let settings = settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Self { settings, ..Self::default() }
    }

    /// A service with a fresh database and fresh keys.
    pub fn spawn(self) -> TestApp {
        self.spawn_on(TestDatabase::new(), TestFolder::new())
    }

    /// A service on a database that there is, with the keys in a folder.
    pub fn spawn_on(self, database: TestDatabase, folder: TestFolder) -> TestApp {
        TestApp::start(Arc::new(House { database, folder, clock: TestClock::new() }), self)
    }
}

/// A service with a fresh database and fresh keys, as small as it can be.
pub fn spawn_app() -> TestApp {
    Setup::default().spawn()
}

/// A folder that is removed when dropped.
pub struct TestFolder(pub PathBuf);

impl TestFolder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("croupier-test-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// What instances of one service share.
struct House {
    database: TestDatabase,
    folder: TestFolder,
    clock: TestClock,
}

/// As an operator would write them: what is not named here is as it is by default.
fn settings(house: &House, setup: &Setup) -> Settings {
    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        settings: Settings,
    }
    let data = house.folder.0.display().to_string();
    let (connections, workers) = (setup.connections.to_string(), setup.workers.to_string());
    let (sweep, database) = (setup.sweep_seconds.to_string(), &house.database);
    let mut arguments = vec!["serve", "--listen", "127.0.0.1:0", "--data", &data, "--log", "off"];
    arguments.extend(["--database-url", &database.url, "--database-owner-url", &database.owner_url]);
    arguments.extend(["--database-connections", &connections, "--workers", &workers, "--sweep-seconds", &sweep]);
    if let Some(url) = &setup.read_url {
        arguments.extend(["--database-read-url", url]);
    }
    for name in LIMITS.iter().filter(|limit| setup.settings.iter().all(|(name, _)| name != *limit)) {
        arguments.extend([*name, "off"]);
    }
    arguments.extend(setup.settings.iter().flat_map(|(name, value)| [*name, value.as_str()]));
    Cli::parse_from(arguments).settings
}

/// A running instance; stopped when dropped. Database and folder are gone with the last instance.
pub struct TestApp {
    /// Where it listens.
    pub address: SocketAddr,
    /// The same as a URL, without a slash at its end.
    pub url: String,
    /// What the instance believes the time to be.
    pub clock: TestClock,
    setup: Setup,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
    // Last, so that it is dropped after the thread was joined.
    house: Arc<House>,
}

impl TestApp {
    fn start(house: Arc<House>, setup: Setup) -> Self {
        let settings = settings(&house, &setup);
        let inputs = Inputs::new(house.clock.clone(), setup.entropy.clone());
        let (started, starting) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async {
                let running = app::start(&settings, inputs).await.unwrap();
                started.send((running.address, running.stopper())).unwrap();
                running.serve().await.unwrap();
            });
        });
        let (address, stopper) = starting.recv().expect("the service starts");
        let clock = house.clock.clone();
        Self { address, url: format!("http://{address}"), clock, setup, stopper, thread: Some(thread), house }
    }

    /// One more instance on the same database, with the same keys and the same clock.
    pub fn another(&self) -> Self {
        Self::start(Arc::clone(&self.house), self.setup.clone())
    }

    /// Tells the instance to stop, as an operator does, and waits until it has.
    pub fn stop(&self) {
        actix_web::rt::System::new().block_on(self.stopper.stop());
    }

    /// Why one more instance does not start.
    pub fn another_fails(&self) -> String {
        self.another_with(&[])
    }

    /// Why one more instance does not start that has these settings too.
    pub fn another_with(&self, more: &[(&'static str, &str)]) -> String {
        let mut setup = self.setup.clone();
        setup.settings.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
        let (settings, clock) = (settings(&self.house, &setup), self.clock.clone());
        let start = move || {
            let inputs = Inputs::new(clock, SystemEntropy);
            let starting = app::start(&settings, inputs);
            actix_web::rt::System::new().block_on(starting).map(drop).expect_err("it starts").to_string()
        };
        std::thread::spawn(start).join().unwrap()
    }

    /// What it was started with.
    pub fn settings(&self) -> Settings {
        settings(&self.house, &self.setup)
    }

    /// Where it is stored: for looking past the service.
    pub fn database(&self) -> &TestDatabase {
        &self.house.database
    }

    /// The folder of its keys.
    pub fn folder(&self) -> &std::path::Path {
        &self.house.folder.0
    }

    /// Asks for something, with a JSON body or without one.
    pub fn call(&self, method: &str, path: &str, token: Option<&str>, body: Option<&Value>) -> Answer {
        let mut headers = Vec::new();
        let authorization = token.map(|token| format!("Bearer {token}"));
        headers.extend(authorization.as_deref().map(|value| ("Authorization", value)));
        headers.extend(body.map(|_| ("Content-Type", "application/json")));
        let body = body.map(Value::to_string).unwrap_or_default();
        http::call(self.address, method, path, &headers, body.as_bytes())
    }

    /// Asks for something without a token.
    pub fn get(&self, path: &str) -> Answer {
        self.call("GET", path, None, None)
    }

    /// Waits for what the service does by itself, by the machine's clock.
    pub fn until(&self, what: &str, done: impl Fn() -> bool) {
        let begin = std::time::Instant::now();
        while !done() {
            assert!(begin.elapsed() < std::time::Duration::from_secs(30), "{what}: not in 30 seconds");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// A guest of this name.
    pub fn guest(&self, name: &str) -> Guest {
        let answer = self.call("POST", "/v1/players", None, Some(&json!({"name": name})));
        assert_eq!(answer.status, 201, "{}", answer.text());
        let answer = answer.json();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Guest {
            id: text(&answer["player"]["id"]),
            name: text(&answer["player"]["name"]),
            token: text(&answer["token"]),
        }
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        // Sent at once; the future only waits for the end, and so does the join.
        self.stopper.abort();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the service panicked");
        }
    }
}

/// Somebody who came without a password.
#[derive(Clone)]
pub struct Guest {
    pub id: String,
    pub name: String,
    pub token: String,
}

impl Guest {
    pub fn get(&self, app: &TestApp, path: &str) -> Answer {
        app.call("GET", path, Some(&self.token), None)
    }

    pub fn post(&self, app: &TestApp, path: &str, body: &Value) -> Answer {
        app.call("POST", path, Some(&self.token), Some(body))
    }

    /// The id of a new game.
    pub fn create(&self, app: &TestApp, body: &Value) -> String {
        let bearer = format!("Bearer {}", self.token);
        let key = crate::story::fresh_uuid().to_string();
        let headers =
            [("Authorization", &*bearer), ("Content-Type", "application/json"), ("Idempotency-Key", key.as_str())];
        let answer = http::call(app.address, "POST", "/v1/games", &headers, body.to_string().as_bytes());
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()["view"]["game"].as_str().unwrap().to_owned()
    }
}

#[test]
fn it_serves_until_it_is_dropped_by_a_clock_that_a_test_moves() {
    let app = spawn_app();
    let ana = app.guest("Ana");
    let game = ana.create(&app, &json!({"kind": "migraine", "seats": 2}));
    let created = app.get(&format!("/v1/games/{game}")).json();
    assert_eq!(created["created_at"], "2026-01-02T03:04:05.006Z");
    let other = app.another();
    assert_eq!(other.get(&format!("/v1/games/{game}")).json(), created);
    app.clock.advance(7 * 24 * 3600);
    for instance in [&app, &other] {
        let answer = ana.get(instance, "/v1/players/me");
        assert_eq!((answer.status, answer.code().as_str()), (401, "token_expired"));
    }
    assert!(app.folder().join("keys.json").is_file());
    let address = app.address;
    drop(app);
    assert_eq!(other.get("/livez").status, 200);
    assert!(std::net::TcpStream::connect(address).is_err());
}

#[test]
fn seeded_chance_is_the_same_each_time() {
    let created = || {
        let app = Setup { entropy: TestEntropy::seeded(7), sweep_seconds: 3600, ..Setup::default() }.spawn();
        let ana = app.guest("Ana");
        let game = ana.create(&app, &json!({"kind": "migraine", "seats": 2}));
        for player in [&ana, &app.guest("Ben")] {
            let answer = player.post(&app, &format!("/v1/games/{game}/seats"), &json!({}));
            assert_eq!(answer.status, 201, "{} sits down: {}", player.name, answer.text());
        }
        (ana.id, game.clone(), app.get(&format!("/v1/games/{game}/events")).json())
    };
    assert_eq!(created(), created());
}
