//! The log of a game, by page or as it goes on; and news of all of a player's games.

use std::collections::VecDeque;
use std::time::Duration;

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, get, web};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Service;
use super::extract::{Caller, MaybeCaller, PathGame, Query, whole};
use super::problem::{Code, Problem};
use super::stream::{Form, Speaker, Spoken, Watchdog, spoken};
use crate::dealer::{Dealer, Follower, MyGames, News};
use crate::event::{Body, Event};
use crate::feed::{Published, Watch};
use crate::ids::GameId;
use crate::table::View;

/// How many events a page has at most.
const MAX_EVENTS: u32 = 1000;
/// How many events a page has by itself.
const EVENTS: u32 = 100;
/// How many events a stream that is behind reads at a time.
const BEHIND: u32 = 100;
/// From how many bytes on a text is sent before the next event is written: who reads slowly takes no more memory.
const FULL: usize = 32 * 1024;
/// How long a stream waits before it reads again for an event that was announced and is not there.
const LOST: Duration = Duration::from_secs(1);

/// Which part of the log.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// Events after this one; from the first if left out.
    #[serde(default, deserialize_with = "whole")]
    after: Option<u64>,
    /// How many events; for a page alone.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u32>,
    /// Whether each message has the caller's new view; for a stream alone.
    #[param(default = false)]
    view: Option<bool>,
}

/// A page of a game's log.
#[derive(Debug, Serialize, ToSchema)]
pub struct Events {
    /// The events, in order.
    events: Vec<Event>,
    /// `after` of the next page; null where the log ends for now.
    #[schema(required)]
    next: Option<u64>,
}

/// A message of a game's stream.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventMessage {
    /// The event.
    event: Event,
    /// The caller's view after it, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    view: Option<View>,
}

/// Read the log, or follow it
///
/// Every event of the game, signed and chained: all of it is public. By page; or, with `Accept: text/event-stream` or
/// `application/x-ndjson`, as a stream that goes on as the game does and ends with it. A stream's messages are
/// `EventMessage`s; with SSE each has the event's `seq` for its `id`, and `Last-Event-ID` resumes after it, as `after`
/// does, on any instance, without a gap or a repeat (and goes before `after`). An SSE comment or an empty line is a sign of life. A stream may end
/// before the game does: when the instance stops, when the token is ended, and after an hour with a token; resume then.
///
/// A browser's `EventSource` can send no token: take `fetch` and read the stream for what needs one. To go on by page where
/// `next` is null, ask later with the `seq` of your last event as `after`.
#[utoipa::path(
    tag = "play", operation_id = "listEvents",
    params(
        ("id" = GameId, Path, description = "The game."), EventsQuery,
        ("Last-Event-ID" = Option<u64>, Header, description = "For a stream: as `after`, and before it."),
    ),
    security((), ("token" = [])),
    responses(
        (status = 200, description = "A page of the log, or a stream.", content(
            (Events = "application/json"), (EventMessage = "application/x-ndjson"), (String = "text/event-stream"),
        )),
        (status = 204, description = "A stream was asked for, and the game is over: nothing comes after this event."),
    )
)]
#[get("/v1/games/{id}/events")]
pub async fn list(
    service: web::Data<Service>,
    caller: MaybeCaller,
    request: HttpRequest,
    PathGame(game): PathGame,
    Query(query): Query<EventsQuery>,
) -> Result<HttpResponse, Problem> {
    match Form::asked_for(&request) {
        Some(form) => follow(&service, caller, &request, game, &query, form).await,
        None => page(&service, game, &query).await,
    }
}

