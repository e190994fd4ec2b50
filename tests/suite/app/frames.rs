//! Frames: every pane, overlay and state as text, at the sizes at which it differs.

use std::sync::Arc;

use elenchus::app::{Msg, Options};
use elenchus::engine::budget::{Cap, OverBudget};
use elenchus::engine::figures::TurnFigures;
use elenchus::engine::memory::{ExitOffer, TaskRecord, TaskStatus};
use elenchus::engine::step::{Step, TraceEntry};
use elenchus::host::protocol::{
    Answer, Endpoint, Event, ModelChoice, ModelsFound, Notice, SearchHit, SessionNews, Shelves, TrustDetail,
    TrustQuestion, TrustedAct, TurnFailure, TurnNews,
};
use elenchus::tasks::TaskEvent;
use elenchus::ui::frame_export::to_text;
use elenchus::ui::headless::HeadlessFrames;
use elenchus::ui::theme::{ColorDepth, Themes};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use serde_json::{Value, json};

use super::support::{App, engine, in_german, key, language, listed, opened, sessions};

/// The sidebar beside the chat.
pub(super) const WIDE: (u16, u16) = (120, 40);
/// The sidebar as a drawer.
pub(super) const USUAL: (u16, u16) = (80, 24);
/// As wide as usual, and all of a page in view.
pub(super) const TALL: (u16, u16) = (80, 34);
/// Hardly room for anything.
pub(super) const NARROW: (u16, u16) = (40, 12);
/// The panes themselves are drawn at all of these.
pub(super) const EVERY: [(u16, u16); 5] = [(200, 60), WIDE, USUAL, NARROW, (20, 5)];

/// The app with frames.
pub(super) struct Screen(pub HeadlessFrames);

impl Screen {
    pub fn at(size: (u16, u16), ascii: bool) -> Self {
        let options = Options { size, ascii, language: language(), ..Options::default() };
        Self(HeadlessFrames::new(options, Themes::built_in(), ColorDepth::TrueColor))
    }

    pub fn in_session(size: (u16, u16), ascii: bool) -> Self {
        let mut screen = Self::at(size, ascii);
        screen.0.send(Msg::host(Event::Opened(Arc::new(opened(&engine("project-discovery"))))));
        screen
    }

    /// A session with a turn behind it: something is known, and something was answered in markdown.
    pub fn talked(size: (u16, u16), ascii: bool) -> Self {
        let mut screen = Self::in_session(size, ascii);
        let mut app = App { model: screen.0.model.clone() };
        let quote = "Nurses retype paper forms into two systems";
        let readings = [("purpose_and_problem.core_problem", json!("Nurses retype forms"), 0.92, quote)];
        let answer = "That sounds tiring.\n\n- **How often** does it happen?\n- Who notices first?\n\n```rust\nfn retype() {}\n```";
        app.turn(&format!("{quote} every morning, and mistakes slip in."), answer, &readings);
        screen.0.model = app.model;
        screen
    }

    pub fn press(&mut self, keys: &str) -> &mut Self {
        for name in keys.split_whitespace() {
            self.0.send(Msg::Key(key(name)));
        }
        self
    }

    pub fn write(&mut self, text: &str) -> &mut Self {
        self.0.send(Msg::Paste(text.to_owned()));
        self
    }

    pub fn send(&mut self, msg: Msg) -> &mut Self {
        self.0.send(msg);
        self
    }

    pub fn text(&mut self) -> String {
        to_text(&self.0.frame())
    }

    /// The part of the frame that the topmost overlay covers.
    pub fn overlay(&mut self) -> Buffer {
        let frame = self.0.frame();
        let top = self.0.model.overlays.pop().expect("an overlay is open");
        let below = self.0.frame();
        self.0.model.overlays.push(top);
        // Its box begins at the first corner that is not there without it.
        let is = |at: Position, corner: &str| frame[at].symbol() == corner;
        let first = frame.area.positions().find(|at| is(*at, "╭") && below[*at].symbol() != "╭").expect("it has a box");
        let last = (first.y..frame.area.bottom()).find(|y| is(Position::new(first.x, *y), "╰")).expect("a last row");
        // A toast may cover the right corner above.
        let right = (first.x..frame.area.right()).find(|x| is(Position::new(*x, last), "╯")).expect("a right side");
        let area = Rect::new(first.x, first.y, right + 1 - first.x, last + 1 - first.y);
        let mut overlay = Buffer::empty(area);
        for at in area.positions() {
            overlay[at] = frame[at].clone();
        }
        overlay
    }

