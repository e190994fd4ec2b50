//! Composes an answer: what was understood, what follows from it, and the next question of the engine.

use serde_json::Value;

use super::corrected::{also_changed, corrected_by_name, how_instead, put_right, to_left_out};
use super::questions::{open_part, question};
use super::reactions::{before, meant, to_acts};
use super::speech::{Speech, Told};
use super::summary::{closing, taken_from};
use crate::engine::config::{Act, Doing, Kind, Obligation, Probe};
use crate::engine::extraction::{Change, ChangeKind};
use crate::engine::handoff::critical_items;
use crate::engine::memory::Status;
use crate::engine::obligations::{AgendaItem, to_confirm};
use crate::engine::ports::ResponseRequest;
use crate::engine::transcript::Role;
use crate::engine::values::brief_text;

/// Items of a handoff that are said back.
const MAX_ITEMS: usize = 6;

/// The answer, and the obligations it asks for.
pub fn compose(request: &ResponseRequest<'_>) -> (String, Vec<String>) {
    let speech = Speech::new(request);
    let mut parts: Vec<String> = Vec::new();
    if request.memory.turn == 1 && !request.by_rules {
        parts.extend(speech.say("offline", &[]));
    }
    parts.extend(handed_over(request, &speech));
    // What a pasted text says in passing is not said to the interviewer: what it brought is shown.
    let taken = taken_from(request, &speech);
    if !talks_around_what_was_shown(request) && taken.is_none() {
        parts.extend(to_acts(request, &speech));
    }
    // What is wrong is to be said next: another question would only stand in the way.
    if denies_some_of_it(request) {
        parts.extend(speech.say("which_wrong", &[]));
        return (parts.join("\n\n"), Vec::new());
    }
    if request.heard.does.contains(&Doing::Wrong) && !request.heard.tells() {
        if let Some((obligation, path)) = meant(request) {
            parts.extend(how_instead(request, &speech, path));
            return (parts.join("\n\n"), vec![obligation.id.to_string()]);
        }
        return (parts.join("\n\n"), Vec::new());
    }
    let still_asked = || -> Vec<String> { request.memory.asked.iter().map(|asked| asked.obligation.clone()).collect() };
    if let Some(shown) = shown_again(request) {
        parts.push(shown);
        return (parts.join("\n\n"), still_asked());
    }
    if talks_around_what_was_shown(request) {
        parts.extend(speech.say("taken_meant", &[]));
        return (parts.join("\n\n"), still_asked());
    }
    if request.heard.does.iter().any(|doing| matches!(doing, Doing::Stop | Doing::Pause)) {
        return left_in_peace(request, &speech, parts, still_asked());
    }
    let settled = settled(request, &speech);
    let again = left_out(request).or_else(|| asked_again(request, &speech));
    let item = again.as_ref().or_else(|| request.agenda.first());
    parts.extend(again.as_ref().and_then(|item| to_bare_reply(request, &speech, item)));
    parts.extend(to_left_out(request, &speech));
    if let Some((shown, asked)) = taken {
        parts.push(shown);
        if !asked.is_empty() {
            return (together(&parts), asked);
        }
    } else {
        let left_out = !request.heard.except.is_empty();
        match &settled {
            Some(settled) if !left_out => parts.push(settled.clone()),
            Some(_) => {}
            None => parts.extend(taken_up(request, &speech, item, parts.is_empty())),
        }
        let left = request.left_phase.and_then(|id| request.engine.phase(id));
        parts.extend(left.and_then(|left| closing(request, &speech, left)));
        // What is not right is asked for at once, so that stands right before the question.
        parts.extend(settled.filter(|_| left_out));
    }
    // The same question is never put again without a word. Where it was answered already, it begins with one.
    let claimed = request.heard.does.contains(&Doing::SaidAlready);
    let told = request.heard.tells() || !request.changes.is_empty();
    if parts.is_empty() && comes_again(request, item) && !told && !claimed {
        parts.extend(speech.say("repeat", &[]));
    }
    if let Some((obligation, follow_up)) = follow_up(request, &speech) {
        parts.push(follow_up);
        return (together(&parts), vec![obligation]);
    }
    match item {
        Some(item) => parts.push(question(request, &speech, item)),
        None => parts.extend(ending(request, &speech)),
    }
    let asked = item.map(|item| vec![item.obligation.clone()]).unwrap_or_default();
    (together(&parts), asked)
}

