//! Who plays: guests, and players with a password.

use std::fmt;

use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use argon2::{Argon2, Params};
use zeroize::Zeroizing;

use super::player_name::PlayerName;
use super::{Dealer, DealerError};
use crate::ids::PlayerId;
use crate::ledger::{LedgerError, Player};
use crate::timestamp::Timestamp;

/// A player, as far as others may know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The player's id.
    pub id: PlayerId,
    /// The player's name.
    pub name: String,
    /// Whether the player can't come again without a token: it has no password, and nobody outside vouches for it.
    pub guest: bool,
    /// When the player came first.
    pub created_at: Timestamp,
    /// Tokens of an earlier generation are ended.
    pub token_generation: u32,
    /// Tokens from outside that were issued until then are ended.
    pub tokens_ended_at: Option<Timestamp>,
}

impl From<Player> for Account {
    fn from(row: Player) -> Self {
        Self {
            id: row.id,
            name: row.name,
            guest: row.password_hash.is_none() && row.identity.is_none(),
            created_at: row.created_at,
            token_generation: row.token_generation,
            tokens_ended_at: row.tokens_ended_at,
        }
    }
}

/// A password of 8 to 128 characters; wiped when dropped.
pub struct Password(Zeroizing<String>);

/// Why a text is no password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAPassword;

impl fmt::Display for NotAPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a password has 8 to 128 characters")
    }
}

impl std::error::Error for NotAPassword {}

impl Password {
    /// Reads a password.
    ///
    /// # Errors
    ///
    /// When it is shorter than 8 characters or longer than 128.
    pub fn parse(text: String) -> Result<Self, NotAPassword> {
        let text = Zeroizing::new(text);
        if (8..=128).contains(&text.chars().count()) { Ok(Self(text)) } else { Err(NotAPassword) }
    }
}

/// Argon2id with 19 MiB, two passes, one lane: the least that OWASP's password storage cheat sheet names.
fn argon2() -> Argon2<'static> {
    Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, Params::default())
}

impl Dealer {
    /// Makes a player; without a password a guest.
    ///
    /// # Errors
    ///
    /// When the name is taken, guests' names included, or the database is away.
    pub async fn sign_up(&self, name: PlayerName, password: Option<Password>) -> Result<Account, DealerError> {
        let salt: [u8; 16] = self.inputs().bytes()?;
        let password_hash = match password {
            Some(password) => Some(self.hash(move || hash(&password, &salt)).await??),
            None => None,
        };
        let row = Player {
            id: self.inputs().player_id()?,
            name_key: name.key(),
            name: name.as_str().to_owned(),
            password_hash,
            identity: None,
            token_generation: 0,
            tokens_ended_at: None,
            created_at: self.inputs().now(),
        };
        match self.ledger().insert_player(&row).await {
            Ok(()) => Ok(row.into()),
            Err(LedgerError::Conflict) => Err(DealerError::NameTaken),
            Err(error) => Err(error.into()),
        }
    }

    /// Finds the player with this name and password.
    ///
    /// # Errors
    ///
    /// When there is none, or the database is away.
    pub async fn sign_in(&self, name: PlayerName, password: Password) -> Result<Account, DealerError> {
        let row = self.ledger().player_by_name(&name.key()).await?;
        let stored = row.as_ref().and_then(|row| row.password_hash.clone());
        let salt: [u8; 16] = self.inputs().bytes()?;
        let good = self.hash(move || verify(&password, stored.as_deref(), &salt)).await??;
        row.filter(|_| good).map(Account::from).ok_or(DealerError::WrongCredentials)
    }

    /// Ends all tokens issued to the player so far.
    ///
    /// # Errors
    ///
    /// When the database is away.
    pub async fn end_tokens(&self, player: PlayerId) -> Result<(), DealerError> {
        let raised = self.ledger().raise_token_generation(player, self.inputs().now()).await;
        // Also when nobody knows whether it was done: then the database is asked.
        self.shared.accounts.forget(player);
        raised?;
        Ok(())
    }

    /// Runs the slow work of a password off the threads that serve requests.
    async fn hash<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, DealerError> {
        // The semaphore is never closed; if it were, hashing would only be unbounded.
        let _turn = self.shared.hashing.acquire().await;
        tokio::task::spawn_blocking(work).await.map_err(|_| DealerError::corrupt("hashing a password was interrupted"))
    }
}

fn hash(password: &Password, salt: &[u8]) -> Result<String, DealerError> {
    let hash = argon2().hash_password_with_salt(password.0.as_bytes(), salt);
    hash.map(|hash| hash.to_string())
        .map_err(|error| DealerError::corrupt(format!("a password can't be hashed: {error}")))
}

/// Takes as long for a name that nobody has, so that the time tells nothing.
fn verify(password: &Password, stored: Option<&str>, salt: &[u8]) -> Result<bool, DealerError> {
    let Some(stored) = stored else {
        hash(password, salt)?;
        return Ok(false);
    };
    let stored = PasswordHash::new(stored).map_err(|_| DealerError::corrupt("a stored password hash is none"))?;
    Ok(argon2().verify_password(password.0.as_bytes(), &stored).is_ok())
}
