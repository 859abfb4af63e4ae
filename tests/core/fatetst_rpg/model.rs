//! WF-1 to WF-7: a second account of the rules, written from their text alone, against which runs are held, move by
//! move: every fact, and all that the view shows.

use croupier::draw::Numbers;
use croupier::seat::Seat;
use serde_json::{Value, json};

use super::{plays, run, state, streams};
use crate::laws::kinds;
use crate::support::Rng;

struct Model {
    stream: Numbers,
    tree: i64,
    x: i64,
    y: i64,
    town: i64,
    hp: i64,
    most: i64,
    attack: i64,
    weapons: i64,
    armour: i64,
    gold: i64,
    xp: i64,
    level: i64,
    /// Tier, colour and hit points.
    enemy: Option<(i64, i64, i64)>,
    steps: i64,
    over: bool,
}

impl Model {
    fn new(number: u64) -> Self {
        let [mut tree, stream] = streams(number);
        Self {
            stream,
            tree: i64::from(tree.below(9)),
            x: 4,
            y: 0,
            town: 0,
            hp: 20,
            most: 20,
            attack: 4,
            weapons: 0,
            armour: 0,
            gold: 0,
            xp: 0,
            level: 1,
            enemy: None,
            steps: 0,
            over: false,
        }
    }

    fn below(&mut self, n: u32) -> i64 {
        i64::from(self.stream.below(n))
    }

    fn is_town(&self) -> bool {
        self.x == 4 && self.y % 50 == 0 && self.y <= 200
    }

    fn plays(&mut self, mv: &Value) -> Vec<Value> {
        let mut told = Vec::new();
        match mv["type"].as_str().unwrap() {
            "walk" => self.walk(mv["direction"].as_str().unwrap(), mv["tiles"].as_i64().unwrap(), &mut told),
            "strike" => {
                self.steps += 1;
                let roll = self.below(4);
                let damage = self.attack + roll;
                let (tier, colour, hp) = self.enemy.unwrap();
                let left = 0.max(hp - damage);
                told.push(json!({"type": "hero_struck", "roll": roll, "damage": damage, "enemy_hp": left}));
                if left > 0 {
                    self.enemy = Some((tier, colour, left));
                    self.hit(tier, &mut told);
                } else {
                    self.beat(tier, &mut told);
                }
            }
            "flee" => {
                self.steps += 1;
                let away = self.below(2) == 0;
                told.push(json!({"type": "hero_fled", "away": away}));
                let tier = self.enemy.unwrap().0;
                if away { self.enemy = None } else { self.hit(tier, &mut told) }
            }
            "rest" => {
                self.steps += 1;
                let cost = if self.gold >= 5 { 5 } else { 0 };
                self.gold -= cost;
                self.hp = self.most;
                told.push(json!({"type": "hero_rested", "cost": cost, "hp": self.hp, "gold": self.gold}));
            }
            _ => {
                self.steps += 1;
                let bonus = if mv["item"] == "weapon" { &mut self.weapons } else { &mut self.armour };
                let price = 10 * (*bonus + 1);
                *bonus += 1;
                self.attack += i64::from(mv["item"] == "weapon");
                self.gold -= price;
                told.push(json!({"type": "hero_bought", "item": mv["item"], "price": price, "gold": self.gold}));
            }
        }
        told
    }

    fn walk(&mut self, direction: &str, most: i64, told: &mut Vec<Value>) {
        let (dx, dy) = match direction {
            "n" => (0, 1),
            "s" => (0, -1),
            "e" => (1, 0),
            _ => (-1, 0),
        };
        let (mut tiles, mut stopped) = (0, "length");
        for _ in 0..most {
            let (x, y) = (self.x + dx, self.y + dy);
            if !(0..=8).contains(&x) || !(0..=254).contains(&y) {
                stopped = "edge";
                break;
            }
            (self.x, self.y, tiles, self.steps) = (x, y, tiles + 1, self.steps + 1);
            if (x, y) == (self.tree, 254) {
                stopped = "tree";
            } else if self.is_town() {
                (stopped, self.town) = ("town", y);
            } else if self.below(5) == 0 {
                stopped = "battle";
            }
            if stopped != "length" {
                break;
            }
        }
        let place = json!({"x": self.x, "y": self.y});
        told.push(json!({"type": "hero_walked", "tiles": tiles, "place": place, "stopped_by": stopped}));
        if stopped == "battle" {
            let (tier, colour) = (1 + self.y / 15, self.below(6));
            let hp = 3 * tier + 3;
            self.enemy = Some((tier, colour, hp));
            told.push(json!({"type": "enemy_met", "tier": tier, "colour": colour, "hp": hp, "attack": tier + 1}));
        }
        self.over = stopped == "tree";
    }

