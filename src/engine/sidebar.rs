//! The sidebar: the state of things as the user sees it.

use serde::{Deserialize, Serialize};

use super::Engine;
use super::config::{Mode, Phase, Section};
use super::edit::WRAPPED_UP;
use super::memory::{FieldState, Status, TaskRecord, WorkingMemory};
use super::open_points::in_language;
use super::outline::ShapeOutline;
use super::rule::Judge;
use super::values::shaped_text;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SidebarState {
    pub sections: Vec<SidebarSection>,
    pub phase_indicator: Option<PhaseIndicatorState>,
    pub progress_bar: Option<ProgressBarState>,
    /// About how much is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<SidebarLeft>,
    pub tasks: Vec<TaskRecord>,
    pub modes: Vec<SidebarMode>,
    pub budget: Option<SidebarBudget>,
}

/// A section of the checklist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SidebarSection {
    pub id: String,
    pub title: String,
    /// Whether it is there now.
    pub visible: bool,
    /// Whether it starts folded.
    pub collapsed: bool,
    /// What it lists.
    pub items: Vec<SidebarItem>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SidebarItem {
    pub obligation_id: String,
    pub label: String,
    pub status: Status,
    /// How sure what is known of it is.
    pub confidence: f64,
    /// What is known of it, on one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<SidebarValue>,
}

/// What is known of an obligation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SidebarValue {
    pub text: String,
    /// Whether some of it is still to be confirmed.
    pub in_doubt: bool,
}

/// Where the conversation stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseIndicatorState {
    pub current_phase: String,
    pub label: String,
    /// All phases in order.
    pub phases: Vec<PhaseMark>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseMark {
    pub id: String,
    pub label: String,
    /// Whether it is over, on, or to come.
    pub state: PhaseProgress,
}

/// Where a phase stands against the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseProgress {
    /// It comes before the current one.
    Done,
    /// The conversation is in it.
    Current,
    /// It is still to come.
    Ahead,
}

/// How complete the picture is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgressBarState {
    /// In per cent.
    pub percentage: u32,
    /// Whether the number stands beside the bar.
    pub show_percentage: bool,
    /// Where "ready" begins, in per cent.
    pub ready_at: u32,
    pub is_ready: bool,
}

/// About how many questions and minutes are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SidebarLeft {
    pub questions: u32,
    pub minutes: u32,
}

/// A mode, target against observed, in per cent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SidebarMode {
    pub mode: Mode,
    /// What the phase aims at.
    pub target: u32,
    /// What was observed; `None` before the first answer.
    pub observed: Option<f64>,
}

/// What the session has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SidebarBudget {
    pub spent_usd: f64,
    pub cap_usd: Option<f64>,
    pub tokens: u64,
}

impl SidebarState {
    /// Brings the tasks up to date with what they have done since; nothing else in the sidebar depends on them.
    pub(crate) fn follow_tasks(&mut self, engine: &Engine, memory: &WorkingMemory) {
        if engine.definition().sidebar.tasks {
            self.tasks = memory.background_tasks.iter().cloned().collect();
        }
    }
}

impl SidebarState {
    /// Takes over what the session has cost by now.
    pub(crate) fn follow_usage(&mut self, memory: &WorkingMemory) {
        if let Some(budget) = &mut self.budget {
            (budget.spent_usd, budget.tokens) = (memory.usage.cost_usd, memory.usage.tokens());
        }
    }
}

/// A sidebar, and what could not be judged for it.
#[derive(Debug)]
pub struct DrawnSidebar {
    pub state: SidebarState,
    /// Faults in the rules of sections; such a section stays hidden.
    pub faults: Vec<String>,
}

/// Draws the sidebar from the memory.
pub fn build(engine: &Engine, memory: &WorkingMemory, cap_usd: Option<f64>) -> DrawnSidebar {
    let config = &engine.definition().sidebar;
    let fixed = config.static_sections.iter().map(|config| section(engine, memory, config, true));
    let judge = Judge::new(engine, memory);
    let mut faults = Vec::new();
    let dynamic = config.dynamic_sections.iter().map(|config| {
        let verdict = judge.evaluate(&config.when);
        faults.extend(verdict.fault.map(|fault| format!("section `{}`: {fault}", config.section.id)));
        section(engine, memory, &config.section, verdict.holds)
    });
    let state = SidebarState {
        sections: fixed.chain(dynamic).collect(),
        phase_indicator: config.phase_indicator.show.then(|| phase_indicator(engine, memory)),
        progress_bar: config.progress_bar.show.then(|| ProgressBarState {
            percentage: percentage(engine, memory),
            show_percentage: config.progress_bar.show_percentage,
            ready_at: (engine.definition().completeness.ready_threshold.0 * 100.0).round() as u32,
            is_ready: memory.completeness.is_ready,
        }),
        left: config.progress_bar.show.then(|| left(engine, memory)),
        tasks: if config.tasks { memory.background_tasks.iter().cloned().collect() } else { Vec::new() },
        modes: if config.modes { modes(engine, memory) } else { Vec::new() },
        budget: config.budget.then(|| SidebarBudget {
            spent_usd: memory.usage.cost_usd,
            cap_usd,
            tokens: memory.usage.tokens(),
        }),
    };
    DrawnSidebar { state, faults }
}

