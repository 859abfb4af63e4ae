//! The one program: serves, migrates, tells, plays.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;

use clap::{Parser, Subcommand};
use croupier::api::openapi::Document;
use croupier::app::{self, StartError};
use croupier::config::Settings;
use croupier::dealer::inputs::Inputs;
use croupier::demo::{self, Demo};
use croupier::keyring;
use croupier::own_postgres::{Cluster, Durability, default_data_dir, run_with_throw_away};
use croupier::telemetry;

/// A card table over HTTP whose every shuffle can be proved fair.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the service; without DATABASE_URL with a Postgres of its own.
    Serve(Settings),
    /// Bring the database's tables up to date, and stop.
    Migrate(Settings),
    /// After the database was restored from a backup, before any instance starts: games that were not over then are cut
    /// short and never continued, since events that were signed after the backup may be in somebody's hands.
    Restored(Settings),
    /// Make the table of high scores anew from the logs of all finished runs, and stop.
    RebuildScores(Settings),
    /// Play a whole match against a running service, and tell it.
    Demo(Demo),
    /// Play many games at once against running instances: how fast they are, and whether they keep their promises.
    #[cfg(feature = "load")]
    Load(croupier::load::Load),
    /// Measure this very program as a service, beside a throw-away Postgres that writes to disk as a real one does.
    #[cfg(feature = "load")]
    Bench(croupier::bench::Bench),
    /// Print the OpenAPI document.
    Openapi {
        /// As OpenAPI 3.0, for tools that don't read 3.1.
        #[arg(long)]
        older: bool,
    },
    /// Ask a service on this machine whether it is alive; for health checks.
    Healthcheck {
        /// Where it listens.
        #[arg(long, env = "CROUPIER_LISTEN", default_value = "127.0.0.1:8080")]
        listen: std::net::SocketAddr,
    },
    /// Work with the service's keys.
    Keys {
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// Work with a Postgres of one's own.
    Postgres {
        #[command(subcommand)]
        command: PostgresCommand,
    },
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Add a new key for each use to the file of keys, and end the old ones when the new ones begin to sign. Start
    /// every instance anew before that; old keys stay published.
    Rotate {
        /// The folder of the file `keys.json`.
        #[arg(long, env = "CROUPIER_DATA", default_value_os_t = default_data_dir())]
        data: PathBuf,
        /// In how many seconds the new keys begin to sign.
        #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(60..))]
        after: u32,
    },
}

