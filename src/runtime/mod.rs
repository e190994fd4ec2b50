//! Where the pure parts meet the world: sessions on a store and a model, and everything that waits.

mod artifacts;
mod backend;
pub mod export;
mod handoff;
mod host;
mod journey;
mod migration;
mod ports;
mod project;
mod records;
mod session;
mod spending;
mod tasks;
mod title;

pub use backend::Backend;
pub use host::{DEFAULT_PROJECT, Host, HostError};
pub use journey::{Journey, Station};
pub use session::{EngineChange, Session, SessionEvent};

mod app_effects;
mod code_painter;
mod editor;
pub mod effects;
mod engine_watch;
pub mod event_loop;
mod figures;
pub mod frames;
pub mod headless_frames;
mod outgoing;
mod session_change;
mod session_worker;
mod task_news;
pub mod terminal;
mod written_files;

pub use app_effects::{AppEffects, endpoint};
pub use engine_watch::{EngineWatch, faults};
pub use session_worker::opened;
