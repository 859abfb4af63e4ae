//! What the server knows of a game that stands in no event yet, encrypted.

use diesel::{ExpressionMethods, Insertable, QueryDsl, Queryable, Selectable, SelectableHelper};
use diesel_async::RunQueryDsl;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::lease::within;
use super::schema::secrets;
use super::secret_keys::{NONCE_BYTES, Sealed};
use super::{Ledger, LedgerError, SecretKeys};
use crate::canonical;
use crate::games::Move;
use crate::hex32::Nonce;
use crate::ids::GameId;
use crate::seat::Seat;
use crate::table::{MAX_MOVE_BYTES, SealedMove};

/// Which secret of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecretId {
    /// The root of the chain of seeds.
    Root,
    /// A move that the server sealed.
    Move {
        /// Whose.
        seat: Seat,
        /// The decision.
        step: u32,
    },
}

impl SecretId {
    /// As the table's columns `what`, `seat` and `step` have it.
    pub(super) const fn columns(self) -> (&'static str, i16, u32) {
        match self {
            Self::Root => ("root", 0, 0),
            // At most 19, so the cast loses nothing.
            Self::Move { seat, step } => ("move", seat.index() as i16, step),
        }
    }
}

/// A secret of a game.
#[derive(Clone)]
pub enum Secret {
    /// The root of the chain of seeds.
    Root(Zeroizing<[u8; 32]>),
    /// A move that the server sealed.
    Move(Seat, SealedMove),
}

impl Secret {
    /// Which it is.
    pub const fn id(&self) -> SecretId {
        match self {
            Self::Root(_) => SecretId::Root,
            Self::Move(seat, sealed) => SecretId::Move { seat: *seat, step: sealed.step },
        }
    }
}

/// A secret to be stored.
#[derive(Clone)]
pub struct NewSecret {
    /// The secret.
    pub secret: Secret,
    /// Fresh random bytes to encrypt it with; never used for anything else.
    pub nonce: [u8; NONCE_BYTES],
}

/// The secrets of a game.
#[derive(Clone, Default)]
pub struct GameSecrets {
    /// The root of the chain of seeds, until the game is over.
    pub root: Option<Zeroizing<[u8; 32]>>,
    /// The moves that the server sealed and that are not opened.
    pub moves: Vec<(Seat, SealedMove)>,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = secrets, check_for_backend(diesel::pg::Pg))]
pub(super) struct SecretRow {
    game_id: Uuid,
    what: String,
    seat: i16,
    step: i32,
    key_id: String,
    nonce: Vec<u8>,
    ciphertext: Vec<u8>,
}

impl SecretRow {
    /// The row of a secret.
    ///
    /// # Errors
    ///
    /// For a move longer than any that the table takes.
    pub(super) fn new(game: GameId, new: &NewSecret, keys: &SecretKeys) -> Result<Self, LedgerError> {
        let id = new.secret.id();
        let unfit = || LedgerError::Other(format!("the secret {id:?} of game {game} can't be stored"));
        let plain = match &new.secret {
            Secret::Root(root) => Zeroizing::new(root.to_vec()),
            Secret::Move(_, sealed) => write_move(sealed).ok_or_else(unfit)?,
        };
        let Sealed { key_id, nonce, ciphertext } = keys.seal(game, id, &plain, new.nonce).ok_or_else(unfit)?;
        let (what, seat, step) = id.columns();
        let step = i32::try_from(step).map_err(|_| unfit())?;
        Ok(Self { game_id: game.uuid(), what: what.to_owned(), seat, step, key_id, nonce: nonce.to_vec(), ciphertext })
    }

    fn id(&self) -> Option<SecretId> {
        match self.what.as_str() {
            "root" => Some(SecretId::Root),
            "move" => {
                let seat = Seat::new(usize::try_from(self.seat).ok()?).ok()?;
                Some(SecretId::Move { seat, step: u32::try_from(self.step).ok()? })
            }
            _ => None,
        }
    }

    fn read(self, game: GameId, keys: &SecretKeys) -> Result<Secret, LedgerError> {
        let id =
            self.id().ok_or_else(|| LedgerError::corrupt(&format!("a secret of game {game}"), "no such secret"))?;
        let name = format!("the secret {id:?} of game {game}");
        let nonce = self.nonce.try_into().map_err(|_| LedgerError::corrupt(&name, "its nonce has a wrong length"))?;
        let sealed = Sealed { key_id: self.key_id, nonce, ciphertext: self.ciphertext };
        let plain = keys.open(game, id, &sealed).map_err(|error| LedgerError::corrupt(&name, error))?;
        let secret = match id {
            SecretId::Root => plain.as_slice().try_into().ok().map(|root| Secret::Root(Zeroizing::new(root))),
            SecretId::Move { seat, step } => read_move(step, &plain).map(|sealed| Secret::Move(seat, sealed)),
        };
        secret.ok_or_else(|| LedgerError::corrupt(&name, "it has not the form of one"))
    }
}

/// A sealed move as it is encrypted: its nonce, then its canonical JSON, filled up with spaces to one length for all,
/// since the length of what is encrypted shows, and would tell moves apart. `None` for one that is too long.
fn write_move(sealed: &SealedMove) -> Option<Zeroizing<Vec<u8>>> {
    let mv = Zeroizing::new(canonical::to_jcs(&sealed.mv));
    if mv.len() > MAX_MOVE_BYTES {
        return None;
    }
    // At its full length from the start, so that no copy is left behind by growing.
    let mut plain = Zeroizing::new(Vec::with_capacity(32 + MAX_MOVE_BYTES));
    plain.extend_from_slice(sealed.nonce.as_bytes());
    plain.extend_from_slice(&mv);
    plain.resize(32 + MAX_MOVE_BYTES, b' ');
    Some(plain)
}

fn read_move(step: u32, plain: &[u8]) -> Option<SealedMove> {
    let (nonce, mv) = plain.split_first_chunk::<32>()?;
    let mv = Move::read(canonical::parse(mv).ok()?).ok()?;
    Some(SealedMove { step, mv, nonce: Nonce::new(*nonce) })
}

impl Ledger {
    /// The secrets of a game.
    ///
    /// # Errors
    ///
    /// When the database fails; `Corrupt` when a secret can't be decrypted.
    pub async fn secrets(&self, game: GameId) -> Result<GameSecrets, LedgerError> {
        let mut lease = self.lease().await?;
        let query = secrets::table.filter(secrets::game_id.eq(game.uuid())).select(SecretRow::as_select());
        let query = query.order((secrets::step, secrets::seat));
        let result = within(query.load(lease.connection())).await;
        let mut found = GameSecrets::default();
        for row in lease.settle(result).await? {
            match row.read(game, &self.secret_keys)? {
                Secret::Root(root) => found.root = Some(root),
                Secret::Move(seat, sealed) => found.moves.push((seat, sealed)),
            }
        }
        Ok(found)
    }

    /// The ids of keys that stored secrets need and that are not configured, ascending. A service that finds any must
    /// not start.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn missing_secret_keys(&self) -> Result<Vec<String>, LedgerError> {
        let known = self.secret_keys.ids();
        let mut lease = self.lease().await?;
        let query = secrets::table.select(secrets::key_id).distinct().filter(secrets::key_id.ne_all(known));
        let result = within(query.order(secrets::key_id).load(lease.connection())).await;
        lease.settle(result).await
    }
}
