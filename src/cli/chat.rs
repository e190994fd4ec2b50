//! `elenchus` and `elenchus chat`: the app.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::watch;

use super::output::Output;
use super::{Exit, Failure, SettingsArguments, doctor, lines, log, quoted, signals};
use crate::app::about::{self, Places};
use crate::app::hints::Hints;
use crate::app::keymap::Keymap;
use crate::app::leaving;
use crate::app::model::Keys;
use crate::app::session::ShownSession;
use crate::app::toasts::Level;
use crate::app::{Effect, Model, Options};
use crate::decode::Diagnostic;
use crate::files::plain;
use crate::host::protocol::{Listing, Open, Query};
use crate::host::{Connection, Host};
use crate::settings::{Flags, Origin, Paths, Settings, Surroundings, seen_hints};
use crate::store::{Opened, StoreError};
use crate::text::sanitise_line;
use crate::tui::FrontEnd;
use crate::tui::event_loop::EventLoop;
use crate::tui::terminal::{self, Equipment, Terminal};
use crate::tui::terminal_input::TerminalInput;
use crate::ui::frames::Frames;
use crate::ui::theme::{AUTO_THEME, ColorDepth, MONOCHROME_THEME, Themes};
use crate::words::Language;

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
#[command(next_help_heading = "The app")]
// Each is a flag of its own.
#[allow(clippy::struct_excessive_bools)]
pub struct Chat {
    /// Start with this engine: its name, or the path of its folder.
    #[arg(long, value_name = "ID|PATH")]
    pub(super) engine: Option<String>,
    /// Go on with this session; the beginning of its id will do.
    #[arg(long, value_name = "ID", conflicts_with = "engine")]
    pub(super) session: Option<String>,
    /// The project that new sessions belong to.
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// The colours.
    #[arg(long, value_name = "NAME")]
    theme: Option<String>,
    /// Somebody else is interviewed: they are told first who reads along, what is kept and where.
    #[arg(long)]
    guest: bool,
    /// Draw with plain characters only.
    #[arg(long)]
    ascii: bool,
    /// Modal keys in the composer.
    #[arg(long)]
    vim: bool,
    /// Take over the engine's files whenever they are saved, between two turns.
    #[arg(long)]
    watch: bool,
}

impl Chat {
    /// These options, with those that were given before the name of the command.
    pub(super) fn over(&self, before: &Self) -> Self {
        let or = |own: &Option<String>, other: &Option<String>| own.clone().or_else(|| other.clone());
        // One of the two is what it starts with, and what stands last was meant.
        let starts = self.engine.is_some() || self.session.is_some();
        let first = if starts { self } else { before };
        Self {
            engine: first.engine.clone(),
            session: first.session.clone(),
            project: or(&self.project, &before.project),
            theme: or(&self.theme, &before.theme),
            ascii: self.ascii || before.ascii,
            vim: self.vim || before.vim,
            watch: self.watch || before.watch,
            guest: self.guest || before.guest,
        }
    }
}

impl Chat {
    /// How the app was started, as it is typed in a shell, but for what it was started with; with a space behind it.
    fn typed_again(&self) -> String {
        let theme = self.theme.as_ref().map(|theme| format!("--theme {} ", quoted(theme)));
        let switches =
            [(self.guest, "--guest "), (self.ascii, "--ascii "), (self.vim, "--vim "), (self.watch, "--watch ")];
        let on = switches.into_iter().filter(|(on, _)| *on).map(|(_, name)| name.to_owned());
        theme.into_iter().chain(on).collect()
    }
}

