//! What the user takes away: the brief, the transcript, or everything with its provenance.

mod disarmed;
pub(super) mod files;
mod format;
mod page;
mod scenario;
mod stored_turns;
mod word;

pub(super) use page::escaped;

pub use format::Format;
pub use page::html as page;
pub use stored_turns::{StoredTurn, stored_turns};
pub use word::docx as document;

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::listing::day;
use super::{HostError, Session, title};
use crate::engine::brief::{self, Proof};
use crate::engine::outline::EngineOutline;
use crate::engine::sensitive;
use crate::engine::transcript::Role;
use crate::store::StoreHandle;
use crate::text::{json_escaped, printable};

/// The brief in Markdown. Sensitive values are taken out unless `reveal` says otherwise.
pub fn markdown(session: &Session, reveal: bool) -> Result<String, HostError> {
    let record = session.record();
    let about = brief::Heading {
        title: title::for_file(&record.title),
        date: day(record.updated_at, &session.words().dates),
        project: session.project().map(ToOwned::to_owned),
    };
    let text = brief::render(session.engine(), session.memory(), &about).map_err(HostError::Brief)?;
    Ok(disarmed::disarmed(&taken_away(&text, reveal)).into_owned())
}

/// The brief as it goes into a file of that format. Sensitive values are taken out unless `reveal` says otherwise.
pub async fn written(
    session: &Session,
    format: Format,
    store: &StoreHandle,
    reveal: bool,
) -> Result<Vec<u8>, HostError> {
    Ok(match format {
        Format::Markdown => markdown(session, reveal)?.into_bytes(),
        Format::Html => html(session, reveal)?.into_bytes(),
        Format::Docx => document(&markdown(session, reveal)?, proofs(session, reveal).len())?,
        Format::Json => {
            let all = json(session, store, reveal).await?;
            format!("{}\n", json_escaped(&serde_json::to_string_pretty(&all)?)).into_bytes()
        }
    })
}

/// The brief as a page of HTML, with its evidence.
pub fn html(session: &Session, reveal: bool) -> Result<String, HostError> {
    let language = session.memory().language.current.as_deref().unwrap_or("en");
    let title = taken_away(&title::for_file(&session.record().title), reveal);
    Ok(page(&markdown(session, reveal)?, &title, language, &proofs(session, reveal)))
}

/// What the statements of the brief rest on, in the order of their numbers.
pub fn proofs(session: &Session, reveal: bool) -> Vec<Proof> {
    let all = brief::proofs(session.engine(), session.memory()).into_iter();
    all.map(|proof| proof.with_texts(|text| taken_away(&text, reveal))).collect()
}

/// A page as it is taken away: without sensitive values unless they are wanted, and without what a terminal would obey
/// when the file is looked at there. JSON has all of it, escaped.
pub(super) fn taken_away(page: &str, reveal: bool) -> String {
    let page = printable(page);
    if reveal { page.into_owned() } else { sensitive::redact(&page) }
}

/// What was said, in Markdown.
pub fn transcript(session: &Session, reveal: bool) -> String {
    let says = &session.words().host;
    let engine = EngineOutline::name_of(session.engine(), session.memory().language.current.as_deref());
    let mut out = format!("# {}\n", title::for_file(&session.record().title));
    let messages = session.transcript().messages();
    for (at, message) in messages.iter().enumerate() {
        let who = match message.role {
            Role::User => session.memory().speaker(message.turn).unwrap_or(says.you()),
            Role::Assistant => engine.as_str(),
        };
        let _ = write!(out, "\n{}\n\n{}\n", says.said_by(who, message.turn), message.text);
        let ends = messages.get(at + 1).is_none_or(|next| next.turn > message.turn);
        for aside in session.memory().asides.after(message.turn).filter(|_| ends) {
            let _ = write!(out, "\n{}\n", says.aside_of(message.turn));
            for text in [&aside.said, &aside.answer] {
                let quoted: Vec<String> = text.lines().map(|line| format!("> {line}").trim_end().to_owned()).collect();
                let _ = write!(out, "\n{}\n", quoted.join("\n"));
            }
        }
    }
    disarmed::disarmed(&taken_away(&out, reveal)).into_owned()
}

/// Everything, with full provenance.
pub async fn json(session: &Session, store: &StoreHandle, reveal: bool) -> Result<Value, HostError> {
    let id = session.record().id;
    let log = store.call_async(move |store| store.extractions(id)).await?;
    let all = json!({
        "session": session.record(),
        "engine": { "id": session.engine().definition().id.as_str(), "version": session.engine().definition().version.value, "hash": session.engine().hash() },
        "memory": session.memory(),
        "messages": session.transcript().messages(),
        "extractions": log,
    });
    Ok(if reveal { all } else { sensitive::redact_value(all) })
}

/// A scenario that says again what was said, and expects that it leads where it led. `engine` is how the file names the
/// engine, if it has to.
pub async fn scenario(
    session: &Session,
    engine: Option<&str>,
    store: &StoreHandle,
    reveal: bool,
) -> Result<String, HostError> {
    let turns = stored_turns(session, store).await?;
    let text = scenario::transcribe(&session.record().title, engine, &turns);
    Ok(if reveal { text } else { sensitive::redact(&text) })
}
