//! Drawing: from plain data to cells. No file, no clock, and nothing is changed by drawing it. One thread of its own
//! finds the colours of code beside the drawing.
//!
//! The building blocks stand first, in the order in which they lean on each other; panes are built from them.

pub mod glyphs;
pub mod theme;

pub mod paint;
pub mod row;
pub mod wrap;

pub mod layout_cache;
pub mod markdown;

pub mod frame_export;
pub mod widgets;

pub mod chat_layouts;
mod code_painter;
pub mod draw;
pub mod frames;
pub mod headless;

mod answer_card;
mod brief;
mod chat;
mod composer;
mod footer;
pub(crate) mod overlays;
mod picker;
pub mod selection;
mod sidebar;
mod status;
