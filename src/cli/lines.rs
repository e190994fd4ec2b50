//! `elenchus --plain`: the linear mode, in a terminal or between two pipes.

use std::io::{IsTerminal as _, stdin};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;

use super::chat::{Chat, Left, connection, is_open, model_options};
use super::output::Output;
use super::signals::Ends;
use super::{Failure, SettingsArguments, log};
use crate::app::effect::TerminalEffect;
use crate::app::{Effect, Msg};
use crate::engine::turn::MAX_MESSAGE;
use crate::files::lines::{Line, read_line};
use crate::host::Host;
use crate::host::protocol::{Listing, Notice, Open, Query};
use crate::linear::{Linear, Lines, LinesIn, hold, reader};
use crate::settings::{Settings, Surroundings, change};
use crate::store::Opened;
use crate::tui::clipboard::Sent;
use crate::tui::terminal::Terminal;
use crate::tui::typed::without_keys;
use crate::tui::typing::Typing;
use crate::tui::{FrontEnd, clipboard, editor};
use crate::ui::frames::Frames;
use crate::ui::theme::{ColorDepth, Themes};
use crate::ui::wrap::wrap_text;

/// The longest line that is read whole.
const MAX_LINE: usize = 2 * MAX_MESSAGE;

/// The columns of a terminal that does not say how wide it is.
const COLUMNS: usize = 80;

/// Whether lines are told instead of frames drawn: as was said, else where the terminal can do nothing else, else as
/// somebody answers who seems to use a screen reader.
pub(super) fn is_wanted(settings: &Settings, arguments: &SettingsArguments, output: &mut Output) -> bool {
    if let Some(plain) = &settings.manners.plain {
        return plain.value;
    }
    if super::chat::is_dumb() {
        return true;
    }
    let likely = reader::is_likely(&|name| std::env::var(name).ok(), &Path::exists);
    likely && stdin().is_terminal() && asked(settings, arguments, output)
}

/// Asks, and keeps the answer.
fn asked(settings: &Settings, arguments: &SettingsArguments, output: &mut Output) -> bool {
    let words = settings.language.value.words();
    output.aside(&format!("{} {} ", words.linear.ask_reader(), words.linear.ask_reader_how()));
    let mut line = String::new();
    if stdin().read_line(&mut line).is_err() {
        return false;
    }
    let answer = line.trim().to_lowercase();
    let yes = !answer.is_empty() && words.footer.yes().starts_with(&answer);
    let kept = change(&["plain".to_owned()], Some(&yes.to_string()), &arguments.flags(), &Surroundings::system());
    if let Err(problem) = kept {
        output.remark(&problem);
    }
    yes
}

/// Talks in lines.
pub(super) fn run(
    command: &Chat,
    settings: &SettingsArguments,
    host: &Arc<Host>,
    opened: Option<Opened>,
    output: &mut Output,
) -> Result<Left, Failure> {
    opened.map_or(Ok(()), |opened| is_open(&opened))?;
    log::begin(&host.settings.paths.data_dir.value);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(Failure::failed)?;
    let left = runtime.block_on(talk(command, settings, host, output));
    // The thread that reads may wait for a line that never comes.
    runtime.shutdown_timeout(Duration::ZERO);
    left
}

async fn talk(
    command: &Chat,
    settings: &SettingsArguments,
    host: &Arc<Host>,
    output: &mut Output,
) -> Result<Left, Failure> {
    let frames = Frames::new(Themes::built_in(), ColorDepth::None);
    let typed = stdin().is_terminal() && output.is_terminal();
    let columns = if typed { usize::from(Terminal::size().0) } else { COLUMNS };
    let mut linear = Linear::new(model_options(command, settings, host, &frames)?, columns);
    linear.model.picker.engines = host.engines_on_offer();
    let mut first = vec![Effect::host(Query::Sessions(Listing::default()))];
    let opens = command.engine.clone().map(Open::Engine).or_else(|| command.session.clone().map(Open::Session));
    if let Some(open) = opens {
        let (Open::Engine(name) | Open::Session(name)) = &open else { return Ok(Left::default()) };
        linear.model.opening = Some((name.clone(), Duration::ZERO));
        first.push(Effect::host(open));
    }
    let ended_by = Arc::new(AtomicI32::new(0));
    let (interrupts, signals) = signals(Arc::clone(&ended_by))?;
    let (typing, lines) = if typed {
        let (typing, lines) = Typing::begin(MAX_LINE, interrupts).map_err(Failure::failed)?;
        (Some(typing), whole(lines))
    } else {
        (None, piped())
    };
    let input = LinesIn { lines, signals, typed };
    let work = host.means.work_folder.clone();
    let mut paper = Paper { output, typing, work, key_variables: host.settings.key_variables.clone() };
    let connection = connection(command, settings, host);
    let front = |messages| FrontEnd::connect(host, connection, messages);
    let front_end = hold(&mut linear, front, first, input, &mut paper).await;
    // The terminal is as it was before anything is told on the way out.
    drop(paper);
    let session = linear.model.session.as_ref().filter(|session| session.memory.turn > 0);
    let left = session.map(|session| session.id.clone());
    front_end.finish().await;
    host.forget_old();
    let signal = Some(ended_by.load(Ordering::Relaxed)).filter(|signal| *signal != 0);
    Ok(Left { session: left, signal })
}

