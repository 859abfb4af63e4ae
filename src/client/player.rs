//! What a player may ask the service for.

use awc::http::Method;
use serde::Serialize;
use uuid::Uuid;

use super::answers::{Receipt, View};
use super::http::Asking;
use super::requests::{Commit, MakeMove, NewGame, OpenMove, OpenSeed, Resign, SitDown};
use super::{Client, ClientError};
use crate::ids::{GameId, PlayerId};

/// Somebody with a token. All writes are safe to repeat, and answer with a receipt.
#[derive(Clone)]
pub struct Player {
    pub(super) client: Client,
    pub(super) id: PlayerId,
    pub(super) name: String,
    pub(super) token: String,
}

impl Player {
    /// The player's id.
    pub fn id(&self) -> PlayerId {
        self.id
    }

    /// The player's name, as the service writes it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Creates a game. The same key with the same body gives the same game.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn create(&self, new: &NewGame, key: Uuid) -> Result<Receipt, ClientError> {
        let asking = Asking { idempotency_key: Some(key), ..self.asking() };
        self.client.send(Method::POST, "/v1/games", asking, Some(new)).await
    }

    /// Sits down.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn sit(&self, game: GameId, how: &SitDown) -> Result<Receipt, ClientError> {
        self.write(Method::POST, game, "seats", how).await
    }

    /// Closes the table before every place is taken; for the host.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn start(&self, game: GameId) -> Result<Receipt, ClientError> {
        let path = format!("/v1/games/{game}/start");
        self.client.send(Method::POST, &path, self.asking(), None::<&()>).await
    }

    /// Opens the seed.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn open_seed(&self, game: GameId, opening: &OpenSeed) -> Result<Receipt, ClientError> {
        self.write(Method::PUT, game, "seed", opening).await
    }

    /// The game as this player may see it.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn view(&self, game: GameId) -> Result<View, ClientError> {
        self.client.get(&format!("/v1/games/{game}/view"), self.asking()).await
    }

    /// Makes a move in the open, or has the server seal it.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn make_move(&self, game: GameId, mv: &MakeMove) -> Result<Receipt, ClientError> {
        self.write(Method::POST, game, "moves", mv).await
    }

    /// Commits to a move.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn commit(&self, game: GameId, commit: &Commit) -> Result<Receipt, ClientError> {
        self.write(Method::POST, game, "commitments", commit).await
    }

    /// Opens the move that was committed to.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn open_move(&self, game: GameId, opening: &OpenMove) -> Result<Receipt, ClientError> {
        self.write(Method::POST, game, "openings", opening).await
    }

    /// Gives up.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn resign(&self, game: GameId, resign: &Resign) -> Result<Receipt, ClientError> {
        self.write(Method::POST, game, "resignation", resign).await
    }

    /// Has it logged that others are late.
    ///
    /// # Errors
    ///
    /// See [`ClientError`]; `nothing_overdue` while nobody is.
    pub async fn call_timeout(&self, game: GameId) -> Result<Receipt, ClientError> {
        let path = format!("/v1/games/{game}/timeout");
        self.client.send(Method::POST, &path, self.asking(), None::<&()>).await
    }

    fn asking(&self) -> Asking<'_> {
        Asking { token: Some(&self.token), idempotency_key: None }
    }

    async fn write(
        &self,
        method: Method,
        game: GameId,
        what: &str,
        body: &impl Serialize,
    ) -> Result<Receipt, ClientError> {
        self.client.send(method, &format!("/v1/games/{game}/{what}"), self.asking(), Some(body)).await
    }
}
