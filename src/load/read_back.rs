//! Reading the logs back: nothing that was acknowledged may be missing.

use std::cell::Cell;
use std::rc::Rc;

use tokio::task::JoinSet;

use super::LoadError;
use super::answer;
use super::caller::{Caller, House, request};
use super::kept::{Kept, ReadBack};
use super::report::ReadBackReport;
use crate::canonical;
use crate::event::{Event, event_hash};
use crate::keys::{Jwk, KeyUse};

/// How many logs are read at once.
const READERS: usize = 8;

/// Reads the logs of these games; with keys, every hash and signature in them is verified too.
///
/// # Errors
///
/// When no instance answers, or a log can't be read.
pub async fn read_back(house: &House, games: &[Rc<Kept>], keys: Option<&[Jwk]>) -> Result<ReadBackReport, LoadError> {
    let mut readers = JoinSet::new();
    let next = Rc::new(Cell::new(0));
    let games: Rc<[Rc<Kept>]> = games.into();
    let keys: Option<Rc<[Jwk]>> = keys.map(Into::into);
    for number in 0..READERS {
        let (house, next, games, keys) = (house.clone(), next.clone(), games.clone(), keys.clone());
        readers.spawn_local(async move {
            let mut caller = Caller::new(house, number);
            let mut report = ReadBackReport { forged: keys.as_ref().map(|_| 0), ..ReadBackReport::default() };
            while let Some(kept) = games.get(next.replace(next.get() + 1)) {
                read_game(&mut caller, kept, keys.as_deref(), &mut report).await?;
            }
            Ok::<_, LoadError>(report)
        });
    }
    let mut all = ReadBackReport::default();
    while let Some(report) = readers.join_next().await {
        all.add(report.map_err(|_| LoadError::Panicked)??);
    }
    Ok(all)
}

impl ReadBackReport {
    /// Takes in what another has found.
    pub fn add(&mut self, other: Self) {
        self.games += other.games;
        self.events += other.events;
        self.lost += other.lost;
        self.broken += other.broken;
        self.forged = match (self.forged, other.forged) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or_default() + other.unwrap_or_default()),
        };
    }
}

async fn read_game(
    caller: &mut Caller,
    kept: &Kept,
    keys: Option<&[Jwk]>,
    report: &mut ReadBackReport,
) -> Result<(), LoadError> {
    let (mut back, mut links) = (ReadBack::default(), Vec::new());
    loop {
        let after = back.after().map(|seq| format!("&after={seq}")).unwrap_or_default();
        let path = format!("/v1/games/{}/events?limit=1000{after}", kept.game);
        let body = caller.must("a log", &request("GET", &path, None, "", "")).await?;
        let more = answer::page(body, &mut links).map_err(|_| LoadError::Nonsense("a page of a log"))?;
        if let (Some(keys), Some(forged)) = (keys, &mut report.forged) {
            *forged += count_forged(body, keys)?;
        }
        back.compare(&links, kept);
        // A page without events leads nowhere.
        if !more || links.is_empty() {
            break;
        }
    }
    back.finish(kept);
    report.games += 1;
    report.events += kept.len();
    report.lost += back.lost;
    report.broken += back.broken;
    Ok(())
}

/// How many events of a page have a hash that is not theirs, or a signature of none of these keys.
fn count_forged(page: &[u8], keys: &[Jwk]) -> Result<u64, LoadError> {
    let page = canonical::parse(page).map_err(|_| LoadError::Nonsense("a page of a log"))?;
    let events = page.get("events").and_then(|events| events.as_array());
    let events = events.ok_or(LoadError::Nonsense("a page of a log"))?;
    Ok(events.iter().filter(|event| !Event::read(event).is_ok_and(|event| is_signed(&event, keys))).count() as u64)
}

fn is_signed(event: &Event, keys: &[Jwk]) -> bool {
    let body = &event.body;
    let hash = event_hash(event.game, event.seq, &event.prev, event.at, event.actor, body.event_type(), body);
    let fits =
        |key: &&Jwk| key.croupier_use == KeyUse::Event && key.kid == event.signature.key && key.signs_at(event.at);
    let key = keys.iter().find(fits);
    hash == event.hash && key.is_some_and(|key| key.x.verifies(hash.as_bytes(), &event.signature.value))
}
