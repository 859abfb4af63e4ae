//! Whether a value would be written as JSON that is there already. Nothing is written to find out.

use std::fmt::{self, Write};

use serde::Serialize;
use serde::ser::{
    self, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant, Serializer,
};
use serde_json::{Map, Value};

/// Whether `value` is what serde_json makes of `written`.
pub(super) fn is_written_as<T: Serialize + ?Sized>(written: &T, value: &Value) -> bool {
    written.serialize(Against(value)).is_ok()
}

/// It would be written otherwise.
#[derive(Debug)]
struct Differs;

impl fmt::Display for Differs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it would be written otherwise")
    }
}

impl std::error::Error for Differs {}

impl ser::Error for Differs {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

fn same(same: bool) -> Result<(), Differs> {
    if same { Ok(()) } else { Err(Differs) }
}

/// Takes a value apart as a writer would, beside what was written.
struct Against<'a>(&'a Value);

impl<'a> Against<'a> {
    fn items(self, length: Option<usize>) -> Result<Items<'a>, Differs> {
        let items = self.0.as_array().ok_or(Differs)?;
        // Where the number is known this spares the walk; all must be gone at the end anyhow.
        same(length.is_none_or(|length| length == items.len()))?;
        Ok(Items(items.iter()))
    }

    fn members(self) -> Result<Members<'a>, Differs> {
        let members = self.0.as_object().ok_or(Differs)?;
        Ok(Members { members, met: 0, name: None })
    }

    /// The content of a variant that is written as an object with its name for the only member.
    fn content(self, variant: &str) -> Result<Self, Differs> {
        let members = self.0.as_object().filter(|members| members.len() == 1).ok_or(Differs)?;
        members.get(variant).map(Self).ok_or(Differs)
    }
}

/// What is left of a text.
struct Rest<'a>(&'a str);

impl Write for Rest<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(part).ok_or(fmt::Error)?;
        Ok(())
    }
}

impl<'a> Serializer for Against<'a> {
    type Ok = ();
    type Error = Differs;
    type SerializeSeq = Items<'a>;
    type SerializeTuple = Items<'a>;
    type SerializeTupleStruct = Items<'a>;
    type SerializeTupleVariant = Items<'a>;
    type SerializeMap = Members<'a>;
    type SerializeStruct = Members<'a>;
    type SerializeStructVariant = Members<'a>;

    fn serialize_bool(self, value: bool) -> Result<(), Differs> {
        same(self.0.as_bool() == Some(value))
    }

    fn serialize_i8(self, value: i8) -> Result<(), Differs> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), Differs> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), Differs> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), Differs> {
        same(self.0.as_i64() == Some(value))
    }

    fn serialize_u8(self, value: u8) -> Result<(), Differs> {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), Differs> {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), Differs> {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), Differs> {
        same(self.0.as_u64() == Some(value))
    }

    /// The protocol has no such numbers.
    fn serialize_f32(self, _: f32) -> Result<(), Differs> {
        Err(Differs)
    }

    /// The protocol has no such numbers.
    fn serialize_f64(self, _: f64) -> Result<(), Differs> {
        Err(Differs)
    }

    fn serialize_char(self, value: char) -> Result<(), Differs> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Differs> {
        same(self.0.as_str() == Some(value))
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), Differs> {
        let mut rest = Rest(self.0.as_str().ok_or(Differs)?);
        write!(rest, "{value}").map_err(|_| Differs)?;
        same(rest.0.is_empty())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Differs> {
        value.serialize(self)
    }

    fn serialize_none(self) -> Result<(), Differs> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Differs> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Differs> {
        same(self.0.is_null())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Differs> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Differs> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Differs> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Differs> {
        value.serialize(self.content(variant)?)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Items<'a>, Differs> {
        self.items(length)
    }

    fn serialize_tuple(self, length: usize) -> Result<Items<'a>, Differs> {
        self.items(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Items<'a>, Differs> {
        self.items(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Items<'a>, Differs> {
        self.content(variant)?.items(Some(length))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members<'a>, Differs> {
        self.members()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members<'a>, Differs> {
        self.members()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'a>, Differs> {
        self.content(variant)?.members()
    }
}

/// The items of a list that were not met yet.
struct Items<'a>(std::slice::Iter<'a, Value>);

impl Items<'_> {
    fn next<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Differs> {
        item.serialize(Against(self.0.next().ok_or(Differs)?))
    }

    fn done(self) -> Result<(), Differs> {
        same(self.0.as_slice().is_empty())
    }
}

/// The members of an object, and how many were met. No name is written twice, so all were met when so many were.
struct Members<'a> {
    members: &'a Map<String, Value>,
    met: usize,
    /// A map's name whose value comes next.
    name: Option<String>,
}

