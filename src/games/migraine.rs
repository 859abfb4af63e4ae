//! Migraine, also called U.C.G. (clauses MI-1 to MI-9 of `migraine/rules-1.md`).

use crate::cards::{Card, Rank};
use crate::game::{
    Action, Chance, Decided, Forfeit, ForfeitReason, Game, GameResult, Illegal, NoDraw, Outcome, Purpose, Reason,
    Viewer,
};
use crate::seat::{BySeat, Seat};
use crate::timestamp::Timestamp;

mod facts;
mod moves;
mod options;
mod scoring;
mod view;

pub use facts::{DealerChosen, Fact, HostileDiscards, MigraineDeal, MigraineRound, PensiveDiscards};
pub use moves::{Cut, Declare, HostileDiscard, Legal, Move, PensiveDiscard};
pub use options::{Options, OptionsDraft};
pub use scoring::{Declaration, points, winner};
pub use view::{Phase as ViewPhase, ScoredRound, View};

/// MI-1: sixteen cards.
const RANKS: [Rank; 4] = [Rank::Ace, Rank::Jack, Rank::Queen, Rank::King];
/// MI-1.
const CARDS: usize = 16;
/// MI-1.
const PLAYERS: usize = 2;
/// MI-5, MI-6: how many cards a pensive discard lays down.
const PENSIVE: usize = 2;
/// MI-9: the last round that can be played.
const MAX_ROUNDS: u32 = 1_000;

/// The cards on the table from the deal on.
#[derive(Debug, Clone)]
struct Layout {
    middle: Card,
    sabre: Card,
    /// In the order in which the cards joined.
    hands: BySeat<Vec<Card>>,
    /// In the order in which the cards joined.
    fields: BySeat<Vec<Card>>,
}

/// Where in a round the game stands.
#[derive(Debug, Clone)]
enum Phase {
    /// MI-3: the deck is shuffled, the pone may cut.
    Cut { deck: Vec<Card> },
    /// MI-5.
    Hostile(Layout),
    /// MI-6.
    Pensive(Layout),
    /// MI-7: the pone declares.
    PoneDeclares(Layout),
    /// MI-7: the dealer declares, knowing what the pone said.
    DealerDeclares(Layout, Declaration),
    /// No more to decide. The cards lie as they lay then.
    Over { table: Option<Layout>, deck: Vec<Card>, pone_declared: Option<Declaration>, result: GameResult },
}

/// A match of Migraine.
#[derive(Debug, Clone)]
pub struct Rules {
    options: Options,
    /// Counted from 1.
    round: u32,
    dealer: Seat,
    scores: BySeat<i64>,
    phase: Phase,
    /// The round scored last (MI-9).
    last_round: Option<ScoredRound>,
    /// Draws that are no secret any more.
    disclosable: u32,
    /// Who gave up or was late, ascending (RU-9).
    forfeited: Vec<Seat>,
}

fn other(seat: Seat) -> Seat {
    seat.left(PLAYERS)
}

impl Game for Rules {
    type Options = Options;
    type Move = Move;
    type Legal = Legal;
    type View = View;

