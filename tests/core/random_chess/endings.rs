//! RC-4 to RC-6: how a game ends on the board.

use croupier::games::random_chess::{Course, End, Profile, Side, Variant};

use super::{position, variant};

fn course(name: &str, fen: &str) -> Course {
    Course::begin(position(variant(name), fen), Profile::Server)
}

#[track_caller]
fn make(course: &mut Course, moves: &str) {
    for san in moves.split_ascii_whitespace() {
        assert_eq!(course.end(), None, "before {san}");
        let mv = course.position().read_san(san);
        let mv = mv.unwrap_or_else(|| panic!("{san} in {}", course.position().fen()));
        course.make(mv);
    }
}

#[test]
fn rc_4_mate_and_stalemate() {
    let mut fools = course("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    make(&mut fools, "f3 e5 g4 Qh4#");
    assert_eq!(fools.end(), Some(End::Mate(Side::Black)));
    assert_eq!(fools.moves().last().unwrap().san, "Qh4#");
    assert_eq!(course("maharaja", "7k/8/5M2/8/8/8/8/8 b - - 0 1").end(), Some(End::Mate(Side::White)));
    assert_eq!(course("maharaja", "k7/8/1M6/8/8/8/8/8 b - - 0 1").end(), Some(End::Mate(Side::White)));
    assert_eq!(course("chess", "7k/5Q2/8/8/8/8/8/4K3 b - - 0 1").end(), Some(End::Stalemate));
    // A horde that can't move has lost nothing.
    assert_eq!(course("horde", "4k3/8/8/8/8/p7/P7/8 w - - 0 1").end(), Some(End::Stalemate));
}

#[test]
fn rc_4_a_side_without_a_king_loses_its_last_man() {
    for name in ["dunsany", "horde"] {
        let mut last = course(name, "4k3/8/8/8/8/8/1r6/P7 b - - 0 1");
        make(&mut last, "Rb1");
        assert_eq!(last.end(), None);
        make(&mut last, "a2 Ra1 a3 Rxa3");
        assert_eq!(last.end(), Some(End::Extinct(Side::Black)), "{name}");
    }
    // No check for a side without a king: it may leave its men to be taken.
    let dunsany = position(Variant::Dunsany, "4k3/8/8/8/8/8/8/Pr6 w - - 0 1");
    assert!(!dunsany.in_check() && dunsany.legal().len() == 1);
}

#[test]
fn rc_5_too_little_material() {
    let few = |name: &str, fen: &str| course(name, fen).end() == Some(End::InsufficientMaterial);
    for fen in ["4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4kn2/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/2B1K3 b - - 0 1"] {
        assert!(few("chess", fen) && few("chess960", fen) && few("hecatomb", fen), "{fen}");
    }
    for fen in [
        "4k3/8/8/8/8/8/8/1NB1K3 w - - 0 1",
        "4kn2/8/8/8/8/8/8/4KN2 w - - 0 1",
        // Bishops of one colour are a dead position for FIDE, and go on here.
        "2b1k3/8/8/8/8/8/8/4KB2 w - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/3RK3 w - - 0 1",
    ] {
        assert!(!few("chess", fen), "{fen}");
    }
    assert_eq!(course("maharaja", "4k3/8/8/8/8/8/8/M7 w - - 0 1").end(), None);
    assert_eq!(course("horde", "4k3/8/8/8/8/8/P7/8 w - - 0 1").end(), None);
    assert_eq!(course("amazon", "4k3/8/8/8/8/8/8/4K3 w - - 0 1").end(), None);
    assert_eq!(course("knightmate", "4k3/8/8/8/8/8/8/4K3 w - - 0 1").end(), None);
}

#[test]
fn rc_4_plies_without_a_pawn_s_move_or_a_capture() {
    let ends = |fen: &str, profile, moves: &str| {
        let mut course = Course::begin(position(Variant::Chess, fen), profile);
        make(&mut course, moves);
        course.end()
    };
    let at = |quiet: u32| format!("4k3/8/8/8/8/8/8/R3K3 w - - {quiet} 80");
    assert_eq!(ends(&at(98), Profile::Server, "Ra2"), None);
    assert_eq!(ends(&at(99), Profile::Server, "Ra2"), Some(End::Quiet));
    assert_eq!(ends(&at(148), Profile::Fide, "Ra2"), None);
    assert_eq!(ends(&at(149), Profile::Fide, "Ra2"), Some(End::Quiet));
    // Mate on the hundredth ply is mate; a capture or a pawn's move on it begins anew.
    let mate = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 80";
    assert_eq!(ends(mate, Profile::Server, "Ra8#"), Some(End::Mate(Side::White)));
    assert_eq!(ends("4k3/p7/8/8/8/8/8/R3K3 w - - 99 80", Profile::Server, "Rxa7"), None);
    assert_eq!(ends("4k3/8/8/8/8/8/4P3/R3K3 w - - 99 80", Profile::Server, "e4"), None);
    // Castling is neither.
    assert_eq!(ends("4k3/8/8/8/8/8/8/R3K3 w Q - 99 80", Profile::Server, "O-O-O"), Some(End::Quiet));
}

#[test]
fn rc_4_rc_6_occurrences_of_a_position() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let round = "Nf3 Nf6 Ng1 Ng8 ";
    let mut threefold = course("chess", start);
    make(&mut threefold, round);
    assert_eq!(threefold.occurrences(), 2, "the start is the first");
    make(&mut threefold, round);
    assert_eq!(threefold.end(), Some(End::Repetition));
    let mut fivefold = Course::begin(position(Variant::Chess, start), Profile::Fide);
    make(&mut fivefold, &round.repeat(4));
    assert_eq!((fivefold.occurrences(), fivefold.end()), (5, Some(End::Repetition)));
    // The same men with other rights to castle are another position.
    let mut rights = course("chess", "r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1");
    make(&mut rights, "Ra2 Kd8 Ra1 Ke8");
    assert_eq!(rights.occurrences(), 1);
    make(&mut rights, "Ra2 Kd8 Ra1 Ke8");
    assert_eq!((rights.occurrences(), rights.end()), (2, None));
    // The same men with a pawn that can be taken in passing are another position than without.
    let mut passing = course("chess", "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1");
    make(&mut passing, "e4 Kd8 Kd1 Ke8 Ke1");
    assert_eq!(passing.occurrences(), 1);
    // Where nobody can take there, it is the same.
    let mut pinned = course("chess", "3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1");
    make(&mut pinned, "e4 Ke8 Rc1 Kd8 Rd1");
    assert_eq!(pinned.occurrences(), 2);
}
