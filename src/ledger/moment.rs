//! Times as the database holds them.

use diesel::data_types::PgTimestamp;

use super::LedgerError;
use crate::timestamp::Timestamp;

/// 2000-01-01T00:00:00.000Z, where the database begins to count, in milliseconds.
const EPOCH: i64 = 946_684_800_000;

/// A moment for the database.
pub(super) const fn stored(at: Timestamp) -> PgTimestamp {
    // Ten thousand years of microseconds fit.
    PgTimestamp((at.millis() - EPOCH) * 1000)
}

/// A moment of the database.
///
/// # Errors
///
/// When it is no moment of the service: not a whole millisecond, or outside the years 0000 to 9999.
pub(super) fn read(PgTimestamp(micros): PgTimestamp) -> Result<Timestamp, LedgerError> {
    let outside = || LedgerError::Corrupt(format!("{micros} µs after 2000 is no time of the service"));
    if micros % 1000 != 0 {
        return Err(outside());
    }
    // The sum fits: a thousandth of an i64 is far from its end.
    Timestamp::from_millis(micros / 1000 + EPOCH).map_err(|_| outside())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_millisecond_comes_back() {
        for text in ["0000-01-01T00:00:00.000Z", "1999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"] {
            let at = text.parse::<Timestamp>().unwrap();
            assert_eq!(read(stored(at)), Ok(at));
        }
        for wrong in [1, i64::MAX, i64::MIN] {
            assert!(read(PgTimestamp(wrong)).is_err(), "{wrong}");
        }
    }
}
