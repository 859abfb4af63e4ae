//! What every game is to the table: *deal, legal, apply, outcome, view* (and `judge`, the one door from a move that
//! somebody sent to a move of the rules; the law suite holds it against `legal`).
//!
//! Rules are pure: all chance comes in as [`Chance`], the time as the `at` of the event at hand, and nothing else.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::draw::{Numbers, draw_seed};
use crate::games::Fact;
use crate::hex32::PlayerSeed;
use crate::ids::GameId;
use crate::seat::{BySeat, Seat};
use crate::seed_chain::{CHAIN_LENGTH, ServerSeeds};
use crate::timestamp::Timestamp;

/// A game's rules and the state of one game under way.
pub trait Game: Sized + Clone {
    /// What may be chosen when a game is created, all defaults filled in (RU-7).
    type Options;
    /// A move as the API takes it: exact fields and JSON types, but any text and number in them.
    type Move;
    /// A move that [`Game::judge`] found legal.
    type Legal;
    /// What one viewer sees.
    type View;

    /// The fewest and the most seats.
    const SEATS: (u8, u8);
    /// The published text of the rules, by version from 1 on; the last is the one that new games are played by.
    const RULES: &'static [&'static str];
    /// The reasons that a result can name.
    const REASONS: &'static [Reason];
    /// How long a game may take from its start, in seconds, if the rules limit it: no decision is due later than that
    /// (protocol, Time).
    const LONGEST_SECONDS: Option<u32> = None;

    /// Judges whether a table with so many seats can be started with these options.
    ///
    /// # Errors
    ///
    /// The clause that speaks against it.
    fn fits(options: &Self::Options, seats: usize) -> Result<(), Illegal>;

    /// Whether the move is a decision, and so takes the step at hand (RU-10).
    fn is_decision(mv: &Self::Move) -> bool;

    /// Starts a game for so many seats and makes the first deal. `at` is the time of the event, `started`.
    ///
    /// # Errors
    ///
    /// When a draw is not known: see [`NoDraw`].
    fn deal(options: &Self::Options, seats: usize, at: Timestamp, chance: &mut Chance<'_>) -> Result<Self, NoDraw>;

    /// Every move that is legal for the seat now, in canonical form and order; also moves that are no decision.
    fn legal(&self, seat: Seat) -> Vec<Self::Move>;

    /// Judges a move of a seat. Changes nothing.
    ///
    /// # Errors
    ///
    /// The clause that the move breaks, and how.
    fn judge(&self, seat: Seat, mv: &Self::Move) -> Result<Self::Legal, Illegal>;

    /// The move with its sets in canonical order; two moves that mean the same have one canonical form (RU-2).
    fn canonical(mv: &Self::Move) -> Self::Move;

    /// Whether the seat is in the game: it has neither forfeited nor is out.
    fn is_in(&self, seat: Seat) -> bool;

    /// Takes what happened into the state, and tells through `chance` what became public by it; `at` is the time of the
    /// event. Says whether the decision at hand was made or taken away by it, so that its step is used up (RU-10).
    ///
    /// # Errors
    ///
    /// When a draw is not known. The state then holds all that came before the draw, complete.
    fn apply(&mut self, action: Action<Self::Legal>, at: Timestamp, chance: &mut Chance<'_>)
    -> Result<Decided, NoDraw>;

    /// Whose decision the game waits for, or how it ended.
    fn outcome(&self) -> Outcome<'_>;

    /// Ends the game as a draw with reason `cap`: the chain of draws is at its end (RU-8).
    fn stop(&mut self);

    /// The number of draws, counted from the first, that are no secret any more. All of them once the game is over.
    fn disclosable(&self) -> u32;

    /// What the viewer may know, and nothing else.
    fn view(&self, viewer: Viewer) -> Self::View;

    /// About how many bytes of memory the game has grown by since it was dealt: for the bound on what is remembered.
    fn grown(&self) -> usize {
        0
    }
}

/// What happens to a game.
#[derive(Debug, Clone)]
pub enum Action<L> {
    /// A seat moved openly.
    Move(Seat, L),
    /// All seats that had to decide at the same time have opened their moves; ascending by seat.
    Sealed(Vec<(Seat, L)>),
    /// A seat forfeits.
    Forfeit(Seat, ForfeitReason),
    /// These seats, ascending, missed the deadline of the decision at hand. That is a forfeit, unless the rules say
    /// otherwise.
    TimedOut(Vec<Seat>),
}

/// Whether the decision at hand is over: made, or taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    /// Its step is used up.
    Yes,
    /// It stands as before.
    No,
}

