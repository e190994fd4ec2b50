//! A session at its cap, near it, and one whose turn is called off: what is spent counts, and nothing is spent beyond.

use elenchus::engine::budget::{Cap, OverBudget};
use elenchus::engine::turn::TurnError;
use elenchus::host::protocol::TurnNews;
use elenchus::host::{Host, Session};
use elenchus::settings::{Flags, Surroundings};
use pretty_assertions::assert_eq;
use tempfile::TempDir;
use tokio::sync::mpsc;

use super::analysis;
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};

const MESSAGE: &str = "We need a booking app for our clinic.";

/// A folder with settings that name the endpoint and its caps.
fn machine(fake: &FakeEndpoint, budget: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = format!(
        "[profiles.fake]\nendpoint = \"http://127.0.0.1:{}/v1\"\nmodel = \"test-model\"\nattempts = 1\n\
         price = {{ input = 1000.0, output = 2000.0 }}\n[budget]\n{budget}\n",
        fake.port()
    );
    std::fs::write(folder.path().join("config.toml"), settings).expect("a file");
    folder
}

fn host(folder: &TempDir) -> Host {
    let surroundings =
        Surroundings { variable: &|_| None, keyring: &|_| Err("there is none".to_owned()), program: None };
    let flags = Flags {
        config: Some(folder.path().to_owned()),
        data_dir: Some(folder.path().join("data")),
        ..Flags::default()
    };
    Host::open(&flags, &surroundings).expect("a host")
}

fn turn() -> [Answer; 2] {
    [openai::saying(&analysis()), openai::saying("What made it a project now?")].map(Answer::stream)
}

async fn start(host: &Host) -> Session {
    host.start("project-discovery", None).await.expect("a session")
}

/// What the store says the session has cost, in tokens.
async fn kept(host: &Host, session: &Session) -> u64 {
    let id = session.record().id;
    let sum = host.store().call_async(move |store| store.spent_by_session(id)).await.expect("a sum");
    sum.input_tokens + sum.output_tokens
}

#[tokio::test]
async fn at_the_cap_the_turn_waits_and_goes_on_once_it_is_raised() {
    let fake = FakeEndpoint::conversing(turn()).await;
    let folder = machine(&fake, "session_tokens = 1_000");
    let host = host(&folder);
    let mut session = start(&host).await;
    let error = session.say(MESSAGE, &mut |_| {}).await.expect_err("it is too much");
    let TurnError::OverBudget(OverBudget { cap: Cap::SessionTokens, limit, spent, needed }) = error else {
        panic!("{error}")
    };
    assert_eq!((limit, spent, fake.asked().len()), (1_000.0, 0.0, 0), "nothing was sent");
    assert!(needed > 1_000.0);
    session.raise_cap(Cap::SessionTokens, 500.0).await.expect_err("that is less");
    session.raise_cap(Cap::SessionUsd, 5.0).await.expect_err("there is no such cap");
    session.raise_cap(Cap::SessionTokens, 100_000.0).await.expect("it is raised");
    session.say(MESSAGE, &mut |_| {}).await.expect("now it may be asked");
    assert_eq!(fake.asked().len(), 2);
    let id = session.record().id.to_string();
    drop(session);
    let again = host.resume(&id).await.expect("it is there");
    assert_eq!(again.budget().expect("a model").caps.session_tokens, Some(100_000), "it stays raised");
    let other = start(&host).await;
    assert_eq!(other.budget().expect("a model").caps.session_tokens, Some(1_000), "for this session only");
}

#[tokio::test]
async fn an_analysis_that_no_answer_can_follow_is_not_paid_for() {
    let fake = FakeEndpoint::conversing(turn()).await;
    let folder = machine(&fake, "session_tokens = 9_000");
    let host = host(&folder);
    let mut session = start(&host).await;
    let error = session.say(MESSAGE, &mut |_| {}).await.expect_err("both do not fit");
    assert!(matches!(error, TurnError::OverBudget(_)), "{error}");
    assert_eq!(fake.asked().len(), 0, "nothing was sent");
    session.raise_cap(Cap::SessionTokens, 100_000.0).await.expect("it is raised");
    session.say(MESSAGE, &mut |_| {}).await.expect("now it may be asked");
}

#[tokio::test]
async fn a_turn_that_is_tried_again_uses_the_analysis_that_was_paid_for() {
    let [analysis, answer] = turn();
    let refused = Answer::error(400, "invalid_request_error", "not today");
    let fake = FakeEndpoint::conversing([analysis, refused, answer]).await;
    // So much that analysis and answer are asked for one after the other.
    let folder = machine(&fake, "session_tokens = 12_000");
    let host = host(&folder);
    let mut session = start(&host).await;
    session.say(MESSAGE, &mut |_| {}).await.expect_err("there is no answer");
    assert_eq!(fake.asked().len(), 2);
    session.raise_cap(Cap::SessionTokens, 100_000.0).await.expect("it is raised");
    let outcome = session.say(MESSAGE, &mut |_| {}).await.expect("a turn");
    assert_eq!(fake.asked().len(), 3, "it is not analysed twice");
    assert!(!outcome.figures.changes.is_empty(), "what was found counts");
}

