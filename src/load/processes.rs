//! What other processes use, as Linux tells it in `/proc`: a process with all its children.

use std::fs;
use std::time::Duration;

/// How often the kernel counts, a second: `sysconf(_SC_CLK_TCK)`, which is 100 on every Linux.
const TICKS: u64 = 100;

/// A process to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// What it is called in the report.
    pub name: String,
    /// Its number.
    pub pid: u32,
}

impl std::str::FromStr for Process {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, pid) = text.split_once('=').ok_or("it is written NAME=PID")?;
        let pid = pid.parse().map_err(|_| format!("{pid} is no process id"))?;
        Ok(Self { name: name.to_owned(), pid })
    }
}

/// What a process and its children have used until now.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// Time on a processor, in user and kernel mode; of children that have ended too.
    pub cpu: Duration,
    /// Resident memory of the process itself, in KiB.
    pub resident_kib: u64,
}

/// One line of `/proc/<pid>/stat`.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    parent: u32,
    ticks: u64,
    ticks_of_ended_children: u64,
}

fn parse(stat: &str) -> Option<Stat> {
    // The name stands in parentheses and may hold anything, so what follows is found from the end (proc(5)).
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |field: usize| fields.get(field)?.parse::<u64>().ok();
    Some(Stat {
        parent: u32::try_from(number(1)?).ok()?,
        ticks: number(11)? + number(12)?,
        ticks_of_ended_children: number(13)? + number(14)?,
    })
}

fn read(pid: u32) -> Option<Stat> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

impl Usage {
    /// Of a process now; `None` where there is none, or no `/proc`.
    pub fn of(pid: u32) -> Option<Self> {
        let own = read(pid)?;
        let all = fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let children = all.filter_map(read).filter(|stat| stat.parent == pid).map(|stat| stat.ticks);
        let ticks = own.ticks + own.ticks_of_ended_children + children.sum::<u64>();
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix("kB"));
        Some(Self {
            cpu: Duration::from_millis(ticks * 1000 / TICKS),
            resident_kib: resident.and_then(|kib| kib.trim().parse().ok()).unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Process, Stat, Usage, parse};

    #[test]
    fn a_line_of_the_kernel_is_read_whatever_the_name() {
        let line = "77 (a) b (c) S 12 77 77 0 -1 4194560 100 0 0 0 150 50 7 3 20 0 1 0 1000 1 1 1";
        assert_eq!(parse(line), Some(Stat { parent: 12, ticks: 200, ticks_of_ended_children: 10 }));
        assert_eq!(parse("77 (a) S 12"), None);
    }

    #[test]
    fn this_process_uses_memory() {
        if std::path::Path::new("/proc/self/stat").exists() {
            assert!(Usage::of(std::process::id()).is_some_and(|usage| usage.resident_kib > 100));
        }
        assert_eq!("db=12".parse(), Ok(Process { name: "db".to_owned(), pid: 12 }));
        assert!("db".parse::<Process>().is_err() && "db=x".parse::<Process>().is_err());
    }
}
