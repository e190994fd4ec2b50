//! `elenchus render`: a frame of a session without a terminal.

use std::collections::BTreeMap;
use std::sync::Arc;

use crossterm::event::KeyEvent;
use tokio::sync::mpsc::UnboundedReceiver;

use super::chat::{places, themes};
use super::{Exit, Failure, Output, SettingsArguments};
use crate::app::effect::Outside;
use crate::app::keymap::Chord;
use crate::app::{Effect, Msg, Options};
use crate::host::protocol::{Answer, Command, Event, News, Open, Query, Request, RequestId, Snapshot};
use crate::host::{Client, Connection};
use crate::ui::frame_export::{SvgFrame, to_ansi, to_svg, to_text};
use crate::ui::headless::HeadlessFrames;
use crate::ui::theme::{ColorDepth, DEFAULT_THEME};

#[derive(Debug, clap::Args)]
pub(crate) struct Render {
    /// The session; the beginning of its id will do.
    session: String,
    /// As it was after this turn.
    #[arg(long, value_name = "N")]
    turn: Option<u32>,
    /// Columns and rows.
    #[arg(long, value_name = "WxH", default_value = "120x40", value_parser = size)]
    size: (u16, u16),
    /// The colours.
    #[arg(long, value_name = "NAME", default_value = DEFAULT_THEME)]
    theme: String,
    /// Draw as for a terminal of so many colours; without it of all of them, and of none in text with colours where
    /// colours are not wanted.
    #[arg(long, value_enum, value_name = "COLOURS")]
    depth: Option<Depth>,
    /// What to write.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Keys that are pressed first, such as `F5` or `tab down enter`: what they open is in the picture.
    #[arg(long, value_name = "KEYS", conflicts_with = "turn")]
    press: Option<String>,
    /// Draw with plain characters only.
    #[arg(long)]
    ascii: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// Plain text.
    Text,
    /// Text with the colours of a terminal.
    Ansi,
    /// A picture.
    Svg,
}

/// The terminal that is drawn for.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Depth {
    /// One without colours; `--theme monochrome` is what it gets.
    None,
    #[value(name = "16")]
    Sixteen,
    #[value(name = "256")]
    Palette,
    Full,
}

impl From<Depth> for ColorDepth {
    fn from(depth: Depth) -> Self {
        match depth {
            Depth::None => Self::None,
            Depth::Sixteen => Self::Ansi16,
            Depth::Palette => Self::Ansi256,
            Depth::Full => Self::TrueColor,
        }
    }
}

/// No terminal is larger, and a buffer of this size is still a few megabytes.
const LARGEST: u16 = 1000;

fn size(text: &str) -> Result<(u16, u16), String> {
    let (columns, rows) = text.split_once('x').ok_or("write it as 120x40")?;
    let read = |number: &str| {
        let count: u16 = number.trim().parse().map_err(|_| format!("`{number}` is not a number"))?;
        if (1..=LARGEST).contains(&count) { Ok(count) } else { Err(format!("between 1 and {LARGEST}, please")) }
    };
    Ok((read(columns)?, read(rows)?))
}

