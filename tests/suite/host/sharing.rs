//! One session and several front ends: in one process they share it; in two, the second is told before it pays.

use std::sync::{Arc, Mutex, mpsc};

use elenchus::host::protocol::{
    Answer as Told, Delete, Draft, Event, Listing, News, Open, Query, SessionCommand, TurnCommand, TurnFailure,
    TurnNews,
};
use elenchus::host::{Client, Connection, Done, Host, Listener, Refused};
use elenchus::store::{SessionFilter, StoreError};
use pretty_assertions::{assert_eq, assert_ne};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{analysis, host, machine, saying};
use crate::support::PATIENCE;
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};

async fn session(host: &Arc<Host>) -> String {
    host.start("project-discovery", None).await.expect("a session").record().id.to_string()
}

/// Waits for the first event that something can be made of.
async fn first<T>(events: &mut UnboundedReceiver<News>, wanted: impl Fn(Event) -> Option<T>) -> T {
    let told = async {
        loop {
            if let Some(found) = wanted(events.recv().await.expect("the host lives").event) {
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_by_a_second_process_waits_for_the_turn_that_the_first_pays_for() {
    let (slow, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([analysis(), slow]).await;
    let program = machine(&fake, "");
    let (here, there) = (host(&program), host(&program));
    let id = session(&here).await;
    let (one, two) = (here.join(&id).await.expect("a session"), there.join(&id).await.expect("a session"));
    let turn = tokio::spawn(async move { one.say("We need a booking app.").await });
    fake.until_asked(1).await;
    let refused = two.perform(SessionCommand::UseProject(false).into()).await.expect_err("a turn is under way");
    assert!(matches!(&refused, Refused::Host(error) if error.to_string().contains("under way")), "{refused}");
    feed.send(openai::saying("And who books?"));
    drop(feed);
    let done = turn.await.expect("it ran").expect("what was paid for is kept");
    assert_eq!(done.memory.turn, 1);
}

/// Stops the store as soon as a turn is told, in the middle of what the actor does. Tells that a turn has begun, and then
/// that the store stands still.
fn stopping_after_a_turn(host: &Host) -> (Listener, mpsc::Sender<()>, UnboundedReceiver<()>) {
    let ((go, gate), (tell, told)) = (mpsc::channel(), unbounded_channel());
    let (store, once) = (host.store(), Mutex::new(Some(gate)));
    let listener = Arc::new(move |news: News| match news.event {
        Event::Turn(TurnNews::Begun { .. }) => {
            let _ = tell.send(());
        }
        Event::Turn(TurnNews::Done(_)) => {
            if let Some(gate) = once.lock().expect("one listener").take() {
                store.leave(move |_| {
                    let _ = gate.recv();
                    Ok(())
                });
            }
            let _ = tell.send(());
        }
        _ => {}
    });
    (listener, go, told)
}

// On one thread, so that everything happens in the order in which it was asked for.
#[tokio::test]
async fn who_joins_a_session_that_is_being_left_does_not_hold_up_the_copy_it_makes() {
    let fake = FakeEndpoint::conversing([]).await;
    let program = machine(&fake, "");
    let host = Arc::new(Arc::into_inner(host(&program)).expect("one owner").offline());
    let id = session(&host).await;
    let handle = host.join(&id).await.expect("a session");
    let (listener, go, mut told) = stopping_after_a_turn(&host);
    let _listening = handle.listen(listener).await.expect("it is open");
    let turn = handle.perform(TurnCommand::Say { message: "We need a booking app.".to_owned() }.into());
    let copy = handle.perform(Open::Fork.into());
    told.recv().await.expect("a turn begins");
    // Nobody has the session open any more; the copy is still to be made.
    drop(handle);
    told.recv().await.expect("the turn is kept");
    let joining = {
        let (host, id) = (Arc::clone(&host), id.clone());
        tokio::spawn(async move { host.join(&id).await })
    };
    tokio::task::yield_now().await;
    go.send(()).expect("the store waits");
    turn.await.expect("the turn is kept");
    let copied = tokio::time::timeout(PATIENCE, copy).await.expect("nobody holds it up").expect("a copy");
    let Done::Next(copied) = copied else { panic!("{copied:?}") };
    assert_ne!(copied.id().to_string(), id);
    let joined = tokio::time::timeout(PATIENCE, joining).await.expect("it is opened again").expect("it ran");
    let said = joined.expect("a session").read(|session| session.record().turn).await.expect("it is open");
    assert_eq!(said, 1);
}

#[tokio::test]
async fn who_joins_a_session_while_it_is_begun_shares_it() {
    let fake = FakeEndpoint::conversing([]).await;
    let program = machine(&fake, "");
    let host = Arc::new(Arc::into_inner(host(&program)).expect("one owner").offline());
    let (client, mut told) = host.dial(Connection::default());
    client.submit(Open::Engine("project-discovery".to_owned()));
    // As soon as it is in the store, and long before it is open.
    let begun = loop {
        let listed = host.store().call_async(|store| store.list_sessions(&SessionFilter::default())).await;
        if let Some(session) = listed.expect("a list").pop() {
            break session.id.to_string();
        }
    };
    let joined = host.join(&begun).await.expect("a session");
    first(&mut told, opened).await;
    client.submit(TurnCommand::Say { message: "We need a booking app.".to_owned() });
    first(&mut told, done).await;
    let turn = joined.read(|session| session.record().turn).await.expect("it is open");
    assert_eq!(turn, 1, "both have the same session");
    drop(joined);
    finish(client).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_front_end_has_open_is_neither_erased_nor_forgotten() {
    let fake = FakeEndpoint::conversing([]).await;
    let program = machine(&fake, "");
    let host = Arc::new(Arc::into_inner(host(&program)).expect("one owner").offline());
    let (one, mut first_told) = host.dial(Connection { forgets_empty: true, ..Connection::default() });
    let (two, mut second_told) = host.dial(Connection::default());
    one.submit(Open::Engine("project-discovery".to_owned()));
    let shown = |event| if let Event::Opened(shown) = event { Some(shown.id.clone()) } else { None };
    let id = first(&mut first_told, shown).await;
    two.submit(Open::Session(id.clone()));
    first(&mut second_told, shown).await;

    // A front end that has another session open erases it.
    let (three, mut third_told) = host.dial(Connection::default());
    three.submit(Delete(vec![id.clone()]));
    let warned = |event| match event {
        Event::Notice(notice) => Some(notice.text),
        _ => None,
    };
    assert_eq!(first(&mut third_told, warned).await, "it is open; go to another session first");
    finish(three).await;
    // Who began it leaves, and nothing was said in it yet.
    finish(one).await;
    two.submit(TurnCommand::Say { message: "We need a booking app.".to_owned() });
    assert_eq!(first(&mut second_told, done).await, 1, "it is still there");
    finish(two).await;

    // Nobody has it open now.
    let (four, mut fourth_told) = host.dial(Connection::default());
    four.submit(Delete(vec![id.clone()]));
    let text = first(&mut fourth_told, warned).await;
    assert!(text.ends_with("is erased"), "{text}");
    finish(four).await;
    let gone = host.store().call_async(move |store| store.find_session(&id)).await;
    assert!(matches!(gone, Err(StoreError::NotFound { .. })), "{gone:?}");
}
