//! The app on a real host: effects are carried out in folders of their own, and what comes of them is waited for.

use std::path::Path;
use std::sync::Arc;

use elenchus::app::session::ShownSession;
use elenchus::app::{Effect, Msg, Options};
use elenchus::host::protocol::Open;
use elenchus::host::{Connection, Host};
use elenchus::settings::{Flags, Surroundings};
use elenchus::tui::FrontEnd;
use elenchus::tui::effects::EffectHandler as _;
use elenchus::ui::frame_export::to_text;
use elenchus::ui::headless::HeadlessFrames;
use elenchus::ui::theme::{ColorDepth, Themes};
use tokio::sync::mpsc;

use super::support::key;
use crate::support::PATIENCE;
use crate::support::program::Program;

/// The app, somebody who carries out what it wants, and the way back.
pub struct Desk {
    pub screen: HeadlessFrames,
    front_end: FrontEnd,
    messages: mpsc::UnboundedSender<Msg>,
    inbox: mpsc::UnboundedReceiver<Msg>,
}

impl Desk {
    /// Sits down at the machine of a program.
    pub fn at(program: &Program, watch: bool) -> Self {
        let flags = Flags { config: Some(program.config()), data_dir: Some(program.data()), ..Flags::default() };
        let surroundings =
            Surroundings { variable: &|_| None, keyring: &|_| Err("there is none".to_owned()), program: None };
        let host = Host::open(&flags, &surroundings).expect("a host").offline();
        Self::on(host, flags, None, watch)
    }

    /// Sits down at a host.
    pub fn on(host: impl Into<Arc<Host>>, flags: Flags, project: Option<&str>, watch: bool) -> Self {
        let (messages, inbox) = mpsc::unbounded_channel();
        let project = project.map(ToOwned::to_owned);
        let connection = Connection { project, watch, flags, forgets_empty: true, ..Connection::default() };
        let front_end = FrontEnd::connect(&host.into(), connection, messages.clone());
        let options = Options { size: (120, 40), ..Options::default() };
        let screen = HeadlessFrames::new(options, Themes::built_in(), ColorDepth::TrueColor);
        Self { screen, front_end, messages, inbox }
    }

    /// Begins a session with an engine, by name or path.
    pub async fn begin(&mut self, engine: &str) {
        self.carry_out(vec![Effect::host(Open::Engine(engine.to_owned()))]);
        self.until(|desk| desk.screen.model.session.is_some()).await;
    }

    /// Opens a session again.
    pub async fn resume(&mut self, id: &str) {
        self.carry_out(vec![Effect::host(Open::Session(id.to_owned()))]);
        self.until(|desk| desk.screen.model.session.is_some()).await;
    }

    /// Says something and waits for the answer.
    pub async fn say(&mut self, text: &str) {
        let turn = self.turn();
        let typed = self.screen.send(Msg::Paste(text.to_owned()));
        self.carry_out(typed);
        self.press("enter");
        self.until(|desk| desk.turn() > turn).await;
    }

    /// Presses keys and has done what they ask for.
    pub fn press(&mut self, keys: &str) {
        for name in keys.split_whitespace() {
            let effects = self.screen.send(Msg::Key(key(name)));
            self.carry_out(effects);
        }
    }

    pub fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Outside(effect) => self.front_end.handle(effect, &self.messages),
                Effect::Terminal(_) => {}
            }
        }
    }

    /// Takes in news until something holds.
    pub async fn until(&mut self, holds: impl Fn(&Self) -> bool) {
        while !holds(self) {
            let news = tokio::time::timeout(PATIENCE, self.inbox.recv()).await;
            let toast = self.toast();
            let msg = news.unwrap_or_else(|_| panic!("nothing came; toast: {toast:?}")).expect("the worker lives");
            let effects = self.screen.send(msg);
            self.carry_out(effects);
        }
    }

    /// The open session.
    pub fn session(&self) -> &ShownSession {
        self.screen.model.session.as_ref().expect("a session is open")
    }

    pub fn turn(&self) -> u32 {
        self.screen.model.session.as_ref().map_or(0, |session| session.memory.turn)
    }

    /// The toast that is shown.
    pub fn toast(&self) -> Option<String> {
        self.screen.model.toasts.shown().map(|toast| toast.text.clone())
    }

    /// Whether the toast that is shown says this.
    pub fn says(&self, part: &str) -> bool {
        self.toast().is_some_and(|toast| toast.contains(part))
    }

    pub fn text(&mut self) -> String {
        to_text(&self.screen.frame())
    }

    pub async fn leave(self) {
        self.front_end.finish().await;
    }
}

/// Saves a file as editors do: a new one takes the place of the old.
pub fn save(file: &Path, text: &str) {
    let new = file.with_extension("new");
    std::fs::write(&new, text).expect("a file");
    std::fs::rename(new, file).expect("it takes its place");
}