    /// A next step is on offer.
    pub fn offer(&mut self, problems: &[&str]) -> &mut Self {
        Arc::make_mut(&mut self.0.model.session.as_mut().unwrap().memory).exit_offer = Some(offer(problems));
        self
    }

    /// Places where something was said are found.
    pub fn found(&mut self) -> &mut Self {
        let hit = |session: &str, title: &str, turn, excerpt: &str| SearchHit {
            session: session.to_owned(),
            title: title.to_owned(),
            turn,
            excerpt: excerpt.to_owned(),
        };
        let hits = vec![
            hit("01", "Clinic intake app", 1, "Nurses retype paper forms into two systems every morning"),
            hit("02", "Warehouse rota", 12, "the forms that drivers hand in are read by nobody until the week is over"),
            hit("03", "漢字 and a title that is far too long for the column it is given", 3, "no forms"),
        ];
        self.press("ctrl-s")
            .write("forms")
            .send(Msg::host(Event::Answer(Answer::Search { query: "forms".to_owned(), hits })))
    }

    /// The models have come.
    pub fn models(&mut self) -> &mut Self {
        let model = |id: &str, label: &str, detail: &str| ModelChoice {
            id: id.to_owned(),
            label: label.to_owned(),
            detail: detail.to_owned(),
            in_use: id.is_empty(),
        };
        let models = vec![
            model("", "offline interviewer", "asks the engine's own questions; no network"),
            model("gpt-x", "gpt-x", "your endpoint"),
            model("http://127.0.0.1:11434/v1 llama3.1", "llama3.1", "Ollama on this machine"),
        ];
        self.press("alt-m").send(Msg::host(Event::Answer(Answer::Models(ModelsFound { models, looking: false }))))
    }
}

/// What would be handed over, with something in every section.
fn offer(problems: &[&str]) -> ExitOffer {
    let handoff = serde_json::from_value(json!({
        "phase_results": [{ "phase_name": "Purpose", "completion_percentage": 80,
            "key_outputs": "Nurses retype forms; mistakes slip in", "remaining_gaps": ["budget"] }],
        "action_list": {
            "decisions_reached": [{ "decision": "Replace the paper forms", "confidence": 0.9,
                "reasoning": "they are retyped twice, and every mistake in them reaches a patient sooner or later" }],
            "options_eliminated": [{ "option": "A second nurse", "reasons": ["nobody can be found"] }],
            "constraints_identified": [{ "constraint": "Live by March", "implication": "one clinic first" }],
            "assumptions_carried_forward": [{ "assumption": "Tablets are there", "warrant_review": true }],
        },
        "situation_awareness": { "user_goals": ["No retyping"], "key_pain_points": ["Mornings are lost"],
            "knowledge_gaps_revealed": ["What the second system accepts"] },
    }));
    ExitOffer {
        exit_id: "explore".to_owned(),
        target: "exploration".to_owned(),
        label: "Weigh the options".to_owned(),
        since_turn: 1,
        handoff: handoff.unwrap(),
        problems: problems.iter().map(|problem| (*problem).to_owned()).collect(),
    }
}

/// A line of the trace.
fn step(step: Step, outcome: &str, details: &Value) -> TraceEntry {
    let entry =
        json!({ "step": step.number(), "name": step.name(), "ms": 0.1, "outcome": outcome, "details": details });
    serde_json::from_value(entry).unwrap()
}

