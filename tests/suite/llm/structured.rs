//! The ladder from JSON Schema to plain prompt.

use std::sync::Arc;

use elenchus::llm::{Budget, CallRole, Caps, ChatError, ChatRequest, Client, Limits, Means, OutputSchema};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::{ask_with, question};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, anthropic, openai};

fn data_question() -> ChatRequest {
    let schema = json!({ "type": "object", "properties": { "fields": { "type": "array", "items": { "type": "string" } } },
        "required": ["fields"], "additionalProperties": false });
    ChatRequest {
        schema: Some(OutputSchema { name: "analysis".to_owned(), schema: schema.into(), in_parts: false }),
        ..question()
    }
}

const DATA: &str = "{\"fields\":[\"a\"]}";

#[tokio::test]
async fn a_schema_is_sent_and_the_means_remembered() {
    let fake = FakeEndpoint::start([Answer::stream(openai::saying(DATA)), Answer::stream(openai::saying(DATA))]).await;
    let client = Client::new(fake.openai()).expect("usable");
    for _ in 0..2 {
        let (reply, _) = ask_with(&client, &data_question()).await;
        assert_eq!(reply.expect("data").json(), Some(json!({ "fields": ["a"] })));
    }
    assert_eq!(client.capabilities().structured, Some(Means::JsonSchema));
    let format = &fake.asked()[0].body["response_format"];
    assert_eq!((&format["type"], &format["json_schema"]["name"]), (&json!("json_schema"), &json!("analysis")));
    assert_eq!(format["json_schema"]["strict"], json!(true));
}

#[tokio::test]
async fn an_endpoint_that_refuses_a_schema_is_asked_by_tool_call_from_then_on() {
    let refused = Answer::error(400, "invalid_request_error", "response_format json_schema is not supported");
    let called = || {
        Answer::stream(
            openai::arguments("{\"fields\":") + &openai::arguments("[\"a\"]}") + &openai::finish("tool_calls"),
        )
    };
    let fake = FakeEndpoint::start([refused, called(), called()]).await;
    let client = Client::new(fake.openai()).expect("usable");
    for _ in 0..2 {
        let (reply, _) = ask_with(&client, &data_question()).await;
        assert_eq!(reply.expect("data").text, DATA);
    }
    let asked = fake.asked();
    assert_eq!(asked.len(), 3, "the refusal is met once");
    assert_eq!(asked[2].body["tool_choice"], json!({ "type": "function", "function": { "name": "analysis" } }));
    assert_eq!(asked[2].body.get("response_format"), None);
}

#[tokio::test]
async fn an_endpoint_that_ignores_everything_is_asked_in_words() {
    let prose = || Answer::stream(openai::saying("Of course! What do you need?"));
    let fenced = Answer::stream(openai::saying("Here:\n```json\n{\"fields\": [\"a\"]}\n```"));
    let fake = FakeEndpoint::start([prose(), prose(), prose(), fenced]).await;
    let client = Client::new(fake.openai()).expect("usable");
    let (reply, _) = ask_with(&client, &data_question()).await;
    assert_eq!(reply.expect("data").json(), Some(json!({ "fields": ["a"] })));
    assert_eq!(client.capabilities().structured, Some(Means::Prompt));
    let asked = fake.asked();
    assert_eq!(asked[2].body["response_format"], json!({ "type": "json_object" }));
    for request in &asked[2..] {
        let messages = request.body["messages"].as_array().expect("messages");
        assert_eq!(messages[0]["content"], json!("You are an interviewer."), "it begins as the others do");
        let last = messages.last().expect("a message")["content"].as_str().expect("words");
        assert!(last.contains("\"fields\""), "{last}");
    }
}

#[tokio::test]
async fn when_nothing_works_the_answer_is_handed_over_for_the_caller_to_judge() {
    let fake = FakeEndpoint::start((0..8).map(|_| Answer::stream(openai::saying("Hello!")))).await;
    let client = Client::new(fake.openai()).expect("usable");
    let (reply, _) = ask_with(&client, &data_question()).await;
    assert_eq!(reply, Err(ChatError::NotStructured { model: "test-model-1".to_owned(), text: "Hello!".to_owned() }));
    assert_eq!(fake.asked().len(), 4, "every rung is tried once");
}