async fn page(service: &Service, game: GameId, query: &EventsQuery) -> Result<HttpResponse, Problem> {
    if query.view.is_some() {
        return Err(Problem::new(Code::InvalidParameter, "view is for a stream: see Accept"));
    }
    let limit = query.limit.unwrap_or(EVENTS);
    if !(1..=MAX_EVENTS).contains(&limit) {
        return Err(Problem::new(Code::InvalidParameter, "limit must be 1 to 1000"));
    }
    let mut events = service.dealer.events(game, query.after, limit + 1).await?;
    let page = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = events.len() > page;
    events.truncate(page);
    let next = events.last().filter(|_| more).map(|event| event.seq);
    let mut response = HttpResponse::Ok();
    response.insert_header((header::CACHE_CONTROL, "no-cache"));
    Ok(response.insert_header((header::VARY, "Accept")).json(Events { events, next }))
}

async fn follow(
    service: &Service,
    caller: MaybeCaller,
    request: &HttpRequest,
    game: GameId,
    query: &EventsQuery,
    form: Form,
) -> Result<HttpResponse, Problem> {
    if query.limit.is_some() {
        return Err(Problem::new(Code::InvalidParameter, "limit is for a page: see Accept"));
    }
    let after = match request.headers().get("Last-Event-ID") {
        None => query.after,
        Some(value) => {
            let id = value.to_str().ok().and_then(|value| value.parse().ok());
            Some(id.ok_or(Problem::new(Code::InvalidHeader, "Last-Event-ID must be the number of an event"))?)
        }
    };
    let dealer = &service.dealer;
    let pass = service.limits.open_stream(request, caller.id())?;
    // Watched before it is read, so that nothing can come in between; and read before it is answered, so that whoever has
    // the answer waits for no question to the database any more, and is told if there is no database.
    let watch = dealer.watch(game);
    let events = dealer.events(game, after, BEHIND).await?;
    if events.is_empty() {
        let (newest, over) = dealer.newest(game).await?;
        if over && after.is_some_and(|after| after >= newest) {
            return Ok(HttpResponse::NoContent().finish());
        }
        if after.is_some_and(|after| after > newest) {
            return Err(Problem::new(Code::InvalidParameter, format!("the newest event is {newest}")));
        }
    }
    let next = after.map_or(0, |after| after.saturating_add(1));
    let follower = match query.view {
        Some(true) => Some(dealer.follower(game, caller.id(), next).await?),
        _ => None,
    };
    let watchdog = Watchdog::new(dealer.clone(), caller.0, pass);
    let (dealer, unsaid) = (dealer.clone(), Vec::new());
    let mut stream =
        GameStream { dealer, game, watch, watchdog, follower, form, next, unsaid, behind: false, missed: None };
    stream.unsaid = stream.take_in(events);
    // What came while it was looked whether there is such an event is to be read.
    stream.behind |= stream.unsaid.is_empty();
    Ok(form.respond(spoken(stream)))
}

/// A game as one caller follows it.
struct GameStream {
    dealer: Dealer,
    game: GameId,
    watch: Watch,
    watchdog: Watchdog,
    follower: Option<Follower>,
    form: Form,
    /// The number of the next event.
    next: u64,
    /// What was read and is told next.
    unsaid: Vec<Published>,
    /// Whether the log is to be read for the next event.
    behind: bool,
    /// An event that was announced and that the log did not have: it may have come just after.
    missed: Option<u64>,
}

impl Speaker for GameStream {
    async fn speak(&mut self) -> Option<Spoken> {
        loop {
            if let Some(bark) = self.watchdog.overdue().await {
                return Some(Spoken::of(&bark, self.form));
            }
            // Boxed, as all that is rare here: who only waits is not to have room for it all the time (6 KB a stream).
            let events = if !self.unsaid.is_empty() {
                std::mem::take(&mut self.unsaid)
            } else if self.behind {
                Box::pin(self.read()).await?
            } else {
                self.watch.take(self.next).unwrap_or_default()
            };
            if !events.is_empty() {
                return self.tell(events);
            }
            tokio::select! {
                // What is not kept is read.
                () = self.watch.news(self.next) => self.behind = self.watch.take(self.next).is_none_or(|events| events.is_empty()),
                bark = self.watchdog.bark() => return Some(Spoken::of(&bark, self.form)),
            }
        }
    }
}

