//! Watches the folder of an engine: says when one of its files was saved and nothing more is being written.

use std::path::Path;
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;

use super::HostError;
use crate::catalogue::FILES;
use crate::decode::Diagnostic;

/// An editor that writes a file in several steps is done when it has been quiet for so long.
const QUIET: Duration = Duration::from_millis(120);

/// How many problems of a file are told at once; the first ones are usually the cause of the rest.
const TOLD: usize = 5;

/// A watched folder.
#[derive(Debug)]
pub(super) struct EngineWatch {
    // Dropping it ends the watch.
    _watcher: RecommendedWatcher,
    news: mpsc::UnboundedReceiver<()>,
    /// Something was written and not told yet: the task that waits may be cancelled and begun again.
    stirred: bool,
}

impl EngineWatch {
    /// Watches a folder. The folder and not its files, since many editors put a new file in the place of the old one.
    pub fn start(folder: &Path) -> Result<Self, notify::Error> {
        let (tell, news) = mpsc::unbounded_channel();
        let mut watcher = notify::recommended_watcher(move |event: Result<Event, notify::Error>| {
            if event.is_ok_and(|event| concerns(&event)) {
                let _ = tell.send(());
            }
        })?;
        watcher.watch(folder, RecursiveMode::NonRecursive)?;
        Ok(Self { _watcher: watcher, news, stirred: false })
    }

    /// Waits until a file of the engine was saved; `false` when there will be no more news. Nothing is lost where it is
    /// not waited for to the end.
    pub async fn saved(&mut self) -> bool {
        if !self.stirred && self.news.recv().await.is_none() {
            return false;
        }
        self.stirred = true;
        while let Ok(Some(())) = tokio::time::timeout(QUIET, self.news.recv()).await {}
        self.stirred = false;
        true
    }

    /// Whether something is being written that [`saved`](Self::saved) would tell of.
    pub fn is_stirred(&mut self) -> bool {
        while self.news.try_recv().is_ok() {
            self.stirred = true;
        }
        self.stirred
    }
}

/// Waits until the engine was saved; for ever where nothing is watched.
pub(super) async fn saved(watch: &mut Option<EngineWatch>) {
    if let Some(watching) = watch
        && watching.saved().await
    {
        return;
    }
    *watch = None;
    std::future::pending::<()>().await;
}

/// Whether an event is about a file that an engine is made of, and not merely about somebody who read it. A system that
/// lost count of what happened may have lost just that.
fn concerns(event: &Event) -> bool {
    let part = |path: &Path| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| FILES.contains(&name));
    event.need_rescan() || (!event.kind.is_access() && event.paths.iter().any(|path| part(path)))
}

/// Why an engine was not taken over, a line for each problem with its file and line.
pub(super) fn faults(error: &HostError) -> String {
    let HostError::Engine { name, errors } = error else { return error.to_string() };
    let engine = Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or(name);
    let mut lines =
        vec![format!("{engine} has {} error(s); the session goes on with the version before", errors.len())];
    lines.extend(errors.iter().take(TOLD).map(fault));
    let rest = errors.len().saturating_sub(TOLD);
    if rest > 0 {
        lines.push(format!("and {rest} more"));
    }
    lines.join("\n")
}

fn fault(problem: &Diagnostic) -> String {
    let file = Path::new(&problem.file.name).file_name().and_then(|name| name.to_str()).unwrap_or(&problem.file.name);
    let place = problem.position().map_or_else(|| file.to_owned(), |(line, _)| format!("{file}:{line}"));
    let help = problem.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
    format!("{place}: {}{help}", problem.message)
}
