//! What is done before a message comes.

use elenchus::host::Connection;
use elenchus::host::protocol::{Draft, Event, News, Open, SessionCommand, TurnCommand, TurnNews};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::{analysis, host, machine, saying};
use crate::support::PATIENCE;
use crate::support::fake_endpoint::FakeEndpoint;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_request_begins_with_is_sent_while_the_user_writes() {
    let fake = FakeEndpoint::start([saying("…"), saying("And who books?"), analysis()]).await;
    let program = machine(&fake, "");
    let host = host(&program);
    let (client, mut told) = host.dial(Connection::default());
    client.submit(Open::Engine("project-discovery".to_owned()));
    client.submit(SessionCommand::SaveDraft(Draft::new("We ne", None)));
    fake.until_asked(1).await;
    client.submit(SessionCommand::SaveDraft(Draft::new("We need a book", None)));
    client.submit(TurnCommand::Say { message: "We need a booking app.".to_owned() });
    let done = async {
        while !matches!(told.recv().await, None | Some(News { event: Event::Turn(TurnNews::Done(_)), .. })) {}
    };
    tokio::time::timeout(PATIENCE, done).await.expect("the turn is done");
    let asked = fake.asked();
    assert_eq!(asked.len(), 3, "it is sent once for a message");
    assert_eq!(asked[0].body["max_tokens"], json!(1));
    let (ahead, answer) = (&asked[0].body["messages"], &asked[1].body["messages"]);
    let known = ahead.as_array().expect("messages").len() - 1;
    assert!(known >= 2, "the instructions and the opening");
    for at in 0..known {
        assert_eq!(ahead[at], answer[at], "the answer's request begins so");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_sent_ahead_where_the_user_does_not_want_it() {
    let fake = FakeEndpoint::start([saying("And who books?"), analysis()]).await;
    let program = machine(&fake, "warm_up = false\n");
    let host = host(&program);
    let (client, mut told) = host.dial(Connection::default());
    client.submit(Open::Engine("project-discovery".to_owned()));
    client.submit(SessionCommand::SaveDraft(Draft::new("We ne", None)));
    client.submit(TurnCommand::Say { message: "We need a booking app.".to_owned() });
    let done = async {
        while !matches!(told.recv().await, None | Some(News { event: Event::Turn(TurnNews::Done(_)), .. })) {}
    };
    tokio::time::timeout(PATIENCE, done).await.expect("the turn is done");
    assert_eq!(fake.asked().len(), 2);
}
