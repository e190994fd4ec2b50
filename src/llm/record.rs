//! Records exchanges with an endpoint and replays them byte for byte.
//!
//! A recording is a text file with a JSON object per line and exchange: the request's exact body, the answer's status,
//! its chunks exactly as they arrived, and how it ended. Headers that carry keys are never written, and a key that turns
//! up in a body is masked at its length, so that chunks keep their bounds.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};

use super::adapter;
use super::endpoint::{Endpoint, Provider};
use super::error::ChatError;
use super::scrub::{self, Scrubber};
use super::transport::{Body, Incoming, Lost, Outgoing};
use crate::files::{plain, private};

/// The only headers of an answer that are kept: those that change how it is read.
const KEPT_HEADERS: [&str; 3] = ["content-type", "retry-after", "retry-after-ms"];

/// One exchange, as it stands in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Exchange {
    method: String,
    /// Path and query; the host is left out, because a replay may stand in for any.
    path: String,
    body: Chunk,
    status: u16,
    headers: Vec<(String, String)>,
    chunks: Vec<Chunk>,
    /// Whether the answer came to its end, or broke off or was cancelled.
    complete: bool,
}

/// Bytes: text where they are text, which keeps recordings readable, hexadecimal where a chunk cuts a character.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Chunk {
    Text(String),
    Hex(String),
}

impl Chunk {
    fn new(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Hex(hexadecimal(bytes)),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Hex(digits) => {
                let pairs = digits.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
                pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
            }
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Writes exchanges to a file as they end.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    file: Mutex<File>,
    problem: Mutex<Option<String>>,
}

impl Recorder {
    /// Opens a file for recording; what it holds already is kept.
    pub fn create(path: &Path) -> io::Result<Self> {
        // A recording holds a conversation, which is nobody else's business.
        let file = private::only_owner(OpenOptions::new().create(true).append(true)).open(path)?;
        Ok(Self { path: path.to_owned(), file: Mutex::new(file), problem: Mutex::new(None) })
    }

    /// Why an exchange could not be written, if one could not. A conversation does not fail for want of a recording.
    pub fn problem(&self) -> Option<String> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn write(&self, exchange: &Exchange) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let line = serde_json::to_string(exchange).map_err(io::Error::other);
        let outcome = line.and_then(|line| file.write_all(format!("{line}\n").as_bytes()));
        if let Err(error) = outcome {
            let words = format!("The recording {} could not be written: {error}.", self.path.display());
            *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(words);
        }
    }
}

/// An exchange being recorded; written when it is dropped, so that cancelled ones are kept too.
pub(super) struct Tape {
    recorder: Arc<Recorder>,
    scrubber: Scrubber,
    exchange: Exchange,
    received: Vec<u8>,
    bounds: Vec<usize>,
}

impl Tape {
    pub fn begin(recorder: Arc<Recorder>, endpoint: &Endpoint, outgoing: &Outgoing) -> Self {
        let scrubber = Scrubber::of(endpoint);
        let body = scrubber.mask(&outgoing.body);
        let exchange = Exchange {
            method: outgoing.method.to_string(),
            path: path(outgoing),
            body: Chunk::new(&body),
            status: 0,
            headers: Vec::new(),
            chunks: Vec::new(),
            complete: false,
        };
        Self { recorder, scrubber, exchange, received: Vec::new(), bounds: Vec::new() }
    }

    pub fn answered(&mut self, status: u16, headers: &HeaderMap) {
        self.exchange.status = status;
        let kept = KEPT_HEADERS.iter().filter_map(|name| Some((*name, headers.get(*name)?.to_str().ok()?)));
        self.exchange.headers = kept.map(|(name, value)| (name.to_owned(), self.scrubber.clean(value))).collect();
    }

    pub fn push(&mut self, chunk: &[u8]) {
        self.received.extend_from_slice(chunk);
        self.bounds.push(self.received.len());
    }

    pub fn complete(&mut self) {
        self.exchange.complete = true;
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        // A request that no endpoint answered has nothing to replay.
        if self.exchange.status == 0 {
            return;
        }
        let received = self.scrubber.mask(&self.received);
        let starts = std::iter::once(0).chain(self.bounds.iter().copied());
        let pieces = starts.zip(&self.bounds).map(|(start, end)| Chunk::new(&received[start..*end]));
        self.exchange.chunks = pieces.collect();
        self.recorder.write(&self.exchange);
    }
}

fn path(outgoing: &Outgoing) -> String {
    let shown = scrub::address(&outgoing.url);
    let start = shown.find("://").map_or(0, |at| at + 3);
    shown[start..].find('/').map_or_else(String::new, |at| shown[start + at..].to_owned())
}

/// Why a recording could not be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file could not be read.
    #[error("The recording {path} could not be read: {source}.")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// A line is not an exchange.
    #[error("Line {line} of the recording {path} is not an exchange: {source}.")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
}

/// Recorded exchanges, answered in the order they were recorded.
#[derive(Debug)]
pub struct Recordings {
    exchanges: Vec<Exchange>,
    /// How often each has been played.
    played: Mutex<Vec<u32>>,
}

