//! TH-3, TH-4: the four cards round a corner.

use croupier::cards::Rank;
use croupier::games::tau_heed_kept::{places, winner};

const RANKS: &str = "A23456789TJQK";

/// The four cards, the places, best first, and who wins.
const TABLE: [(&str, &str, Option<char>); 16] = [
    ("635T", "6 / T / 5 / 3", Some('6')),
    ("5TJQ", "JQ / T / 5", Some('T')),
    ("KT92", "K / T / 9 / 2", Some('K')),
    ("TT63", "6 / TT / 3", Some('6')),
    ("66T3", "66 / T / 3", Some('T')),
    ("AT94", "A / T / 9 / 4", Some('A')),
    ("A953", "A / 9 / 5 / 3", Some('A')),
    ("KA53", "K / A / 5 / 3", Some('K')),
    ("KKQA", "KKQ / A", Some('A')),
    ("AA9T", "AA / T / 9", Some('T')),
    ("TTT3", "3 / TTT", Some('3')),
    ("JQTT", "JQ / TT", None),
    ("JQ55", "JQ / 55", None),
    ("99TT", "99 / TT", None),
    ("4422", "44 / 22", None),
    ("TTTT", "TTTT", None),
];

fn ranks(letters: [char; 4]) -> [Rank; 4] {
    letters.map(|letter| Rank::ALL[RANKS.find(letter).unwrap()])
}

/// All orders of four cards.
fn orders(letters: [char; 4]) -> Vec<[char; 4]> {
    let mut all = Vec::new();
    for code in 0..256 {
        let order = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6];
        if (0..4).all(|i| order.contains(&i)) {
            all.push(order.map(|i| letters[i]));
        }
    }
    assert_eq!(all.len(), 24);
    all
}

#[test]
fn th_3_th_4_the_table_of_corners_in_every_order_of_the_cards() {
    for (letters, ranking, expected) in TABLE {
        let letters: Vec<char> = letters.chars().collect();
        for order in orders(letters.try_into().unwrap()) {
            let places = places(ranks(order));
            for (i, group) in ranking.split(" / ").enumerate() {
                let mut there: Vec<char> =
                    (0..4).filter(|c| usize::from(places[*c]) == i + 1).map(|c| order[c]).collect();
                let mut group: Vec<char> = group.chars().collect();
                there.sort();
                group.sort();
                assert_eq!(there, group, "place {} of {order:?}", i + 1);
            }
            assert_eq!(winner(places).map(|i| order[i]), expected, "{order:?}");
        }
    }
}

/// The clause read once more, in another way: groups are taken off one after the other.
pub fn by_the_words(letters: [char; 4]) -> Vec<Vec<char>> {
    let faces: Vec<char> = letters.into_iter().filter(|c| "JQK".contains(*c)).collect();
    let tens: Vec<char> = letters.into_iter().filter(|c| *c == 'T').collect();
    let mut numbers: Vec<Vec<char>> = Vec::new();
    for number in "A98765432".chars() {
        let equal: Vec<char> = letters.into_iter().filter(|c| *c == number).collect();
        if !equal.is_empty() {
            numbers.push(equal);
        }
    }
    let mut numbers = numbers.into_iter();
    let first = if faces.is_empty() { numbers.next() } else { Some(faces) };
    let tens = if tens.is_empty() { None } else { Some(tens) };
    first.into_iter().chain(tens).chain(numbers).collect()
}

#[test]
fn th_3_th_4_all_1820_corners() {
    let mut without = 0;
    let mut tried = 0;
    let all: Vec<char> = RANKS.chars().collect();
    for a in 0..13 {
        for b in a..13 {
            for c in b..13 {
                for d in c..13 {
                    let letters = [all[a], all[b], all[c], all[d]];
                    let groups = by_the_words(letters);
                    let alone = groups.iter().find(|group| group.len() == 1).map(|group| group[0]);
                    let places = places(ranks(letters));
                    for (i, letter) in letters.iter().enumerate() {
                        let group = groups.iter().position(|group| group.contains(letter)).unwrap();
                        assert_eq!(usize::from(places[i]), group + 1, "{letter} in {letters:?}");
                    }
                    assert_eq!(winner(places).map(|i| letters[i]), alone, "{letters:?}");
                    without += usize::from(alone.is_none());
                    tried += 1;
                }
            }
        }
    }
    assert_eq!((tried, without), (1820, 130));
}
