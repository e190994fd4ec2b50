//! The app as a front end of the host: commands go to its connection, events come back as messages.

use std::path::PathBuf;
use std::sync::Arc;

use super::effects::{EffectHandler, Messages};
use crate::app::Msg;
use crate::app::effect::Outside;
use crate::host::protocol::{News, Notice};
use crate::host::{Client, Connection, Host, Listener};
use crate::settings::{keep_hints, save_theme};

/// Carries out what the app wants of the outside.
#[derive(Debug)]
pub struct FrontEnd {
    client: Client,
    /// The file of the settings, where themes are remembered.
    config_file: PathBuf,
    /// The file in which it is kept which hints were understood.
    hints_file: PathBuf,
}

impl FrontEnd {
    /// Connects the app to the host.
    pub fn connect(host: &Arc<Host>, connection: Connection, messages: Messages) -> Self {
        let listener: Listener = Arc::new(move |news: News| {
            // It fails only when the app has ended.
            let _ = messages.send(Msg::Host(news));
        });
        let config_file = host.settings.paths.config_file.value.clone();
        let hints_file = host.settings.paths.hints();
        Self { client: host.connect(connection, listener), config_file, hints_file }
    }

    /// Waits until everything that was asked for is done.
    pub async fn finish(self) {
        self.client.finish().await;
    }

    fn remember_theme(&self, theme: String, messages: Messages) {
        let file = self.config_file.clone();
        tokio::task::spawn_blocking(move || {
            if let Err(error) = save_theme(&file, &theme) {
                let text = format!("the theme is not remembered: {} cannot be changed: {error}", file.display());
                let _ = messages.send(Msg::host(Notice::warning(text)));
            }
        });
    }
}

impl EffectHandler for FrontEnd {
    fn handle(&mut self, effect: Outside, messages: &Messages) {
        match effect {
            Outside::Host(request) => self.client.send(request),
            Outside::KeepHints(seen) => {
                let file = self.hints_file.clone();
                tokio::task::spawn_blocking(move || {
                    // A hint that comes again does no harm.
                    if let Err(error) = keep_hints(&file, &seen) {
                        tracing::warn!(%error, "hints could not be remembered");
                    }
                });
            }
            Outside::SaveTheme(theme) => self.remember_theme(theme, messages.clone()),
        }
    }
}
