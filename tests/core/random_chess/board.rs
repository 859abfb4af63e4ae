//! RC-2, RC-3, RC-7: positions, moves and their texts.

use std::collections::BTreeSet;

use croupier::games::random_chess::{ARRAYS, ChessMove, Course, Position, Profile, Role, Side, Variant, array_960};

use super::{legal, position, variant};
use crate::support::Rng;

#[test]
fn every_array_is_a_position_and_is_written_as_it_was_read() {
    for variant in Variant::ALL {
        let start = Position::start(variant);
        assert_eq!(start.fen(), variant.laws().fen, "{}", variant.name());
        assert_eq!(position(variant, &start.fen()), start);
    }
    let mut arrays = BTreeSet::new();
    for number in 0..ARRAYS {
        let start = Position::start_of_chess960(number);
        assert_eq!(position(Variant::Chess960, &start.fen()), start, "{number}");
        assert!(arrays.insert(array_960(number)), "{number} comes twice");
    }
    let letters = |number| array_960(number).map(|role: Role| char::from(role.letter())).iter().collect::<String>();
    for (number, array) in [(0, "bbqnnrkr"), (354, "bnrkrbqn"), (518, "rnbqkbnr"), (959, "rkrnnqbb")] {
        assert_eq!(letters(number), array, "{number}");
    }
    assert_eq!(Position::start_of_chess960(354).fen().split(' ').nth(2), Some("ECec"));
}

