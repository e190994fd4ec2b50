//! Tools in every protocol: how they are offered, how calls come in pieces, how what they brought is sent back, and what
//! happens where an endpoint takes none.

use std::sync::Arc;

use elenchus::engine::tools::ToolCall;
use elenchus::llm::{
    ChatError, ChatMessage, ChatReply, ChatRequest, Client, Endpoint, Recorder, Recordings, ToolOffer, ToolResult,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{ask_with, question};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, anthropic, openai};

const KEGS: &str = "{\"query\":\"kegs\"}";

fn parameters() -> Value {
    json!({ "type": "object", "properties": { "query": { "type": "string" } }, "required": ["query"],
        "additionalProperties": false })
}

/// A question with a tool.
fn offering() -> ChatRequest {
    let tool =
        ToolOffer { name: "find".to_owned(), description: "Finds.".to_owned(), parameters: Arc::new(parameters()) };
    ChatRequest { tools: vec![tool], may_call: true, ..question() }
}

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: "find".to_owned(), arguments: arguments.to_owned() }
}

/// The same once the tool has brought something; now the model has to answer.
fn told() -> ChatRequest {
    let mut request = ChatRequest { may_call: false, ..offering() };
    request.messages.push(ChatMessage::calling("One moment.", vec![call("c1", KEGS), call("c2", "no JSON")]));
    let result =
        |id: &str, text: &str| ToolResult { id: id.to_owned(), name: "find".to_owned(), text: text.to_owned() };
    request.messages.push(ChatMessage::telling(vec![result("c1", "Ten."), result("c2", "Nothing.")]));
    request
}

async fn reply(endpoint: Endpoint, request: &ChatRequest) -> ChatReply {
    ask_with(&Client::new(endpoint).expect("usable"), request).await.0.expect("an answer")
}

fn stream(values: &[Value]) -> Answer {
    let events: Vec<String> = values.iter().map(openai::event).collect();
    Answer::stream(events.concat())
}

fn lines(values: &[Value]) -> Answer {
    let lines: Vec<String> = values.iter().map(|value| format!("{value}\n")).collect();
    Answer::new(200, "application/x-ndjson", lines.concat())
}

#[tokio::test]
async fn a_call_of_a_tool_that_nobody_offered_is_no_part_of_the_answer() {
    let call = json!({ "index": 0, "id": "c1", "type": "function",
        "function": { "name": "delete_all", "arguments": "{not json" } });
    let beside = || {
        stream(&[
            json!({ "choices": [{ "index": 0, "delta": { "content": "Who uses it?" } }] }),
            json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] }),
            json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }),
        ])
    };
    let alone = || stream(&[json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] })]);
    let fake = FakeEndpoint::start([beside(), alone(), beside()]).await;
    for _ in 0..2 {
        let reply = reply(fake.openai(), &question()).await;
        assert_eq!(
            (reply.text.as_str(), reply.calls),
            ("Who uses it?", Vec::new()),
            "one without words is asked for anew"
        );
    }
    assert_eq!(fake.asked().len(), 3);
    let calls = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] });
    let ended = || stream(&[calls.clone(), json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] })]);
    let fake = FakeEndpoint::start([ended(), ended()]).await;
    let client = Client::new(fake.openai()).expect("usable");
    let error = client.chat(&question(), &mut |_| ()).await.expect_err("there are no words");
    assert_eq!(error, ChatError::OnlyCalls { model: "test-model".to_owned() }, "and not: it said nothing");
}

#[tokio::test]
async fn chat_completions_stream_calls_in_pieces_and_take_back_what_they_brought() {
    let piece = |index: Value, id: &str, name: &str, arguments: &str| {
        let function = if name.is_empty() {
            json!({ "arguments": arguments })
        } else {
            json!({ "name": name, "arguments": arguments })
        };
        let call = if id.is_empty() {
            json!({ "index": index, "function": function })
        } else {
            json!({ "index": index, "id": id, "type": "function", "function": function })
        };
        json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] })
    };
    let calls = stream(&[
        json!({ "choices": [{ "index": 0, "delta": { "content": "One moment." } }] }),
        piece(json!(0), "c1", "find", ""),
        piece(json!(0), "", "", "{\"query\":"),
        piece(json!(1), "c2", "find", "{}"),
        piece(json!(0), "", "", "\"kegs\"}"),
        // Some servers give all calls the same number.
        piece(json!(1), "c3", "find", "{}"),
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }),
    ]);
    let fake = FakeEndpoint::start([calls, Answer::stream(openai::saying("Ten kegs."))]).await;
    let first = reply(fake.openai(), &offering()).await;
    assert_eq!(
        (first.text.as_str(), first.calls),
        ("One moment.", vec![call("c1", KEGS), call("c2", "{}"), call("c3", "{}")])
    );
    assert_eq!(reply(fake.openai(), &told()).await.text, "Ten kegs.");
    let asked = fake.asked();
    let function = json!({ "name": "find", "description": "Finds.", "parameters": parameters() });
    assert_eq!(asked[0].body["tools"], json!([{ "type": "function", "function": function }]));
    assert_eq!(asked[0].body.get("tool_choice"), None);
    assert_eq!((&asked[1].body["tools"], &asked[1].body["tool_choice"]), (&asked[0].body["tools"], &json!("none")));
    let sent = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "find", "arguments": arguments } });
    assert_eq!(
        asked[1].body["messages"].as_array().expect("messages")[2..],
        [
            // What is no JSON is not sent back: templates of servers break on it.
            json!({ "role": "assistant", "content": "One moment.", "tool_calls": [sent("c1", KEGS), sent("c2", "{}")] }),
            json!({ "role": "tool", "tool_call_id": "c1", "content": "Ten." }),
            json!({ "role": "tool", "tool_call_id": "c2", "content": "Nothing." }),
        ]
    );
}

