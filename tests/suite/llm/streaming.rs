//! Words as they arrive: deltas, reasoning, usage, peculiar servers, splits at every byte.

use std::sync::Arc;

use elenchus::llm::{ChatEvent, Client, Finish, Price, Usage};
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::sync::mpsc;

use super::{ask, ask_once, ask_with, deltas, question};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, RawEndpoint, anthropic, openai, write_chunk, write_head};

#[tokio::test]
async fn an_answer_streams_and_is_counted() {
    let fake = FakeEndpoint::start([Answer::stream(openai::saying("What does reception do today?"))]).await;
    let mut endpoint = fake.openai();
    endpoint.price = Some(Price { input: 1.0, cached: Some(0.1), output: 10.0 });
    let (reply, events) = ask(endpoint).await;
    let reply = reply.expect("an answer");
    assert_eq!(reply.text, "What does reception do today?");
    assert_eq!(reply.finish, Finish::Stop);
    assert_eq!(reply.model, "test-model-1");
    let cost = (40.0 + 80.0 * 0.1 + 30.0 * 10.0) / 1e6;
    let expected = Usage {
        input_tokens: 120,
        cached_input_tokens: 80,
        output_tokens: 30,
        reasoning_tokens: 10,
        cost_usd: Some(cost),
        estimated: false,
    };
    assert_eq!(reply.usage, expected);
    assert!(reply.latency.first_token.is_some_and(|first| first <= reply.latency.total));
    let pieces = ["What ", "does ", "reception ", "do ", "today?"].map(|text| ChatEvent::Delta(text.to_owned()));
    let expected: Vec<ChatEvent> = std::iter::once(ChatEvent::Started).chain(pieces).collect();
    assert_eq!(events, expected);
}

#[tokio::test]
async fn the_first_word_is_passed_on_while_the_rest_is_still_to_come() {
    let (answer, feed) = Answer::fed();
    let fake = FakeEndpoint::start([answer]).await;
    let client = Client::new(fake.openai()).expect("a usable endpoint");
    let (sender, mut seen) = mpsc::unbounded_channel();
    let chat = tokio::spawn(async move {
        client.chat(&question(), &mut |event| sender.send(event).expect("the test listens")).await
    });
    feed.send(openai::delta("First"));
    assert_eq!(seen.recv().await, Some(ChatEvent::Started));
    assert_eq!(seen.recv().await, Some(ChatEvent::Delta("First".to_owned())));
    feed.send(openai::delta(" last") + &openai::finish("stop"));
    drop(feed);
    assert_eq!(chat.await.expect("it ran").expect("an answer").text, "First last");
}

#[tokio::test]
async fn a_whole_answer_whose_end_is_not_marked_is_kept_and_that_is_remembered() {
    let words = |text: &str| text.split_inclusive(' ').map(openai::delta).collect::<String>();
    let whole = words("Every night. What was the last such call about?");
    let fake = FakeEndpoint::start([Answer::stream(whole)]).await;
    let client = Client::new(fake.openai()).expect("a usable endpoint");
    let reply = ask_with(&client, &question()).await.0.expect("an answer");
    assert_eq!(
        (reply.text.as_str(), reply.finish),
        ("Every night. What was the last such call about?", Finish::Unmarked)
    );
    assert_eq!((client.capabilities().no_end_mark, fake.asked().len()), (true, 1), "it is asked for once");
    let half = || Answer::stream(words("Every night. What was the"));
    let fake = FakeEndpoint::start([half(), half()]).await;
    let error = ask(fake.openai()).await.0.expect_err("it is half an answer");
    assert!(matches!(error, elenchus::llm::ChatError::StreamCut { .. }), "{error}");
}

#[tokio::test]
async fn a_stream_split_at_every_byte_says_the_same() {
    let body = format!(
        "\u{feff}: keep-alive\r\n\r\n{}{}{}",
        openai::delta("Größe 🌞").replace('\n', "\r\n"),
        openai::finish("stop"),
        openai::DONE
    );
    let (length, body) = (body.len(), Arc::new(body.into_bytes()));
    let raw = RawEndpoint::start(move |mut stream, connection| {
        let body = Arc::clone(&body);
        async move {
            write_head(&mut stream).await;
            for part in [&body[..=connection], &body[connection + 1..]] {
                write_chunk(&mut stream, part).await;
            }
        }
    })
    .await;
    let client = Client::new(raw.openai()).expect("a usable endpoint");
    for at in 0..length - 1 {
        let (reply, events) = ask_with(&client, &question()).await;
        assert_eq!(events.len(), 2, "split at {at}: {events:?}");
        assert_eq!(reply.expect("an answer").text, "Größe 🌞", "split at {at}");
    }
}

#[tokio::test]
async fn reasoning_is_kept_apart_however_it_is_sent() {
    let inline = [
        openai::delta("<thi"),
        openai::delta("nk>Hm, 3 <"),
        openai::delta(" 4.</think>\n\nYes."),
        openai::finish("stop"),
    ];
    let apart = [openai::reasoning("Hm, 3 < 4."), openai::delta("Yes."), openai::finish("stop")];
    let other = [
        openai::event(&json!({ "choices": [{ "delta": { "reasoning": "Hm, 3 < 4." } }] })),
        openai::delta("Yes."),
        openai::finish("stop"),
    ];
    for stream in [inline.concat(), apart.concat(), other.concat()] {
        let fake = FakeEndpoint::start([Answer::stream(stream)]).await;
        let (reply, events) = ask(fake.openai()).await;
        let reply = reply.expect("an answer");
        assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("Yes.", "Hm, 3 < 4."));
        assert_eq!(deltas(&events), "Yes.");
    }
}

