//! Three lines for somebody who comes back to a session: what is settled, what is open, what comes next.

use serde::{Deserialize, Serialize};

use super::Engine;
use super::config::Obligation;
use super::memory::{Status, WorkingMemory};
use super::obligations::{agenda, is_confirmation};
use super::open_points::{in_language, open_points};
use super::reading::Lexicon;
use super::tokens;
use super::values::shaped_text;
use super::wording;

/// How many points a line names; the others are counted.
const NAMED: usize = 3;
/// The most tokens of a value.
const VALUE: u32 = 6;

/// The three lines, in the language of the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recap {
    pub settled: String,
    pub open: String,
    pub next: String,
}

impl Recap {
    /// How a session stands; none as long as nothing was said in it.
    pub fn of(engine: &Engine, memory: &WorkingMemory) -> Option<Self> {
        if memory.turn == 0 {
            return None;
        }
        let words = Words { lexicon: engine.reader().lexicon(memory.language.current.as_deref())? };
        let open: Vec<String> = {
            let mut points = open_points(engine.definition(), memory);
            points.retain(|point| !point.confirmation);
            points.sort_by_key(|point| !point.required);
            points.into_iter().map(|point| point.name).collect()
        };
        Some(Self {
            settled: words.line("recap_settled", "recap_settled_nothing", &settled(engine, memory))?,
            open: words.line("recap_open", "recap_open_nothing", &open)?,
            next: match next_question(engine, memory, words.lexicon.id()) {
                Some(question) => words.say("recap_next")?.replace("{question}", &question),
                None => words.say("recap_next_nothing")?,
            },
        })
    }

    /// The lines one below the other.
    pub fn lines(&self) -> [&str; 3] {
        [&self.settled, &self.open, &self.next]
    }
}

struct Words<'e> {
    lexicon: &'e Lexicon,
}

impl Words<'_> {
    fn say(&self, occasion: &str) -> Option<String> {
        self.lexicon.reply(occasion, 0).map(ToOwned::to_owned)
    }

    /// A line that lists points, or says that there are none.
    fn line(&self, some: &str, none: &str, points: &[String]) -> Option<String> {
        if points.is_empty() {
            return self.say(none);
        }
        let mut list = points.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
        if let Some(more) = points.len().checked_sub(NAMED).filter(|more| *more > 0) {
            list.push_str(&self.say("recap_more")?.replace("{count}", &more.to_string()));
        }
        Some(self.say(some)?.replace("{list}", &list))
    }
}

/// What is settled with its value, what was settled last first.
fn settled(engine: &Engine, memory: &WorkingMemory) -> Vec<String> {
    let definition = engine.definition();
    let done = |o: &&Obligation| memory.obligations.status(&o.id) == Status::Satisfied;
    let own = definition.obligations.iter().filter(done).filter(|o| !is_confirmation(definition, o));
    let mut points: Vec<(u32, String)> = own
        .map(|obligation| {
            let known = engine.fields_of(&obligation.id).iter().filter_map(|path| memory.extraction.get(path));
            let turn = known.map(|field| field.last_updated_at_turn).max().unwrap_or(0);
            let name = in_language(memory.language.current.as_deref(), &obligation.name, &obligation.name_in);
            let value = value(engine, memory, obligation).map(|value| format!(" ({value})")).unwrap_or_default();
            (turn, format!("{name}{value}"))
        })
        .collect();
    points.sort_by_key(|(turn, _)| std::cmp::Reverse(*turn));
    points.into_iter().map(|(_, point)| point).collect()
}

/// The value that settles an obligation, in a few words.
fn value(engine: &Engine, memory: &WorkingMemory, obligation: &Obligation) -> Option<String> {
    let path = engine.fields_of(&obligation.id).iter().find(|path| memory.extraction.is_known(path))?;
    let value = memory.extraction.value(path).filter(|value| !value.is_boolean())?;
    let text = shaped_text(value, &engine.field(path)?.shape).split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = tokens::cut(&text, VALUE).trim_end_matches(['.', ',', ';', ' ']);
    Some(if cut.len() + 1 < text.trim_end().len() { format!("{cut} …") } else { cut.to_owned() })
}

/// The question that was put last, as long as it is open; else the one that would come next.
fn next_question(engine: &Engine, memory: &WorkingMemory, language: &str) -> Option<String> {
    let open = |id: &str| !matches!(memory.obligations.status(id), Status::Satisfied | Status::Deferred);
    let asked = memory.asked.iter().find(|asked| open(&asked.obligation));
    if let Some(obligation) = asked.and_then(|asked| engine.obligation(&asked.obligation)) {
        return Some(in_language(Some(language), &obligation.question, &obligation.question_in));
    }
    agenda(engine, memory).first().map(|item| wording::question(engine, memory, language, item))
}
