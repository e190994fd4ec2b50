//! The sessions of the first screen: which ones, told apart, with dates as people say them.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;

use super::erasing::is_empty;
use super::protocol::{Answer, CopyOf, EngineChoice, Listing, SessionChoice, Shelves};
use super::{DEFAULT_PROJECT, Host, HostError, queries};
use crate::store::{Filed, ForkPoint, Project, ProjectId, SessionFilter, SessionId, SessionRecord, Store, StoreError};
use crate::words::{Dates, Words};

/// How many sessions the first screen lists.
const LISTED: u32 = 50;

/// What the store has to say for the first screen.
struct Read {
    sessions: Vec<SessionRecord>,
    /// What copies were copied from, as far as it is still there.
    originals: HashMap<SessionId, SessionRecord>,
    projects: Vec<Project>,
    filed: Filed,
}

pub(super) async fn sessions(host: &Host, listing: Listing, words: &'static Words) -> Result<Answer, HostError> {
    let wanted = listing.clone();
    let read = host.store().call_async(move |store| read(store, &wanted)).await?;
    let engines = queries::engines(host, words);
    let names: HashMap<ProjectId, &str> = read.projects.iter().map(|known| (known.id, known.name.as_str())).collect();
    let (now, zone) = (Timestamp::now(), TimeZone::system());
    let choice = |session: &SessionRecord| SessionChoice {
        id: session.id.to_string(),
        title: session.title.clone(),
        engine: engine_name(&engines, &session.engine_id),
        when: when(session.updated_at, now, &zone, &words.dates),
        turns: session.turn,
        completeness: queries::percent(session.completeness),
        project: names.get(&session.project_id).filter(|name| **name != DEFAULT_PROJECT).map(ToString::to_string),
        copy: session
            .forked_from
            .map(|point| copy_of(session, point, &read.originals, |at| when(at, now, &zone, &words.dates), words)),
        tags: session.filing.tags.clone(),
        archived: session.filing.archived_at.is_some(),
        days_left: session.filing.gone_at().map(|gone| days_until(gone, now)),
    };
    let sessions = read.sessions.iter().map(choice).collect();
    let Filed { archived, trashed, tags } = read.filed;
    let projects = read.projects.into_iter().map(|project| project.name).filter(|name| name != DEFAULT_PROJECT);
    let shelves = Shelves { listing, archived, trashed, tags, projects: projects.collect() };
    Ok(Answer::Sessions { engines, sessions, shelves })
}

