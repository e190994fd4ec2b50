//! What the command of a key prints, and what it complains of: a key or a reason, and no key in the reason.

use std::io::Write as _;
use std::sync::LazyLock;
use std::time::Duration;

use elenchus::llm::{ChatMessage, ChatRequest, Client, Endpoint, Key, Provider};
use elenchus::text::is_safe;
use tempfile::NamedTempFile;
use tokio::runtime::Runtime;

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime"));

fn file(content: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a file");
    file.write_all(content).expect("written");
    file
}

/// The first byte is the end of the command; what follows a line of three equals signs is what it complains of.
pub fn try_input(bytes: &[u8]) {
    let Some((end, text)) = bytes.split_first() else { return };
    let mark = b"\n===\n";
    let at = text.windows(mark.len()).position(|window| window == mark);
    let (printed, said) = at.map_or((text, &[][..]), |at| (&text[..at], &text[at + mark.len()..]));
    let (printed_file, said_file) = (file(printed), file(said));
    let script = format!(
        "cat '{}'; cat '{}' >&2; exit {}",
        printed_file.path().display(),
        said_file.path().display(),
        u8::from(end % 4 == 0)
    );
    let command = ["/bin/sh", "-c", &script].map(str::to_owned).to_vec();
    // Nobody listens there: the key is fetched, put into a request, and leaves in none.
    let mut endpoint = Endpoint::new("fuzz", Provider::OpenAi, "http://127.0.0.1:9/v1", "m").expect("valid");
    endpoint.key = Some(Key::printed_by(command));
    endpoint.retry.attempts = 1;
    endpoint.timeouts.connect = Duration::from_secs(1);
    let client = Client::new(endpoint).expect("usable");
    let request = ChatRequest { messages: vec![ChatMessage::user("Hello?")], ..ChatRequest::default() };
    let why = RUNTIME.block_on(client.chat(&request, &mut |_| {})).expect_err("nobody answers");
    let told = format!("{why} {why:?}");
    assert!(is_safe(&why.to_string()), "{why}");
    let key = String::from_utf8_lossy(printed);
    let key = key.trim();
    // What is short may stand in the words of any reason, and what it complained of itself is shown cleaned.
    let own = String::from_utf8_lossy(said).contains(key) || script.contains(key);
    assert!(key.len() < 12 || own || !told.contains(key), "the key shows: {told}");
}