pub fn run(command: &Chat, settings: &SettingsArguments, output: &mut Output) -> Result<Exit, Failure> {
    let there = terminal::is_there();
    if !there {
        let loaded = Settings::load(&settings.flags(), &Surroundings::system()).map_err(Failure::usage)?;
        if loaded.manners.plain.is_none_or(|plain| !plain.value) {
            return Err(Failure::usage(
                "the app needs a terminal on stdin and stdout; `elenchus --plain` tells and takes lines without one, \
                 `elenchus converse` is for scripts",
            ));
        }
    }
    let (host, opened) = settings.host_without_waiting()?;
    let host = Arc::new(host);
    // What was asked for and cannot be opened is told before the terminal is taken.
    if let Some(engine) = &command.engine {
        host.engine(engine)?;
    }
    let opened = match command.session.clone() {
        Some(id) => {
            is_open(&opened)?;
            host.store().call(move |store| store.find_session(&id))?;
            None
        }
        None => Some(opened),
    };
    if !there || lines::is_wanted(&host.settings, settings, output) {
        let left = lines::run(command, settings, &host, opened, output);
        host.close_shared()?;
        return left.map(|left| farewell(left, command, settings, output));
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(Failure::failed)?;
    let outcome = runtime.block_on(hold(command, settings, Arc::clone(&host), opened, output));
    drop(runtime);
    host.close_shared()?;
    Ok(farewell(outcome?, command, settings, output))
}

/// How a front end was left.
#[derive(Clone, Debug, Default)]
pub(super) struct Left {
    /// The session that was open at the end, if something was said in it.
    pub session: Option<String>,
    /// The signal that ended it, where one did.
    pub signal: Option<i32>,
}

/// Says how to come back to a session. Who ended the program by a signal sees that it was that.
fn farewell(left: Left, command: &Chat, settings: &SettingsArguments, output: &mut Output) -> Exit {
    if let Some(session) = left.session {
        let (settings, own) = (settings.typed_again(), command.typed_again());
        output.remark(&format!("to go on: elenchus {settings}chat {own}--session {session}"));
    }
    output.flush();
    left.signal.into_iter().for_each(signals::end_by);
    Exit::Ok
}

/// Waits until the store is open, or says why it is not.
pub(super) fn is_open(opened: &Opened) -> Result<(), StoreError> {
    // The sender is gone only if opening has panicked.
    opened.recv().unwrap_or(Err(StoreError::Closed))
}

/// The first frame does not wait for the store, nor for the log. Returns only if the store cannot be opened.
async fn opened_beside(host: &Host, opened: Option<Opened>) -> Failure {
    let data = host.settings.paths.data_dir.value.clone();
    let work = move || {
        opened.map_or(Ok(()), |opened| is_open(&opened))?;
        log::begin(&data);
        Ok::<(), StoreError>(())
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(Err(error)) => error.into(),
        Ok(Ok(())) => std::future::pending().await,
        Err(error) => Failure::failed(error),
    }
}

/// Runs the app.
async fn hold(
    command: &Chat,
    settings: &SettingsArguments,
    host: Arc<Host>,
    opened: Option<Opened>,
    output: &mut Output,
) -> Result<Left, Failure> {
    let (themes, wrong) = themes(&host.settings.paths.themes());
    let frames = Frames::new(themes, settings.depth());
    // The terminal library knows `NO_COLOR` by itself; what was decided with the flag and the other variables goes before.
    crossterm::style::force_color_output(settings.depth() != ColorDepth::None);
    let mut model = Model::new(model_options(command, settings, &host, &frames)?);
    let theme = &model.theme;
    if !frames.theme_names().contains(theme) {
        let text = format!("there is no theme `{theme}`; /theme shows those there are");
        model.toasts.tell(Level::Warning, text, model.now);
    }
    if let Some(first) = wrong.first() {
        let more = if wrong.len() > 1 { " `elenchus doctor` lists the others." } else { "" };
        model.toasts.tell(Level::Warning, format!("{first}{more}"), model.now);
    }
    let mut first = vec![Effect::host(Query::Sessions(Listing::default()))];
    first.extend(command.engine.clone().map(|engine| Effect::host(Open::Engine(engine))));
    first.extend(command.session.clone().map(|session| Effect::host(Open::Session(session))));
    let connection = connection(command, settings, &host);
    let mut input = TerminalInput::new().map_err(Failure::failed)?;
    let equipment = Equipment {
        work: host.means.work_folder.clone(),
        key_variables: host.settings.key_variables.clone(),
        mouse: host.settings.manners.has_mouse(),
        notices: host.settings.manners.notices(),
    };
    let mut screen = Terminal::take(equipment).map_err(Failure::failed)?;
    let mut app = EventLoop::start(model, frames, |messages| FrontEnd::connect(&host, connection, messages));
    forget_later(&host, app.idle());
    app.model.picker.engines = host.engines_on_offer();
    let outcome = tokio::select! {
        outcome = app.run(first, &mut input, &mut screen) => outcome.map_err(Failure::failed),
        failure = opened_beside(&host, opened) => Err(failure),
    };
    drop(screen);
    if host.settings.manners.leaves_transcript() {
        output.text(&leaving::said(&app.model));
        output.text("\n");
        output.flush();
    }
    let said = |session: &&ShownSession| session.memory.turn > 0;
    let session = app.model.session.as_ref().filter(said).map(|session| session.id.clone());
    app.into_handler().finish().await;
    outcome.map(|()| Left { session, signal: input.ended_by() })
}

/// What the app is started with, be it in panes or in lines.
pub(super) fn model_options(
    command: &Chat,
    settings: &SettingsArguments,
    host: &Host,
    frames: &Frames,
) -> Result<Options, Failure> {
    let seen = seen_hints(&host.settings.paths);
    Ok(Options {
        size: Terminal::size(),
        keymap: keymap(&host.settings.paths)?,
        theme: theme(command, host, settings.depth()),
        themes: frames.theme_names(),
        endpoint: host.backend().endpoint(),
        ascii: command.ascii || is_dumb(),
        still: host.settings.manners.is_still(),
        mouse: host.settings.manners.has_mouse(),
        cards: host.settings.manners.has_cards(),
        // Until the terminal has said that it can do more.
        keys: Keys::Usual,
        vim: command.vim,
        designer: host.settings.is_designers(),
        language: host.settings.language.value.words(),
        guest: command.guest,
        // Who is interviewed by somebody else is told on top of the conversation, and not where that one's files are.
        is_new: host.is_new && !command.guest && !seen.iter().any(|name| name == about::SHOWN),
        hints: Hints::new(host.settings.gives_hints(), seen),
        places: places(&host.settings.paths),
    })
}

/// Where things are kept, as people read it.
pub(super) fn places(paths: &Paths) -> Places {
    let words = |path: &Path| sanitise_line(&path.display().to_string()).into_owned();
    let data = &paths.data_dir.value;
    Places {
        data: words(data),
        database: words(&paths.database()),
        log: words(&log::folder(data)),
        settings: words(&paths.config_file.value),
    }
}

/// What the front end says of itself to the host.
pub(super) fn connection(command: &Chat, settings: &SettingsArguments, host: &Host) -> Connection {
    Connection {
        project: command.project.clone(),
        watch: command.watch,
        language: Some(host.settings.language.value.clone()).filter(Language::says_something),
        flags: Flags { theme: command.theme.clone(), ..settings.flags() },
        only_looks: false,
        forgets_empty: true,
        examiner: doctor::examiner(settings.offline),
    }
}

/// Erases what is to be kept no longer, once there is a frame to look at.
fn forget_later(host: &Arc<Host>, mut idle: watch::Receiver<u64>) {
    let host = Arc::downgrade(host);
    tokio::spawn(async move {
        // The second time everything has come to rest, what the user waited for has been read.
        if idle.wait_for(|count| *count >= 2).await.is_ok()
            && let Some(host) = host.upgrade()
        {
            host.forget_old();
        }
    });
}

/// The theme: asked for now, or the one for terminals without colours, or chosen earlier.
fn theme(command: &Chat, host: &Host, depth: ColorDepth) -> String {
    let set = host.settings.theme.as_ref();
    let now = set.filter(|theme| matches!(theme.origin, Origin::Variable(_)));
    let monochrome = (depth == ColorDepth::None).then_some(MONOCHROME_THEME);
    let theme = command.theme.as_deref().or(now.map(|theme| theme.value.as_str())).or(monochrome);
    theme.or(set.map(|theme| theme.value.as_str())).unwrap_or(AUTO_THEME).to_owned()
}

/// More themes of the user are not read.
const MOST_THEMES: usize = 200;

/// The themes in the binary and those of the user, which take their place by name, and what is wrong with those.
pub fn themes(folder: &Path) -> (Themes, Vec<Diagnostic>) {
    let mut themes = Themes::built_in();
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let own: Vec<(String, String)> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .filter_map(|path| {
            let text = plain::text(&path, plain::SETTINGS).ok()?;
            Some((path.file_stem()?.to_str()?.to_owned(), text))
        })
        .take(MOST_THEMES)
        .collect();
    let wrong = themes.add_all(own.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    (themes, wrong)
}

/// The keys: those in the binary, changed by `keys.toml` beside the settings.
pub fn keymap(paths: &Paths) -> Result<Keymap, Failure> {
    let file = paths.keys();
    let text = match plain::text(&file, plain::SETTINGS) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Failure::usage(format!("cannot read {}: {error}", file.display()))),
    };
    Keymap::with(&text).map_err(|problems| Failure::in_files(format!("{} cannot be used", file.display()), problems))
}

pub(super) fn is_dumb() -> bool {
    // A terminal that does not say which one it is promises nothing.
    std::env::var("TERM").is_ok_and(|term| matches!(term.as_str(), "" | "dumb"))
}