    const SEATS: (u8, u8) = (2, 2);
    const RULES: &'static [&'static str] = &[include_str!("migraine/rules-1.md")];
    const REASONS: &'static [Reason] = &[Reason::Target, Reason::Forfeit, Reason::Cap];

    fn fits(_: &Options, seats: usize) -> Result<(), Illegal> {
        if seats == PLAYERS { Ok(()) } else { Err(Illegal::new("MI-1", "Migraine is for two players")) }
    }

    fn is_decision(_: &Move) -> bool {
        true
    }

    fn deal(options: &Options, _: usize, _: Timestamp, chance: &mut Chance<'_>) -> Result<Self, NoDraw> {
        let dealer = match options.first_dealer() {
            Some(seat) => seat,
            None => {
                let lot = chance.draw(Purpose::FirstDealer)?.below(PLAYERS as u32);
                let dealer = if lot == 0 { Seat::FIRST } else { other(Seat::FIRST) };
                chance.tell(Fact::DealerChosen(DealerChosen { dealer }));
                dealer
            }
        };
        // Drawing the lot hides nothing, so it is disclosed at once.
        let disclosable = chance.drawn();
        let round = 1;
        let phase = shuffle(round, dealer, chance)?;
        let scores = BySeat::from_fn(PLAYERS, |_| 0);
        Ok(Self {
            options: options.clone(),
            round,
            dealer,
            scores,
            phase,
            last_round: None,
            disclosable,
            forfeited: Vec::new(),
        })
    }

    fn legal(&self, seat: Seat) -> Vec<Move> {
        match &self.phase {
            Phase::Cut { .. } if seat == self.pone() => {
                (0..CARDS as i64).map(|depth| Move::Cut(Cut { depth })).collect()
            }
            Phase::Hostile(table) => {
                let hand = table.hands.get(seat).into_iter().flatten();
                hand.map(|card| Move::HostileDiscard(HostileDiscard { card: card.to_string() })).collect()
            }
            Phase::Pensive(table) => pairs(table.hands.get(seat).map_or(&[], Vec::as_slice)),
            Phase::PoneDeclares(_) if seat == self.pone() => declarations(),
            Phase::DealerDeclares(..) if seat == self.dealer => declarations(),
            _ => Vec::new(),
        }
    }

    fn judge(&self, seat: Seat, mv: &Move) -> Result<Legal, Illegal> {
        match (&self.phase, mv) {
            (Phase::Over { .. }, _) => Err(Illegal::new("MI-9", "the match is over")),
            (Phase::Cut { .. }, Move::Cut(cut)) if seat == self.pone() => match usize::try_from(cut.depth) {
                Ok(depth) if depth < CARDS => Ok(Legal::Cut(depth)),
                _ => Err(Illegal::new("MI-3", "a cut is 0 to 15 cards deep")),
            },
            (Phase::Cut { .. }, _) => Err(Illegal::new("MI-3", "the pone cuts first, or declines with depth 0")),
            (Phase::Hostile(table), Move::HostileDiscard(discard)) => {
                own_card(table, seat, &discard.card, "MI-5").map(Legal::Hostile)
            }
            (Phase::Hostile(_), _) => Err(Illegal::new("MI-5", "now each player chooses a hostile discard")),
            (Phase::Pensive(table), Move::PensiveDiscard(discard)) => judge_pensive(table, seat, &discard.cards),
            (Phase::Pensive(_), _) => Err(Illegal::new("MI-6", "now each player chooses a pensive discard")),
            (Phase::PoneDeclares(_), Move::Declare(declare)) if seat == self.pone() => judge_declaration(declare),
            (Phase::PoneDeclares(_), _) => Err(Illegal::new("MI-7", "now the pone declares, before the dealer")),
            (Phase::DealerDeclares(..), Move::Declare(declare)) if seat == self.dealer => judge_declaration(declare),
            (Phase::DealerDeclares(..), _) => Err(Illegal::new("MI-7", "now the dealer declares")),
        }
    }

    fn canonical(mv: &Move) -> Move {
        match mv {
            Move::PensiveDiscard(PensiveDiscard { cards }) => {
                let mut cards = cards.clone();
                cards.sort_unstable_by_key(|card| card.parse::<Card>().ok());
                Move::PensiveDiscard(PensiveDiscard { cards })
            }
            other => other.clone(),
        }
    }

    fn is_in(&self, seat: Seat) -> bool {
        self.scores.get(seat).is_some() && !self.forfeited.contains(&seat)
    }

    fn apply(&mut self, action: Action<Legal>, _: Timestamp, chance: &mut Chance<'_>) -> Result<Decided, NoDraw> {
        match action {
            Action::Move(_, Legal::Cut(depth)) => self.cut(depth, chance),
            Action::Move(_, Legal::Declare(declaration)) => return self.declare(declaration, chance),
            // The other moves are made by both seats at once.
            Action::Move(seat, legal) => self.discard(&[(seat, legal)], chance),
            Action::Sealed(moves) => self.discard(&moves, chance),
            Action::Forfeit(seat, reason) => self.forfeit(&[seat], reason, chance),
            Action::TimedOut(seats) => self.forfeit(&seats, ForfeitReason::TimedOut, chance),
        }
        Ok(Decided::Yes)
    }

    fn outcome(&self) -> Outcome<'_> {
        match &self.phase {
            Phase::Cut { .. } | Phase::PoneDeclares(_) => Outcome::Turn(self.pone()),
            Phase::DealerDeclares(..) => Outcome::Turn(self.dealer),
            Phase::Hostile(_) | Phase::Pensive(_) => Outcome::Sealed(self.scores.seats().collect()),
            Phase::Over { result, .. } => Outcome::Over(result),
        }
    }

    fn stop(&mut self) {
        self.end(Vec::new(), Reason::Cap);
    }

    fn disclosable(&self) -> u32 {
        self.disclosable
    }

    fn view(&self, viewer: Viewer) -> View {
        view::view(self, viewer)
    }
}

