//! How a connection to the database is made: the address, TLS, time limits.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use diesel::connection::CacheSize;
use diesel::result::{ConnectionError, ConnectionResult};
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use rustls::{ClientConfig, RootCertStore};
use tokio::sync::mpsc;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::tls::{MakeTlsConnect, TlsStream};
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::LedgerError;

/// How long it may take to get a connection.
pub(super) const CONNECT_LIMIT: Duration = Duration::from_secs(2);
/// How long the network may leave what was sent without an acknowledgement.
const NETWORK_LIMIT: Duration = Duration::from_secs(10);

/// Makes connections to one database.
pub(super) struct Connector {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    /// What every connection is told first.
    session: String,
    statement_cache: bool,
}

impl Connector {
    /// For the database at this URL. With `sslmode=require`, `verify-ca` or `verify-full`, the connection is by TLS and
    /// the server's certificate is verified in full, against the certificates that the system trusts, or those that
    /// the environment's `SSL_CERT_FILE` names; in any other mode it is not encrypted.
    ///
    /// # Errors
    ///
    /// When the URL can't be read, or the system has no certificates to verify a server with.
    pub(super) fn new(url: &str) -> Result<Self, LedgerError> {
        let mut config = read_url(url)?;
        let tls = match config.get_ssl_mode() {
            SslMode::Require => Some(MakeRustlsConnect::new(tls_config()?)),
            _ => None,
        };
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_LIMIT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(NETWORK_LIMIT);
        }
        // The default is two hours, and a link that died silently would be found so late.
        config.keepalives_idle(NETWORK_LIMIT.min(config.get_keepalives_idle()));
        if config.get_application_name().is_none() {
            config.application_name("croupier");
        }
        // Of several servers, writes go to the one that takes them, also after the roles change.
        if config.get_hosts().len() > 1 && config.get_target_session_attrs() == TargetSessionAttrs::Any {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        Ok(Self { config, tls, session: String::new(), statement_cache: true })
    }

    /// As [`Connector::new`], for the pool: with limits to how long a statement may run and a transaction may idle.
    ///
    /// # Errors
    ///
    /// As [`Connector::new`].
    pub(super) fn for_pool(url: &str, statement: Duration, statement_cache: bool) -> Result<Self, LedgerError> {
        // A statement is given up by the server before it is given up here, so that its outcome is mostly known; and a
        // service that is stopped in the middle of a transaction does not keep its locks.
        let (running, idle) = (statement.as_millis(), 2 * statement.as_millis());
        // Every statement of the service finds its rows by an index. A plan that was made while a table was empty would
        // read the whole table instead, and stay.
        let session = format!(
            "SET statement_timeout = {running}; SET idle_in_transaction_session_timeout = {idle}; \
             SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off"
        );
        Ok(Self { session, statement_cache, ..Self::new(url)? })
    }

    /// A new connection.
    ///
    /// # Errors
    ///
    /// When there is none to be had in time.
    pub(super) async fn connect(self: Arc<Self>) -> ConnectionResult<AsyncPgConnection> {
        let mut connection = match &self.tls {
            None => self.open(NoTls).await?,
            Some(tls) => self.open(tls.clone()).await?,
        };
        if !self.statement_cache {
            connection.set_prepared_statement_cache_size(CacheSize::Disabled);
        }
        let commit = if self.statement_cache { "" } else { "; COMMIT" };
        let statements = format!("{}{commit}", self.session);
        connection.batch_execute(&statements).await.map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(connection)
    }

    /// Without a statement cache, in a transaction: diesel prepares statements to set a session up, and a pooler keeps
    /// preparing one and running it together in a transaction only.
    async fn open<T>(&self, tls: T) -> ConnectionResult<AsyncPgConnection>
    where
        T: MakeTlsConnect<Socket>,
        T::Stream: Unpin + Send + 'static,
    {
        let (client, mut connection) = self.config.connect(tls).await.map_err(bad)?;
        if !self.statement_cache {
            begin(&client, &mut connection).await.map_err(bad)?;
        }
        AsyncPgConnection::try_from_client_and_connection(client, connection).await
    }
}