/// Whose decision a game waits for, or how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<'a> {
    /// One seat decides in the open.
    Turn(Seat),
    /// These seats, ascending, decide at the same time, sealed.
    Sealed(Vec<Seat>),
    /// Nobody has to decide, and nobody will have to: the game goes on by moves that are no decisions, whenever somebody
    /// makes one. There is no step and nothing is due.
    Nobody,
    /// It is over.
    Over(&'a GameResult),
}

/// Who looks at a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// Somebody without a seat, or out of the game.
    Public,
    /// Who sits there.
    Seat(Seat),
    /// Somebody who looks at an ended game with every card open (RU-11).
    Everything,
}

impl Viewer {
    /// Whether this viewer may see what the seat may see.
    pub fn sees(self, seat: Seat) -> bool {
        match self {
            Self::Public => false,
            Self::Seat(own) => own == seat,
            Self::Everything => true,
        }
    }
}

/// How a game ended (RU-8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct GameResult {
    /// The seats that won, ascending; empty for a draw.
    pub winners: Vec<Seat>,
    /// The scores by seat; empty in a game without scores.
    pub scores: Vec<i64>,
    /// Why the game ended.
    pub reason: Reason,
}

/// Why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A score reached the target.
    Target,
    /// One player is left with cards.
    LastStanding,
    /// Nobody is left with cards.
    AllOut,
    /// Nobody could do anything for a whole round; in chess, the side to move can't move and is not in check.
    Stalemate,
    /// The last turn of a solitaire is over.
    LastTurn,
    /// Nobody has a card left to play.
    HandsEmpty,
    /// Everybody who still has cards passed in succession.
    AllPassed,
    /// White gave mate.
    WhiteMates,
    /// Black gave mate.
    BlackMates,
    /// No side has the men to give mate.
    InsufficientMaterial,
    /// Fifty moves of each side without a pawn's move or a capture.
    FiftyMoves,
    /// Seventy-five moves of each side without a pawn's move or a capture.
    SeventyFiveMoves,
    /// A position occurred for the third time.
    Threefold,
    /// A position occurred for the fifth time.
    Fivefold,
    /// A side without a king lost all its men.
    Extinct,
    /// The hero stands on the tree.
    FoundTheTree,
    /// A forfeit left one seat or none.
    Forfeit,
    /// The game came to its bound.
    Cap,
}

/// Why a seat forfeited (RU-9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ForfeitReason {
    /// It resigned.
    Resigned,
    /// It missed a deadline.
    TimedOut,
    /// It opened a move that breaks the rules.
    IllegalMove,
}

/// A use of chance, as a fact of the event that made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Draw {
    /// The draw's number in its game, counted from 1.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 4096))]
    pub draw: u32,
    /// What it is for; the game's rules name its purposes.
    pub purpose: Purpose,
}

/// What a draw is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Who deals first.
    FirstDealer,
    /// The shuffle of a whole deck for a deal.
    Deal,
    /// A re-shuffle of the pay-off piles, the cards that were compared for the first turn being equal.
    FirstTurn,
    /// The shuffle of the stock together with a completed stack.
    Recycle,
    /// Whatever is shuffled or picked at random in one round.
    Round,
    /// The shuffle of a player's own deck.
    Deck,
    /// How the men stand at the start.
    Array,
    /// A move of chess.
    Ply,
    /// Where the tree stands.
    Tree,
    /// All that happens in a run.
    Run,
}

