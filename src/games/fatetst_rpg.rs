//! The World's Fatetst RPG (clauses WF-1 to WF-9 of `fatetst_rpg/rules-1.md`).

use crate::draw::Numbers;
use crate::game::{
    Action, Chance, Decided, Forfeit, ForfeitReason, Game, GameResult, Illegal, NoDraw, Outcome, Purpose, Reason,
    Viewer,
};
use crate::seat::Seat;
use crate::timestamp::Timestamp;

mod facts;
mod hero;
mod moves;
pub mod numbers;
mod options;
mod view;

pub use facts::{
    EnemyBeaten, EnemyMet, EnemyStruck, Fact, HeroBought, HeroFled, HeroRested, HeroStruck, HeroWalked, HeroWoke,
    LevelRose, StoppedBy, TreeFound,
};
pub use hero::{Direction, Enemy, Hero, Item, Place};
pub use moves::{Buy, Flee, Legal, Move, Rest, Strike, Walk};
pub use options::{Options, OptionsDraft};
pub use view::{Town, View};

use numbers::{LONGEST_WALK, TREE_Y, WIDTH};

/// Where a run stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    /// No enemy is near.
    Walking,
    /// WF-6.
    Battle(Enemy),
    /// No more to decide.
    Over(GameResult),
}

/// A run of The World's Fatetst RPG.
#[derive(Clone)]
pub struct Rules {
    hero: Hero,
    /// The tree's column (WF-1).
    tree: i64,
    /// Draw 2, as far as it was not read yet (WF-4).
    stream: Numbers,
    /// When the clock began to run (WF-8).
    started_at: Timestamp,
    steps: u64,
    phase: Phase,
    /// What the newest move led to.
    latest: Vec<Fact>,
    /// Whether the seat has given up, or was late.
    forfeited: bool,
}

impl Game for Rules {
    type Options = Options;
    type Move = Move;
    type Legal = Legal;
    type View = View;

    const SEATS: (u8, u8) = (1, 1);
    const RULES: &'static [&'static str] = &[include_str!("fatetst_rpg/rules-1.md")];
    const REASONS: &'static [Reason] = &[Reason::FoundTheTree, Reason::Forfeit];
    const LONGEST_SECONDS: Option<u32> = Some(numbers::LONGEST_SECONDS);

    fn fits(_: &Options, seats: usize) -> Result<(), Illegal> {
        if seats == 1 { Ok(()) } else { Err(Illegal::new("WF-3", "The World's Fatetst RPG is for one player")) }
    }

    fn is_decision(_: &Move) -> bool {
        true
    }

    fn deal(_: &Options, _: usize, at: Timestamp, chance: &mut Chance<'_>) -> Result<Self, NoDraw> {
        // Less than the width of the map, so the cast loses nothing.
        let tree = i64::from(chance.draw(Purpose::Tree)?.below(WIDTH as u32));
        Ok(Self {
            hero: Hero::START,
            tree,
            stream: chance.draw(Purpose::Run)?,
            started_at: at,
            steps: 0,
            phase: Phase::Walking,
            latest: Vec::new(),
            forfeited: false,
        })
    }

    fn legal(&self, seat: Seat) -> Vec<Move> {
        if !self.is_in(seat) {
            return Vec::new();
        }
        match self.phase {
            Phase::Walking => self.walks().chain(self.in_town()).collect(),
            Phase::Battle(_) => vec![Move::Strike(Strike {}), Move::Flee(Flee {})],
            Phase::Over(_) => Vec::new(),
        }
    }

    fn judge(&self, seat: Seat, mv: &Move) -> Result<Legal, Illegal> {
        if !self.is_in(seat) {
            return Err(Illegal::new("WF-3", "there is one seat, and it has to be in the game"));
        }
        match (&self.phase, mv) {
            (Phase::Over(_), _) => Err(Illegal::new("WF-7", "the run is over")),
            (Phase::Battle(_), Move::Strike(Strike {})) => Ok(Legal::Strike),
            (Phase::Battle(_), Move::Flee(Flee {})) => Ok(Legal::Flee),
            (Phase::Battle(_), _) => Err(Illegal::new("WF-6", "in a battle there is but to strike or to flee")),
            (Phase::Walking, Move::Strike(_) | Move::Flee(_)) => Err(Illegal::new("WF-6", "no enemy is here")),
            (Phase::Walking, Move::Walk(walk)) => self.judge_walk(walk),
            (Phase::Walking, _) if !self.hero.place.is_town() => Err(Illegal::new("WF-6", "no town is here")),
            (Phase::Walking, Move::Rest(Rest {})) => Ok(Legal::Rest),
            (Phase::Walking, Move::Buy(Buy { item })) => {
                let item = Item::ALL.into_iter().find(|one| one.name() == item);
                let item = item.ok_or_else(|| Illegal::new("WF-6", "towns sell \"weapon\" and \"armour\""))?;
                if self.hero.gold < self.hero.price(item) {
                    return Err(Illegal::new("WF-6", "this costs more gold than the hero has"));
                }
                Ok(Legal::Buy(item))
            }
        }
    }

    fn canonical(mv: &Move) -> Move {
        mv.clone()
    }

    fn is_in(&self, seat: Seat) -> bool {
        seat == Seat::FIRST && !self.forfeited
    }

    fn apply(&mut self, action: Action<Legal>, at: Timestamp, chance: &mut Chance<'_>) -> Result<Decided, NoDraw> {
        match action {
            Action::Move(_, legal) => {
                self.latest.clear();
                self.act(legal, at);
                self.latest.iter().for_each(|fact| chance.tell(fact.clone()));
            }
            // There is one seat, and nothing is sealed.
            Action::Sealed(_) => return Ok(Decided::No),
            Action::Forfeit(seat, reason) => self.forfeit(&[seat], reason, chance),
            Action::TimedOut(seats) => self.forfeit(&seats, ForfeitReason::TimedOut, chance),
        }
        Ok(Decided::Yes)
    }

    fn outcome(&self) -> Outcome<'_> {
        match &self.phase {
            Phase::Walking | Phase::Battle(_) => Outcome::Turn(Seat::FIRST),
            Phase::Over(result) => Outcome::Over(result),
        }
    }

    fn stop(&mut self) {
        self.phase = Phase::Over(GameResult { winners: Vec::new(), scores: Vec::new(), reason: Reason::Cap });
    }

    fn disclosable(&self) -> u32 {
        match self.phase {
            Phase::Walking | Phase::Battle(_) => 0,
            // The tree's, and the run's.
            Phase::Over(_) => 2,
        }
    }

    fn view(&self, viewer: Viewer) -> View {
        view::view(self, viewer)
    }
}