#[tokio::test]
async fn one_bad_answer_does_not_give_up_a_means_that_has_worked() {
    let fake =
        FakeEndpoint::start([Answer::stream(openai::saying(DATA)), Answer::stream(openai::saying("Oops."))]).await;
    let client = Client::new(fake.openai()).expect("usable");
    ask_with(&client, &data_question()).await.0.expect("data");
    let (reply, _) = ask_with(&client, &data_question()).await;
    assert!(matches!(reply, Err(ChatError::NotStructured { .. })));
    assert_eq!(client.capabilities().structured, Some(Means::JsonSchema));
}

#[tokio::test]
async fn what_was_found_out_can_be_kept_and_restored() {
    let fake = FakeEndpoint::start([Answer::stream(openai::saying(DATA))]).await;
    let client = Client::new(fake.openai()).expect("usable");
    let kept = serde_json::from_value(json!({ "structured": "json_mode" })).expect("capabilities");
    client.restore(kept);
    ask_with(&client, &data_question()).await.0.expect("data");
    assert_eq!(fake.asked()[0].body["response_format"], json!({ "type": "json_object" }));
}

#[tokio::test]
async fn what_was_remembered_is_forgotten_when_the_endpoint_contradicts_it() {
    let prose = || Answer::stream(openai::saying("Hello!"));
    let refusal = || Answer::error(400, "invalid_request_error", "tools are not supported");
    for contradiction in [prose(), refusal()] {
        let fake = FakeEndpoint::start([contradiction, Answer::stream(openai::saying(DATA))]).await;
        let client = Client::new(fake.openai()).expect("usable");
        client.restore(serde_json::from_value(json!({ "structured": "tool_call" })).expect("capabilities"));
        ask_with(&client, &data_question()).await.0.expect("data");
        assert_eq!(fake.asked()[1].body["response_format"]["type"], json!("json_schema"), "the best means first");
        assert_eq!(client.capabilities().structured, Some(Means::JsonSchema));
    }
}

#[tokio::test]
async fn a_refusal_without_a_reason_voids_what_was_remembered_once() {
    let answers = (0..3).map(|_| Answer::error(400, "invalid_request_error", "Extra inputs are not permitted"));
    let fake = FakeEndpoint::start(answers).await;
    let client = Client::new(fake.openai()).expect("usable");
    client.restore(serde_json::from_value(json!({ "max_completion_tokens": true })).expect("capabilities"));
    let request = ChatRequest { max_output_tokens: Some(50), ..question() };
    ask_with(&client, &request).await.0.expect_err("it is refused all the same");
    let asked: Vec<_> = fake.asked().iter().map(|asked| asked.body.get("max_tokens").is_some()).collect();
    assert_eq!(asked, [false, true], "tried once more, as if nothing were known");
}

#[tokio::test]
async fn anthropic_goes_from_schema_to_tool_call() {
    let refused = Answer::json(
        400,
        &json!({ "type": "error", "error": {
        "type": "invalid_request_error", "message": "output_config: Extra inputs are not permitted" } }),
    );
    let called = anthropic::start()
        + &anthropic::delta("input_json_delta", "partial_json", DATA)
        + &anthropic::finish("tool_use");
    let fake = FakeEndpoint::start([refused, Answer::stream(called)]).await;
    let client = Client::new(fake.anthropic()).expect("usable");
    let (reply, _) = ask_with(&client, &data_question()).await;
    assert_eq!(reply.expect("data").text, DATA);
    let asked = fake.asked();
    assert_eq!(asked[0].body["output_config"]["format"]["type"], json!("json_schema"));
    assert_eq!(asked[1].body["tool_choice"], json!({ "type": "tool", "name": "analysis" }));
    assert_eq!(client.capabilities().structured, Some(Means::ToolCall));
}

#[tokio::test]
async fn data_cut_by_length_or_refused_is_an_error() {
    let cut = openai::delta("{\"fields\":[\"a") + &openai::finish("length") + &openai::usage();
    let declined = openai::delta("I can't.") + &openai::finish("content_filter");
    let fake = FakeEndpoint::start([Answer::stream(cut), Answer::stream(declined)]).await;
    let client = Client::new(fake.openai()).expect("usable");
    assert_eq!(
        ask_with(&client, &data_question()).await.0,
        Err(ChatError::LengthCut { limit: 30, text: "{\"fields\":[\"a".to_owned() })
    );
    assert_eq!(ask_with(&client, &data_question()).await.0, Err(ChatError::Refused { reason: "I can't.".to_owned() }));
}

