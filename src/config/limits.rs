//! What bounds those who ask.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::str::FromStr;

use clap::Args;
use ipnet::IpNet;

use crate::api::Origins;
use crate::api::limits::{LimitsSettings, Rate};
use crate::dealer::Bounds;

/// How much anybody may ask for. Every number is for one instance; `off` is for no limit.
#[derive(Debug, Clone, Args)]
pub struct Limits {
    /// Writes within games: how many a minute by one player and, after the colon, from one address. All of them may
    /// come at once.
    #[arg(long, env = "CROUPIER_LIMIT_MOVES", default_value = "6000:60000")]
    pub limit_moves: Rate,

    /// Looking at games and at everything else: how many a minute by one player, and from one address.
    #[arg(long, env = "CROUPIER_LIMIT_READS", default_value = "6000:60000")]
    pub limit_reads: Rate,

    /// Listing and creating games, rematches too: how many a minute by one player, and from one address.
    #[arg(long, env = "CROUPIER_LIMIT_LOBBY", default_value = "600:6000")]
    pub limit_lobby: Rate,

    /// New players: how many a minute from one address. There is no player yet to count by.
    #[arg(long, env = "CROUPIER_LIMIT_SIGN_UP", default_value = "off:600")]
    pub limit_sign_up: Rate,

    /// Signing in, renewing and ending tokens: how many a minute for one name or player, and from one address.
    #[arg(long, env = "CROUPIER_LIMIT_SIGN_IN", default_value = "30:120")]
    pub limit_sign_in: Rate,

    /// Bundles and audits: how many a minute by one player, and from one address.
    #[arg(long, env = "CROUPIER_LIMIT_AUDITS", default_value = "300:600")]
    pub limit_audits: Rate,

    /// Proxies whose `X-Forwarded-For` is believed: addresses or networks such as 10.0.0.0/8, with commas between. By
    /// default nobody's.
    #[arg(long, env = "CROUPIER_TRUSTED_PROXIES", value_delimiter = ',', value_parser = network)]
    pub trusted_proxies: Vec<IpNet>,

    /// How many open games a player may host at once.
    #[arg(long, env = "CROUPIER_MAX_OPEN_GAMES", default_value = "100")]
    pub max_open_games: Most,

    /// At how many games that are not over a player may sit at once.
    #[arg(long, env = "CROUPIER_MAX_SEATS", default_value = "1000")]
    pub max_seats: Most,

    /// How many streams a player may have open at once.
    #[arg(long, env = "CROUPIER_MAX_STREAMS", default_value = "50")]
    pub max_streams: Most,

    /// How many streams may be open to one address at once.
    #[arg(long, env = "CROUPIER_MAX_ADDRESS_STREAMS", default_value = "1000")]
    pub max_address_streams: Most,

    /// Which pages of others may use this service from a browser: `*` for all, `off` for none, or their origins with
    /// commas between.
    #[arg(long, env = "CROUPIER_CORS_ORIGINS", default_value = "*")]
    pub cors_origins: Origins,
}

/// At most so many, or `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Most(pub Option<u32>);

impl FromStr for Most {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self(None)),
            number => match number.parse::<NonZeroU32>() {
                Ok(number) => Ok(Self(Some(number.get()))),
                Err(_) => Err("this is a number above 0, or `off`".to_owned()),
            },
        }
    }
}

fn network(text: &str) -> Result<IpNet, String> {
    let address = || text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
    text.parse().or_else(|_| address()).map_err(|_| "this is an address, or a network such as 10.0.0.0/8".to_owned())
}

impl Limits {
    /// What the API counts.
    pub fn of_requests(&self) -> LimitsSettings {
        LimitsSettings {
            // In the order of `Bucket::ALL`.
            rates: [
                self.limit_moves,
                self.limit_reads,
                self.limit_lobby,
                self.limit_sign_up,
                self.limit_sign_in,
                self.limit_audits,
            ],
            trusted_proxies: self.trusted_proxies.clone(),
            player_streams: self.max_streams.0,
            address_streams: self.max_address_streams.0,
        }
    }

    /// What players may have at once.
    pub fn of_players(&self) -> Bounds {
        Bounds { open_games: self.max_open_games.0, seats: self.max_seats.0 }
    }
}