impl Rules {
    /// Walks, by direction, then by length.
    fn walks(&self) -> impl Iterator<Item = Move> {
        let open = Direction::ALL.into_iter().filter(|direction| self.hero.place.next(*direction).is_some());
        open.flat_map(|direction| {
            (1..=LONGEST_WALK).map(move |tiles| Move::Walk(Walk { direction: direction.name().to_owned(), tiles }))
        })
    }

    /// What can be done in a town, if the hero is in one.
    fn in_town(&self) -> impl Iterator<Item = Move> {
        let town = self.hero.place.is_town();
        let rest = town.then_some(Move::Rest(Rest {}));
        let affordable = Item::ALL.into_iter().filter(move |item| town && self.hero.gold >= self.hero.price(*item));
        rest.into_iter().chain(affordable.map(|item| Move::Buy(Buy { item: item.name().to_owned() })))
    }

    /// What a town offers the hero.
    fn town(&self) -> Town {
        let rest = if self.hero.gold < numbers::REST_PRICE { 0 } else { numbers::REST_PRICE };
        Town { rest, weapon: self.hero.price(Item::Weapon), armour: self.hero.price(Item::Armour) }
    }

    fn judge_walk(&self, walk: &Walk) -> Result<Legal, Illegal> {
        let direction = Direction::ALL.into_iter().find(|one| one.name() == walk.direction);
        let direction = direction.ok_or_else(|| Illegal::new("WF-4", "a direction is n, s, e or w"))?;
        if !(1..=LONGEST_WALK).contains(&walk.tiles) {
            return Err(Illegal::new("WF-4", "a walk is 1 to 25 tiles long"));
        }
        match self.hero.place.next(direction) {
            Some(_) => Ok(Legal::Walk(direction, walk.tiles)),
            None => Err(Illegal::new("WF-1", "the map ends here")),
        }
    }

    /// A legal move, and all that follows on it.
    fn act(&mut self, legal: Legal, at: Timestamp) {
        match (legal, self.phase.clone()) {
            (Legal::Walk(direction, tiles), Phase::Walking) => self.walk(direction, tiles, at),
            (Legal::Strike, Phase::Battle(enemy)) => self.strike(enemy),
            (Legal::Flee, Phase::Battle(enemy)) => self.flee(enemy),
            (Legal::Rest, Phase::Walking) => {
                self.steps += 1;
                let cost = self.hero.rest();
                self.tell(Fact::HeroRested(HeroRested { cost, hp: self.hero.hp, gold: self.hero.gold }));
            }
            (Legal::Buy(item), Phase::Walking) => {
                self.steps += 1;
                let price = self.hero.price(item);
                self.hero.buy(item);
                self.tell(Fact::HeroBought(HeroBought { item, price, gold: self.hero.gold }));
            }
            // Judged for the phase that it was.
            _ => {}
        }
    }