impl Recordings {
    /// Reads a recording.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let text = plain::text(path, plain::DOCUMENT)
            .map_err(|source| RecordingError::Unreadable { path: path.to_owned(), source })?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let exchanges = lines
            .map(|(at, line)| {
                serde_json::from_str(line).map_err(|source| RecordingError::Malformed {
                    path: path.to_owned(),
                    line: at + 1,
                    source,
                })
            })
            .collect::<Result<Vec<Exchange>, _>>()?;
        let played = Mutex::new(vec![0; exchanges.len()]);
        Ok(Self { exchanges, played })
    }

    /// Whether a file is a recording, or empty: whatever else stands there is not to be written over.
    pub fn is_one(path: &Path) -> bool {
        Self::open(path).is_ok()
    }

    /// An endpoint that asks as the one did that was recorded: same protocol, path and model. `None` where there is no
    /// exchange, or where several models were asked.
    pub fn endpoint(&self) -> Option<Endpoint> {
        let asked = self.exchanges.iter().filter_map(|exchange| {
            let body: serde_json::Value = serde_json::from_slice(&exchange.body.bytes()).ok()?;
            Some((exchange.path.as_str(), body.get("model")?.as_str()?.to_owned()))
        });
        let mut asked = asked.collect::<Vec<_>>().into_iter();
        let (path, model) = asked.next()?;
        let alone = asked.all(|(other, name)| (other, &name) == (path, &model));
        let bare = path.split('?').next().unwrap_or(path);
        let provider = *Provider::ALL.iter().find(|one| bare.ends_with(adapter::of(**one).chat_path))?;
        // Nobody is asked there; only the path counts.
        let address = format!("https://recording.invalid{path}");
        Endpoint::new("recording", provider, &address, &model).ok().filter(|_| alone)
    }

    /// Plays the answer to a request: the least played recording of it, so that repetitions come in order.
    pub(super) fn play(&self, endpoint: &Endpoint, outgoing: &Outgoing) -> Result<Incoming, ChatError> {
        let (path, method) = (path(outgoing), outgoing.method.as_str());
        let asked = Scrubber::of(endpoint).mask(&outgoing.body);
        let mut played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        let fits =
            |exchange: &Exchange| exchange.method == method && exchange.path == path && exchange.body.bytes() == asked;
        let found = (0..self.exchanges.len()).filter(|at| fits(&self.exchanges[*at])).min_by_key(|at| played[*at]);
        let Some(found) = found else {
            return Err(ChatError::NotRecorded { nearest: self.nearest(&asked) });
        };
        played[found] += 1;
        let exchange = &self.exchanges[found];
        let headers = exchange.headers.iter().filter_map(|(name, value)| {
            Some((HeaderName::from_bytes(name.as_bytes()).ok()?, HeaderValue::from_str(value).ok()?))
        });
        let chunks = exchange.chunks.iter().map(|chunk| Bytes::from(chunk.bytes())).collect();
        let body = Body::Replayed(Playback { chunks, complete: exchange.complete });
        Ok(Incoming { status: exchange.status, headers: headers.collect(), body })
    }

    /// Describes the recording most like `asked` and where the two part.
    fn nearest(&self, asked: &[u8]) -> String {
        let likeness = |exchange: &Exchange| alike(&exchange.body.bytes(), asked);
        let best = self.exchanges.iter().enumerate().max_by(|(_, a), (_, b)| likeness(a).total_cmp(&likeness(b)));
        let Some((at, exchange)) = best else { return "There are no recordings at all.".to_owned() };
        let recorded = exchange.body.bytes();
        let parting = common_start(&recorded, asked);
        format!(
            "The nearest is number {} ({:.0} % alike); it has `{}` where the request has `{}` (byte {parting}).",
            at + 1,
            likeness(exchange) * 100.0,
            excerpt(&recorded, parting),
            excerpt(asked, parting),
        )
    }
}

fn common_start(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// The share of bytes two bodies have in common at both ends; requests of one conversation differ in the middle.
fn alike(a: &[u8], b: &[u8]) -> f64 {
    let start = common_start(a, b);
    let end = a[start..].iter().rev().zip(b[start..].iter().rev()).take_while(|(x, y)| x == y).count();
    (start + end) as f64 / a.len().max(b.len()).max(1) as f64
}

fn excerpt(bytes: &[u8], at: usize) -> String {
    let window = &bytes[at.saturating_sub(20)..bytes.len().min(at + 40)];
    String::from_utf8_lossy(window).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A recorded body on its way.
#[derive(Debug)]
pub(super) struct Playback {
    chunks: VecDeque<Bytes>,
    complete: bool,
}

impl Playback {
    pub fn next_chunk(&mut self) -> Result<Option<Bytes>, Lost> {
        match self.chunks.pop_front() {
            Some(chunk) => Ok(Some(chunk)),
            None if self.complete => Ok(None),
            None => Err(Lost),
        }
    }
}
