//! The card of answers as data of the host, and words beside the conversation that never become evidence.

use std::sync::Arc;

use elenchus::engine::answer_card::CardKind;
use elenchus::host::protocol::{
    Answer as Told, AsideDone, Event, News, Open, Query, Snapshot, TurnCommand, TurnDone, TurnNews,
};
use elenchus::host::{Client, Connection, Host, export};
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::sync::mpsc::UnboundedReceiver;

use super::{analysis, host, machine, saying};
use crate::support::PATIENCE;
use crate::support::fake_endpoint::{Answer, Asked, FakeEndpoint};
use crate::support::program::Program;

/// A front end with a session open.
struct Desk {
    client: Client,
    events: UnboundedReceiver<News>,
    opened: Arc<Snapshot>,
}

impl Desk {
    async fn open(host: &Arc<Host>, open: Open) -> Self {
        let (client, mut events) = host.dial(Connection::default());
        client.submit(open);
        let opened = until(&mut events, opened).await;
        Self { client, events, opened }
    }

    async fn until<T>(&mut self, wanted: impl Fn(Event) -> Option<T>) -> T {
        until(&mut self.events, wanted).await
    }

    async fn say(&mut self, message: &str) -> Arc<TurnDone> {
        self.client.submit(TurnCommand::Say { message: message.to_owned() });
        self.until(|event| match event {
            Event::Turn(TurnNews::Done(done)) => Some(done),
            Event::Turn(TurnNews::Failed(failure)) => panic!("{failure:?}"),
            _ => None,
        })
        .await
    }

    async fn aside(&mut self, message: &str) -> Arc<AsideDone> {
        self.client.submit(TurnCommand::Aside { message: message.to_owned() });
        self.until(|event| match event {
            Event::Turn(TurnNews::AsideDone(done)) => Some(done),
            Event::Turn(TurnNews::Failed(failure)) => panic!("{failure:?}"),
            _ => None,
        })
        .await
    }

    async fn ask(&mut self, query: Query) -> Told {
        self.client.submit(query);
        self.until(|event| if let Event::Answer(answer) = event { Some(answer) } else { None }).await
    }

    async fn leave(self) {
        tokio::time::timeout(PATIENCE, self.client.finish()).await.expect("it leaves");
    }
}

/// Waits for the first event that something can be made of.
async fn until<T>(events: &mut UnboundedReceiver<News>, wanted: impl Fn(Event) -> Option<T>) -> T {
    let told = async {
        loop {
            if let Some(found) = wanted(events.recv().await.expect("the host lives").event) {
                return found;
            }
        }
    };
    tokio::time::timeout(PATIENCE, told).await.expect("it is told")
}

fn opened(event: Event) -> Option<Arc<Snapshot>> {
    match event {
        Event::Opened(snapshot) => Some(snapshot),
        _ => None,
    }
}

fn body(request: &Asked) -> String {
    request.body.to_string()
}

fn offline(program: &Program) -> Arc<Host> {
    Arc::new(Arc::into_inner(host(program)).expect("one owner").offline())
}