/// How complete it is, for people: what is settled moves it before it makes a difference to the engine's own measure,
/// and never as far as that is ready.
fn percentage(engine: &Engine, memory: &WorkingMemory) -> u32 {
    let overall = (memory.completeness.overall * 100.0).round() as u32;
    let ready_at = engine.definition().completeness.ready_threshold.0 * 100.0;
    let all = &engine.definition().obligations;
    let settled = all.iter().filter(|o| memory.obligations.status(&o.id) == Status::Satisfied).count();
    let moved = (ready_at * settled as f64 / all.len().max(1) as f64).floor() as u32;
    overall.max(moved.min((ready_at as u32).saturating_sub(1)))
}

/// What is left, if it goes on at the pace that the engine promises. What is half known counts half: often a yes is all
/// that it needs.
pub(crate) fn left(engine: &Engine, memory: &WorkingMemory) -> SidebarLeft {
    let definition = engine.definition();
    // What was set aside and is offered once more at the end is no question that the result waits for.
    let halves = definition.obligations.iter().map(|obligation| match memory.obligations.status(&obligation.id) {
        Status::Pending => 2,
        Status::Partial => 1,
        Status::Satisfied | Status::Deferred => 0,
    });
    let halves: u32 = halves.sum();
    let share = f64::from(halves) / (2 * definition.obligations.len().max(1)) as f64;
    let minutes = (f64::from(definition.duration_minutes) * share).ceil() as u32;
    SidebarLeft { questions: halves.div_ceil(2), minutes }
}

fn section(engine: &Engine, memory: &WorkingMemory, config: &Section, visible: bool) -> SidebarSection {
    let language = memory.language.current.as_deref();
    let own = engine.definition().obligations.iter().filter(|o| config.categories.contains(&o.category));
    let items = own.map(|obligation| {
        let state = memory.obligations.get(&obligation.id);
        SidebarItem {
            obligation_id: obligation.id.to_string(),
            label: in_language(language, &obligation.name, &obligation.name_in),
            status: shown(memory, &obligation.id),
            confidence: state.map_or(0.0, |state| state.confidence),
            value: value(engine, memory, &obligation.id),
        }
    });
    SidebarSection {
        id: config.id.to_string(),
        title: in_language(language, &config.name, &config.name_in),
        visible,
        collapsed: config.default_collapsed,
        items: items.collect(),
    }
}

/// Whether only the rest of an obligation was left out when the user wrapped up.
fn is_left_in_part(memory: &WorkingMemory, id: &str) -> bool {
    let state = memory.obligations.get(id);
    state.is_some_and(|state| state.confidence > 0.0 && state.deferred.as_deref() == Some(WRAPPED_UP))
}

/// How an obligation stands, for people: what is being asked is open, though it was set aside before.
fn shown(memory: &WorkingMemory, id: &str) -> Status {
    let asked = || memory.asked.iter().any(|asked| asked.obligation == id);
    match memory.obligations.status(id) {
        Status::Deferred if asked() => Status::Pending,
        // What is known of it counts, though the rest of it was not asked any more.
        Status::Deferred if is_left_in_part(memory, id) => Status::Partial,
        status => status,
    }
}

/// What is known of the fields of an obligation, those that count first.
fn value(engine: &Engine, memory: &WorkingMemory, obligation: &str) -> Option<SidebarValue> {
    let (mut sure, mut doubted) = (Vec::new(), Vec::new());
    for path in engine.fields_of(obligation) {
        let (Some(field), Some(known)) = (engine.field(path), memory.extraction.get(path)) else { continue };
        let shape = ShapeOutline::of(&field.shape, memory.language.current.as_deref());
        let shown = |value| shaped_text(value, &shape);
        match (&known.value, known.state) {
            (Some(value), FieldState::Known) => sure.push(shown(value)),
            (_, FieldState::Unknown | FieldState::Declined) => {}
            _ => doubted.extend(known.doubted().map(shown)),
        }
    }
    let in_doubt = !doubted.is_empty();
    sure.append(&mut doubted);
    (!sure.is_empty()).then(|| SidebarValue { text: sure.join("; "), in_doubt })
}

fn phase_indicator(engine: &Engine, memory: &WorkingMemory) -> PhaseIndicatorState {
    let (config, language) = (&engine.definition().sidebar.phase_indicator, memory.language.current.as_deref());
    let other = language.and_then(|language| config.names_in.get(language));
    let label = |phase: &Phase| {
        let said = other.and_then(|names| names.value.get(phase.id.as_str()));
        let own =
            config.names.get(phase.id.as_str()).filter(|_| language.is_none_or(|id| !phase.name_in.contains_key(id)));
        let said = said.or(own).map(|name| name.value.clone());
        said.unwrap_or_else(|| in_language(language, &phase.name, &phase.name_in))
    };
    let current = engine.current_phase(memory);
    let mut phases: Vec<_> = engine.definition().phases.iter().collect();
    phases.sort_by_key(|phase| *phase.order);
    let marks = phases.iter().map(|phase| PhaseMark {
        id: phase.id.to_string(),
        label: label(phase),
        state: match (*phase.order).cmp(&*current.order) {
            std::cmp::Ordering::Less => PhaseProgress::Done,
            std::cmp::Ordering::Equal => PhaseProgress::Current,
            std::cmp::Ordering::Greater => PhaseProgress::Ahead,
        },
    });
    PhaseIndicatorState { current_phase: current.id.to_string(), label: label(current), phases: marks.collect() }
}

fn modes(engine: &Engine, memory: &WorkingMemory) -> Vec<SidebarMode> {
    let all = engine.target_modes(memory).map(|(mode, target)| SidebarMode {
        mode,
        target,
        observed: memory.modes.observed.map(|shares| shares[mode as usize]),
    });
    all.collect()
}