pub async fn run(command: &Render, settings: &SettingsArguments, output: &mut Output) -> Result<Exit, Failure> {
    let host = Arc::new(settings.host()?);
    let (themes, _) = themes(&host.settings.paths.themes());
    if !themes.names().any(|name| name == command.theme) {
        let known: Vec<&str> = themes.names().collect();
        return Err(Failure::usage(format!("there is no theme `{}`; there are {}", command.theme, known.join(", "))));
    }
    let options = Options {
        size: command.size,
        theme: command.theme.clone(),
        endpoint: host.backend().endpoint(),
        ascii: command.ascii,
        designer: host.settings.is_designers(),
        places: places(&host.settings.paths),
        ..Options::default()
    };
    // Who wants no colours gets none, unless it was said for how many they are.
    let colourless = settings.is_colourless() && matches!(command.format, Format::Ansi);
    let usual = if colourless { Depth::None } else { Depth::Full };
    let depth = command.depth.unwrap_or(usual);
    let mut frames = HeadlessFrames::new(options, themes, depth.into());
    let keys = pressed(command.press.as_deref().unwrap_or_default())?;
    let (client, mut events) = host.dial(Connection { only_looks: true, ..Connection::default() });
    let opened = shown(&client, &mut events, command).await;
    if let Ok(shown) = &opened {
        frames.send(Msg::host(Event::Opened(Arc::clone(shown))));
        for key in keys {
            // What a key does may depend on what was on the screen.
            frames.frame();
            let effects = frames.send(Msg::Key(key));
            look_up(&client, &mut events, &mut frames, effects).await;
        }
    }
    client.finish().await;
    opened?;
    let frame = frames.frame();
    let text = match command.format {
        Format::Text => to_text(&frame),
        Format::Ansi => to_ansi(&frame),
        Format::Svg => {
            let title = frames.model.session.as_ref().map_or("Elenchus", |session| session.label());
            to_svg(&frame, &SvgFrame { theme: frames.frames().theme(), title })
        }
    };
    output.coloured(&text);
    if !text.ends_with('\n') {
        output.text("\n");
    }
    host.close_shared()?;
    Ok(Exit::Ok)
}

fn pressed(text: &str) -> Result<Vec<KeyEvent>, Failure> {
    let read = |name: &str| {
        let chord = Chord::parse(name).ok_or_else(|| Failure::usage(format!("there is no key `{name}`")))?;
        Ok(KeyEvent::new(chord.code, chord.modifiers))
    };
    text.split_whitespace().map(read).collect()
}

/// Asks the host for what keys have opened, and takes in what it answers. A picture changes nothing: what is more than a
/// question is not passed on.
async fn look_up(
    client: &Client,
    events: &mut UnboundedReceiver<News>,
    frames: &mut HeadlessFrames,
    effects: Vec<Effect>,
) {
    let mut wanted = effects;
    loop {
        // Under a number of its own each, for the app numbers only some; the app hears of its own.
        let mut open: BTreeMap<RequestId, Option<RequestId>> =
            wanted.iter().filter_map(question).map(|asked| (client.submit(asked.command.clone()), asked.id)).collect();
        wanted = Vec::new();
        while !open.is_empty() {
            let Some(news) = events.recv().await else { return };
            let answers = news.answers.and_then(|id| open.remove(&id)).flatten();
            wanted.extend(frames.send(Msg::Host(News { answers, ..news })));
        }
        if wanted.is_empty() {
            return;
        }
    }
}

/// What an effect asks the host, if it is a question.
fn question(effect: &Effect) -> Option<&Request> {
    match effect {
        Effect::Outside(Outside::Host(request)) => Some(request).filter(|it| matches!(it.command, Command::Ask(_))),
        Effect::Outside(Outside::SaveTheme(_) | Outside::KeepHints(_)) | Effect::Terminal(_) => None,
    }
}

/// The session as it stands, or as it was after the turn that is asked for.
async fn shown(
    client: &Client,
    events: &mut UnboundedReceiver<News>,
    command: &Render,
) -> Result<Arc<Snapshot>, Failure> {
    let mut asked = client.submit(Open::Session(command.session.clone()));
    let mut found = Err(Failure::failed("the session cannot be shown"));
    while let Some(news) = events.recv().await {
        let is_refused = news.refusal(asked).is_some();
        found = match news.event {
            Event::Opened(snapshot) => match command.turn.filter(|turn| *turn < snapshot.memory.turn) {
                Some(turn) => {
                    asked = client.submit(Query::AsOf(turn));
                    continue;
                }
                // A picture is of the conversation; nobody comes back to it.
                None => Ok(Arc::new(Snapshot { recap: None, ..Snapshot::clone(&snapshot) })),
            },
            Event::Answer(Answer::AsOf(snapshot)) => Ok(snapshot),
            Event::NotOpened(why) => Err(why.into()),
            Event::Notice(notice) if is_refused => Err(Failure::failed(notice.text)),
            Event::Notice(_)
            | Event::Turn(_)
            | Event::Session(_)
            | Event::Task(_)
            | Event::Setup(_)
            | Event::Answer(_)
            | Event::Concluded(_)
            | Event::Endpoint(_) => continue,
        };
        break;
    }
    found
}
