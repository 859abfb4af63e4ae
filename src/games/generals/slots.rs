//! Slots: the places of a hand's row, counted from 0 (GE-12).

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// GE-7, GE-8: how many cards are laid at most.
pub const MOST: usize = 3;

/// One to three slots of one row, ascending, none twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slots {
    count: u8,
    /// Zero beyond the count.
    at: [u8; MOST],
}

/// Why slots are no [`Slots`] of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSlots {
    /// None at all, or more than three.
    Count,
    /// One that the row has not.
    Missing,
    /// One that is named twice.
    Twice,
}

impl Slots {
    /// The slots that somebody named, if a row of this length has them.
    ///
    /// # Errors
    ///
    /// See [`NoSlots`].
    pub fn read(sent: &SentSlots, row: usize) -> Result<Self, NoSlots> {
        if !(1..=MOST).contains(&sent.count()) {
            return Err(NoSlots::Count);
        }
        let mut slots = Self { count: 0, at: [0; MOST] };
        for (place, slot) in slots.at.iter_mut().zip(sent.iter()) {
            let known = usize::try_from(slot).ok().filter(|slot| *slot < row);
            *place = known.and_then(|slot| u8::try_from(slot).ok()).ok_or(NoSlots::Missing)?;
            slots.count += 1;
        }
        slots.at[..usize::from(slots.count)].sort_unstable();
        if slots.as_slice().windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(NoSlots::Twice);
        }
        Ok(slots)
    }

    /// These slots, which ascend and are three at most.
    pub(super) fn ascending<const N: usize>(slots: [u8; N]) -> Self {
        const { assert!(N >= 1 && N <= MOST) };
        let mut at = [0; MOST];
        at[..N].copy_from_slice(&slots);
        Self { count: N as u8, at }
    }

    fn as_slice(&self) -> &[u8] {
        &self.at[..usize::from(self.count)]
    }

    /// The slots, ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator {
        self.as_slice().iter().map(|slot| usize::from(*slot))
    }
}

/// Slots as somebody sent them: any integers, in any number.
///
/// A list of legal moves can be long (every run against every target), so what is sensible is held without a heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentSlots(Sent);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Sent {
    /// Three at most, all of them small; zero beyond the count.
    Few { count: u8, at: [u8; MOST] },
    /// Whatever does not fit into the other form, so that equal lists are equal values.
    Other(Vec<i64>),
}

impl SentSlots {
    /// How many there are.
    pub fn count(&self) -> usize {
        match &self.0 {
            Sent::Few { count, .. } => usize::from(*count),
            Sent::Other(slots) => slots.len(),
        }
    }

    /// The slots in the order in which they were sent.
    pub fn iter(&self) -> impl Iterator<Item = i64> {
        let (few, other) = match &self.0 {
            Sent::Few { count, at } => (&at[..usize::from(*count)], &[][..]),
            Sent::Other(slots) => (&[][..], slots.as_slice()),
        };
        few.iter().map(|slot| i64::from(*slot)).chain(other.iter().copied())
    }

    /// The same slots, ascending (RU-2).
    #[must_use]
    pub fn sorted(&self) -> Self {
        let mut slots: Vec<i64> = self.iter().collect();
        slots.sort_unstable();
        slots.into()
    }
}

impl From<Slots> for SentSlots {
    fn from(Slots { count, at }: Slots) -> Self {
        Self(Sent::Few { count, at })
    }
}

impl From<Vec<i64>> for SentSlots {
    fn from(slots: Vec<i64>) -> Self {
        let mut at = [0; MOST];
        let small = slots.len() <= MOST
            && at.iter_mut().zip(&slots).all(|(place, slot)| u8::try_from(*slot).map(|slot| *place = slot).is_ok());
        // Three at most, so the cast loses nothing.
        Self(if small { Sent::Few { count: slots.len() as u8, at } } else { Sent::Other(slots) })
    }
}

impl Serialize for SentSlots {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for SentSlots {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(|slots: Vec<i64>| slots.into())
    }
}