#[tokio::test]
async fn thresholds_that_a_turn_crosses_are_told_with_it() {
    let answers = [openai::counted(&analysis()), openai::counted("What made it a project now?")];
    let fake = FakeEndpoint::conversing(answers.map(Answer::stream)).await;
    // The first of the two calls of the turn takes 4,200 tokens.
    let folder = machine(&fake, "day_tokens = 30_000\nalerts = [1, 90]");
    let host = host(&folder);
    let mut session = start(&host).await;
    let outcome = session.say(MESSAGE, &mut |_| {}).await.expect("a turn");
    assert_eq!(
        outcome.figures.warnings,
        ["1 % of the budget for the tokens of today is used up: 4200 tokens of 30000 tokens."]
    );
}

#[tokio::test]
async fn what_a_cancelled_turn_has_cost_is_kept() {
    let (waiting, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([Answer::stream(openai::saying(&analysis())), waiting]).await;
    let folder = machine(&fake, "session_tokens = 1_000_000");
    let host = host(&folder);
    let mut session = start(&host).await;
    let (sender, mut seen) = mpsc::unbounded_channel();
    feed.send(openai::delta("What made "));
    {
        let mut watch = move |event| drop(sender.send(event));
        let mut turn = std::pin::pin!(session.say(MESSAGE, &mut watch));
        loop {
            tokio::select! {
                _ = &mut turn => panic!("the answer is not complete"),
                event = seen.recv() => if matches!(event, Some(TurnNews::Delta(_))) { break },
            }
        }
    }
    assert_eq!(session.memory().turn, 0, "the turn did not happen");
    let spent = session.budget().expect("a model").session.tokens;
    assert!(spent > 150, "the analysis and what was sent for the answer: {spent}");
    assert_eq!(kept(&host, &session).await, spent);
}

#[tokio::test]
async fn two_processes_together_keep_the_cap_of_the_day() {
    let counted = || [openai::counted(&analysis()), openai::counted("What made it a project now?")];
    let fake = FakeEndpoint::conversing((0..8).flat_map(|_| counted()).map(Answer::stream)).await;
    let folder = machine(&fake, "day_tokens = 30_000");
    let (one, two) = (host(&folder), host(&folder));
    let (mut first, mut second) = (start(&one).await, start(&two).await);
    let mut refused = None;
    for _ in 0..4 {
        for session in [&mut first, &mut second] {
            refused = session.say(MESSAGE, &mut |_| {}).await.err().or(refused);
        }
    }
    let Some(TurnError::OverBudget(OverBudget { cap: Cap::DayTokens, spent, .. })) = refused else {
        panic!("{refused:?}")
    };
    let (of_first, of_second) = (kept(&one, &first).await, kept(&two, &second).await);
    assert!(of_first > 0 && of_second > 0 && of_first + of_second <= 30_000, "{of_first} and {of_second}");
    let together = (of_first + of_second) as f64;
    assert!((spent - together).abs() < 0.5, "each knows what the other has spent: {spent} of {together}");
}

#[tokio::test]
async fn another_model_does_not_make_a_session_forget_what_it_has_cost() {
    let fake = FakeEndpoint::conversing(turn()).await;
    let folder = machine(&fake, "session_tokens = 1_000_000");
    let first = host(&folder);
    let mut session = start(&first).await;
    session.say(MESSAGE, &mut |_| {}).await.expect("a turn");
    let spent = session.budget().expect("a model").session;
    let settings = &first.settings;
    let models = settings.models().expect("usable").expect("configured");
    session.set_backend(&elenchus::host::Backend::Models(std::sync::Arc::new(models)));
    session.say(MESSAGE, &mut |_| {}).await.expect_err("the endpoint has nothing more to say");
    assert_eq!(session.budget().expect("a model").session, spent);
}

#[tokio::test]
async fn nothing_is_begun_where_an_answer_and_its_analysis_do_not_both_fit() {
    let fake = FakeEndpoint::conversing(turn()).await;
    let folder = machine(&fake, "session_tokens = 7_000");
    let host = host(&folder);
    let mut session = start(&host).await;
    let error = session.say(MESSAGE, &mut |_| {}).await.expect_err("it is too much");
    assert!(matches!(error, TurnError::OverBudget(_)), "{error}");
    assert_eq!(fake.asked().len(), 0, "no answer is paid for and thrown away");
}

#[tokio::test]
async fn what_a_turn_cost_that_came_to_nothing_is_told_by_the_next_one() {
    let failed = Answer::error(500, "trouble", "Boom");
    let fake = FakeEndpoint::conversing([failed].into_iter().chain(turn())).await;
    let folder = machine(&fake, "");
    let host = host(&folder);
    let mut session = start(&host).await;
    session.say(MESSAGE, &mut |_| {}).await.expect_err("the answer fails");
    let spent = kept(&host, &session).await;
    assert_eq!(session.snapshot().memory.usage.tokens(), spent, "it is shown at once");
    let outcome = session.say(MESSAGE, &mut |_| {}).await.expect("a turn");
    assert_eq!(outcome.figures.calls.len(), 3, "{:?}", outcome.figures.calls);
    assert_eq!(outcome.memory.usage.tokens(), kept(&host, &session).await, "what is shown is what was booked");
}
