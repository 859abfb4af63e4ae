//! What an honest client checks before it opens anything (protocol, What a client must check): one game's log,
//! followed event by event. Pure: events and keys come in, a yes or a reason comes out, and no view is ever believed.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::{Actor, Body, Committed, Event, Resigned, Seated, TimedOut, event_hash};
use crate::games::{CommonFact, Fact};
use crate::hex32::Hash;
use crate::ids::GameId;
use crate::keys::{Jwk, KeyUse, PublicKey};
use crate::log::Head;
use crate::seat::Seat;
use crate::seed_chain::{Disclosed, ServerSeeds, leads_back};
use crate::table::{Status, Stop, Table};

mod agreement;
mod conviction;
mod distrust;
#[cfg(test)]
mod tests;

pub use agreement::{Agreed, Anchors};
pub use conviction::Conviction;
pub use distrust::{Distrust, Hold};

/// One game's log, as far as it came and as long as it can be trusted.
#[derive(Clone)]
pub struct Watch {
    /// The server's event keys, got before the game and apart from it.
    keys: Vec<Jwk>,
    game: GameId,
    anchor: Hash,
    /// The log, from its first event on: the receipts.
    events: Vec<Event>,
    /// Receipts of events that the log has not come to yet.
    ahead: BTreeMap<u64, Event>,
    /// The table after the first `tabled` events: as far as the draws are known.
    table: Table,
    tabled: usize,
    /// The draw that the table waits for.
    waits_for: Option<u32>,
    seeds: Disclosed,
    /// Once something was wrong, it stays wrong.
    distrust: Option<Distrust>,
}

impl Watch {
    /// Begins with a game's first event. `keys` are the server's as they were got before; `agreed` is what is to be
    /// played; `anchors` are those of all games that this player ever watched, and the new one joins them.
    ///
    /// # Errors
    ///
    /// When the event is not signed as it must be, is no `created`, says something else than was agreed to, or bears
    /// an anchor that another game had.
    pub fn begin(first: &Event, keys: &[Jwk], agreed: &Agreed, anchors: &mut Anchors) -> Result<Self, Distrust> {
        // A key's name is its thumbprint, and what a name is given to is checked here: nobody else may have.
        let of_events = |key: &&Jwk| key.croupier_use == KeyUse::Event && key.kid == key.x.id();
        let keys: Vec<Jwk> = keys.iter().filter(of_events).cloned().collect();
        check_chain(first, Head::EMPTY, first.game)?;
        check_signature(first, &keys)?;
        let table = Table::begin(first).map_err(|fault| Distrust::Wrong { seq: 0, fault })?;
        agreed.check(table.created())?;
        let anchor = table.created().anchor;
        anchors.meet(anchor, first.game)?;
        Ok(Self {
            keys,
            game: first.game,
            anchor,
            events: vec![first.clone()],
            ahead: BTreeMap::new(),
            table,
            tabled: 1,
            waits_for: None,
            seeds: Disclosed::default(),
            distrust: None,
        })
    }

    /// Takes the next events in. Events that are known already may come again.
    ///
    /// # Errors
    ///
    /// At the first that can't be trusted; from then on nothing is.
    pub fn take(&mut self, events: &[Event]) -> Result<(), Distrust> {
        events.iter().try_for_each(|event| self.trusting(|watch| watch.take_one(event)))
    }

    /// Keeps the events of a receipt. They may lie ahead of the log that has come so far.
    ///
    /// # Errors
    ///
    /// When one is not signed as it must be, or contradicts the log.
    pub fn keep(&mut self, receipt: &[Event]) -> Result<(), Distrust> {
        receipt.iter().try_for_each(|event| self.trusting(|watch| watch.keep_one(event)))
    }

    /// The log so far, every event of it checked.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The newest event that is known: what goes into `after`.
    pub fn seq(&self) -> u64 {
        // There is a first event from the beginning on.
        self.events.last().map_or(0, |event| event.seq)
    }

    /// The table as far as the disclosed draws tell it.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Whether the game is over and everything in its log was rebuilt from the disclosed seeds and held against the
    /// rules.
    pub fn is_rebuilt(&self) -> bool {
        self.distrust.is_none() && self.tabled == self.events.len() && self.table.is_over()
    }

    /// Whether the seed may be opened that was committed to by sitting down like this.
    ///
    /// # Errors
    ///
    /// See [`Hold`].
    pub fn may_open_seed(&self, seat: Seat, own: &Seated) -> Result<(), Hold> {
        self.may_open_anything(seat, own)?;
        if self.events.iter().any(|event| matches!(event.body, Body::Started(_))) {
            return Err(Hold::NoMore("the game has started"));
        }
        // Before `started` no draw is needed, so the table is as new as the log.
        match self.table.status() {
            Status::Closed => Ok(()),
            Status::Open => Err(Hold::NotYet("the table is not closed")),
            Status::Playing | Status::Ended | Status::Voided => Err(Hold::NoMore("the game is over")),
        }
    }