/// MI-3: begins a round.
fn shuffle(round: u32, dealer: Seat, chance: &mut Chance<'_>) -> Result<Phase, NoDraw> {
    let mut deck: Vec<Card> = Card::deck(&RANKS).collect();
    let mut numbers = chance.draw(Purpose::Deal)?;
    numbers.shuffle(&mut deck);
    chance.tell(Fact::MigraineRound(MigraineRound { round, dealer }));
    Ok(Phase::Cut { deck })
}

/// Two of the hand's cards each, in the order of a deck.
fn pairs(hand: &[Card]) -> Vec<Move> {
    let mut hand = hand.to_vec();
    hand.sort_unstable();
    let mut moves = Vec::new();
    for (i, first) in hand.iter().enumerate() {
        for second in &hand[i + 1..] {
            let cards = vec![first.to_string(), second.to_string()];
            moves.push(Move::PensiveDiscard(PensiveDiscard { cards }));
        }
    }
    moves
}

fn declarations() -> Vec<Move> {
    Declaration::ALL.iter().map(|d| Move::Declare(Declare { declaration: d.name().to_owned() })).collect()
}

/// A card that the seat holds.
fn own_card(table: &Layout, seat: Seat, text: &str, clause: &'static str) -> Result<Card, Illegal> {
    let held = |card: &Card| table.hands.get(seat).is_some_and(|hand| hand.contains(card));
    // What is no card is in no hand either, and an answer is the same whoever holds a card: it tells nothing.
    text.parse().ok().filter(held).ok_or_else(|| Illegal::new(clause, "this card is not in your hand"))
}

fn judge_pensive(table: &Layout, seat: Seat, cards: &[String]) -> Result<Legal, Illegal> {
    let [first, second] = cards else {
        return Err(Illegal::new("MI-6", "a pensive discard is two cards"));
    };
    let mut cards = [own_card(table, seat, first, "MI-6")?, own_card(table, seat, second, "MI-6")?];
    cards.sort_unstable();
    if cards[0] == cards[1] {
        return Err(Illegal::new("MI-6", "a pensive discard is two different cards"));
    }
    Ok(Legal::Pensive(cards))
}

fn judge_declaration(declare: &Declare) -> Result<Legal, Illegal> {
    let known = Declaration::ALL.into_iter().find(|d| d.name() == declare.declaration);
    known.map(Legal::Declare).ok_or_else(|| Illegal::new("MI-7", "a declaration is rank, suit or chuck"))
}

impl Rules {
    /// MI-3: who does not deal.
    fn pone(&self) -> Seat {
        other(self.dealer)
    }

    /// MI-3, MI-4: the cut, and the deal that follows it.
    fn cut(&mut self, depth: usize, chance: &mut Chance<'_>) {
        let Phase::Cut { deck } = &mut self.phase else { return };
        deck.rotate_left(depth);
        let deck = std::mem::take(deck);
        // Positions 2, 4, 6, … are the pone's and 3, 5, 7, … the dealer's; the first of each goes into the field.
        let share = |seat: Seat, from: usize| -> Vec<Card> {
            let offset = usize::from(seat == self.dealer);
            deck[from + offset..].iter().step_by(2).copied().collect()
        };
        let fields = BySeat::from_fn(PLAYERS, |seat| share(seat, 2)[..1].to_vec());
        let hands = BySeat::from_fn(PLAYERS, |seat| share(seat, 4));
        let table = Layout { middle: deck[0], sabre: deck[1], hands, fields };
        chance.tell(Fact::MigraineDeal(MigraineDeal { middle: table.middle, fields: table.fields.map(|f| f[0]) }));
        self.phase = Phase::Hostile(table);
    }