#[tokio::test]
async fn a_model_whose_thoughts_use_up_its_answer_gets_room_to_think_and_keeps_it() {
    let thoughts = "Let me see. ".repeat(1_000);
    let cut = openai::reasoning(&thoughts) + &openai::finish("length");
    let whole = || Answer::stream(openai::reasoning(&thoughts) + &openai::saying(DATA));
    let fake = FakeEndpoint::start([Answer::stream(cut), whole(), whole()]).await;
    let client = Client::new(fake.openai()).expect("usable");
    let request = ChatRequest { max_output_tokens: Some(2_000), ..data_question() };
    for _ in 0..2 {
        assert_eq!(ask_with(&client, &request).await.0.expect("data").json(), Some(json!({ "fields": ["a"] })));
    }
    let limits: Vec<_> = fake.asked().iter().map(|asked| asked.body["max_tokens"].clone()).collect();
    assert_eq!(limits, [json!(2_000), json!(10_000), json!(10_000)], "the room is found once and kept");
    assert_eq!(client.capabilities().structured, Some(Means::JsonSchema), "the means is not at fault");
}

#[tokio::test]
async fn a_budget_reserves_the_room_to_think_as_well() {
    let cut = openai::reasoning("Hm.") + &openai::finish("length");
    let fake = FakeEndpoint::start([Answer::stream(cut)]).await;
    let limits = Limits { caps: Caps { session_tokens: Some(5_000), ..Caps::default() }, ..Limits::default() };
    let client = Client::new(fake.openai()).expect("usable");
    let client = client.guarded_by(Arc::new(Budget::new(limits)), CallRole::Analyse);
    let request = ChatRequest { max_output_tokens: Some(2_000), ..data_question() };
    let error = ask_with(&client, &request).await.0.expect_err("10,000 tokens may not be spent");
    assert!(matches!(error, ChatError::Budget(_)), "{error}");
    assert_eq!(fake.asked().len(), 1, "nothing is sent that could break the cap");
}

#[tokio::test]
async fn parameters_an_endpoint_refuses_are_put_differently() {
    let refusals = [
        "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        "Unsupported value: 'temperature' does not support 0.2 with this model.",
        "Unknown field: stream_options",
    ];
    let answers = refusals.iter().map(|words| Answer::error(400, "invalid_request_error", words));
    let fake = FakeEndpoint::start(answers.chain([Answer::stream(openai::saying("Fine."))])).await;
    let client = Client::new(fake.openai()).expect("usable");
    let request = ChatRequest { max_output_tokens: Some(50), temperature: Some(0.2), ..question() };
    let (reply, _) = ask_with(&client, &request).await;
    assert_eq!(reply.expect("an answer").text, "Fine.");
    let last = fake.asked().pop().expect("a request").body;
    assert_eq!(last["max_completion_tokens"], json!(50));
    for gone in ["max_tokens", "temperature", "stream_options"] {
        assert_eq!(last.get(gone), None, "{gone}");
    }
}

#[tokio::test]
async fn prose_cut_by_length_leads_down_the_ladder_and_whole_data_with_a_long_tail_is_taken() {
    let prose = openai::delta("Certainly! Let us first consider") + &openai::finish("length");
    let tail = openai::delta("```json\n{\"fields\": [\"a\"]}\n") + &openai::delta("\n\n\n") + &openai::finish("length");
    let fake = FakeEndpoint::start([Answer::stream(prose), Answer::stream(tail)]).await;
    let client = Client::new(fake.openai()).expect("usable");
    let (reply, _) = ask_with(&client, &data_question()).await;
    assert_eq!(reply.expect("data").json(), Some(json!({ "fields": ["a"] })));
    assert_eq!(client.capabilities().structured, Some(Means::ToolCall));
}

#[tokio::test]
async fn a_model_that_fills_up_with_blank_lines_is_not_waited_for() {
    let (answer, feed) = Answer::fed();
    let fake = FakeEndpoint::start([answer]).await;
    let client = Client::new(fake.openai()).expect("usable");
    let chat = tokio::spawn(async move { ask_with(&client, &data_question()).await.0 });
    feed.send(openai::delta(DATA) + &openai::delta("\n").repeat(200));
    feed.closed().await;
    assert_eq!(chat.await.expect("it ran").expect("data").json(), Some(json!({ "fields": ["a"] })));
}

