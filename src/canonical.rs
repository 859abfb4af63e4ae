//! One way to read JSON, one way to write it, one digest (protocol, One primitive).
//!
//! Reading is I-JSON (RFC 7493) and refuses what it would have to mend; writing is JCS (RFC 8785); the digest of an
//! object is SHA-256 over its JCS.

use std::cell::Cell;
use std::fmt;
use std::io;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};
use sha2::{Digest, Sha256};

use crate::hex32::Hash;

mod written;

use written::is_written_as;

/// The largest integer of the protocol, 2^53 - 1: what every JSON reader holds exactly.
pub const MAX_INTEGER: i64 = (1 << 53) - 1;

/// How deep arrays and objects may nest.
pub const MAX_DEPTH: usize = 64;

/// Why a text is not the I-JSON of the protocol, in a sentence for its sender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotIJson(String);

impl fmt::Display for NotIJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotIJson {}

/// Reads one JSON value.
///
/// # Errors
///
/// When the bytes are not UTF-8 or not JSON, and for whatever the protocol refuses: duplicate names, lone surrogates,
/// noncharacters, fractions, exponents, `-0`, integers beyond 2^53 - 1, nesting over 64.
pub fn parse(bytes: &[u8]) -> Result<Value, NotIJson> {
    // serde_json stops by itself at depth 128, so our own count below always speaks first.
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let any_size = Cell::new(usize::MAX);
    let value = Strict::new(&any_size).deserialize(&mut deserializer).map_err(|e| NotIJson(e.to_string()))?;
    deserializer.end().map_err(|e| NotIJson(e.to_string()))?;
    Ok(value)
}

/// Reads one JSON value into a type, by the rules of [`parse`].
///
/// # Errors
///
/// As [`parse`], and when the value has not the form of `T`.
pub fn parse_as<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, NotIJson> {
    serde_json::from_value(parse(bytes)?).map_err(|e| NotIJson(e.to_string()))
}

/// Reads a value into a type that holds all of it: written again it is the same value. So nothing passes that a type
/// would be lenient about, as a list for an object, or a field left out that has a default.
///
/// # Errors
///
/// When the value has not the form of `T`, or not exactly.
pub fn read_exactly<T: for<'de> Deserialize<'de> + Serialize>(value: &Value) -> Result<T, NotIJson> {
    let read = T::deserialize(value).map_err(|e| NotIJson(e.to_string()))?;
    if is_written_as(&read, value) {
        return Ok(read);
    }
    let written = serde_json::to_value(&read).map_err(|e| NotIJson(e.to_string()))?;
    Err(NotIJson(format!("this form is not taken, but {written}")))
}

/// The canonical JSON (RFC 8785) of a value of the protocol.
pub fn to_jcs<T: Serialize>(value: &T) -> Vec<u8> {
    // Writing JSON into memory fails only for map keys that are no strings, and no type of the protocol has such.
    #[expect(clippy::expect_used)]
    serde_json_canonicalizer::to_vec(value).expect("types of the protocol have string keys")
}

/// How many bytes [`to_jcs`] gives of a value without floats: no name has to be sorted, and nothing written, to count
/// them.
pub fn jcs_length<T: Serialize>(value: &T) -> usize {
    struct Counter(usize);

    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut counter = Counter(0);
    // As for `to_jcs`; and to count never fails.
    #[expect(clippy::expect_used)]
    serde_json::to_writer(&mut counter, value).expect("types of the protocol have string keys");
    counter.0
}

/// The canonical JSON of an object with these members, of which none occurs twice: the same as [`to_jcs`] gives of it,
/// in less time.
pub fn members_to_jcs<'a>(members: impl IntoIterator<Item = (&'a str, &'a Value)>) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    write_members(members.into_iter().collect(), &mut out);
    out
}

fn write_members(mut members: Vec<(&str, &Value)>, out: &mut Vec<u8>) {
    // RFC 8785 sorts names by UTF-16 code units.
    members.sort_unstable_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    out.push(b'{');
    for (i, (name, value)) in members.into_iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write_scalar(name, out);
        out.push(b':');
        write_value(value, out);
    }
    out.push(b'}');
}

fn write_value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Object(fields) => {
            write_members(fields.iter().map(|(name, value)| (name.as_str(), value)).collect(), out);
        }
        Value::Array(items) => {
            out.push(b'[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                write_value(item, out);
            }
            out.push(b']');
        }
        // Numbers of the protocol are integers; any other is written by the rules of RFC 8785.
        Value::Number(number) if number.is_f64() => out.extend(to_jcs(number)),
        Value::Null | Value::Bool(_) | Value::Number(_) => write_scalar(value, out),
        Value::String(text) => write_scalar(text.as_str(), out),
    }
}

/// Texts, integers and literals: there serde_json writes what RFC 8785 asks for. Into memory nothing fails.
fn write_scalar<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) {
    let _ = serde_json::to_writer(out, value);
}

/// `SHA-256(JCS(object))`. The object has a `kind` that names what it is, so that no digest of one thing passes for
/// the digest of another.
pub fn digest<T: Serialize>(object: &T) -> Hash {
    Hash::new(Sha256::digest(to_jcs(object)).into())
}

