//! Playing cards as the protocol writes them: rank `A23456789TJQK`, suit `CDHS`; jokers `X1`, `X2`, ….

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A suit, in the order of a deck before a shuffle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suit {
    Clubs,
    Diamonds,
    Hearts,
    Spades,
}

impl Suit {
    /// All suits, in the order of a deck.
    pub const ALL: [Self; 4] = [Self::Clubs, Self::Diamonds, Self::Hearts, Self::Spades];

    const fn letter(self) -> u8 {
        b"CDHS"[self as usize]
    }
}

/// A rank, in the order of a deck before a shuffle: the ace is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    Ace,
    Two,
    Three,
    Four,
    Five,
    Six,
    Seven,
    Eight,
    Nine,
    Ten,
    Jack,
    Queen,
    King,
}

impl Rank {
    /// All ranks, in the order of a deck.
    pub const ALL: [Self; 13] = [
        Self::Ace,
        Self::Two,
        Self::Three,
        Self::Four,
        Self::Five,
        Self::Six,
        Self::Seven,
        Self::Eight,
        Self::Nine,
        Self::Ten,
        Self::Jack,
        Self::Queen,
        Self::King,
    ];

    const fn letter(self) -> u8 {
        b"A23456789TJQK"[self as usize]
    }

    /// The place in the order ace, two, … king, counted from 1.
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }
}

/// Why a text is no rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotARank;

impl fmt::Display for NotARank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be a rank, one of A23456789TJQK")
    }
}

impl std::error::Error for NotARank {}

impl FromStr for Rank {
    type Err = NotARank;

    fn from_str(text: &str) -> Result<Self, NotARank> {
        let [letter] = text.as_bytes() else { return Err(NotARank) };
        Self::ALL.into_iter().find(|rank| rank.letter() == *letter).ok_or(NotARank)
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(self.letter()))
    }
}

impl Serialize for Rank {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_char(char::from(self.letter()))
    }
}

impl<'de> Deserialize<'de> for Rank {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// One of the 52 cards with a rank and a suit; ordered as in a deck before a shuffle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card {
    // The order of the fields is the order of a deck: suit by suit.
    suit: Suit,
    rank: Rank,
}

impl Card {
    /// The card of this rank and suit.
    pub const fn new(rank: Rank, suit: Suit) -> Self {
        Self { suit, rank }
    }

    /// Its rank.
    pub const fn rank(self) -> Rank {
        self.rank
    }

    /// Its suit.
    pub const fn suit(self) -> Suit {
        self.suit
    }

    /// A deck of these ranks before a shuffle: suits C, D, H, S; within a suit the ranks as given.
    pub fn deck(ranks: &'static [Rank]) -> impl Iterator<Item = Self> {
        Suit::ALL.into_iter().flat_map(move |suit| ranks.iter().map(move |rank| Self::new(*rank, suit)))
    }

    /// The 52 cards before a shuffle.
    pub fn full_deck() -> impl Iterator<Item = Self> {
        Self::deck(&Rank::ALL)
    }
}

/// Why a text is no card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotACard;

impl fmt::Display for NotACard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be a card: a rank of A23456789TJQK and a suit of CDHS, as in QS")
    }
}

impl std::error::Error for NotACard {}

impl FromStr for Card {
    type Err = NotACard;

    fn from_str(text: &str) -> Result<Self, NotACard> {
        let [rank, suit] = text.as_bytes() else { return Err(NotACard) };
        let rank = Rank::ALL.into_iter().find(|r| r.letter() == *rank).ok_or(NotACard)?;
        let suit = Suit::ALL.into_iter().find(|s| s.letter() == *suit).ok_or(NotACard)?;
        Ok(Self::new(rank, suit))
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(self.rank.letter()), char::from(self.suit.letter()))
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Card {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = [self.rank.letter(), self.suit.letter()];
        serializer.serialize_str(std::str::from_utf8(&text).map_err(serde::ser::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for Card {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// What a move writes where a card belongs: a card, or some other text, which is nobody's card. A long list of moves
/// with cards in it needs no memory for their texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardText {
    /// A card.
    Card(Card),
    /// A text that is no card.
    Other(Box<str>),
}

impl CardText {
    /// The card, if the text is one.
    pub const fn card(&self) -> Option<Card> {
        match self {
            Self::Card(card) => Some(*card),
            Self::Other(_) => None,
        }
    }
}

impl From<&str> for CardText {
    fn from(text: &str) -> Self {
        text.parse().map_or_else(|NotACard| Self::Other(text.into()), Self::Card)
    }
}

impl Serialize for CardText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Card(card) => card.serialize(serializer),
            Self::Other(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for CardText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        std::borrow::Cow::<str>::deserialize(deserializer).map(|text| Self::from(&*text))
    }
}

/// A card of a deck with jokers; ordered as in a deck before a shuffle: jokers last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Face {
    /// One of the 52.
    Plain(Card),
    /// A joker, with its number in its deck, counted from 1.
    Joker(u8),
}

impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(card) => card.fmt(f),
            Self::Joker(number) => write!(f, "X{number}"),
        }
    }
}

impl fmt::Debug for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Face {
    type Err = NotACard;

    fn from_str(text: &str) -> Result<Self, NotACard> {
        match text.as_bytes() {
            [b'X', number @ b'1'..=b'9'] => Ok(Self::Joker(number - b'0')),
            _ => text.parse().map(Self::Plain),
        }
    }
}

impl Serialize for Face {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plain(card) => card.serialize(serializer),
            Self::Joker(_) => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Face {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deck_is_in_the_protocol_s_order() {
        let deck: Vec<String> = Card::full_deck().map(|card| card.to_string()).collect();
        assert_eq!(deck.len(), 52);
        assert_eq!(deck[..3], ["AC", "2C", "3C"]);
        assert_eq!(deck[50..], ["QS", "KS"]);
        assert!(Card::full_deck().is_sorted());
    }

    #[test]
    fn cards_are_read_as_they_are_written() {
        for card in Card::full_deck() {
            assert_eq!(card.to_string().parse(), Ok(card));
            assert_eq!(CardText::from(&*card.to_string()), CardText::Card(card));
        }
        for rank in Rank::ALL {
            assert_eq!(rank.to_string().parse(), Ok(rank));
            assert_eq!(serde_json::to_value(rank).unwrap(), rank.to_string());
        }
        for wrong in ["", "10", "1", "j", "JC", "♠"] {
            assert!(wrong.parse::<Rank>().is_err(), "{wrong}");
        }
        assert_eq!("X4".parse(), Ok(Face::Joker(4)));
        for wrong in ["", "A", "10H", "qs", "QSS", "1C", "X0", "X", "X10", "♠A"] {
            assert!(wrong.parse::<Face>().is_err(), "{wrong}");
            assert_eq!(CardText::from(wrong), CardText::Other(wrong.into()));
        }
    }
}
