//! What instances tell each other through the database: that there is something new, never what it is. The log alone
//! says that, so nothing is lost with a notification.

use std::time::Duration;

use diesel::define_sql_function;
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_postgres::Client;

use super::connector::CONNECT_LIMIT;
use super::lease::within;
use super::{Ledger, LedgerError};

/// How many bytes an announcement has at most; Postgres takes less than 8,000.
pub const MAX_ANNOUNCEMENT: usize = 7900;
/// How many announcements wait to be taken.
const QUEUE: usize = 1024;
/// How long the connection may take to give a sign of life.
const ALIVE_LIMIT: Duration = Duration::from_secs(5);

/// Hears what is announced, over a connection of its own.
pub struct Listener {
    client: Client,
    heard: mpsc::Receiver<String>,
}

impl Listener {
    /// The next announcement.
    ///
    /// # Errors
    ///
    /// `Unavailable` once the connection is lost, or more was announced than was taken: whoever listens connects anew
    /// and looks what it missed.
    pub async fn next(&mut self) -> Result<String, LedgerError> {
        self.heard.recv().await.ok_or_else(|| LedgerError::Unavailable("the listening connection is lost".to_owned()))
    }

    /// Asks for a sign of life, without which a connection that died silently would stay silent.
    ///
    /// # Errors
    ///
    /// As [`Listener::next`].
    pub async fn check(&self) -> Result<(), LedgerError> {
        match timeout(ALIVE_LIMIT, self.client.simple_query("SELECT 1")).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(LedgerError::Unavailable(error.to_string())),
            Err(_) => Err(LedgerError::Unavailable("the listening connection does not answer".to_owned())),
        }
    }
}

define_sql_function! {
    /// Tells whoever listens. It returns nothing, and so what stands here is never read.
    fn pg_notify(channel: Text, payload: Text) -> Text;
}

impl Ledger {
    /// Hears what any instance announces from now on.
    ///
    /// # Errors
    ///
    /// When there is no connection to be had in time.
    pub async fn listen(&self) -> Result<Listener, LedgerError> {
        let (sender, heard) = mpsc::channel(QUEUE);
        let client = timeout(CONNECT_LIMIT, async {
            let client = self.connector.listen(sender).await?;
            client.batch_execute("LISTEN croupier").await?;
            Ok::<_, tokio_postgres::Error>(client)
        });
        match client.await {
            Ok(Ok(client)) => Ok(Listener { client, heard }),
            Ok(Err(error)) => Err(LedgerError::Unavailable(error.to_string())),
            Err(_) => Err(LedgerError::Unavailable("no connection in time".to_owned())),
        }
    }

    /// Announces something, of at most [`MAX_ANNOUNCEMENT`] bytes, to whoever listens. Never in the transaction of an
    /// append: it takes a lock under which all commits wait for each other.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn announce(&self, text: &str) -> Result<(), LedgerError> {
        let mut lease = self.lease().await?;
        let statement = diesel::select(pg_notify("croupier", text));
        let result = within(statement.execute(lease.connection())).await;
        lease.settle(result).await.map(drop)
    }
}
