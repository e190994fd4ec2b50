//! What happens becomes a changed model and effects. Only routes: each area has a file of its own.

use crossterm::event::{KeyEvent, KeyEventKind, MouseEventKind};

use super::commands::{Command, Slash};
use super::composer::VimMode;
use super::effect::{Effect, TerminalEffect};
use super::keymap::{Action, Chord, Context, Motion};
use super::line::Line;
use super::model::{Focus, Leaving, Model, Screen, View};
use super::msg::Msg;
use super::overlay::{Asking, Overlay, Purpose};
use super::toasts::Level;
use super::{
    about, aside, brief, chat, composer, correct, draft, export, filing, heard, hints, inspector, leaving, mouse,
    overlay, picker, pointer, ready_words, review, rewinding, session, setup, sidebar, terminal, turn,
};
use crate::host::protocol::{Edit, Export, SessionCommand, UseModel};

/// Takes in what happened. Total: every message is fine at any time.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let writes = matches!(msg, Msg::Key(_) | Msg::Paste(_) | Msg::Edited(_) | Msg::Direct(_));
    if matches!(msg, Msg::Key(_) | Msg::Resize(..)) {
        model.pointer.selection = None;
    }
    let clicks = matches!(&msg, Msg::Mouse(event) if matches!(event.kind, MouseEventKind::Down(_)));
    let mut effects = take_in(model, msg);
    if !model.composer.is_empty() {
        model.card.renew();
    }
    model.follow_language();
    effects.extend(brief::follow(model));
    effects.extend(hints::follow(model));
    if (writes || clicks) && model.session.is_some() {
        model.keeping.touch(model.now);
    }
    let inspects = model.overlays.iter().any(|overlay| matches!(overlay, Overlay::Inspector(_)));
    model.sidebar.design = model.view == View::Designer || inspects;
    draft::before_leaving(model, effects)
}

fn take_in(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Begun => about::begin(model),
        Msg::Key(event) => key(model, event),
        Msg::Mouse(event) => mouse::update(model, event),
        Msg::Paste(text) => paste(model, &text),
        Msg::Resize(columns, rows) => {
            model.size = (columns, rows);
            Vec::new()
        }
        Msg::Focus(focused) => {
            model.focused = focused;
            Vec::new()
        }
        Msg::Clock(now) => {
            model.now = now;
            model.toasts.tick(now);
            draft::tick(model).into_iter().collect()
        }
        Msg::Host(news) => heard::take_in(model, news),
        Msg::Direct(direct) => super::direct::update(model, direct),
        Msg::Chat(msg) => chat::update(model, &msg),
        Msg::Brief(msg) => brief::measured(model, msg),
        Msg::Card(msg) => {
            about::drawn(model, msg);
            overlay::card_shown(model, &msg)
        }
        Msg::Reviewed(fields) => review::shown(model, &fields),
        Msg::Ends(last) => overlay::ends_at(model, last),
        Msg::NotSureCopied => export::not_sure(model),
        Msg::NotCopied(problem) => export::not_copied(model, problem),
        Msg::Selected(text) => pointer::selected(model, text),
        Msg::Ground { light } => terminal::ground(model, light),
        Msg::KeysAreTold => terminal::keys_are_told(model),
        Msg::NoEditor => terminal::no_editor(model),
        Msg::Edited(text) => edited(model, text),
    }
}

/// A key: what the keymap says of it, or else a letter for whatever takes text.
pub(super) fn key(model: &mut Model, event: KeyEvent) -> Vec<Effect> {
    if event.kind == KeyEventKind::Release {
        return Vec::new();
    }
    if let Some(effects) = about::key(model, event) {
        return effects;
    }
    if overlay::written_on(model, event) {
        return Vec::new();
    }
    let context = model.context();
    let action = model.keymap.action(context, Chord::from(event));
    // Only the very next key counts.
    if action != Some(Action::Do(Motion::Interrupt)) {
        model.leaving = Leaving::NotAsked;
    }
    let done = match action {
        Some(Action::Run(command)) => Some(run_by_key(model, command)),
        Some(Action::Do(motion)) => self::motion(model, context, motion),
        None => None,
    };
    done.unwrap_or_else(|| match context {
        Context::Composer => composer::key(model, event),
        Context::Palette => overlay::key(model, event),
        Context::Picker if !is_question(model, event) => picker::key(model, event),
        _ => typed_elsewhere(model, event),
    })
}

