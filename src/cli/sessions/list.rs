//! `elenchus sessions list`: one line each, the latest first.

use serde_json::json;

use super::short;
use crate::cli::{Exit, Failure, Output};
use crate::host::Host;
use crate::store::SessionFilter;
use crate::text::sanitise_line;

pub async fn run(
    host: &Host,
    engine: Option<String>,
    project: Option<&str>,
    limit: u32,
    as_json: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let project = project.map(ToOwned::to_owned);
    let sessions = host
        .store()
        .call_async(move |store| {
            let project = match project {
                Some(name) => match store.projects()?.into_iter().find(|project| project.name == name) {
                    Some(project) => Some(project.id),
                    None => return Ok(Vec::new()),
                },
                None => None,
            };
            store.list_sessions(&SessionFilter { project, engine, limit: Some(limit), ..SessionFilter::default() })
        })
        .await?;
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
            })
        });
        output.json(&list.collect());
        return Ok(Exit::Ok);
    }
    for session in &sessions {
        let day = session.updated_at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string();
        output.line(format!(
            "{}  {day}  {:>3.0} %  {:<22}  {}",
            short(session.id),
            session.completeness * 100.0,
            session.engine_id,
            sanitise_line(&session.title)
        ));
    }
    if sessions.is_empty() {
        output.remark("There is no session yet: `elenchus` starts one.");
    }
    Ok(Exit::Ok)
}
