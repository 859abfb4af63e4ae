//! Places at a table.

use std::fmt;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// The most places that a table of any game has.
pub const MAX_SEATS: u8 = 20;

/// A place at a table, counted from 0 (RU-9).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(value_type = u8, minimum = 0, maximum = 19))]
#[serde(try_from = "u8")]
pub struct Seat(u8);

/// Why a number is no [`Seat`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSuchSeat;

impl fmt::Display for NoSuchSeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be a seat, 0 to {}", MAX_SEATS - 1)
    }
}

impl std::error::Error for NoSuchSeat {}

impl Seat {
    /// Seat 0, where counting begins.
    pub const FIRST: Self = Self(0);

    /// The seat with this number.
    ///
    /// # Errors
    ///
    /// For a number that no table of any game has.
    pub fn new(number: usize) -> Result<Self, NoSuchSeat> {
        match u8::try_from(number) {
            Ok(number) if number < MAX_SEATS => Ok(Self(number)),
            _ => Err(NoSuchSeat),
        }
    }

    /// The seats of a table with so many places, ascending; at most [`MAX_SEATS`].
    pub fn all(count: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        // At most MAX_SEATS, so the cast loses nothing.
        (0..count.min(usize::from(MAX_SEATS)) as u8).map(Self)
    }

    /// The seat's number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The seat on the left in a round of so many: the next number, after the last one the first.
    pub fn left(self, count: usize) -> Self {
        if self.index() + 1 >= count { Self::FIRST } else { Self(self.0 + 1) }
    }
}

impl TryFrom<u8> for Seat {
    type Error = NoSuchSeat;

    fn try_from(number: u8) -> Result<Self, NoSuchSeat> {
        Self::new(usize::from(number))
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {}", self.0)
    }
}

/// One value a seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BySeat<T>(Vec<T>);

impl<T> BySeat<T> {
    /// The value that `make` gives for each seat of a table with so many places.
    pub fn from_fn(count: usize, make: impl FnMut(Seat) -> T) -> Self {
        Self(Seat::all(count).map(make).collect())
    }

    /// How many seats there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no seat at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a seat, if the table has that seat.
    pub fn get(&self, seat: Seat) -> Option<&T> {
        self.0.get(seat.index())
    }

    /// The value of a seat, if the table has that seat.
    pub fn get_mut(&mut self, seat: Seat) -> Option<&mut T> {
        self.0.get_mut(seat.index())
    }

    /// The seats, ascending.
    pub fn seats(&self) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator + Clone + use<T> {
        Seat::all(self.0.len())
    }

    /// Seats with their values, ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Seat, &T)> + ExactSizeIterator {
        self.seats().zip(&self.0)
    }

    /// The values, by seat.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// The values, by seat.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut()
    }

    /// What `f` makes of each value.
    pub fn map<'a, U>(&'a self, f: impl FnMut(&'a T) -> U) -> BySeat<U> {
        BySeat(self.0.iter().map(f).collect())
    }
}

/// The list is cut to the [`MAX_SEATS`] that can have a seat.
impl<T> FromIterator<T> for BySeat<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(values.into_iter().take(usize::from(MAX_SEATS)).collect())
    }
}

/// # Panics
///
/// When the table has no such seat: a seat from outside goes through [`BySeat::get`] first.
impl<T> Index<Seat> for BySeat<T> {
    type Output = T;

    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

/// # Panics
///
/// As for [`Index`].
impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}
