//! The thread that owns the store, and the handle by which other threads reach it.
//!
//! Jobs run one at a time, in the order they were sent. A job's result, failure included, goes back to its sender.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread::JoinHandle;

use futures_channel::oneshot;

use super::{Store, StoreError};

type Job = Box<dyn FnOnce(&mut Store) + Send>;

/// What the store's thread is told.
enum Order {
    Run(Job),
    Close,
}

/// Owns the store's thread. Closing (or dropping) it runs every job sent before, then closes the database.
#[derive(Debug)]
pub struct StoreOwner {
    handle: StoreHandle,
    thread: Option<JoinHandle<()>>,
}

/// Sends jobs to the store. Cheap to clone; every clone reaches the same thread.
#[derive(Debug, Clone)]
pub struct StoreHandle {
    jobs: mpsc::Sender<Order>,
}

/// Says whether a store that is opened on its thread could be; told once.
pub type Opened = mpsc::Receiver<Result<(), StoreError>>;

impl StoreOwner {
    /// Gives the store a thread of its own.
    pub fn spawn(store: Store) -> Result<Self, StoreError> {
        Self::opening(move || Ok(store)).map(|(owner, _)| owner)
    }

    /// Opens a store on a thread of its own. Jobs may be sent at once; if it cannot be opened, all of them fail with
    /// [`StoreError::Closed`], and what is returned beside the owner says why.
    pub fn opening(
        open: impl FnOnce() -> Result<Store, StoreError> + Send + 'static,
    ) -> Result<(Self, Opened), StoreError> {
        let (jobs, inbox) = mpsc::channel();
        let (tell, opened) = mpsc::sync_channel(1);
        let serving = move || match open() {
            Ok(store) => {
                // Fails only if the caller does not want to know.
                let _ = tell.send(Ok(()));
                serve(store, &inbox);
            }
            Err(error) => drop(tell.send(Err(error))),
        };
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(serving)
            .map_err(|error| StoreError::Fault(format!("no thread for the store: {error}")))?;
        Ok((Self { handle: StoreHandle { jobs }, thread: Some(thread) }, opened))
    }

    pub fn handle(&self) -> StoreHandle {
        self.handle.clone()
    }

    /// Runs what was sent so far, closes the database and waits for it. Jobs sent later fail with
    /// [`StoreError::Closed`].
    pub fn close(mut self) -> Result<(), StoreError> {
        self.finish()
    }

    fn finish(&mut self) -> Result<(), StoreError> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        // A send fails only when the thread is gone already, which is what is wanted.
        let _ = self.handle.jobs.send(Order::Close);
        thread.join().map_err(|_| StoreError::Fault("the store's thread panicked".to_owned()))
    }
}

impl Drop for StoreOwner {
    fn drop(&mut self) {
        // A caller that needs the result calls `close`.
        let _ = self.finish();
    }
}

impl StoreHandle {
    /// Runs a job and waits for it. For threads that may block; a future uses [`call_async`](Self::call_async).
    pub fn call<T, F>(&self, job: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Store) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = mpsc::sync_channel(1);
        self.send(Box::new(move |store| {
            // Fails only if the caller's thread is gone.
            let _ = reply.send(guarded(store, job));
        }))?;
        answer.recv().unwrap_or(Err(StoreError::Closed))
    }

    /// Runs a job and resolves to its result, on any runtime. The job is sent at once, not when first polled.
    ///
    /// Dropping the future withdraws a job that has not begun; one that has begun is finished. So a cancelled turn is
    /// either stored whole or not at all, and the session's revision tells which.
    pub fn call_async<T, F>(&self, job: F) -> impl Future<Output = Result<T, StoreError>> + Send + 'static
    where
        T: Send + 'static,
        F: FnOnce(&mut Store) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let sent = self.send(Box::new(move |store| {
            if !reply.is_canceled() {
                // Fails only if the caller has lost interest meanwhile.
                let _ = reply.send(guarded(store, job));
            }
        }));
        async move {
            sent?;
            answer.await.unwrap_or(Err(StoreError::Closed))
        }
    }

    /// Leaves a job to be run without waiting for it. For senders that end
    /// before the job does, such as a turn that was cancelled.
    pub fn leave<F>(&self, job: F)
    where
        F: FnOnce(&mut Store) -> Result<(), StoreError> + Send + 'static,
    {
        // The sender does not wait, so a failure cannot be told.
        let _ = self.send(Box::new(move |store| drop(guarded(store, job))));
    }

    fn send(&self, job: Job) -> Result<(), StoreError> {
        self.jobs.send(Order::Run(job)).map_err(|_| StoreError::Closed)
    }
}

/// Runs jobs until told to close, or until the last handle is gone.
fn serve(mut store: Store, inbox: &mpsc::Receiver<Order>) {
    while let Ok(Order::Run(job)) = inbox.recv() {
        job(&mut store);
    }
}

/// Runs a job such that a panic in it becomes an error of that job and the store lives on. A transaction that was open
/// is rolled back while the panic unwinds.
fn guarded<T, F>(store: &mut Store, job: F) -> Result<T, StoreError>
where
    F: FnOnce(&mut Store) -> Result<T, StoreError>,
{
    catch_unwind(AssertUnwindSafe(|| job(store)))
        .unwrap_or_else(|_| Err(StoreError::Fault("a job panicked".to_owned())))
}