/// As [`digest`], in less time, for an object without floats whose names stand in their order at every depth: then plain
/// JSON is canonical.
pub fn digest_in_order<T: Serialize>(object: &T) -> Hash {
    // As for `to_jcs`.
    #[expect(clippy::expect_used)]
    let json = serde_json::to_vec(object).expect("types of the protocol have string keys");
    debug_assert!(json == to_jcs(object), "the names are not in order");
    Hash::new(Sha256::digest(json).into())
}

/// Builds a [`Value`] and refuses on the way what I-JSON refuses, and what holds too many values: a value of a few
/// bytes of text may take hundreds in memory.
#[derive(Clone, Copy)]
pub(crate) struct Strict<'a> {
    depth: usize,
    /// How many values more there may be.
    left: &'a Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let left = self.left.get().checked_sub(1);
        self.left.set(left.ok_or_else(|| D::Error::custom("more values than there may be in one place"))?);
        deserializer.deserialize_any(self)
    }
}

impl<'a> Strict<'a> {
    /// For a text of its own, with as many values as this tells, which is counted down.
    pub(crate) const fn new(left: &'a Cell<usize>) -> Self {
        Self { depth: 0, left }
    }

    /// For a value that is so deep in a text.
    pub(crate) const fn at_depth(depth: usize, left: &'a Cell<usize>) -> Self {
        Self { depth, left }
    }

    fn inner(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    fn deeper<E: serde::de::Error>(&self) -> Result<usize, E> {
        if self.depth >= MAX_DEPTH {
            return Err(E::custom(format_args!("arrays and objects nest deeper than {MAX_DEPTH}")));
        }
        Ok(self.depth + 1)
    }
}

fn check_text<E: serde::de::Error>(text: &str) -> Result<(), E> {
    let noncharacter = |c: char| matches!(c as u32 & 0xffff, 0xfffe | 0xffff) || ('\u{fdd0}'..='\u{fdef}').contains(&c);
    match text.chars().find(|c| noncharacter(*c)) {
        Some(c) => Err(E::custom(format_args!("a text holds the noncharacter U+{:04X}", c as u32))),
        None => Ok(()),
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Value, E> {
        if !(-MAX_INTEGER..=MAX_INTEGER).contains(&value) {
            return Err(E::custom("an integer is beyond 2^53 - 1 in size"));
        }
        Ok(Value::Number(Number::from(value)))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        match i64::try_from(value) {
            Ok(value) => self.visit_i64(value),
            Err(_) => Err(E::custom("an integer is beyond 2^53 - 1 in size")),
        }
    }

    fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<Value, E> {
        Err(E::custom("a number has a fraction or an exponent, is -0, or is beyond 2^53 - 1 in size"))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
        check_text(text)?;
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Value, E> {
        check_text(&text)?;
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let depth = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.inner(depth))? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let depth = self.deeper()?;
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            check_text(&name)?;
            match object.entry(name) {
                Entry::Vacant(place) => {
                    place.insert(fields.next_value_seed(self.inner(depth))?);
                }
                Entry::Occupied(place) => {
                    let name = place.key();
                    return Err(serde::de::Error::custom(format_args!("the name {name:?} occurs twice in an object")));
                }
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_it_would_have_to_mend() {
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        for wrong in [
            "",
            "{",
            "[1,]",
            "[1] 2",
            "NaN",
            "[-0]",
            "[0.0]",
            "[1E2]",
            "[-9007199254740992]",
            "[18446744073709551616]",
            r#"["\udc00"]"#,
            r#"["\uffff"]"#,
            r#"["\ufdd0"]"#,
            r#"{"\ufffe":1}"#,
            r#"{"a":{"b":1,"b":1}}"#,
            "[\"\u{1}\"]",
            &deep(65),
            &deep(100_000),
        ] {
            assert!(parse(wrong.as_bytes()).is_err(), "{wrong:.40}");
        }
        assert!(parse(b"\"\xff\"").is_err());
        for right in ["[9007199254740991,-9007199254740991,0]", r#""\ud83c\udca1""#, " null ", &deep(64)] {
            assert!(parse(right.as_bytes()).is_ok(), "{right:.40}");
        }
    }

    #[test]
    fn both_writers_agree() {
        for text in [
            "{}",
            "{\"b\":[],\"a\":{\"\u{fb33}\":1,\"\u{1f600}\":-2,\"a\":[null,true,false,0,9007199254740991]}}",
            r#"{"c":"\u0000\u001f\b\f\n\r\t\"\\/\u007f\u2028é","A":[{"z":{},"y":[[]]}]}"#,
        ] {
            let value = parse(text.as_bytes()).unwrap();
            let members = value.as_object().unwrap().iter().map(|(name, value)| (name.as_str(), value));
            assert_eq!(String::from_utf8(members_to_jcs(members)), String::from_utf8(to_jcs(&value)));
            assert_eq!(jcs_length(&value), to_jcs(&value).len());
        }
    }

    #[test]
    fn names_sort_by_utf16_code_units() {
        let value = parse("{\"\u{fb33}\":1,\"\u{1f600}\":2,\"a\":3}".as_bytes()).unwrap();
        assert_eq!(String::from_utf8(to_jcs(&value)).unwrap(), "{\"a\":3,\"\u{1f600}\":2,\"\u{fb33}\":1}");
    }
}