/// A seat left the game for good, as a fact of the event that brought it about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Forfeit {
    /// Who.
    pub seat: Seat,
    /// Why.
    pub reason: ForfeitReason,
}

/// A rule that a command breaks: which, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Illegal {
    /// The clause of the rules, as `MI-6`.
    pub clause: &'static str,
    /// What is wrong, in a sentence for the player.
    pub detail: Cow<'static, str>,
}

impl Illegal {
    /// What breaks this clause, and how.
    pub fn new(clause: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { clause, detail: detail.into() }
    }
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.detail, self.clause)
    }
}

impl std::error::Error for Illegal {}

/// Why a draw can't be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoDraw {
    /// The chain of seeds is at its end; the game ends as a draw (RU-8).
    ChainEnd,
    /// The server's part of this draw is not known here: an auditor's case, while it is not disclosed.
    Undisclosed(u32),
}

/// All that a game's draws are made from, but for the server's seeds.
#[derive(Clone)]
pub struct DrawInputs {
    /// The game.
    pub game: GameId,
    /// The seeds that the players contributed, by seat.
    pub player_seeds: BySeat<Option<PlayerSeed>>,
}

/// Chance, as the rules get it, and the list of what they made public: the facts of the event at hand, in order.
pub struct Chance<'a> {
    inputs: &'a DrawInputs,
    seeds: &'a dyn ServerSeeds,
    drawn: u32,
    facts: Vec<Fact>,
}

impl<'a> Chance<'a> {
    /// Chance for a game that has made so many draws already.
    pub fn new(inputs: &'a DrawInputs, seeds: &'a dyn ServerSeeds, drawn: u32) -> Self {
        Self { inputs, seeds, drawn, facts: Vec::new() }
    }

    /// Makes the next draw, as a fact of the event.
    ///
    /// # Errors
    ///
    /// See [`NoDraw`].
    pub fn draw(&mut self, purpose: Purpose) -> Result<Numbers, NoDraw> {
        if self.drawn >= CHAIN_LENGTH {
            return Err(NoDraw::ChainEnd);
        }
        let draw = self.drawn + 1;
        let server_seed = self.seeds.seed(draw).ok_or(NoDraw::Undisclosed(draw))?;
        let seed = draw_seed(self.inputs.game, draw, &server_seed, self.inputs.player_seeds.as_slice());
        self.drawn = draw;
        self.tell(Draw { draw, purpose });
        Ok(Numbers::new(seed))
    }

    /// How many draws the game has made.
    pub fn drawn(&self) -> u32 {
        self.drawn
    }

    /// Adds a fact to the event.
    pub fn tell(&mut self, fact: impl Into<Fact>) {
        self.facts.push(fact.into());
    }

    /// The facts so far, in order.
    pub fn into_facts(self) -> Vec<Fact> {
        self.facts
    }
}

/// Judges a move and takes it into the state: what a table does with an open move.
///
/// # Errors
///
/// As [`Game::judge`] and [`Game::apply`]; in the first case nothing has changed.
pub fn play<G: Game>(
    game: &mut G,
    seat: Seat,
    mv: &G::Move,
    at: Timestamp,
    chance: &mut Chance<'_>,
) -> Result<Decided, Refused> {
    let legal = game.judge(seat, mv).map_err(Refused::Illegal)?;
    act(game, Action::Move(seat, legal), at, chance).map_err(Refused::Draw)
}

/// Takes an action into the state; a game at the end of its chain of draws ends as a draw, with what led there
/// already done (RU-8).
///
/// # Errors
///
/// When a draw is not disclosed; the state is of no use then.
pub fn act<G: Game>(
    game: &mut G,
    action: Action<G::Legal>,
    at: Timestamp,
    chance: &mut Chance<'_>,
) -> Result<Decided, NoDraw> {
    match game.apply(action, at, chance) {
        Err(NoDraw::ChainEnd) => {
            game.stop();
            Ok(Decided::Yes)
        }
        other => other,
    }
}

/// Why a move was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It breaks a rule.
    Illegal(Illegal),
    /// It needs a draw that is not known here.
    Draw(NoDraw),
}
