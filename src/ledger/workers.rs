//! The threads that answer requests, as far as whoever gathers what comes from them must know them.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::{spawn_local, yield_now};
use tokio::time::timeout;

/// For how long a worker may be waited for: about as long as the system lets a thread run before it is another's turn.
const PATIENCE: Duration = Duration::from_millis(4);

/// Workers that are known here, each by where it is told to say when it has come round.
#[derive(Default)]
pub struct Workers(Mutex<Vec<mpsc::UnboundedSender<oneshot::Sender<()>>>>);

impl Workers {
    /// Makes the thread known from which it is called, which runs tasks of its own, for as long as it runs them.
    pub fn enrol(&self) {
        let (asks, mut asked) = mpsc::unbounded_channel::<oneshot::Sender<()>>();
        // The list is whole between two statements, so a panic elsewhere leaves it usable.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(asks);
        spawn_local(async move {
            while let Some(answer) = asked.recv().await {
                // Once more round: behind all that is ready now, and all that has come over the network until then.
                yield_now().await;
                // Whoever asked may have lost patience.
                let _ = answer.send(());
            }
        });
    }

    /// Waits until every worker has done what it could do when this was asked, but not for long. One that has nothing to
    /// do says so at once.
    pub(super) async fn come_round(&self) {
        let mut rounds = Vec::new();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|worker| {
            let (answer, round) = oneshot::channel();
            rounds.push(round);
            worker.send(answer).is_ok()
        });
        let all = async {
            for round in rounds {
                // A worker that has ended has nothing more to do.
                let _ = round.await;
            }
        };
        let _ = timeout(PATIENCE, all).await;
    }
}
