//! Whether the numbers of The World's Fatetst RPG make a game: 1,000 runs of each plan, as a table.
//!
//! `cargo run --release --no-default-features --example fatetst_rpg`

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "an example that can't go on has failed")]

#[path = "fatetst_rpg/plain.rs"]
mod plain;

use plain::{Plan, Ran, play};

const RUNS: u32 = 1_000;

fn main() {
    println!(
        "| plan | least | half within | 95 % within | most | over 3,000 | moves | deaths | level | weapons | armour |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, plan) in
        [("spends its gold", Plan::Spend), ("buys nothing", Plan::Save), ("flees from the start", Plan::Run)]
    {
        let mut runs: Vec<Ran> = (0..RUNS).map(|number| play(number, plan)).collect();
        runs.sort_by_key(|run| run.steps);
        let mean = |of: fn(&Ran) -> f64| runs.iter().map(of).sum::<f64>() / f64::from(RUNS);
        println!(
            "| {name} | {} | {} | {} | {} | {} | {:.0} | {:.1} | {:.1} | {:.1} | {:.1} |",
            runs[0].steps,
            runs[runs.len() / 2].steps,
            runs[runs.len() * 95 / 100].steps,
            runs[runs.len() - 1].steps,
            runs.iter().filter(|run| run.steps > 3_000).count(),
            mean(|run| f64::from(run.moves)),
            mean(|run| f64::from(run.deaths)),
            mean(|run| run.level as f64),
            mean(|run| run.weapons as f64),
            mean(|run| run.armour as f64),
        );
    }
}
