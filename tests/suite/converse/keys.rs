//! A key is in no file, no output and no child process, wherever an endpoint echoes it.

use std::path::Path;

use serde_json::json;

use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};
use crate::support::program::{Program, Ran, session_of};

/// A key with everything in it that is written differently inside JSON, addresses and base64.
const KEY: &str = "sk-Test/Key+0123456789=AbCdEf";

/// Forms of the key that a search of every byte must not find, in lower case.
fn forms() -> Vec<String> {
    let percent = KEY.replace('/', "%2F").replace('+', "%2B").replace('=', "%3D");
    let escaped = KEY.replace('/', "\\/");
    let hex = KEY.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    // The key in base64, after no byte, one byte and two bytes, without the characters that depend on its neighbours.
    let base64 = [
        "c2stVGVzdC9LZXkrMDEyMzQ1Njc4OT1BYkNkRW",
        "NrLVRlc3QvS2V5KzAxMjM0NTY3ODk9QWJDZEVm",
        "zay1UZXN0L0tleSswMTIzNDU2Nzg5PUFiQ2RFZ",
    ];
    let mut forms = vec![KEY.to_owned(), percent, escaped, hex];
    forms.extend(base64.map(ToOwned::to_owned));
    // Half of it is too much as well.
    forms.push(KEY[..14].to_owned());
    forms.push(KEY[14..].to_owned());
    forms.iter().map(|form| form.to_ascii_lowercase()).collect()
}

fn shows_key(bytes: &[u8]) -> Option<String> {
    let lower = bytes.to_ascii_lowercase();
    forms().into_iter().find(|form| lower.windows(form.len()).any(|window| window == form.as_bytes()))
}

/// Every file below a folder that shows the key.
fn files_with_key(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if let Some(form) = std::fs::read(&path).ok().and_then(|bytes| shows_key(&bytes)) {
                found.push(format!("{form} in {}", path.display()));
            }
        }
    }
    found
}

/// An endpoint that echoes its key in each way there is, turn by turn.
fn echoes() -> Vec<Answer> {
    let encoded = "c2stVGVzdC9LZXkrMDEyMzQ1Njc4OT1BYkNkRWY=";
    let analysis = |value: &str| {
        json!({
            "fields": [{ "path": "purpose_and_problem.summary", "value": value, "confidence": 0.9,
                "quote": "a booking app for our clinic", "reasoning": format!("The header said {KEY}.") }],
            "signals": { "trust": 0.5, "rapport": 0.5, "friction": 0.0, "techniques_used": [KEY], "intents": [KEY] },
        })
        .to_string()
    };
    let pieces: String = KEY.chars().map(|c| openai::delta(&c.to_string())).collect();
    let named =
        openai::event(&json!({ "model": format!("m-{KEY}"), "choices": [{ "delta": { "content": "I see. " } }] }));
    let thought: String =
        KEY.as_bytes().chunks(5).map(|piece| openai::reasoning(std::str::from_utf8(piece).unwrap())).collect();
    let answer = format!(
        "{named}{thought}{}{pieces}{}{}{}{}",
        openai::delta("Your key is "),
        openai::delta(&format!(", or {encoded}. What made it a project now?")),
        openai::finish("stop"),
        openai::usage(),
        openai::DONE
    );
    vec![
        Answer::stream(openai::saying(&analysis(&format!("a booking app for our clinic, by {KEY}"))))
            .header("x-echo", KEY),
        Answer::stream(answer).header("set-cookie", KEY),
        // The next turn: a gateway that puts the key into its error page, and then into its title.
        Answer::error(400, "bad_request", &format!("Authorization: Bearer {KEY} ({encoded})"))
            .header("www-authenticate", KEY),
    ]
}

async fn run(program: &Program, arguments: &[&str], input: &str) -> Ran {
    let mut command = program.command(arguments);
    command.env("THE_KEY", format!("{KEY} \n")).env("THE_TOKEN", KEY).env("ELENCHUS_LOG", "trace");
    let input = input.to_owned();
    let task = tokio::task::spawn_blocking(move || {
        use std::io::Write as _;
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Ran::of(child.wait_with_output().unwrap())
    });
    task.await.expect("it runs")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_in_no_file_and_no_output_whatever_the_endpoint_echoes() {
    let fake = FakeEndpoint::conversing(echoes()).await;
    let port = fake.port();
    let program = Program::new().settings(&format!(
        "[profiles.fake]\nendpoint = \"http://127.0.0.1:{port}/v1\"\nmodel = \"test-model\"\nattempts = 1\n\
         key_env = \"THE_KEY\"\nheaders = {{ X-Auth = \"$THE_TOKEN\" }}\n"
    ));
    let mut outputs = Vec::new();
    let said = "We need a booking app for our clinic.\nReception is always on the phone.\n";
    let ran = run(&program, &["converse", "--engine", "project-discovery"], said).await;
    assert_eq!(fake.asked()[0].headers["authorization"], format!("Bearer {KEY}"), "the key is what is echoed");
    assert!(!ran.lines().is_empty(), "no turn: {}", ran.words);
    let turn = &ran.lines()[0];
    assert_eq!(turn["response"], json!("I see. Your key is [key], or [key]Y=. What made it a project now?"));
    let id = session_of(turn);
    assert!(ran.words.contains("400"), "the second turn failed: {}", ran.words);
    outputs.push(("converse", ran));
    for arguments in [
        vec!["sessions", "list", "--json"],
        vec!["sessions", "show", &id],
        vec!["sessions", "show", &id, "--json"],
        vec!["sessions", "search", "clinic"],
        vec!["sessions", "verify"],
        vec!["sessions", "export", &id, "--format", "json"],
        vec!["sessions", "export", &id, "--format", "transcript"],
        vec!["sessions", "export", &id],
        vec!["sessions", "export", &id, "--format", "scenario"],
        vec!["render", &id],
        vec!["doctor"],
        vec!["doctor", "--json"],
    ] {
        let ran = run(&program, &arguments, "").await;
        outputs.push((arguments[1.min(arguments.len() - 1)], ran));
    }
    for (what, ran) in &outputs {
        assert_eq!(shows_key(ran.data.as_bytes()), None, "{what}: {}", ran.data);
        assert_eq!(shows_key(ran.words.as_bytes()), None, "{what}: {}", ran.words);
    }
    assert!(std::fs::exists(program.data().join("log")).unwrap(), "there is a log to look through");
    assert_eq!(files_with_key(program.folder()), Vec::<String>::new());
}
