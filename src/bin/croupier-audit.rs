//! The offline auditor: one file in, yes or the first event that is wrong out. No network, no database.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use croupier::audit::{
    Bundle, ConsistencyProof, KeptCheckpoints, MAX_BUNDLE_BYTES, Receipt, Report, TrustedKeys, Verdict, audit,
    audit_with,
};
use croupier::canonical;
use croupier::keys::Jwk;
use serde::{Deserialize, Serialize};

const USAGE: &str = "\
Audits games of Croupier:
croupier-audit [--keys FILE] [--receipt FILE]… [--checkpoints FILE [--consistency FILE]…] [--json] FILE…

  FILE         a game's bundle, as GET /v1/games/{id}/bundle gives it; - for standard input
  --keys FILE  the published keys, as GET /.well-known/jwks.json gave them: got apart from the games, and best long ago
  --receipt FILE  what the service answered to a write: the game's log must still show it; may come several times.
               Needs --keys
  --checkpoints FILE  the newest checkpoint of each log of logs that was seen so far; made at first use. A log that is
               no extension of it is refused. Needs --keys
  --consistency FILE  a proof, as GET /v1/log/consistency gives it, that a log only grew since; may come several times
  --json       one report a line, as JSON

Exit codes: 0 everything holds; 1 something does not; 2 it can't be told yet; 3 a file can't be used.";

/// What the command line asks for.
struct Asked {
    files: Vec<PathBuf>,
    keys: Option<PathBuf>,
    receipts: Vec<PathBuf>,
    checkpoints: Option<PathBuf>,
    consistency: Vec<PathBuf>,
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
    let mut asked = Asked {
        files: Vec::new(),
        keys: None,
        receipts: Vec::new(),
        checkpoints: None,
        consistency: Vec::new(),
        json: false,
    };
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--help" | "-h") => return Ok(None),
            Some("--json") => asked.json = true,
            Some("--keys") => asked.keys = Some(arguments.next().ok_or("--keys names a file")?.into()),
            Some("--receipt") => asked.receipts.push(arguments.next().ok_or("--receipt names a file")?.into()),
            Some("--checkpoints") => {
                asked.checkpoints = Some(arguments.next().ok_or("--checkpoints names a file")?.into());
            }
            Some("--consistency") => {
                asked.consistency.push(arguments.next().ok_or("--consistency names a file")?.into());
            }
            Some(option) if option.starts_with("--") => return Err(format!("there is no option {option}")),
            _ => asked.files.push(argument.into()),
        }
    }
    if asked.files.is_empty() {
        return Err("no file to audit".to_owned());
    }
    if !asked.receipts.is_empty() && asked.keys.is_none() {
        return Err("--receipt needs --keys: what a file's own keys have signed convicts nobody".to_owned());
    }
    if asked.checkpoints.is_some() && asked.keys.is_none() {
        return Err("--checkpoints needs --keys: what a file's own keys have signed is nothing to keep".to_owned());
    }
    if asked.checkpoints.is_none() && !asked.consistency.is_empty() {
        return Err("--consistency needs --checkpoints".to_owned());
    }
    Ok(Some(asked))
}

/// Audits file after file, one in memory at a time. The worst of them is the exit code.
fn run(asked: &Asked) -> Result<u8, String> {
    let keys = asked.keys.as_deref().map(read_keys).transpose()?;
    let trusted = keys.as_deref().map(TrustedKeys::new);
    let mut receipts = trusted.as_ref().map_or_else(|| Ok(Vec::new()), |keys| read_receipts(&asked.receipts, keys))?;
    let mut memory = asked.checkpoints.as_deref().map(|path| Memory::open(path, &asked.consistency)).transpose()?;
    let mut worst = 0;
    for file in &asked.files {
        let code = match read(file).and_then(|bytes| Bundle::read(&bytes).map_err(|error| error.to_string())) {
            Ok(bundle) => {
                let report = match &trusted {
                    Some(trusted) => audit_with(&bundle, trusted),
                    None => audit(&bundle, None),
                };
                let looked = memory.as_mut().and_then(|memory| memory.look_at(&bundle, keys.as_deref()?));
                let kept = trusted.as_ref().map_or_else(Vec::new, |keys| hold(&mut receipts, &bundle, keys));
                let beside = kept.iter().map(|kept| kept.verdict).chain(looked.as_ref().map(|looked| looked.verdict));
                let verdict = beside.fold(report.verdict, Ord::max);
                show(file, &Shown { report: &report, receipts: kept, kept_checkpoint: looked }, asked.json);
                code_of(verdict)
            }
            Err(why) => {
                eprintln!("croupier-audit: {}: {why}", file.display());
                3
            }
        };
        worst = worst.max(rank(code));
    }
    if let Some(memory) = memory {
        memory.save()?;
    }
    for kept in receipts.iter().filter(|kept| !kept.held) {
        eprintln!("croupier-audit: {}: none of the files is of its game", kept.file.display());
        worst = worst.max(rank(code_of(Verdict::NotYet)));
    }
    Ok([0, 2, 1, 3][usize::from(worst)])
}