/// Runs the command of a key. While a question is open only help and quit run. Commands whose effect a window would hide
/// do not run behind one. A command that would open the same window twice does nothing.
fn run_by_key(model: &mut Model, command: Command) -> Vec<Effect> {
    let asks = matches!(model.overlays.last(), Some(Overlay::Confirm(_) | Overlay::Budget(_)));
    if asks && !matches!(command, Command::Help | Command::Quit) {
        return Vec::new();
    }
    if !model.overlays.is_empty() && command.works_behind_windows() {
        model.toasts.tell(Level::Info, model.words.turns.window_first(), model.now);
        return Vec::new();
    }
    let before = model.overlays.len();
    let effects = run(model, command, "");
    let stacked = match &model.overlays[..] {
        [.., below, top] if model.overlays.len() > before => below.is_like(top),
        _ => false,
    };
    if stacked {
        model.overlays.pop();
        return Vec::new();
    }
    effects
}

/// Whether a key asks for help: the mark is text where something is being written.
fn is_question(model: &Model, event: KeyEvent) -> bool {
    event.code == crossterm::event::KeyCode::Char('?') && model.picker.words.text().is_empty()
}

/// A letter in a pane that takes none: `?` asks for help, `/` and everything else that is text goes to the composer.
fn typed_elsewhere(model: &mut Model, event: KeyEvent) -> Vec<Effect> {
    let crossterm::event::KeyCode::Char(letter) = event.code else { return Vec::new() };
    match (letter, model.context()) {
        ('?', _) => run(model, Command::Help, ""),
        ('/', Context::Chat) => run(model, Command::Find, ""),
        (_, Context::Chat | Context::Sidebar) if event.modifiers.is_empty() => {
            model.focus = Focus::Composer;
            composer::key(model, event)
        }
        _ => Vec::new(),
    }
}

pub(super) fn motion(model: &mut Model, context: Context, motion: Motion) -> Option<Vec<Effect>> {
    let own = match context {
        Context::Palette | Context::Overlay => overlay::motion(model, motion),
        Context::Picker => picker::motion(model, motion),
        Context::Composer => composer::motion(model, motion).or_else(|| match motion {
            Motion::PageUp | Motion::PageDown => chat::motion(model, motion),
            Motion::Complete => Some(focus(model, true)),
            _ => None,
        }),
        Context::Chat => chat::motion(model, motion),
        Context::Sidebar if model.brief.is_some() => brief::motion(model, motion),
        Context::Sidebar => sidebar::motion(model, motion),
        Context::Global => None,
    };
    own.or_else(|| everywhere(model, motion))
}

/// What a key does in every pane.
fn everywhere(model: &mut Model, motion: Motion) -> Option<Vec<Effect>> {
    Some(match motion {
        Motion::Palette => match model.overlays.last() {
            Some(Overlay::Chooser(chooser)) if chooser.purpose == Purpose::Palette => overlay::close(model),
            _ => overlay::choose_from(model, Purpose::Palette, ""),
        },
        Motion::Back => back(model),
        Motion::Interrupt => interrupt(model),
        Motion::Suspend => draft::keep(model).into_iter().chain([TerminalEffect::Suspend.into()]).collect(),
        Motion::Redraw => vec![TerminalEffect::Redraw.into()],
        Motion::FocusNext => focus(model, true),
        Motion::FocusPrevious => focus(model, false),
        _ => return None,
    })
}

/// Composer, sidebar, chat, and round again. The drawer of a narrow window opens and closes with the focus.
fn focus(model: &mut Model, forward: bool) -> Vec<Effect> {
    if model.screen != Screen::Chat {
        return Vec::new();
    }
    let order = [Focus::Composer, Focus::Sidebar, Focus::Chat];
    let at = order.iter().position(|focus| *focus == model.focus).unwrap_or(0);
    let next = order[(at + if forward { 1 } else { order.len() - 1 }) % order.len()];
    model.focus = next;
    model.sidebar.drawer = false;
    if next == Focus::Sidebar {
        model.sidebar.hidden = false;
    }
    Vec::new()
}

