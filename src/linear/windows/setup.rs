//! Endpoints, settings and the doctor in words.

use super::super::window::{Behind, Choice, Takes, Way, Window};
use crate::app::keymap::Motion;
use crate::app::model::Model;
use crate::app::setup::examination::{Examination, State};
use crate::app::setup::form::Row;
use crate::app::setup::words::takes_effect;
use crate::app::setup::{EndpointForm, SettingsScreen};
use crate::host::protocol::{Kind, Outcome, Setting};
use crate::words::Words;

/// The form for an endpoint: a number and words fill a line in.
pub(super) fn endpoint(model: &Model, form: &EndpointForm) -> Window {
    let (words, says) = (model.words, &model.words.setup);
    let mut told: Vec<String> = Vec::new();
    if !form.leads.host.is_empty() {
        let key =
            if form.leads.key.is_empty() { says.without_key().to_owned() } else { says.with_key(&form.leads.key) };
        let host = &form.leads.host;
        told.push(if form.leads.here { says.words_go_here(host, key) } else { says.words_go_to(host, key) });
    }
    let problem = form.problem.as_ref().or(form.leads.problem.as_ref());
    told.extend(problem.map(|problem| format!("{}: {problem}", words.linear.warning())));
    let test = form.test.as_ref().map(|test| findings(test, words));
    let waits = form.asks_for_models || form.test.as_ref().is_some_and(Examination::is_running);
    let choice = |(at, row): (usize, &Row)| {
        let label = row.label(form, says);
        let value = match row {
            Row::Address => form.address.text().to_owned(),
            Row::Model => form.model.text().to_owned(),
            Row::KeyPlace => form.place.text().to_owned(),
            Row::Name => form.name.text().to_owned(),
            Row::Use => if form.in_use { words.footer.yes() } else { words.footer.no() }.to_owned(),
            Row::Provider | Row::Protocol | Row::Key => form.choice(*row, says).unwrap_or_default(),
            Row::Test | Row::Save => String::new(),
        };
        let options = form.options(*row, says);
        let one_of = (!options.is_empty()).then(|| words.linear.one_of(options.join(", ")));
        let value = Some(value).filter(|value| !value.is_empty());
        let said: Vec<String> = value.into_iter().chain(one_of).collect();
        let label = if said.is_empty() { label.to_owned() } else { format!("{label}: {}", said.join("; ")) };
        let behind = if matches!(row, Row::Use | Row::Test | Row::Save) { Behind::Nothing } else { Behind::Write };
        Choice { words: behind, ..Choice::opened(label, at) }
    };
    Window {
        title: says.form().to_owned(),
        says: told.into_iter().chain(test.into_iter().flatten()).collect(),
        choices: form.rows().iter().enumerate().map(choice).collect(),
        waits,
        ..Window::default()
    }
}

/// All settings: a number alone takes the next choice or asks for a value, a number and a value sets it.
pub(super) fn settings(screen: &SettingsScreen, words: &Words) -> Window {
    let says = &words.setup;
    let problem = screen.editing.as_ref().and_then(|edit| edit.problem.as_ref()).or(screen.problem.as_ref());
    let told: Vec<String> =
        problem.map(|problem| format!("{}: {problem}", words.linear.warning())).into_iter().collect();
    // What is on its way to the file is no question any more.
    if screen.editing.as_ref().is_some_and(|edit| !edit.sent) {
        let Some(setting) = screen.current() else { return Window::default() };
        let about =
            [setting.about.clone(), words.linear.now_is(&setting.value), takes_effect(setting.effect, says).to_owned()];
        let about = about.into_iter().filter(|text| !text.is_empty());
        return Window {
            title: words.lists.value_of(setting.path.join(".")),
            says: told.into_iter().chain(about).collect(),
            takes: Takes::Value,
            ..Window::default()
        };
    }
    let choice = |(at, setting): (usize, &Setting)| {
        let options = match &setting.kind {
            Kind::Choice(options) if !options.is_empty() => format!(" ({})", words.linear.one_of(options.join(", "))),
            Kind::Flag => format!(" ({})", words.linear.one_of("true, false")),
            _ => String::new(),
        };
        let path = setting.path.join(".");
        let label = format!("{path} = {} ({}); {}{options}", setting.value, setting.from, setting.about);
        Choice { words: Behind::WriteAndKeep, ..Choice::opened(label, at) }
    };
    Window {
        title: says.settings().to_owned(),
        says: told,
        choices: screen.all.iter().enumerate().map(choice).collect(),
        ways: vec![Way::of_choice(words.footer.forget(), Motion::Clear)],
        waits: screen.all.is_empty(),
        ..Window::default()
    }
}

/// What works and what does not, as it is found.
pub(super) fn doctor(examination: &Examination, words: &Words) -> Window {
    let running = examination.is_running();
    Window {
        title: words.setup.doctor().to_owned(),
        says: findings(examination, words),
        ways: examination.may_try().then(|| Way::of(words.footer.try_model(), Motion::Accept)).into_iter().collect(),
        waits: running,
        only_says: !running && !examination.may_try(),
        ..Window::default()
    }
}

fn findings(examination: &Examination, words: &Words) -> Vec<String> {
    let found = examination.findings.iter().map(|finding| {
        let how = match finding.outcome {
            Outcome::Works => words.linear.works(),
            Outcome::Fails => words.linear.fails(),
            Outcome::Unknown => words.linear.unknown(),
        };
        format!("{how}: {}: {}", finding.area, finding.words.lines().collect::<Vec<_>>().join("; "))
    });
    let fails = examination.findings.iter().filter(|finding| finding.outcome == Outcome::Fails).count();
    let says = &words.setup;
    let end = match examination.state {
        State::Running => None,
        State::Stopped => Some(says.stopped().to_owned()),
        State::Done if fails == 0 => Some(says.nothing_wrong().to_owned()),
        State::Done => Some(says.things_wrong(fails)),
    };
    found.chain(end).collect()
}
