//! How sessions are kept: archive, tags, trash; of the one under the cursor, or of the open one.

use super::effect::Effect;
use super::model::{Model, Screen};
use super::overlay::{self, Asking, Choice, Confirm, Confirmed, Overlay, Purpose};
use super::picker::{self, List};
use super::toasts::Level;
use crate::host::filing::read_tags;
use crate::host::protocol::{File, Listing, Refiling, SessionChoice, Shelf};

/// The session that a command is about.
struct Target {
    id: String,
    title: String,
    tags: Vec<String>,
    archived: bool,
    turns: u32,
}

/// The open session, or on the first screen the one under the cursor. Says so where there is none.
fn target(model: &mut Model) -> Option<Target> {
    let found = match (model.screen, &model.session) {
        (Screen::Chat, Some(session)) => Some(Target {
            id: session.id.clone(),
            title: session.label().to_owned(),
            tags: session.tags.clone(),
            archived: false,
            turns: session.memory.turn,
        }),
        (Screen::Chat, None) => None,
        (Screen::Picker, _) => {
            let chosen =
                model.picker.sessions.get(model.picker.session).filter(|_| model.picker.list == List::Sessions);
            chosen.cloned().map(|SessionChoice { id, title, tags, archived, turns, .. }| Target {
                id,
                title,
                tags,
                archived,
                turns,
            })
        }
    };
    if found.is_none() {
        model.toasts.tell(Level::Info, model.words.filing.go_to_one(), model.now);
    }
    found
}

/// Keeps a session in another way, and lists anew where it was listed. Who puts the open one away goes to the list.
fn file(model: &mut Model, session: String, change: Refiling) -> Vec<Effect> {
    let away = matches!(change, Refiling::Archive | Refiling::Trash);
    let filed = Effect::host(File { session, change });
    let after = match model.screen {
        Screen::Chat if away => picker::show(model, List::Sessions),
        Screen::Chat => Vec::new(),
        Screen::Picker => vec![picker::ask(model)],
    };
    std::iter::once(filed).chain(after).collect()
}

/// `/archive`: into the archive, or out of it.
pub(crate) fn archive(model: &mut Model) -> Vec<Effect> {
    let Some(target) = target(model) else { return Vec::new() };
    let change = if target.archived { Refiling::Unarchive } else { Refiling::Archive };
    file(model, target.id, change)
}

/// `/tag words` adds tags, `/tag -word` takes one off; without any, all of them can be changed.
pub(crate) fn tag(model: &mut Model, argument: &str) -> Vec<Effect> {
    let Some(Target { id, mut tags, .. }) = target(model) else { return Vec::new() };
    if argument.is_empty() {
        return overlay::ask(model, Asking::Tags { session: id }, &tags.join(", "));
    }
    for part in argument.split(',').map(str::trim) {
        match part.strip_prefix('-') {
            Some(gone) => {
                let gone = read_tags(gone);
                tags.retain(|tag| !gone.contains(tag));
            }
            None => tags.extend(read_tags(part)),
        }
    }
    retag(model, id, &tags.join(","))
}

/// Puts a session under the tags that were written.
pub(crate) fn retag(model: &mut Model, session: String, text: &str) -> Vec<Effect> {
    let tags = read_tags(text);
    if let Some(open) = model.session.as_mut().filter(|open| open.id == session) {
        open.tags.clone_from(&tags);
    }
    file(model, session, Refiling::SetTags(tags))
}

/// Throws a session away; in the trash, asks whether it may be erased. `/trash empty` asks that of all that is there.
pub(crate) fn trash(model: &mut Model, argument: &str) -> Vec<Effect> {
    if argument == "empty" {
        return empty(model);
    }
    if model.screen == Screen::Picker && model.picker.listing.shelf == Shelf::Trash {
        return erase(model);
    }
    let Some(target) = target(model) else { return Vec::new() };
    file(model, target.id, Refiling::Trash)
}

/// Asks whether the session under the cursor may be erased at once.
pub(crate) fn erase(model: &mut Model) -> Vec<Effect> {
    let Some(Target { id, title, turns, .. }) = target(model) else { return Vec::new() };
    let says = &model.words.filing;
    ask_to_erase(model, says.erase(title), says.erase_turns(turns), vec![id])
}

/// Only what is on the screen is erased, so the trash has to be shown first.
fn empty(model: &mut Model) -> Vec<Effect> {
    if model.screen != Screen::Picker || model.picker.listing.shelf != Shelf::Trash || !model.picker.loaded {
        let mut effects = picker::show(model, List::Sessions);
        model.picker.turn_to(Listing { shelf: Shelf::Trash, ..Listing::default() });
        effects.push(picker::ask(model));
        model.toasts.tell(Level::Info, model.words.filing.in_trash(), model.now);
        return effects;
    }
    let ids: Vec<String> = model.picker.sessions.iter().map(|session| session.id.clone()).collect();
    if ids.is_empty() {
        model.toasts.tell(Level::Info, model.words.filing.trash_is_empty(), model.now);
        return Vec::new();
    }
    let says = &model.words.filing;
    ask_to_erase(model, says.empty().to_owned(), says.erase_listed(ids.len()), ids)
}

fn ask_to_erase(model: &mut Model, question: String, detail: String, ids: Vec<String>) -> Vec<Effect> {
    model.overlays.push(Overlay::Confirm(Confirm {
        question,
        detail,
        yes: Confirmed::Delete(ids),
        no: Confirmed::Nothing,
    }));
    Vec::new()
}

/// `/find` on the first screen: only sessions under a tag, or of a project.
pub(crate) fn narrow(model: &mut Model, typed: &str) -> Vec<Effect> {
    let shelves = &model.picker.shelves;
    if shelves.tags.is_empty() && shelves.projects.is_empty() {
        model.toasts.tell(Level::Info, model.words.filing.no_tags(), model.now);
        return Vec::new();
    }
    overlay::choose_from(model, Purpose::Narrow, typed)
}

/// What the list can be narrowed by.
pub(crate) fn narrowings(model: &Model) -> Vec<Choice> {
    let says = &model.words.filing;
    let (listing, shelves) = (&model.picker.listing, &model.picker.shelves);
    let choice = |id: String, label: String, detail: &str, is_now: bool| {
        let note = if is_now { says.now() } else { "" }.to_owned();
        Choice { id, label, detail: detail.to_owned(), note, turn: None }
    };
    let is_narrowed = listing.tag.is_some() || listing.project.is_some();
    let all = is_narrowed.then(|| choice(String::new(), says.everything().to_owned(), says.all_tags(), false));
    let tags = shelves
        .tags
        .iter()
        .map(|tag| choice(format!("tag {tag}"), format!("#{tag}"), says.a_tag(), listing.tag.as_ref() == Some(tag)));
    let projects = shelves.projects.iter().map(|name| {
        choice(format!("project {name}"), name.clone(), says.a_project(), listing.project.as_ref() == Some(name))
    });
    all.into_iter().chain(tags).chain(projects).collect()
}

/// Narrows the list by what was chosen.
pub(crate) fn narrowed(model: &mut Model, id: &str) -> Vec<Effect> {
    let mut listing = model.picker.listing.clone();
    match id.split_once(' ') {
        Some(("tag", tag)) => listing.tag = Some(tag.to_owned()),
        Some((_, project)) => listing.project = Some(project.to_owned()),
        None => (listing.tag, listing.project) = (None, None),
    }
    model.picker.turn_to(listing);
    model.picker.list = List::Sessions;
    vec![picker::ask(model)]
}
