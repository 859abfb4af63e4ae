//! Whether the numbers make a game: a plain strategy finds the tree, in so many steps, whatever is drawn.
//! `cargo run --release --no-default-features --example fatetst_rpg` plays a thousand runs and prints the figures.

#[path = "../../../examples/fatetst_rpg/plain.rs"]
mod plain;

/// Of how many draws; the example tries 1,000.
const RUNS: u32 = 60;

#[test]
fn the_plain_strategy_finds_the_tree_within_3000_steps() {
    let steps: Vec<u64> = (0..RUNS).map(|number| plain::play(number, plain::Plan::Spend).steps).collect();
    assert!(steps.iter().all(|steps| *steps <= 3_000), "{steps:?}");
    // Nor is it nothing: who only walks north needs many tries.
    assert!(steps.iter().all(|steps| *steps > 1_000), "{steps:?}");
}
