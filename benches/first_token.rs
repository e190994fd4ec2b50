//! How soon the first word of an answer comes, held against a plain chat with the same endpoint, and how much of a request
//! begins as the one before it did. The endpoint is on loopback: an analysis takes 150 ms, a reply 50 ms. People are the
//! shipped simulated ones, and an analysis finds what they really said.
//!
//! `cargo bench --bench first_token` plays 200 turns of two engines and prints the figures; it fails where one is not met.
#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use elenchus::catalogue::Catalogue;
use elenchus::engine::figures::EarlyFigures;
use elenchus::engine::memory::{Status, WorkingMemory};
use elenchus::engine::{Engine, tokens};
use elenchus::host::protocol::{Event, News, TurnNews};
use elenchus::host::{Backend, Rehearsed, Session, rehearse};
use elenchus::llm::{
    Budget, CallRole, Capabilities, ChatEvent, ChatMessage, ChatRequest, Client, Endpoint, Limits, Models, Provider,
};
use elenchus::scenario::{self, Person, Simulation, Utterance};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

const ANALYSIS: Duration = Duration::from_millis(150);
const REPLY: Duration = Duration::from_millis(50);

/// What the endpoint knows and has seen.
#[derive(Default)]
struct Desk {
    /// The analysis of the message under way.
    truth: Mutex<String>,
    /// The requests for answers, as they came.
    answers: Mutex<Vec<String>>,
    calls: Mutex<u32>,
    slow: bool,
}

async fn serve(desk: Arc<Desk>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(attend(stream, Arc::clone(&desk)));
        }
    });
    address
}

/// Answers one request: the head at once, the words when they are due.
async fn attend(mut stream: TcpStream, desk: Arc<Desk>) {
    let Some(body) = request(&mut stream).await else { return };
    *desk.calls.lock().unwrap() += 1;
    let for_data = body.get("response_format").is_some();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    if stream.write_all(head.as_bytes()).await.is_err() {
        return;
    }
    let words = if for_data {
        desk.truth.lock().unwrap().clone()
    } else if body["messages"][0]["content"].as_str().is_some_and(|system| system.starts_with("You shorten")) {
        "They talked.".to_owned()
    } else {
        desk.answers.lock().unwrap().push(body["messages"].to_string());
        reply(&body)
    };
    if desk.slow {
        tokio::time::sleep(if for_data { ANALYSIS } else { REPLY }).await;
    }
    let event = json!({ "choices": [{ "delta": { "content": words } }] });
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    let text = format!("data: {event}\n\ndata: {end}\n\ndata: [DONE]\n\n");
    stream.write_all(text.as_bytes()).await.ok();
}

async fn request(stream: &mut TcpStream) -> Option<Value> {
    let (mut received, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        let count = stream.read(&mut buffer).await.ok().filter(|count| *count > 0)?;
        received.extend_from_slice(&buffer[..count]);
        let head = received.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        if let Some(at) = head
            && let Ok(body) = serde_json::from_slice(&received[at + 4..])
        {
            return Some(body);
        }
    }
}

/// What a model would answer: it asks for the first of the open points.
fn reply(body: &Value) -> String {
    let messages = body["messages"].as_array().expect("messages");
    let last = messages.last().and_then(|message| message["content"].as_str()).unwrap_or_default();
    let point = last.split("Open points").nth(1).and_then(|rest| rest.lines().find_map(|line| line.strip_prefix("- ")));
    let question =
        point.and_then(|point| point.split_once(": ")).map_or("That is all for now.", |(_, question)| question);
    format!("That makes {} things said. {question}", messages.len())
}

fn truth(utterance: &Utterance) -> String {
    let fields: Vec<Value> = utterance
        .found
        .iter()
        .map(|(path, value, quote)| json!({ "path": path, "value": value, "confidence": 0.9, "quote": quote }))
        .collect();
    json!({ "fields": fields, "signals": {} }).to_string()
}

fn person(catalogue: &Catalogue, id: &str) -> (Arc<Engine>, Arc<Person>) {
    let engine = catalogue.load(id).expect("it is in the binary").0.engine.expect("it has no errors");
    let files = catalogue.scenarios(id).expect("it has scenarios");
    let (cases, _) = scenario::load(&files, &mut |_| Ok(engine.clone()));
    let person = cases.into_iter().find(|case| case.scenario.simulated.is_some()).and_then(|case| case.person);
    (engine, person.expect("it has a simulated person"))
}

