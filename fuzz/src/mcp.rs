//! The whole server for agents, on a store of its own: whatever comes in line by line, what goes out is the protocol, and
//! it ends when the pipe does.

use std::fs;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use elenchus::host::{Connection, Host};
use elenchus::serve::mcp::serve;
use elenchus::settings::{Flags, Surroundings};
use elenchus::text::deceives;
use tempfile::TempDir;
use tokio::runtime::Runtime;

const GREETING: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"#,
    r#""clientInfo":{"name":"fuzz","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n"
);

/// A store is used for so many inputs, so that its lists stay short.
const INPUTS: u32 = 300;

/// Whoever calls knows the session by this.
const SESSION: &str = "SESSION";

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime"));

struct Place {
    host: Arc<Host>,
    session: String,
    _folder: TempDir,
}

static PLACE: Mutex<Option<Arc<Place>>> = Mutex::new(None);
static USED: AtomicU32 = AtomicU32::new(0);

fn place() -> Arc<Place> {
    let mut place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    if place.is_none() || USED.fetch_add(1, Ordering::Relaxed) >= INPUTS {
        *place = None;
        USED.store(0, Ordering::Relaxed);
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("config.toml"), "").expect("settings");
        let flags = Flags {
            config: Some(folder.path().join("config.toml")),
            data_dir: Some(PathBuf::from(folder.path())),
            ..Flags::default()
        };
        let variable = |_: &str| None;
        let keyring = |_: &str| Err("none".to_owned());
        let surroundings = Surroundings { variable: &variable, keyring: &keyring, program: None };
        let host = Arc::new(Host::open(&flags, &surroundings).expect("a store"));
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_interview","arguments":{"engine":"exploration"}}}"#;
        let begun = talk(&host, call.as_bytes());
        let id = begun.split("session_id\":\"").nth(1).and_then(|rest| rest.split('"').next());
        *place = Some(Arc::new(Place { session: id.expect("a session").to_owned(), host, _folder: folder }));
    }
    Arc::clone(place.as_ref().expect("it was made"))
}

/// Says all of it and hears what comes back.
fn talk(host: &Arc<Host>, lines: &[u8]) -> String {
    let heard = Arc::new(Mutex::new(String::new()));
    let ear = Arc::clone(&heard);
    let write = move |line: &str| {
        ear.lock().unwrap_or_else(PoisonError::into_inner).push_str(line);
        Ok(())
    };
    let said = [GREETING.as_bytes(), lines, b"\n"].concat();
    let served = RUNTIME.block_on(serve(Arc::clone(host), Connection::default(), Cursor::new(said), write));
    served.expect("what was said after the greeting does not end it");
    heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

pub fn try_input(bytes: &[u8]) {
    let place = place();
    // A path that leads to what is there would be read: that is what a user may do, and no fault.
    let said = String::from_utf8_lossy(bytes).replace(SESSION, &place.session);
    let said = if std::str::from_utf8(bytes).is_ok() { said.into_bytes() } else { bytes.to_vec() };
    let heard = talk(&place.host, &said);
    for line in heard.lines() {
        let message: serde_json::Value = serde_json::from_str(line).expect("every line is a message");
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        assert!(!line.chars().any(deceives), "{line}");
    }
}
