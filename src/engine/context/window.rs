//! How large a window of a model has to be for an engine, and what is done with a smaller one.

use crate::engine::Engine;
use crate::engine::extraction::MAX_SLICE;
use crate::engine::memory::WorkingMemory;
use crate::engine::tokens;

/// A message of some length, in tokens.
const MESSAGE: u32 = 400;
/// A note.
const NOTE: u32 = 600;
/// The turns just before.
const RECENT: u32 = 800;
/// A report on one message.
const REPORT: u32 = 800;
/// What a short note, a short report with its fields, and an answer of two sentences take.
const SHORT_TURN: u32 = 800;

/// How large a window has to be, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowNeeds {
    /// For all that the engine tells a model.
    pub full: u32,
    /// For the short instructions.
    pub short: u32,
}

impl Engine {
    /// How large a window has to be for a conversation with this engine.
    pub fn window_needs(&self) -> WindowNeeds {
        let answer = NOTE + self.definition().context.output_reserve;
        let full = self.preamble().tokens + answer.max(self.report_room(false)) + MESSAGE + RECENT;
        WindowNeeds { full, short: self.short_preamble().tokens + SHORT_TURN + MESSAGE }
    }

    /// What a report needs after the conversation: what is asked for, its schema, and room to write it.
    pub fn report_room(&self, short: bool) -> u32 {
        if short {
            return SHORT_TURN;
        }
        let slice = self.slice(&WorkingMemory::new(self.definition()), MAX_SLICE);
        tokens::estimate(&slice.instructions) + tokens::estimate(&slice.schema.to_string()) + REPORT
    }

    /// Whether a model gets the short instructions: because it is a small one, or has no room for the long ones.
    pub fn tells_briefly(&self, small: bool, window: Option<u32>) -> bool {
        small || window.is_some_and(|window| window < self.window_needs().full)
    }
}