#[derive(Debug, Subcommand)]
enum PostgresCommand {
    /// Run a command beside a throw-away Postgres, whose addresses it finds in TEST_DATABASE_URL,
    /// TEST_DATABASE_OWNER_URL and TEST_DATABASE_SUPERUSER_URL.
    Run {
        /// Write to disk as a real one does, for measurements.
        #[arg(long)]
        durable: bool,
        /// The command and its arguments.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("croupier: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A request is some hundred small allocations; this allocator makes them in half the time of the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Failure = Box<dyn std::error::Error>;

fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Serve(settings) => serve(settings),
        Command::Migrate(settings) => {
            for name in app::migrate_database(&settings)? {
                println!("migrated: {name}");
            }
            println!("The database is up to date.");
            Ok(ExitCode::SUCCESS)
        }
        Command::Restored(settings) => {
            with_database(settings, |settings, _| {
                println!("{}", app::cut_short(settings, &Inputs::system())?);
                Ok(())
            })?;
            Ok(ExitCode::SUCCESS)
        }
        Command::RebuildScores(settings) => {
            with_database(settings, |settings, _| {
                let count = app::rebuild_scores(settings, Inputs::system())?;
                println!("{count} finished runs stand in the table.");
                Ok(())
            })?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Demo(demo) => {
            demo::run(&demo, &Inputs::system(), &mut std::io::stdout().lock())?;
            Ok(ExitCode::SUCCESS)
        }
        #[cfg(feature = "load")]
        Command::Load(load) => {
            let report = croupier::load::run(&load, &Inputs::system())?;
            match load.json {
                true => println!("{}", serde_json::to_string_pretty(&report)?),
                false => print!("{report}"),
            }
            Ok(if report.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        #[cfg(feature = "load")]
        Command::Bench(bench) => {
            croupier::bench::run(&bench, &mut std::io::stdout().lock())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Openapi { older } => {
            let document = Document::of_this_service();
            match older {
                true => print!("{}", document.older_text()),
                false => print!("{}", document.text()),
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Keys { command: KeysCommand::Rotate { data, after } } => {
            tell(&keyring::rotate(&data, &Inputs::system(), after)?);
            Ok(ExitCode::SUCCESS)
        }
        Command::Healthcheck { listen } => Ok(healthcheck(listen)),
        Command::Postgres { command: PostgresCommand::Run { durable, command } } => {
            let durability = if durable { Durability::Full } else { Durability::None };
            let status = run_with_throw_away(durability, &command, &|line| eprintln!("{line}"))?;
            Ok(exit_code(status))
        }
    }
}

/// Says what a rotation did: public halves only.
fn tell(rotated: &keyring::Rotated) {
    for jwk in &rotated.closed {
        println!("{:?} key {} signs until {}", jwk.croupier_use, jwk.kid, rotated.at);
    }
    for jwk in &rotated.new {
        println!("{:?} key {} signs from {} on", jwk.croupier_use, jwk.kid, rotated.at);
    }
    println!("Start every instance anew with this file before {}: it publishes the new keys.", rotated.at);
}

/// As a shell tells it: 128 and the signal where the command was ended by one.
fn exit_code(status: std::process::ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Does something with the database of the settings, or with the service's own.
fn with_database<T>(
    mut settings: Settings,
    work: impl FnOnce(&Settings, Option<&Cluster>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    // Kept until the service has stopped: it is stopped after it.
    let mut cluster = None;
    if settings.database_url.is_none() {
        println!("No DATABASE_URL, so the service keeps a Postgres of its own in {}.", settings.data.display());
        let own = Cluster::open(&settings.data, &|line| println!("{line}"))?;
        settings.database_url = Some(own.service_url());
        settings.database_owner_url = Some(own.owner_url());
        cluster = Some(own);
    }
    let done = work(&settings, cluster.as_ref());
    if let Some(cluster) = cluster {
        cluster.stop()?;
    }
    done
}

fn serve(settings: Settings) -> Result<ExitCode, Failure> {
    telemetry::start(settings.log_format, &settings.log);
    with_database(settings, |settings, cluster| {
        for name in app::migrate_database(settings)? {
            println!("migrated: {name}");
        }
        without_huge_pages();
        thread::scope(|scope| {
            // Dropped when the service has stopped.
            let (_serving, served) = mpsc::channel();
            if let Some(cluster) = cluster {
                scope.spawn(move || cluster.keep_running(&served, &|line| tracing::warn!("{line}")));
            }
            actix_web::rt::System::new().block_on(async {
                let running = app::start(settings, Inputs::system()).await?;
                greet(running.address);
                running.serve().await.map_err(|error| StartError::Listen(settings.listen, error))
            })
        })?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Has memory come in pages of 4 KiB from now on. The allocator asks for large ones, and then each buffer of which a
/// connection has not yet used the end is there all the same: 21 KiB an idle watcher instead of 16, and no more moves a
/// second.
fn without_huge_pages() {
    #[cfg(target_os = "linux")]
    if let Err(error) = nix::sys::prctl::set_thp_disable(true) {
        tracing::warn!(%error, "huge pages stay in use");
    }
}

fn greet(address: std::net::SocketAddr) {
    // As it was called, so that the line can be copied.
    let program = std::env::args().next().unwrap_or_else(|| "croupier".to_owned());
    println!("\nCroupier deals at http://{address}");
    println!("  the API, to read and to try:  http://{address}/docs");
    println!("  watch a whole match of cards: {program} demo migraine --url http://{address}");
    println!("  or sit down yourself:         the README's first five minutes\n");
}

/// Speaks HTTP by hand: one request, of which the first line of the answer is all that counts.
fn healthcheck(listen: std::net::SocketAddr) -> ExitCode {
    use std::io::{Read, Write};
    use std::time::Duration;
    let ask = || -> std::io::Result<bool> {
        let mut address = listen;
        if address.ip().is_unspecified() {
            address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
        }
        let timeout = Duration::from_secs(2);
        let mut stream = std::net::TcpStream::connect_timeout(&address, timeout)?;
        stream.set_read_timeout(Some(timeout))?;
        stream.write_all(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer)?;
        Ok(&answer == b"HTTP/1.1 200")
    };
    if ask().unwrap_or(false) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
