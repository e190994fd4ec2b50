//! The tools there are: their names, what they do, and what they take. An agent has nothing else to go by.

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::arguments::Arguments;
use crate::decode::nearest;
use crate::engine::turn::MAX_MESSAGE;
use crate::words::{asked_for, is_code};

/// The longest id, name, title or language; the longest words to search for.
const SHORT: usize = 400;
/// The longest path of an engine.
const PATH: usize = 4_096;
/// The most sessions, places or messages that are listed.
const MOST_LISTED: u64 = 50;

/// The name of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    ListEngines,
    StartInterview,
    Answer,
    TakeBack,
    GetBrief,
    ShowSession,
    ListSessions,
    SearchSessions,
}

/// A call that was understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Call {
    ListEngines,
    StartInterview { engine: String, project: Option<String>, title: Option<String>, language: Option<String> },
    Answer { session: String, message: String },
    TakeBack { session: String },
    GetBrief { session: String, format: BriefFormat },
    ShowSession { session: String, messages: usize },
    ListSessions { limit: usize },
    SearchSessions { words: String, limit: usize },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BriefFormat {
    Markdown,
    Json,
    Both,
}

impl Name {
    const ALL: [(Self, &'static str); 8] = [
        (Self::ListEngines, "list_engines"),
        (Self::StartInterview, "start_interview"),
        (Self::Answer, "answer"),
        (Self::TakeBack, "take_back"),
        (Self::GetBrief, "get_brief"),
        (Self::ShowSession, "show_session"),
        (Self::ListSessions, "list_sessions"),
        (Self::SearchSessions, "search_sessions"),
    ];

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(tool, _)| *tool)
    }

    /// Reads the arguments of a call.
    pub fn read(self, given: Map<String, Value>) -> Result<Call, String> {
        let mut given = Arguments::of(given);
        let call = match self {
            Self::ListEngines => Call::ListEngines,
            Self::StartInterview => Call::StartInterview {
                engine: given.text("engine", PATH)?,
                project: given.optional("project", SHORT)?,
                title: given.optional("title", SHORT)?,
                language: given.optional("language", SHORT)?.map(|code| language(&code)).transpose()?,
            },
            Self::Answer => {
                Call::Answer { session: given.text("session_id", SHORT)?, message: given.text("message", MAX_MESSAGE)? }
            }
            Self::TakeBack => Call::TakeBack { session: given.text("session_id", SHORT)? },
            Self::GetBrief => Call::GetBrief {
                session: given.text("session_id", SHORT)?,
                format: match given.choice("format", &["both", "markdown", "json"])? {
                    "markdown" => BriefFormat::Markdown,
                    "json" => BriefFormat::Json,
                    _ => BriefFormat::Both,
                },
            },
            Self::ShowSession => Call::ShowSession {
                session: given.text("session_id", SHORT)?,
                messages: given.count("messages", 2, MOST_LISTED)?,
            },
            Self::ListSessions => Call::ListSessions { limit: given.count("limit", 20, MOST_LISTED)? },
            Self::SearchSessions => Call::SearchSessions {
                words: given.text("words", SHORT)?,
                limit: given.count("limit", 20, MOST_LISTED)?,
            },
        };
        given.finish()?;
        Ok(call)
    }

    fn description(self) -> &'static str {
        match self {
            Self::ListEngines => {
                "List the kinds of interviews there are: for each its id, its name, what one leaves with, and about how \
                 many minutes it takes."
            }
            Self::StartInterview => {
                "Start an interview. Returns `session_id`, which all other tools take, and `opening`: what the \
                 interviewer says first, with the first question. Put it to the user and pass on their reply with \
                 `answer`."
            }
            Self::Answer => {
                "Say one message in an interview, in the user's own words; long texts such as notes or a mail are fine. \
                 Returns `reply` (what the interviewer says next), `noted` (what was understood: field, value, and \
                 `quote`, the words that prove it), `unsure` (heard, but not counted yet, and why), `open` (what is \
                 still missing, with the question for it), `phase`, and `completeness` in per cent with whether it is \
                 `ready`. Only what stands in the message is noted. If it fails or is cancelled, the session is as it \
                 was before."
            }
            Self::TakeBack => {
                "Take back the last message of an interview, with all that was noted from it. Can be repeated. Returns \
                 how the session stands then."
            }
            Self::GetBrief => {
                "Get the brief of an interview as it stands: in Markdown with numbered statements, and as data with \
                 `statements` (for each number: field, value, `quote`, the turn in which it was said, who said it) and \
                 `open` questions. Can be asked for at any time, also before everything is settled."
            }
            Self::ShowSession => {
                "Show how an interview stands: title, engine, phase, completeness, everything that is known with its \
                 quotes, what is open, a recap in three lines, and the last messages."
            }
            Self::ListSessions => {
                "List the interviews there are, the one used last first: id, title, engine, completeness."
            }
            Self::SearchSessions => {
                "Search everything that was ever said in interviews. Returns the places: session, turn, and the words \
                 around it."
            }
        }
    }

    fn properties(self) -> Value {
        let session = json!({
            "type": "string", "maxLength": SHORT,
            "description": "The session_id that start_interview or list_sessions gave; its beginning will do.",
        });
        let limit = json!({ "type": "integer", "minimum": 1, "maximum": MOST_LISTED, "default": 20, "description": "At most so many." });
        match self {
            Self::ListEngines => json!({}),
            Self::StartInterview => json!({
                "engine": { "type": "string", "maxLength": PATH, "description": "The id of an engine from list_engines, or the path of an engine's folder." },
                "project": { "type": "string", "maxLength": SHORT, "description": "A name under which interviews belong together; what earlier ones of it found is taken into account." },
                "title": { "type": "string", "maxLength": SHORT, "description": "A title; without one it follows from what is said." },
                "language": { "type": "string", "maxLength": SHORT, "description": "The language to hold it in, as a code such as en or de; without one it follows from what the user writes." },
            }),
            Self::Answer => json!({
                "session_id": session,
                "message": { "type": "string", "minLength": 1, "maxLength": MAX_MESSAGE, "description": "What the user says, word for word." },
            }),
            Self::TakeBack => json!({ "session_id": session }),
            Self::GetBrief => json!({
                "session_id": session,
                "format": { "type": "string", "enum": ["both", "markdown", "json"], "default": "both", "description": "markdown for people, json for the statements with their proofs." },
            }),
            Self::ShowSession => json!({
                "session_id": session,
                "messages": { "type": "integer", "minimum": 1, "maximum": MOST_LISTED, "default": 2, "description": "How many of the last messages to return." },
            }),
            Self::ListSessions => json!({ "limit": limit }),
            Self::SearchSessions => json!({
                "words": { "type": "string", "minLength": 1, "maxLength": SHORT, "description": "Words that all have to occur; in double quotes they have to stand together." },
                "limit": limit,
            }),
        }
    }

    fn required(self) -> &'static [&'static str] {
        match self {
            Self::ListEngines | Self::ListSessions => &[],
            Self::StartInterview => &["engine"],
            Self::Answer => &["session_id", "message"],
            Self::TakeBack | Self::GetBrief | Self::ShowSession => &["session_id"],
            Self::SearchSessions => &["words"],
        }
    }

    fn annotations(self) -> ToolAnnotations {
        let reads = !matches!(self, Self::StartInterview | Self::Answer | Self::TakeBack);
        // Where a model is configured an answer asks it, which is outside of this machine perhaps.
        let annotations = ToolAnnotations::new().read_only(reads).open_world(self == Self::Answer);
        // What is taken back is kept as an earlier course of the session.
        if reads { annotations } else { annotations.destructive(false).idempotent(false) }
    }
}

/// The code of a language.
fn language(given: &str) -> Result<String, String> {
    let code = asked_for(given);
    let no_code = || "`language` has to be a code such as en or de".to_owned();
    is_code(&code).then_some(code).ok_or_else(no_code)
}

/// All tools, as an agent is told of them.
pub(super) fn list() -> Vec<Tool> {
    let tool = |(tool, name): &(Name, &'static str)| {
        let schema = json!({
            "type": "object",
            "properties": tool.properties(),
            "required": tool.required(),
            "additionalProperties": false,
        });
        let schema = if let Value::Object(schema) = schema { schema } else { Map::new() };
        Tool::new(*name, tool.description(), schema).with_annotations(tool.annotations())
    };
    Name::ALL.iter().map(tool).collect()
}

/// What is said of a name that no tool has.
pub(super) fn unknown(name: &str) -> String {
    let names = Name::ALL.map(|(_, name)| name);
    let hint = nearest(name, &names).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let shown: String = name.chars().take(60).collect();
    format!("there is no tool `{shown}`{hint} There are: {}", names.join(", "))
}
