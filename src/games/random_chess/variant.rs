//! The variants, as data: how the men stand at the start, and what the laws of chess say otherwise (RC-7).

use serde::{Serialize, Serializer};

use super::man::{Role, Side};

/// What is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the rules text describes each under its name")]
pub enum Variant {
    Chess,
    Maharaja,
    Hecatomb,
    UpsideDown,
    PeasantsRevolt,
    Weak,
    LightBrigade,
    PawnEndgame,
    AdvanceChess,
    PawnsPassed,
    PawnsPushed,
    ReversedRoyals,
    Transposed,
    Dunsany,
    Horde,
    Chess960,
    Amazon,
    Knightmate,
}

/// What holds for one side.
#[derive(Debug, PartialEq, Eq)]
pub struct SideLaws {
    /// The man that must not be lost; `None` for a side that has lost when it has no man left (RC-4, 1).
    pub royal: Option<Role>,
    /// What a pawn on its last rank becomes; where nothing, it stays a pawn there, and stands still.
    pub promotions: &'static [Role],
    /// The ranks, as the side counts them from 0, from which a pawn may step twice.
    pub double_steps: &'static [i8],
}

/// What holds in one variant.
#[derive(Debug, PartialEq, Eq)]
pub struct Laws {
    /// The name in options.
    pub name: &'static str,
    /// The position at the start; of `chess960` that of number 518.
    pub fen: &'static str,
    /// The men that letters of a position stand for, beside pawn, knight, bishop, rook and queen.
    pub letters: &'static [Role],
    /// What holds for White, then for Black.
    pub sides: [SideLaws; 2],
    /// Whether too few men for any mate end the game (RC-5).
    pub insufficient: bool,
    /// Whether castling is written as the king taking its own rook (RC-3).
    pub king_takes_rook: bool,
}

const STANDARD: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
const WITH_AMAZON: [Role; 4] = [Role::Amazon, Role::Rook, Role::Bishop, Role::Knight];
const WITH_COMMONER: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Commoner];

const ORDINARY: SideLaws = SideLaws { royal: Some(Role::King), promotions: &STANDARD, double_steps: &[1] };

/// Chess but for the array.
const fn array(name: &'static str, fen: &'static str) -> Laws {
    Laws { name, fen, letters: &[Role::King], sides: [ORDINARY, ORDINARY], insufficient: true, king_takes_rook: false }
}