fn models(address: &str) -> Models {
    let endpoint = Endpoint::new("bench", Provider::OpenAi, &format!("http://{address}/v1"), "m").expect("valid");
    let models = Models::new(endpoint, Vec::new(), Arc::new(Budget::new(Limits::default()))).expect("usable");
    // On loopback the answer goes first; what is measured is both at once, as with an endpoint elsewhere.
    let mut known = Capabilities::default();
    known.at_once = Some(true);
    models.client(CallRole::Analyse).restore(known);
    models
}

#[derive(Default)]
struct Tally {
    firsts: Vec<Duration>,
    kept: u32,
    discarded: u32,
    replaced: u32,
    waited: u32,
    re_asked: u32,
    /// Calls that the turns have booked.
    booked: usize,
    reasons: Vec<String>,
}

/// Holds a session and notes when the first word of each answer came.
async fn hold(engine: &Arc<Engine>, person: &Person, desk: &Arc<Desk>, seed: u64, turns: u32, tally: &mut Tally) {
    let backend = Backend::Models(Arc::new(models(&serve(Arc::clone(desk)).await)));
    let (session, _) = rehearse(engine, Rehearsed { backend, handoff: None, cap_usd: None }).expect("it opens");
    let first: Arc<Mutex<Option<Instant>>> = Arc::default();
    let noted = Arc::clone(&first);
    let listener = move |news: News| {
        if matches!(news.event, Event::Turn(TurnNews::Delta(_))) {
            noted.lock().unwrap().get_or_insert_with(Instant::now);
        }
    };
    let _listening = session.listen(Arc::new(listener)).await;
    let mut simulation = Simulation::new(person, seed);
    let mut memory: Arc<WorkingMemory> = session.read(Session::memory_now).await.expect("it is open");
    for _ in 0..turns {
        let utterance = simulation.next(engine, &memory);
        *desk.truth.lock().unwrap() = truth(&utterance);
        *first.lock().unwrap() = None;
        let words = utterance.message.clone();
        let said = Instant::now();
        let done = session.say(utterance.message).await.expect("a turn");
        let took = first.lock().unwrap().expect("an answer") - said;
        tally.firsts.push(took);
        memory = Arc::clone(&done.memory);
        tally.booked += done.figures.calls.len();
        match &done.figures.early {
            Some(EarlyFigures::Kept { .. }) => {
                tally.kept += 1;
                let settled = |id: &str| memory.obligations.status(id) == Status::Satisfied;
                tally.re_asked += u32::from(memory.asked.iter().any(|asked| settled(&asked.obligation)));
                if took > REPLY * 2 {
                    tally.reasons.push(format!("kept, first word after {} ms – “{words}”", took.as_millis()));
                }
            }
            Some(EarlyFigures::Discarded { why, shown }) => {
                tally.discarded += 1;
                tally.replaced += u32::from(*shown);
                let how = if *shown { "seen" } else { "not seen" };
                tally.reasons.push(format!("discarded, {how}: {why} – “{words}”"));
            }
            Some(EarlyFigures::Replaced { why }) => {
                tally.discarded += 1;
                tally.replaced += 1;
                tally.reasons.push(format!("replaced after QA: {why} – “{words}”"));
            }
            Some(EarlyFigures::NotBegun { why }) => {
                tally.waited += 1;
                tally.reasons.push(format!("waited: {why} – “{words}”"));
            }
            None => tally.waited += 1,
        }
    }
}

/// The first word of a plain chat with the same endpoint.
async fn plain(times: usize) -> Vec<Duration> {
    let desk = Arc::new(Desk { slow: true, ..Desk::default() });
    let address = serve(desk).await;
    let endpoint = Endpoint::new("plain", Provider::OpenAi, &format!("http://{address}/v1"), "m").expect("valid");
    let client = Client::new(endpoint).expect("usable");
    let request = ChatRequest { messages: vec![ChatMessage::user("Hello.")], ..ChatRequest::default() };
    let mut firsts = Vec::new();
    for _ in 0..times {
        let (asked, mut first) = (Instant::now(), None);
        let mut on_event = |event| {
            if matches!(event, ChatEvent::Delta(_)) {
                first.get_or_insert_with(|| asked.elapsed());
            }
        };
        client.chat(&request, &mut on_event).await.expect("an answer");
        firsts.push(first.expect("a word"));
    }
    firsts
}

fn mean(times: &[Duration]) -> f64 {
    times.iter().map(Duration::as_secs_f64).sum::<f64>() / times.len() as f64 * 1000.0
}

fn median(times: &[Duration]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2].as_secs_f64() * 1000.0
}

