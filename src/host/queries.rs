//! Answers to what front ends ask. Nothing here changes anything or waits behind a turn.

use std::collections::HashSet;
use std::sync::Arc;

use super::handle::SessionHandle;
use super::journey::Station;
use super::protocol::{
    Answer, CourseChoice, EngineChoice, JourneyStop, ProvenBrief, Query, SearchHit, Snapshot, Standing,
};
use super::{DEFAULT_PROJECT, Host};
use super::{HostError, Session, consent, export, figures, listing, records};
use crate::catalogue::EngineHead;
use crate::engine::open_points::open_points;
use crate::engine::recap::Recap;
use crate::store::query::marks;
use crate::store::{Course, SearchQuery};
use crate::words::Words;

/// How many places a search lists.
const LISTED: u32 = 50;

/// Answers a question, about the session that is open where it is about one.
pub(super) async fn answer(
    host: &Host,
    session: Option<&SessionHandle>,
    query: Query,
    words: &'static Words,
) -> Result<Answer, HostError> {
    let open = || session.ok_or(HostError::NoSession);
    Ok(match query {
        Query::Sessions(listing) => listing::sessions(host, listing, words).await?,
        Query::Search(words) => search(host, words).await?,
        Query::Journey => Answer::Journey(journey(host, &open()?.id().to_string(), words).await?),
        // The connection answers the first itself: it knows what was chosen and what was set up since the start. The second
        // waits among the commands.
        Query::Models | Query::Reached => return Err(HostError::NotForSession),
        Query::Figures { from, to } => Answer::Figures(figures::of_turns(&host.store(), open()?.id(), from, to).await?),
        Query::Courses => Answer::Courses(courses(host, open()?, words).await?),
        Query::Brief => Answer::Brief(open()?.read(|session| export::markdown(session, false)).await??),
        Query::ProvenBrief => Answer::ProvenBrief(Box::new(open()?.read(proven_brief).await??)),
        Query::BriefChanges(since) => {
            let now = open()?.read(|session| (session.record().clone(), session.brief_basis())).await?;
            Answer::BriefChanges(Box::new(host.brief_changes(&now.0, &now.1, since).await?))
        }
        Query::Standing => {
            let (standing, withheld) = open()?.read(|session| (standing(session), session.withheld())).await?;
            let withheld = withheld.await?.as_ref().map(consent::question);
            Answer::Standing(Box::new(Standing { withheld, ..standing }))
        }
        Query::Transcript => Answer::Transcript(open()?.read(|session| export::transcript(session, false)).await?),
        Query::AsOf(turn) => Answer::AsOf(Arc::new(as_of(host, open()?, turn).await?)),
        Query::Settled => {
            open()?.read(Session::tasks_settled).await?.await;
            Answer::Settled
        }
    })
}

fn proven_brief(session: &Session) -> Result<ProvenBrief, HostError> {
    let markdown = export::markdown(session, false)?;
    Ok(ProvenBrief { markdown, statements: export::proofs(session, false), open: standing(session).open })
}

fn standing(session: &Session) -> Standing {
    let (engine, memory) = (session.engine(), session.memory());
    Standing { open: open_points(engine.definition(), memory), recap: Recap::of(engine, memory), withheld: None }
}

/// The engines as they are offered. None is compiled for it: one that has a fault says so when it is chosen.
pub(super) fn engines(host: &Host, words: &Words) -> Vec<EngineChoice> {
    let choice = |(id, head): (String, EngineHead)| {
        let EngineHead { name, outcome, minutes, usual, .. } = head.speaking(&words.code);
        EngineChoice { id, name, outcome, minutes, usual }
    };
    host.catalogue.heads().into_iter().map(choice).collect()
}

pub(super) fn percent(share: f64) -> u32 {
    (share * 100.0).round() as u32
}

async fn search(host: &Host, words: String) -> Result<Answer, HostError> {
    let query = SearchQuery { text: words.clone(), limit: Some(LISTED), ..SearchQuery::default() };
    let found = host.store().call_async(move |store| store.search(&query)).await?;
    // A copy of a session says the same in the same place: once is enough.
    let mut seen = HashSet::new();
    let found = found.into_iter().filter(|hit| seen.insert((hit.session_title.clone(), hit.turn, hit.snippet.clone())));
    let hits = found.map(|hit| SearchHit {
        session: hit.session_id.to_string(),
        title: hit.session_title,
        turn: hit.turn,
        excerpt: marks(&hit.snippet).0.split_whitespace().collect::<Vec<_>>().join(" "),
    });
    Ok(Answer::Search { query: words, hits: hits.collect() })
}

/// The journey a session lies on: the whole project where it has a name, else those it is linked with.
async fn journey(host: &Host, session: &str, words: &Words) -> Result<Vec<JourneyStop>, HostError> {
    let mut journey = host.journey(session).await?;
    if journey.project != DEFAULT_PROJECT {
        journey = host.journey(&journey.project).await?;
    }
    let engines = engines(host, words);
    let stop = |station: Station| {
        let Station { session, depth, inbound } = station;
        let (percent, says) = (percent(session.completeness), &words.host);
        let engine = engines.iter().find(|engine| engine.id == session.engine_id);
        let engine = engine.map_or(session.engine_id.clone(), |engine| engine.name.clone());
        let detail = match inbound {
            None => says.station(engine, percent),
            Some(handoff) if handoff.verified => says.took_up(engine, percent),
            Some(_) => says.was_handed(engine, percent),
        };
        JourneyStop { session: session.id.to_string(), title: session.title, detail, depth }
    };
    Ok(journey.stations.into_iter().map(stop).collect())
}

async fn courses(host: &Host, session: &SessionHandle, words: &Words) -> Result<Vec<CourseChoice>, HostError> {
    let id = session.id();
    let found = host.store().call_async(move |store| store.courses(id)).await?;
    let (now, zone) = (jiff::Timestamp::now(), jiff::tz::TimeZone::system());
    let choice = |course: Course| CourseChoice {
        id: course.rewind,
        after: course.after,
        turns: u32::try_from(course.turns.len()).unwrap_or(u32::MAX),
        when: listing::when(course.taken_at, now, &zone, &words.dates),
        messages: course.turns.into_iter().flat_map(|turn| turn.messages).filter_map(records::said).collect(),
    };
    Ok(found.into_iter().map(choice).collect())
}

/// The session as it was after a turn.
async fn as_of(host: &Host, session: &SessionHandle, turn: u32) -> Result<Snapshot, HostError> {
    let id = session.id();
    let state = host.store().call_async(move |store| store.state_at(id, turn)).await?;
    let memory = serde_json::from_value(state)?;
    session.read(move |session| session.snapshot_as_of(turn, memory)).await
}
