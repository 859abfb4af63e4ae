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
    /// Makes the thread known from which it is called, for as long as it runs its own tasks.
    ///
    /// # Panics
    ///
    /// On a thread that has no tasks of its own (a `LocalSet`).
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::future::join_all;

    use super::super::gather::Gather;
    use super::*;

    #[test]
    fn workers_are_asked_where_batches_grow_and_not_where_each_question_goes_by_itself() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        for (size, is_asked) in [(1, false), (64, true)] {
            let (asks, mut asked) = mpsc::unbounded_channel();
            let workers = Arc::new(Workers(Mutex::new(vec![asks])));
            runtime.block_on(async {
                let gather = Gather::<(), ()>::start(0, size, &workers, async |batch| {
                    batch.into_iter().for_each(|order| order.answer.send(()).unwrap());
                });
                let answers = join_all((0..8).map(|_| gather.ask(()))).await;
                assert!(answers.iter().all(Result::is_ok));
            });
            assert_eq!(asked.try_recv().is_ok(), is_asked, "{size}");
        }
    }
}
