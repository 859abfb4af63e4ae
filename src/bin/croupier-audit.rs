//! The offline auditor: one file in, yes or the first event that is wrong out. No network, no database.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use croupier::audit::{Bundle, MAX_BUNDLE_BYTES, Report, Verdict, audit};
use croupier::canonical;
use croupier::keys::Jwk;
use serde::Deserialize;

const USAGE: &str = "\
Audits games of Croupier: croupier-audit [--keys FILE] [--json] FILE…

  FILE         a game's bundle, as GET /v1/games/{id}/bundle gives it; - for standard input
  --keys FILE  the published keys, as GET /.well-known/jwks.json gave them: got apart from the games, and best long ago
  --json       one report a line, as JSON

Exit codes: 0 everything holds; 1 something does not; 2 it can't be told yet; 3 a file can't be used.";

/// What the command line asks for.
struct Asked {
    files: Vec<PathBuf>,
    keys: Option<PathBuf>,
    json: bool,
}

fn main() -> ExitCode {
    let asked = match parse(std::env::args_os().skip(1)) {
        Ok(Some(asked)) => asked,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(why) => {
            eprintln!("croupier-audit: {why}\n\n{USAGE}");
            return ExitCode::from(3);
        }
    };
    match run(&asked) {
        Ok(code) => ExitCode::from(code),
        Err(why) => {
            eprintln!("croupier-audit: {why}");
            ExitCode::from(3)
        }
    }
}

/// The command line; `None` where help is asked for.
fn parse(arguments: impl Iterator<Item = std::ffi::OsString>) -> Result<Option<Asked>, String> {
    let mut asked = Asked { files: Vec::new(), keys: None, json: false };
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--help" | "-h") => return Ok(None),
            Some("--json") => asked.json = true,
            Some("--keys") => asked.keys = Some(arguments.next().ok_or("--keys names a file")?.into()),
            Some(option) if option.starts_with("--") => return Err(format!("there is no option {option}")),
            _ => asked.files.push(argument.into()),
        }
    }
    if asked.files.is_empty() { Err("no file to audit".to_owned()) } else { Ok(Some(asked)) }
}

/// Audits file after file, one in memory at a time. The worst of them is the exit code.
fn run(asked: &Asked) -> Result<u8, String> {
    let keys = asked.keys.as_deref().map(read_keys).transpose()?;
    let mut worst = 0;
    for file in &asked.files {
        let code = match read(file).and_then(|bytes| Bundle::read(&bytes).map_err(|error| error.to_string())) {
            Ok(bundle) => {
                let report = audit(&bundle, keys.as_deref());
                show(file, &report, asked.json);
                code_of(report.verdict)
            }
            Err(why) => {
                eprintln!("croupier-audit: {}: {why}", file.display());
                3
            }
        };
        worst = worst.max(rank(code));
    }
    Ok([0, 2, 1, 3][usize::from(worst)])
}

fn code_of(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Yes => 0,
        Verdict::No => 1,
        Verdict::NotYet => 2,
    }
}

/// How bad a code is: no is worse than not yet, and no file is worst.
fn rank(code: u8) -> u8 {
    match code {
        0 => 0,
        2 => 1,
        1 => 2,
        _ => 3,
    }
}

fn show(file: &Path, report: &Report, json: bool) {
    if json {
        // A report is texts and numbers, so writing it does not fail.
        println!("{}", serde_json::to_string(report).unwrap_or_default());
    } else {
        println!("{}\n{report}\n", file.display());
    }
}

/// Reads a file whole, but no more than a bundle may have: what is longer is found out by its reader.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let limit = MAX_BUNDLE_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let result = if path == Path::new("-") {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    result.map(|_| bytes).map_err(|error| error.to_string())
}

fn read_keys(path: &Path) -> Result<Vec<Jwk>, String> {
    #[derive(Deserialize)]
    struct JwkSet {
        keys: Vec<Jwk>,
    }
    let bytes = read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let set: JwkSet = canonical::parse_as(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(set.keys)
}
