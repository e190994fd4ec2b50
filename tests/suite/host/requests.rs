//! Requests: each is ended by one event that repeats its number, in the order of the commands, and about one session.

use std::sync::Arc;

use elenchus::host::protocol::{
    Answer as Told, Conclusion, Draft, Edit, Event, Listing, News, Open, Query, RequestId, SessionCommand, TurnCommand,
    TurnFailure, TurnNews,
};
use elenchus::host::{Backend, Client, Connection, Host, Refused, Rehearsed, rehearse};
use pretty_assertions::{assert_eq, assert_ne};
use serde_json::json;
use tokio::sync::mpsc::UnboundedReceiver;

use super::{analysis, host, machine, saying};
use crate::support::PATIENCE;
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};

/// Takes news in until some of it is it; all of it comes back, that last.
async fn until(news: &mut UnboundedReceiver<News>, wanted: impl Fn(&News) -> bool) -> Vec<News> {
    let mut heard = Vec::new();
    let told = async {
        while !heard.last().is_some_and(&wanted) {
            heard.push(news.recv().await.expect("the host lives"));
        }
    };
    tokio::time::timeout(PATIENCE, told).await.expect("it is told");
    heard
}

async fn ended(news: &mut UnboundedReceiver<News>, id: RequestId) -> News {
    until(news, |news| news.answers == Some(id)).await.pop().expect("it was told")
}

async fn session(host: &Arc<Host>) -> String {
    host.start("project-discovery", None).await.expect("a session").record().id.to_string()
}

fn say(client: &Client, message: &str) -> RequestId {
    client.submit(TurnCommand::Say { message: message.to_owned() })
}

fn is_delta(news: &News) -> bool {
    matches!(news.event, Event::Turn(TurnNews::Delta(_)))
}

fn words(news: &[News]) -> String {
    let delta =
        |news: &News| if let Event::Turn(TurnNews::Delta(text)) = &news.event { Some(text.clone()) } else { None };
    news.iter().filter_map(delta).collect()
}

