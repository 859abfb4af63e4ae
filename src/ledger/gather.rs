//! What comes while something is under way goes out together in the next: one round trip for many who ask.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{AcquireError, Notify, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::sleep;

use super::workers::Workers;

/// How many may wait for their turn; more are refused, since they would wait too long.
const QUEUE: usize = 4096;
/// How many make a batch that is worth its cost beside another: what a batch costs the database by itself, some 500 us,
/// is then twice what its questions cost.
const ENOUGH: usize = 16;
/// How long a batch may take before a small one is begun beside it. Until then all that comes waits: the larger the
/// batch, the less each of it costs. After that, whatever holds the one up is not to hold up the rest.
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
    grown: Arc<Grown>,
}

impl<Q, A> Clone for Gather<Q, A> {
    fn clone(&self) -> Self {
        Self { orders: self.orders.clone(), grown: Arc::clone(&self.grown) }
    }
}

/// Why there is no answer.
pub(super) enum Unanswered {
    /// Too many wait already; the question was not asked.
    Full,
    /// Whoever was to answer is gone.
    Dropped,
}

/// Tells whoever gathers that enough wait; not of each that comes, for it would wake up each time.
struct Grown {
    enough: usize,
    told: Notify,
}

impl Grown {
    /// Says how many wait.
    fn tell(&self, waiting: usize) {
        if waiting >= self.enough {
            self.told.notify_one();
        }
    }

    /// Waits until enough wait in the queue.
    async fn until_enough<T>(&self, queue: &mpsc::Receiver<T>) {
        // What was told before may have been taken since.
        while queue.len() < self.enough {
            self.told.notified().await;
        }
    }
}

/// Who may be at work: one, and so many beside it where there is reason to. Neither semaphore is ever closed.
struct Turns {
    first: Arc<Semaphore>,
    more: Arc<Semaphore>,
}

/// What is held while at work.
type Turn = Result<OwnedSemaphorePermit, AcquireError>;

impl Turns {
    /// Waits until nothing is under way; or, once there is reason not to wait for that, until there is room beside it.
    async fn next(&self, reason: impl Future<Output = ()>) -> Turn {
        let beside = async {
            reason.await;
            Arc::clone(&self.more).acquire_owned().await
        };
        tokio::select! {
            biased;
            turn = Arc::clone(&self.first).acquire_owned() => turn,
            turn = beside => turn,
        }
    }
}