fn read(store: &mut Store, listing: &Listing) -> Result<Read, StoreError> {
    let (projects, filed) = (store.projects()?, store.filed()?);
    let mut read = Read { sessions: Vec::new(), originals: HashMap::new(), projects, filed };
    let wanted = listing.project.as_ref();
    let project = wanted.map(|name| read.projects.iter().find(|project| project.name == *name).map(|found| found.id));
    // A project that is gone has no sessions.
    if project != Some(None) {
        read.sessions = store.list_sessions(&SessionFilter {
            project: project.flatten(),
            tag: listing.tag.clone(),
            shelf: Some(listing.shelf),
            limit: Some(LISTED),
            ..SessionFilter::default()
        })?;
    }
    // One that was opened and not used is not there for the user, and goes when it is closed.
    let mut empty = Vec::new();
    for session in read.sessions.iter().filter(|session| session.turn == 0) {
        if is_empty(store, session.id)? {
            empty.push(session.id);
        }
    }
    read.sessions.retain(|session| !empty.contains(&session.id));
    for point in read.sessions.iter().filter_map(|session| session.forked_from) {
        match store.session(point.session) {
            Ok(original) => drop(read.originals.insert(point.session, original)),
            Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

fn engine_name(engines: &[EngineChoice], id: &str) -> String {
    engines.iter().find(|engine| engine.id == id).map_or_else(|| id.to_owned(), |engine| engine.name.clone())
}

/// Names what a session was copied from: by its title, or where both have the same by when it began.
fn copy_of(
    session: &SessionRecord,
    point: ForkPoint,
    originals: &HashMap<SessionId, SessionRecord>,
    when: impl Fn(Timestamp) -> String,
    words: &Words,
) -> CopyOf {
    let named = |original: &SessionRecord| {
        if original.title == session.title {
            words.host.begun(when(original.created_at))
        } else {
            words.host.titled(&original.title)
        }
    };
    CopyOf { of: originals.get(&point.session).map(named), turn: point.turn }
}

/// The days until a moment, a part of one counted as whole.
fn days_until(moment: Timestamp, now: Timestamp) -> u32 {
    let seconds = moment.duration_since(now).as_secs().max(0);
    u32::try_from(seconds.div_euclid(86_400) + i64::from(seconds % 86_400 > 0)).unwrap_or(u32::MAX)
}

/// A moment as people say it: today and yesterday with the hour, this week by its day, else the date.
pub(super) fn when(at: Timestamp, now: Timestamp, zone: &TimeZone, says: &Dates) -> String {
    let (at, now) = (at.to_zoned(zone.clone()), now.to_zoned(zone.clone()));
    let days = at.date().duration_until(now.date()).as_hours() / 24;
    let time = at.strftime("%H:%M");
    match days {
        0 => says.today(time),
        1 => says.yesterday(time),
        2..=6 => says.on_weekday(weekday(at.weekday(), says), time),
        _ if at.year() == now.year() => says.in_year(at.day(), month(at.month(), says)),
        _ => says.date(at.year(), at.strftime("%m"), at.strftime("%d")),
    }
}

/// A day as it is written in a language.
pub(super) fn day(at: Timestamp, says: &Dates) -> String {
    let date = at.to_zoned(TimeZone::system());
    says.date(date.year(), date.strftime("%m"), date.strftime("%d"))
}

fn weekday(day: Weekday, says: &Dates) -> &str {
    match day {
        Weekday::Monday => says.monday(),
        Weekday::Tuesday => says.tuesday(),
        Weekday::Wednesday => says.wednesday(),
        Weekday::Thursday => says.thursday(),
        Weekday::Friday => says.friday(),
        Weekday::Saturday => says.saturday(),
        Weekday::Sunday => says.sunday(),
    }
}

fn month(month: i8, says: &Dates) -> &str {
    match month {
        1 => says.january(),
        2 => says.february(),
        3 => says.march(),
        4 => says.april(),
        5 => says.may(),
        6 => says.june(),
        7 => says.july(),
        8 => says.august(),
        9 => says.september(),
        10 => says.october(),
        11 => says.november(),
        _ => says.december(),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::{days_until, when};

    fn said_in(language: &str, at: &str) -> String {
        let now = "2026-03-04T09:30:00Z".parse().unwrap();
        let zone = TimeZone::get("Europe/Berlin").unwrap_or(TimeZone::fixed(jiff::tz::offset(1)));
        when(at.parse().unwrap(), now, &zone, &crate::words::find(language).unwrap().dates)
    }

    fn said(at: &str) -> String {
        said_in("en", at)
    }

    #[test]
    fn dates_are_told_in_german() {
        assert_eq!(said_in("de", "2026-03-03T22:59:00Z"), "gestern 23:59");
        assert_eq!(said_in("de", "2026-03-01T12:00:00Z"), "Sonntag 13:00");
        assert_eq!(said_in("de", "2026-01-09T12:00:00Z"), "9. Januar");
        assert_eq!(said_in("de", "2025-12-31T12:00:00Z"), "31.12.2025");
    }

    #[test]
    fn dates_are_told_as_people_say_them() {
        assert_eq!(said("2026-03-04T08:05:00Z"), "today 09:05");
        // Shortly after midnight there, while it is still yesterday in UTC.
        assert_eq!(said("2026-03-03T23:10:00Z"), "today 00:10");
        assert_eq!(said("2026-03-03T22:59:00Z"), "yesterday 23:59");
        assert_eq!(said("2026-03-01T12:00:00Z"), "Sunday 13:00");
        assert_eq!(said("2026-01-09T12:00:00Z"), "9 January");
        assert_eq!(said("2025-12-31T12:00:00Z"), "2025-12-31");
        assert_eq!(said("2027-01-01T12:00:00Z"), "2027-01-01", "a clock that went wrong");
    }

    #[test]
    fn a_day_that_has_begun_counts() {
        let now: Timestamp = "2026-03-04T09:30:00Z".parse().unwrap();
        assert_eq!(days_until("2026-04-03T09:30:00Z".parse().unwrap(), now), 30);
        assert_eq!(days_until("2026-03-04T09:30:01Z".parse().unwrap(), now), 1);
        assert_eq!(days_until("2026-03-01T09:30:01Z".parse().unwrap(), now), 0);
    }
}