    /// Whether the move may be opened that was committed to like this, by who sat down like that.
    ///
    /// # Errors
    ///
    /// See [`Hold`].
    pub fn may_open_move(&self, seat: Seat, own: &Seated, committed: &Committed) -> Result<(), Hold> {
        self.may_open_anything(seat, own)?;
        let step = committed.step;
        match self.commitment(seat, step) {
            None => return Err(Hold::NotYet("the commitment is not in the log")),
            Some(found) if found != committed => return Err(Distrust::Commitment { seat, step }.into()),
            Some(_) => {}
        }
        if self.events.iter().any(|event| ends(&event.body, step)) {
            return Err(Hold::NoMore("the decision is over"));
        }
        let bound = |seat: Seat| self.commitment(seat, step).is_some();
        if self.deciders().into_iter().all(bound) { Ok(()) } else { Err(Hold::NotYet("somebody is not bound yet")) }
    }

    /// Two signatures of the server over different events of one place in this game's log: the proof that it cheated.
    /// `log` is the same game's log as somebody else got it.
    pub fn convict(&self, log: &[Event]) -> Option<Conviction> {
        let own = |seq: u64| {
            let place = usize::try_from(seq).ok().and_then(|seq| self.events.get(seq));
            place.or_else(|| self.ahead.get(&seq))
        };
        log.iter().find_map(|other| Conviction::of(own(other.seq)?, other, &self.keys))
    }

    /// Does something unless something was wrong before, and remembers if something is now.
    fn trusting(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Distrust>) -> Result<(), Distrust> {
        if let Some(distrust) = &self.distrust {
            return Err(distrust.clone());
        }
        let result = work(self);
        self.distrust = result.as_ref().err().cloned();
        result
    }

    fn take_one(&mut self, event: &Event) -> Result<(), Distrust> {
        let head = self.events.last().map_or(Head::EMPTY, Head::after);
        if event.seq < head.next {
            return self.keep_one(event);
        }
        check_chain(event, head, self.game)?;
        check_signature(event, &self.keys)?;
        if let Some(receipt) = self.ahead.remove(&event.seq) {
            self.same(&receipt, event)?;
        }
        let last = self.events.last().map(|last| last.at);
        if last.is_some_and(|last| event.at < last) {
            return Err(Distrust::Time { seq: event.seq });
        }
        if let Actor::Seat(seat) = event.actor
            && !event.body.is_signed_by(self.game, seat, self.key_of(seat, &event.body).as_ref())
        {
            return Err(Distrust::PlayerSignature { seq: event.seq, seat });
        }
        self.disclose(event)?;
        self.events.push(event.clone());
        self.rebuild()
    }

    fn keep_one(&mut self, event: &Event) -> Result<(), Distrust> {
        if event.game != self.game {
            return Err(Distrust::OtherGame { seq: event.seq });
        }
        check_hash(event)?;
        check_signature(event, &self.keys)?;
        let place = usize::try_from(event.seq).ok().and_then(|seq| self.events.get(seq));
        match place.or_else(|| self.ahead.get(&event.seq)) {
            Some(known) => self.same(known, event),
            None => {
                self.ahead.insert(event.seq, event.clone());
                Ok(())
            }
        }
    }

    /// One place in the log holds one event.
    fn same(&self, known: &Event, event: &Event) -> Result<(), Distrust> {
        match Conviction::of(known, event, &self.keys) {
            Some(conviction) => Err(Distrust::Fork(Box::new(conviction))),
            None => Ok(()),
        }
    }

    /// The key that a seat signs with: what it sits down with, and has kept since.
    fn key_of(&self, seat: Seat, body: &Body) -> Option<PublicKey> {
        match body {
            Body::Seated(seated) => seated.key,
            _ => self.table.places().get(seat).copied().flatten().and_then(|place| place.key),
        }
    }

    /// Takes a disclosed seed in, if it leads back to the anchor.
    fn disclose(&mut self, event: &Event) -> Result<(), Distrust> {
        let Body::Disclosed(disclosed) = &event.body else { return Ok(()) };
        if !leads_back(&disclosed.seed, disclosed.draw, self.anchor.as_bytes()) {
            return Err(Distrust::Disclosure { seq: event.seq });
        }
        self.seeds = Disclosed::up_to(disclosed.draw, disclosed.seed);
        Ok(())
    }