fn common(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// How requests for answers begin: the shared share of turns 2 to 15, and what is not shared at turns 5 and 50.
async fn beginnings(engine: &Arc<Engine>, person: &Person) -> (f64, f64, u32) {
    let desk = Arc::new(Desk::default());
    hold(engine, person, &desk, 3, 52, &mut Tally::default()).await;
    let answers = desk.answers.lock().unwrap().clone();
    let share = |pair: &[String]| common(&pair[0], &pair[1]) as f64 / pair[1].len() as f64;
    let early: Vec<f64> = answers.windows(2).take(14).map(share).collect();
    // The middle of some turns: what single people say at a time differs.
    let fresh = |at: usize| {
        let mut new: Vec<u32> = answers[at - 2..=at + 2]
            .windows(2)
            .map(|pair| tokens::estimate(&pair[1][pair[1].floor_char_boundary(common(&pair[0], &pair[1]))..]))
            .collect();
        new.sort_unstable();
        f64::from(new[new.len() / 2])
    };
    let breaks = answers.windows(2).filter(|pair| share(pair) < 0.5).count();
    (early.iter().sum::<f64>() / early.len() as f64, fresh(49) / fresh(5), u32::try_from(breaks).unwrap())
}

fn main() {
    let runtime = Runtime::new().expect("a runtime");
    let catalogue = Catalogue::open(Path::new("/nonexistent")).expect("a folder that does not exist is empty");
    let mut missed = Vec::new();
    let mut demand = |met: bool, what: String| {
        println!("{} {what}", if met { "ok  " } else { "MISS" });
        if !met {
            missed.push(what);
        }
    };
    let bare = runtime.block_on(plain(50));
    let mut tally = Tally::default();
    let desk = Arc::new(Desk { slow: true, ..Desk::default() });
    for id in ["project-discovery", "feature-prioritization"] {
        let (engine, person) = person(&catalogue, id);
        for seed in 0..5 {
            runtime.block_on(hold(&engine, &person, &desk, seed, 20, &mut tally));
        }
    }
    let turns = tally.firsts.len() as f64;
    let sent = *desk.calls.lock().unwrap();
    let calls = f64::from(sent) / turns;
    let (by_mean, by_median) = (mean(&tally.firsts) / mean(&bare), median(&tally.firsts) / median(&bare));
    println!("plain chat: {:.1} ms; {turns} turns: {:.1} ms", mean(&bare), mean(&tally.firsts));
    println!("kept {}, discarded {}, waited {}", tally.kept, tally.discarded, tally.waited);
    for why in &tally.reasons {
        println!("  {why}");
    }
    demand(by_median <= 1.1, format!("first token {by_median:.2}x a plain chat (median), {by_mean:.2}x (mean)"));
    let percent = |count: u32| f64::from(count) / turns * 100.0;
    demand(percent(tally.discarded) <= 8.0, format!("discarded {:.1} %", percent(tally.discarded)));
    demand(percent(tally.replaced) <= 3.0, format!("visibly replaced {:.1} %", percent(tally.replaced)));
    demand(tally.re_asked == 0, format!("kept answers that ask for something settled: {}", tally.re_asked));
    demand(calls <= 2.1, format!("{calls:.2} calls a turn"));
    demand(tally.booked == sent as usize, format!("{} of {sent} calls booked", tally.booked));
    let mut shares = Vec::new();
    for id in ["project-discovery", "feature-prioritization", "business-profile"] {
        let (engine, person) = person(&catalogue, id);
        let (share, growth, breaks) = runtime.block_on(beginnings(&engine, &person));
        println!(
            "{id}: {:.0} % begin as before (turns 2-15), uncached at turn 50 {growth:.2}x turn 5, {breaks} breaks",
            share * 100.0
        );
        demand(growth <= 1.6, format!("{id}: uncached input at turn 50 is {growth:.2}x that at turn 5"));
        shares.push(share);
    }
    let share = shares.iter().sum::<f64>() / shares.len() as f64;
    demand(share >= 0.8, format!("{:.0} % of a request begin as the one before", share * 100.0));
    for id in catalogue.ids() {
        let engine = catalogue.load(&id).expect("it is in the binary").0.engine.expect("it has no errors");
        let slice = engine.slice(&WorkingMemory::new(engine.definition()), elenchus::engine::extraction::MAX_SLICE);
        let asked = tokens::estimate(&slice.schema.to_string()) + tokens::estimate(&slice.instructions);
        demand(asked < 1_200, format!("{id}: schema and instructions {asked} tokens"));
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
