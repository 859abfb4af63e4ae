//! A command that is run beside a throw-away cluster, which goes with it, whatever happens.
//!
//! While it runs, the signals that would end us are held back: we end when the command has ended and the cluster is
//! gone. Should we be killed nevertheless, the next throw-away cluster removes what stayed behind.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal, kill, raise};
use nix::unistd::Pid;

use super::{Cluster, ClusterError, Durability};

/// Runs `command` with a throw-away cluster, whose URLs it gets as `TEST_DATABASE_OWNER_URL`, `TEST_DATABASE_URL` and
/// `TEST_DATABASE_SUPERUSER_URL` beside our own environment, and returns how it ended; the cluster is removed in any
/// case.
///
/// A SIGTERM or SIGHUP is passed on to the command. A SIGINT is not, for Ctrl-C reaches it anyway. To be called once,
/// from the main thread of a program that has no other threads yet: such a thread would still be hit by the signals.
///
/// # Errors
/// There is no cluster to be had, or it could not be removed; there is no command, or it could not be started; a
/// signal came before it was.
pub fn run_with_throw_away(
    durability: Durability,
    command: &[OsString],
    say: &dyn Fn(&str),
) -> Result<ExitStatus, ClusterError> {
    let [program, arguments @ ..] = command else {
        return Err(ClusterError::NoCommand);
    };
    let held = HeldSignals::hold().map_err(not_held)?;
    // A Ctrl-C ends initdb and pg_ctl too, and then it is no failure of theirs.
    let cluster = Cluster::throw_away(durability, say).map_err(|error| held.explain(error))?;
    let mut errand = Command::new(program);
    errand
        .args(arguments)
        .env("TEST_DATABASE_OWNER_URL", cluster.owner_url())
        .env("TEST_DATABASE_URL", cluster.service_url())
        .env("TEST_DATABASE_SUPERUSER_URL", cluster.superuser_url());
    let outcome = held.run(&mut errand);
    let stopped = cluster.stop();
    let status = outcome?;
    stopped.map(|()| status)
}

/// Signals that are kept from ending us until this is dropped.
struct HeldSignals {
    before: SigSet,
    shared: Arc<Shared>,
}

/// What the waiting thread and the listening one both see.
#[derive(Default)]
struct Shared {
    interrupted: AtomicBool,
    over: AtomicBool,
    child: Mutex<Option<Child>>,
}

impl HeldSignals {
    fn hold() -> nix::Result<HeldSignals> {
        let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
        let before = SigSet::thread_get_mask()?;
        signals.thread_block()?;
        let shared = Arc::new(Shared::default());
        let listener = Arc::clone(&shared);
        // It is never joined: it listens until the process ends.
        thread::spawn(move || listener.listen(&signals));
        Ok(HeldSignals { before, shared })
    }

    fn interrupted(&self) -> bool {
        self.shared.interrupted.load(Ordering::SeqCst)
    }

    fn explain(&self, error: ClusterError) -> ClusterError {
        if self.interrupted() { ClusterError::Interrupted } else { error }
    }

    fn run(&self, errand: &mut Command) -> Result<ExitStatus, ClusterError> {
        if self.interrupted() {
            return Err(ClusterError::Interrupted);
        }
        // A child inherits what is blocked, so for the moment of its birth nothing more is than was before.
        let held = SigSet::thread_get_mask().map_err(not_held)?;
        self.before.thread_set_mask().map_err(not_held)?;
        let born = errand.spawn();
        held.thread_set_mask().map_err(not_held)?;
        match born {
            Ok(child) => *self.shared.child() = Some(child),
            Err(source) => {
                return Err(ClusterError::CommandNotStarted { command: errand.get_program().to_owned(), source });
            }
        }
        loop {
            if let Some(child) = self.shared.child().as_mut() {
                let ended = child
                    .try_wait()
                    .map_err(|source| ClusterError::Io { doing: "wait for the command".to_owned(), source })?;
                if let Some(status) = ended {
                    return Ok(status);
                }
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for HeldSignals {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        // It was valid when it was read.
        let _ = self.before.thread_set_mask();
    }
}

impl Shared {
    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listen(&self, signals: &SigSet) {
        while let Ok(signal) = signals.wait() {
            if self.over.load(Ordering::SeqCst) {
                // Nothing is held any more: it does what it would have done.
                let _ = signals.thread_unblock();
                let _ = raise(signal);
            }
            self.interrupted.store(true, Ordering::SeqCst);
            if let (Some(child), true) = (self.child().as_mut(), signal != Signal::SIGINT) {
                // Its number is its own while it has not been waited for; after that, std remembers.
                if matches!(child.try_wait(), Ok(None)) {
                    let _ = kill(Pid::from_raw(child.id().cast_signed()), signal);
                }
            }
        }
    }
}

fn not_held(error: nix::errno::Errno) -> ClusterError {
    ClusterError::Io { doing: "hold signals back".to_owned(), source: io::Error::from(error) }
}
