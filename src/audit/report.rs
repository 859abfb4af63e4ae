//! What an auditor says.

use std::fmt;

use serde::Serialize;

use super::inclusion::needs_entry;
use super::{Auditor, Bundle, Counts, Halt};
use crate::event::{Actor, Body, Event};
use crate::game::GameResult;
use crate::games::Kind;
use crate::ids::GameId;
use crate::seat::Seat;
use crate::table::{Fault, Question, Table};

/// The answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It holds.
    Yes,
    /// It can't be told yet; never shown as fair.
    NotYet,
    /// It does not hold.
    No,
}

/// Where the keys came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum KeySource {
    /// The auditor got them apart from the file.
    Apart,
    /// From the file itself: they prove nothing about their owner.
    Bundle,
}

/// What was found wrong, where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Found {
    /// The first event that fails, by its place in the file.
    pub seq: u64,
    /// What should have been there.
    pub expected: String,
    /// What was found.
    pub found: String,
    /// The same in a sentence.
    pub sentence: String,
}

impl Found {
    fn new(seq: u64, fault: &Fault, event: Option<&Event>) -> Self {
        let (expected, found) = (plain(&fault.expected), plain(&fault.found));
        let which = match event {
            Some(event) => format!("Event {seq} ({}, by {})", event.body.event_type(), event.actor),
            None => format!("Event {seq}"),
        };
        let sentence = format!("{which} {}: there should be {expected}, but there is {found}.", fails(fault.question));
        Self { seq, expected, found, sentence }
    }
}

/// What an event does that makes the answer no.
fn fails(question: Question) -> &'static str {
    match question {
        Question::Form => "is no event that may stand there",
        Question::Chain => "is not what was signed and chained",
        Question::Seeds => "breaks what was promised about the seeds",
        Question::Draws => "shows something else than its draw gives",
        Question::Sealed => "breaks the order of sealed moves",
        Question::Rules => "does not follow from the rules",
        Question::LogOfLogs => "is not in the log of logs as it must be",
    }
}

/// How long a text out of a file may be that is shown.
const MAX_SHOWN: usize = 400;

/// A text that is safe to show, whatever file it came from: short, and without characters that control a terminal, or
/// that hide or turn around what stands beside them.
fn plain(text: &str) -> String {
    let mut shown = String::new();
    for (count, c) in text.chars().enumerate() {
        let hides = matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
        if count == MAX_SHOWN {
            shown.push('…');
            break;
        } else if c.is_control() || hides {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Answer {
    /// The question's number, 0 to 6.
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 6))]
    pub number: u8,
    /// The question.
    pub question: &'static str,
    /// The answer.
    pub verdict: Verdict,
    /// What was done for it, or why it can't be told yet.
    pub done: String,
    /// For no: what was found.
    pub fault: Option<Found>,
}

/// The report on one game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Report {
    /// The game, if the file tells.
    pub game: Option<GameId>,
    /// The kind of game, if the file tells.
    pub kind: Option<Kind>,
    /// How many events the file has.
    pub events: usize,
    /// Yes if all questions are answered with yes, no if one is answered with no.
    pub verdict: Verdict,
    /// Where the keys came from.
    pub keys: KeySource,
    /// The seats that contributed a seed to every draw.
    pub seeded: Vec<Seat>,
    /// How the game ended.
    pub result: Option<GameResult>,
    /// Whether the file tells of the start, by which all seeds were in.
    #[serde(skip)]
    #[cfg_attr(feature = "server", schema(ignore))]
    started: bool,
    /// The answers, by number.
    pub answers: Vec<Answer>,
}

const QUESTIONS: [(Question, &str); 7] = [
    (Question::Form, "Has every event the form of the protocol, and stands where it may?"),
    (Question::Chain, "Does the chain run on, and is every signature good?"),
    (Question::Seeds, "Do all seeds open what was committed to, and came every disclosure when it was due?"),
    (Question::Draws, "Does every draw, rebuilt, give the very cards that the log shows?"),
    (Question::Sealed, "Does every sealed move open its commitment, and was none opened early?"),
    (Question::Rules, "Was every move legal and in time, and does all else follow from the rules?"),
    (Question::LogOfLogs, "Are start and end in the log of logs?"),
];

pub(super) fn report(
    auditor: Auditor<'_>,
    events: &[Event],
    table: Option<Table>,
    keys_apart: bool,
    bundle: &Bundle,
) -> Report {
    let asked = Asked { auditor: &auditor, events, keys_apart };
    let answers: Vec<Answer> =
        (0..).zip(QUESTIONS).map(|(number, (question, text))| asked.answer(number, question, text)).collect();
    let verdict = answers.iter().map(|answer| answer.verdict).max().unwrap_or(Verdict::NotYet);
    let kind = events.first().and_then(|first| match &first.body {
        Body::Created(created) => Some(created.kind),
        _ => None,
    });
    let seeded = seeded(&auditor, events);
    Report {
        game: events.first().map(|event| event.game),
        kind,
        events: bundle.length,
        verdict,
        keys: if keys_apart { KeySource::Apart } else { KeySource::Bundle },
        started: seeded.is_some(),
        seeded: seeded.unwrap_or_default(),
        result: table.as_ref().and_then(Table::result).cloned(),
        answers,
    }
}