    /// Has the table follow the log, as far as the draws are disclosed: so a false deal, an illegal move and a wrong
    /// score are found as soon as they can be.
    fn rebuild(&mut self) -> Result<(), Distrust> {
        if self.waits_for.is_some_and(|draw| self.seeds.seed(draw).is_none()) {
            return Ok(());
        }
        while let Some(event) = self.events.get(self.tabled) {
            let mut next = self.table.clone();
            match next.evolve(event, &self.seeds) {
                Ok(()) => (self.table, self.tabled, self.waits_for) = (next, self.tabled + 1, None),
                Err(Stop::Undisclosed(draw)) => {
                    self.waits_for = Some(draw);
                    break;
                }
                Err(Stop::Fault(fault)) => return Err(Distrust::Wrong { seq: event.seq, fault }),
            }
        }
        Ok(())
    }

    /// What holds before anything is opened: nothing was wrong, and the own seat is in the log as it was sent.
    fn may_open_anything(&self, seat: Seat, own: &Seated) -> Result<(), Hold> {
        if let Some(distrust) = &self.distrust {
            return Err(distrust.clone().into());
        }
        let latest = self.events.iter().rev().filter(|event| event.actor == Actor::Seat(seat));
        let latest = latest.map(|event| &event.body).find(|body| matches!(body, Body::Seated(_) | Body::Left(_)));
        match latest {
            Some(Body::Seated(found)) if found == own => Ok(()),
            Some(_) => Err(Distrust::Seat { seat }.into()),
            None => Err(Hold::NotYet("the own seat is not in the log")),
        }
    }

    fn commitment(&self, seat: Seat, step: u32) -> Option<&Committed> {
        self.events.iter().filter(|event| event.actor == Actor::Seat(seat)).find_map(|event| match &event.body {
            Body::Committed(committed) if committed.step == step => Some(committed),
            _ => None,
        })
    }

    /// Whose commitments to wait for: everybody who plays and has not forfeited.
    ///
    /// Exactly who must decide follows from the rules, but the table can't be asked: in the middle of a round it
    /// stands before a deal whose draw is still secret. Everybody is the safe side, since more can't be asked to
    /// decide, and it is exact too: the games here that seal moves have all who are in decide at once, and a test
    /// holds every game to that. The log's word that somebody forfeited is taken only where an event stands for it.
    fn deciders(&self) -> BTreeSet<Seat> {
        let mut deciders: BTreeSet<Seat> = self.table.places().seats().collect();
        for event in &self.events {
            let named = |seat: Seat| match &event.body {
                Body::TimedOut(TimedOut { seats, .. }) => seats.contains(&seat),
                Body::Resigned(_) | Body::Opened(_) => event.actor == Actor::Seat(seat),
                _ => false,
            };
            for fact in event.body.facts() {
                if let Fact::Common(CommonFact::Forfeit(forfeit)) = fact
                    && named(forfeit.seat)
                {
                    deciders.remove(&forfeit.seat);
                }
            }
        }
        deciders
    }
}

/// Whether an event shows that this decision is over, or the game is.
fn ends(body: &Body, step: u32) -> bool {
    match body {
        Body::TimedOut(TimedOut { step: over, .. }) | Body::Resigned(Resigned { step: Some(over), .. }) => {
            *over >= step
        }
        Body::Committed(committed) => committed.step > step,
        Body::Moved(moved) => moved.step.is_some_and(|other| other > step),
        Body::Ended(_) | Body::Voided(_) => true,
        _ => false,
    }
}

/// Whether the event continues the chain.
fn check_chain(event: &Event, head: Head, game: GameId) -> Result<(), Distrust> {
    if event.game != game {
        return Err(Distrust::OtherGame { seq: event.seq });
    }
    if event.seq != head.next {
        return Err(Distrust::Seq { expected: head.next, found: event.seq });
    }
    if event.prev != head.hash {
        return Err(Distrust::Prev { seq: event.seq });
    }
    check_hash(event)
}

/// Whether the event's hash is the hash of what it says. An [`Event`] holds its data to the byte: one that would be
/// written otherwise than it came is not read.
fn check_hash(event: &Event) -> Result<(), Distrust> {
    let Event { game, seq, prev, at, actor, body, hash, .. } = event;
    if event_hash(*game, *seq, prev, *at, *actor, body.event_type(), body) == *hash {
        Ok(())
    } else {
        Err(Distrust::Hash { seq: *seq })
    }
}

/// Whether the event is signed by one of these keys, in its period.
fn check_signature(event: &Event, keys: &[Jwk]) -> Result<(), Distrust> {
    let (seq, id) = (event.seq, event.signature.key);
    let key = keys.iter().find(|key| key.kid == id).ok_or(Distrust::UnknownKey { seq, key: id })?;
    if !key.signs_at(event.at) {
        return Err(Distrust::KeyPeriod { seq, key: id });
    }
    if !key.x.verifies(event.hash.as_bytes(), &event.signature.value) {
        return Err(Distrust::Signature { seq });
    }
    Ok(())
}