/// A receipt that was given, and whether a log was held against it.
struct KeptReceipt<'a> {
    file: &'a Path,
    receipt: Receipt,
    held: bool,
}

/// How a file's log goes with a receipt.
#[derive(Serialize)]
struct Held<'a> {
    file: std::borrow::Cow<'a, str>,
    verdict: Verdict,
    done: String,
}

fn read_receipts<'a>(files: &'a [PathBuf], keys: &TrustedKeys) -> Result<Vec<KeptReceipt<'a>>, String> {
    let one = |file: &'a PathBuf| {
        let receipt = read(file).and_then(|bytes| Receipt::read(&bytes, keys));
        let receipt = receipt.map_err(|why| format!("{}: {why}", file.display()))?;
        Ok(KeptReceipt { file, receipt, held: false })
    };
    files.iter().map(one).collect()
}

/// Holds a log against the receipts that are of its game.
fn hold<'a>(receipts: &mut [KeptReceipt<'a>], bundle: &Bundle, keys: &TrustedKeys) -> Vec<Held<'a>> {
    let of_its_game = receipts.iter_mut().filter_map(|kept| {
        let found = kept.receipt.compare(bundle, keys)?;
        kept.held = true;
        Some(Held { file: kept.file.to_string_lossy(), verdict: found.verdict(), done: found.to_string() })
    });
    of_its_game.collect()
}

/// The checkpoints that were seen so far, and proofs that go with them.
struct Memory<'a> {
    path: &'a Path,
    before: KeptCheckpoints,
    kept: KeptCheckpoints,
    proofs: Vec<ConsistencyProof>,
}

/// How a file's checkpoint goes with the one that was kept.
#[derive(Serialize)]
struct Looked {
    verdict: Verdict,
    done: String,
}

impl<'a> Memory<'a> {
    fn open(path: &'a Path, proofs: &[PathBuf]) -> Result<Self, String> {
        let named = |path: &Path, why: String| format!("{}: {why}", path.display());
        // At first there is none; what can't be read is never taken for none, and never written over.
        let there = path.try_exists().map_err(|error| named(path, error.to_string()))?;
        let kept = if there { read(path).and_then(|bytes| KeptCheckpoints::read(&bytes)) } else { Ok(<_>::default()) };
        let kept = kept.map_err(|why| named(path, why))?;
        let proof = |path: &PathBuf| {
            let parsed = read(path).and_then(|bytes| canonical::parse_as(&bytes).map_err(|error| error.to_string()));
            parsed.map_err(|why| named(path, why))
        };
        let proofs = proofs.iter().map(proof).collect::<Result<_, _>>()?;
        Ok(Self { path, before: kept.clone(), kept, proofs })
    }

    /// `None` where the file has no checkpoint that a known key has signed: what that means the report says.
    fn look_at(&mut self, bundle: &Bundle, keys: &[Jwk]) -> Option<Looked> {
        let note = &bundle.log.as_ref()?.checkpoint;
        Some(match self.kept.look_at(note, keys, &self.proofs)? {
            Ok(seen) => {
                let verdict = if seen.is_good() { Verdict::Yes } else { Verdict::NotYet };
                Looked { verdict, done: seen.to_string() }
            }
            Err(fork) => Looked { verdict: Verdict::No, done: fork.to_string() },
        })
    }

    /// Writes what is kept now, whole or not at all.
    fn save(self) -> Result<(), String> {
        if self.kept == self.before {
            return Ok(());
        }
        let named = |error: io::Error| format!("{}: {error}", self.path.display());
        let mut draft = self.path.as_os_str().to_owned();
        draft.push(".new");
        let mut file = File::create(&draft).map_err(named)?;
        file.write_all(self.kept.text().as_bytes()).and_then(|()| file.sync_all()).map_err(named)?;
        std::fs::rename(&draft, self.path).map_err(named)
    }
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

/// All that is told of a file.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    receipts: Vec<Held<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_checkpoint: Option<Looked>,
}

fn show(file: &Path, shown: &Shown<'_>, json: bool) {
    if json {
        // A report is texts and numbers, so writing it does not fail.
        println!("{}", serde_json::to_string(shown).unwrap_or_default());
        return;
    }
    println!("{}\n{}", file.display(), shown.report);
    for Held { file, verdict, done } in &shown.receipts {
        println!("The receipt {file}: {verdict}. {done}");
    }
    if let Some(Looked { verdict, done }) = &shown.kept_checkpoint {
        println!("The checkpoint that was kept: {verdict}. {done}");
    }
    println!();
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
    // A bundle has a list of keys too, but those are what is to be audited.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct JwkSet {
        keys: Vec<Jwk>,
    }
    let bytes = read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let set: JwkSet = canonical::parse_as(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(set.keys)
}
