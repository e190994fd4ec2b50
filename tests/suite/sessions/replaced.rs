//! A turn said anew: it takes the place of the old one and all after it when it is kept, and not before.

use elenchus::engine::turn::{TurnError, TurnOutcome};
use elenchus::host::protocol::TurnNews;
use elenchus::host::{Host, Session};
use elenchus::settings::{Flags, Surroundings};
use elenchus::store::{Draft, Resumed};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};
use crate::support::program::Program;

/// An analysis that finds nothing.
fn analysis() -> Answer {
    let found = json!({
        "fields": [],
        "signals": { "trust": 0.5, "rapport": 0.5, "friction": 0.0, "techniques_used": [], "intents": [] },
    });
    Answer::stream(openai::saying(&found.to_string()))
}

fn saying(text: &str) -> Answer {
    Answer::stream(openai::saying(text))
}

/// A session of two turns, before an endpoint that has more to say.
async fn talked(more: impl IntoIterator<Item = Answer>) -> (Program, Host, Session, FakeEndpoint) {
    let first = [analysis(), saying("And who books?"), analysis(), saying("And how often?")];
    let fake = FakeEndpoint::conversing(first.into_iter().chain(more)).await;
    let url = format!("http://127.0.0.1:{}/v1", fake.port());
    let program = Program::new()
        .settings(&format!("[profiles.fake]\nendpoint = \"{url}\"\nmodel = \"test-model\"\nattempts = 1\n"));
    let flags = Flags { config: Some(program.config()), data_dir: Some(program.data()), ..Flags::default() };
    let nothing = Surroundings {
        variable: &|_| None,
        keyring: &|_| Err("there is no keyring in a test".to_owned()),
        program: None,
    };
    let host = Host::open(&flags, &nothing).unwrap();
    let mut session = host.start("project-discovery", None).await.unwrap();
    for message in ["We need a booking app.", "Patients do."] {
        session.say(message, &mut |_| {}).await.unwrap();
    }
    (program, host, session, fake)
}

async fn instead(session: &mut Session, turn: u32, message: &str) -> Result<TurnOutcome, TurnError> {
    session.say_instead(turn, message, &mut |_: TurnNews| {}).await
}

/// Everything that the store has of a session.
async fn stored(host: &Host, session: &Session) -> Resumed {
    Resumed { draft: Draft::default(), ..with_draft(host, session).await }
}

async fn with_draft(host: &Host, session: &Session) -> Resumed {
    let id = session.record().id;
    host.store().call_async(move |store| store.resume(id, u32::MAX)).await.unwrap()
}

/// Everything that the session itself knows.
fn known(session: &Session) -> (String, Vec<String>, u32, u64) {
    let said = session.transcript().messages().iter().map(|message| message.text.to_string()).collect();
    let memory = serde_json::to_string(session.memory()).unwrap();
    (memory, said, session.record().turn, session.record().revision)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_said_anew_takes_the_place_of_all_after_it() {
    let (_program, host, mut session, _fake) = talked([analysis(), saying("Which clinic?")]).await;
    let outcome = instead(&mut session, 1, "We need a rota app.").await.unwrap();
    assert_eq!(outcome.figures.turn, 1);
    assert_eq!(known(&session).1[1..], ["We need a rota app.", "Which clinic?"]);
    let stored = stored(&host, &session).await;
    assert_eq!((stored.session.turn, stored.messages.len()), (1, 3));
    assert_eq!(stored.state, serde_json::to_value(session.memory()).unwrap());
    // And it goes on from there.
    assert_eq!(stored.session.revision, session.record().revision);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_said_anew_that_fails_leaves_the_later_turns() {
    let refusal = Answer::error(401, "invalid_api_key", "No.");
    let (_program, host, mut session, _fake) = talked([refusal, analysis(), saying("Each day?")]).await;
    let before = (known(&session), stored(&host, &session).await);
    assert!(instead(&mut session, 1, "We need a rota app.").await.is_err());
    assert_eq!((known(&session), stored(&host, &session).await), before);
    let draft = Draft::new("We need a rota app.", Some(1));
    assert_eq!(with_draft(&host, &session).await.draft, draft, "and the words are not lost");
    let next = session.say("Twice a week.", &mut |_| {}).await.unwrap();
    assert_eq!(next.figures.turn, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_said_anew_that_is_cancelled_leaves_the_later_turns() {
    let (answer, feed) = Answer::fed();
    let (_program, host, mut session, fake) = talked([analysis(), answer]).await;
    let before = (known(&session), stored(&host, &session).await);
    feed.send(openai::delta("Half an answer"));
    tokio::select! {
        outcome = instead(&mut session, 2, "Nurses do.") => panic!("it was to be cancelled: {outcome:?}"),
        () = fake.until_asked(5) => {}
    }
    feed.closed().await;
    assert_eq!((known(&session), stored(&host, &session).await), before);
}
