//! Composes an answer: what was understood, what follows from it, and the next question of the engine.

use super::wording::{inside, is_question, mirrored, sentence, vary};
use crate::engine::config::{Kind, Phase};
use crate::engine::extraction::ChangeKind;
use crate::engine::obligations::AgendaItem;
use crate::engine::ports::ResponseRequest;
use crate::engine::tokens;
use crate::engine::values::brief_text;

/// Points of a summary.
const MAX_POINTS: usize = 6;

/// The answer, and the obligations it asks for.
pub fn compose(request: &ResponseRequest<'_>) -> (String, Vec<String>) {
    let mut parts: Vec<String> = Vec::new();
    if request.memory.turn == 1 {
        parts.push(
            "I work offline: no model is connected. I ask the questions of this interview and take your answers down \
             in your own words."
                .to_owned(),
        );
    }
    let clarifies = is_question(request.message);
    if clarifies {
        parts.push(clarification(request));
    } else {
        parts.extend(taken_up(request));
    }
    if let Some(left) = request.left_phase.and_then(|id| request.engine.phase(id)) {
        parts.extend(closing(request, left));
    }
    let item = request.agenda.first();
    match item {
        Some(item) => parts.push(question(request, item, clarifies)),
        None => parts.push(ending(request)),
    }
    let asked = item.map(|item| vec![item.obligation.clone()]).unwrap_or_default();
    (parts.join("\n\n"), asked)
}

/// The answer to a question of the user's: why the last question was asked, and what is wanted.
fn clarification(request: &ResponseRequest<'_>) -> String {
    let last = request.memory.asked.first().and_then(|asked| request.engine.obligation(&asked.obligation));
    match last {
        Some(obligation) => format!(
            "I can only ask, not explain at length. What I am after here: {}",
            inside(first_sentence(&obligation.description))
        ),
        None => "I can only ask, not explain: without a model I have nothing to teach.".to_owned(),
    }
}

/// What was understood, corrected or set aside.
fn taken_up(request: &ResponseRequest<'_>) -> Option<String> {
    let turn = request.memory.turn;
    let kind = |wanted: ChangeKind| request.changes.iter().find(|change| change.kind == wanted);
    if let Some(change) = kind(ChangeKind::Supersede) {
        let old = change.previous.as_ref().map(|value| clip(&brief_text(value))).unwrap_or_default();
        return Some(format!("I have changed that: “{}” instead of “{old}”.", clip(&brief_text(&change.value))));
    }
    if kind(ChangeKind::Declined).is_some() {
        return Some("That is your right. I will not ask again.".to_owned());
    }
    if kind(ChangeKind::Unknown).is_some() {
        return Some(
            vary(turn, &["That is fine; I note it as open.", "Good to know that it is open; I note that."]).to_owned(),
        );
    }
    if kind(ChangeKind::Cleared).is_some() {
        return Some("I have taken that out.".to_owned());
    }
    if let Some(change) = kind(ChangeKind::New).or_else(|| kind(ChangeKind::Update)) {
        let field = request.engine.field(&change.path);
        return Some(match field.map(|field| field.shape.r#type) {
            Some(Kind::String) => {
                let said = mirrored(&brief_text(&change.value));
                format!("{} {said}.", vary(turn, &["Understood:", "I have noted:", "As I understand it:"]))
            }
            Some(Kind::Array) => {
                format!("{} {}.", vary(turn, &["I have:", "Noted:"]), clip(&brief_text(&change.value)))
            }
            Some(Kind::Boolean) => vary(turn, &["Good.", "Noted.", "Understood."]).to_owned(),
            _ => {
                format!("{}: {}.", field.map_or("Noted", |field| field.name.as_str()), clip(&brief_text(&change.value)))
            }
        });
    }
    let missed = !request.memory.asked.is_empty() && request.changes.is_empty() && turn > 1;
    missed.then(|| "I could not make a note out of that.".to_owned())
}