impl GameStream {
    /// The next events in the log; `None` where it can't be read now: whoever follows comes again.
    async fn read(&mut self) -> Option<Vec<Published>> {
        let events = self.dealer.events(self.game, self.next.checked_sub(1), BEHIND).await.ok()?;
        if events.is_empty() {
            // Announced before it was read the last time, and still not in the log: the database has lost its newest
            // moments, and nobody is to ask on and on.
            if self.missed == Some(self.next) {
                tokio::time::sleep(LOST).await;
            }
            self.missed = self.watch.has_news(self.next).then_some(self.next);
        }
        Some(self.take_in(events))
    }

    /// Takes in a page of the log: where it is full, there may be another.
    fn take_in(&mut self, events: Vec<Event>) -> Vec<Published> {
        self.behind = events.len() >= BEHIND as usize;
        if let Some(last) = events.last() {
            self.watch.has_read(last.seq);
        }
        events.into_iter().map(Published::new).collect()
    }

    fn tell(&mut self, events: Vec<Published>) -> Option<Spoken> {
        let (mut text, mut last) = (String::new(), false);
        let mut events = events.into_iter();
        for Published { event, json } in events.by_ref() {
            let view = match &mut self.follower {
                Some(follower) => format!(",\"view\":{}", serde_json::to_string(&follower.follow(&event).ok()?).ok()?),
                None => String::new(),
            };
            let message = format!("{{\"event\":{json}{view}}}");
            self.form.write(&mut text, Some(event.seq), None, &message);
            self.next = event.seq.saturating_add(1);
            last = matches!(event.body, Body::Ended(_) | Body::Voided(_));
            if text.len() >= FULL {
                break;
            }
        }
        self.unsaid = events.collect();
        Some(Spoken { text, last })
    }
}

/// Follow all my games
///
/// One stream that tells of all games at which the caller sits: first a `snapshot` of those that are not over, then
/// `your_turn`, `seat_taken`, `game_started` and `game_ended` as they come about; games at which the caller sits down
/// later are told of too. That somebody gets up is not told: a display of seats follows the game itself. The messages are `News`: with SSE, which is what comes without an `Accept`, each has its `type`
/// for its event's name. It can't be resumed: a new stream begins with a new snapshot. It ends when the instance stops,
/// when the token is ended, and after an hour.
#[utoipa::path(
    tag = "play", operation_id = "followMyGames", security(("token" = [])),
    responses((status = 200, description = "The stream.", content(
        (News = "application/x-ndjson"), (String = "text/event-stream"),
    )))
)]
#[get("/v1/events")]
pub async fn mine(service: web::Data<Service>, caller: Caller, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let form = Form::asked_for(&request).unwrap_or(Form::Sse);
    let pass = service.limits.open_stream(&request, Some(caller.id()))?;
    let games = service.dealer.my_games(caller.id()).await?;
    let watchdog = Watchdog::new(service.dealer.clone(), Some(caller.0), pass);
    Ok(form.respond(spoken(NewsStream { games, watchdog, form })))
}

/// A player's games as it is told of them.
struct NewsStream {
    games: MyGames,
    watchdog: Watchdog,
    form: Form,
}

impl Speaker for NewsStream {
    async fn speak(&mut self) -> Option<Spoken> {
        loop {
            if let Some(bark) = self.watchdog.overdue().await {
                return Some(Spoken::of(&bark, self.form));
            }
            let news: VecDeque<News> = std::iter::from_fn(|| self.games.pop()).collect();
            if !news.is_empty() {
                let mut text = String::new();
                for news in news {
                    self.form.write(&mut text, None, Some(news.name()), &serde_json::to_string(&news).ok()?);
                }
                return Some(Spoken { text, last: false });
            }
            tokio::select! {
                changed = self.games.changed() => Box::pin(self.games.look_at(changed)).await.ok()?,
                bark = self.watchdog.bark() => return Some(Spoken::of(&bark, self.form)),
            }
        }
    }
}
