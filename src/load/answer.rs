//! What counts in the service's answers.

use super::scan::{Cursor, NotAsExpected, Scanned};
use crate::hex32::Hash;
use crate::log::Head;

/// An event, as far as its place in the chain goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Its number in the game's log.
    pub seq: u64,
    /// The hash of the event before.
    pub prev: Hash,
    /// Its own hash.
    pub hash: Hash,
    /// Whether nothing can follow.
    pub ends: bool,
}

impl Link {
    /// What the event after it is chained to.
    pub fn head(&self) -> Head {
        Head { next: self.seq.saturating_add(1), hash: self.hash }
    }
}

/// What a seat is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shown<'a> {
    /// The newest event that is known there.
    pub seq: u64,
    /// The seats that owe something, as bits.
    pub to_act: u32,
    /// The decision at hand.
    pub step: Option<u64>,
    /// The viewer's seat.
    pub seat: Option<usize>,
    /// Whether nothing can follow.
    pub over: bool,
    /// The list of the moves that the viewer may make, as it is written.
    pub legal: &'a [u8],
}

impl Shown<'_> {
    /// Whether this seat owes something.
    pub fn owes(&self, seat: usize) -> bool {
        u32::try_from(seat).ok().and_then(|seat| self.to_act.checked_shr(seat)).is_some_and(|bits| bits & 1 == 1)
    }
}

fn hash(cursor: &mut Cursor<'_>) -> Scanned<Hash> {
    let text = std::str::from_utf8(cursor.text()?).map_err(|_| NotAsExpected)?;
    text.parse().map_err(|_| NotAsExpected)
}

/// Reads an event.
pub fn link(cursor: &mut Cursor<'_>) -> Scanned<Link> {
    let (mut seq, mut prev, mut own, mut ends) = (None, None, None, false);
    cursor.members(|name, cursor| {
        match name {
            b"seq" => seq = Some(cursor.number()?),
            b"prev" => prev = Some(hash(cursor)?),
            b"hash" => own = Some(hash(cursor)?),
            b"type" => ends = matches!(cursor.text()?, b"ended" | b"voided"),
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    match (seq, prev, own) {
        (Some(seq), Some(prev), Some(hash)) => Ok(Link { seq, prev, hash, ends }),
        _ => Err(NotAsExpected),
    }
}

/// Reads a view.
pub fn shown<'a>(cursor: &mut Cursor<'a>) -> Scanned<Shown<'a>> {
    let mut shown = Shown::default();
    cursor.members(|name, cursor| {
        match name {
            b"seq" => shown.seq = cursor.number()?,
            b"status" => shown.over = matches!(cursor.text()?, b"ended" | b"voided"),
            b"to_act" => cursor.items(|cursor| {
                let bit = u32::try_from(cursor.number()?).ok().and_then(|seat| 1_u32.checked_shl(seat));
                shown.to_act |= bit.ok_or(NotAsExpected)?;
                Ok(())
            })?,
            b"step" => shown.step = if cursor.null()? { None } else { Some(cursor.number()?) },
            b"seat" if !cursor.null()? => {
                shown.seat = Some(usize::try_from(cursor.number()?).map_err(|_| NotAsExpected)?);
            }
            b"seat" => {}
            b"legal" => shown.legal = cursor.skip()?,
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    Ok(shown)
}

fn read_links(cursor: &mut Cursor<'_>, links: &mut Vec<Link>) -> Scanned<()> {
    cursor.items(|cursor| {
        links.push(link(cursor)?);
        Ok(())
    })
}

/// Reads a receipt: its events into `links`, and the view after them.
pub fn receipt<'a>(body: &'a [u8], links: &mut Vec<Link>) -> Scanned<Shown<'a>> {
    links.clear();
    let mut view = None;
    Cursor::new(body).members(|name, cursor| {
        match name {
            b"events" => read_links(cursor, links)?,
            b"view" => view = Some(shown(cursor)?),
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    view.ok_or(NotAsExpected)
}

/// Reads a page of a log into `links`; whether there are more.
pub fn page(body: &[u8], links: &mut Vec<Link>) -> Scanned<bool> {
    links.clear();
    let mut more = false;
    Cursor::new(body).members(|name, cursor| {
        match name {
            b"events" => read_links(cursor, links)?,
            b"next" if !cursor.null()? => more = cursor.number().map(|_| true)?,
            b"next" => {}
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    Ok(more)
}

#[cfg(test)]
mod tests {
    use super::{Link, NotAsExpected, page, receipt};
    use crate::hex32::Hash;
    use serde_json::json;

    fn event(seq: u64) -> serde_json::Value {
        let hash = |seq: u64| format!("{seq:064x}");
        json!({"game": "g", "seq": seq, "prev": hash(seq), "at": "t", "actor": 1, "type": "moved",
            "data": {"seq": 7, "hash": "x"}, "hash": hash(seq + 1), "signature": {"key": "k", "value": "v"}})
    }

    fn number(number: u8) -> Hash {
        let mut bytes = [0; 32];
        bytes[31] = number;
        Hash::new(bytes)
    }

    #[test]
    fn a_receipt_is_its_events_and_the_view_after_them() -> Result<(), NotAsExpected> {
        let legal = json!([{"type": "cut", "depth": 0}, {"type": "cut", "depth": 1}]);
        let body = json!({
            "events": [event(3), event(4)],
            "view": {"game": "g", "kind": "migraine", "seq": 4, "status": "playing", "to_act": [0, 2], "awaits": "move",
                "step": 9, "due_at": null, "seat": 2, "legal": legal, "state": {"to_act": []}, "result": null},
            "nonce": null,
        })
        .to_string();
        let mut links = vec![Link { seq: 0, prev: Hash::ZERO, hash: Hash::ZERO, ends: false }];
        let view = receipt(body.as_bytes(), &mut links)?;
        assert_eq!(links[0], Link { seq: 3, prev: number(3), hash: number(4), ends: false });
        assert_eq!(links.len(), 2);
        assert_eq!((view.seq, view.step, view.seat, view.over), (4, Some(9), Some(2), false));
        assert!(view.owes(0) && !view.owes(1) && view.owes(2) && !view.owes(40));
        assert_eq!(view.legal, legal.to_string().as_bytes());
        Ok(())
    }

    #[test]
    fn a_page_says_whether_there_are_more() -> Result<(), NotAsExpected> {
        let mut links = Vec::new();
        assert!(page(json!({"events": [event(0)], "next": 0}).to_string().as_bytes(), &mut links)?);
        assert_eq!(links.len(), 1);
        assert!(!page(json!({"events": [], "next": null}).to_string().as_bytes(), &mut links)?);
        assert!(links.is_empty());
        assert_eq!(page(br#"{"events": [{"seq": 1}], "next": null}"#, &mut links), Err(NotAsExpected));
        Ok(())
    }
}