/// What a phase brought, said back at its end so that it can be corrected.
fn closing(request: &ResponseRequest<'_>, left: &Phase) -> Option<String> {
    let points = points(request, |category| left.covers.iter().any(|covered| **covered == *category));
    if points.len() < 2 {
        return None;
    }
    let list: Vec<String> = points.iter().map(|point| format!("- {point}")).collect();
    Some(format!(
        "That is “{}” for now. What I have:\n{}\n\nSay so if one of these is wrong.",
        left.name,
        list.join("\n")
    ))
}

/// The settled obligations of some categories with what is known of them.
fn points(request: &ResponseRequest<'_>, belongs: impl Fn(&str) -> bool) -> Vec<String> {
    let own = request.engine.definition().obligations.iter().filter(|o| belongs(&o.category));
    let known = own.filter_map(|obligation| {
        let path = request.engine.fields_of(&obligation.id).first()?;
        let value = request.memory.extraction.value(path)?;
        Some(format!("{}: {}", obligation.label, clip(&brief_text(value))))
    });
    known.take(MAX_POINTS).collect()
}

fn question(request: &ResponseRequest<'_>, item: &AgendaItem, clarified: bool) -> String {
    if let Some((path, value)) = item.to_confirm.first() {
        let name = request.engine.field(path).map_or(path.as_str(), |field| field.name.as_str());
        return format!("On “{}”, I understood: {}. Is that right?", name, clip(&mirrored(&brief_text(value))));
    }
    let obligation = request.engine.obligation(&item.obligation);
    let confirms = obligation.is_some_and(|o| o.when.is_some());
    if confirms && item.times_asked == 0 {
        let all = points(request, |_| true);
        if all.len() >= 2 {
            let list: Vec<String> = all.iter().map(|point| format!("- {point}")).collect();
            return format!("This is what I have understood:\n{}\n\n{}", list.join("\n"), item.question);
        }
    }
    let again = item.times_asked > 0 && !clarified;
    let lead = if again {
        format!("Put differently, I am after this: {}\n\n", inside(first_sentence(&item.description)))
    } else {
        String::new()
    };
    format!("{lead}{}{}", item.question, options(request, item))
}

/// The choices of a question that has them.
fn options(request: &ResponseRequest<'_>, item: &AgendaItem) -> String {
    let field = request.engine.fields_of(&item.obligation).first().and_then(|path| request.engine.field(path));
    let Some(field) = field.filter(|field| field.shape.r#type == Kind::Enum) else { return String::new() };
    let spoken: Vec<String> = field.shape.options.iter().map(|option| option.replace(['_', '-'], " ")).collect();
    let named = spoken.iter().all(|option| item.question.to_lowercase().contains(&option.to_lowercase()));
    if named { String::new() } else { format!(" ({})", spoken.join(", ")) }
}

/// What to say when there is nothing left to ask.
fn ending(request: &ResponseRequest<'_>) -> String {
    let state = &request.memory.completeness;
    let share = (state.overall * 100.0).round();
    if state.is_ready {
        return format!(
            "I have what I need: the picture is {share} % complete. Your brief is ready; you can still add to it or \
             correct it."
        );
    }
    let gaps: Vec<&str> = state.gaps.iter().take(4).map(String::as_str).collect();
    let open = if gaps.is_empty() { String::new() } else { format!(" Still open: {}.", gaps.join(", ")) };
    format!("{} The picture is {share} % complete.{open}", sentence("that is all I can ask."))
}

fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end].trim()
}

/// A value short enough to be said back, without a question mark that would pass for a question.
fn clip(text: &str) -> String {
    let cut = tokens::cut(text, 24);
    let dots = if cut.len() < text.trim_end().len() { " …" } else { "" };
    format!("{}{dots}", cut.trim_end_matches(['.', '!', '?', ',']).replace('?', ""))
}
