//! One session and several front ends: in one process they share it; in two, the second is told before it pays.

use std::sync::Arc;

use elenchus::host::protocol::{
    Answer as Told, Draft, Event, Listing, Open, Query, SessionCommand, TurnCommand, TurnFailure, TurnNews,
};
use elenchus::host::{Client, Connection, Host, Refused};
use pretty_assertions::assert_eq;
use tokio::sync::mpsc::UnboundedReceiver;

use super::{analysis, host, machine, saying};
use crate::support::PATIENCE;
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};

async fn session(host: &Arc<Host>) -> String {
    host.start("project-discovery", None).await.expect("a session").record().id.to_string()
}

/// Waits for the first event that something can be made of.
async fn first<T>(events: &mut UnboundedReceiver<Event>, wanted: impl Fn(Event) -> Option<T>) -> T {
    let told = async {
        loop {
            if let Some(found) = wanted(events.recv().await.expect("the host lives")) {
                return found;
            }
        }
    };
    tokio::time::timeout(PATIENCE, told).await.expect("it is told")
}

async fn finish(client: Client) {
    tokio::time::timeout(PATIENCE, client.finish()).await.expect("leaving waits for nothing that has no end");
}

fn opened(event: Event) -> Option<u32> {
    match event {
        Event::Opened(snapshot) => Some(snapshot.memory.turn),
        _ => None,
    }
}

