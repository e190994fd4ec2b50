//! How the conversation has sounded so far.

use serde::{Deserialize, Serialize};

use crate::engine::config::{Mode, ModeBlend};

/// The observed blend of modes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModeState {
    /// Shares in per cent by the order of [`Mode::ALL`], an exponential average over answers; `None` before the first.
    pub observed: Option<[f64; 7]>,
    /// The mode that has strayed furthest beyond the margin, and by how many per cent (positive: too much of it).
    pub drift: Option<(Mode, f64)>,
}

impl ModeState {
    pub fn share(&self, mode: Mode) -> f64 {
        self.observed.as_ref().map_or(0.0, |shares| shares[mode as usize])
    }

    /// How far below its target a mode is, in per cent; 0 where it is not, or where nothing was observed yet.
    pub(crate) fn deficit(&self, mode: Mode, target: &ModeBlend) -> f64 {
        match self.observed {
            Some(_) => (f64::from(target.share(mode)) - self.share(mode)).max(0.0),
            None => f64::from(target.share(mode)),
        }
    }
}
