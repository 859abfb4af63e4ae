//! The program `croupier-audit`, as people use it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use croupier::canonical::parse;
use serde_json::Value;

use super::recording::folder;

fn run(arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_croupier-audit"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may have ended before it read all.
    let _ = child.stdin.take().unwrap().write_all(input);
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

fn file(name: &str) -> String {
    folder().join(name).to_str().unwrap().to_owned()
}

/// A file beside the recorded ones that is gone again after the test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, text: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("croupier-audit-{}-{name}", std::process::id()));
        fs::write(&path, text).unwrap();
        Self(path)
    }

    fn name(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A file of the greatest size that is read, of values that take many times their text: the auditor refuses or answers
/// within 128 MiB, itself included, and in time.
#[test]
fn memory_and_time_are_bounded() {
    let around = |events: &str| format!("{{\"events\":[{events}],\"keys\":[],\"log\":null}}");
    let room = croupier::audit::MAX_BUNDLE_BYTES - 100;
    for (name, text) in [
        ("small", around(&vec!["{}"; room / 3].join(","))),
        ("one", around(&format!("[{}]", vec!["0"; room / 2 - 1].join(",")))),
        ("keys", format!("{{\"events\":[],\"keys\":[{}],\"log\":null}}", vec!["[]"; room / 3].join(","))),
        ("deep", around(&"[".repeat(room))),
    ] {
        let file = Temporary::new(&format!("large-{name}.json"), text.as_bytes());
        let start = std::time::Instant::now();
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v 131072; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_croupier-audit"), file.name()]);
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(matches!(status.code(), Some(1 | 3)), "{name}: {status}");
        assert!(start.elapsed() < std::time::Duration::from_secs(120), "{name}");
    }
}

/// A game in which somebody made the server's first card another one.
fn tampered() -> Temporary {
    let text = fs::read_to_string(file("migraine-whole.json")).unwrap();
    let changed = text.replacen("\"depth\":", "\"depth\":1", 1);
    assert_ne!(text, changed);
    Temporary::new("tampered.json", changed.as_bytes())
}

#[test]
fn a_fair_game() {
    let (game, keys) = (file("migraine-whole.json"), file("keys.json"));
    let (code, out, err) = run(&["--keys", &keys, &game], b"");
    assert_eq!((code, err.as_str()), (0, ""));
    for sentence in [
        "A game of migraine",
        "signatures of the server",
        "Seats that contributed a seed to every draw: 0",
        "All in all: yes.",
    ] {
        assert!(out.contains(sentence), "{out}");
    }
    assert!(!out.contains("prove nothing"));
}

#[test]
fn keys_out_of_the_file() {
    let (code, out, _) = run(&[&file("migraine-whole.json")], b"");
    assert_eq!(code, 2);
    assert!(out.contains("they prove nothing about their owner") && out.contains("All in all: not yet."), "{out}");
}

#[test]
fn what_is_wrong_is_named() {
    let (tampered, keys) = (tampered(), file("keys.json"));
    let (code, out, _) = run(&["--keys", &keys, tampered.name()], b"");
    assert_eq!(code, 1);
    assert!(out.contains("(moved, by seat") && out.contains("is not what was signed and chained"), "{out}");
    assert!(out.contains("All in all: no."), "{out}");
}

#[test]
fn many_files_and_the_worst_of_them() {
    let (tampered, keys) = (tampered(), file("keys.json"));
    let good = [file("migraine-late.json"), file("migraine-void.json"), file("generals-late.json")];
    let good: Vec<&str> = good.iter().map(String::as_str).collect();
    let (code, out, _) = run(&[&["--keys", &keys], &good[..]].concat(), b"");
    assert_eq!((code, out.matches("All in all: yes.").count()), (0, 3));
    let (code, out, _) = run(&[&["--keys", &keys, tampered.name()], &good[..]].concat(), b"");
    assert_eq!((code, out.matches("All in all: ").count()), (1, 4));
    let (code, out, err) = run(&[&["--keys", &keys, "no such file", tampered.name()], &good[..]].concat(), b"");
    assert_eq!((code, out.matches("All in all: ").count()), (3, 4), "the others are audited all the same");
    assert!(err.contains("no such file"), "{err}");
}

#[test]
fn standard_input_and_json() {
    let text = fs::read(file("generals-whole.json")).unwrap();
    let (code, out, _) = run(&["--json", "--keys", &file("keys.json"), "-"], &text);
    assert_eq!((code, out.lines().count()), (0, 1));
    let report: Value = parse(out.as_bytes()).unwrap();
    assert_eq!(
        (&report["verdict"], &report["keys"], &report["kind"]),
        (&"yes".into(), &"apart".into(), &"generals".into())
    );
    let answers = report["answers"].as_array().unwrap();
    assert!(answers.iter().enumerate().all(|(i, answer)| answer["number"] == i && answer["verdict"] == "yes"));
    let (code, out, _) = run(&["--json", &file("keys.json"), tampered().name()], &text);
    assert_eq!((code, out.lines().count()), (3, 1), "keys are no game");
}

#[test]
fn a_receipt_is_held_against_the_log() {
    let (game, keys) = (file("migraine-whole.json"), file("keys.json"));
    let bundle: Value = parse(&fs::read(&game).unwrap()).unwrap();
    let answer = serde_json::json!({"events": [bundle["events"][4]], "view": null, "nonce": null});
    let receipt = Temporary::new("receipt.json", answer.to_string().as_bytes());
    let (code, out, _) = run(&["--keys", &keys, "--receipt", receipt.name(), &game], b"");
    assert!(code == 0 && out.contains(": yes. Event 4 stands in the log as it was signed."), "{out}");
    let (code, out, _) = run(&["--json", "--keys", &keys, "--receipt", receipt.name(), &game], b"");
    assert_eq!((code, &parse(out.as_bytes()).unwrap()["receipts"][0]["verdict"]), (0, &"yes".into()));
    let other = file("generals-whole.json");
    let (code, _, err) = run(&["--keys", &keys, "--receipt", receipt.name(), &other], b"");
    assert!(code == 2 && err.contains("none of the files is of its game"), "{err}");
    let forged = Temporary::new("no-receipt.json", answer.to_string().replace("Z\"", "1Z\"").as_bytes());
    for arguments in
        [vec!["--keys", &keys, "--receipt", forged.name(), &game], vec!["--receipt", receipt.name(), &game]]
    {
        let (code, out, err) = run(&arguments, b"");
        assert_eq!((code, out.as_str()), (3, ""), "{err}");
    }
}

#[test]
fn what_can_not_be_used() {
    let game = file("migraine-whole.json");
    for (arguments, input) in [
        (vec![], &b""[..]),
        (vec!["--keys"], b""),
        (vec!["--unknown", &game], b""),
        (vec!["-"], b"{"),
        (vec!["-"], b"\xff\xfe"),
        (vec!["-"], b"{\"events\":[],\"keys\":[]}"),
        (vec!["--keys", &game, &game], b""),
        (vec!["--keys", "no such file", &game], b""),
    ] {
        let (code, out, err) = run(&arguments, input);
        assert_eq!((code, out.as_str()), (3, ""), "{arguments:?}");
        assert!(err.starts_with("croupier-audit: "), "{err}");
    }
    let (code, out, _) = run(&["--help"], b"");
    assert!(code == 0 && out.contains("Exit codes"), "{out}");
    let (code, _, err) = run(&["-"], &vec![b' '; (32 << 20) + 1]);
    assert!(code == 3 && err.contains("longer than"), "{err}");
}

/// Millions of tiny values would take hundreds of bytes each. The program may have no more memory than this, all in all.
#[cfg(target_os = "linux")]
#[test]
fn a_file_of_tiny_values_takes_little_memory() {
    const KIB: usize = 96 * 1024;
    const FILE: usize = 12 << 20;
    let many = vec![r#"{"a":0}"#; FILE / 8].join(",");
    let files = [
        (1, format!(r#"{{"events":[{many}],"keys":[],"log":null}}"#)),
        (3, format!(r#"{{"events":[[{many}]],"keys":[],"log":null}}"#)),
        (3, format!(r#"{{"events":[],"keys":[{many}],"log":null}}"#)),
        (3, format!(r#"{{"events":[],"keys":[],"log":[{many}]}}"#)),
    ];
    for (expected, text) in files {
        let file = Temporary::new(&format!("tiny-{expected}.json"), text.as_bytes());
        let limited = format!("ulimit -v {KIB} && exec \"$0\" \"$1\"");
        let program = env!("CARGO_BIN_EXE_croupier-audit");
        let output = Command::new("sh").args(["-c", &limited, program, file.name()]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(expected), "{said}");
    }
}
