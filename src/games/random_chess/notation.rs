//! Moves as text: UCI and SAN, written and read (RC-3).

use super::man::Role;
use super::position::{ChessMove, Position, Special, Wing};
use super::square::Square;

impl ChessMove {
    /// The UCI text in bytes; the fifth is 0 where nothing is promoted, and so sorts as the shorter text does.
    pub fn uci_bytes(&self) -> [u8; 5] {
        let ([a, b], [c, d]) = (self.from.letters(), self.to.letters());
        let promotion = match self.special {
            Special::Promotion(role) => role.letter(),
            Special::None | Special::Double | Special::EnPassant | Special::Castle(_) => 0,
        };
        [a, b, c, d, promotion]
    }

    /// The move in UCI.
    pub fn uci(&self) -> String {
        self.uci_bytes().into_iter().filter(|byte| *byte != 0).map(char::from).collect()
    }
}

impl Position {
    /// The legal move that this UCI text stands for.
    pub fn read_uci(&self, text: &str) -> Option<ChessMove> {
        // Few texts have the form, and only those are worth a list of moves.
        if !matches!(text.len(), 4 | 5) || text.get(..2)?.parse::<Square>().is_err() {
            return None;
        }
        self.legal().into_iter().find(|mv| mv.uci() == text)
    }

    /// The legal move that this SAN text stands for; the marks for check and mate may be missing.
    pub fn read_san(&self, text: &str) -> Option<ChessMove> {
        let bare = text.trim_end_matches(['+', '#']);
        let legal = self.legal();
        legal.iter().copied().find(|mv| self.bare_san(*mv, &legal) == bare)
    }

    /// A legal move in SAN; `legal` are all legal moves, `after` is the position that it leads to, and `answers` are the
    /// legal moves there.
    pub(super) fn san_with(&self, mv: ChessMove, legal: &[ChessMove], after: &Self, answers: &[ChessMove]) -> String {
        let mut san = self.bare_san(mv, legal);
        if after.in_check() {
            san.push(if answers.is_empty() { '#' } else { '+' });
        }
        san
    }

    /// A legal move in SAN.
    pub fn san(&self, mv: ChessMove) -> String {
        let after = self.after(mv);
        let answers = after.legal();
        self.san_with(mv, &self.legal(), &after, &answers)
    }

    /// A move in SAN, without a mark for check.
    fn bare_san(&self, mv: ChessMove, legal: &[ChessMove]) -> String {
        match mv.special {
            Special::Castle(Wing::King) => return "O-O".to_owned(),
            Special::Castle(Wing::Queen) => return "O-O-O".to_owned(),
            Special::None | Special::Double | Special::EnPassant | Special::Promotion(_) => {}
        }
        let role = self.man(mv.from).map_or(Role::Pawn, |man| man.role);
        let takes = self.man(mv.to).is_some() || mv.special == Special::EnPassant;
        let [file, rank] = mv.from.letters().map(char::from);
        let mut san = String::with_capacity(8);
        if role == Role::Pawn {
            if takes {
                san.push(file);
            }
        } else {
            san.push(char::from(role.letter().to_ascii_uppercase()));
            let (by_file, by_rank) = self.told_apart_by(mv, role, legal);
            san.extend(Some(file).filter(|_| by_file));
            san.extend(Some(rank).filter(|_| by_rank));
        }
        san.extend(Some('x').filter(|_| takes));
        san.extend(mv.to.letters().map(char::from));
        if let Special::Promotion(role) = mv.special {
            san.push('=');
            san.push(char::from(role.letter().to_ascii_uppercase()));
        }
        san
    }

    /// Whether the file and the rank of the man that moves must be named, since another one like it could go there too.
    fn told_apart_by(&self, mv: ChessMove, role: Role, legal: &[ChessMove]) -> (bool, bool) {
        let alike = |other: &&ChessMove| {
            other.to == mv.to
                && other.from != mv.from
                && !matches!(other.special, Special::Castle(_))
                && self.man(other.from).is_some_and(|man| man.role == role)
        };
        let (mut any, mut same_file, mut same_rank) = (false, false, false);
        for other in legal.iter().filter(alike) {
            any = true;
            same_file |= other.from.file() == mv.from.file();
            same_rank |= other.from.rank() == mv.from.rank();
        }
        (any && (!same_file || same_rank), same_file)
    }
}
