//! The laws of a state: what is legal, what is hidden, where the cards are.

use croupier::games::Move;
use croupier::hex32::Nonce;
use croupier::seat::Seat;
use croupier::table::Awaits;

use super::{Trial, kinds};
use crate::support::{Player, snapshot};

impl Trial<'_> {
    pub(super) fn check_legal_lists(&mut self) {
        let table = &self.house.table;
        let decides = matches!(table.view(None).awaits, Some(Awaits::Move | Awaits::Commitment));
        let to_act = table.to_act();
        for player in &self.players {
            let Some(seat) = table.seat_of(player.id) else { continue };
            let legal = table.legal(seat);
            self.counts.count("moves listed", legal.len() as u64);
            let decision = legal.iter().any(Move::is_decision);
            assert_eq!(decision, decides && to_act.contains(&seat), "a list of decisions is for who must decide");
            for (i, mv) in legal.iter().enumerate() {
                assert_eq!(mv.canonical(), *mv, "listed in canonical form");
                assert!(!legal[..i].contains(mv), "listed twice: {mv:?}");
                let value = serde_json::to_value(mv).unwrap();
                assert_eq!(self.kind.read_move(value).as_ref(), Ok(mv), "written and read back");
            }
        }
        assert!(table.view(None).legal.is_empty(), "the public has no moves");
    }

    /// RU-10: nobody sees what somebody has bound itself to: whatever it is, all views are the same.
    pub(super) fn check_secrecy(&mut self, to_act: &[Seat]) {
        if self.house.table.view(None).awaits != Some(Awaits::Commitment) {
            return;
        }
        let seat = *self.rng.pick(to_act);
        let player = self.player(seat);
        let legal: Vec<Move> = self.house.legal(player.seat).into_iter().filter(Move::is_decision).collect();
        let bound = [self.rng.pick(&legal), self.rng.pick(&legal)].map(|mv| {
            let mut copy = self.house.clone();
            if to_act.len() == 1 || player.has_key() || self.seals_itself[seat.index()] {
                copy.send(&player.commit(&copy, mv, &Nonce::new([1; 32])));
            } else {
                copy.send(&player.decide(&copy, mv));
            }
            let open = copy.table.open_view(None);
            (snapshot(&copy.table), open)
        });
        assert!(bound[0] == bound[1], "a view tells what {legal:?} were chosen");
        self.counts.count("sealed choices looked for", 1);
    }

    /// RU-6.
    pub(super) fn check_cards(&mut self) {
        if let Some(state) = self.house.table.open_view(None).state {
            assert_eq!(kinds::cards(&state), kinds::all_cards(&state));
            self.counts.count("times that the cards were counted", 1);
        }
    }

    /// The legal list of every seat is exactly what is accepted, of all that can be thought of; and what is refused
    /// changes nothing.
    pub(super) fn try_everything(&mut self) {
        let before = snapshot(&self.house.table);
        let events = self.house.events.len();
        let candidates = kinds::candidates(self.kind);
        for player in self.players.clone() {
            if self.house.table.seat_of(player.id) != Some(player.seat) {
                continue;
            }
            let legal = self.house.table.legal(player.seat);
            let sealed = self.house.table.view(None).awaits == Some(Awaits::Commitment);
            let unseen = sealed && player.has_key();
            let here = kinds::candidates_here(self.house.table.view(None).state.as_ref(), &legal, &mut self.rng);
            // By a script, which is one of very many, only some of them.
            let (first, stride) = if self.rng.is_scripted() { (self.rng.below(61), 61) } else { (0, 1) };
            for mv in candidates.iter().chain(&here).skip(first).step_by(stride).chain(&legal) {
                // What takes long is tried now and then only.
                if kinds::takes_long(mv) && !self.rng.once_in(400) {
                    continue;
                }
                let listed = kinds::is_listed(&legal, mv);
                // What a client seals by itself is judged when it is opened; that is tried now and then only.
                if unseen && mv.is_decision() {
                    if !self.rng.once_in(30) && !listed {
                        continue;
                    }
                    if let Some(accepted) = self.opens_legally(&player, mv) {
                        assert_eq!(accepted, listed, "seat {}: {mv:?}, sealed by its client", player.seat);
                        self.counts.count("moves tried by opening them", 1);
                    }
                    continue;
                }
                let command = match mv.is_decision() {
                    true => player.decide_at(&self.house, self.house.table.step().unwrap_or(1), mv),
                    false => player.free_move(&self.house, mv),
                };
                let accepted = self.house.ask(&command).is_ok();
                assert_eq!(accepted, listed, "seat {}: {mv:?} against {legal:?}", player.seat);
                self.counts.count("moves tried", 1);
                self.counts.count("moves accepted", u64::from(accepted));
                if let (true, Some(step)) = (mv.is_decision() && self.rng.once_in(20), self.house.table.step()) {
                    for wrong in [step - 1, step + 1] {
                        assert!(self.house.ask(&player.decide_at(&self.house, wrong, mv)).is_err(), "step {wrong}");
                    }
                }
            }
        }
        assert!(before == snapshot(&self.house.table) && events == self.house.events.len(), "asking changed something");
        self.counts.count("states in which everything was tried", 1);
    }

    /// Whether a move that a client sealed opens as a legal one: tried in a copy, in which everybody else makes a first
    /// legal move. `None` if the seat is bound already.
    fn opens_legally(&self, player: &Player, mv: &Move) -> Option<bool> {
        let mut copy = self.house.clone();
        let nonce = Nonce::new([3; 32]);
        copy.try_send(&player.commit(&copy, mv, &nonce)).ok()?;
        while copy.table.view(None).awaits == Some(Awaits::Commitment) {
            let other = self.player(copy.table.to_act()[0]);
            let first = copy.legal(other.seat)[0].clone();
            copy.send(&other.commit(&copy, &first, &nonce));
        }
        let events = copy.send(&player.open(&copy, mv, &nonce));
        Some(crate::support::facts_of(&events, "forfeit").is_empty())
    }
}