#[tokio::test]
async fn anthropic_streams_calls_as_blocks_and_takes_back_what_they_brought() {
    let event = anthropic::event;
    let calls = [
        anthropic::start(),
        event(&json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } })),
        anthropic::delta("text_delta", "text", "One moment."),
        event(&json!({ "type": "content_block_start", "index": 1,
            "content_block": { "type": "tool_use", "id": "c1", "name": "find", "input": {} } })),
        event(&json!({ "type": "content_block_delta", "index": 1,
            "delta": { "type": "input_json_delta", "partial_json": "{\"query\":" } })),
        event(&json!({ "type": "content_block_delta", "index": 1,
            "delta": { "type": "input_json_delta", "partial_json": "\"kegs\"}" } })),
        anthropic::finish("tool_use"),
    ];
    let whole = json!({ "model": "m", "stop_reason": "tool_use", "content": [
        { "type": "text", "text": "One moment." },
        { "type": "tool_use", "id": "c1", "name": "find", "input": { "query": "kegs" } } ] });
    let answers =
        [Answer::stream(calls.concat()), Answer::stream(anthropic::saying("Ten kegs.")), Answer::json(200, &whole)];
    let fake = FakeEndpoint::start(answers).await;
    let first = reply(fake.anthropic(), &offering()).await;
    assert_eq!((first.text.as_str(), &first.calls), ("One moment.", &vec![call("c1", KEGS)]));
    assert_eq!(reply(fake.anthropic(), &told()).await.text, "Ten kegs.");
    assert_eq!(reply(fake.anthropic(), &offering()).await.calls, first.calls, "whole or in pieces");
    let asked = fake.asked();
    assert_eq!(
        asked[0].body["tools"],
        json!([{ "name": "find", "description": "Finds.", "input_schema": parameters() }])
    );
    assert_eq!(asked[1].body["tool_choice"], json!({ "type": "none" }));
    assert_eq!(
        asked[1].body["messages"].as_array().expect("messages")[1..],
        [
            json!({ "role": "assistant", "content": [
                { "type": "text", "text": "One moment." },
                { "type": "tool_use", "id": "c1", "name": "find", "input": { "query": "kegs" } },
                { "type": "tool_use", "id": "c2", "name": "find", "input": {} } ] }),
            json!({ "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "c1", "content": "Ten." },
                { "type": "tool_result", "tool_use_id": "c2", "content": "Nothing." } ] }),
        ]
    );
}

#[tokio::test]
async fn responses_stream_calls_as_items_and_take_back_what_they_brought() {
    let done = json!({ "type": "response.completed", "response": { "model": "m", "status": "completed" } });
    let calls = stream(&[
        json!({ "type": "response.output_text.delta", "output_index": 0, "delta": "One moment." }),
        json!({ "type": "response.output_item.added", "output_index": 1,
            "item": { "type": "function_call", "id": "fc", "call_id": "c1", "name": "find", "arguments": "" } }),
        json!({ "type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{\"query\":" }),
        json!({ "type": "response.function_call_arguments.delta", "output_index": 1, "delta": "\"kegs\"}" }),
        done.clone(),
    ]);
    let whole = json!({ "model": "m", "status": "completed", "output": [
        { "type": "function_call", "call_id": "c1", "name": "find", "arguments": KEGS } ] });
    let answer = stream(&[json!({ "type": "response.output_text.delta", "delta": "Ten kegs." }), done]);
    let fake = FakeEndpoint::start([calls, answer, Answer::json(200, &whole)]).await;
    let first = reply(fake.responses(), &offering()).await;
    assert_eq!((first.text.as_str(), &first.calls), ("One moment.", &vec![call("c1", KEGS)]));
    assert_eq!(reply(fake.responses(), &told()).await.text, "Ten kegs.");
    assert_eq!(reply(fake.responses(), &offering()).await.calls, first.calls, "whole or in pieces");
    let asked = fake.asked();
    assert_eq!(
        asked[0].body["tools"],
        json!([{ "type": "function", "name": "find", "description": "Finds.", "parameters": parameters(), "strict": true }])
    );
    assert_eq!(asked[1].body["tool_choice"], json!("none"));
    assert_eq!(
        asked[1].body["input"].as_array().expect("input")[1..],
        [
            json!({ "role": "assistant", "content": "One moment." }),
            json!({ "type": "function_call", "call_id": "c1", "name": "find", "arguments": KEGS }),
            json!({ "type": "function_call", "call_id": "c2", "name": "find", "arguments": "{}" }),
            json!({ "type": "function_call_output", "call_id": "c1", "output": "Ten." }),
            json!({ "type": "function_call_output", "call_id": "c2", "output": "Nothing." }),
        ]
    );
}

