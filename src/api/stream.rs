//! Answers that stay open: Server-Sent Events (WHATWG HTML, 9.2), or a JSON value a line.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header;
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use futures_util::{FutureExt, Stream};
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::limits::StreamPass;
use crate::dealer::{Account, Dealer};

/// How often a stream shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How often a stream of somebody with a token looks whether the token was ended.
const CHECK: Duration = Duration::from_secs(2);
/// How many looks there are to a sign of life.
const CHECKS_A_BEAT: u32 = 7;
/// After how long a stream of somebody with a token ends, so that it resumes with a token that is good.
const LONGEST: Duration = Duration::from_secs(3600);

/// How a stream is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `text/event-stream`.
    Sse,
    /// `application/x-ndjson`.
    Ndjson,
}

impl Form {
    /// What the caller asks for; `None` where it is neither.
    pub fn asked_for(request: &HttpRequest) -> Option<Self> {
        let accept = request.headers().get_all(header::ACCEPT).filter_map(|value| value.to_str().ok());
        let mut media =
            accept.flat_map(|value| value.split(',')).map(|part| part.split(';').next().unwrap_or(part).trim());
        media.find_map(|media| match media {
            "text/event-stream" => Some(Self::Sse),
            "application/x-ndjson" => Some(Self::Ndjson),
            _ => None,
        })
    }

    const fn media_type(self) -> &'static str {
        match self {
            Self::Sse => "text/event-stream",
            Self::Ndjson => "application/x-ndjson",
        }
    }

    /// One message: JSON without line breaks, for SSE with an id to resume after, or with a name.
    pub fn write(self, out: &mut String, id: Option<u64>, name: Option<&str>, json: &str) {
        // Writing to a text can't fail.
        let _ = match (self, id, name) {
            (Self::Ndjson, ..) => writeln!(out, "{json}"),
            (Self::Sse, Some(id), _) => write!(out, "id: {id}\ndata: {json}\n\n"),
            (Self::Sse, None, Some(name)) => write!(out, "event: {name}\ndata: {json}\n\n"),
            (Self::Sse, None, None) => write!(out, "data: {json}\n\n"),
        };
    }

    /// What shows that a stream is alive, and is no message.
    const fn heartbeat(self) -> &'static str {
        match self {
            Self::Sse => ":\n\n",
            Self::Ndjson => "\n",
        }
    }

    /// The last words of an instance that stops: come again, soon.
    const fn farewell(self) -> &'static str {
        match self {
            Self::Sse => "retry: 250\n: this instance stops; resume at another\n\n",
            Self::Ndjson => "\n",
        }
    }

    /// The answer that goes on as long as the stream does.
    pub fn respond(self, stream: impl Stream<Item = Result<Bytes, actix_web::Error>> + 'static) -> HttpResponse {
        HttpResponse::Ok()
            .content_type(self.media_type())
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .insert_header((header::VARY, "Accept, Authorization"))
            // Proxies are not to gather it.
            .insert_header(("X-Accel-Buffering", "no"))
            // Nobody watches over the connection after it.
            .force_close()
            .streaming(stream)
    }
}

/// What else than news a stream waits for.
pub struct Watchdog {
    dealer: Dealer,
    account: Option<Arc<Account>>,
    beat: Interval,
    /// Whether a look is due that nobody has taken yet.
    due: bool,
    checks: u32,
    until: Option<Instant>,
    closing: watch::Receiver<bool>,
    _pass: StreamPass,
}

/// What came.
pub enum Bark {
    /// It is time for a sign of life.
    Beat,
    /// The stream ends here; whoever reads it may come again.
    End,
    /// The instance stops.
    Farewell,
}

impl Watchdog {
    /// For a stream of this caller that begins now.
    pub fn new(dealer: Dealer, account: Option<Arc<Account>>, pass: StreamPass) -> Self {
        let pause = if account.is_some() { CHECK } else { HEARTBEAT };
        let mut beat = interval_at(Instant::now() + pause, pause);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let until = account.is_some().then(|| Instant::now() + LONGEST);
        let closing = dealer.feed().closing();
        Self { dealer, account, beat, due: false, checks: 0, until, closing, _pass: pass }
    }

