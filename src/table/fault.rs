//! What is wrong with an event of a log.

use std::fmt;

/// A question that an auditor answers (protocol, An audit), in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// 0: every event has the form of the table and stands where it may.
    Form,
    /// 1: the chain runs on and every signature is good.
    Chain,
    /// 2: seeds open their commitments, and disclosures lead to the anchor and came when due.
    Seeds,
    /// 3: draws, rebuilt, give what the log shows.
    Draws,
    /// 4: sealed moves open their commitments, and none was opened early.
    Sealed,
    /// 5: moves were legal and in time, and everything else follows from the rules.
    Rules,
    /// 6: start and end are in the log of logs.
    LogOfLogs,
}

/// Why an event may not stand where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The question that is answered with no.
    pub question: Question,
    /// What should have been there.
    pub expected: String,
    /// What was found.
    pub found: String,
}

impl Fault {
    pub(crate) fn new(question: Question, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { question, expected: expected.into(), found: found.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

impl std::error::Error for Fault {}
