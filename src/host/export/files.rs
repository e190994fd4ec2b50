//! Files that a front end has written: the brief, a scenario. Never over one that is there (then the name gets a number), and
//! for the user alone.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::Format;
use crate::files::{inside, private};
use crate::host::protocol::{Event, Notice};
use crate::host::title::for_file;
use crate::host::{Host, HostError, Session};

/// What a file of a session is called by.
fn title(session: &Session) -> String {
    for_file(&session.record().title)
}

/// Writes the brief to a file that is not there yet, as its ending says.
pub(in crate::host) async fn brief(session: &Session, host: &Host, file: Option<String>) -> Result<Event, HostError> {
    let path = file.map_or_else(|| free_name(Path::new(""), &title(session), "md"), PathBuf::from);
    let content = super::written(session, Format::of(&path)?, &host.store(), false).await?;
    Ok(write_out(&path, session.words().host.the_brief(), &content, session))
}

/// Writes what was said to a file that is not there yet.
pub(in crate::host) fn transcript(session: &Session, file: Option<String>) -> Result<Event, HostError> {
    let title = format!("{}-transcript", title(session));
    let path = file.map_or_else(|| free_name(Path::new(""), &title, "md"), PathBuf::from);
    if Format::of(&path)? != Format::Markdown {
        return Err(HostError::TranscriptIsMarkdown);
    }
    Ok(write_out(&path, session.words().host.the_transcript(), super::transcript(session, false).as_bytes(), session))
}

/// Writes the open questions to a file that is not there yet, as a form for somebody else.
pub(in crate::host) fn questions(session: &Session, file: Option<String>) -> Result<Event, HostError> {
    let title = format!("{}-questions", title(session));
    let path = file.map_or_else(|| free_name(Path::new(""), &title, "md"), PathBuf::from);
    let form = session.form();
    let content = form.written(&path)?;
    let what = session.words().host.the_form(form.len());
    Ok(write_out(&path, &what, content.as_bytes(), session))
}

/// Writes a scenario to a file that is not there yet: beside the engine where it has a folder, so that it is one of its
/// tests from then on.
pub(in crate::host) async fn scenario(
    session: &Session,
    host: &Host,
    file: Option<String>,
) -> Result<Event, HostError> {
    let engine = host.engine_name(session);
    let title = &title(session);
    let (path, engine) = match (file, session.engine_folder()) {
        (Some(file), _) => (PathBuf::from(file), Some(engine)),
        (None, Some(folder)) => {
            let name = free_name(&folder.join("scenarios"), title, "toml");
            let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match inside::target(folder, &format!("scenarios/{name}")) {
                Ok(path) => (path, None),
                Err(error) => {
                    let place = folder.join("scenarios");
                    let place = place.display();
                    let says = &session.words().host;
                    return Ok(Notice::error(says.not_written(says.the_scenario(), place, error)));
                }
            }
        }
        (None, None) => (free_name(Path::new(""), title, "toml"), Some(engine)),
    };
    let text = super::scenario(session, engine.as_deref(), &host.store(), false).await?;
    Ok(write_out(&path, session.words().host.the_scenario(), text.as_bytes(), session))
}

fn write_out(path: &Path, what: &str, content: &[u8], session: &Session) -> Event {
    let says = &session.words().host;
    match private::write_new(path, content) {
        Ok(()) => Notice::info(says.written(what, whole(path).display())),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => write_beside(path, what, content, session),
        Err(error) => Notice::error(says.not_written(what, path.display(), error)),
    }
}

/// A path with its folder: who did not name one is told where it is.
fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Writes to the next free name beside a file that is there.
fn write_beside(path: &Path, what: &str, content: &[u8], session: &Session) -> Event {
    let says = &session.words().host;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    let free = numbered(&stem, &ending).map(|name| path.with_file_name(name)).find(|path| !path.exists());
    let free = free.unwrap_or_else(|| path.to_owned());
    match private::write_new(&free, content) {
        Ok(()) => Notice::info(says.written_beside(path.display(), what, whole(&free).display())),
        Err(error) => Notice::error(says.not_written(what, free.display(), error)),
    }
}

/// The names that are tried after the first.
fn numbered(stem: &str, ending: &str) -> impl Iterator<Item = String> {
    (2..1000).map(move |number| format!("{stem}-{number}{ending}"))
}

/// A name in a folder that nothing has yet.
fn free_name(folder: &Path, title: &str, extension: &str) -> PathBuf {
    let stem: String =
        title.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).take(60).collect();
    let stem = stem.trim_matches('-');
    let stem = if stem.is_empty() { "session" } else { stem };
    let ending = format!(".{extension}");
    let further = numbered(stem, &ending);
    let mut names = std::iter::once(format!("{stem}{ending}")).chain(further).map(|name| folder.join(name));
    names.find(|path| !path.exists()).unwrap_or_else(|| folder.join(format!("{stem}-more.{extension}")))
}