    /// Waits for it. May be given up and called again.
    pub async fn bark(&mut self) -> Bark {
        loop {
            if !self.due {
                tokio::select! {
                    _ = self.closing.wait_for(|closing| *closing) => return Bark::Farewell,
                    _ = self.beat.tick() => self.due = true,
                }
            }
            if let Some(bark) = self.look().await {
                return bark;
            }
        }
    }

    /// What came already, without waiting for it: to be asked before anything is said. Whoever reads slowly always has
    /// something to be told, and is not to be told it for ever.
    pub async fn overdue(&mut self) -> Option<Bark> {
        if *self.closing.borrow() {
            return Some(Bark::Farewell);
        }
        self.due = self.due || self.beat.tick().now_or_never().is_some();
        if self.due { self.look().await } else { None }
    }

    /// Looks, as is due; if this is given up, it stays due.
    async fn look(&mut self) -> Option<Bark> {
        let bark = match self.until {
            None => Some(Bark::Beat),
            Some(until) if Instant::now() >= until || !Box::pin(self.is_good()).await => Some(Bark::End),
            Some(_) => {
                self.checks += 1;
                self.checks.is_multiple_of(CHECKS_A_BEAT).then_some(Bark::Beat)
            }
        };
        self.due = false;
        bark
    }

    /// Whether the token is still good with which the stream began.
    async fn is_good(&self) -> bool {
        let Some(account) = &self.account else { return true };
        match self.dealer.account(account.id).await {
            Ok(Some(now)) => now.token_generation == account.token_generation,
            Ok(None) | Err(_) => false,
        }
    }
}

/// What a stream has to say, and whether it says more.
pub struct Spoken {
    /// What is sent now.
    pub text: String,
    /// Whether it is the last.
    pub last: bool,
}

impl Spoken {
    /// What follows from what came beside the news.
    pub fn of(bark: &Bark, form: Form) -> Self {
        let (text, last) = match bark {
            Bark::Beat => (form.heartbeat(), false),
            Bark::End => ("", true),
            Bark::Farewell => (form.farewell(), true),
        };
        Self { text: text.to_owned(), last }
    }
}

/// Something that speaks until it has spoken its last.
pub trait Speaker {
    /// The next thing to say, as soon as there is one; `None` where the stream ends without.
    fn speak(&mut self) -> impl Future<Output = Option<Spoken>>;
}

/// What a speaker says, as the body of an answer.
pub fn spoken(speaker: impl Speaker + 'static) -> impl Stream<Item = Result<Bytes, actix_web::Error>> + 'static {
    futures_util::stream::unfold(Some(speaker), |speaker| async move {
        let mut speaker = speaker?;
        let Spoken { text, last } = speaker.speak().await?;
        Some((Ok(Bytes::from(text)), (!last).then_some(speaker)))
    })
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn what_is_asked_for_is_told_by_accept() {
        for (accept, form) in [
            ("text/event-stream", Some(Form::Sse)),
            ("application/x-ndjson", Some(Form::Ndjson)),
            ("application/json, text/event-stream;q=0.5", Some(Form::Sse)),
            ("application/json", None),
            ("*/*", None),
        ] {
            let request = TestRequest::default().insert_header((header::ACCEPT, accept)).to_http_request();
            assert_eq!(Form::asked_for(&request), form, "{accept}");
        }
    }

    #[test]
    fn messages_are_what_the_standards_say() {
        let text = |form: Form, id, name| {
            let mut text = String::new();
            form.write(&mut text, id, name, "{}");
            text
        };
        assert_eq!(text(Form::Sse, Some(7), None), "id: 7\ndata: {}\n\n");
        assert_eq!(text(Form::Sse, None, Some("your_turn")), "event: your_turn\ndata: {}\n\n");
        assert_eq!(text(Form::Ndjson, Some(7), None), "{}\n");
    }
}