/// The seats whose seeds are in every draw. `None` as long as the game has not started, and if a seed is wrong.
fn seeded(auditor: &Auditor<'_>, events: &[Event]) -> Option<Vec<Seat>> {
    let start = events.iter().position(|event| matches!(event.body, Body::Started(_)))?;
    let wrong = [Question::Form, Question::Seeds].map(|question| auditor.fault_of(question));
    if wrong.iter().flatten().any(|(seq, _)| *seq <= start as u64) {
        return None;
    }
    let opened = events[..start].iter().filter(|event| matches!(event.body, Body::SeedOpened(_)));
    let seat = |event: &Event| match event.actor {
        Actor::Seat(seat) => Some(seat),
        Actor::Server => None,
    };
    let mut seats: Vec<Seat> = opened.filter_map(seat).collect();
    seats.sort();
    Some(seats)
}

struct Asked<'a> {
    auditor: &'a Auditor<'a>,
    events: &'a [Event],
    keys_apart: bool,
}

impl Asked<'_> {
    fn answer(&self, number: u8, question: Question, text: &'static str) -> Answer {
        let fault = self.auditor.fault_of(question);
        let (verdict, done) = match (&fault, self.hindrance(question)) {
            (Some(_), _) => (Verdict::No, self.done(question)),
            (None, Some(why)) => (Verdict::NotYet, format!("{} {why}", self.done(question))),
            (None, None) => (Verdict::Yes, self.done(question)),
        };
        let event = |seq: u64| usize::try_from(seq).ok().and_then(|seq| self.events.get(seq));
        let fault = fault.map(|(seq, fault)| Found::new(*seq, fault, event(*seq)));
        Answer { number, question: text, verdict, done, fault }
    }

    /// Why a question without a fault is not answered with yes.
    fn hindrance(&self, question: Question) -> Option<String> {
        if let Some((seq, _)) = self.auditor.fault_of(Question::Form) {
            return Some(format!("Nothing is told from event {seq} on, which fails question 0."));
        }
        // What needs the rules can't be told from there on, where the table could not go on.
        if let (Some((seq, halt)), Question::Draws | Question::Rules) = (&self.auditor.stopped, question) {
            return Some(match halt {
                Halt::Fault => {
                    format!("Nothing is told from event {seq} on, where another question is answered with no.")
                }
                Halt::Undisclosed(draw) => format!("Event {seq} needs draw {draw}, which is not disclosed."),
            });
        }
        if !self.auditor.over {
            return Some("The game is not over.".to_owned());
        }
        match question {
            Question::Chain if !self.keys_apart => {
                Some("The keys came with the file, so they prove nothing about their owner.".to_owned())
            }
            Question::LogOfLogs => self.log_hindrance(),
            _ => None,
        }
    }

    fn log_hindrance(&self) -> Option<String> {
        let needed = self.events.iter().filter(|event| needs_entry(event)).count();
        if needed == 0 {
            return None;
        }
        if self.auditor.counts.entries < needed {
            return Some(format!("{} of {needed} entries are proved by the file.", self.auditor.counts.entries));
        }
        (!self.keys_apart).then(|| "The checkpoint's key came with the file.".to_owned())
    }

    /// What was done for a question.
    fn done(&self, question: Question) -> String {
        let Counts { events, signatures, player_signatures, seeds, disclosures, draws, sealed, moves, facts, entries } =
            self.auditor.counts;
        match question {
            Question::Form => format!("{} events read.", self.events.len()),
            Question::Chain => {
                format!("{events} hashes, {signatures} signatures of the server, {player_signatures} of players.")
            }
            Question::Seeds => {
                format!("{seeds} seeds of players opened, {disclosures} disclosures led back to the anchor.")
            }
            Question::Draws => format!("{draws} draws rebuilt."),
            Question::Sealed => format!("{sealed} sealed moves opened."),
            Question::Rules => format!("{moves} open and {sealed} sealed moves judged, {facts} facts compared."),
            Question::LogOfLogs => format!("{entries} entries proved."),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "yes",
            Self::NotYet => "not yet",
            Self::No => "no",
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.game, self.kind) {
            (Some(game), Some(kind)) => writeln!(f, "A game of {}, {game}, {} events.", kind.name(), self.events)?,
            (Some(game), None) => writeln!(f, "The game {game}, {} events.", self.events)?,
            _ => writeln!(f, "A file with {} events.", self.events)?,
        }
        for answer in &self.answers {
            writeln!(f, "{}. {:<7} {}", answer.number, answer.verdict.to_string(), answer.question)?;
            writeln!(f, "           {}", answer.done)?;
            if let Some(fault) = &answer.fault {
                writeln!(f, "           {}", fault.sentence)?;
            }
        }
        if self.keys == KeySource::Bundle {
            writeln!(f, "The keys came from the file itself: they prove nothing about their owner. Give --keys.")?;
        }
        let seats: Vec<String> = self.seeded.iter().map(Seat::to_string).collect();
        match seats.as_slice() {
            [] if !self.started => {}
            [] => writeln!(f, "No seat contributed a seed: the shuffles are the server's alone.")?,
            seats => writeln!(f, "Seats that contributed a seed to every draw: {}.", seats.join(", "))?,
        }
        write!(f, "All in all: {}.", self.verdict)
    }
}
