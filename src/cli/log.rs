//! The log: what the program did, for when something has to be found out. It goes to files in the data folder, never to
//! the terminal, and holds ids, counts and times, never words of a conversation or keys.

use std::path::{Path, PathBuf};

use tracing::level_filters::LevelFilter;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;

use crate::files::private;

/// How many days are kept.
const DAYS: usize = 7;

/// The variable that says how much is logged: `off`, `error`, `warn`, `info`, `debug` or `trace`.
pub(crate) const VARIABLE: &str = "ELENCHUS_LOG";

pub fn folder(data: &Path) -> PathBuf {
    data.join("log")
}

pub fn level() -> LevelFilter {
    std::env::var(VARIABLE).ok().and_then(|word| word.trim().parse().ok()).unwrap_or(LevelFilter::INFO)
}

/// Begins to log. A program that cannot write its log works all the same; `elenchus doctor` says so.
pub fn begin(data: &Path) {
    let level = level();
    if level == LevelFilter::OFF {
        return;
    }
    let Ok(files) = files(data) else { return };
    let subscriber = tracing_subscriber::fmt().with_max_level(level).with_ansi(false).with_writer(files).finish();
    // What it tells of a request is the request itself, with the words of a conversation in it.
    let subscriber = subscriber.with(filter_fn(|told| !told.target().starts_with("rmcp")));
    // It fails only where a log has begun already.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Opens the log files; they are the user's alone, and so is their folder.
pub fn files(data: &Path) -> std::io::Result<RollingFileAppender> {
    let folder = folder(data);
    private::folder(&folder)?;
    private::restrict(&folder)?;
    let files = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("elenchus")
        .filename_suffix("log")
        .max_log_files(DAYS)
        .build(&folder)
        .map_err(std::io::Error::other)?;
    // The appender makes them as the system's habit is; the one that it begins at midnight is closed at the next start.
    for entry in std::fs::read_dir(&folder)?.flatten() {
        private::restrict(&entry.path())?;
    }
    Ok(files)
}
