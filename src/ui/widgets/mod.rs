//! Small things that are drawn from plain data into any area, be it empty. They own nothing and change nothing.

mod bars;
mod checklist;
mod footer;
mod list;
mod overlay;
mod phase_indicator;
mod plot;
mod scroll_bar;
mod task_line;

pub use bars::{BlendBars, BudgetBar, ProgressBar};
pub use checklist::{Checklist, ChecklistRow};
pub use footer::{KeyHint, KeyHints};
pub use list::{ListLine, SelectionList, scroll_to_show};
pub use overlay::Window;
pub use phase_indicator::PhaseIndicator;
pub use plot::{Plot, Sparkline};
pub use scroll_bar::ScrollBar;
pub use task_line::TaskLine;

pub use crate::app::layout::centered;
