//! What is found while something is tested: the findings as they come, and whether more are to come.

use std::time::Duration;

use super::super::effect::Effect;
use super::super::keymap::Motion;
use super::super::model::Model;
use super::super::overlay::{Overlay, scrolled};
use crate::host::doctor::TRIAL;
use crate::host::protocol::{Finding, SetupCommand};

/// A test or an examination under way, or done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examination {
    pub run: u32,
    /// When it began.
    pub since: Duration,
    pub findings: Vec<Finding>,
    pub state: State,
    /// Whether the endpoint is tried as well.
    pub tries: bool,
    /// The first row on the screen.
    pub top: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Running,
    Done,
    Stopped,
}

impl Examination {
    pub(super) fn begun(model: &mut Model) -> Self {
        model.setup.runs += 1;
        Self {
            run: model.setup.runs,
            since: model.now,
            findings: Vec::new(),
            state: State::Running,
            tries: true,
            top: 0,
        }
    }

    /// Takes in a finding; what is known better by now takes the place of what was.
    pub(super) fn found(&mut self, finding: Finding) {
        match self.findings.iter_mut().find(|known| known.area == finding.area) {
            Some(known) => *known = finding,
            None => self.findings.push(finding),
        }
    }

    pub fn is_running(&self) -> bool {
        self.state == State::Running
    }

    /// Whether the endpoint was not tried and can be.
    pub fn may_try(&self) -> bool {
        !self.tries && !self.is_running() && self.findings.iter().any(|finding| finding.area == TRIAL)
    }

    pub(super) fn end(&mut self) {
        if self.is_running() {
            self.state = State::Done;
        }
    }

    /// Stops it; tells whether there was something to stop.
    pub(crate) fn stop(&mut self) -> bool {
        let was_running = self.is_running();
        if was_running {
            self.state = State::Stopped;
        }
        was_running
    }
}

/// Opens the doctor and has it look at everything; closes it where it is open.
pub(crate) fn open(model: &mut Model) -> Vec<Effect> {
    if matches!(model.overlays.last(), Some(Overlay::Doctor(_))) {
        return super::super::overlay::close(model);
    }
    examine(model, false)
}

/// Looks at everything; at the endpoint only where the user has said so, since that costs.
fn examine(model: &mut Model, tries: bool) -> Vec<Effect> {
    let examination = Examination { tries, ..Examination::begun(model) };
    let run = examination.run;
    model.overlays.push(Overlay::Doctor(examination));
    vec![Effect::host(SetupCommand::Examine { run, tries })]
}

pub(crate) fn motion(model: &mut Model, motion: Motion, page: usize) -> Option<Vec<Effect>> {
    let Some(Overlay::Doctor(examination)) = model.overlays.last_mut() else { return None };
    if motion == Motion::Accept && examination.may_try() {
        model.overlays.pop();
        return Some(examine(model, true));
    }
    if motion == Motion::Open && !examination.is_running() {
        model.overlays.pop();
        return Some(open(model));
    }
    examination.top = scrolled(examination.top, motion, page)?;
    Some(Vec::new())
}
