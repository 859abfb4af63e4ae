//! What comes while something is under way goes out together in the next: one round trip for many who ask.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::timeout;

/// How many may wait for their turn; more are refused, since they would wait too long.
const QUEUE: usize = 4096;
/// How long a batch may take before another is begun beside it. Until then all that comes waits: the larger the batch,
/// the less each of it costs. After that, whatever holds the one up is not to hold up the rest.
const PATIENCE: Duration = Duration::from_millis(20);

/// One who waits for an answer.
pub(super) struct Order<Q, A> {
    /// What is asked.
    pub(super) question: Q,
    /// Where the answer goes.
    pub(super) answer: oneshot::Sender<A>,
}

/// Where questions are handed in. When the last handle is gone, those that wait are still answered.
pub(super) struct Gather<Q, A> {
    orders: mpsc::Sender<Order<Q, A>>,
}

impl<Q, A> Clone for Gather<Q, A> {
    fn clone(&self) -> Self {
        Self { orders: self.orders.clone() }
    }
}

/// Why there is no answer.
pub(super) enum Unanswered {
    /// Too many wait already; the question was not asked.
    Full,
    /// Whoever was to answer is gone.
    Dropped,
}

impl<Q: Send + 'static, A: Send + 'static> Gather<Q, A> {
    /// Starts answering on the runtime at hand, so many questions at a time at most; and so many more batches beside one
    /// that takes long, or, where each is answered by itself and nothing is gained by waiting, at once.
    pub(super) fn start<W, F>(more: usize, size: usize, work: W) -> Self
    where
        W: Fn(Vec<Order<Q, A>>) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let (orders, mut queue) = mpsc::channel::<Order<Q, A>>(QUEUE);
        let (first, more) = (Arc::new(Semaphore::new(1)), Arc::new(Semaphore::new(more)));
        let patience = if size > 1 { PATIENCE } else { Duration::ZERO };
        tokio::spawn(async move {
            loop {
                // Neither semaphore is ever closed.
                let turn = match timeout(patience, Arc::clone(&first).acquire_owned()).await {
                    Ok(turn) => turn,
                    Err(_) => tokio::select! {
                        turn = Arc::clone(&first).acquire_owned() => turn,
                        turn = Arc::clone(&more).acquire_owned() => turn,
                    },
                };
                let mut batch = Vec::new();
                if queue.recv_many(&mut batch, size.max(1)).await == 0 {
                    return;
                }
                // Whoever waits no longer may have come again.
                batch.retain(|order| !order.answer.is_closed());
                let work = work(batch);
                tokio::spawn(async move {
                    work.await;
                    drop(turn);
                });
            }
        });
        Self { orders }
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    ///
    /// See [`Unanswered`].
    pub(super) async fn ask(&self, question: Q) -> Result<A, Unanswered> {
        let (answer, told) = oneshot::channel();
        self.orders.try_send(Order { question, answer }).map_err(|_| Unanswered::Full)?;
        told.await.map_err(|_| Unanswered::Dropped)
    }
}
