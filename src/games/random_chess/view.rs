//! What everybody sees of Random Chess: all of it.

use serde::Serialize;

use super::course::{Profile, Written};
use super::man::{Role, Side};
use super::options::Play;
use super::square::Square;
use super::variant::Variant;
use super::{Phase, Rules};
use crate::games::Kind;
use crate::seat::Seat;

/// The board and how it came to be so; the same for every viewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = RandomChessState))]
pub struct View {
    /// The game.
    pub kind: Kind,
    /// What is played (RC-7).
    #[cfg_attr(feature = "server", schema(value_type = super::VariantName))]
    pub variant: Variant,
    /// When shuffling to and fro ends the game (RC-4).
    pub profile: Profile,
    /// Which side seat 0 plays (RC-9).
    pub play: Play,
    /// The number of the array in `chess960`; null in other variants.
    #[cfg_attr(feature = "server", schema(required, minimum = 0, maximum = 959))]
    pub number: Option<u16>,
    /// The position that the game began with.
    #[cfg_attr(feature = "server", schema(example = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"))]
    pub start: String,
    /// The position now.
    #[cfg_attr(feature = "server", schema(example = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"))]
    pub fen: String,
    /// The men, by square: a1, b1, … h8.
    pub board: Vec<BoardMan>,
    /// Whose move it is; null when the game is over.
    #[cfg_attr(feature = "server", schema(required))]
    pub turn: Option<Side>,
    /// Whether the side to move by the position stands in check.
    pub check: bool,
    /// The newest move; null before the first.
    #[cfg_attr(feature = "server", schema(required))]
    pub last_move: Option<Written>,
    /// How many draws were made.
    pub draws: u32,
    /// How often this position has occurred, now included (RC-6).
    #[cfg_attr(feature = "server", schema(minimum = 1))]
    pub occurrences: usize,
    /// How many plies in a row were neither a pawn's move nor a capture (RC-4).
    pub quiet_plies: u32,
    /// All moves so far, in order.
    pub moves: Vec<Written>,
    /// The seats that forfeited, ascending.
    pub forfeited: Vec<Seat>,
}

/// A man on its square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = ChessBoardMan))]
pub struct BoardMan {
    /// The square.
    #[cfg_attr(feature = "server", schema(value_type = String, pattern = "^[a-h][1-8]$", example = "e1"))]
    pub square: Square,
    /// Whose man.
    pub side: Side,
    /// What it is.
    pub role: Role,
}

pub(super) fn view(game: &Rules) -> View {
    let position = game.course.position();
    let over = matches!(game.phase, Phase::Over(_));
    let men = Square::all().filter_map(|square| position.man(square).map(|man| (square, man)));
    View {
        kind: Kind::RandomChess,
        variant: game.options.variant(),
        profile: game.options.profile(),
        play: game.options.play(),
        number: game.number,
        start: game.start.fen(),
        fen: position.fen(),
        board: men.map(|(square, man)| BoardMan { square, side: man.side, role: man.role }).collect(),
        turn: (!over).then(|| position.turn()),
        check: position.in_check(),
        last_move: game.course.moves().last().cloned(),
        draws: game.drawn,
        occurrences: game.course.occurrences(),
        quiet_plies: position.quiet_plies(),
        moves: game.course.moves().to_vec(),
        forfeited: game.seats.iter().filter(|(_, is_in)| !**is_in).map(|(seat, _)| seat).collect(),
    }
}