/// Who wants to stop or to read is not asked on; the last question stays on the table, unless it was answered on the way
/// out.
fn left_in_peace(
    request: &ResponseRequest<'_>,
    speech: &Speech<'_>,
    parts: Vec<String>,
    asked: Vec<String>,
) -> (String, Vec<String>) {
    let open = |id: &String| matches!(request.memory.obligations.status(id), Status::Pending | Status::Partial);
    let first = taken_up(request, speech, None, true).into_iter().take(1);
    let parts: Vec<String> = first.filter(|_| request.heard.tells()).chain(parts).collect();
    (parts.join("\n\n"), asked.into_iter().filter(open).collect())
}

/// The parts of an answer. A list that stands in a later one as well is not shown twice.
fn together(parts: &[String]) -> String {
    let points = |part: &'_ str| -> Vec<String> {
        part.lines().filter(|line| line.starts_with("- ")).map(ToOwned::to_owned).collect()
    };
    let again = |at: usize, own: &[String]| {
        let later = parts.iter().skip(at + 1).map(|part| points(part));
        !own.is_empty() && later.into_iter().any(|later| own.iter().all(|point| later.contains(point)))
    };
    let shown = parts.iter().enumerate().filter(|(at, part)| !again(*at, &points(part)));
    shown.map(|(_, part)| part.as_str()).collect::<Vec<_>>().join("\n\n")
}

/// Whether a plain no was said to several things that were shown together.
fn denies_some_of_it(request: &ResponseRequest<'_>) -> bool {
    let together = request.memory.asked.iter().any(|asked| asked.together);
    together && request.heard.has(Act::Deny) && request.changes.is_empty() && request.heard.except.is_empty()
}

/// The question as it was last put, for who wants to hear it again: with the list that it is about.
fn shown_again(request: &ResponseRequest<'_>) -> Option<String> {
    let together = request.memory.asked.iter().any(|asked| asked.together);
    let wanted = request.heard.does.contains(&Doing::Repeat) && !request.heard.tells();
    let last = request.transcript.messages().iter().rev().find(|message| message.role == Role::Assistant);
    let paragraphs: Vec<&str> = last.filter(|_| wanted)?.text.split("\n\n").collect();
    let (asks, before) = paragraphs.split_last()?;
    let points = before.last().filter(|_| together).map(|points| format!("{points}\n\n")).unwrap_or_default();
    asks.contains('?').then(|| format!("{points}{asks}"))
}