impl Connector {
    /// A connection of its own that hears what others announce: see [`super::Ledger::listen`]. What it hears goes into
    /// the channel, until the connection is lost or nobody takes what it heard.
    ///
    /// # Errors
    ///
    /// When there is none to be had in time.
    pub(super) async fn listen(&self, heard: mpsc::Sender<String>) -> Result<Client, tokio_postgres::Error> {
        match &self.tls {
            None => self.drive(NoTls, heard).await,
            Some(tls) => self.drive(tls.clone(), heard).await,
        }
    }

    async fn drive<T>(&self, tls: T, heard: mpsc::Sender<String>) -> Result<Client, tokio_postgres::Error>
    where
        T: MakeTlsConnect<Socket>,
        T::Stream: Unpin + Send + 'static,
    {
        let (client, mut connection) = self.config.connect(tls).await?;
        tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
                // Whoever takes nothing any more has to look for itself what it missed.
                if let AsyncMessage::Notification(notification) = message
                    && heard.try_send(notification.payload().to_owned()).is_err()
                {
                    return;
                }
            }
        });
        Ok(client)
    }
}

/// Begins a transaction over a connection that nobody drives yet.
async fn begin<S>(client: &Client, connection: &mut Connection<Socket, S>) -> Result<(), tokio_postgres::Error>
where
    S: TlsStream + Unpin,
{
    let mut begun = pin!(client.batch_execute("BEGIN"));
    poll_fn(|context| {
        while let Poll::Ready(Some(message)) = connection.poll_message(context) {
            message?;
        }
        begun.as_mut().poll(context)
    })
    .await
}

fn bad(error: tokio_postgres::Error) -> ConnectionError {
    let mut text = error.to_string();
    if let Some(cause) = std::error::Error::source(&error) {
        text = format!("{text}: {cause}");
    }
    ConnectionError::BadConnection(text)
}

/// Both modes that name a verification are this program's `require`, which always verifies in full.
fn read_url(url: &str) -> Result<Config, LedgerError> {
    let url = url.replace("sslmode=verify-full", "sslmode=require").replace("sslmode=verify-ca", "sslmode=require");
    url.parse().map_err(|error: tokio_postgres::Error| {
        let why = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        LedgerError::Other(format!("the database's URL can't be read: {error}{why}"))
    })
}

/// The user that a database's URL names.
pub fn user_of(url: &str) -> Option<String> {
    read_url(url).ok()?.get_user().map(str::to_owned)
}

/// How servers are verified: by the certificates that the system trusts, or those that the environment's
/// `SSL_CERT_FILE` names.
///
/// # Errors
///
/// When there are none.
pub fn tls_config() -> Result<ClientConfig, LedgerError> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let why = found.errors.first().map(|error| format!(": {error}")).unwrap_or_default();
        return Err(LedgerError::Other(format!("the system has no certificates to verify a server with{why}")));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| LedgerError::Other(format!("TLS can't be set up: {error}")))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_that_verify_need_tls() {
        for (url, mode) in [
            ("postgres://u@h/db?sslmode=verify-full", SslMode::Require),
            ("postgres://u@h/db?sslmode=verify-ca&connect_timeout=3", SslMode::Require),
            ("host=h user=u sslmode=require", SslMode::Require),
            ("postgres://u@h/db", SslMode::Prefer),
        ] {
            let config = read_url(url).unwrap();
            assert_eq!(config.get_ssl_mode(), mode, "{url}");
            assert_eq!(user_of(url).as_deref(), Some("u"));
        }
    }

    #[test]
    fn a_wrong_url_does_not_show_its_password() {
        let error = read_url("postgres://u:hunter2@h/db?sslmode=perhaps").unwrap_err();
        assert!(format!("{error:?}").contains("sslmode") && !format!("{error:?}").contains("hunter2"));
    }
}