fn engine() -> Open {
    Open::Engine("project-discovery".to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_card_comes_with_the_outcome_and_the_snapshot_and_its_words_answer_the_question() {
    let program = Program::new();
    let host = offline(&program);
    let mut session = host.start("project-discovery", None).await.expect("a session");
    assert_eq!(session.snapshot().card, None, "the first question is open");
    let definition = session.engine().definition();
    let ids: Vec<String> = definition.obligations.iter().map(|point| point.id.to_string()).collect();
    let own = session.engine().obligation("outage_screened").expect("a point").category.clone();
    let phase = definition.phases.iter().find(|phase| phase.covers.contains(&own)).expect("a phase").id.to_string();
    for id in ids.iter().filter(|id| *id != "outage_screened") {
        session.defer(id, "not in this test").await.expect("it is open");
    }
    session.force_phase(&phase).await.expect("another phase");
    session.say("It is for our clinics.", &mut |_| {}).await.expect("a turn");
    let card = session.snapshot().card.expect("it asks for a choice");
    assert_eq!((card.obligation.as_str(), card.kind), ("outage_screened", CardKind::Choice));
    assert_eq!(serde_json::from_value::<elenchus::engine::answer_card::AnswerCard>(json!(card)).expect("data"), card);
    session.say(&card.choices[1], &mut |_| {}).await.expect("a turn");
    let field = session.memory().extraction.get("non_functional_screening.outage_tolerance").expect("it is noted");
    assert_eq!(field.value, Some(json!("hours")));
    assert_eq!(field.evidence.as_ref().map(|evidence| evidence.quote.as_str()), Some("hours"), "with proof");
    assert!(session.snapshot().card.is_none_or(|card| card.obligation != "outage_screened"));
}

/// What people say that is full of facts.
const FACTS: [&str; 4] = [
    "Our budget is 15,000 € and we need it by the end of June 2027; forty nurses will use it daily.",
    "yes",
    "By the way, the real problem is zanzibar: nurses retype every form twice. What do you mean by that?",
    "Unser Budget sind 9.000 €, und es muss bis März laufen.",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_is_said_beside_the_conversation_becomes_evidence() {
    let program = Program::new();
    let host = offline(&program);
    let mut desk = Desk::open(&host, engine()).await;
    let id = desk.opened.id.clone();
    let before = desk.say("We want a booking app for our clinic.").await;
    let Told::Brief(brief) = desk.ask(Query::Brief).await else { panic!("no brief") };
    for fact in FACTS {
        let done = desk.aside(fact).await;
        assert_eq!((&*done.aside.said, done.aside.after), (fact, 1));
        assert!(!done.aside.answer.is_empty());
        let mut same = (*done.memory).clone();
        same.asides = before.memory.asides.clone();
        assert_eq!(same, *before.memory, "only the place of the asides is another");
    }
    let Told::Brief(after) = desk.ask(Query::Brief).await else { panic!("no brief") };
    assert_eq!(after, brief);
    let Told::Search { hits, .. } = desk.ask(Query::Search("zanzibar".to_owned())).await else { panic!("no search") };
    assert!(hits.is_empty(), "{hits:?}");
    let Told::Transcript(transcript) = desk.ask(Query::Transcript).await else { panic!("no transcript") };
    assert!(transcript.contains("**Aside after turn 1") && transcript.contains("> yes"), "{transcript}");
    // The open question is still on the table, and answered by the next message alone.
    let next = desk.say("Patients wait on the phone.").await;
    assert_eq!((next.memory.turn, next.memory.asides.after(1).count()), (2, FACTS.len()));
    let quoted = json!(next.memory.extraction).to_string();
    assert!(!quoted.contains("15,000") && !quoted.contains("zanzibar") && !quoted.contains("9.000"), "{quoted}");
    desk.leave().await;
    let session = host.resume(&id).await.expect("it is there");
    assert_eq!(session.transcript().messages().len(), 5, "the opening and two turns");
    assert_eq!(session.memory().asides.after(1).count(), FACTS.len(), "who comes back sees them");
    assert!(!export::markdown(&session, true).expect("a brief").contains("zanzibar"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_model_a_question_back_is_answered_in_the_engine_s_own_words() {
    let program = Program::new();
    let host = offline(&program);
    let mut desk = Desk::open(&host, engine()).await;
    let why = desk.aside("Why do you ask that?").await;
    let other = desk.aside("The weather is awful today.").await;
    assert!(!why.aside.answer.contains("no model here"), "{}", why.aside.answer);
    assert!(other.aside.answer.contains("no model here"), "{}", other.aside.answer);
    assert_eq!(other.memory.asked, desk.opened.memory.asked);
    let id = desk.opened.id.clone();
    desk.leave().await;
    let session = host.resume(&id).await.expect("a session with an aside is kept");
    assert_eq!(session.memory().asides.after(0).count(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_is_taken_back_takes_the_asides_after_it_along() {
    let program = Program::new();
    let host = offline(&program);
    let mut desk = Desk::open(&host, engine()).await;
    desk.aside("Why do you ask that?").await;
    desk.say("We want a booking app for our clinic.").await;
    desk.aside("And why this?").await;
    desk.client.submit(TurnCommand::Undo);
    let now = desk.until(opened).await;
    assert_eq!((now.memory.asides.after(0).count(), now.memory.asides.after(1).count()), (1, 0));
    desk.client.submit(TurnCommand::Redo);
    let now = desk.until(opened).await;
    assert_eq!((now.memory.asides.after(0).count(), now.memory.asides.after(1).count()), (1, 1));
    desk.leave().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_answers_an_aside_once_without_an_analysis_and_what_it_costs_is_booked() {
    let answers =
        [analysis(), saying("Why now?"), saying("About half an hour."), analysis(), saying("And who decides?")];
    let fake = FakeEndpoint::conversing(answers).await;
    let program = machine(&fake, "");
    let host = host(&program);
    let mut desk = Desk::open(&host, engine()).await;
    let said = desk.say("We want a booking app for our clinic.").await;
    let calls = fake.asked().len();
    let done = desk.aside("Our secret is zanzibar. How long does this take?").await;
    assert_eq!(&*done.aside.answer, "About half an hour.");
    assert_eq!(fake.asked().len(), calls + 1, "one call, and no analysis");
    let request = body(fake.asked().last().expect("it was sent"));
    assert!(request.contains("zanzibar") && request.contains("aside"), "{request}");
    assert!(done.memory.usage.tokens() > said.memory.usage.tokens(), "it is booked");
    desk.say("The phones are always busy.").await;
    let later: Vec<String> = fake.asked()[calls + 1..].iter().map(body).collect();
    assert!(later.iter().all(|request| !request.contains("zanzibar")), "no request knows of it any more");
    desk.leave().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_aside_that_is_cancelled_leaves_nothing_but_the_draft() {
    let (slow, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([slow]).await;
    let program = machine(&fake, "");
    let host = host(&program);
    let mut desk = Desk::open(&host, engine()).await;
    let id = desk.opened.id.clone();
    desk.client.submit(TurnCommand::Aside { message: "How long?".to_owned() });
    desk.until(|event| matches!(event, Event::Turn(TurnNews::Writing)).then_some(())).await;
    desk.client.submit(TurnCommand::Cancel);
    desk.until(|event| matches!(event, Event::Turn(TurnNews::Cancelled)).then_some(())).await;
    drop(feed);
    desk.leave().await;
    let session = host.resume(&id).await.expect("it is there");
    assert!(session.memory().asides.is_empty());
    assert_eq!(session.draft().text, "/btw How long?");
}
