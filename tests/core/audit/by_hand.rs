//! What `docs/protocol.md` shows to be done by hand gives what the page says, on a recorded game.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::recording::folder;

/// The page's first block of a language, and the block after it: what it prints.
fn shown(page: &str, language: &str) -> (String, String) {
    let block = |text: &str, language: &str| {
        let (_, rest) = text.split_once(&format!("```{language}\n")).expect("such a block");
        let (block, rest) = rest.split_once("```").unwrap();
        (block.to_owned(), rest.to_owned())
    };
    let (program, rest) = block(page, language);
    (program, block(&rest, "text").0)
}

#[test]
fn a_shuffle_checked_by_hand() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/protocol.md")).unwrap();
    for (language, interpreter, needed) in [("sh", "sh", "xxd"), ("python", "python3", "python3")] {
        if let Err(error) = Command::new(needed).arg("--version").output() {
            println!("skipped: no {needed} here ({error})");
            continue;
        }
        let (program, printed) = shown(&page, language);
        let game = folder().join("migraine-seeded.json");
        let output = Command::new(interpreter).args(["-c", &program]).arg(game).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), printed);
    }
}