/// Lines that were typed, with a word where one was too long.
fn whole(mut typed: mpsc::Receiver<Result<String, usize>>) -> mpsc::Receiver<Result<String, String>> {
    let (sender, receiver) = mpsc::channel(64);
    tokio::spawn(async move {
        while let Some(line) = typed.recv().await {
            if sender.send(line.map_err(|size| too_long(size as u64))).await.is_err() {
                return;
            }
        }
    });
    receiver
}

fn too_long(size: u64) -> String {
    let (size, most) = (size.div_ceil(1024), MAX_MESSAGE / 1024);
    format!("the message has {size} KiB, at most {most} KiB can be taken in")
}

/// Lines of stdin where nobody types, read on a thread of their own.
fn piped() -> mpsc::Receiver<Result<String, String>> {
    let (sender, receiver) = mpsc::channel(64);
    std::thread::spawn(move || {
        let mut input = stdin().lock();
        while let Some(line) = read_line(&mut input, MAX_LINE).transpose() {
            let (line, last) = match line {
                Ok(Line::Whole(line)) => {
                    (Ok(without_keys(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']))), false)
                }
                Ok(Line::TooLong(size)) => (Err(too_long(size)), false),
                Err(error) => (Err(error.to_string()), true),
            };
            if sender.blocking_send(line).is_err() || last {
                return;
            }
        }
    });
    receiver
}

/// Ctrl-C, which can also be told by who reads the keys, and the signals that end the program.
fn signals(ended_by: Arc<AtomicI32>) -> Result<(mpsc::Sender<bool>, mpsc::Receiver<bool>), Failure> {
    /// The number of the signal of Ctrl-C.
    const INTERRUPT: i32 = 2;
    let mut ends = Ends::listen().map_err(Failure::failed)?;
    let (sender, receiver) = mpsc::channel(4);
    let interrupts = sender.clone();
    tokio::spawn(async move {
        loop {
            let signal = ends.next().await;
            if signal != INTERRUPT {
                ended_by.store(signal, Ordering::Relaxed);
            }
            if sender.send(signal == INTERRUPT).await.is_err() {
                return;
            }
        }
    });
    Ok((interrupts, receiver))
}

/// What lines are written to.
struct Paper<'a> {
    output: &'a mut Output,
    /// What one types on; there rows end where a terminal would break them.
    typing: Option<Typing>,
    work: PathBuf,
    key_variables: Vec<String>,
}

impl Paper<'_> {
    /// Opens the editor, which has the keys until it is left.
    fn edit(&mut self, draft: &str) -> Msg {
        let Some(typing) = &mut self.typing else { return Msg::NoEditor };
        typing.pause();
        let edited = editor::edit(draft, &self.work, &self.key_variables);
        match (edited, typing.go_on()) {
            (Ok(text), Ok(())) => Msg::Edited(text),
            (Err(problem), _) => Msg::host(Notice::error(problem)),
            (_, Err(problem)) => Msg::host(Notice::error(problem.to_string())),
        }
    }
}

impl Lines for Paper<'_> {
    fn line(&mut self, line: &str) {
        // Nothing is typed until the line is written.
        let mut row = self.typing.as_ref().map(Typing::row);
        if let Some(row) = &mut row {
            if row.leave() {
                self.output.text("\n");
            }
            // The terminal would cut words where its row ends.
            let columns = usize::from(Terminal::size().0.max(20)) - 1;
            for row in &wrap_text(line, columns) {
                self.output.line(row);
            }
        } else {
            self.output.line(line);
        }
        self.output.flush();
    }

    fn ask(&mut self, prompt: &str) {
        let mut row = self.typing.as_ref().map(Typing::row);
        let Some(row) = &mut row else { return self.output.text(prompt) };
        if row.leave() {
            self.output.text("\n");
        }
        // What was typed before goes on behind it.
        self.output.text(&format!("{prompt}{}", row.written_again()));
        self.output.flush();
    }

    fn end_line(&mut self) {
        let mut row = self.typing.as_ref().map(Typing::row);
        if let Some(row) = &mut row {
            row.leave();
        }
        self.output.text("\n");
    }

    fn perform(&mut self, effect: TerminalEffect) -> Option<Msg> {
        match effect {
            // The sequence of the clipboard shows nothing and moves nothing; into a file it does not belong.
            TerminalEffect::Copy(text) if self.typing.is_some() => match clipboard::copy(&text) {
                Ok(Sent::Taken) => None,
                Ok(Sent::NotSure) => Some(Msg::NotSureCopied),
                Err(problem) => Some(Msg::NotCopied(problem)),
            },
            TerminalEffect::Copy(text) => clipboard::by_program(&text).err().map(Msg::NotCopied),
            TerminalEffect::OpenEditor(draft) => Some(self.edit(&draft)),
            TerminalEffect::Print(text) => {
                text.lines().for_each(|line| self.line(line));
                None
            }
            TerminalEffect::Suspend
            | TerminalEffect::Mouse(_)
            | TerminalEffect::Redraw
            | TerminalEffect::TellKeysApart
            | TerminalEffect::Notify(_)
            | TerminalEffect::SetTitle(_)
            | TerminalEffect::Quit => None,
        }
    }

    fn is_gone(&self) -> bool {
        self.output.reader_is_gone()
    }
}
