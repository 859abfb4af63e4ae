//! Players whom an outside identity provider vouches for.

use super::player_name::PlayerName;
use super::{Dealer, DealerError};
use crate::ids::PlayerId;
use crate::ledger::{Identity, LedgerError, Player};

/// How many names are tried for one player: what it would like, and made-up ones.
const NAMES: usize = 8;

impl Dealer {
    /// The player of an identity; made when that is seen first, under the first of these names that is free and can be
    /// one, or under a made-up one.
    ///
    /// # Errors
    ///
    /// When the database is away; the call may be repeated.
    pub async fn player_of(&self, identity: &Identity, names: &[String]) -> Result<PlayerId, DealerError> {
        let mut names = names.iter().filter_map(|name| PlayerName::parse(name).ok());
        for _ in 0..NAMES {
            if let Some(player) = self.ledger().player_by_identity(identity).await? {
                return Ok(player.id);
            }
            let name = match names.next() {
                Some(name) => name,
                None => self.made_up_name()?,
            };
            let player = Player {
                id: self.inputs().player_id()?,
                name_key: name.key(),
                name: name.as_str().to_owned(),
                password_hash: None,
                identity: Some(identity.clone()),
                token_generation: 0,
                tokens_ended_at: None,
                created_at: self.inputs().now(),
            };
            match self.ledger().insert_player(&player).await {
                Ok(()) => return Ok(player.id),
                // Another instance saw it first, or the name is taken: the next look tells.
                Err(LedgerError::Conflict) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(DealerError::Busy)
    }

    fn made_up_name(&self) -> Result<PlayerName, DealerError> {
        let number = u32::from_be_bytes(self.inputs().bytes()?);
        PlayerName::parse(&format!("Player {number:08x}")).map_err(|error| DealerError::corrupt(error.to_string()))
    }
}
