//! Pictures of the app in a scenario: drawn without a terminal, compared with the files they must look like.

use std::sync::Arc;

use super::expectation::{Expectations, FrameExpectation};
use super::judge::Unmet;
use super::load::Case;
use crate::app::{Msg, Options};
use crate::catalogue::is_frame;
use crate::decode::{Problems, Spanned};
use crate::engine::figures::TurnFigures;
use crate::engine::step::{Step, TraceEntry};
use crate::files::inside::stays;
use crate::host::protocol::{Endpoint, Event, Snapshot};
use crate::text::sanitise_line;
use crate::ui::frame_export::{to_ansi, to_text};
use crate::ui::headless::HeadlessFrames;
use crate::ui::theme::{ColorDepth, DEFAULT_THEME, Themes};

/// The size of a frame that names none.
const SIZE: (u16, u16) = (120, 40);

/// The largest that is drawn in a test.
const LARGEST: u16 = 400;

/// How many rows that differ are told.
const TOLD: usize = 12;

/// A picture as it was drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnFrame {
    /// The file it belongs into, beside the scenario.
    pub file: String,
    pub text: String,
}

/// What there is to be drawn.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    pub case: &'a Case,
    /// The session after the turn.
    pub snapshot: Snapshot,
    pub figures: &'a TurnFigures,
}

/// Draws every frame that is expected; what does not look as it should is told row by row.
pub(crate) fn judge_frames(expect: &Expectations, scene: &Scene<'_>) -> (Vec<DrawnFrame>, Vec<Unmet>) {
    let (mut drawn, mut failures) = (Vec::new(), Vec::new());
    for wanted in &expect.frames {
        let text = draw(wanted, scene);
        failures.extend(misfit(wanted, &text, scene));
        drawn.push(DrawnFrame { file: wanted.file.value.clone(), text });
    }
    (drawn, failures)
}

fn draw(wanted: &FrameExpectation, scene: &Scene<'_>) -> String {
    let theme = wanted.theme.as_ref().map(|theme| theme.value.clone());
    let options = Options {
        size: wanted.size.as_ref().and_then(|size| parsed(size)).unwrap_or(SIZE),
        theme: theme.clone().unwrap_or_else(|| DEFAULT_THEME.to_owned()),
        endpoint: Endpoint { label: "scenario".to_owned(), offline: true, host: String::new() },
        ..Options::default()
    };
    let mut app = HeadlessFrames::new(options, Themes::built_in(), ColorDepth::TrueColor);
    let title = scene.case.scenario.name.clone();
    let snapshot = Snapshot { id: "scenario".to_owned(), title, ..scene.snapshot.clone() };
    app.send(Msg::host(Event::Opened(Arc::new(snapshot))));
    let frame = app.frame();
    let text = if theme.is_some() { to_ansi(&frame) } else { to_text(&frame) };
    if text.ends_with('\n') { text } else { text + "\n" }
}

fn misfit(wanted: &Spanned<FrameExpectation>, got: &str, scene: &Scene<'_>) -> Option<Unmet> {
    let file = &wanted.file.value;
    let (expected, got) = match scene.case.frames.get(file) {
        Some(expected) if same(expected, got) => return None,
        Some(expected) => different_rows(expected, got),
        None => (format!("a file {file}"), "there is none yet; `elenchus test --update-frames` writes it".to_owned()),
    };
    let drawn = scene.figures.step(Step::Sidebar);
    Some(Unmet {
        file: scene.case.source.name.clone(),
        line: scene.case.line(wanted.span.start),
        turn: scene.snapshot.memory.turn,
        what: format!("frame {file}"),
        expected,
        got,
        trace: drawn.map(TraceEntry::in_words).unwrap_or_default(),
    })
}

/// Compares without the spaces at the ends of rows: they cannot be seen, and editors remove them.
fn same(expected: &str, got: &str) -> bool {
    rows(expected).eq(rows(got))
}

fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.trim_end().lines().map(str::trim_end)
}

/// The rows that differ, as they should be and as they are, each with its number.
fn different_rows(expected: &str, got: &str) -> (String, String) {
    let (expected, got): (Vec<&str>, Vec<&str>) = (rows(expected).collect(), rows(got).collect());
    let row = |rows: &[&str], at: usize| {
        rows.get(at).map_or("(no such row)".to_owned(), |row| sanitise_line(row).into_owned())
    };
    let differing: Vec<usize> =
        (0..expected.len().max(got.len())).filter(|at| expected.get(*at) != got.get(*at)).collect();
    let told = |rows: &[&str]| {
        let told = differing.iter().take(TOLD).map(|at| format!("{:>3} {}", at + 1, row(rows, *at)));
        let rest = differing.len().saturating_sub(TOLD);
        let rest = (rest > 0).then(|| format!("and {rest} rows more"));
        told.chain(rest).collect::<Vec<_>>().join("\n")
    };
    (told(&expected), told(&got))
}

fn parsed(size: &str) -> Option<(u16, u16)> {
    let (columns, rows) = size.split_once('x')?;
    let read = |number: &str| number.trim().parse().ok().filter(|count| (1..=LARGEST).contains(count));
    Some((read(columns)?, read(rows)?))
}

/// Finds what no frame can be drawn for, or kept in.
pub fn check(expect: &Expectations, problems: &mut Problems) {
    let themes = Themes::built_in();
    for FrameExpectation { file, size, theme, .. } in expect.frames.iter().map(|frame| &frame.value) {
        if !stays(file) || !is_frame(file) || file.matches('/').count() > 1 {
            let message = "the file of a frame stands beside the scenario or in a folder there, and ends in .frame";
            problems.error("bad-path", file.span.clone(), message);
        }
        if let Some(size) = size.as_ref().filter(|size| parsed(size).is_none()) {
            let message = format!("`{}` is not a size; write it as 120x40, up to {LARGEST} each", size.value);
            problems.error("bad-size", size.span.clone(), message);
        }
        if let Some(theme) = theme.as_ref().filter(|theme| !themes.names().any(|name| name == theme.as_str())) {
            problems
                .error("unknown-name", theme.span.clone(), format!("the program has no theme `{}`", theme.value))
                .suggest(theme, themes.names());
        }
    }
}
