//! `elenchus render`: a frame of a session without a terminal.

use super::chat::themes;
use super::{Exit, Failure, Output, SettingsArguments};
use crate::app::Options;
use crate::runtime::headless_frames::HeadlessFrames;
use crate::runtime::{endpoint, opened};
use crate::ui::frame_export::{SvgFrame, to_ansi, to_svg, to_text};
use crate::ui::theme::{ColorDepth, DEFAULT_THEME};

#[derive(Debug, clap::Args)]
pub struct Render {
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
    /// What to write.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
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
    let host = settings.host()?;
    let session = host.resume(&command.session).await?;
    let (themes, _) = themes(&host.settings.paths.themes());
    if !themes.names().any(|name| name == command.theme) {
        let known: Vec<&str> = themes.names().collect();
        return Err(Failure::usage(format!("there is no theme `{}`; there are {}", command.theme, known.join(", "))));
    }
    let options = Options {
        size: command.size,
        theme: command.theme.clone(),
        endpoint: endpoint(host.backend()),
        ascii: command.ascii,
        ..Options::default()
    };
    let mut frames = HeadlessFrames::new(options, themes, ColorDepth::TrueColor);
    let shown = match command.turn.filter(|turn| *turn < session.record().turn) {
        Some(turn) => earlier(&host, &session, turn).await?,
        None => opened(&session),
    };
    frames.send(shown);
    let frame = frames.frame();
    let text = match command.format {
        Format::Text => to_text(&frame),
        Format::Ansi => to_ansi(&frame),
        Format::Svg => {
            let title = frames.model.session.as_ref().map_or("Elenchus", |session| session.label());
            to_svg(&frame, &SvgFrame { theme: frames.frames().theme(), title })
        }
    };
    output.text(&text);
    if !text.ends_with('\n') {
        output.text("\n");
    }
    host.close()?;
    Ok(Exit::Ok)
}

/// The session as it was after a turn.
async fn earlier(
    host: &crate::runtime::Host,
    session: &crate::runtime::Session,
    turn: u32,
) -> Result<crate::app::Msg, Failure> {
    use crate::app::Msg;
    use crate::app::msg::SessionMsg;
    let id = session.record().id;
    let state = host.store().call_async(move |store| store.state_at(id, turn)).await?;
    let memory = serde_json::from_value(state).map_err(Failure::failed)?;
    let Msg::Session(SessionMsg::Opened(mut shown)) = opened(session) else {
        return Err(Failure::failed("the session cannot be shown"));
    };
    shown.memory = Box::new(memory);
    shown.messages.retain(|message| message.turn <= turn);
    Ok(Msg::Session(SessionMsg::Opened(shown)))
}
