//! The terminal: taken over, given back on every way out, and what only it can do.

use std::io::{self, IsTerminal as _, Write as _, stdin};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread::{self, ThreadId};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    SetTitle, disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{execute, queue};
use ratatui::Terminal as Cells;
use ratatui::backend::CrosstermBackend;

use super::background;
use super::clipboard::{self, Sent};
use super::editor;
use super::event_loop::{Paint, Screen};
use super::keyboard::{self, Keyboard};
use super::notices;
use super::outlet::{Outgoing, Outlet};
use crate::app::Msg;
use crate::app::effect::TerminalEffect;
use crate::host::protocol::Notice;
use crate::settings::Notices;
use crate::text::sanitise_line;
use crate::ui::theme::AUTO_THEME;

/// The thread that draws. Only its panics are a reason to give the terminal back: those of others become messages.
static DRAWS: OnceLock<ThreadId> = OnceLock::new();

/// Whether there is a terminal to talk to.
pub(crate) fn is_there() -> bool {
    stdin().is_terminal() && Outlet::data().is_terminal()
}

/// The terminal while the app has it.
#[derive(Debug)]
pub struct Terminal {
    cells: Cells<CrosstermBackend<Outgoing>>,
    /// Whether the next frame is drawn whole.
    whole: bool,
    equipment: Equipment,
}

/// What the terminal is taken over with.
#[derive(Clone, Debug, Default)]
pub struct Equipment {
    /// Where the editor's files lie.
    pub work: PathBuf,
    /// The variables that hold keys, which the editor does not get.
    pub key_variables: Vec<String>,
    /// Whether the mouse is taken.
    pub mouse: bool,
    pub notices: Notices,
}

impl Terminal {
    /// Takes the terminal over.
    pub fn take(equipment: Equipment) -> io::Result<Self> {
        if DRAWS.set(thread::current().id()).is_ok() {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                if DRAWS.get() == Some(&thread::current().id()) {
                    let _ = give_back();
                }
                before(panic);
            }));
        }
        enter(equipment.mouse)?;
        Ok(Self { cells: Cells::new(CrosstermBackend::new(Outgoing::default()))?, whole: true, equipment })
    }

    /// Columns and rows.
    pub fn size() -> (u16, u16) {
        size().unwrap_or((80, 24))
    }

    /// Draws what has changed, or all. Not with `clear` of ratatui: that asks the terminal where the cursor is, and the
    /// answer would reach our own listening for keys.
    fn draw(&mut self, paint: &mut Paint<'_>) -> io::Result<()> {
        if std::mem::take(&mut self.whole) {
            queue!(self.cells.backend_mut(), Clear(ClearType::All))?;
            // Forgets the frame that is on the screen.
            self.cells.swap_buffers();
        }
        // The buffer has the size the window has now. Should the model not know of it yet, it draws into the part that
        // both have, and the message with the new size brings the next frame.
        // Without a place for it the cursor is hidden.
        self.cells.draw(|frame| {
            if let Some(caret) = paint(frame.buffer_mut()) {
                frame.set_cursor_position(caret);
            }
        })?;
        Ok(())
    }

    /// Lets something else use the terminal, and takes it back.
    fn lend<T>(&mut self, other: impl FnOnce() -> T) -> io::Result<T> {
        give_back()?;
        let result = other();
        enter(self.equipment.mouse)?;
        self.whole = true;
        Ok(result)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = give_back();
    }
}

fn enter(mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    let mut out = Outgoing::default();
    queue!(out, EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange, Hide)?;
    if mouse {
        queue!(out, EnableMouseCapture)?;
    }
    // After the change of screens: each has its own.
    Keyboard::of_environment().begin(&mut out)?;
    out.flush()
}

fn give_back() -> io::Result<()> {
    let mut out = Outgoing::default();
    let keyboard = Keyboard::of_environment().end(&mut out);
    let modes =
        execute!(out, DisableMouseCapture, DisableFocusChange, DisableBracketedPaste, LeaveAlternateScreen, Show);
    disable_raw_mode().and(keyboard).and(modes)
}

impl Screen for Terminal {
    fn show(&mut self, paint: &mut Paint<'_>) -> io::Result<()> {
        // Terminals that know how show the frame when it is whole, the others as it comes.
        queue!(self.cells.backend_mut(), BeginSynchronizedUpdate)?;
        let drawn = self.draw(paint);
        execute!(self.cells.backend_mut(), EndSynchronizedUpdate)?;
        drawn
    }

    fn look_around(&mut self, theme: &str) -> io::Result<Vec<Msg>> {
        let keyboard = Keyboard::of_environment();
        let mut out = Outgoing::default();
        // On Windows what is answered would be read as keys.
        let asks = cfg!(unix) && keyboard.takes_sequences();
        if asks {
            keyboard.ask(&mut out)?;
        }
        let mut known = Vec::new();
        if theme == AUTO_THEME {
            match background::of_environment() {
                Some(light) => known.push(Msg::Ground { light }),
                None if asks => out.write_all(background::QUESTION)?,
                None => {}
            }
        }
        out.flush()?;
        Ok(known)
    }

    fn perform(&mut self, effect: TerminalEffect) -> io::Result<Option<Msg>> {
        let mut out = Outgoing::default();
        match effect {
            TerminalEffect::Copy(text) => {
                return Ok(match clipboard::copy(&text) {
                    Ok(Sent::Taken) => None,
                    Ok(Sent::NotSure) => Some(Msg::NotSureCopied),
                    Err(problem) => Some(Msg::NotCopied(problem)),
                });
            }
            TerminalEffect::SetTitle(title) => execute!(out, SetTitle(sanitise_line(&title)))?,
            TerminalEffect::Notify(text) => notices::call(self.equipment.notices, &text)?,
            TerminalEffect::Mouse(captured) => {
                self.equipment.mouse = captured;
                if captured { execute!(out, EnableMouseCapture)? } else { execute!(out, DisableMouseCapture)? }
            }
            TerminalEffect::Print(text) => {
                self.lend(|| {
                    let mut history = Outlet::data();
                    history.text(text.trim_end()).and_then(|()| history.text("\n\n")).and_then(|()| history.flush())
                })??;
            }
            TerminalEffect::Redraw => self.whole = true,
            TerminalEffect::TellKeysApart => {
                keyboard::is_known(&mut out)?;
                out.flush()?;
            }
            TerminalEffect::OpenEditor(draft) => {
                let Equipment { work, key_variables, .. } = self.equipment.clone();
                return Ok(Some(match self.lend(|| editor::edit(&draft, &work, &key_variables))? {
                    Ok(text) => Msg::Edited(text),
                    Err(problem) => Msg::host(Notice::error(problem)),
                }));
            }
            TerminalEffect::Suspend => {
                self.lend(stop)?;
                let (columns, rows) = Self::size();
                return Ok(Some(Msg::Resize(columns, rows)));
            }
            // The loop ends by itself once the app has.
            TerminalEffect::Quit => {}
        }
        Ok(None)
    }
}

/// Stops this process until the shell wants it again.
#[cfg(unix)]
fn stop() {
    let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP);
}

#[cfg(not(unix))]
fn stop() {}