/// Esc: the nearest thing that can be closed, cancelled or dismissed.
fn back(model: &mut Model) -> Vec<Effect> {
    // The menu lies over everything else, and only where one writes.
    if model.context() == Context::Composer && model.composer.put_menu_away() {
        return Vec::new();
    }
    if model.toasts.shown().is_some_and(|toast| toast.level != Level::Info) && model.toasts.dismiss() {
        return Vec::new();
    }
    if let Some(effects) = turn::cancel(model) {
        return effects;
    }
    if model.screen == Screen::Picker {
        if !model.picker.words.text().is_empty() {
            let words = std::mem::take(&mut model.picker.words);
            model.composer.history.add(words.text());
            return Vec::new();
        }
        return picker::back(model);
    }
    if std::mem::take(&mut model.card.marked).is_some() || std::mem::take(&mut model.card.own_words) {
        return Vec::new();
    }
    if model.focus == Focus::Composer
        && let Some(vim) = &mut model.composer.vim
        && vim.mode == VimMode::Insert
    {
        vim.escape();
        return Vec::new();
    }
    if model.composer.editing.take().is_some() {
        let aside = model.composer.aside.take().map(|(draft, _)| draft);
        model.composer.reset(&aside.unwrap_or_default());
        return Vec::new();
    }
    let busy = model.chat.find.is_some() || model.chat.highlight.is_some() || model.chat.selected.is_some();
    if model.brief.is_some() && !busy && model.toasts.is_empty() {
        brief::put_away(model);
        return Vec::new();
    }
    let dismissed = hints::dismiss(model);
    (model.chat.find, model.chat.highlight, model.chat.selected) = (None, None, None);
    model.focus = Focus::Composer;
    model.sidebar.drawer = false;
    model.toasts.dismiss();
    dismissed.into_iter().collect()
}

/// Ctrl-C: cancels, else clears the draft (which can be recalled), else leaves when it is pressed once more.
fn interrupt(model: &mut Model) -> Vec<Effect> {
    let leaving = std::mem::take(&mut model.leaving);
    if !model.overlays.is_empty() {
        return overlay::close(model);
    }
    if let Some(effects) = turn::cancel(model) {
        return effects;
    }
    if model.screen == Screen::Chat && !model.composer.is_empty() {
        let (aside, draft) = (model.composer.put_aside(), model.composer.text());
        model.composer.history.add(&aside);
        model.composer.history.add(&draft);
        model.composer.reset("");
        model.toasts.tell(Level::Info, model.words.composer.cleared(), model.now);
        return Vec::new();
    }
    if model.screen == Screen::Picker && !model.picker.words.text().is_empty() {
        model.picker.words = Line::default();
        return Vec::new();
    }
    if leaving == Leaving::Asked {
        return leaving::quit_now(model);
    }
    model.leaving = Leaving::Asked;
    model.toasts.tell(Level::Info, model.words.composer.leave_again(), model.now);
    Vec::new()
}

fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    about::put_away(model);
    match model.context() {
        Context::Palette => overlay::paste(model, text),
        Context::Picker => picker::paste(model, text),
        Context::Composer | Context::Chat | Context::Sidebar => {
            model.focus = Focus::Composer;
            composer::paste(model, text)
        }
        _ => Vec::new(),
    }
}

fn edited(model: &mut Model, text: Option<String>) -> Vec<Effect> {
    let Some(text) = text else { return Vec::new() };
    let (editing, aside) = (model.composer.editing, model.composer.aside.take());
    model.composer.reset("");
    (model.composer.editing, model.composer.aside) = (editing, aside);
    model.focus = Focus::Composer;
    composer::paste(model, text.trim_end_matches('\n'))
}

/// Runs what was written after a slash.
pub fn slash(model: &mut Model, slash: Slash) -> Vec<Effect> {
    match slash {
        Slash::Run(command, argument) => run(model, command, &argument),
        Slash::Unknown(name, near) => {
            let says = &model.words.commands;
            let text = near.map_or_else(|| says.unknown(&name), |near| says.did_you_mean(&name, near));
            model.toasts.tell(Level::Warning, text, model.now);
            Vec::new()
        }
    }
}

