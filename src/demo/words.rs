//! Words for what programs write in signs.

use crate::cards::{Card, Rank, Suit};
use crate::seat::Seat;

/// What the players are called, by seat.
#[derive(Debug, Clone)]
pub struct Names(Vec<String>);

impl Names {
    /// These, by seat.
    pub fn new(names: Vec<String>) -> Self {
        Self(names)
    }

    /// Who sits there.
    pub fn of(&self, seat: Seat) -> &str {
        self.0.get(seat.index()).map_or("somebody", String::as_str)
    }

    /// Who sits on these seats: `Ana, Ben and Cleo`.
    pub fn all(&self, seats: &[Seat]) -> String {
        list(seats.iter().map(|seat| self.of(*seat).to_owned()))
    }
}

/// `a, b and c`.
pub fn list(items: impl IntoIterator<Item = String>) -> String {
    let mut items: Vec<String> = items.into_iter().collect();
    match items.pop() {
        None => "nobody".to_owned(),
        Some(last) if items.is_empty() => last,
        Some(last) => format!("{} and {last}", items.join(", ")),
    }
}

fn rank_word(rank: Rank) -> &'static str {
    match rank {
        Rank::Ace => "ace",
        Rank::Two => "two",
        Rank::Three => "three",
        Rank::Four => "four",
        Rank::Five => "five",
        Rank::Six => "six",
        Rank::Seven => "seven",
        Rank::Eight => "eight",
        Rank::Nine => "nine",
        Rank::Ten => "ten",
        Rank::Jack => "jack",
        Rank::Queen => "queen",
        Rank::King => "king",
    }
}

/// `a queen`, `an ace`.
pub fn rank(rank: Rank) -> String {
    let article = if matches!(rank, Rank::Ace | Rank::Eight) { "an" } else { "a" };
    format!("{article} {}", rank_word(rank))
}

/// `the queen of spades`.
pub fn card(card: Card) -> String {
    let suit = match card.suit() {
        Suit::Clubs => "clubs",
        Suit::Diamonds => "diamonds",
        Suit::Hearts => "hearts",
        Suit::Spades => "spades",
    };
    format!("the {} of {suit}", rank_word(card.rank()))
}

/// `the queen of spades, the ace of clubs and the king of hearts`.
pub fn cards(cards: &[Card]) -> String {
    list(cards.iter().map(|one| card(*one)))
}

/// A card as a move writes it; what is no card stays as it is.
pub fn written_card(text: &str) -> String {
    text.parse().map_or_else(|_| text.to_owned(), card)
}

/// `1 point`, `2 points`.
pub fn count(n: i64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_counts_and_cards_read_well() {
        let all = |items: &[&str]| list(items.iter().map(|item| (*item).to_owned()));
        assert_eq!(
            [all(&[]), all(&["a"]), all(&["a", "b"]), all(&["a", "b", "c"])].join("; "),
            "nobody; a; a and b; a, b and c"
        );
        assert_eq!(
            [count(0, "point"), count(1, "point"), count(-2, "point")].join("; "),
            "0 points; 1 point; -2 points"
        );
        assert_eq!(written_card("QS"), "the queen of spades");
        assert_eq!(written_card("X1"), "X1");
        assert_eq!([rank(Rank::Ace), rank(Rank::Eight), rank(Rank::Jack)].join("; "), "an ace; an eight; a jack");
    }
}