    fn tell(&mut self, fact: Fact) {
        self.latest.push(fact);
    }

    /// WF-4.
    fn walk(&mut self, direction: Direction, most: i64, at: Timestamp) {
        let mut tiles = 0;
        let stopped_by = loop {
            if tiles >= most {
                break StoppedBy::Length;
            }
            let Some(place) = self.hero.place.next(direction) else { break StoppedBy::Edge };
            tiles += 1;
            self.steps += 1;
            self.hero.place = place;
            if place.y == TREE_Y && place.x == self.tree {
                break StoppedBy::Tree;
            }
            if place.is_town() {
                self.hero.town = place.y;
                break StoppedBy::Town;
            }
            if self.stream.below(numbers::ENCOUNTER) == 0 {
                break StoppedBy::Battle;
            }
        };
        self.tell(Fact::HeroWalked(HeroWalked { tiles, place: self.hero.place, stopped_by }));
        match stopped_by {
            StoppedBy::Battle => {
                let enemy = Enemy::in_row(self.hero.place.y, self.stream.below(numbers::COLOURS));
                let Enemy { tier, colour, hp, attack, .. } = enemy;
                self.tell(Fact::EnemyMet(EnemyMet { tier, colour, hp, attack }));
                self.phase = Phase::Battle(enemy);
            }
            StoppedBy::Tree => self.find(at),
            StoppedBy::Length | StoppedBy::Town | StoppedBy::Edge => {}
        }
    }

    /// WF-7, WF-8: no time of an event is earlier than that of one before it.
    fn find(&mut self, at: Timestamp) {
        let elapsed = at.millis().saturating_sub(self.started_at.millis()).max(0);
        self.tell(Fact::TreeFound(TreeFound { x: self.tree, elapsed, steps: self.steps }));
        let (winners, scores) = (vec![Seat::FIRST], vec![elapsed]);
        self.phase = Phase::Over(GameResult { winners, scores, reason: Reason::FoundTheTree });
    }

    /// WF-6.
    fn strike(&mut self, mut enemy: Enemy) {
        self.steps += 1;
        let roll = self.stream.below(numbers::BLOW);
        let damage = self.hero.attack + i64::from(roll);
        enemy.hp = (enemy.hp - damage).max(0);
        self.tell(Fact::HeroStruck(HeroStruck { roll, damage, enemy_hp: enemy.hp }));
        if enemy.hp > 0 {
            return self.struck_by(enemy);
        }
        let (gold, xp) = (numbers::enemy_gold(enemy.tier), numbers::enemy_xp(enemy.tier));
        self.tell(Fact::EnemyBeaten(EnemyBeaten { gold, xp }));
        self.hero.gold += gold;
        if self.hero.learn(xp) {
            let Hero { level, max_hp, attack, .. } = self.hero;
            self.tell(Fact::LevelRose(LevelRose { level, max_hp, attack }));
        }
        self.phase = Phase::Walking;
    }

    /// WF-6.
    fn flee(&mut self, enemy: Enemy) {
        self.steps += 1;
        let away = self.stream.below(numbers::FLIGHT) == 0;
        self.tell(Fact::HeroFled(HeroFled { away }));
        if away {
            self.phase = Phase::Walking;
        } else {
            self.struck_by(enemy);
        }
    }

    /// WF-6: the enemy strikes; the battle goes on, or the hero wakes elsewhere.
    fn struck_by(&mut self, enemy: Enemy) {
        let damage = (enemy.attack - self.hero.armour).max(1);
        self.hero.hp = (self.hero.hp - damage).max(0);
        self.tell(Fact::EnemyStruck(EnemyStruck { damage, hp: self.hero.hp }));
        if self.hero.hp > 0 {
            self.phase = Phase::Battle(enemy);
            return;
        }
        self.hero.wake();
        let Hero { place, hp, gold, .. } = self.hero;
        self.tell(Fact::HeroWoke(HeroWoke { place, hp, gold }));
        self.phase = Phase::Walking;
    }

    /// RU-9: nobody is left.
    fn forfeit(&mut self, seats: &[Seat], reason: ForfeitReason, chance: &mut Chance<'_>) {
        for seat in seats {
            chance.tell(Forfeit { seat: *seat, reason });
        }
        self.forfeited = true;
        self.phase = Phase::Over(GameResult { winners: Vec::new(), scores: Vec::new(), reason: Reason::Forfeit });
    }
}
