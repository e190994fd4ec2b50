//! `elenchus sessions list`, and `trash` without ids: one line each, the latest first.

use serde_json::json;

use super::short;
use crate::cli::{Exit, Failure, Output};
use crate::host::filing::hashed;
use crate::host::{DEFAULT_PROJECT, Host};
use crate::store::{Project, SessionFilter, SessionRecord, Shelf};
use crate::text::sanitise_line;

pub async fn run(
    host: &Host,
    filter: SessionFilter,
    project: Option<&str>,
    as_json: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let project = project.map(ToOwned::to_owned);
    let shelf = filter.shelf;
    let (projects, sessions) = host
        .store()
        .call_async(move |store| {
            let projects = store.projects()?;
            let named = project.map(|name| projects.iter().find(|project| project.name == name).map(|found| found.id));
            // A project that there is not has no sessions.
            let sessions = match named {
                Some(None) => Vec::new(),
                named => store.list_sessions(&SessionFilter { project: named.flatten(), ..filter })?,
            };
            Ok((projects, sessions))
        })
        .await?;
    let name = |session: &SessionRecord| {
        let named = projects.iter().find(|project: &&Project| project.id == session.project_id);
        named.map(|project| project.name.as_str()).filter(|name| *name != DEFAULT_PROJECT)
    };
    if as_json {
        let list = sessions.iter().map(|session| {
            json!({
                "session_id": session.id,
                "engine": session.engine_id,
                "title": session.title,
                "turn": session.turn,
                "phase": session.phase,
                "completeness": session.completeness,
                "created_at": session.created_at,
                "updated_at": session.updated_at,
                "project": name(session),
                "tags": session.filing.tags,
                "archived_at": session.filing.archived_at,
                "trashed_at": session.filing.trashed_at,
                "erased_at": session.filing.gone_at(),
                "forked_from": session.forked_from,
            })
        });
        output.json(&list.collect());
        return Ok(Exit::Ok);
    }
    for session in &sessions {
        output.line(line(session, name(session)));
    }
    if sessions.is_empty() {
        output.remark(match shelf {
            Some(Shelf::Trash) => "The trash is empty.",
            _ => "There is no session here: `elenchus` starts one, and `list --all` lists the archive too.",
        });
    }
    Ok(Exit::Ok)
}

/// A session, with what tells it apart from others of the same title.
fn line(session: &SessionRecord, project: Option<&str>) -> String {
    let zone = jiff::tz::TimeZone::system();
    let filing = &session.filing;
    let day = session.updated_at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string();
    let copy = session.forked_from.map(|from| format!("copy of {} from turn {} on", short(from.session), from.turn));
    let gone = filing.gone_at().map(|gone| format!("erased on {}", gone.to_zoned(zone).strftime("%Y-%m-%d")));
    let notes = [
        project.map(|name| format!("project {name}")),
        copy,
        filing.archived_at.map(|_| "in the archive".to_owned()),
        gone,
        Some(hashed(&filing.tags)).filter(|tags| !tags.is_empty()),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join(", ")) };
    let (id, share) = (short(session.id), session.completeness * 100.0);
    let title = sanitise_line(&session.title);
    format!("{id}  {day}  {share:>3.0} %  {:<22}  {title}{}", session.engine_id, sanitise_line(&notes))
}