const CHESS: Laws = array("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
const MAHARAJA: Laws = Laws {
    letters: &[Role::King, Role::Maharaja],
    sides: [
        SideLaws { royal: Some(Role::Maharaja), promotions: &[], double_steps: &[1] },
        SideLaws { royal: Some(Role::King), promotions: &[], double_steps: &[1] },
    ],
    insufficient: false,
    ..array("maharaja", "rnbqkbnr/pppppppp/8/8/8/8/8/4M3 w kq - 0 1")
};
const HECATOMB: Laws =
    array("hecatomb", "qqqqkqqq/qqqqqqqq/qqqqqqqq/qqqqqqqq/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQKQQQ w - - 0 1");
const UPSIDE_DOWN: Laws = array("upside_down", "RNBQKBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbqkbnr w - - 0 1");
const PEASANTS_REVOLT: Laws = array("peasants_revolt", "1nn1k1n1/4p3/8/8/8/8/PPPPPPPP/4K3 w - - 0 1");
const WEAK: Laws = array("weak", "nnnnknnn/pppppppp/2p2p2/1pppppp1/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1");
const LIGHT_BRIGADE: Laws = array("light_brigade", "nnnnknnn/pppppppp/8/8/8/8/PPPPPPPP/1Q1QK1Q1 w - - 0 1");
const PAWN_ENDGAME: Laws = array("pawn_endgame", "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1");
const ADVANCE_CHESS: Laws = array("advance_chess", "rnbqkbnr/8/pppppppp/8/8/PPPPPPPP/8/RNBQKBNR w KQkq - 0 1");
const PAWNS_PASSED: Laws = array("pawns_passed", "rnbqkbnr/8/8/PPPPPPPP/pppppppp/8/8/RNBQKBNR w - - 0 1");
const PAWNS_PUSHED: Laws = array("pawns_pushed", "rnbqkbnr/8/8/pppppppp/PPPPPPPP/8/8/RNBQKBNR w - - 0 1");
const REVERSED_ROYALS: Laws = array("reversed_royals", "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1");
const TRANSPOSED: Laws = array("transposed", "rbnqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKNBR w KQkq - 0 1");
const DUNSANY: Laws = Laws {
    sides: [SideLaws { royal: None, promotions: &STANDARD, double_steps: &[] }, ORDINARY],
    insufficient: false,
    ..array("dunsany", "rnbqkbnr/pppppppp/8/8/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP b kq - 0 1")
};
const HORDE: Laws = Laws {
    sides: [SideLaws { royal: None, promotions: &STANDARD, double_steps: &[0, 1] }, ORDINARY],
    insufficient: false,
    ..array("horde", "rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq - 0 1")
};
const CHESS960: Laws =
    Laws { king_takes_rook: true, ..array("chess960", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1") };
const AMAZON_SIDE: SideLaws = SideLaws { promotions: &WITH_AMAZON, ..ORDINARY };
const AMAZON: Laws = Laws {
    letters: &[Role::King, Role::Amazon],
    sides: [AMAZON_SIDE, AMAZON_SIDE],
    insufficient: false,
    ..array("amazon", "rnbakbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBAKBNR w KQkq - 0 1")
};
const KNIGHTMATE_SIDE: SideLaws =
    SideLaws { royal: Some(Role::RoyalKnight), promotions: &WITH_COMMONER, double_steps: &[1] };
const KNIGHTMATE: Laws = Laws {
    letters: &[Role::RoyalKnight, Role::Commoner],
    sides: [KNIGHTMATE_SIDE, KNIGHTMATE_SIDE],
    insufficient: false,
    ..array("knightmate", "rmbqkbmr/pppppppp/8/8/8/8/PPPPPPPP/RMBQKBMR w KQkq - 0 1")
};

impl Variant {
    /// All variants, in the order of the rules text.
    pub const ALL: [Self; 18] = [
        Self::Chess,
        Self::Maharaja,
        Self::Hecatomb,
        Self::UpsideDown,
        Self::PeasantsRevolt,
        Self::Weak,
        Self::LightBrigade,
        Self::PawnEndgame,
        Self::AdvanceChess,
        Self::PawnsPassed,
        Self::PawnsPushed,
        Self::ReversedRoyals,
        Self::Transposed,
        Self::Dunsany,
        Self::Horde,
        Self::Chess960,
        Self::Amazon,
        Self::Knightmate,
    ];

    /// What holds in it.
    pub const fn laws(self) -> &'static Laws {
        match self {
            Self::Chess => &CHESS,
            Self::Maharaja => &MAHARAJA,
            Self::Hecatomb => &HECATOMB,
            Self::UpsideDown => &UPSIDE_DOWN,
            Self::PeasantsRevolt => &PEASANTS_REVOLT,
            Self::Weak => &WEAK,
            Self::LightBrigade => &LIGHT_BRIGADE,
            Self::PawnEndgame => &PAWN_ENDGAME,
            Self::AdvanceChess => &ADVANCE_CHESS,
            Self::PawnsPassed => &PAWNS_PASSED,
            Self::PawnsPushed => &PAWNS_PUSHED,
            Self::ReversedRoyals => &REVERSED_ROYALS,
            Self::Transposed => &TRANSPOSED,
            Self::Dunsany => &DUNSANY,
            Self::Horde => &HORDE,
            Self::Chess960 => &CHESS960,
            Self::Amazon => &AMAZON,
            Self::Knightmate => &KNIGHTMATE,
        }
    }

    /// The name in options.
    pub const fn name(self) -> &'static str {
        self.laws().name
    }

    /// What holds for a side.
    pub const fn side(self, side: Side) -> &'static SideLaws {
        &self.laws().sides[side as usize]
    }

    /// The man that a letter of a position stands for.
    pub(super) fn role(self, letter: u8) -> Option<Role> {
        let common = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
        common.iter().chain(self.laws().letters).copied().find(|role| role.letter() == letter)
    }
}

impl Serialize for Variant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// How many arrays Chess960 has.
pub const ARRAYS: u16 = 960;

/// The men of White's first rank in the Chess960 array of this number, from the a-file on, by the standard numbering;
/// 518 is chess (RC-7).
pub fn array_960(number: u16) -> [Role; 8] {
    /// The two of five places that the knights take, by what is left of the number.
    const KNIGHTS: [[usize; 2]; 10] = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];
    let number = usize::from(number % ARRAYS);
    let mut rank: [Option<Role>; 8] = [None; 8];
    rank[number % 4 * 2 + 1] = Some(Role::Bishop);
    rank[number / 4 % 4 * 2] = Some(Role::Bishop);
    let free = |rank: &[Option<Role>; 8]| -> Vec<usize> { (0..8).filter(|file| rank[*file].is_none()).collect() };
    let queen = free(&rank)[number / 16 % 6];
    rank[queen] = Some(Role::Queen);
    let places = free(&rank);
    for place in KNIGHTS[number / 96] {
        rank[places[place]] = Some(Role::Knight);
    }
    // Three places are left: the king stands between its rooks.
    let mut left = [Role::Rook, Role::King, Role::Rook].into_iter();
    rank.map(|role| role.or_else(|| left.next()).unwrap_or(Role::Rook))
}
