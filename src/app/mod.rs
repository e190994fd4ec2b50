//! The app: pure. What happens comes in as a [`Msg`], the [`Model`] changes, what is to be done goes out as [`Effect`]s.
//!
//! **Invariant:** nothing here reads a file, a clock or a terminal, starts a task or draws. Time is a message, and so
//! is the number of rows that a laid out text takes.

pub mod about;
pub mod commands;
pub mod effect;
pub mod keymap;
pub mod model;
pub mod msg;
pub mod update;

pub mod answer_card;
mod aside;
pub mod brief;
pub mod chat;
pub mod composer;
mod correct;
pub mod direct;
pub mod draft;
mod export;
mod filing;
pub mod hints;
pub mod inspector;
pub mod layout;
pub mod overlay;
pub mod picker;
pub mod review;
pub mod rewinding;
pub mod session;
pub mod setup;
pub mod sidebar;
pub mod toasts;
pub mod turn;

mod fuzzy;
mod heard;
pub mod leaving;
pub mod line;
mod mouse;
pub mod pointer;
mod ready_words;
mod terminal;
mod text_area;

pub use effect::Effect;
pub use model::{Focus, Model, Options, Screen};
pub use msg::Msg;
pub use update::update;
