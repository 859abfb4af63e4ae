//! A player's client: what a program needs that plays here and trusts nobody.
//!
//! [`Client`] asks without a token, [`Player`] with one. An [`OwnSeat`] holds what only the player knows: key, seed,
//! sealed moves. A [`Watch`] follows a game's log and says when it is safe to open anything; it does no IO and
//! believes nothing but signed events.

mod answers;
mod client_error;
mod http;
mod own_seat;
mod player;
mod requests;

pub mod watch;

pub use answers::{Receipt, Score, Scores, View};
pub use client_error::ClientError;
pub use http::Client;
pub use own_seat::OwnSeat;
pub use player::Player;
pub use requests::{Commit, MakeMove, NewGame, OpenMove, OpenSeed, Resign, SitDown};
pub use watch::Watch;