/// What became of several things that were shown together: what was put right, and that the rest stays.
fn settled(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Option<String> {
    let shown: Vec<&String> =
        request.memory.asked.iter().filter(|asked| asked.together).flat_map(|asked| &asked.to_confirm).collect();
    let judged = request.heard.has(Act::Confirm) || request.heard.has(Act::Deny);
    if shown.is_empty() || !judged || request.changes.is_empty() {
        return None;
    }
    if !request.heard.except.is_empty() {
        return speech.say("settled_but", &[]);
    }
    let told = request.heard.fields.iter().filter(|own| !own.value.is_null()).map(|own| &own.path);
    let mut right: Vec<String> = Vec::new();
    for path in told {
        let change = request.changes.iter().rev().find(|change| change.path == *path && change.kind.is_accepted());
        let own = |o: &&Obligation| o.satisfied_by.iter().any(|own| **own == **path);
        let obligation = request.engine.definition().obligations.iter().find(own);
        if let Some((change, obligation)) = change.zip(obligation) {
            let point = format!("{}: {}", speech.label(obligation), speech.value(path, &change.value));
            right.extend(Some(point).filter(|point| !right.contains(point)));
        }
    }
    if right.is_empty() { None } else { speech.say("settled_except", &[("list", &Speech::list(&right))]) }
}

/// What was named as not right: how it should be is asked at once.
fn left_out(request: &ResponseRequest<'_>) -> Option<AgendaItem> {
    let path = request.heard.except.first()?;
    let own = |o: &&Obligation| o.satisfied_by.iter().any(|own| **own == **path);
    request.engine.definition().obligations.iter().find(own).map(|obligation| item_of(request, obligation))
}

/// Whether the user asks back or chats where several things were shown for one yes: they are still to be confirmed.
fn talks_around_what_was_shown(request: &ResponseRequest<'_>) -> bool {
    let together = request.memory.asked.iter().any(|asked| asked.together);
    let around = |act: &Act| matches!(act, Act::CounterQuestion | Act::Meta | Act::Social | Act::OffTopic);
    let moves_on =
        request.heard.does.iter().any(|doing| matches!(doing, Doing::Skip | Doing::Stop | Doing::Pause | Doing::Back));
    together && request.heard.acts.iter().all(around) && !moves_on && request.changes.is_empty()
}

/// What is said to a plain yes or no where a few words were asked for, and are asked for again.
fn to_bare_reply(request: &ResponseRequest<'_>, speech: &Speech<'_>, item: &AgendaItem) -> Option<String> {
    let bare = |act: &Act| matches!(act, Act::Confirm | Act::Deny);
    let obligation = request.engine.obligation(&item.obligation)?;
    let boolean = |path: &String| request.engine.field(path).is_some_and(|field| field.shape.r#type == Kind::Boolean);
    let yes_no = request.engine.fields_of(&obligation.id).iter().any(boolean);
    if yes_no || !request.changes.is_empty() || !request.heard.acts.iter().all(bare) || request.heard.acts.is_empty() {
        return None;
    }
    match speech.told(obligation, Told::Meaning) {
        Some(meaning) => speech.say("bare", &[("meaning", meaning)]),
        None => speech.say("no_meaning", &[]),
    }
}

/// What an earlier session handed over and no answer has said back yet, so that the user can see that it has arrived.
fn handed_over(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Option<String> {
    let inbound = request.memory.inbound_handoff.as_ref()?;
    let items = match &inbound.verification {
        None => critical_items(&inbound.handoff),
        Some(_) if inbound.reminders_left > 0 => inbound.unacknowledged.clone(),
        Some(_) => Vec::new(),
    };
    let points: Vec<String> = items.iter().take(MAX_ITEMS).map(|item| item.replace('?', "")).collect();
    if points.is_empty() { None } else { speech.say("handed_over", &[("list", &Speech::list(&points))]) }
}

/// The question that is put again: the one before where the user wants to go back, or the last one where the message
/// said nothing on it.
fn asked_again(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Option<AgendaItem> {
    if request.heard.does.contains(&Doing::Back)
        && let Some(earlier) = before(request, speech)
    {
        return Some(item_of(request, earlier));
    }
    if let Some(item) = half_answered(request).or_else(|| doubtful(request)) {
        return Some(item);
    }
    let heard = request.heard;
    let moves_on = [Doing::Skip, Doing::Decline, Doing::Unknown, Doing::SaidAlready];
    if heard.does.iter().any(|doing| moves_on.contains(doing)) || (heard.tells() && !corrects_something_else(request)) {
        return None;
    }
    let last = request.memory.asked.first()?;
    let obligation = request.engine.obligation(&last.obligation)?;
    if !last.to_confirm.is_empty() {
        // Who asks back or chats is still to say whether what was shown is meant.
        let replies = [Act::Confirm, Act::Deny, Act::Objection].iter().any(|act| heard.has(*act));
        let shown = to_confirm(request.engine, request.memory, obligation);
        let item = AgendaItem { to_confirm: shown, ..item_of(request, obligation) };
        let aside = request.changes.is_empty() || corrects_something_else(request);
        let waits = !replies && !item.to_confirm.is_empty() && aside && is_worth_asking_again(request, obligation);
        return Some(item).filter(|_| waits);
    }
    // What goes against something said before is cleared up first.
    let said_now = |path: &String| request.changes.iter().any(|change| change.path == *path);
    if request.agenda.first().is_some_and(|item| item.to_confirm.iter().any(|(path, _)| said_now(path))) {
        return None;
    }
    let state = request.memory.obligations.get(&obligation.id)?;
    // What was put off and is on the table again, because the user went back to it, stays there.
    // So does an answer that they went back to, as long as they only ask back: a yes or a no settles it, and so does what
    // they have set by hand since it was asked.
    let settled = || {
        let since = |path: &String| {
            let field = request.memory.extraction.get(path);
            field.is_some_and(|field| Some(field.last_updated_at_turn) >= state.last_asked)
        };
        let judged = heard.has(Act::Confirm) || heard.has(Act::Deny);
        judged || request.engine.fields_of(&obligation.id).iter().any(since)
    };
    let asks_back = state.status == Status::Satisfied && !last.follows_up && !settled();
    let returned = state.status == Status::Deferred || asks_back;
    let back = returned && state.last_asked == Some(request.memory.turn.saturating_sub(1));
    let open = matches!(state.status, Status::Pending | Status::Partial) || back && request.changes.is_empty();
    open.then(|| item_of(request, obligation))
}

/// So often in all a yes is asked for while the user goes on telling other things.
const PATIENCE: u32 = 2;

/// Whether what was shown is to be shown again, although the message did not reply to it. Who has more to tell is not held
/// up by it: it comes later, and in the review.
fn is_worth_asking_again(request: &ResponseRequest<'_>, obligation: &Obligation) -> bool {
    let state = request.memory.obligations.get(&obligation.id);
    state.is_some_and(|state| {
        let open = matches!(state.status, Status::Pending | Status::Partial);
        open && (!request.heard.tells() || state.times_asked < PATIENCE)
    })
}

/// What was asked for and of which a part was just told: the rest is asked for while it is before their eyes.
fn half_answered(request: &ResponseRequest<'_>) -> Option<AgendaItem> {
    let obligation = request.engine.obligation(&request.memory.asked.first()?.obligation)?;
    let own = |path: &str| obligation.satisfied_by.iter().any(|own| **own == *path);
    let told = request.changes.iter().any(|change| change.kind.is_accepted() && own(&change.path));
    let half = request.memory.obligations.status(&obligation.id) == Status::Partial;
    let item = AgendaItem {
        to_confirm: to_confirm(request.engine, request.memory, obligation),
        ..item_of(request, obligation)
    };
    (told && half && request.left_phase.is_none()).then_some(item)
}

/// What was answered in a way that leaves a doubt: it is cleared up at once, unless that was just tried.
fn doubtful(request: &ResponseRequest<'_>) -> Option<AgendaItem> {
    let asked = request.memory.asked.first().filter(|asked| asked.to_confirm.is_empty())?;
    let obligation = request.engine.obligation(&asked.obligation)?;
    let open = request.memory.obligations.status(&obligation.id) == Status::Partial;
    let own = |path: &str| obligation.satisfied_by.iter().any(|own| **own == *path);
    let said = request.changes.iter().any(|change| change.kind == ChangeKind::Candidate && own(&change.path));
    let to_confirm = to_confirm(request.engine, request.memory, obligation);
    let asks = said && open && !to_confirm.is_empty() && request.left_phase.is_none();
    asks.then(|| AgendaItem { to_confirm, ..item_of(request, obligation) })
}

/// A question for more of the answer to the last one, as the engine wants it: for what is not in it yet.
fn follow_up(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Option<(String, String)> {
    let obligation = request.engine.obligation(&request.memory.asked.first()?.obligation)?;
    let state = request.memory.obligations.get(&obligation.id)?;
    // What a phase brought has just been said back: what comes next belongs to the next one.
    if state.status != Status::Satisfied || request.left_phase.is_some() {
        return None;
    }
    let told = request.changes.iter().find(|change| {
        change.kind.is_accepted() && obligation.satisfied_by.iter().any(|path| **path == *change.path)
    })?;
    let answer = speech.value(&told.path, &told.value);
    let due = match obligation.probe {
        Probe::None => false,
        Probe::IfVague => state.probes == 0 && speech.is_vague(&answer),
        Probe::Once => state.probes == 0,
        Probe::Rounds => (state.probes as usize) < obligation.probe_for.len(),
    };
    if !due {
        return None;
    }
    let further = request.memory.extraction.get(&told.path).into_iter().flat_map(|field| &field.further);
    let said: Vec<&str> = further.map(|said| said.quote.as_str()).chain([answer.as_str(), request.message]).collect();
    let left = obligation.probe_for.get(state.probes as usize..).unwrap_or_default();
    let text = speech.follow_up(left, &said.join("\n"))?;
    Some((obligation.id.to_string(), text))
}

fn item_of(request: &ResponseRequest<'_>, obligation: &Obligation) -> AgendaItem {
    AgendaItem {
        obligation: obligation.id.to_string(),
        label: obligation.name.clone(),
        question: obligation.question.clone(),
        description: obligation.description.clone(),
        priority: 0.0,
        to_confirm: Vec::new(),
        times_asked: request.memory.obligations.get(&obligation.id).map_or(0, |state| state.times_asked),
        doubt: None,
    }
}

/// Whether the message changed what was known and said nothing on what was asked.
fn corrects_something_else(request: &ResponseRequest<'_>) -> bool {
    let asked = |path: &String| {
        let fields = request.memory.asked.iter().flat_map(|asked| request.engine.fields_of(&asked.obligation));
        fields.into_iter().any(|field| field == path)
    };
    !request.changes.is_empty() && !request.changes.iter().any(|change| asked(&change.path))
}

/// What was understood, corrected or set aside, in few words and without saying it all again.
fn taken_up(request: &ResponseRequest<'_>, speech: &Speech<'_>, next: Option<&AgendaItem>, first: bool) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    if let Some(back) = put_back(request, speech) {
        return vec![back];
    }
    let kind = |wanted: ChangeKind| request.changes.iter().find(|change| change.kind == wanted);
    let renewed = request.changes.iter().find_map(|cleared| {
        let taken_back = cleared.kind == ChangeKind::Cleared;
        let again = request.changes.iter().find(|new| taken_back && new.path == cleared.path && new.kind.is_accepted());
        again.map(|new| (new, cleared.previous.as_ref()))
    });
    let changed = renewed.or_else(|| kind(ChangeKind::Supersede).map(|change| (change, change.previous.as_ref())));
    // Of what was only offered there is nothing that it replaces.
    if let Some((new, Some(old))) = changed {
        said.extend(put_right(request, speech, &new.path, old, &new.value));
    } else if let Some(cleared) = kind(ChangeKind::Cleared)
        && !request.changes.iter().any(|change| change.kind.is_accepted())
    {
        // A no to a new version leaves the old one as it was.
        said.extend(match request.memory.extraction.value(&cleared.path) {
            Some(kept) => speech.say("back_again", &[("value", &speech.quoted(&cleared.path, kept))]),
            None => speech.say("taken_back", &[]),
        });
    } else if let Some(named) = corrected_by_name(request, speech) {
        said.push(named);
    } else if let Some(change) = kind(ChangeKind::New).or_else(|| kind(ChangeKind::Update)).filter(|_| first) {
        // What was told besides is not the value.
        let further = request.memory.asked.first().is_some_and(|asked| asked.follows_up);
        let short = speech.is_short(&change.path, &change.value) && !further;
        let value = speech.quoted(&change.path, &change.value);
        said.extend(speech.say(if short { "noted" } else { "noted_long" }, &[("value", &value)]));
    }
    said.extend(also_changed(request, speech, changed.map(|(new, _)| new.path.as_str())));
    let in_passing = request.changes.iter().find(|change| {
        let asked = request.memory.asked.iter().flat_map(|asked| request.engine.fields_of(&asked.obligation));
        change.kind == ChangeKind::Candidate && !asked.into_iter().any(|path| *path == change.path)
    });
    // The same words may be offered for two things: then one of them is enough to speak of.
    let is_shown = |change: &&Change| {
        let text = brief_text(&change.value);
        next.is_some_and(|item| {
            item.to_confirm.iter().any(|(path, value)| *path == change.path || brief_text(value) == text)
        })
    };
    let again = comes_again(request, next);
    if let Some(change) = in_passing.filter(|change| !is_shown(change)) {
        let name = speech.asked_as(&change.path);
        let value = speech.quoted(&change.path, &change.value);
        // If the same question is asked again, the reply says first what was noted instead. This is left out for a choice
        // or a yes, because the noted value is then not in the user's words.
        let theirs = request.message.contains(&brief_text(&change.value));
        let occasion = if again && said.is_empty() && theirs { "volunteered_only" } else { "volunteered" };
        said.extend(name.and_then(|name| speech.say(occasion, &[("name", name), ("value", &value)])));
    }
    let nothing = first && said.is_empty() && request.changes.is_empty() && request.heard.tells();
    if nothing && (again || request.memory.turn > 1) {
        let missing = next.filter(|_| again).and_then(|item| open_part(request, speech, &item.obligation));
        said.extend(match missing {
            Some(name) => speech.say("missed_named", &[("name", name)]),
            None => speech.say("missed", &[]),
        });
    }
    said
}

/// What holds again because the user took a change back: of a list, what is on it again.
fn put_back(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Option<String> {
    let path = request.heard.restores.first()?;
    let change = request.changes.iter().rev().find(|change| change.path == *path && change.kind.is_accepted())?;
    let back = match (&change.value, &change.previous) {
        (Value::Array(now), Some(Value::Array(before))) => {
            let back: Vec<Value> = now.iter().filter(|item| !before.contains(item)).cloned().collect();
            Value::Array(if back.is_empty() { now.clone() } else { back })
        }
        (value, _) => value.clone(),
    };
    let occasion = if change.value.is_array() { "back_on_list" } else { "back_again" };
    speech.say(occasion, &[("value", &speech.quoted(path, &back))])
}

/// Whether the question that was asked is the one that comes next.
fn comes_again(request: &ResponseRequest<'_>, next: Option<&AgendaItem>) -> bool {
    let asked = request.memory.asked.first().map(|asked| asked.obligation.as_str());
    asked.is_some() && asked == next.map(|item| item.obligation.as_str())
}

/// What to say when there is nothing left to ask.
fn ending(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Option<String> {
    let state = &request.memory.completeness;
    if state.is_ready {
        return speech.say("ready", &[]);
    }
    let list = speech.gaps(request).join(", ");
    let open = if list.is_empty() { None } else { speech.say("still_open", &[("list", &list)]) };
    speech.say("ending", &[("open", &open.map(|open| format!(" {open}")).unwrap_or_default())])
}
