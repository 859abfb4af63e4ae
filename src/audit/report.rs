//! What an auditor says.

use std::fmt;

use serde::Serialize;

use super::inclusion::entry_of;
use super::{Auditor, Bundle, Counts, is_over};
use crate::event::Event;
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
    #[serde(skip)]
    #[cfg_attr(feature = "server", schema(ignore))]
    question: Question,
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
    pub(super) fn new(seq: u64, fault: Fault) -> Self {
        let Fault { question, expected, found } = fault;
        let sentence = format!("Event {seq} is wrong: there should be {expected}, but there is {found}.");
        Self { question, seq, expected, found, sentence }
    }

    pub(super) fn question(&self) -> Question {
        self.question
    }
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
    let over = is_over(table.as_ref());
    let asked = Asked { auditor: &auditor, events, over, keys_apart };
    let answers: Vec<Answer> =
        (0..).zip(QUESTIONS).map(|(number, (question, text))| asked.answer(number, question, text)).collect();
    let verdict = answers.iter().map(|answer| answer.verdict).max().unwrap_or(Verdict::NotYet);
    Report {
        game: events.first().map(|event| event.game),
        kind: table.as_ref().map(Table::kind),
        events: bundle.events.len(),
        verdict,
        keys: if keys_apart { KeySource::Apart } else { KeySource::Bundle },
        seeded: table.as_ref().map(Table::seeds_opened).unwrap_or_default(),
        result: table.as_ref().and_then(Table::result).cloned(),
        answers,
    }
}

struct Asked<'a> {
    auditor: &'a Auditor<'a>,
    events: &'a [Event],
    over: bool,
    keys_apart: bool,
}

impl Asked<'_> {
    fn answer(&self, number: u8, question: Question, text: &'static str) -> Answer {
        let fault = self.auditor.faults.iter().find(|found| found.question() == question).cloned();
        let (verdict, done) = match (&fault, self.hindrance(question)) {
            (Some(_), _) => (Verdict::No, self.done(question)),
            (None, Some(why)) => (Verdict::NotYet, format!("{} {why}", self.done(question))),
            (None, None) => (Verdict::Yes, self.done(question)),
        };
        Answer { number, question: text, verdict, done, fault }
    }

    /// Why a question without a fault is not answered with yes.
    fn hindrance(&self, question: Question) -> Option<String> {
        let form = self.auditor.faults.iter().find(|found| found.question() == Question::Form);
        if let Some(form) = form {
            return Some(format!("Nothing is told from event {} on, which fails question 0.", form.seq));
        }
        // The first fault of the replay ends it; what comes later was not looked at.
        let stopped = self.auditor.faults.iter().find(|found| !matches!(found.question(), Question::Chain));
        if let Some(fault) = stopped.filter(|fault| fault.question() != question && question != Question::Chain) {
            return Some(format!(
                "Nothing is told from event {} on, where another question is answered with no.",
                fault.seq
            ));
        }
        if let Some((seq, draw)) = self.auditor.undisclosed {
            return Some(format!("Event {seq} needs draw {draw}, which is not disclosed."));
        }
        if !self.over {
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
        let needed = self.events.iter().filter(|event| entry_of(self.events, event).is_some()).count();
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
            [] => writeln!(f, "No seat contributed a seed: the shuffles are the server's alone.")?,
            seats => writeln!(f, "Seats that contributed a seed to every draw: {}.", seats.join(", "))?,
        }
        write!(f, "All in all: {}.", self.verdict)
    }
}