fn done(event: Event) -> Option<u32> {
    match event {
        Event::Turn(TurnNews::Done(done)) => Some(done.memory.turn),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_openers_in_one_process_share_the_session() {
    let fake = FakeEndpoint::conversing([]).await;
    let program = machine(&fake, "");
    let host = Arc::new(Arc::into_inner(host(&program)).expect("one owner").offline());
    let id = session(&host).await;
    let (one, mut first_told) = host.dial(Connection::default());
    let (two, mut second_told) = host.dial(Connection::default());
    one.submit(Open::Session(id.clone()));
    two.submit(Open::Session(id.clone()));
    assert_eq!(first(&mut first_told, opened).await, 0);
    assert_eq!(first(&mut second_told, opened).await, 0);
    one.submit(TurnCommand::Say { message: "We need a booking app.".to_owned() });
    assert_eq!(first(&mut second_told, done).await, 1, "the other one is told");
    // It goes on from there without loading anything again.
    two.submit(TurnCommand::Say { message: "Patients book.".to_owned() });
    assert_eq!(first(&mut second_told, done).await, 2);
    assert_eq!(first(&mut first_told, done).await, 1);
    assert_eq!(first(&mut first_told, done).await, 2);
    finish(one).await;
    finish(two).await;
    let kept = host.store().call_async(move |store| store.find_session(&id)).await.expect("it is kept");
    assert_eq!(kept.turn, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_are_answered_in_the_middle_of_a_turn() {
    let (slow, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([analysis(), saying("And who books?"), analysis(), slow]).await;
    let program = machine(&fake, "");
    let host = host(&program);
    let (client, mut told) = host.dial(Connection::default());
    client.submit(Open::Engine("project-discovery".to_owned()));
    client.submit(TurnCommand::Say { message: "We need a booking app.".to_owned() });
    assert_eq!(first(&mut told, done).await, 1);
    client.submit(TurnCommand::Say { message: "Patients do.".to_owned() });
    feed.send(openai::delta("And how"));
    first(&mut told, |event| matches!(event, Event::Turn(TurnNews::Delta(_))).then_some(())).await;
    // The turn waits for an endpoint that says nothing more; none of these does.
    client.submit(Query::Figures { from: 1, to: 1 });
    client.submit(Query::AsOf(0));
    client.submit(Query::Sessions(Listing::default()));
    let (mut figures, mut before, mut listed) = (None, None, None);
    while figures.is_none() || before.is_none() || listed.is_none() {
        match first(&mut told, |event| if let Event::Answer(answer) = event { Some(answer) } else { None }).await {
            Told::Figures(turns) => figures = Some(turns),
            Told::AsOf(snapshot) => before = Some(snapshot),
            Told::Sessions { sessions, .. } => listed = Some(sessions),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(figures.expect("figures")[0].1.as_ref().expect("they were kept").turn, 1);
    assert_eq!(before.expect("a snapshot").messages.len(), 1);
    assert_eq!(listed.expect("a list").len(), 1);
    client.submit(TurnCommand::Cancel);
    first(&mut told, |event| matches!(event, Event::Turn(TurnNews::Cancelled)).then_some(())).await;
    finish(client).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_process_is_told_before_it_pays_and_then_knows_what_happened() {
    let (slow, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([analysis(), slow, analysis(), saying("And how often?")]).await;
    let program = machine(&fake, "");
    // Each host has a sign of life of its own, like a process.
    let (here, there) = (host(&program), host(&program));
    let id = session(&here).await;
    let (one, two) = (here.join(&id).await.expect("a session"), there.join(&id).await.expect("a session"));
    let turn = tokio::spawn(async move { one.say("We need a booking app.").await });
    fake.until_asked(1).await;
    let refused = two.say("We need a rota app.").await.expect_err("a turn is under way");
    assert!(matches!(&refused, Refused::Turn(TurnFailure::Elsewhere(why)) if why.contains("under way")), "{refused}");
    feed.send(openai::saying("And who books?"));
    drop(feed);
    turn.await.expect("it ran").expect("the turn is kept");

    let refused = two.say("We need a rota app.").await.expect_err("the session has moved on");
    assert!(matches!(refused, Refused::Turn(TurnFailure::Elsewhere(_))), "{refused}");
    assert_eq!(fake.asked().len(), 2, "nothing was sent for either");
    let said = two.read(|session| session.transcript().messages().len()).await.expect("it is open");
    assert_eq!(said, 3, "it has caught up");
    let done = two.say("Patients do.").await.expect("now it is its turn");
    assert_eq!(done.memory.turn, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_never_charged_for_another() {
    let answers =
        [r#"{"fields": [], "signals": {}}"#, "And who books?"].map(|text| Answer::stream(openai::counted(text)));
    let fake = FakeEndpoint::conversing(answers).await;
    let program = machine(&fake, "[budget]\nsession_tokens = 100_000\n");
    let host = host(&program);
    let mut one = host.start("project-discovery", None).await.expect("a session");
    one.say("We need a booking app.", &mut |_| {}).await.expect("a turn");
    let spent = one.budget().expect("a model").session;
    assert_eq!(spent.tokens, 8_400);
    let two = host.start("ideation", None).await.expect("a session");
    assert_eq!(two.budget().expect("a model").session.tokens, 0);
    let again = host.resume(&two.record().id.to_string()).await.expect("it is there");
    assert_eq!(again.budget().expect("a model").session.tokens, 0);
    assert_eq!(one.budget().expect("a model").session, spent, "opening others changes nothing");
    assert_eq!(two.budget().expect("a model").today.tokens, 8_400, "the day is shared");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_has_to_wait_for_a_turn_holds_up_neither_cancel_nor_questions() {
    let (slow, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([analysis(), slow]).await;
    let program = machine(&fake, "");
    let host = host(&program);
    let (client, mut told) = host.dial(Connection::default());
    client.submit(Open::Engine("project-discovery".to_owned()));
    client.submit(TurnCommand::Say { message: "We need a booking app.".to_owned() });
    feed.send(openai::delta("And who"));
    first(&mut told, |event| matches!(event, Event::Turn(TurnNews::Delta(_))).then_some(())).await;
    client.submit(Open::Fork);
    client.submit(Query::Sessions(Listing::default()));
    first(&mut told, |event| matches!(event, Event::Answer(Told::Sessions { .. })).then_some(())).await;
    client.submit(TurnCommand::Cancel);
    first(&mut told, |event| matches!(event, Event::Turn(TurnNews::Cancelled)).then_some(())).await;
    assert_eq!(first(&mut told, opened).await, 0, "then the copy opens");
    finish(client).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_goes_on_when_its_front_end_turns_to_another_session() {
    let (slow, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([analysis(), slow]).await;
    let program = machine(&fake, "");
    let host = host(&program);
    let id = session(&host).await;
    let (client, mut told) = host.dial(Connection::default());
    client.submit(Open::Session(id.clone()));
    client.submit(TurnCommand::Say { message: "We need a booking app.".to_owned() });
    feed.send(openai::delta("And who"));
    first(&mut told, |event| matches!(event, Event::Turn(TurnNews::Delta(_))).then_some(())).await;
    client.submit(Open::Engine("ideation".to_owned()));
    first(&mut told, |event| matches!(&event, Event::Opened(shown) if shown.id != id).then_some(())).await;
    // Back in the middle of it, what was written so far is there.
    client.submit(Open::Session(id.clone()));
    let joined = |event| if let Event::Opened(shown) = event { shown.under_way.clone() } else { None };
    assert_eq!(first(&mut told, joined).await.answer, "And who");
    feed.send(openai::delta(" books?"));
    feed.send(openai::saying(""));
    drop(feed);
    assert_eq!(first(&mut told, done).await, 1);
    finish(client).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_whose_turn_came_to_nothing_unseen_are_the_draft() {
    let (slow, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([analysis(), slow]).await;
    let program = machine(&fake, "");
    let host = host(&program);
    let id = session(&host).await;
    let (client, mut told) = host.dial(Connection::default());
    client.submit(Open::Session(id.clone()));
    client.submit(TurnCommand::Say { message: "We need a booking app.".to_owned() });
    client.submit(SessionCommand::SaveDraft(Draft::default()));
    fake.until_asked(1).await;
    client.submit(Open::Engine("ideation".to_owned()));
    first(&mut told, |event| matches!(&event, Event::Opened(shown) if shown.id != id).then_some(())).await;
    // It leaves altogether, and does not wait for an endpoint that says nothing.
    finish(client).await;
    drop(feed);
    let ended = async {
        // The actor of a session holds the host until it has finished everything.
        while Arc::strong_count(&host) > 1 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("the turn comes to its end");
    let (kept, draft) = host
        .store()
        .call_async(move |store| {
            let kept = store.find_session(&id)?;
            let draft = store.draft(kept.id)?;
            Ok((kept, draft))
        })
        .await
        .expect("it is kept");
    assert_eq!((kept.turn, draft.text.as_str()), (0, "We need a booking app."));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_front_end_that_leaves_does_not_stop_the_turn_of_another() {
    let (slow, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([analysis(), slow]).await;
    let program = machine(&fake, "");
    let host = host(&program);
    let id = session(&host).await;
    let (one, mut first_told) = host.dial(Connection::default());
    let (two, mut second_told) = host.dial(Connection::default());
    one.submit(Open::Session(id.clone()));
    two.submit(Open::Session(id));
    first(&mut second_told, opened).await;
    one.submit(TurnCommand::Say { message: "We need a booking app.".to_owned() });
    fake.until_asked(1).await;
    two.submit(SessionCommand::SaveDraft("mine".into()));
    finish(two).await;
    feed.send(openai::saying("And who books?"));
    drop(feed);
    assert_eq!(first(&mut first_told, done).await, 1);
    finish(one).await;
}