#[tokio::test]
async fn ollama_calls_without_numbers_or_ids_and_takes_back_what_they_brought() {
    let called = |query: &str| json!({ "function": { "name": "find", "arguments": { "query": query } } });
    let calls = lines(&[
        json!({ "message": { "content": "", "tool_calls": [called("kegs"), called("taps")] }, "done": false }),
        json!({ "done": true, "done_reason": "stop" }),
    ]);
    let answer = lines(&[json!({ "message": { "content": "Ten kegs." }, "done": true, "done_reason": "stop" })]);
    let fake = FakeEndpoint::start([calls, answer]).await;
    let first = reply(fake.ollama(), &offering()).await;
    assert_eq!(
        (first.text.as_str(), first.calls),
        ("", vec![call("call_1", KEGS), call("call_2", "{\"query\":\"taps\"}")])
    );
    assert_eq!(reply(fake.ollama(), &told()).await.text, "Ten kegs.");
    let asked = fake.asked();
    let function = json!({ "name": "find", "description": "Finds.", "parameters": parameters() });
    assert_eq!(asked[0].body["tools"], json!([{ "type": "function", "function": function }]));
    assert_eq!(asked[1].body.get("tools"), None, "it has no word for tools that may not be called");
    assert_eq!(
        asked[1].body["messages"].as_array().expect("messages")[2..],
        [
            json!({ "role": "assistant", "content": "One moment.", "tool_calls": [
                { "function": { "name": "find", "arguments": { "query": "kegs" } } },
                { "function": { "name": "find", "arguments": {} } } ] }),
            json!({ "role": "tool", "tool_name": "find", "content": "Ten." }),
            json!({ "role": "tool", "tool_name": "find", "content": "Nothing." }),
        ]
    );
}

#[tokio::test]
async fn an_endpoint_that_takes_no_tools_is_asked_without_from_then_on() {
    for (status, words) in
        [(400, "registry/library/gemma does not support tools"), (404, "No endpoints found that support tool use.")]
    {
        let said = || Answer::stream(openai::saying("Ok."));
        let fake = FakeEndpoint::start([Answer::error(status, "bad", words), said(), said()]).await;
        let client = Client::new(fake.openai()).expect("usable");
        for _ in 0..2 {
            ask_with(&client, &offering()).await.0.expect("an answer");
        }
        assert!(client.capabilities().no_tools);
        let offered: Vec<bool> = fake.asked().iter().map(|asked| asked.body.get("tools").is_some()).collect();
        assert_eq!(offered, [true, false, false], "{words}");
        let kept = serde_json::to_string(&client.capabilities()).expect("it is kept");
        assert!(kept.contains("\"no_tools\":true"), "{kept}");
    }
}

#[tokio::test]
async fn what_tools_brought_is_told_in_plain_words_where_it_is_not_taken_back() {
    let refused = Answer::error(400, "invalid_request_error", "thought_signature is missing in part 2");
    let fake = FakeEndpoint::start([refused, Answer::stream(openai::saying("Ten kegs."))]).await;
    assert_eq!(reply(fake.openai(), &told()).await.text, "Ten kegs.");
    assert_eq!(
        fake.asked()[1].body["messages"].as_array().expect("messages")[2..],
        [
            json!({ "role": "assistant", "content": "One moment." }),
            json!({ "role": "user", "content": "Ten.\n\nNothing." }),
        ]
    );
}

#[tokio::test]
async fn calls_are_recorded_and_played_back_and_endless_ones_are_bounded() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("exchanges.jsonl");
    let many: Vec<Value> = (0..1000)
        .map(|at| {
            json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [
                { "index": at, "id": format!("c{at}"), "function": { "name": "find", "arguments": KEGS } }] } }] })
        })
        .chain([json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] })])
        .collect();
    let fake = FakeEndpoint::start([stream(&many), Answer::stream(openai::saying("Ten kegs."))]).await;
    let recorder = Arc::new(Recorder::create(&path).expect("a file"));
    let live = Client::new(fake.openai()).expect("usable").recording_to(recorder);
    let calls = ask_with(&live, &offering()).await.0.expect("an answer").calls;
    assert_eq!(calls.len(), 16);
    ask_with(&live, &told()).await.0.expect("an answer");
    let recordings = Arc::new(Recordings::open(&path).expect("recordings"));
    let replay = Client::new(fake.openai()).expect("usable").replaying(recordings);
    assert_eq!(ask_with(&replay, &offering()).await.0.expect("an answer").calls, calls);
    assert_eq!(ask_with(&replay, &told()).await.0.expect("an answer").text, "Ten kegs.");
    assert_eq!(fake.asked().len(), 2, "the replay never asks");
}
