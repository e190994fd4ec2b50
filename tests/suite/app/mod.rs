//! The app without a terminal: messages in, state and effects out.

pub mod support;

mod chat;
mod commands;
mod composer;
mod desk;
mod event_loop;
mod frames;
mod keymap;
mod overlays;
mod picker;
mod sidebar;
mod turns;
mod watch;
mod worker;
