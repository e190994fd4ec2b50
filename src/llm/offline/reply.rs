//! Composes an answer: what was understood, what follows from it, and the next question of the engine.

use serde_json::Value;

use super::reactions::{before, to_acts};
use super::speech::Speech;
use crate::engine::config::{Act, Doing, Kind, Obligation, Phase, Probe};
use crate::engine::extraction::ChangeKind;
use crate::engine::handoff::critical_items;
use crate::engine::memory::Status;
use crate::engine::obligations::AgendaItem;
use crate::engine::ports::ResponseRequest;

/// Items of a handoff that are said back.
const MAX_ITEMS: usize = 6;

/// The answer, and the obligations it asks for.
pub fn compose(request: &ResponseRequest<'_>) -> (String, Vec<String>) {
    let speech = Speech::new(request);
    let mut parts: Vec<String> = Vec::new();
    if request.memory.turn == 1 {
        parts.extend(speech.say("offline", &[]));
    }
    parts.extend(handed_over(request, &speech));
    parts.extend(to_acts(request, &speech));
    parts.extend(taken_up(request, &speech, parts.is_empty()));
    if let Some(left) = request.left_phase.and_then(|id| request.engine.phase(id)) {
        parts.extend(closing(request, &speech, left));
    }
    // What is wrong is to be said next: another question would only stand in the way.
    if request.heard.does.contains(&Doing::Wrong) && !request.heard.tells() {
        return (parts.join("\n\n"), Vec::new());
    }
    if let Some((obligation, follow_up)) = follow_up(request, &speech) {
        parts.push(follow_up);
        return (parts.join("\n\n"), vec![obligation]);
    }
    let again = asked_again(request);
    let item = again.as_ref().or_else(|| request.agenda.first());
    match item {
        Some(item) => parts.push(question(request, &speech, item)),
        None => parts.extend(ending(request, &speech)),
    }
    let asked = item.map(|item| vec![item.obligation.clone()]).unwrap_or_default();
    (parts.join("\n\n"), asked)
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
fn asked_again(request: &ResponseRequest<'_>) -> Option<AgendaItem> {
    if request.heard.does.contains(&Doing::Back)
        && let Some(earlier) = before(request)
    {
        return Some(item_of(request, earlier));
    }
    let heard = request.heard;
    let moves_on = [Doing::Skip, Doing::Decline, Doing::Unknown, Doing::SaidAlready];
    if heard.does.iter().any(|doing| moves_on.contains(doing)) || (heard.tells() && !corrects_something_else(request)) {
        return None;
    }
    let last = request.memory.asked.first()?;
    if !last.to_confirm.is_empty() {
        return None;
    }
    let obligation = request.engine.obligation(&last.obligation)?;
    let open = matches!(request.memory.obligations.status(&obligation.id), Status::Pending | Status::Partial);
    open.then(|| item_of(request, obligation))
}

/// A question for more where the answer to the last one says little.
fn follow_up(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Option<(String, String)> {
    let obligation = request.engine.obligation(&request.memory.asked.first()?.obligation)?;
    let state = request.memory.obligations.get(&obligation.id)?;
    if obligation.probe == Probe::None || state.probed || state.status != Status::Satisfied {
        return None;
    }
    let told = request.changes.iter().find(|change| {
        change.kind.is_accepted() && obligation.satisfied_by.iter().any(|path| **path == *change.path)
    })?;
    let text = speech.follow_up(obligation.probe_for.first().copied(), told.value.as_str()?)?;
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
fn taken_up(request: &ResponseRequest<'_>, speech: &Speech<'_>, first: bool) -> Vec<String> {
    let mut said = Vec::new();
    let kind = |wanted: ChangeKind| request.changes.iter().find(|change| change.kind == wanted);
    let renewed = request.changes.iter().find_map(|cleared| {
        let taken_back = cleared.kind == ChangeKind::Cleared;
        let again = request.changes.iter().find(|new| taken_back && new.path == cleared.path && new.kind.is_accepted());
        again.map(|new| (new, cleared.previous.as_ref()))
    });
    let changed = renewed.or_else(|| kind(ChangeKind::Supersede).map(|change| (change, change.previous.as_ref())));
    if let Some((new, old)) = changed {
        let old = old.map(|old| speech.quoted(&new.path, old)).unwrap_or_default();
        said.extend(speech.say("changed", &[("value", &speech.quoted(&new.path, &new.value)), ("old", &old)]));
    } else if kind(ChangeKind::Cleared).is_some() {
        said.extend(speech.say("taken_back", &[]));
    } else if let Some(change) = kind(ChangeKind::New).or_else(|| kind(ChangeKind::Update)).filter(|_| first) {
        let short = speech.is_short(&change.path, &change.value);
        let value = speech.quoted(&change.path, &change.value);
        said.extend(speech.say(if short { "noted" } else { "noted_long" }, &[("value", &value)]));
    }
    let in_passing = request.changes.iter().find(|change| {
        let asked = request.memory.asked.iter().flat_map(|asked| request.engine.fields_of(&asked.obligation));
        change.kind == ChangeKind::Candidate && !asked.into_iter().any(|path| *path == change.path)
    });
    let next =
        request.agenda.first().map(|item| item.to_confirm.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>());
    if let Some(change) = in_passing.filter(|change| !next.unwrap_or_default().contains(&change.path.as_str())) {
        said.extend(speech.say("volunteered", &[("name", &speech.name(&change.path))]));
    }
    let missed =
        first && said.is_empty() && request.changes.is_empty() && request.heard.tells() && request.memory.turn > 1;
    if missed && !request.memory.asked.is_empty() {
        said.extend(speech.say("missed", &[]));
    }
    said
}

/// What a phase brought, said back at its end so that it can be corrected.
fn closing(request: &ResponseRequest<'_>, speech: &Speech<'_>, left: &Phase) -> Option<String> {
    // What an earlier phase has said back already is not said again.
    let since = request.memory.phase.history.last().map_or(0, |visit| visit.entered_at_turn);
    let points =
        known_points(request, speech, since, |category| left.covers.iter().any(|covered| **covered == *category));
    if points.len() < 2 {
        return None;
    }
    speech.say("phase_done", &[("phase", &left.name), ("list", &Speech::list(&points))])
}

/// The settled obligations of some categories with what is known of them, as far as it is newer than a turn.
pub(super) fn known_points(
    request: &ResponseRequest<'_>,
    speech: &Speech<'_>,
    since: u32,
    belongs: impl Fn(&str) -> bool,
) -> Vec<String> {
    let own = request.engine.definition().obligations.iter().filter(|o| belongs(&o.category));
    let known = own.filter_map(|obligation| {
        let mut values: Vec<String> = Vec::new();
        for path in request.engine.fields_of(&obligation.id) {
            let extracted = request.memory.extraction.get(path).filter(|known| known.last_updated_at_turn > since);
            let value = extracted.and_then(|_| request.memory.extraction.value(path));
            let value = value.map(|value| speech.value(path, value));
            // A choice that stands in the sentence before it is not said twice.
            values.extend(value.filter(|value| !values.iter().any(|said| said.contains(value.as_str()))));
        }
        (!values.is_empty()).then(|| format!("{}: {}", obligation.name, values.join(", ")))
    });
    known.collect()
}

/// What was noted last.
pub(super) fn recent_points(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Vec<String> {
    let last = request.memory.turn.saturating_sub(2);
    known_points(request, speech, last, |_| true)
}

/// The question of an item: for what was said already it asks whether that was meant, else it is the engine's own.
fn question(request: &ResponseRequest<'_>, speech: &Speech<'_>, item: &AgendaItem) -> String {
    if let Some((path, value)) = item.to_confirm.first() {
        return confirmation(request, speech, path, value);
    }
    if let Some(rest) = missing_part(request, speech, item) {
        return rest;
    }
    let obligation = request.engine.obligation(&item.obligation);
    let plain = format!("{}{}", speech.question(&item.obligation, &item.question), options(request, item));
    if request.memory.obligations.status(&item.obligation) == Status::Deferred {
        let name = item.label.to_lowercase();
        return speech.say("review_unknown", &[("name", &name)]).unwrap_or(plain);
    }
    if obligation.is_some_and(|o| o.when.is_some()) && item.times_asked == 0 {
        let all = known_points(request, speech, 0, |_| true);
        let shown = speech.say("all", &[("list", &Speech::list(&all))]).filter(|_| all.len() >= 2);
        return shown.map_or_else(|| plain.clone(), |shown| format!("{shown}\n\n{plain}"));
    }
    let shown = obligation.and_then(|o| o.shows.as_ref()).and_then(|path| shown(request, speech, path));
    let explains = request.heard.does.contains(&Doing::Meaning);
    let meaning = obligation
        .and_then(|o| o.meaning.as_deref())
        .filter(|_| item.times_asked > 0 && !explains && request.heard.has(Act::Answer));
    let lead = meaning.and_then(|meaning| speech.say("again", &[("meaning", meaning)]));
    [shown, lead, Some(plain)].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// "You said 15,000 €. Is that the budget?"
fn confirmation(request: &ResponseRequest<'_>, speech: &Speech<'_>, path: &str, value: &Value) -> String {
    let (said, name) = (speech.quoted(path, value), speech.name(path));
    let gaps = [("value", said.as_str()), ("name", name.as_str())];
    let before = request.memory.extraction.value(path);
    let worded = match before {
        Some(old) => speech.say("contradiction", &[("old", &speech.quoted(path, old)), gaps[0], gaps[1]]),
        None => speech.say("confirm_candidate", &gaps),
    };
    worded.unwrap_or_else(|| format!("{name}: {said}?"))
}

/// The value of a field that a question is about, a line for each element.
fn shown(request: &ResponseRequest<'_>, speech: &Speech<'_>, path: &str) -> Option<String> {
    let Value::Array(items) = request.memory.extraction.value(path)? else { return None };
    let shape = request.engine.field(path)?.shape.items.as_deref()?;
    let points: Vec<String> = items.iter().map(|item| crate::engine::values::shaped_text(item, &shape.shape)).collect();
    speech.say("list", &[("list", &Speech::list(&points))])
}

/// Asks for what is left of an answer of which a part is known.
fn missing_part(request: &ResponseRequest<'_>, speech: &Speech<'_>, item: &AgendaItem) -> Option<String> {
    let paths = request.engine.fields_of(&item.obligation);
    let known = |path: &&String| request.memory.extraction.is_known(path);
    let open = paths.iter().find(|path| !known(path)).filter(|_| paths.iter().any(|path| known(&path)))?;
    let field = request.engine.field(open)?;
    let choices: Vec<String> = field.shape.options.iter().map(|option| option.replace(['_', '-'], " ")).collect();
    let after = match choices.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} / {last}", others.join(" / ")),
        // A description is written for models; the engine's own question is for people.
        _ => return None,
    };
    speech.say("missing_part", &[("name", &speech.name(open)), ("choices", &after)])
}

/// The choices of a question that has them and does not name them.
fn options(request: &ResponseRequest<'_>, item: &AgendaItem) -> String {
    let field = request.engine.fields_of(&item.obligation).first().and_then(|path| request.engine.field(path));
    let Some(field) = field.filter(|field| field.shape.r#type == Kind::Enum) else { return String::new() };
    let spoken: Vec<String> = field.shape.options.iter().map(|option| option.replace(['_', '-'], " ")).collect();
    let named = spoken.iter().all(|option| item.question.to_lowercase().contains(&option.to_lowercase()));
    if named { String::new() } else { format!(" ({})", spoken.join(", ")) }
}

/// What to say when there is nothing left to ask.
fn ending(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Option<String> {
    let state = &request.memory.completeness;
    if state.is_ready {
        return speech.say("ready", &[]);
    }
    let list = state.gaps.join(", ");
    let open = if list.is_empty() { None } else { speech.say("still_open", &[("list", &list)]) };
    speech.say("ending", &[("open", &open.map(|open| format!(" {open}")).unwrap_or_default())])
}
