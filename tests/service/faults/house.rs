//! Two instances and a database of their own, as processes that can be killed.

use std::fs::{self, File};
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::proxy::Proxy;
use crate::app::LIMITS;
use crate::http;
use crate::support::{block_on, query, raw, sql};

const PROGRAM: &str = env!("CARGO_BIN_EXE_croupier");

pub struct House {
    folder: PathBuf,
    /// Whether its folder is on a disk of its own, which can be filled.
    pub has_own_disk: bool,
    instances: [Instance; 2],
    /// The second instance's way to the database.
    pub proxy: Proxy,
}

struct Instance {
    address: SocketAddr,
    /// Without one it opens the house's own database.
    database: Option<SocketAddr>,
    process: Child,
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// An address that nobody listens on.
fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn start(folder: &Path, address: SocketAddr, database: Option<SocketAddr>) -> Child {
    let log = File::options().create(true).append(true).open(folder.join("said")).unwrap();
    let mut command = Command::new(PROGRAM);
    // A load is faster than any player.
    command.args(["serve", "--log=warn", "--listen", &address.to_string()]).arg("--data").arg(folder);
    command.args(LIMITS.map(|limit| format!("{limit}=off")));
    command.env_remove("DATABASE_URL").env_remove("DATABASE_OWNER_URL");
    for (role, setting) in [("croupier", "--database-url"), ("croupier_owner", "--database-owner-url")] {
        command.args(database.map(|address| format!("{setting}=postgres://{role}@{address}/croupier")));
    }
    command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
}

fn kill(signal: &str, pids: &[String]) {
    Command::new("kill").arg(format!("-{signal}")).args(pids).stderr(Stdio::null()).status().unwrap();
}

impl House {
    pub fn open() -> Self {
        // Not in the usual folder for temporary files: its path may be too long for a socket, or be closed to the
        // database's user.
        let folder = PathBuf::from(format!("/tmp/croupier-faults-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let has_own_disk = mount(&folder);
        let addresses = [free_address(), free_address()];
        let first = Instance { address: addresses[0], database: None, process: start(&folder, addresses[0], None) };
        until_ready(first.address, &folder);
        let proxy = Proxy::to(home_of(&folder).join("socket/.s.PGSQL.5432"));
        let database = Some(proxy.address);
        let second = Instance { address: addresses[1], database, process: start(&folder, addresses[1], database) };
        until_ready(second.address, &folder);
        Self { folder, has_own_disk, instances: [first, second], proxy }
    }

    /// What the instances said.
    pub fn said(&self) -> String {
        fs::read_to_string(self.folder.join("said")).unwrap()
    }

    /// Whole games, half a dozen at once, each seat with an instance of its own.
    pub fn load(&self, what: &[&str]) -> Child {
        let addresses = self.instances.each_ref().map(|instance| instance.address.to_string()).join(",");
        let mut command = Command::new(PROGRAM);
        command.args(["load", "--json", "--quiet", "--warm-up=0", "--games=6", "--total-games=12", "--spread-seats"]);
        command.args(["--verify-signatures", "--patience=60", "--address", &addresses]).args(what);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub fn kill_instance(&mut self, number: usize) {
        let instance = &mut self.instances[number];
        instance.process.kill().unwrap();
        instance.process.wait().unwrap();
        instance.process = start(&self.folder, instance.address, instance.database);
        until_ready(instance.address, &self.folder);
    }

    /// It is started again by the instance that keeps it.
    pub fn kill_database(&self) {
        self.signal_database("KILL");
        self.until_ready();
    }

    /// Waits until both instances have their database.
    fn until_ready(&self) {
        self.instances.iter().for_each(|instance| until_ready(instance.address, &self.folder));
    }

    /// Takes all the space that is left on the disk, on which everything of this house is, for a while.
    pub fn fill_disk(&self) {
        let ballast = self.folder.join("ballast");
        let mut file = File::create(&ballast).unwrap();
        for size in [1 << 20, 4096, 1] {
            let block = vec![1; size];
            while file.write_all(&block).is_ok() {}
        }
        sleep(Duration::from_secs(2));
        fs::remove_file(ballast).unwrap();
        self.until_ready();
    }

    /// Sends a signal to the database's first process and all that it has started.
    pub fn signal_database(&self, signal: &str) {
        let first = fs::read_to_string(home_of(&self.folder).join("cluster/postmaster.pid")).unwrap();
        let first = first.lines().next().unwrap().to_owned();
        let pids = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.file_name().into_string().unwrap());
        let is_child = |pid: &String| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            // After the name, which is in brackets: the state, and who started it.
            stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)) == Some(&first)
        };
        let mut all: Vec<String> = pids.filter(|pid| pid.parse::<u32>().is_ok()).filter(is_child).collect();
        // It comes first, or it would start others in the place of those that are killed.
        all.insert(0, first);
        kill(signal, &all);
    }

