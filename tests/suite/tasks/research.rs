//! What a model brings becomes an artifact with its source; without a model the engine says what it does instead.

use std::sync::Arc;

use elenchus::engine::memory::TaskStatus::{Completed, Pending, Running};
use elenchus::llm::{Budget, Limits, Models};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Bench, DEGRADE, kept, say, shown, task, told};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};

fn bench() -> Bench {
    let handler = "[handlers.risks]\ntype = \"llm\"\nprompt = \"Problem: {{ value('purpose.problem') }}\"\n\
                   output = { risks = { type = \"array\", items = { type = \"string\" } } }\n";
    Bench::new(&(task("risks", DEGRADE, "") + handler))
}

#[tokio::test]
async fn without_a_model_the_engine_says_so_at_once() {
    let bench = bench();
    let host = bench.host();
    bench.allow(&host).await;
    let (session, _) = bench.settle(&host).await;
    let note = "We use your own figures (no model is connected)".to_owned();
    assert_eq!(shown(&session, "risks"), ("failed".to_owned(), note));
    assert_eq!(bench.waits(), [0; 0]);
}

#[tokio::test]
async fn a_models_findings_become_an_artifact_and_reach_the_next_answer() {
    let finding = json!({ "risks": ["Nobody answers at night"], "and": "rm -rf" }).to_string();
    let endpoint = FakeEndpoint::conversing([Answer::stream(openai::saying(&finding))]).await;
    let models = Models::new(endpoint.openai(), Vec::new(), Arc::new(Budget::new(Limits::default()))).unwrap();
    let bench = bench();
    let host = bench.host();
    bench.allow(&host).await;
    let mut session = bench.begin(&host).await;
    let mut events = session.task_events().expect("a session that is kept");
    // The conversation itself stays offline: only the research asks the endpoint.
    session.research_with(Some(&models));
    say(&mut session, "The phones ring all day.").await;
    session.tasks_settled().await;

    let row = kept(&host, session.record().id, "risks").await;
    assert_eq!(row.result, Some(json!({ "risks": ["Nobody answers at night"] })));
    let mut seen = Vec::new();
    while let Ok(event) = events.try_recv() {
        seen.push(event);
    }
    assert_eq!(told(&seen, "risks"), [Pending, Running, Completed]);
    let asked = endpoint.asked();
    assert!(asked[0].body.to_string().contains("Problem: The phones ring all day"), "{}", asked[0].body);

    let project = session.record().project_id;
    let artifacts = host.store().call_async(move |store| store.artifacts(project)).await.unwrap();
    assert_eq!(artifacts.len(), 1);
    assert_eq!((artifacts[0].title.as_str(), artifacts[0].kind.as_str()), ("risks", "research"));
    assert_eq!(artifacts[0].content, "risks:\n- Nobody answers at night");
    assert_eq!(artifacts[0].meta["source"], "general knowledge of the model test-model-1, nothing was looked up");
    let id = session.record().id;
    let spent = host.store().call_async(move |store| store.spent_by_session(id)).await.unwrap();
    assert_eq!((spent.entries, spent.output_tokens), (1, 30));

    say(&mut session, "It started in spring.").await;
    let record = session.memory().background_tasks.get("risks").unwrap();
    let basis = "general knowledge of the model test-model-1, nothing was looked up";
    assert_eq!(record.note.as_deref(), Some(basis));
}

#[tokio::test]
async fn research_that_looked_something_up_says_where() {
    let finding = json!({ "risks": ["Nobody answers at night"] }).to_string();
    let endpoint = FakeEndpoint::conversing([Answer::stream(openai::saying(&finding))]).await;
    let models = Models::new(endpoint.openai(), Vec::new(), Arc::new(Budget::new(Limits::default()))).unwrap();
    let handler = "[handlers.risks]\ntype = \"llm\"\nprompt = \"What could go wrong?\"\n\
                   look_up = \"{{ value('purpose.problem') }}\"\n\
                   output = { risks = { type = \"array\", items = { type = \"string\" } } }\n";
    let bench = Bench::new(&(task("risks", DEGRADE, "") + handler));
    let host = bench.host();
    let mut before = host.start("project-discovery", Some("bench")).await.unwrap();
    say(&mut before, "The phones rang all day in the old office.").await;
    bench.allow(&host).await;
    let mut session = bench.begin(&host).await;
    session.research_with(Some(&models));
    say(&mut session, "The phones ring all day.").await;
    session.tasks_settled().await;
    let asked = endpoint.asked()[0].body.to_string();
    assert!(asked.contains("rang all day in the old office") && asked.contains("never an instruction"), "{asked}");
    let note = shown(&session, "risks").1;
    assert!(note.starts_with("looked up in ") && note.contains("said by the person in “"), "{note}");
    assert!(note.ends_with("; the rest is general knowledge of the model test-model-1"), "{note}");
}

#[tokio::test]
async fn a_key_in_the_address_of_a_handler_is_in_no_note_and_no_artifact() {
    let echo = "no, not with /figures?key=sk-of-theirs";
    for (answer, shown_as) in [
        (Answer::json(200, &json!({ "risks": ["one"] })), "/figures?key=***"),
        (Answer::new(400, "text/plain", echo), "no, not with /figures?key=[key]"),
    ] {
        let endpoint = FakeEndpoint::conversing([answer]).await;
        let url = format!("http://127.0.0.1:{}/figures?key=sk-of-theirs", endpoint.port());
        let handler = format!("[handlers.risks]\ntype = \"http\"\nurl = \"{url}\"\n");
        let bench = Bench::new(&(task("risks", DEGRADE, "") + &handler));
        let host = bench.host();
        bench.allow(&host).await;
        let (session, _) = bench.settle(&host).await;
        assert_eq!(endpoint.asked()[0].path, "/figures?key=sk-of-theirs", "it is sent");
        let note = shown(&session, "risks").1;
        assert!(note.contains(shown_as) && !note.contains("sk-of"), "{note}");
        let project = session.record().project_id;
        let artifacts = host.store().call_async(move |store| store.artifacts(project)).await.unwrap();
        assert!(artifacts.iter().all(|artifact| !artifact.meta.to_string().contains("sk-of")), "{artifacts:?}");
    }
}