#[test]
fn what_is_no_position_is_not_read() {
    for (name, fen) in [
        ("chess", ""),
        ("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"),
        ("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1"),
        ("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1"),
        ("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/8 w KQkq - 0 1"),
        ("chess", "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        ("chess", "rnbqkbnr/pppppppp/88888888888888888/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        ("chess", "rnbqkbnr/pppppppp/7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        ("chess", "rnbqkbnrr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        // Men of another variant, no king, two kings, a king that could be taken.
        ("chess", "rnbqkbnr/pppppppp/8/8/8/8/8/4M3 w kq - 0 1"),
        ("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w kq - 0 1"),
        ("chess", "4k3/8/8/8/8/8/8/4KK2 w - - 0 1"),
        ("chess", "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1"),
        ("maharaja", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("maharaja", "4k3/8/8/8/8/8/8/3MM3 b - - 0 1"),
        ("horde", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
        ("hecatomb", "4k3/8/8/8/8/8/8/4M3 w - - 0 1"),
        // Castling without its men, en passant without a pawn, counters that are none, too much.
        ("chess", "4k3/8/8/8/8/8/8/4K3 w K - 0 1"),
        ("chess", "4k3/8/8/8/8/8/8/R3K2R w X - 0 1"),
        ("chess", "4k3/8/8/8/8/8/8/4K3 b - e3 0 1"),
        ("chess", "4k3/8/8/8/4P3/8/8/4K3 b - e4 0 1"),
        ("chess", "4k3/8/8/8/4P3/8/8/4K3 b - z3 0 1"),
        ("chess", "4k3/8/8/8/8/8/8/4K3 w - - x 1"),
        ("chess", "4k3/8/8/8/8/8/8/4K3 w - - 0 0"),
        ("chess", "4k3/8/8/8/8/8/8/4K3 w - - 0 1 1"),
    ] {
        assert!(Position::read(variant(name), fen).is_err(), "{name}: {fen}");
    }
}

#[test]
fn the_rights_to_castle_are_read_in_both_forms() {
    let both = |fen: &str| position(Variant::Chess960, fen).fen();
    assert_eq!(both("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"), "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1");
    // A K or a Q is the outermost rook; another one is named by its file.
    assert_eq!(both("4k3/8/8/8/8/8/8/RR2K1RR w KQ - 0 1"), "4k3/8/8/8/8/8/8/RR2K1RR w HA - 0 1");
    assert_eq!(both("4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1"), "4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1");
    let chess = position(Variant::Chess, "r3k2r/8/8/8/8/8/8/R3K2R b HAk - 3 9");
    assert_eq!(chess.fen(), "r3k2r/8/8/8/8/8/8/R3K2R b KQk - 3 9");
}

#[test]
fn the_maharaja_mates_alone() {
    for fen in ["7k/8/5M2/8/8/8/8/8 b - - 0 1", "k7/8/1M6/8/8/8/8/8 b - - 0 1"] {
        let mated = position(Variant::Maharaja, fen);
        assert!(mated.in_check() && mated.legal().is_empty(), "{fen}");
    }
}

#[test]
fn a_black_pawn_on_the_first_rank_is_an_obstacle() {
    let start = position(Variant::Maharaja, "8/8/8/8/8/4k3/8/p6M b - - 0 1");
    let moves = legal(&start);
    assert_eq!(moves.len(), 5, "{moves:?}");
    assert!(moves.iter().all(|uci| uci.starts_with("e3")));
    // It attacks nothing: the maharaja may stand beside it, and take it.
    let start = position(Variant::Maharaja, "4k3/8/8/8/8/8/8/pM6 w - - 0 1");
    assert!(legal(&start).contains(&"b1a1".to_owned()));
    // A pawn comes there without becoming anything.
    let start = position(Variant::Maharaja, "4k3/8/8/8/8/8/p7/7M b - - 0 1");
    assert!(legal(&start).contains(&"a2a1".to_owned()) && !legal(&start).iter().any(|uci| uci.len() == 5));
}

#[test]
fn the_maharaja_may_not_move_into_attack_nor_stay_in_it() {
    // The pawn on d5 is protected by the one on c6, so it can't be taken; e6 and other squares before the king neither.
    let start = position(Variant::Maharaja, "4k3/8/2p5/3p4/8/8/8/3M4 w - - 0 1");
    let moves = legal(&start);
    assert!(!moves.contains(&"d1d5".to_owned()) && moves.contains(&"d1d4".to_owned()), "{moves:?}");
    for square in ["d7", "d8", "e7", "f7", "f8"] {
        assert!(!moves.iter().any(|uci| uci.ends_with(square)), "{square} is next to the king");
    }
    // In check it has to go, and the rook's file is no place for it.
    let start = position(Variant::Maharaja, "3rk3/8/8/8/8/8/8/3M4 w - - 0 1");
    assert!(start.in_check());
    assert!(!legal(&start).is_empty() && !legal(&start).iter().any(|uci| uci.starts_with("d1d") && uci != "d1d8"));
    assert!(!legal(&start).contains(&"d1d8".to_owned()), "the king protects the rook");
}

#[test]
fn first_moves_that_are_told_of_the_variants() {
    let first = |name: &str| {
        let start = Position::start(variant(name));
        start.legal().into_iter().map(|mv| start.san(mv)).collect::<Vec<_>>()
    };
    let captures = first("hecatomb");
    assert_eq!(captures.len(), 22);
    assert!(captures.iter().all(|san| san.contains('x')));
    assert_eq!(first("upside_down"), ["Na6", "Nc6", "Nf6", "Nh6"]);
    let dunsany = Position::start(Variant::Dunsany);
    assert!(dunsany.turn() == Side::Black && dunsany.men(Side::White).all(|(_, role)| role == Role::Pawn));
    assert_eq!(dunsany.men(Side::White).count(), 32);
    assert_eq!(Position::start(Variant::Horde).men(Side::White).count(), 36);
}

#[test]
fn double_steps_go_by_the_variant() {
    let can = |name: &str, fen: &str, uci: &str| legal(&position(variant(name), fen)).contains(&uci.to_owned());
    assert!(can("horde", "4k3/8/8/8/8/8/1P6/P7 w - - 0 1", "a1a3"));
    assert!(can("horde", "4k3/8/8/8/8/8/1P6/P7 w - - 0 1", "b2b4"));
    assert!(!can("dunsany", "4k3/8/8/8/8/8/1P6/P7 w - - 0 1", "a1a3"));
    assert!(!can("dunsany", "4k3/8/8/8/8/8/1P6/P7 w - - 0 1", "b2b4"));
    assert!(can("weak", Position::start(Variant::Weak).fen().replace(" w ", " b ").as_str(), "a7a5"));
    assert!(!can("weak", Position::start(Variant::Weak).fen().replace(" w ", " b ").as_str(), "b5b3"));
    // From rank 1 of the horde there is no en passant, from rank 2 there is.
    let after = |fen: &str, uci: &str| {
        let before = position(Variant::Horde, fen);
        before.after(before.read_uci(uci).unwrap()).fen()
    };
    assert_eq!(after("4k3/8/8/8/8/1p6/8/P7 w - - 0 1", "a1a3"), "4k3/8/8/8/8/Pp6/8/8 b - - 0 1");
    assert_eq!(after("4k3/8/8/8/1p6/8/P7/8 w - - 0 1", "a2a4"), "4k3/8/8/8/Pp6/8/8/8 b - a3 0 1");
}

#[test]
fn the_square_of_en_passant_counts_only_where_a_pawn_can_take_there() {
    let after = |fen: &str, uci: &str| {
        let before = position(Variant::Chess, fen);
        before.after(before.read_uci(uci).unwrap())
    };
    let field = |position: &Position| position.fen().split(' ').nth(3).unwrap().to_owned();
    assert_eq!(field(&after("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4")), "e3");
    assert_eq!(field(&after("4k3/8/8/8/2p5/8/4P3/4K3 w - - 0 1", "e2e4")), "-");
    // The pawn on d4 is pinned to its king; and both pawns would leave the rank between rook and king.
    assert_eq!(field(&after("3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1", "e2e4")), "-");
    assert_eq!(field(&after("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", "e2e4")), "-");
    // A FEN that names it all the same is the same position.
    let named = position(Variant::Chess, "3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1");
    let bare = position(Variant::Chess, "3k4/8/8/8/3pP3/8/8/3RK3 b - - 0 1");
    assert!(named.repeats(&bare) && named == bare);
    let can = position(Variant::Chess, "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1");
    assert!(!can.repeats(&position(Variant::Chess, "4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1")));
}

#[test]
fn castling_goes_by_the_laws() {
    let can = |fen: &str| -> Vec<String> {
        let start = position(Variant::Chess, fen);
        start.legal().into_iter().map(|mv| start.san(mv)).filter(|san| san.starts_with('O')).collect()
    };
    assert_eq!(can("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"), ["O-O-O", "O-O"]);
    assert_eq!(can("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1"), ["O-O-O"]);
    assert_eq!(can("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1"), ["O-O"], "the knight stands between");
    assert_eq!(can("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"), ["O-O-O", "O-O"], "the rook may pass an attacked square");
    assert_eq!(can("3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1"), ["O-O"], "the king may not");
    assert_eq!(can("4k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1"), ["O-O-O"]);
    assert_eq!(can("4k3/4r3/8/8/8/8/8/R3K2R w KQ - 0 1"), [""; 0], "nor out of check");
    // A rook that is taken on its place castles no more, one that left and came back neither.
    let start = position(Variant::Chess, "4k3/8/8/8/8/8/6b1/R3K2R b KQ - 0 1");
    assert_eq!(start.after(start.read_uci("g2h1").unwrap()).fen(), "4k3/8/8/8/8/8/8/R3K2b w Q - 0 2");
    // In Chess960 the king takes its own rook, and may stay where it is.
    let start = position(Variant::Chess960, "4k3/8/8/8/8/8/8/6KR w H - 0 1");
    assert_eq!(start.after(start.read_uci("g1h1").unwrap()).fen(), "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
    let start = position(Variant::Chess960, "4k3/8/8/8/8/8/8/5RKR w HF - 0 1");
    assert!(start.read_uci("g1h1").is_none(), "a rook stands on f1");
    assert_eq!(start.after(start.read_uci("g1f1").unwrap()).fen(), "4k3/8/8/8/8/8/8/2KR3R b - - 1 1");
    // The rook that leaves b1 opens the rank to the one on a1.
    let start = position(Variant::Chess960, "4k3/8/8/8/8/8/8/rR1K4 w B - 0 1");
    assert!(start.read_uci("d1b1").is_none());
}

/// Makes a random game of so many plies at most, and shows each of its moves.
fn wander(variant: Variant, rng: &mut Rng, mut see: impl FnMut(&Position, ChessMove)) {
    let mut course = Course::begin(Position::start(variant), Profile::Fide);
    for _ in 0..300 {
        if course.end().is_some() {
            return;
        }
        let mv = *rng.pick(course.legal());
        see(course.position(), mv);
        course.make(mv);
    }
}

#[test]
fn what_is_written_is_read_back() {
    let mut rng = Rng::new(31);
    for variant in Variant::ALL {
        for _ in 0..1 {
            wander(variant, &mut rng, |before, mv| {
                if !rng_like(before) {
                    return;
                }
                let (uci, san) = (mv.uci(), before.san(mv));
                assert_eq!(before.read_uci(&uci), Some(mv), "{uci} in {}", before.fen());
                assert_eq!(before.read_san(&san), Some(mv), "{san} in {}", before.fen());
                assert_eq!(before.read_san(san.trim_end_matches(['+', '#'])), Some(mv));
                let legal = before.legal();
                let texts: BTreeSet<String> = legal.iter().map(|mv| before.san(*mv)).collect();
                assert_eq!(texts.len(), legal.len(), "two moves are written alike in {}", before.fen());
                assert!(legal.iter().map(ChessMove::uci).is_sorted_by(|one, other| one < other));
                assert_eq!(position(variant, &before.fen()), *before);
            });
        }
    }
}

/// Some of the positions, so that the test takes no minutes.
fn rng_like(position: &Position) -> bool {
    position.quiet_plies() % 5 == 1
}

#[test]
fn san_names_as_much_as_it_must() {
    let san = |fen: &str, uci: &str| {
        let before = position(Variant::Chess, fen);
        before.san(before.read_uci(uci).unwrap_or_else(|| panic!("{uci} in {fen}")))
    };
    assert_eq!(san("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "a1d1"), "Rd1");
    assert_eq!(san("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "a1d1"), "Rad1");
    assert_eq!(san("R7/4k3/8/8/8/8/4K3/R7 w - - 0 1", "a1a4"), "R1a4");
    assert_eq!(san("6k1/8/8/8/Q7/8/8/Q2Q3K w - - 0 1", "a1d4"), "Qa1d4");
    assert_eq!(san("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n"), "a8=N");
    assert_eq!(san("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q"), "axb8=Q+");
    assert_eq!(san("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "d4e3"), "dxe3");
    assert_eq!(san("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8"), "Ra8#");
    // A pinned knight is no other one that could go there.
    assert_eq!(san("4k3/8/8/4r3/8/8/4N3/1N2K3 w - - 0 1", "b1c3"), "Nc3");
    let before = position(Variant::Chess, "4k3/8/8/8/8/8/4K3/R6R w - - 0 1");
    for wrong in ["Rd1", "", "Kd9", "Qd1", "Rbd1", "O-O", "+", "#"] {
        assert!(before.read_san(wrong).is_none(), "{wrong}");
    }
    for wrong in ["", "a1", "a1d", "a1a9", "a1d1q", "h1h1", "é1d1", "aéd1"] {
        assert!(before.read_uci(wrong).is_none(), "{wrong}");
    }
    let maharaja = position(Variant::Maharaja, "4k3/8/8/8/8/8/8/3M4 w - - 0 1");
    assert_eq!(maharaja.san(maharaja.read_uci("d1b2").unwrap()), "Mb2");
}