    fn superuser(&self) -> String {
        let socket = home_of(&self.folder).join("socket");
        format!("host={} user=postgres dbname=croupier", socket.display())
    }

    fn ask(&self, statements: &[&str]) {
        block_on(async {
            let client = raw(&self.superuser()).await;
            for statement in statements {
                sql(&client, statement).await.unwrap();
            }
        });
    }

    pub fn read_only(&self, only: bool) {
        let set = format!("ALTER SYSTEM SET default_transaction_read_only = {only}");
        self.ask(&["SET default_transaction_read_only = false", &set, "SELECT pg_reload_conf()"]);
    }

    pub fn end_sessions(&self) {
        self.ask(&["SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'croupier'"]);
    }

    /// The ids of all games.
    pub fn games(&self) -> Vec<String> {
        query(&self.superuser(), "SELECT game_id::text FROM games ORDER BY 1")
    }

    pub fn get(&self, path: &str) -> Value {
        http::call(self.instances[0].address, "GET", path, &[], b"").json()
    }

    /// Has the auditor's own program check the games' bundles, by the keys that are published.
    pub fn audit_offline(&self, games: &[String]) {
        let written = |name: &str, value: Value| {
            let path = self.folder.join(name);
            fs::write(&path, value.to_string()).unwrap();
            path
        };
        let keys = written("published.json", self.get("/.well-known/jwks.json"));
        let bundle = |game: &String| written(&format!("{game}.json"), self.get(&format!("/v1/games/{game}/bundle")));
        let mut audit = Command::new(env!("CARGO_BIN_EXE_croupier-audit"));
        audit.arg("--keys").arg(keys).args(games.iter().map(bundle));
        let Output { status, stdout, .. } = audit.output().unwrap();
        assert!(status.success(), "{}", String::from_utf8_lossy(&stdout));
    }
}

impl Drop for House {
    fn drop(&mut self) {
        // Or they would hold on to the database, which is asked to stop at once.
        self.instances.iter_mut().for_each(|instance| drop(instance.process.kill()));
        self.signal_database("QUIT");
        let end = Instant::now() + Duration::from_secs(20);
        while home_of(&self.folder).join("cluster/postmaster.pid").exists() && Instant::now() < end {
            sleep(Duration::from_millis(50));
        }
        if self.has_own_disk {
            Command::new("umount").arg("--lazy").arg(&self.folder).status().ok();
        }
        fs::remove_dir_all(&self.folder).ok();
    }
}

/// Puts a small disk in memory there, which only root may.
fn mount(folder: &Path) -> bool {
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=320m,mode=755", "croupier-faults"]).arg(folder);
    mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The folder of the house's own database.
fn home_of(folder: &Path) -> PathBuf {
    let mut entries = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    entries.find(|path| path.join("cluster/PG_VERSION").exists()).expect("there is a database")
}

fn until_ready(address: SocketAddr, folder: &Path) {
    let end = Instant::now() + Duration::from_secs(60);
    let ready = || {
        std::net::TcpStream::connect(address).is_ok() && http::send(address, "GET", "/readyz", &[], b"").status == 200
    };
    while !ready() {
        let said = || fs::read_to_string(folder.join("said")).unwrap();
        assert!(Instant::now() < end, "an instance does not get ready: {}", said());
        sleep(Duration::from_millis(20));
    }
}

/// What a load found in the end.
pub fn report(load: Child) -> Value {
    let output = load.wait_with_output().unwrap();
    let (said, told) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{said}{told}");
    serde_json::from_slice(&output.stdout).unwrap()
}
