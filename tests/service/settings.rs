//! What an operator sets stands in the README, with its default.

use clap::{Args, Command};
use croupier::config::{Limits, Settings};

fn settings(command: Command) -> Vec<(String, Vec<String>)> {
    let defaults = |arg: &clap::Arg| {
        arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let named = |arg: &clap::Arg| Some((arg.get_env()?.to_string_lossy().into_owned(), defaults(arg)));
    command.get_arguments().filter_map(named).collect()
}

fn page(path: &str) -> String {
    std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn the_readme_names_every_setting_with_its_default() {
    let readme = page("README.md");
    let all = settings(Settings::augment_args(Command::new("croupier")));
    assert!(all.len() > 25, "{all:?}");
    for (name, defaults) in &all {
        let line = readme.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let line = line.unwrap_or_else(|| panic!("{name} is not in the README"));
        // Where the data is depends on who starts it.
        if name != "CROUPIER_DATA" {
            let default = line.split('|').nth(2).unwrap();
            assert!(defaults.iter().all(|value| default.contains(value.as_str())), "{name}: {default} {defaults:?}");
        }
    }
    let rows = readme.lines().filter(|line| line.starts_with("| `CROUPIER_") || line.starts_with("| `DATABASE_"));
    assert_eq!(rows.count(), all.len(), "a setting that is none");
}

#[test]
fn the_page_on_limits_names_each_of_them() {
    let page = page("docs/limits.md");
    for (name, defaults) in settings(Limits::augment_args(Command::new("croupier"))) {
        assert!(page.contains(&format!("`{name}`")), "{name}");
        for value in defaults.iter().filter(|value| *value != "*") {
            assert!(page.contains(&value.replace(':', " : ")), "{name}: {value}");
        }
    }
}