#[tokio::test]
async fn a_report_that_goes_in_circles_is_not_waited_for_and_shows_that_the_model_needs_help() {
    let (answer, feed) = Answer::fed();
    let fake = FakeEndpoint::start([answer]).await;
    let client = Arc::new(Client::new(fake.openai()).expect("usable"));
    assert!(!client.is_small());
    let request = ChatRequest {
        schema: Some(OutputSchema { in_parts: true, ..data_question().schema.expect("it has one") }),
        ..question()
    };
    let asking = Arc::clone(&client);
    let chat = tokio::spawn(async move { ask_with(&asking, &request).await.0 });
    let entry =
        |field: char| format!("{{\"path\": \"{field}\", \"quote\": \"nothing is straight\", \"value\": \"x\"}},");
    let entries: String = ('a'..='f').map(entry).collect();
    feed.send(openai::delta("{\"fields\": [") + &openai::delta(&entries));
    feed.closed().await;
    let error = chat.await.expect("it ran").expect_err("it is no whole report");
    assert!(error.answer().is_some_and(|report| report.contains("nothing is straight")), "what came is handed over");
    assert!(client.is_small());
}

#[tokio::test]
async fn a_report_that_is_cut_or_lacks_a_part_is_handed_over_at_once() {
    for text in ["{\"fields\":[\"a\"]}", "Here:\n```json\n{\"fields\":[\"a\"]}\n```", "{\"fields\":[\"a\",\"b"] {
        let fake = FakeEndpoint::start((0..3).map(|_| Answer::stream(openai::saying(text)))).await;
        let client = Client::new(fake.openai()).expect("usable");
        let schema = json!({ "type": "object", "required": ["fields", "signals"] });
        let output = OutputSchema { name: "analysis".to_owned(), schema: schema.into(), in_parts: true };
        let request = ChatRequest { schema: Some(output), ..question() };
        for _ in 0..2 {
            let (reply, _) = ask_with(&client, &request).await;
            let error = reply.expect_err("not all of it");
            assert_eq!(error.answer(), Some(text), "{error}");
        }
        assert_eq!(fake.asked().len(), 2, "no other means is tried for {text}");
    }
}

#[tokio::test]
async fn an_endpoint_that_never_gives_data_is_asked_in_every_way_only_once() {
    let fake = FakeEndpoint::start((0..8).map(|_| Answer::stream(openai::saying("Hello!")))).await;
    let client = Client::new(fake.openai()).expect("usable");
    for requests in [4, 5, 6] {
        let (reply, _) = ask_with(&client, &data_question()).await;
        assert!(reply.is_err());
        assert_eq!(fake.asked().len(), requests);
    }
}

#[tokio::test]
async fn a_report_in_another_envelope_is_handed_over_at_once_and_other_data_is_not() {
    let schema = json!({ "type": "object", "required": ["fields", "signals"], "properties": {
        "fields": { "items": { "properties": { "path": { "enum": ["purpose.problem"] } } } } } });
    for (text, requests) in [
        ("{\"analysis\": {\"fields\": []}}", 1),
        ("[{\"path\": \"purpose.problem\", \"value\": \"x\"}]", 1),
        ("{\"purpose.problem\": \"x\"}", 1),
        ("{}", 4),
        ("{\"error\": \"I cannot\"}", 4),
        ("{\"properties\": {\"fields\": [\"purpose.problem\"]}}", 4),
    ] {
        let fake = FakeEndpoint::start((0..8).map(|_| Answer::stream(openai::saying(text)))).await;
        let client = Client::new(fake.openai()).expect("usable");
        let output = OutputSchema { name: "analysis".to_owned(), schema: schema.clone().into(), in_parts: true };
        let request = ChatRequest { schema: Some(output), ..question() };
        let error = ask_with(&client, &request).await.0.expect_err("not the data that was asked for");
        assert_eq!((error.answer(), fake.asked().len()), (Some(text), requests), "{text}");
        ask_with(&client, &request).await.0.expect_err("not this time either");
        assert_eq!(fake.asked().len(), requests + 1, "what is known to fail is not tried anew: {text}");
    }
}

#[tokio::test]
async fn an_endpoint_that_sends_nothing_for_data_is_asked_in_every_way_only_once() {
    let fake = FakeEndpoint::start((0..16).map(|_| Answer::stream(openai::saying("")))).await;
    let client = Client::new(fake.openai()).expect("usable");
    for requests in [4, 5, 6] {
        ask_with(&client, &data_question()).await.0.expect_err("nothing came");
        assert_eq!(fake.asked().len(), requests);
    }
}
