//! The app without a terminal: messages in, state and effects out.

pub mod support;

/// What is told on the first start, and somebody who is interviewed.
mod about;
/// What annoyed somebody who used it for the first time.
mod annoyances;
/// What can be chosen in answer to the question.
mod answer_cards;
mod anything;
/// Words beside the conversation.
mod asides;
/// The app on a real host.
mod at_work;
mod brief;
mod chat;
/// Coming back: the recap, the compared brief, the answers of others.
mod coming_back;
mod commands;
mod composer;
mod courses;
pub mod desk;
mod drafts;
mod event_loop;
mod filing;
mod frames;
mod keymap;
mod keys_page;
mod known;
/// What is said in which language, and scripts that are wide or run from right to left.
mod languages;
mod mouse;
mod overlays;
mod picker;
mod progress;
mod review;
/// Sessions in other scripts, as frames.
mod scripts;
mod setup;
mod sidebar;
mod styles;
/// A model that looks something up.
mod tools;
mod turns;
mod watch;
mod worker;