    /// MI-5, MI-6: both discards are shown and lie in the fields.
    fn discard(&mut self, moves: &[(Seat, Legal)], chance: &mut Chance<'_>) {
        let hostile = |moves: &[(Seat, Legal)]| -> Option<BySeat<Card>> {
            moves.iter().map(|(_, legal)| if let Legal::Hostile(card) = legal { Some(*card) } else { None }).collect()
        };
        let pensive = |moves: &[(Seat, Legal)]| -> Option<BySeat<[Card; PENSIVE]>> {
            moves.iter().map(|(_, legal)| if let Legal::Pensive(cards) = legal { Some(*cards) } else { None }).collect()
        };
        match &mut self.phase {
            Phase::Hostile(table) => {
                let Some(cards) = hostile(moves).filter(|cards| cards.len() == PLAYERS) else { return };
                for (seat, card) in cards.iter() {
                    table.hands[seat].retain(|held| held != card);
                    table.fields[other(seat)].push(*card);
                }
                self.phase = Phase::Pensive(table.clone());
                chance.tell(Fact::HostileDiscards(HostileDiscards { cards }));
            }
            Phase::Pensive(table) => {
                let Some(cards) = pensive(moves).filter(|cards| cards.len() == PLAYERS) else { return };
                for (seat, pair) in cards.iter() {
                    table.hands[seat].retain(|held| !pair.contains(held));
                    table.fields[seat].extend(pair);
                }
                self.phase = Phase::PoneDeclares(table.clone());
                chance.tell(Fact::PensiveDiscards(PensiveDiscards { cards }));
            }
            _ => {}
        }
    }

    /// MI-7, and the scoring after the second declaration.
    fn declare(&mut self, declaration: Declaration, chance: &mut Chance<'_>) -> Result<Decided, NoDraw> {
        match &self.phase {
            Phase::PoneDeclares(table) => {
                self.phase = Phase::DealerDeclares(table.clone(), declaration);
                Ok(Decided::Yes)
            }
            Phase::DealerDeclares(table, pone_said) => {
                let by_seat = |seat| if seat == self.dealer { declaration } else { *pone_said };
                let scored = self.score(table, &BySeat::from_fn(PLAYERS, by_seat));
                self.scores = scored.scores.clone();
                self.last_round = Some(scored.clone());
                self.disclosable = chance.drawn();
                chance.tell(Fact::MigraineScored(scored));
                self.next_round(chance)
            }
            _ => Ok(Decided::No),
        }
    }

    /// MI-8.
    fn score(&self, table: &Layout, declarations: &BySeat<Declaration>) -> ScoredRound {
        let points = BySeat::from_fn(PLAYERS, |seat| {
            points(declarations[seat], &table.hands[seat], &table.fields[seat], table.sabre)
        });
        ScoredRound {
            round: self.round,
            dealer: self.dealer,
            middle: table.middle,
            sabre: table.sabre,
            hands: table.hands.clone(),
            fields: table.fields.clone(),
            declarations: declarations.clone(),
            scores: BySeat::from_fn(PLAYERS, |seat| self.scores[seat] + points[seat]),
            points,
        }
    }

    /// MI-9: the end, or the next round.
    fn next_round(&mut self, chance: &mut Chance<'_>) -> Result<Decided, NoDraw> {
        if let Some(winner) = winner(&self.scores, self.options.target()) {
            self.end(vec![winner], Reason::Target);
        } else if self.round >= MAX_ROUNDS {
            self.end(Vec::new(), Reason::Cap);
        } else {
            let (round, dealer) = (self.round + 1, other(self.dealer));
            self.phase = shuffle(round, dealer, chance)?;
            (self.round, self.dealer) = (round, dealer);
        }
        Ok(Decided::Yes)
    }

    /// RU-9.
    fn forfeit(&mut self, seats: &[Seat], reason: ForfeitReason, chance: &mut Chance<'_>) {
        for seat in seats {
            chance.tell(Forfeit { seat: *seat, reason });
        }
        self.forfeited = seats.to_vec();
        let winners = self.scores.seats().filter(|seat| !seats.contains(seat)).collect();
        self.end(winners, Reason::Forfeit);
        self.disclosable = chance.drawn();
    }

    /// Ends the match; the cards stay where they are.
    fn end(&mut self, winners: Vec<Seat>, reason: Reason) {
        let result = GameResult { winners, scores: self.scores.as_slice().to_vec(), reason };
        let (table, deck, pone_declared) = match &mut self.phase {
            Phase::Cut { deck } => (None, std::mem::take(deck), None),
            Phase::Hostile(table) | Phase::Pensive(table) | Phase::PoneDeclares(table) => {
                (Some(table.clone()), Vec::new(), None)
            }
            Phase::DealerDeclares(table, declared) => (Some(table.clone()), Vec::new(), Some(*declared)),
            Phase::Over { table, deck, pone_declared, .. } => (table.take(), std::mem::take(deck), *pone_declared),
        };
        self.phase = Phase::Over { table, deck, pone_declared, result };
    }
}