    fn hit(&mut self, tier: i64, told: &mut Vec<Value>) {
        let damage = 1.max(tier + 1 - self.armour);
        self.hp = 0.max(self.hp - damage);
        told.push(json!({"type": "enemy_struck", "damage": damage, "hp": self.hp}));
        if self.hp == 0 {
            (self.x, self.y, self.hp, self.gold, self.enemy) = (4, self.town, self.most, self.gold / 2, None);
            let place = json!({"x": 4, "y": self.town});
            told.push(json!({"type": "hero_woke", "place": place, "hp": self.hp, "gold": self.gold}));
        }
    }

    fn beat(&mut self, tier: i64, told: &mut Vec<Value>) {
        told.push(json!({"type": "enemy_beaten", "gold": 2 * tier, "xp": tier}));
        (self.enemy, self.gold, self.xp) = (None, self.gold + 2 * tier, self.xp + tier);
        if self.xp >= 10 * self.level {
            (self.level, self.xp, self.most, self.attack) = (self.level + 1, 0, self.most + 5, self.attack + 1);
            let (level, most, attack) = (self.level, self.most, self.attack);
            told.push(json!({"type": "level_rose", "level": level, "max_hp": most, "attack": attack}));
        }
    }

    fn state(&self) -> Value {
        let enemy = self.enemy.map(|(tier, colour, hp)| {
            json!({"tier": tier, "colour": colour, "size": 1 + tier / 4, "hp": hp, "attack": tier + 1})
        });
        let rest = if self.gold >= 5 { 5 } else { 0 };
        let town = json!({"rest": rest, "weapon": 10 * (self.weapons + 1), "armour": 10 * (self.armour + 1)});
        let town = if self.is_town() && self.enemy.is_none() && !self.over { town } else { json!(null) };
        json!({
            "hero": {
                "place": {"x": self.x, "y": self.y}, "town": self.town, "hp": self.hp, "max_hp": self.most,
                "attack": self.attack, "weapons": self.weapons, "armour": self.armour, "gold": self.gold,
                "xp": self.xp, "level": self.level,
            },
            "enemy": enemy, "town": town, "steps": self.steps,
            "tree": if self.over { json!(self.tree) } else { json!(null) },
        })
    }
}

#[test]
fn runs_are_as_the_text_says() {
    let mut seen = std::collections::BTreeSet::new();
    for number in 0..6 {
        let (mut house, player) = run(number);
        let mut model = Model::new(number);
        let mut rng = Rng::new(number);
        for _ in 0..4_000 {
            if house.table.is_over() {
                break;
            }
            let chosen = kinds::choose(player_kind(), &house.legal(Seat::FIRST), &mut rng);
            let mut told = plays(&mut house, &player, &chosen);
            let mut expected = model.plays(&serde_json::to_value(&chosen).unwrap());
            seen.extend(told.iter().map(|fact| fact["type"].as_str().unwrap().to_owned()));
            if model.over {
                let elapsed = house.table.at().millis() - started(&house);
                let found = json!({"type": "tree_found", "x": model.tree, "elapsed": elapsed, "steps": model.steps});
                expected.push(found);
            }
            assert_eq!(told, expected, "{chosen:?}");
            let shown = state(&house);
            assert_eq!(shown["latest"], json!(told), "RU-11");
            for (name, value) in model.state().as_object().unwrap() {
                assert_eq!(&shown[name], value, "{name} after {chosen:?}");
            }
            told.clear();
        }
        assert_eq!(house.table.is_over(), model.over);
    }
    for name in croupier::games::fatetst_rpg::Fact::TYPES {
        assert!(seen.contains(*name), "no {name} in any of these runs");
    }
}

fn player_kind() -> croupier::games::Kind {
    croupier::games::Kind::FatetstRpg
}

/// The time of `started`.
fn started(house: &crate::support::House) -> i64 {
    house.events.iter().find(|event| event.body.event_type() == "started").unwrap().at.millis()
}
