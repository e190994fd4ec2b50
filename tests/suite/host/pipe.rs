//! A second front end proves the protocol: commands and events as JSON over real pipes, the same frames as the app.

use std::sync::Arc;

use elenchus::app::{Msg, Options};
use elenchus::host::protocol::{Command, Event, News, Open, Request, TurnCommand, TurnNews};
use elenchus::host::{Connection, Host};
use elenchus::ui::frame_export::to_text;
use elenchus::ui::headless::HeadlessFrames;
use elenchus::ui::theme::{ColorDepth, Themes};
use pretty_assertions::assert_eq;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::unix::pipe;

use super::{analysis, flags, host, machine, saying};
use crate::app::desk::Desk;
use crate::support::PATIENCE;
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};

/// A front end somewhere else. A line of JSON goes out for a command, a line of JSON comes in for an event.
struct Remote {
    commands: pipe::Sender,
    events: Lines<BufReader<pipe::Receiver>>,
    screen: HeadlessFrames,
}

impl Remote {
    /// Connects, with both ends of both pipes in this process; nothing else is shared.
    fn connect(host: &Arc<Host>) -> Self {
        let (commands, asked) = pipe::pipe().expect("a pipe");
        let (mut told, events) = pipe::pipe().expect("a pipe");
        let (client, mut news) = host.dial(Connection::default());
        tokio::spawn(async move {
            let mut asked = BufReader::new(asked).lines();
            while let Ok(Some(line)) = asked.next_line().await {
                client.send(serde_json::from_str::<Request>(&line).expect("a request"));
            }
            client.finish().await;
        });
        tokio::spawn(async move {
            while let Some(event) = news.recv().await {
                let line = serde_json::to_string(&event).expect("an event can be written") + "\n";
                if told.write_all(line.as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        let options = Options { size: (120, 40), ..Options::default() };
        let screen = HeadlessFrames::new(options, Themes::built_in(), ColorDepth::TrueColor);
        Self { commands, events: BufReader::new(events).lines(), screen }
    }

    async fn send(&mut self, command: impl Into<Command>) {
        let line = serde_json::to_string(&Request::plain(command)).expect("a request can be written") + "\n";
        self.commands.write_all(line.as_bytes()).await.expect("the host listens");
    }

    /// Takes in events until one of them is it.
    async fn until(&mut self, wanted: impl Fn(&Event) -> bool) {
        loop {
            let line = tokio::time::timeout(PATIENCE, self.events.next_line()).await.expect("an event in time");
            let line = line.expect("the pipe is sound").expect("the host lives");
            let news: News = serde_json::from_str(&line).expect("news");
            let found = wanted(&news.event);
            self.screen.send(Msg::host(news));
            if found {
                return;
            }
        }
    }

    async fn open(&mut self, session: &str) {
        self.send(Open::Session(session.to_owned())).await;
        self.until(|event| matches!(event, Event::Opened(_))).await;
    }

    fn frame(&mut self) -> String {
        to_text(&self.screen.frame())
    }
}

fn answer_ends_with(event: &Event, end: &str) -> bool {
    matches!(event, Event::Turn(TurnNews::Delta(text)) if text.ends_with(end))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_front_end_over_pipes_talks_cancels_resumes_and_sees_what_the_app_sees() {
    let (slow, feed) = Answer::fed();
    let said = [analysis(), slow, analysis(), saying("Which clinic is it for?"), analysis(), saying("Who will book?")];
    let fake = FakeEndpoint::conversing(said).await;
    let program = machine(&fake, "");
    let host = host(&program);
    let mut app = Desk::on(Arc::clone(&host), flags(&program), None, false);
    app.begin("project-discovery").await;
    let session = app.session().id.clone();
    let mut remote = Remote::connect(&host);
    remote.open(&session).await;
    assert_eq!(remote.frame(), app.text());

    // Both follow a turn that the remote one has begun.
    remote.send(TurnCommand::Say { message: "We need a booking app.".to_owned() }).await;
    feed.send(openai::delta("Half an answer"));
    remote.until(|event| answer_ends_with(event, "answer")).await;
    app.until(|desk| desk.screen.model.turn.as_ref().is_some_and(|turn| turn.answer.ends_with("answer"))).await;
    assert!(app.text().contains("Half an answer"), "{}", app.text());
    assert_eq!(remote.frame(), app.text());
    // One who joins in the middle has missed nothing.
    let mut late = Remote::connect(&host);
    late.open(&session).await;
    assert_eq!(late.frame(), app.text());

    // The one over there cancels it, for everybody.
    remote.send(TurnCommand::Cancel).await;
    app.until(|desk| desk.screen.model.turn.is_none()).await;
    remote.until(|event| matches!(event, Event::Turn(TurnNews::Cancelled))).await;
    assert_eq!(remote.frame(), app.text());
    assert_eq!(app.turn(), 0, "nothing was kept");

    // And again, to its end.
    remote.send(TurnCommand::Say { message: "We need a booking app.".to_owned() }).await;
    remote.until(|event| matches!(event, Event::Turn(TurnNews::Done(_)))).await;
    app.until(|desk| desk.turn() == 1).await;
    assert!(app.text().contains("Which clinic is it for?"), "{}", app.text());
    assert_eq!(remote.frame(), app.text());

    // Everybody leaves; the session is in the store and nowhere else.
    assert!(!app.text().contains("Next: "), "who has it open is not told how it stands: {}", app.text());
    drop((remote, late));
    app.leave().await;
    let ended = async {
        // The actor of a session holds the host until it has finished everything.
        while Arc::strong_count(&host) > 1 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("the session is closed");

    // Back again, it stands where it stood, and goes on from there.
    let mut back = Remote::connect(&host);
    back.open(&session).await;
    // Who comes back is told how it stands besides.
    let frame = back.frame();
    assert!(frame.contains("Which clinic is it for?") && frame.contains("Next: "), "{frame}");
    let mut app = Desk::on(Arc::clone(&host), flags(&program), None, false);
    app.resume(&session).await;
    assert_eq!(back.frame(), app.text(), "the app comes back to the same");
    back.send(TurnCommand::Say { message: "The one in Leith.".to_owned() }).await;
    back.until(|event| matches!(event, Event::Turn(TurnNews::Done(done)) if done.memory.turn == 2)).await;
    assert!(back.frame().contains("Who will book?"), "{}", back.frame());
    app.until(|desk| desk.turn() == 2).await;
    assert_eq!(back.frame(), app.text());
}