/// The figures of a turn as the store keeps them: modes that come closer to their target turn by turn, and two calls.
fn figures(turn: u32) -> TurnFigures {
    let off = 40.0 / f64::from(turn);
    let call = |role: &str, sent: u32, received: u32, ms: u32| {
        json!({ "role": role, "model": "a-model-of-some-length-2026", "input_tokens": sent, "cached_tokens": sent / 2,
            "output_tokens": received, "cost_usd": 0.0042, "latency_ms": ms, "estimated": role == "analyse" })
    };
    let figures = json!({
        "turn": turn,
        "phase": "CORE_CAPTURE",
        "saturation": 0.2,
        "completeness": 0.4,
        "modes": {
            "observed": [60.0 - off, 30.0 + off / 2.0, 10.0, 0.0, off / 2.0, 0.0, 0.0],
            "drift": null,
            "target": { "extract": if turn < 20 { 75 } else { 60 }, "inform": 25, "validate": 15 },
        },
        "calls": [call("analyse", 3120, 210, 1_840), call("respond", 5_400, 96, 12_345)],
        "context": [
            { "section": "phase", "tokens": 420, "budget": 1200, "cut": false },
            { "section": "history", "tokens": 3100, "budget": 3100, "cut": true },
            { "section": "handoff", "tokens": 0, "budget": 800, "cut": false },
        ],
        "changes": [{ "path": "users.count", "kind": "supersede", "value": 40, "previous": 30, "confidence": 0.9,
            "evidence": { "turn": 3, "start": 0, "end": 25, "quote": "not thirty, forty of them" }, "reason": "the user put it right" }],
        "warnings": ["An expression of the engine failed and scored 0: evaluator `ready`"],
        "steps": Step::ALL[..17].iter().map(|at| step(*at, "as it should", &told(*at))).collect::<Vec<_>>(),
    });
    serde_json::from_value(figures).unwrap()
}

/// What a step tells as data.
fn told(at: Step) -> Value {
    match at {
        Step::Extraction => json!({
            "changes": [],
            "refused": [{ "path": "users.names", "reason": "the quote stands nowhere in what the user wrote" }],
            "repaired": false,
        }),
        Step::PhaseTransitionEvaluation => json!({
            "target": null,
            "ways": [{
                "to": "USERS",
                "fired": true,
                "triggers": [
                    { "condition": "obligation_satisfaction", "about": "purpose", "value": 0.8, "threshold": 0.75, "holds": true },
                    { "condition": "turn_count", "value": 3.0, "threshold": 12.0, "holds": false },
                ],
                "entry": [{ "condition": "custom_evaluator", "about": "trust", "value": 0.4, "threshold": 0.5, "holds": false }],
                "blocked_by": ["checkpoint core_problem is partial", "USERS is entered from custom_evaluator trust ≥ 0.50, it is 0.40"],
            }],
            "faults": ["evaluator `ready`: undefined value"],
        }),
        Step::TechniqueSelection => json!({
            "considered": [
            { "id": "open_ended_questions", "score": 1.32, "cooldown_left": 0, "chosen": true },
            { "id": "summary_reflection", "score": 0.61, "cooldown_left": 2, "chosen": false },
            { "id": "teach_back", "score": 0.2, "cooldown_left": 0, "chosen": false },
        ],
            "agenda": [],
        }),
        _ => json!(null),
    }
}

