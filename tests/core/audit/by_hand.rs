//! The program in `docs/protocol.md` that makes a shuffle again by hand does what the page says, on a recorded game.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::recording::folder;

#[test]
fn a_shuffle_checked_by_hand() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/protocol.md")).unwrap();
    let (_, rest) = page.split_once("```python\n").expect("a program in the page");
    let (program, _) = rest.split_once("```").unwrap();
    let game = folder().join("migraine-seeded.json");
    let output = match Command::new("python3").args(["-c", program]).arg(game).output() {
        Ok(output) => output,
        Err(error) => return println!("skipped: no python3 here ({error})"),
    };
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{err}");
    // What the page says that it prints is what it prints.
    let (_, rest) = page.split_once("```text\n").expect("what it prints, in the page");
    let (printed, _) = rest.split_once("```").unwrap();
    assert_eq!(out, printed);
}
