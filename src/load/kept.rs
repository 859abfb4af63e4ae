//! The receipts of one game, kept as a player would keep them: what was acknowledged must stand in the log for ever.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use super::answer::Link;
use crate::hex32::Hash;
use crate::log::Head;

/// What is known of a game's log.
pub struct Kept {
    /// The game's id.
    pub game: String,
    /// The hash of each event, from the first on.
    hashes: RefCell<Vec<Hash>>,
    /// When each was acknowledged; empty unless somebody watches.
    acknowledged: RefCell<Vec<Instant>>,
    watched: bool,
    over: Cell<bool>,
}

/// What is wrong with events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Events between those that are known and these are not there yet.
    Gap,
    /// They are not chained to those that are known, or are other ones.
    Broken,
}

impl Kept {
    /// Of a new game; with times if it is `watched`.
    pub fn new(game: String, watched: bool) -> Self {
        let (hashes, acknowledged) = (RefCell::default(), RefCell::default());
        Self { game, hashes, acknowledged, watched, over: Cell::new(false) }
    }

    /// How many events are known.
    pub fn len(&self) -> u64 {
        self.hashes.borrow().len() as u64
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.over.get()
    }

    /// Says that the game is over.
    pub fn end(&self) {
        self.over.set(true);
    }

    /// When an event was acknowledged.
    pub fn acknowledged(&self, seq: u64) -> Option<Instant> {
        self.acknowledged.borrow().get(usize::try_from(seq).ok()?).copied()
    }

    /// Takes events of an answer that came just now; those that are known must be the same.
    ///
    /// # Errors
    ///
    /// See [`Fault`]; none is taken from there on.
    pub fn take(&self, links: &[Link], now: Instant) -> Result<(), Fault> {
        let mut hashes = self.hashes.borrow_mut();
        for link in links {
            let known = hashes.len() as u64;
            if link.seq > known {
                return Err(Fault::Gap);
            }
            // Below the length of a list in memory.
            let place = link.seq as usize;
            if link.prev != place.checked_sub(1).map_or(Hash::ZERO, |before| hashes[before]) {
                return Err(Fault::Broken);
            }
            match hashes.get(place) {
                Some(hash) if *hash == link.hash => {}
                Some(_) => return Err(Fault::Broken),
                None => {
                    hashes.push(link.hash);
                    if self.watched {
                        self.acknowledged.borrow_mut().push(now);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Goes along a log that is read back, and counts what was acknowledged and is not there.
pub struct ReadBack {
    head: Head,
    /// Acknowledged events that the log has otherwise, or not at all.
    pub lost: u64,
    /// Events that are not chained to the one before.
    pub broken: u64,
}

impl Default for ReadBack {
    fn default() -> Self {
        Self { head: Head::EMPTY, lost: 0, broken: 0 }
    }
}

impl ReadBack {
    /// The number of the newest event that was read.
    pub fn after(&self) -> Option<u64> {
        self.head.next.checked_sub(1)
    }

    /// Compares a page of the log.
    pub fn compare(&mut self, links: &[Link], kept: &Kept) {
        let hashes = kept.hashes.borrow();
        for link in links {
            if link.seq != self.head.next || link.prev != self.head.hash {
                self.broken += 1;
            }
            let known = usize::try_from(link.seq).ok().and_then(|seq| hashes.get(seq));
            self.lost += u64::from(known.is_some_and(|hash| *hash != link.hash));
            self.head = link.head();
        }
    }

    /// After the last page: what is missing at the end is lost.
    pub fn finish(&mut self, kept: &Kept) {
        self.lost += kept.len().saturating_sub(self.head.next);
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, Kept, Link, ReadBack};
    use crate::hex32::Hash;
    use std::time::Instant;

    fn hash(number: u8) -> Hash {
        if number == 0 { Hash::ZERO } else { Hash::new([number; 32]) }
    }

    fn link(seq: u8) -> Link {
        Link { seq: seq.into(), prev: hash(seq), hash: hash(seq + 1), ends: false }
    }

    #[test]
    fn receipts_must_chain_on() {
        let kept = Kept::new("g".to_owned(), true);
        let now = Instant::now();
        assert_eq!(kept.take(&[link(1)], now), Err(Fault::Gap));
        assert_eq!(kept.take(&[link(0), link(1)], now), Ok(()));
        // A repeat is answered with the same events.
        assert_eq!(kept.take(&[link(1)], now), Ok(()));
        assert_eq!(kept.take(&[Link { hash: hash(9), ..link(1) }], now), Err(Fault::Broken));
        assert_eq!(kept.take(&[Link { prev: hash(9), ..link(2) }], now), Err(Fault::Broken));
        assert_eq!(kept.take(&[link(3)], now), Err(Fault::Gap));
        assert_eq!(kept.len(), 2);
        assert!(kept.acknowledged(1).is_some() && kept.acknowledged(2).is_none());
    }

    #[test]
    fn what_the_log_lacks_or_has_otherwise_is_lost() {
        let kept = Kept::new("g".to_owned(), false);
        assert_eq!(kept.take(&[link(0), link(1), link(2), link(3)], Instant::now()), Ok(()));
        let read = |pages: &[&[Link]]| {
            let mut back = ReadBack::default();
            for page in pages {
                back.compare(page, &kept);
            }
            back.finish(&kept);
            (back.lost, back.broken)
        };
        assert_eq!(read(&[&[link(0), link(1)], &[link(2), link(3), link(4)]]), (0, 0));
        assert_eq!(read(&[&[link(0), link(1)]]), (2, 0));
        assert_eq!(read(&[&[link(0), Link { hash: hash(9), ..link(1) }, link(2), link(3)]]), (1, 1));
        assert_eq!(read(&[&[link(0), link(2), link(3)]]), (0, 1));
        assert_eq!(read(&[]), (4, 0));
    }
}