async fn finish(client: Client) {
    tokio::time::timeout(PATIENCE, client.finish()).await.expect("leaving waits for nothing that has no end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_of_the_session_before_is_told_once_the_next_one_is_open() {
    let (slow, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([analysis(), slow]).await;
    let program = machine(&fake, "");
    let host = host(&program);
    let (client, mut told) = host.dial(Connection::default());
    client.submit(Open::Session(session(&host).await));
    let says = say(&client, "We need a booking app.");
    feed.send(openai::delta("And who"));
    until(&mut told, is_delta).await;
    let opens = client.submit(Open::Engine("ideation".to_owned()));
    let heard = until(&mut told, |news| news.answers == Some(opens)).await;
    let at = heard.iter().position(|news| matches!(news.event, Event::Opened(_))).expect("it is open");
    let next = heard[at].session.expect("it says which");
    feed.send(openai::saying(" books?"));
    drop(feed);
    // How the turn ended is told to the one who asked for it, and says what it was about.
    let mut rest = heard[at..].to_vec();
    rest.extend(until(&mut told, |news| news.answers == Some(says)).await);
    let end = rest.pop().expect("it was told");
    assert!(matches!(&end.event, Event::Concluded(Conclusion::Turn(_))), "{end:?}");
    assert_ne!(end.session, Some(next));
    assert!(!end.concerns(Some(&next.to_string())));
    assert!(rest.iter().all(|news| news.session.is_none_or(|id| id == next)), "{rest:?}");
    finish(client).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_opened_once_more_is_told_of_once() {
    let (slow, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([analysis(), slow]).await;
    let program = machine(&fake, "");
    let host = host(&program);
    let id = session(&host).await;
    let (client, mut told) = host.dial(Connection::default());
    client.submit(Open::Session(id.clone()));
    client.submit(Open::Session(id.clone()));
    let again = client.submit(Open::Session(id));
    ended(&mut told, again).await;
    say(&client, "We need a booking app.");
    feed.send(openai::delta("And who"));
    feed.send(openai::saying(" books?"));
    drop(feed);
    let heard = until(&mut told, |news| matches!(news.event, Event::Turn(TurnNews::Done(_)))).await;
    assert_eq!(words(&heard), "And who books?");
    finish(client).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_said_after_a_copy_was_asked_for_is_said_in_the_copy() {
    let fake = FakeEndpoint::conversing([]).await;
    let program = machine(&fake, "");
    let host = Arc::new(Arc::into_inner(host(&program)).expect("one owner").offline());
    let (client, mut told) = host.dial(Connection::default());
    client.submit(Open::Engine("project-discovery".to_owned()));
    let first = say(&client, "We need a booking app.");
    let first = ended(&mut told, first).await;
    client.submit(Open::Fork);
    let second = say(&client, "Patients book.");
    let reached = client.submit(Query::Reached);
    let second = ended(&mut told, second).await;
    let Event::Concluded(Conclusion::Turn(done)) = &second.event else { panic!("{second:?}") };
    assert_eq!(done.memory.turn, 2);
    assert_ne!(first.session, second.session);
    ended(&mut told, reached).await;
    let original = first.session.expect("it says which").to_string();
    let kept = host.store().call_async(move |store| store.find_session(&original)).await.expect("it is kept");
    assert_eq!(kept.turn, 1, "nothing was said in the one before");
    finish(client).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_is_refused_leaves_what_follows_to_the_session_that_is_open() {
    let fake = FakeEndpoint::conversing([]).await;
    let program = machine(&fake, "");
    let host = Arc::new(Arc::into_inner(host(&program)).expect("one owner").offline());
    let (client, mut told) = host.dial(Connection::default());
    client.submit(Open::Engine("project-discovery".to_owned()));
    let copies = client.submit(Open::ForkCourse(4711));
    let says = say(&client, "We need a booking app.");
    let refused = ended(&mut told, copies).await;
    assert!(refused.refusal(copies).is_some(), "{refused:?}");
    assert!(matches!(ended(&mut told, says).await.event, Event::Concluded(Conclusion::Turn(_))));
    finish(client).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn that_all_is_done_is_told_after_the_turn_and_other_questions_before() {
    let (slow, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([analysis(), slow]).await;
    let program = machine(&fake, "");
    let host = host(&program);
    let (client, mut told) = host.dial(Connection::default());
    client.submit(Open::Engine("project-discovery".to_owned()));
    say(&client, "We need a booking app.");
    feed.send(openai::delta("And who"));
    until(&mut told, is_delta).await;
    let renames = client.submit(SessionCommand::Rename("Bookings".to_owned()));
    let wrong = client.submit(Edit::Defer { obligation: "no_such_thing".to_owned() });
    let reached = client.submit(Query::Reached);
    let listed = client.submit(Query::Sessions(Listing::default()));
    let heard = until(&mut told, |news| news.answers == Some(listed)).await;
    assert!(!heard.iter().any(|news| news.answers == Some(reached)), "the turn is still under way");
    feed.send(openai::saying(" books?"));
    drop(feed);
    let heard = until(&mut told, |news| news.answers == Some(reached)).await;
    assert!(heard.iter().any(|news| matches!(news.event, Event::Turn(TurnNews::Done(_)))));
    assert!(heard.iter().any(|news| news.answers == Some(renames)));
    assert!(heard.iter().any(|news| news.refusal(wrong).is_some()), "{heard:?}");
    assert!(matches!(heard.last().map(|news| &news.event), Some(Event::Answer(Told::Reached))));
    finish(client).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_a_turn_is_told_to_the_one_who_has_asked_for_it() {
    let fake = FakeEndpoint::conversing([analysis(), saying("And who books?")]).await;
    let program = machine(&fake, "");
    let host = host(&program);
    let id = session(&host).await;
    let (one, mut first_told) = host.dial(Connection::default());
    let (two, mut second_told) = host.dial(Connection::default());
    one.submit(Open::Session(id.clone()));
    let opens = two.submit(Open::Session(id));
    ended(&mut second_told, opens).await;
    let says = say(&one, "We need a booking app.");
    let end = ended(&mut first_told, says).await;
    assert!(matches!(&end.event, Event::Concluded(Conclusion::Turn(done)) if done.memory.turn == 1), "{end:?}");
    let drafts = two.submit(SessionCommand::SaveDraft(Draft::default()));
    let heard = until(&mut second_told, |news| news.answers == Some(drafts)).await;
    assert!(heard.iter().any(|news| matches!(news.event, Event::Turn(TurnNews::Done(_)))), "it is told what happened");
    let ends = heard.iter().filter(|news| matches!(news.event, Event::Concluded(_)));
    assert_eq!(ends.count(), 1, "and only its own request has ended");
    finish(one).await;
    finish(two).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_asks_for_what_no_session_is_open_for_is_refused_by_number() {
    let fake = FakeEndpoint::conversing([]).await;
    let program = machine(&fake, "");
    let host = host(&program);
    let (client, mut told) = host.dial(Connection::default());
    let corrects = client.submit(Edit::Correct { path: "x".to_owned(), value: json!(1) });
    let brief = client.submit(Query::Brief);
    let opens = client.submit(Open::Session("no-such-session".to_owned()));
    let reached = client.submit(Query::Reached);
    assert!(ended(&mut told, corrects).await.refusal(corrects).is_some());
    let mut rest = vec![];
    while rest.len() < 3 {
        rest.extend(until(&mut told, |news| news.answers.is_some()).await);
    }
    for refused in [brief, opens] {
        assert!(rest.iter().any(|news| news.refusal(refused).is_some()), "{refused:?}: {rest:?}");
    }
    assert!(rest.iter().any(|news| news.answers == Some(reached)), "there is nothing to wait for");
    finish(client).await;
}

#[tokio::test]
async fn what_could_not_be_read_is_not_told_as_not_saved() {
    let engine = crate::engine::support::catalogue().load("project-discovery").expect("it is in the binary").0.engine;
    let with = Rehearsed { backend: Backend::Offline, handoff: None, cap_usd: None };
    let (session, _) = rehearse(&engine.expect("no errors"), with).expect("it opens");
    // A rehearsal keeps nothing that an earlier turn could be read from.
    let again = TurnCommand::SayInstead { turn: 1, message: "We need a booking app.".to_owned() };
    let refused = session.perform(again.into()).await.expect_err("there is nothing to read");
    let Refused::Turn(TurnFailure::Store(why)) = refused else { panic!("{refused:?}") };
    assert!(why.starts_with("what the session holds could not be read"), "{why}");
}
