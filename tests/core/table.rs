//! The table's part of the protocol: given a log, when somebody asks for something, then these events or this refusal.

mod forms;
mod opening;
mod playing;
mod repeats;
mod sealing;
mod seating;
mod signatures;
mod tampering;
mod time;
