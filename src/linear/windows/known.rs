//! What is known, in words: the review, the evidence behind a point, and what would be handed over.

use super::super::window::{Behind, Choice, Takes, Way, Window};
use crate::app::direct::Direct;
use crate::app::keymap::Motion;
use crate::app::model::Model;
use crate::app::overlay::{Evidence, FormLine, HandoffReview, field_cards, status_word};
use crate::app::review::words::wanted;
use crate::app::review::{FieldEdit, FieldLine, Input, Review, Standing, lines};
use crate::engine::memory::Status;
use crate::ui::overlays::in_words;
use crate::words::Words;

/// Every field, each with its value, the words it came from and how it stands.
pub(super) fn review(model: &Model, review: &Review) -> Window {
    let words = model.words;
    let Some(session) = &model.session else { return Window::default() };
    let lines = lines(session, words);
    if let Some(edit) = &review.editing {
        return edited(lines.iter().find(|line| line.field.path == edit.path), edit, words);
    }
    let mut section = "";
    let choice = |(at, line): (usize, &FieldLine<'_>)| Choice {
        does: Direct::Do(Motion::Change),
        words: Behind::OpenWriteAndKeep,
        ..Choice::opened(field(line, words), at)
    };
    let mut choices: Vec<Choice> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        section = line.section.unwrap_or(section);
        let Choice { label, .. } = choice((at, line));
        choices.push(Choice { label: format!("{section}: {label}"), ..choice((at, line)) });
    }
    let agree = Choice { does: Direct::Do(Motion::Open), ..Choice::opened(words.review.agree(), lines.len()) };
    choices.push(agree);
    Window {
        title: words.review.title().to_owned(),
        choices,
        ways: vec![
            Way::of_choice(words.footer.later(), Motion::Later),
            Way::of_choice(words.footer.forget(), Motion::Clear),
            Way::of(words.footer.yes(), Motion::Accept),
        ],
        ..Window::default()
    }
}

fn field(line: &FieldLine<'_>, words: &Words) -> String {
    let says = &words.review;
    let mut parts = Vec::new();
    match line.shown() {
        Some(value) => parts.push(value.split('\n').collect::<Vec<_>>().join("; ")),
        None if line.standing == Standing::Open => parts.push(says.nothing_yet().to_owned()),
        None => {}
    }
    parts.extend(line.said(says));
    if line.standing != Standing::Open {
        parts.push(line.standing.word(says).to_owned());
    }
    parts.extend(line.otherwise(says));
    format!("{}: {}", line.field.name, parts.join("; "))
}

/// The field that is being changed: what it is, what is wanted, and its choices where it has some.
fn edited(line: Option<&FieldLine<'_>>, edit: &FieldEdit, words: &Words) -> Window {
    let Some(line) = line else { return Window::default() };
    let mut says: Vec<String> =
        edit.problem.iter().map(|problem| format!("{}: {problem}", words.linear.warning())).collect();
    let now = edit.text();
    match &edit.input {
        Input::Text(_) if !now.is_empty() => says.push(words.linear.now_is(now.replace('\n', "; "))),
        Input::Text(_) => {}
        Input::Choice { .. } => says.extend(line.shown().map(|value| words.linear.now_is(value))),
    }
    says.extend(Some(wanted(&line.field.shape, &words.review)).filter(|wanted| !wanted.is_empty()));
    let choices = match &edit.input {
        Input::Text(_) => Vec::new(),
        Input::Choice { options, .. } => {
            options.iter().enumerate().map(|(at, (label, _))| Choice::opened(label, at)).collect()
        }
    };
    Window { title: words.lists.value_of(&line.field.name), says, choices, takes: Takes::Value, ..Window::default() }
}

/// The evidence behind a point.
pub(super) fn evidence(model: &Model, card: &Evidence) -> Window {
    let words = model.words;
    let Some(session) = &model.session else { return Window::default() };
    let Some(obligation) = session.engine.obligation(&card.obligation) else { return Window::default() };
    let status = session.memory.obligations.get(&card.obligation).map_or(Status::Pending, |state| state.status);
    let fields = field_cards(session, &card.obligation);
    let choices = fields.into_iter().enumerate().map(|(at, field)| {
        let known = in_words::field(field, words).join("; ");
        Choice::opened(format!("{}: {known}", field.field.name), at)
    });
    Window {
        title: obligation.name.clone(),
        says: vec![obligation.question.clone(), status_word(status, &words.evidence).to_owned()],
        choices: choices.collect(),
        ways: vec![
            Way::of_choice(words.footer.change(), Motion::Change),
            Way::of_choice(words.footer.forget(), Motion::Clear),
            Way::of(words.footer.later(), Motion::Later),
        ],
        ..Window::default()
    }
}

/// What would be handed over, part by part.
pub(super) fn handoff(review: &HandoffReview, words: &Words) -> Window {
    let says = &words.handoff;
    if let Some(edit) = &review.editing {
        let text = edit.text();
        let mut lines: Vec<String> =
            (!text.is_empty()).then(|| words.linear.now_is(text.replace('\n', "; "))).into_iter().collect();
        lines.push(says.without_words().to_owned());
        return Window {
            title: edit.part.title(says).to_owned(),
            says: lines,
            takes: Takes::Value,
            ..Window::default()
        };
    }
    let line = |(at, line): (usize, FormLine)| {
        let label = match line {
            FormLine::Title(part) if part.count(&review.handoff) == 0 => says.nothing_in(part.title(says)),
            FormLine::Title(part) => part.title(says).to_owned(),
            FormLine::Item(part, item) => {
                let shown = part.shown(&review.handoff, says).get(item).cloned().unwrap_or_default();
                format!("{}: {shown}", part.title(says))
            }
        };
        Choice { words: Behind::OpenWriteAndKeep, ..Choice::opened(label, at) }
    };
    let problems = review.problems.iter().map(|problem| format!("{}: {problem}", words.linear.warning()));
    Window {
        title: review.label.clone(),
        says: std::iter::once(says.goes_on_to(&review.target)).chain(problems).collect(),
        choices: review.lines().into_iter().enumerate().map(line).collect(),
        ways: vec![
            Way::of_choice(words.footer.forget(), Motion::Clear),
            Way::of(words.footer.hand_over(), Motion::Accept),
            Way::of(words.footer.decline(), Motion::Decline),
        ],
        ..Window::default()
    }
}
