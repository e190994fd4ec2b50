//! `elenchus sessions answers`: a form that somebody else has answered, taken in answer by answer.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use crate::cli::{Exit, Failure, Output, SettingsArguments};
use crate::host::protocol::{Event, ImportedAnswers, Open, SessionCommand, SessionNews, WhatBecame};
use crate::host::{Connection, Host};
use crate::words::english;

#[derive(Debug, clap::Args)]
pub struct AnswersArguments {
    /// Its id; the beginning will do.
    session: String,
    /// The form, as `sessions questions` wrote it and somebody has filled it in.
    file: PathBuf,
    /// Whose answers they are; the brief says so.
    #[arg(long, value_name = "NAME")]
    speaker: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub async fn run(
    host: Host,
    settings: &SettingsArguments,
    arguments: &AnswersArguments,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let host = Arc::new(host);
    let told = import(&host, settings, arguments).await;
    host.close_shared()?;
    let told = told?;
    if arguments.json {
        output.json(&json!(told));
    } else {
        for answer in &told.answers {
            output.line(answer.in_words(english()));
        }
        output.remark(&format!("{}.", told.in_short(english())));
    }
    let refused = told.answers.iter().any(|answer| matches!(answer.became, WhatBecame::Refused { .. }));
    Ok(if refused { Exit::Failed } else { Exit::Ok })
}

async fn import(
    host: &Arc<Host>,
    settings: &SettingsArguments,
    arguments: &AnswersArguments,
) -> Result<ImportedAnswers, Failure> {
    let (client, mut events) = host.dial(Connection { flags: settings.flags(), ..Connection::default() });
    let opens = client.submit(Open::Session(arguments.session.clone()));
    let file = arguments.file.display().to_string();
    let imports = client.submit(SessionCommand::ImportAnswers { file, speaker: arguments.speaker.clone() });
    let told = loop {
        let Some(news) = events.recv().await else { break Err(Failure::failed("the session cannot be opened")) };
        if let Some(why) = news.refusal(imports) {
            break Err(Failure::usage(why));
        }
        match news.event {
            Event::Session(SessionNews::Imported(told)) => break Ok(told),
            Event::NotOpened(why) if news.answers == Some(opens) => break Err(why.into()),
            // What the turns bring is in the session; what became of each answer is told at the end.
            Event::Opened(_)
            | Event::NotOpened(_)
            | Event::Turn(_)
            | Event::Session(
                SessionNews::Changed { .. }
                | SessionNews::EngineChanged { .. }
                | SessionNews::EngineFaulty(_)
                | SessionNews::Renamed(_)
                | SessionNews::Trust(_)
                | SessionNews::NotCorrected { .. }
                | SessionNews::Remark(_)
                | SessionNews::NoChange
                | SessionNews::Briefs(_),
            )
            | Event::Task(_)
            | Event::Answer(_)
            | Event::Endpoint(_)
            | Event::Setup(_)
            | Event::Concluded(_)
            | Event::Notice(_) => {}
        }
    };
    client.finish().await;
    told
}
