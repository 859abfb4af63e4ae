//! `croupier demo`: a whole match over HTTP against a running service, told as people would tell it.
//!
//! The player on the first seat trusts nobody: it brings a seed and a key of its own, signs and seals everything by
//! itself, and opens nothing before its [`Watch`] agrees. Who sits on the second seat brings a seed but no key; the
//! others leave everything to the house. At the end the whole log is rebuilt from the disclosed seeds.

use std::fmt;
use std::io;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::Value;

use crate::client::watch::{Distrust, Hold};
use crate::client::{Client, ClientError};
use crate::dealer::inputs::{Inputs, NoEntropy};
use crate::games::Kind;

mod narrator;
mod party;
mod place;
mod proof;
pub(crate) mod teller;
mod words;

use narrator::Narrator;
use party::{Party, Table};

/// What to play, and where.
#[derive(Debug, Clone, Args)]
pub struct Demo {
    /// The game.
    #[arg(value_parser = kind_parser())]
    pub kind: Kind,

    /// Where the service is.
    #[arg(long, env = "CROUPIER", default_value = "http://127.0.0.1:8080")]
    pub url: String,

    /// How many play; by default two, or as many as it takes.
    #[arg(long)]
    pub seats: Option<u8>,

    /// What to choose for the game, as JSON, like '{"target": 5}'; by default what makes a short game.
    #[arg(long, value_parser = options_parser)]
    pub options: Option<Value>,
}

/// Reads the name of a kind of game.
pub(crate) fn kind_parser() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::ALL.iter().map(|kind| kind.name())).try_map(|name| {
        Kind::ALL.iter().find(|kind| kind.name() == name).copied().ok_or_else(|| "there is no such game".to_owned())
    })
}

/// Reads options: a JSON object.
///
/// # Errors
///
/// For any other text.
pub(crate) fn options_parser(text: &str) -> Result<Value, String> {
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err("options are a JSON object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Why a demonstration failed.
#[derive(Debug)]
pub enum DemoError {
    /// The service refused or did not answer.
    Client(ClientError),
    /// There is no such table: too many or too few seats, or options that don't exist.
    Setup(String),
    /// Something was not to be opened.
    Hold(Hold),
    /// The game can't be trusted.
    Distrust(Distrust),
    /// Something else that was promised did not hold.
    Broken(String),
    /// There is no randomness to play with.
    NoEntropy,
    /// The tale can't be written.
    Output(io::Error),
}

impl fmt::Display for DemoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(ClientError::Unreachable(url)) => {
                write!(f, "no service answers at {url}: start one with `make run`, or name another with --url")
            }
            Self::Client(error) => error.fmt(f),
            Self::Setup(why) | Self::Broken(why) => f.write_str(why),
            Self::Hold(hold) => write!(f, "nothing is opened here: {hold}"),
            Self::Distrust(distrust) => write!(f, "this game can't be trusted: {distrust}"),
            Self::NoEntropy => NoEntropy.fmt(f),
            Self::Output(error) => write!(f, "the tale can't be written: {error}"),
        }
    }
}

impl std::error::Error for DemoError {}

impl From<ClientError> for DemoError {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl From<Hold> for DemoError {
    fn from(hold: Hold) -> Self {
        Self::Hold(hold)
    }
}

impl From<Distrust> for DemoError {
    fn from(distrust: Distrust) -> Self {
        Self::Distrust(distrust)
    }
}

impl From<NoEntropy> for DemoError {
    fn from(_: NoEntropy) -> Self {
        Self::NoEntropy
    }
}

impl From<io::Error> for DemoError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Plays a match and tells it, line by line.
///
/// # Errors
///
/// When the service does not answer or refuses, and when anything that it promises does not hold.
pub fn run(demo: &Demo, inputs: &Inputs, out: &mut dyn io::Write) -> Result<(), DemoError> {
    actix_web::rt::System::new().block_on(play(demo, inputs, out))
}

async fn play(demo: &Demo, inputs: &Inputs, out: &mut dyn io::Write) -> Result<(), DemoError> {
    let teller = teller::of(demo.kind);
    let table = Table::choose(demo, teller.as_ref())?;
    let client = Client::new(&demo.url)?;
    let mut party = Party::gather(client, &table, inputs).await?;
    let mut narrator = Narrator::new(party.names(), teller);
    narrator.tell(party.watch().events(), out)?;
    party.sit_down().await?;
    loop {
        narrator.tell(&party.catch_up().await?, out)?;
        if party.is_over() {
            break;
        }
        party.act(narrator.teller()).await?;
    }
    if demo.kind == Kind::FatetstRpg {
        place::tell(&party, out).await?;
    }
    proof::tell(&party, out).await
}
