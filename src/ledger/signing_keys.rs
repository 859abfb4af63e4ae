//! The public keys of the server.

use diesel::data_types::PgTimestamp;
use diesel::pg::Pg;
use diesel::{BoolExpressionMethods, ExpressionMethods, Insertable, QueryDsl, Queryable, Selectable, SelectableHelper};
use diesel_async::RunQueryDsl;

use super::lease::within;
use super::moment;
use super::schema::signing_keys;
use super::{Ledger, LedgerError};
use crate::keys::{Jwk, KeyId, KeyUse, PublicKey};
use crate::timestamp::Timestamp;

const fn use_name(usage: KeyUse) -> &'static str {
    match usage {
        KeyUse::Event => "event",
        KeyUse::Token => "token",
        KeyUse::Checkpoint => "checkpoint",
    }
}

fn use_named(name: &str) -> Option<KeyUse> {
    [KeyUse::Event, KeyUse::Token, KeyUse::Checkpoint].into_iter().find(|usage| use_name(*usage) == name)
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = signing_keys, check_for_backend(Pg))]
struct KeyRow {
    kid: String,
    croupier_use: String,
    x: String,
    not_before: Option<PgTimestamp>,
    not_after: Option<PgTimestamp>,
}

#[derive(Insertable)]
#[diesel(table_name = signing_keys, treat_none_as_default_value = false, check_for_backend(Pg))]
struct NewKeyRow {
    kid: String,
    croupier_use: &'static str,
    x: String,
    not_before: Option<PgTimestamp>,
    not_after: Option<PgTimestamp>,
    created_at: PgTimestamp,
}

impl KeyRow {
    fn read(self) -> Result<Jwk, LedgerError> {
        let name = format!("the signing key {}", self.kid);
        let x = self.x.parse::<PublicKey>().map_err(|error| LedgerError::corrupt(&name, error))?;
        let usage = use_named(&self.croupier_use).ok_or_else(|| LedgerError::corrupt(&name, "it has no such use"))?;
        let not_before = self.not_before.map(moment::read).transpose()?;
        let not_after = self.not_after.map(moment::read).transpose()?;
        let key = Jwk::new(x, usage, not_before, not_after);
        if key.kid.to_string() == self.kid { Ok(key) } else { Err(LedgerError::corrupt(&name, "its id is another's")) }
    }
}

impl Ledger {
    /// All public keys that the server ever had, the oldest first.
    ///
    /// # Errors
    ///
    /// When the database fails; `Corrupt` when a key can't be read.
    pub async fn signing_keys(&self) -> Result<Vec<Jwk>, LedgerError> {
        let query = signing_keys::table.select(KeyRow::as_select());
        let query = query.order((signing_keys::created_at, signing_keys::kid));
        let mut lease = self.lease().await?;
        let result = within(query.load(lease.connection())).await;
        lease.settle(result).await?.into_iter().map(KeyRow::read).collect()
    }

    /// Publishes a key, if it is not yet; says whether it was not. A key that is published stays as it is.
    ///
    /// # Errors
    ///
    /// When the database fails; the call may be repeated.
    pub async fn publish_signing_key(&self, key: &Jwk, now: Timestamp) -> Result<bool, LedgerError> {
        let row = NewKeyRow {
            kid: key.kid.to_string(),
            croupier_use: use_name(key.croupier_use),
            x: key.x.to_string(),
            not_before: key.not_before.map(moment::stored),
            not_after: key.not_after.map(moment::stored),
            created_at: moment::stored(now),
        };
        let statement = diesel::insert_into(signing_keys::table).values(row).on_conflict_do_nothing();
        let mut lease = self.lease().await?;
        let result = within(statement.execute(lease.connection())).await;
        lease.settle(result).await.map(|rows| rows > 0)
    }

    /// Marks a key with the time from which it signs no more; says whether it was not marked before. The mark never
    /// changes.
    ///
    /// # Errors
    ///
    /// When the database fails; the call may be repeated.
    pub async fn retire_signing_key(&self, kid: KeyId, not_after: Timestamp) -> Result<bool, LedgerError> {
        let this = signing_keys::kid.eq(kid.to_string()).and(signing_keys::not_after.is_null());
        let statement = diesel::update(signing_keys::table.filter(this));
        let statement = statement.set(signing_keys::not_after.eq(moment::stored(not_after)));
        let mut lease = self.lease().await?;
        let result = within(statement.execute(lease.connection())).await;
        lease.settle(result).await.map(|rows| rows > 0)
    }
}
