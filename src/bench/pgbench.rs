//! What is compared with: pgbench's prepared INSERT of one row, into a table like that of the events, of a row as long
//! as that of a move.

use std::process::Command;
use std::time::Duration;

use super::BenchError;
use super::house::{Database, House, output};
use crate::load::Usage;

/// The `data` of a usual move of Spite & Malice: the row's only part whose length varies.
pub const DATA: &str = concat!(
    r#"{"after":null,"by":null,"facts":[{"count":1,"hand":5,"seat":0,"stock":79,"type":"cards_drawn"}],"#,
    r#""move":{"card":"2C","side":2,"type":"discard"},"step":60}"#
);

/// What pgbench has shown.
#[derive(Debug, Clone, Copy)]
pub struct Inserts {
    /// Rows a second.
    pub per_second: f64,
    /// Processor time of the database for one of them, in microseconds.
    pub cpu_us: f64,
}

/// Makes the table for it.
///
/// # Errors
///
/// When that fails.
pub fn prepare(database: &Database<'_>) -> Result<(), BenchError> {
    database.psql("CREATE TABLE pgbench_events (LIKE events INCLUDING ALL)")
}

/// An INSERT of one row. Each client is a game of its own, so that no two wait for each other.
fn script(round: usize) -> String {
    let (hash, signature, key) = ("ab".repeat(32), "cd".repeat(64), "k".repeat(43));
    format!(
        "\\set seq :seq + 1\n\
         INSERT INTO pgbench_events (game_id, seq, prev, at, actor, type, data, hash, key, signature) VALUES \
         (md5(:client_id || '-{round}')::uuid, :seq, '\\x{hash}', '2026-01-02', 1, 'moved', :data, \
         '\\x{hash}', '{key}', '\\x{signature}');\n"
    )
}

/// Runs it.
///
/// # Errors
///
/// When there is no pgbench, or it fails.
pub fn run(
    house: &House<'_>,
    database: &Database<'_>,
    clients: usize,
    length: Duration,
    round: usize,
) -> Result<Inserts, BenchError> {
    let script_file = std::env::temp_dir().join(format!("croupier-bench-{}.sql", std::process::id()));
    std::fs::write(&script_file, script(round)).map_err(|error| BenchError::Io("write a script", error))?;
    let mut pgbench = Command::new(house.postgres_program("pgbench"));
    let (clients, seconds) = (clients.to_string(), length.as_secs().max(1).to_string());
    pgbench.args(["--no-vacuum", "--protocol=prepared", "--jobs=2", "--define=seq=0", "--client", &clients]);
    pgbench.arg(format!("--define=data={DATA}"));
    pgbench.arg("--time").arg(&seconds).arg("--file").arg(&script_file).arg(database.superuser_url());
    let used = || Usage::of(house.postmaster()).unwrap_or_default().cpu;
    let before = used();
    let said = output(pgbench, "pgbench");
    let cpu = used().saturating_sub(before).as_secs_f64();
    let _ = std::fs::remove_file(&script_file);
    let said = said?;
    let (count, per_second) = read(&said).ok_or_else(|| BenchError::Failed(format!("pgbench said: {said}")))?;
    Ok(Inserts { per_second, cpu_us: cpu * 1e6 / count.max(1.0) })
}

/// How many there were, and how many a second.
fn read(said: &str) -> Option<(f64, f64)> {
    let after = |prefix: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(prefix))?;
        line.trim().split([' ', '/']).next()?.parse::<f64>().ok()
    };
    Some((after("number of transactions actually processed:")?, after("tps =")?))
}

#[cfg(test)]
mod tests {
    use super::{DATA, read, script};
    use crate::canonical;
    use crate::event::Body;

    #[test]
    fn its_figures_are_read() {
        let said = "number of clients: 64\nnumber of transactions actually processed: 12345\n\
            latency average = 2.7 ms\ntps = 23456.789012 (without initial connection time)\n";
        assert_eq!(read(said), Some((12345.0, 23456.789012)));
        assert_eq!(read("tps = x"), None);
    }

    #[test]
    fn its_row_is_one_of_a_move() {
        let data = canonical::parse(DATA.as_bytes()).map(|data| Body::read("moved", &data));
        assert!(matches!(data, Ok(Ok(Body::Moved(_)))), "{data:?}");
        // A colon before a letter would be taken for a variable.
        let variables: Vec<_> = script(1).match_indices(':').map(|(at, _)| script(1)[at..].chars().nth(1)).collect();
        assert_eq!(variables.len(), 6, "{}", script(1));
    }
}