#[tokio::test]
async fn servers_without_an_end_mark_or_usage_are_understood_and_estimated() {
    let stream = openai::delta("Which clinic is it for?") + &openai::finish("stop");
    let fake = FakeEndpoint::start([Answer::stream(stream.clone()), Answer::stream(stream.trim_end()).untyped()]).await;
    for _ in 0..2 {
        let reply = ask_once(fake.openai()).await.expect("an answer");
        assert_eq!(reply.text, "Which clinic is it for?");
        assert!(reply.usage.estimated);
        assert!(reply.usage.input_tokens > 5 && reply.usage.output_tokens > 3, "{:?}", reply.usage);
        assert_eq!(reply.usage.cost_usd, Some(0.0), "a local endpoint costs nothing");
    }
}

#[tokio::test]
async fn an_endpoint_that_keeps_the_connection_open_after_the_end_does_not_hold_up_the_answer() {
    let (answer, feed) = Answer::fed();
    let fake = FakeEndpoint::start([answer]).await;
    feed.send(openai::saying("Done."));
    let reply = ask_once(fake.openai()).await.expect("an answer");
    assert_eq!(reply.text, "Done.");
}

#[tokio::test]
async fn an_answer_that_comes_whole_is_understood() {
    let body = json!({ "model": "m", "choices": [{ "message": { "content": "Whole." }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 5, "completion_tokens": 2 } });
    let fake = FakeEndpoint::start([Answer::json(200, &body)]).await;
    let (reply, events) = ask(fake.openai()).await;
    let reply = reply.expect("an answer");
    assert_eq!((reply.text.as_str(), reply.usage.output_tokens, reply.usage.estimated), ("Whole.", 2, false));
    assert_eq!(events, [ChatEvent::Started, ChatEvent::Delta("Whole.".to_owned())]);
}

#[tokio::test]
async fn anthropic_streams_with_thinking_and_cache_figures() {
    let stream = [
        anthropic::start(),
        anthropic::delta("thinking_delta", "thinking", "Hm."),
        anthropic::delta("signature_delta", "signature", "c2ln"),
        anthropic::delta("text_delta", "text", "Who books?"),
        anthropic::finish("end_turn"),
    ];
    let fake = FakeEndpoint::start([Answer::stream(stream.concat())]).await;
    let mut endpoint = fake.anthropic();
    endpoint.price = Some(Price { input: 2.0, cached: Some(0.2), output: 10.0 });
    let (reply, _) = ask(endpoint).await;
    let reply = reply.expect("an answer");
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("Who books?", "Hm."));
    assert_eq!((reply.usage.input_tokens, reply.usage.cached_input_tokens, reply.usage.output_tokens), (160, 100, 30));
    // 20 fresh and 40 written tokens, the latter at a quarter more, 100 cached ones, 30 of output.
    let cost = (20.0 * 2.0 + 40.0 * 2.5 + 100.0 * 0.2 + 30.0 * 10.0) / 1e6;
    assert!(reply.usage.cost_usd.is_some_and(|usd| (usd - cost).abs() < 1e-12), "{:?}", reply.usage);
}

#[tokio::test]
async fn an_anthropic_answer_that_comes_whole_is_understood() {
    let body = json!({ "model": "m", "content": [{ "type": "text", "text": "Whole." }], "stop_reason": "end_turn",
        "usage": { "input_tokens": 5, "output_tokens": 2 } });
    let fake = FakeEndpoint::start([Answer::json(200, &body)]).await;
    let reply = ask_once(fake.anthropic()).await.expect("an answer");
    assert_eq!((reply.text.as_str(), reply.usage.input_tokens), ("Whole.", 5));
}

#[tokio::test]
async fn the_price_an_endpoint_states_wins() {
    let usage = openai::event(
        &json!({ "choices": [], "usage": { "prompt_tokens": 9, "completion_tokens": 1, "cost": 0.0125 } }),
    );
    let fake = FakeEndpoint::start([Answer::stream(openai::delta("Hi") + &openai::finish("stop") + &usage)]).await;
    let reply = ask_once(fake.openai()).await.expect("an answer");
    assert_eq!(reply.usage.cost_usd, Some(0.0125));
}

#[tokio::test]
async fn a_usage_of_zero_is_no_usage() {
    let zero = openai::event(&json!({ "choices": [], "usage": { "prompt_tokens": 0, "completion_tokens": 0 } }));
    let fake =
        FakeEndpoint::start([Answer::stream(openai::delta("Hello there") + &openai::finish("stop") + &zero)]).await;
    let usage = ask_once(fake.openai()).await.expect("an answer").usage;
    assert!(usage.estimated && usage.input_tokens > 0 && usage.output_tokens > 0, "{usage:?}");
}
