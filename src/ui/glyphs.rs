//! The signs that stand for things on the screen, once in Unicode and once in ASCII.

use crate::engine::memory::Status;

/// The lines of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Border {
    /// Left and right sides.
    pub vertical: &'static str,
    /// Top and bottom.
    pub horizontal: &'static str,
    /// The corners: top left, top right, bottom left, bottom right.
    pub corners: [&'static str; 4],
    /// Where a line across meets the left and the right side.
    pub tees: [&'static str; 2],
    /// Where a line down meets the top and the bottom.
    pub crossings: [&'static str; 2],
    /// Where two lines cross.
    pub cross: &'static str,
}

/// A complete set of signs. Every sign is one column wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyphs {
    /// An obligation of which nothing is known.
    pub pending: &'static str,
    /// One of which something is known.
    pub partial: &'static str,
    /// One of which all is known.
    pub satisfied: &'static str,
    /// One that was put off.
    pub deferred: &'static str,
    pub phase_done: &'static str,
    pub phase_current: &'static str,
    pub phase_ahead: &'static str,
    pub bar_full: &'static str,
    pub bar_empty: &'static str,
    /// The tick on a bar where "ready" begins.
    pub bar_tick: &'static str,
    /// A thin bar for the share of a mode.
    pub blend: &'static str,
    /// What a share of a mode falls short of.
    pub blend_empty: &'static str,
    /// Frames of a spinner, in order.
    pub spinner: &'static [&'static str],
    /// Steps of a small vertical bar, from nothing to full.
    pub levels: &'static [&'static str],
    pub point: &'static str,
    /// A task that is done.
    pub done: &'static str,
    pub failed: &'static str,
    pub waiting: &'static str,
    /// Something that needs the user.
    pub attention: &'static str,
    pub folded: &'static str,
    pub open: &'static str,
    /// Stands before the selected line.
    pub selected: &'static str,
    /// Arrows: up, down, left, right.
    pub arrows: [&'static str; 4],
    /// Bullets of lists, by depth.
    pub bullets: [&'static str; 3],
    /// Tasks in lists: open, done.
    pub task_boxes: [&'static str; 2],
    /// Stands before each row of a quotation.
    pub quote: &'static str,
    /// A line across.
    pub rule: &'static str,
    /// What stands for text that was left out.
    pub ellipsis: &'static str,
    /// Between two parts of one line.
    pub separator: &'static str,
    pub scroll_thumb: &'static str,
    pub scroll_track: &'static str,
    /// The place where streamed text goes on.
    pub caret: &'static str,
    pub border: Border,
}

/// The signs for terminals that can show them.
pub const UNICODE: Glyphs = Glyphs {
    pending: "○",
    partial: "◐",
    satisfied: "✓",
    deferred: "⤼",
    phase_done: "●",
    phase_current: "◐",
    phase_ahead: "○",
    bar_full: "▓",
    bar_empty: "░",
    bar_tick: "│",
    blend: "▇",
    blend_empty: "·",
    spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
    levels: &[" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    point: "•",
    done: "✓",
    failed: "✗",
    waiting: "…",
    attention: "!",
    folded: "▸",
    open: "▾",
    selected: "▌",
    arrows: ["↑", "↓", "←", "→"],
    bullets: ["•", "◦", "▪"],
    task_boxes: ["☐", "☑"],
    quote: "▎",
    rule: "─",
    ellipsis: "…",
    separator: "·",
    scroll_thumb: "┃",
    scroll_track: "│",
    caret: "▍",
    border: Border {
        vertical: "│",
        horizontal: "─",
        corners: ["╭", "╮", "╰", "╯"],
        tees: ["├", "┤"],
        crossings: ["┬", "┴"],
        cross: "┼",
    },
};

/// The signs for terminals and readers that need plain characters.
pub const ASCII: Glyphs = Glyphs {
    pending: "-",
    partial: "~",
    satisfied: "x",
    deferred: ">",
    phase_done: "*",
    phase_current: "@",
    phase_ahead: "o",
    bar_full: "#",
    bar_empty: ".",
    bar_tick: "|",
    blend: "=",
    blend_empty: ".",
    spinner: &["|", "/", "-", "\\"],
    levels: &[" ", ".", ":", "-", "=", "+", "*", "#"],
    point: "*",
    done: "x",
    failed: "!",
    waiting: ".",
    attention: "!",
    folded: "+",
    open: "-",
    selected: ">",
    arrows: ["^", "v", "<", ">"],
    bullets: ["*", "-", "+"],
    task_boxes: ["_", "x"],
    quote: "|",
    rule: "-",
    ellipsis: "~",
    separator: "-",
    scroll_thumb: "#",
    scroll_track: "|",
    caret: "_",
    border: Border {
        vertical: "|",
        horizontal: "-",
        corners: ["+", "+", "+", "+"],
        tees: ["+", "+"],
        crossings: ["+", "+"],
        cross: "+",
    },
};

impl Glyphs {
    pub fn status(&self, status: Status) -> &'static str {
        match status {
            Status::Pending => self.pending,
            Status::Partial => self.partial,
            Status::Satisfied => self.satisfied,
            Status::Deferred => self.deferred,
        }
    }

    /// The frame of the spinner at a tick that only ever counts up.
    pub(crate) fn spinner_frame(&self, tick: u64) -> &'static str {
        let frames = self.spinner.len().max(1) as u64;
        self.spinner.get((tick % frames) as usize).copied().unwrap_or("")
    }

    /// The step of a small vertical bar for a share between 0 and 1.
    pub fn level(&self, share: f64) -> &'static str {
        let top = self.levels.len().saturating_sub(1);
        let at = (share.clamp(0.0, 1.0) * top as f64).round() as usize;
        self.levels.get(at).copied().unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::CellWidth as _;

    use super::*;

    fn signs(set: &Glyphs) -> Vec<&'static str> {
        let mut all = vec![
            set.pending,
            set.partial,
            set.satisfied,
            set.deferred,
            set.phase_done,
            set.phase_current,
            set.phase_ahead,
            set.bar_full,
            set.bar_empty,
            set.bar_tick,
            set.blend,
            set.blend_empty,
            set.point,
            set.done,
            set.failed,
            set.waiting,
            set.attention,
            set.folded,
            set.open,
            set.selected,
            set.quote,
            set.rule,
            set.ellipsis,
            set.separator,
            set.scroll_thumb,
            set.scroll_track,
            set.caret,
            set.border.vertical,
            set.border.horizontal,
            set.border.cross,
        ];
        all.extend(set.spinner.iter().chain(set.levels));
        all.extend(set.arrows.iter().chain(&set.bullets).chain(&set.task_boxes));
        all.extend(set.border.corners.iter().chain(&set.border.tees).chain(&set.border.crossings));
        all
    }

    #[test]
    fn every_sign_is_one_column_wide() {
        for set in [UNICODE, ASCII] {
            for sign in signs(&set) {
                assert_eq!(sign.cell_width(), 1, "{sign:?}");
            }
        }
    }

    #[test]
    fn the_plain_set_is_plain() {
        assert!(signs(&ASCII).iter().all(|sign| sign.is_ascii()));
    }

    #[test]
    fn the_spinner_goes_round_for_ever_and_levels_stay_in_range() {
        assert_eq!(UNICODE.spinner_frame(0), UNICODE.spinner_frame(10));
        assert_eq!(UNICODE.level(f64::NAN), " ");
        assert_eq!(UNICODE.level(7.0), "█");
    }
}
