//! Clock and entropy: the only place of the program that reads time or the operating system's randomness.

use uuid::Builder;
use zeroize::Zeroizing;

use crate::hex32::Nonce;
use crate::ids::{GameId, NotAnId, PlayerId};
use crate::timestamp::Timestamp;

/// What time it is.
pub trait Clock: Send + Sync {
    /// The server's time.
    fn now(&self) -> Timestamp;
}

/// Random bytes that nobody can foresee.
pub trait Entropy: Send + Sync {
    /// Fills the bytes.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoEntropy>;
}

/// The operating system gave no randomness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoEntropy;

impl std::fmt::Display for NoEntropy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the operating system gave no randomness")
    }
}

impl std::error::Error for NoEntropy {}

/// The machine's clock.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let millis = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
        // A clock outside the years that can be written stands at the last moment: nothing is earlier than it was.
        Timestamp::from_millis(millis).unwrap_or(Timestamp::MAX)
    }
}

/// The operating system's randomness.
#[derive(Debug, Clone, Copy)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoEntropy> {
        #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the system's randomness")]
        getrandom::fill(bytes).map_err(|_| NoEntropy)
    }
}

/// Clock and entropy together, with what is made of them.
pub struct Inputs {
    clock: Box<dyn Clock>,
    entropy: Box<dyn Entropy>,
}

impl Inputs {
    /// The machine's own.
    pub fn system() -> Self {
        Self::new(SystemClock, SystemEntropy)
    }

    /// These.
    pub fn new(clock: impl Clock + 'static, entropy: impl Entropy + 'static) -> Self {
        Self { clock: Box::new(clock), entropy: Box::new(entropy) }
    }

    /// What time it is.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// So many fresh random bytes.
    ///
    /// # Errors
    ///
    /// When there is no randomness.
    pub fn bytes<const N: usize>(&self) -> Result<[u8; N], NoEntropy> {
        let mut bytes = [0; N];
        self.entropy.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// As [`Inputs::bytes`], for what is secret: wiped when dropped.
    ///
    /// # Errors
    ///
    /// When there is no randomness.
    pub fn secret<const N: usize>(&self) -> Result<Zeroizing<[u8; N]>, NoEntropy> {
        let mut bytes = Zeroizing::new([0; N]);
        self.entropy.fill(bytes.as_mut_slice())?;
        Ok(bytes)
    }

    /// A fresh nonce for a commitment.
    ///
    /// # Errors
    ///
    /// When there is no randomness.
    pub fn nonce(&self) -> Result<Nonce, NoEntropy> {
        self.bytes().map(Nonce::new)
    }

    /// A fresh id for a game.
    ///
    /// # Errors
    ///
    /// When there is no randomness.
    pub fn game_id(&self) -> Result<GameId, NoEntropy> {
        self.id(GameId::new)
    }

    /// A fresh id for a player.
    ///
    /// # Errors
    ///
    /// When there is no randomness.
    pub fn player_id(&self) -> Result<PlayerId, NoEntropy> {
        self.id(PlayerId::new)
    }

    fn id<T>(&self, new: impl FnOnce(uuid::Uuid) -> Result<T, NotAnId>) -> Result<T, NoEntropy> {
        let millis = u64::try_from(self.now().millis()).unwrap_or_default();
        let uuid = Builder::from_unix_timestamp_millis(millis, &self.bytes()?).into_uuid();
        // The builder sets version and variant, so this never fails.
        new(uuid).map_err(|_| NoEntropy)
    }
}