/// Draws a state at several sizes into one snapshot, and a pane that is drawn at all of them in German too.
pub(super) fn drawn(name: &str, sizes: &[(u16, u16)], mut state: impl FnMut((u16, u16)) -> Screen) {
    let mut frames = || {
        let frames = sizes.iter().map(|size| format!("── {} × {} ──\n{}", size.0, size.1, state(*size).text()));
        frames.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(name, frames());
    if sizes == EVERY {
        insta::assert_snapshot!(format!("{name}_de"), in_german(frames));
    }
}

/// Draws the overlay of a state at several sizes into one snapshot: where it is, what it shows, and the keys below.
pub(super) fn overlaid(name: &str, sizes: &[(u16, u16)], mut state: impl FnMut((u16, u16)) -> Screen) {
    let mut draw = |size: &(u16, u16)| {
        let mut screen = state(*size);
        let (overlay, text) = (screen.overlay(), screen.text());
        let place =
            format!("{} × {} at {}, {}", overlay.area.width, overlay.area.height, overlay.area.x, overlay.area.y);
        let keys = text.lines().last().unwrap_or_default();
        format!("── {} × {}: {place} ──\n{}{keys}\n", size.0, size.1, to_text(&overlay))
    };
    let mut all = || sizes.iter().map(&mut draw).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(name, all());
    // The inspector is for designers, and English.
    if !name.starts_with("inspector") {
        insta::assert_snapshot!(format!("{name}_de"), in_german(all));
    }
}

#[test]
fn the_first_screen() {
    drawn("picker_empty", &[USUAL, NARROW], |size| Screen::at(size, false));
    drawn("picker", &EVERY, |size| {
        let mut screen = Screen::at(size, false);
        screen.send(Msg::host(Event::Answer(listed(sessions(), Shelves::default()))));
        screen
    });
}

#[test]
fn a_session() {
    drawn("session_new", &[USUAL, NARROW], |size| Screen::in_session(size, false));
    drawn("session_talked", &EVERY, |size| Screen::talked(size, false));
    drawn("session_ascii", &[WIDE, NARROW], |size| Screen::talked(size, true));
}

#[test]
fn an_answer_on_its_way() {
    drawn("session_streaming", &[USUAL, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        screen.write("About forty forms a day.").press("enter");
        screen.send(Msg::host(Event::Turn(TurnNews::Step(Box::new(step(
            Step::CompressionCheck,
            "it fits",
            &json!(null),
        ))))));
        screen.send(Msg::host(Event::Turn(TurnNews::Delta("Forty a day. And **who** ch".to_owned()))));
        screen.send(Msg::Clock(std::time::Duration::from_secs(3)));
        screen
    });
}

#[test]
fn what_went_wrong_is_told() {
    drawn("session_error", &[USUAL, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        screen.write("Hello").press("enter");
        let problem = "The endpoint answered 401: check the key in OPENAI_API_KEY";
        screen.send(Msg::host(Event::Turn(TurnNews::Failed(TurnFailure::Endpoint(problem.to_owned())))));
        screen.send(Msg::host(Notice::warning("a second thing".to_owned())));
        screen
    });
}

#[test]
fn a_stalled_task_and_a_spent_budget() {
    drawn("session_task_and_budget", &[WIDE, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        let task = |id: &str, name: &str, status, note: Option<&str>| {
            let note = note.map(ToOwned::to_owned);
            let (id, name) = (id.into(), name.into());
            let record = TaskRecord { id, name, status, since_turn: 1, attempts: 1, note, ..TaskRecord::default() };
            Msg::host(Event::Task(TaskEvent::Changed(record)))
        };
        screen.send(task("scan", "Competitor scan", TaskStatus::Running, Some("3 of 12 pages read")));
        screen.send(task("prices", "Price research", TaskStatus::NeedsUser, Some("a login is needed")));
        screen.send(Msg::Clock(std::time::Duration::from_secs(12)));
        let session = screen.0.model.session.as_mut().unwrap();
        Arc::make_mut(&mut session.memory).usage.cost_usd = 1.24;
        session.sidebar.budget.as_mut().unwrap().spent_usd = 1.24;
        screen.press("esc");
        screen
    });
}

#[test]
fn the_sidebar_as_a_drawer_and_the_evidence_card() {
    drawn("sidebar_focused", &[WIDE, USUAL, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        screen.press("tab down down down");
        screen
    });
    overlaid("evidence", &[USUAL, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        screen.press("tab down down down enter");
        screen
    });
    drawn("evidence_jumped_to", &[USUAL, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        screen.press("tab down down down enter enter");
        screen
    });
}

#[test]
fn overlays() {
    for (name, keys) in [
        ("palette", "ctrl-p"),
        ("help", "F1"),
        ("theme", "alt-t"),
        ("search", "ctrl-s"),
        ("models_awaited", "alt-m"),
        ("phases", "alt-p"),
        ("defer", "alt-l"),
        ("correct", "alt-c"),
        ("rename", "alt-n"),
        ("undo", "alt-u"),
        ("inspector", "F2"),
        ("inspector_triggers", "F2 tab"),
        ("inspector_extraction", "F2 tab tab tab tab tab"),
    ] {
        let sizes: &[_] = match name {
            // These two show how an overlay finds its place.
            "palette" => &[(200, 60), USUAL, NARROW, (20, 5)],
            "inspector" => &[(200, 30), NARROW, (20, 5)],
            // Longer than any window.
            "help" => &[(80, 60), NARROW],
            _ => &[USUAL, NARROW],
        };
        overlaid(name, sizes, |size| {
            let mut screen = Screen::talked(size, false);
            screen.press(keys);
            screen
        });
    }
}

#[test]
fn tasks_show_what_they_found_and_what_they_would_run() {
    let task = |status, note: &str, result| {
        let (id, name, note) = ("scan".into(), "Competitor scan".into(), Some(note.to_owned()));
        let record = TaskRecord { id, name, status, since_turn: 2, attempts: 2, result, note, ..TaskRecord::default() };
        Msg::host(Event::Task(TaskEvent::Changed(record)))
    };
    overlaid("task_done", &[USUAL, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        let found = json!({
            "summary": "Three products do this; none is made for small clinics.",
            "risks": ["two of them are cheap", "one is known to reception staff"],
            "rivals": [{ "name": "BookIt", "price": 49 }, { "name": "Praxis", "price": 120 }],
        });
        screen.send(task(TaskStatus::Completed, "from the model m1", Some(found)));
        screen.press("alt-b enter");
        screen
    });
    overlaid("task_asks_for_leave", &[USUAL, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        screen.send(task(TaskStatus::NeedsUser, "this engine would run /usr/bin/scan: look at it", None));
        let acts = vec![
            TrustedAct {
                words: "run /usr/bin/scan --all \"clinics in town\"".to_owned(),
                handler: "scan".to_owned(),
                tasks: vec!["Competitor scan".to_owned()],
                details: vec![TrustDetail {
                    heading: "exactly".to_owned(),
                    lines: vec!["program: /usr/bin/scan".to_owned(), "argument 1: --all".to_owned()],
                }],
            },
            TrustedAct {
                words: "send what is known of the conversation to https://example.org/prices".to_owned(),
                handler: "prices".to_owned(),
                tasks: vec!["Price research".to_owned(), "Market size".to_owned()],
                details: Vec::new(),
            },
        ];
        let question = TrustQuestion {
            digest: "d".to_owned(),
            origin: "engines/own".to_owned(),
            acts,
            files: vec![TrustDetail {
                heading: "all.txt, 15 bytes".to_owned(),
                lines: vec!["clinics in town".to_owned()],
            }],
            held_by: Some("none: install bubblewrap".to_owned()),
            obstacles: Vec::new(),
            doubt: None,
        };
        screen.send(Msg::host(Event::Session(SessionNews::Trust(Some(question)))));
        screen.press("esc alt-b enter");
        screen
    });
}

#[test]
fn the_question_at_the_cap() {
    overlaid("over_budget", &[USUAL, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        let reached = OverBudget { cap: Cap::SessionUsd, limit: 1.0, spent: 0.98, needed: 0.05 };
        screen.write("Forty a day.").press("enter");
        screen.send(Msg::host(Event::Turn(TurnNews::Failed(TurnFailure::OverBudget(reached)))));
        screen
    });
}

#[test]
fn the_review_of_a_handoff() {
    overlaid("handoff", &[TALL, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        screen.offer(&[]).write("/handoff").press("enter");
        screen
    });
    overlaid("handoff_changed", &EVERY, |size| {
        let mut screen = Screen::talked(size, false);
        screen.offer(&[]).write("/handoff").press("enter down enter ctrl-j").write("and that is why");
        screen
    });
    overlaid("handoff_with_a_problem", &[TALL, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        screen.offer(&["nothing was decided yet"]).write("/handoff").press("enter");
        screen
    });
}

#[test]
fn lists_that_come_from_outside() {
    overlaid("search_found", &EVERY, |size| {
        let mut screen = Screen::talked(size, false);
        screen.found();
        screen
    });
    overlaid("models", &[USUAL, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        screen.models();
        screen
    });
}

#[test]
fn what_answers_is_said_when_it_is_not_offline() {
    drawn("picker_with_an_endpoint", &[USUAL, NARROW], |size| {
        let mut screen = Screen::at(size, false);
        screen.send(Msg::host(Event::Endpoint(Endpoint {
            label: "gpt-x".to_owned(),
            offline: false,
            host: "models.example.com".to_owned(),
        })));
        screen.send(Msg::host(Event::Answer(listed(Vec::new(), Shelves::default()))));
        screen
    });
}

#[test]
fn the_inspector_shows_every_page_of_a_turn_that_was_kept() {
    for (at, name) in ["steps", "triggers", "techniques", "modes", "context", "extraction", "calls"].iter().enumerate()
    {
        let wide = if *name == "steps" { TALL } else { USUAL };
        overlaid(&format!("inspector_kept_{name}"), &[wide, NARROW], |size| {
            let mut screen = Screen::in_session(size, false);
            Arc::make_mut(&mut screen.0.model.session.as_mut().unwrap().memory).turn = 40;
            screen.send(Msg::host(Event::Answer(Answer::Figures(
                (1..=40).map(|turn| (turn, Some(figures(turn)))).collect(),
            ))));
            screen.press("F2").press(&"tab ".repeat(at));
            screen
        });
    }
}

#[test]
fn the_inspector_shows_the_turn_under_way_as_far_as_it_has_come() {
    overlaid("inspector_under_way", &[TALL, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        screen.write("Forty.").press("enter F2");
        screen.send(Msg::host(Event::Turn(TurnNews::Step(Box::new(step(
            Step::PreProcessing,
            "turn 2",
            &json!(null),
        ))))));
        let learned = json!({ "changes": [], "refused": [], "repaired": false });
        screen.send(Msg::host(Event::Turn(TurnNews::Step(Box::new(step(Step::Extraction, "0 accepted", &learned))))));
        screen
    });
}

#[test]
fn the_help_lists_exactly_the_table() {
    use elenchus::app::commands::COMMANDS;
    let text = Screen::talked((120, 200), false).press("F1").text();
    let listed: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_once(" /").map(|(_, rest)| rest.split(' ').next().unwrap_or_default()))
        // The composer below offers "/ for commands" as well.
        .filter(|name| !name.is_empty())
        .collect();
    let table: Vec<&str> = COMMANDS.iter().map(|entry| entry.name).collect();
    pretty_assertions::assert_eq!(listed, table);
}