impl<Q: Send + 'static, A: Send + 'static> Gather<Q, A> {
    /// Starts answering on the runtime at hand, so many questions at a time at most; and so many more batches beside one
    /// that takes long, or once enough wait for it, or, where each is answered by itself and nothing is gained by
    /// waiting, at once.
    pub(super) fn start<W, F>(more: usize, size: usize, workers: &Arc<Workers>, work: W) -> Self
    where
        W: Fn(Vec<Order<Q, A>>) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let size = size.max(1);
        let (orders, mut queue) = mpsc::channel::<Order<Q, A>>(QUEUE);
        let grown = Arc::new(Grown { enough: size.min(ENOUGH), told: Notify::new() });
        let turns = Turns { first: Arc::new(Semaphore::new(1)), more: Arc::new(Semaphore::new(more)) };
        let patience = if size > 1 { PATIENCE } else { Duration::ZERO };
        let gather = Self { orders, grown: Arc::clone(&grown) };
        let workers = Arc::clone(workers);
        tokio::spawn(async move {
            loop {
                let turn = turns.next(async {
                    tokio::select! {
                        () = sleep(patience) => {}
                        () = grown.until_enough(&queue) => {}
                    }
                });
                let turn = turn.await;
                // Where some wait others are on their way, and the workers that bring them wait for a processor: with
                // those the batch is twice as large. Where processors are idle this takes no time.
                if size > 1 && !queue.is_empty() {
                    workers.come_round().await;
                }
                let mut batch = Vec::new();
                if queue.recv_many(&mut batch, size).await == 0 {
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
        gather
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    ///
    /// See [`Unanswered`].
    pub(super) async fn ask(&self, question: Q) -> Result<A, Unanswered> {
        let (answer, told) = oneshot::channel();
        self.orders.try_send(Order { question, answer }).map_err(|_| Unanswered::Full)?;
        self.grown.tell(QUEUE.saturating_sub(self.orders.capacity()));
        told.await.map_err(|_| Unanswered::Dropped)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use futures_util::FutureExt;
    use futures_util::future::join_all;
    use tokio::task::{LocalSet, spawn_local, yield_now};

    use super::*;

    /// Runs on one thread, which is a worker too.
    fn on_a_worker<F: Future>(test: impl FnOnce(Arc<Workers>) -> F) -> F::Output {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        LocalSet::new().block_on(&runtime, async {
            let workers = Arc::<Workers>::default();
            workers.enrol();
            test(workers).await
        })
    }

    #[test]
    fn what_workers_are_about_to_ask_goes_out_with_what_waits() {
        let sizes = on_a_worker(|workers| async move {
            let (sizes, gate) = (Arc::<Mutex<Vec<usize>>>::default(), Arc::new(Semaphore::new(0)));
            let (noted, closed) = (Arc::clone(&sizes), Arc::clone(&gate));
            let gather = Gather::<(), ()>::start(1, 64, &workers, move |batch| {
                noted.lock().unwrap().push(batch.len());
                let closed = Arc::clone(&closed);
                async move {
                    closed.acquire().await.unwrap().forget();
                    batch.into_iter().for_each(|order| order.answer.send(()).unwrap());
                }
            });
            let ask = |rounds: usize| {
                let gather = gather.clone();
                spawn_local(async move {
                    for _ in 0..rounds {
                        yield_now().await;
                    }
                    assert!(gather.ask(()).await.is_ok());
                })
            };
            let first = ask(0);
            while sizes.lock().unwrap().is_empty() {
                yield_now().await;
            }
            let second = ask(0);
            yield_now().await;
            // Nine more are only being thought about when the first batch comes back.
            let more = join_all((0..9).map(|_| ask(1)));
            gate.add_permits(20);
            first.await.unwrap();
            second.await.unwrap();
            more.await.into_iter().for_each(Result::unwrap);
            sizes.lock().unwrap().clone()
        });
        assert_eq!(sizes, [1, 10]);
    }

    #[test]
    fn enough_is_told_once_there_are_enough_and_not_for_what_was_taken_since() {
        on_a_worker(|_| async {
            let grown = Grown { enough: 3, told: Notify::new() };
            let (sender, mut queue) = mpsc::channel(8);
            let put = |n: usize| {
                for _ in 0..n {
                    sender.try_send(()).unwrap();
                    grown.tell(8 - sender.capacity());
                }
            };
            put(2);
            assert_eq!(grown.until_enough(&queue).now_or_never(), None);
            put(1);
            assert_eq!(grown.until_enough(&queue).now_or_never(), Some(()));
            let mut taken = Vec::new();
            queue.recv_many(&mut taken, 8).await;
            // What was told of those that are gone is no news.
            assert_eq!(grown.until_enough(&queue).now_or_never(), None);
            put(3);
            assert_eq!(grown.until_enough(&queue).now_or_never(), Some(()));
        });
    }

    #[test]
    fn nobody_waits_for_a_worker_that_has_ended_or_does_not_come_round() {
        on_a_worker(|workers| async move {
            // One whose thread is gone, and one that is at something long.
            std::thread::spawn({
                let workers = Arc::clone(&workers);
                move || on_another(|| workers.enrol())
            })
            .join()
            .unwrap();
            let (stop, stopped) = std::sync::mpsc::channel::<()>();
            let (is_busy, begun) = std::sync::mpsc::channel::<()>();
            let busy = std::thread::spawn({
                let workers = Arc::clone(&workers);
                move || {
                    on_another(|| {
                        workers.enrol();
                        is_busy.send(()).unwrap();
                        stopped.recv().unwrap_err();
                    });
                }
            });
            begun.recv().unwrap();
            workers.come_round().await;
            drop(stop);
            busy.join().unwrap();
        });
    }

    fn on_another<T>(work: impl FnOnce() -> T) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        LocalSet::new().block_on(&runtime, async { work() });
    }
}
