//! A moment as the protocol writes it: RFC 3339 in UTC with milliseconds and `Z`.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use chrono::{DateTime, NaiveDate, Timelike};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment in UTC to the millisecond, between the years 0000 and 9999.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    millis: i64,
}

/// Why a text or a number is no [`Timestamp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotATimestamp;

impl fmt::Display for NotATimestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be a time like 2026-01-02T03:04:05.006Z")
    }
}

impl std::error::Error for NotATimestamp {}

impl Timestamp {
    /// 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z: what four digits can write.
    const FIRST: i64 = -62_167_219_200_000;
    const LAST: i64 = 253_402_300_799_999;

    /// The last moment that can be written.
    pub const MAX: Self = Self { millis: Self::LAST };

    /// The moment so many milliseconds after 1970-01-01T00:00:00.000Z.
    ///
    /// # Errors
    ///
    /// Outside the years 0000 to 9999.
    pub fn from_millis(millis: i64) -> Result<Self, NotATimestamp> {
        if (Self::FIRST..=Self::LAST).contains(&millis) { Ok(Self { millis }) } else { Err(NotATimestamp) }
    }

    /// Milliseconds after 1970-01-01T00:00:00.000Z.
    pub const fn millis(self) -> i64 {
        self.millis
    }

    /// The moment so many seconds later, or the last that can be written.
    pub fn plus_seconds(self, seconds: u32) -> Self {
        let millis = self.millis.saturating_add(i64::from(seconds) * 1000);
        Self { millis: millis.min(Self::LAST) }
    }

    /// The moment so many seconds earlier, or the first that can be written.
    pub fn minus_seconds(self, seconds: u32) -> Self {
        let millis = self.millis.saturating_sub(i64::from(seconds) * 1000);
        Self { millis: millis.max(Self::FIRST) }
    }

    /// The next moment that is later than this one, or the last that can be written.
    pub fn next(self) -> Self {
        Self { millis: (self.millis + 1).min(Self::LAST) }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use chrono::Datelike;
        // In range by construction, so this is always `Some`; the error is for the type's sake.
        let time = DateTime::from_timestamp_millis(self.millis).ok_or(fmt::Error)?;
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            time.year(),
            time.month(),
            time.day(),
            time.hour(),
            time.minute(),
            time.second(),
            time.timestamp_subsec_millis()
        )
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How a time is written, with a 0 for any digit.
const FORM: &[u8; 24] = b"0000-00-00T00:00:00.000Z";

impl FromStr for Timestamp {
    type Err = NotATimestamp;

    fn from_str(text: &str) -> Result<Self, NotATimestamp> {
        let bytes: &[u8; 24] = text.as_bytes().try_into().map_err(|_| NotATimestamp)?;
        // Digits stand where the form has digits, and the form's own characters where it has those.
        let fits = |(form, byte): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { form == byte };
        if !FORM.iter().zip(bytes).all(fits) {
            return Err(NotATimestamp);
        }
        let number = |place: Range<usize>| bytes[place].iter().fold(0, |sum, digit| 10 * sum + u32::from(digit - b'0'));
        let date = NaiveDate::from_ymd_opt(number(0..4) as i32, number(5..7), number(8..10));
        let time = date
            .and_then(|date| date.and_hms_milli_opt(number(11..13), number(14..16), number(17..19), number(20..23)));
        Self::from_millis(time.ok_or(NotATimestamp)?.and_utc().timestamp_millis())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_form_only() {
        for right in ["2026-01-02T03:04:05.006Z", "0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"] {
            assert_eq!(right.parse::<Timestamp>().unwrap().to_string(), right);
        }
        for wrong in [
            "2026-01-02T03:04:05Z",
            "2026-01-02T03:04:05.06Z",
            "2026-01-02T03:04:05.0060Z",
            "2026-01-02T03:04:05.006+00:00",
            "2026-01-02t03:04:05.006z",
            "2026-1-02T03:04:05.006Z",
            "2026-02-30T03:04:05.006Z",
            "2026-01-02T23:59:60.000Z",
            "+2026-01-02T03:04:05.006Z",
            "",
        ] {
            assert!(wrong.parse::<Timestamp>().is_err(), "{wrong}");
        }
    }
}