#[test]
fn words_are_found() {
    drawn("find", &[USUAL, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        screen.press("ctrl-f").write("how").press("enter");
        screen
    });
}

#[test]
fn slash_commands_are_offered_while_typing() {
    drawn("slash", &[USUAL, NARROW], |size| {
        let mut screen = Screen::talked(size, false);
        screen.write("/e");
        screen
    });
}

#[test]
fn the_words_that_were_jumped_to_are_marked_in_every_theme() {
    use elenchus::ui::theme::Scope;
    let names: Vec<String> = Themes::built_in().names().map(ToOwned::to_owned).collect();
    for name in names {
        let mut screen = Screen::talked((120, 40), false);
        screen.0.model.theme.clone_from(&name);
        screen.press("tab down down down enter enter");
        let frame = screen.0.frame();
        let style = Themes::built_in().get(&name, ColorDepth::TrueColor).unwrap().style(Scope::Highlight);
        let marked: String = frame
            .content()
            .iter()
            .filter(|cell| {
                style.bg.map_or_else(|| cell.modifier.contains(style.add_modifier), |bg| cell.bg == bg)
                    && style.fg.is_none_or(|fg| cell.fg == fg)
            })
            .map(ratatui::buffer::Cell::symbol)
            .collect();
        assert!(marked.contains("Nurses retype paper forms"), "{name}: {marked}");
    }
}
