//! The targets on the kept corpus, and on chance changes of it, without any fuzzer.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::TARGETS;
use crate::support::Rng;

/// For how many seconds everything is changed, if nobody says otherwise.
const SECONDS: u64 = 5;
/// How long one call may take at most, in an unoptimised build on a busy machine.
const LONGEST: Duration = Duration::from_secs(20);
/// How many bytes the corpus may have, so that it stays a part of the repository.
const MOST_BYTES: usize = 1 << 20;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus")
}

/// The files of a target's corpus, in the order of their names.
fn files(name: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder().join(name))
        .unwrap_or_else(|why| panic!("no corpus for {name}: {why}"))
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Calls a target; what it panics over is written to a file, to be looked at and to become a part of the corpus.
fn call(name: &str, target: super::Target, bytes: &[u8]) {
    let start = Instant::now();
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(bytes))) {
        let path = std::env::temp_dir().join(format!("croupier-fuzz-{name}-{}", std::process::id()));
        fs::write(&path, bytes).unwrap();
        println!("{name} fails on the {} bytes in {}", bytes.len(), path.display());
        std::panic::resume_unwind(panic);
    }
    assert!(start.elapsed() < LONGEST, "{name} took {:?} for {} bytes", start.elapsed(), bytes.len());
}

/// The bytes with a few changes: as fuzzers do it, but blindly.
fn changed(mut bytes: Vec<u8>, others: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        match rng.below(7) {
            0 => bytes.insert(at, rng.below(256) as u8),
            1 => bytes.truncate(at),
            2 => {
                let end = bytes.len().min(at + rng.below(64));
                bytes.drain(at..end);
            }
            // A part of it once more, somewhere.
            3 => {
                let end = bytes.len().min(at + rng.below(64));
                let part = bytes[at..end].to_vec();
                let to = rng.below(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
            // The rest of another.
            4 => {
                let other = rng.pick(others);
                bytes.truncate(at);
                bytes.extend(&other[rng.below(other.len() + 1)..]);
            }
            5 => {
                let part =
                    *rng.pick(&[&b"null"[..], b"-1", b"0", b"9007199254740991", b"\"\"", b"[]", b"{}", b"\\u0000"]);
                bytes.splice(at..at, part.iter().copied());
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << rng.below(8);
                }
            }
        }
    }
    bytes
}

#[test]
fn whatever_comes_in_is_answered() {
    let seconds = std::env::var("FUZZ_SECONDS").map_or(SECONDS, |seconds| seconds.parse().expect("seconds"));
    let mut bytes = 0;
    for (name, target) in TARGETS {
        let files = files(name);
        assert!(!files.is_empty(), "no corpus for {name}");
        bytes += files.iter().map(Vec::len).sum::<usize>();
        files.iter().for_each(|file| call(name, target, file));
        let end = Instant::now() + Duration::from_millis(seconds * 1000 / TARGETS.len() as u64);
        let (mut rng, mut calls) = (Rng::new(seconds), 0_u64);
        while Instant::now() < end {
            call(name, target, &changed(rng.pick(&files).clone(), &files, &mut rng));
            calls += 1;
        }
        println!("{name}: {} files, and {calls} changes of them", files.len());
    }
    assert!(bytes < MOST_BYTES, "the corpus has {bytes} bytes");
}
