//! Where the pure parts meet the world: sessions on a store and a model, and everything that waits.

mod backend;
pub mod export;
mod host;
mod ports;
mod records;
mod session;
mod spending;
mod title;

pub use backend::Backend;
pub use host::{DEFAULT_PROJECT, Host, HostError};
pub use session::{EngineChange, Session, SessionEvent};

mod app_effects;
mod editor;
pub mod effects;
pub mod event_loop;
pub mod frames;
pub mod headless_frames;
mod session_worker;
pub mod terminal;

pub use app_effects::{AppEffects, endpoint};
pub use session_worker::opened;
