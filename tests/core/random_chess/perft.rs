//! RC-2, RC-7: the numbers of ways through the game, against those that other programs count (`perft.txt`).

use super::{position, variant};

/// How many of the counts are tried by default: beyond so many positions only `the_deepest_counts` goes.
const ALWAYS: u64 = 20_000;

fn check(tried: impl Fn(u64) -> bool) -> usize {
    let mut checked = 0;
    for line in include_str!("perft.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [name, fen, counts] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        let start = position(variant(name), fen);
        for (plies, count) in (1..).zip(counts.split(' ').map(|count| count.parse().unwrap())) {
            if tried(count) {
                assert_eq!(start.perft(plies), count, "{line}: {plies} plies");
                checked += 1;
            }
        }
    }
    checked
}

#[test]
fn as_many_ways_as_other_programs_count() {
    assert_eq!(check(|count| count <= ALWAYS), 76);
}

/// `make test-long` runs it; with optimisation it takes a minute.
#[test]
#[ignore = "the deepest counts: half a billion positions"]
fn the_deepest_counts() {
    assert_eq!(check(|count| count > ALWAYS), 42);
}
