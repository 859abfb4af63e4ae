//! What only a player knows at a table: a key, a seed, the moves it has sealed.
//!
//! Everything that is opened goes out through here, and only when a [`Watch`] has nothing against it.

use super::Watch;
use super::requests::{Commit, MakeMove, OpenMove, OpenSeed, Resign, SitDown};
use super::watch::Hold;
use crate::commitment::{command_digest, move_commitment, seed_commitment};
use crate::event::{Command, Committed, PlayerRef, SealedBy, Seated};
use crate::games::Move;
use crate::hex32::{Nonce, PlayerSeed};
use crate::ids::GameId;
use crate::keys::{Signature, SigningKey};
use crate::seat::Seat;

/// One seat of one game, from its player's side.
pub struct OwnSeat {
    game: GameId,
    seat: Seat,
    player: PlayerRef,
    key: Option<SigningKey>,
    seed: Option<PlayerSeed>,
    /// What `seated` must say.
    seated: Option<Seated>,
    sealed: Option<Sealed>,
}

/// A move that was committed to.
struct Sealed {
    mv: Move,
    nonce: Nonce,
    /// What `committed` must say.
    committed: Committed,
}

impl OwnSeat {
    /// A seat that is not taken yet. Key and seed must be fresh from the operating system.
    pub fn new(game: GameId, seat: Seat, player: PlayerRef, key: Option<SigningKey>, seed: Option<PlayerSeed>) -> Self {
        Self { game, seat, player, key, seed, seated: None, sealed: None }
    }

    /// The seat.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Whether the player signs, and so must seal, by itself.
    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Whether the player contributes a seed.
    pub fn has_seed(&self) -> bool {
        self.seed.is_some()
    }

    /// Sits down, knowing the log up to this event.
    pub fn sit(&mut self, after: u64) -> SitDown {
        let seed_commitment = self.seed.as_ref().map(|seed| seed_commitment(self.game, self.seat, seed));
        let key = self.key.as_ref().map(SigningKey::public);
        let after = self.has_key().then_some(after);
        let by = self.sign("seated", &Command::Seated { seed_commitment, key, after });
        self.seated = Some(Seated { player: self.player.clone(), seed_commitment, key, after, by });
        SitDown { seat: Some(self.seat), seed_commitment, key, after, by }
    }

    /// Opens the seed, if all is well.
    ///
    /// # Errors
    ///
    /// See [`Hold`].
    pub fn open_seed(&self, watch: &Watch) -> Result<OpenSeed, Hold> {
        let seed = self.seed.ok_or(Hold::NoMore("no seed was committed to"))?;
        watch.may_open_seed(self.seat, self.seated()?)?;
        Ok(OpenSeed { seed, by: self.sign("seed_opened", &Command::SeedOpened { seed: &seed }) })
    }

    /// Moves in the open: a decision, or else after this event.
    pub fn make_move(&self, step: Option<u32>, after: Option<u64>, mv: Move) -> MakeMove {
        let by = self.sign("moved", &Command::Moved { step, after, mv: &mv });
        MakeMove { step, after, mv, by }
    }

    /// Seals a move. The nonce must be fresh from the operating system.
    pub fn commit(&mut self, step: u32, mv: Move, nonce: Nonce) -> Commit {
        let commitment = move_commitment(self.game, self.seat, step, &mv, &nonce);
        let by = self.sign("committed", &Command::Committed { step, commitment });
        let committed = Committed { step, commitment, sealed_by: SealedBy::Client, by };
        self.sealed = Some(Sealed { mv, nonce, committed });
        Commit { step, commitment, by }
    }

    /// Opens the move that was sealed last, if all is well.
    ///
    /// # Errors
    ///
    /// See [`Hold`].
    pub fn open_move(&self, watch: &Watch) -> Result<OpenMove, Hold> {
        let Sealed { mv, nonce, committed } = self.sealed.as_ref().ok_or(Hold::NoMore("no move was sealed"))?;
        watch.may_open_move(self.seat, self.seated()?, committed)?;
        let step = committed.step;
        let by = self.sign("opened", &Command::Opened { step, mv, nonce });
        Ok(OpenMove { step, mv: mv.clone(), nonce: *nonce, by })
    }

    /// Gives up, knowing the log up to this event.
    pub fn resign(&self, after: u64) -> Resign {
        let after = Some(after);
        Resign { after, by: self.sign("resigned", &Command::After { after }) }
    }

    fn seated(&self) -> Result<&Seated, Hold> {
        self.seated.as_ref().ok_or(Hold::NotYet("the seat was not taken"))
    }

    fn sign(&self, event_type: &str, command: &Command<'_>) -> Option<Signature> {
        let digest = command_digest(self.game, self.seat, event_type, command);
        self.key.as_ref().map(|key| key.sign(digest.as_bytes()))
    }
}