pub fn run(model: &mut Model, command: Command, argument: &str) -> Vec<Effect> {
    let open = model.session.is_some() && model.screen == Screen::Chat;
    if !command.entry().anywhere && !open {
        let text = model.words.commands.needs_session(command.entry().name);
        model.toasts.tell(Level::Info, text, model.now);
        return Vec::new();
    }
    let file = || (!argument.is_empty()).then(|| argument.to_owned());
    match command {
        Command::Help => toggle(model, |overlay| matches!(overlay, Overlay::Help(_)), Overlay::Help(0)),
        Command::Engine if argument.is_empty() => picker::show(model, picker::List::Engines),
        Command::Engine => picker::start(model, argument.to_owned(), argument),
        Command::Sessions => picker::show(model, picker::List::Sessions),
        Command::Search => overlay::choose_from(model, Purpose::Search, argument),
        Command::Theme => overlay::choose_from(model, Purpose::Theme, argument),
        Command::Btw if argument.is_empty() => overlay::ask(model, Asking::Aside, ""),
        Command::Btw => aside::say(model, argument),
        Command::Model if argument.is_empty() => overlay::choose_from(model, Purpose::Model, ""),
        Command::Model => vec![Effect::host(UseModel(argument.to_owned()))],
        Command::Settings => setup::settings::open(model),
        Command::Doctor => setup::examination::open(model),
        Command::About => about::toggle(model),
        Command::Find if model.screen == Screen::Picker => filing::narrow(model, argument),
        Command::Find if argument.is_empty() => overlay::ask(model, Asking::Find, ""),
        Command::Find => overlay::answered(model, Asking::Find, argument),
        Command::Rename => rename(model, argument),
        Command::Tag => filing::tag(model, argument),
        Command::Archive => filing::archive(model),
        Command::Trash => filing::trash(model, argument),
        Command::Defer => overlay::choose_from(model, Purpose::Defer, argument),
        Command::Correct => correct::correct(model, argument),
        Command::Review => review::open(model),
        Command::Brief => brief::command(model, argument),
        Command::Phase => phase(model, argument),
        Command::WrapUp => vec![Effect::host(Edit::WrapUp)],
        Command::Park => ready_words::say(model, ready_words::Ready::NotNow),
        Command::Back => ready_words::say(model, ready_words::Ready::Before),
        Command::Undo => rewinding::undo(model, argument),
        Command::Redo => rewinding::redo(model),
        Command::Courses => overlay::choose_from(model, Purpose::Courses, argument),
        Command::Retry => rewinding::retry(model),
        Command::Edit => turn::edit_message(model, model.chat.selected),
        Command::Fork => overlay::fork(model),
        Command::Handoff => overlay::review_handoff(model),
        Command::Journey => overlay::choose_from(model, Purpose::Journey, argument),
        Command::Apart => session::keep_apart(model),
        Command::Tasks => overlay::choose_from(model, Purpose::Task, argument),
        Command::Export => export::to_file(argument),
        Command::Questions => vec![Effect::host(SessionCommand::Export(Export::Questions(file())))],
        Command::Answers => export::answers(model, argument),
        Command::Scenario => vec![Effect::host(SessionCommand::Export(Export::Scenario(file())))],
        Command::Inspector => inspector::toggle(model),
        Command::Sidebar => sidebar::toggle(model),
        Command::Copy if argument == "code" => chat::copy_code(model),
        Command::Copy if export::copies(argument).is_some() => export::to_clipboard(model, argument),
        Command::Copy => chat::copy_message(model),
        Command::Mouse => pointer::toggle(model),
        Command::Print => leaving::print(model),
        Command::Editor => vec![TerminalEffect::OpenEditor(model.composer.text()).into()],
        Command::Quit => leaving::quit(model),
    }
}

/// `/rename title` at once; without one it is asked for.
fn rename(model: &mut Model, title: &str) -> Vec<Effect> {
    if title.is_empty() {
        let now = model.session.as_ref().map_or(String::new(), |session| session.title.clone());
        return overlay::ask(model, Asking::Title, &now);
    }
    vec![Effect::host(SessionCommand::Rename(title.to_owned()))]
}

fn toggle(model: &mut Model, is: impl Fn(&Overlay) -> bool, overlay: Overlay) -> Vec<Effect> {
    if model.overlays.last().is_some_and(is) {
        model.overlays.pop();
    } else {
        model.overlays.push(overlay);
    }
    Vec::new()
}

/// `/phase id` at once; anything else narrows the list of phases.
fn phase(model: &mut Model, argument: &str) -> Vec<Effect> {
    let known = model.session.as_ref().is_some_and(|session| session.engine.phase(argument).is_some());
    if known {
        return vec![Effect::host(Edit::Phase { phase: argument.to_owned() })];
    }
    overlay::choose_from(model, Purpose::Phase, argument)
}