impl Members<'_> {
    fn next<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Differs> {
        self.met += 1;
        value.serialize(Against(self.members.get(name).ok_or(Differs)?))
    }

    fn done(self) -> Result<(), Differs> {
        same(self.met == self.members.len())
    }
}

/// The ways in which serde names an item of a list.
macro_rules! lists {
    ($($name:ident::$method:ident;)+) => {
        $(impl $name for Items<'_> {
            type Ok = ();
            type Error = Differs;

            fn $method<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Differs> {
                self.next(item)
            }

            fn end(self) -> Result<(), Differs> {
                self.done()
            }
        })+
    };
}

lists! {
    SerializeSeq::serialize_element;
    SerializeTuple::serialize_element;
    SerializeTupleStruct::serialize_field;
    SerializeTupleVariant::serialize_field;
}

/// The ways in which serde names a field.
macro_rules! structs {
    ($($name:ident;)+) => {
        $(impl $name for Members<'_> {
            type Ok = ();
            type Error = Differs;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Differs> {
                self.next(name, value)
            }

            fn end(self) -> Result<(), Differs> {
                self.done()
            }
        })+
    };
}

structs! {
    SerializeStruct;
    SerializeStructVariant;
}

impl SerializeMap for Members<'_> {
    type Ok = ();
    type Error = Differs;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Result<(), Differs> {
        match serde_json::to_value(name) {
            Ok(Value::String(name)) => self.name = Some(name),
            _ => return Err(Differs),
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Differs> {
        let name = self.name.take().ok_or(Differs)?;
        self.next(&name, value)
    }

    fn end(self) -> Result<(), Differs> {
        self.done()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    enum Variants {
        Plain,
        Newtype(u8),
        Pair(i64, char),
        Named { one: bool, other: Option<()> },
    }

    #[derive(Serialize)]
    struct Fields {
        text: &'static str,
        list: Vec<Variants>,
        map: BTreeMap<String, u64>,
        tuple: (i8, i16, i32, u16, u32),
        shown: Shown,
        nothing: (),
        #[serde(flatten)]
        inner: BTreeMap<&'static str, bool>,
    }

    struct Shown;

    impl Serialize for Shown {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&format_args!("{}-{}", "left", 7))
        }
    }

    /// Each value that differs in one place from this one: another scalar, an item or a member more or less.
    fn changed(value: &Value) -> Vec<Value> {
        let mut all = vec![match value {
            Value::Null => Value::Bool(false),
            Value::Bool(value) => Value::Bool(!value),
            Value::Number(number) => Value::from(number.as_i64().unwrap() + 1),
            Value::String(text) => Value::String(format!("{text}.")),
            Value::Array(_) | Value::Object(_) => Value::Null,
        }];
        match value {
            Value::Array(items) => {
                all.push([items.as_slice(), &[Value::Null]].concat().into());
                for (index, item) in items.iter().enumerate() {
                    let with = |put: &[Value]| [&items[..index], put, &items[index + 1..]].concat().into();
                    all.push(with(&[]));
                    all.extend(changed(item).into_iter().map(|item| with(&[item])));
                }
            }
            Value::Object(members) => {
                let with = |name: &str, value: Option<Value>| {
                    let mut members = members.clone();
                    members.remove(name);
                    members.extend(value.map(|value| (name.to_owned(), value)));
                    Value::Object(members)
                };
                all.push(with("more", Some(Value::Null)));
                for (name, value) in members {
                    all.push(with(name, None));
                    all.extend(changed(value).into_iter().map(|value| with(name, Some(value))));
                }
            }
            _ => {}
        }
        all
    }

    #[test]
    fn only_what_serde_json_would_write_is_the_same() {
        let fields = Fields {
            text: "text",
            list: vec![
                Variants::Plain,
                Variants::Newtype(3),
                Variants::Pair(-9, 'é'),
                Variants::Named { one: true, other: None },
            ],
            map: [("a".to_owned(), 1), ("b".to_owned(), u64::MAX)].into(),
            tuple: (-1, -2, -3, 4, 5),
            shown: Shown,
            nothing: (),
            inner: [("flat", true)].into(),
        };
        let mut value = serde_json::to_value(&fields).unwrap();
        assert!(is_written_as(&fields, &value));
        value["map"]["b"] = 2.into();
        assert!(!is_written_as(&fields, &value));
        let fields = Fields { map: [("a".to_owned(), 1), ("b".to_owned(), 2)].into(), ..fields };
        let others = changed(&value);
        assert!(is_written_as(&fields, &value) && others.len() > 50);
        for other in others {
            assert!(!is_written_as(&fields, &other), "{other}");
        }
    }
}
