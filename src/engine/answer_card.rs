//! What can be chosen in answer to the question that was put last: data for every front end. It follows from the
//! obligations and fields alone, so that no front end has to find out for itself what was asked.

use serde::{Deserialize, Serialize};

use super::Engine;
use super::config::{Field, Kind, Measure, Shape};
use super::memory::{Asked, Status, WorkingMemory};
use super::outline::field_name;
use super::wording::{asked_as, option_word};
use crate::words;

/// Answers to choose from. Each is said as it stands, like a message that was typed; any other words will do as well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerCard {
    /// The obligation that was asked for; of several that are confirmed together, the first.
    pub obligation: String,
    /// The field that an answer is filed under; none where several things are confirmed together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What people call that.
    pub about: String,
    pub kind: CardKind,
    /// What can be said, in the language of the session. A date or a number may have none.
    pub choices: Vec<String>,
    /// What the number counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The least and the most that is believed of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The words that put the question off.
    pub skip: String,
}

/// What kind of answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardKind {
    /// One of the options of a field.
    Choice,
    YesNo,
    /// Whether what was said is meant.
    Confirmation,
    Date,
    Number,
}

impl AnswerCard {
    fn of(obligation: &str, about: String, kind: CardKind, memory: &WorkingMemory) -> Self {
        let words = words::spoken(memory.language.current.as_deref());
        Self {
            obligation: obligation.to_owned(),
            field: None,
            about,
            kind,
            choices: Vec::new(),
            unit: None,
            min: None,
            max: None,
            skip: words.turns.skip().to_owned(),
        }
    }
}

/// The card of the question that was put last; none where any words may be the answer, and where it is not sure what was
/// asked.
pub fn answer_card(engine: &Engine, memory: &WorkingMemory) -> Option<AnswerCard> {
    let first = memory.asked.first().filter(|_| memory.asked.iter().all(|asked| asked.sure))?;
    match &memory.asked[..] {
        [asked] if asked.to_confirm.is_empty() => to_choose(engine, memory, asked),
        [asked] => is_doubted(memory, asked).then(|| confirmation(engine, memory, first)),
        all => {
            // What was shown together has one answer; of several questions no choice would say which is meant.
            let together = all.iter().all(|asked| asked.together && is_doubted(memory, asked));
            together.then(|| confirmation(engine, memory, first))
        }
    }
}

/// Whether what was offered is still to be confirmed.
fn is_doubted(memory: &WorkingMemory, asked: &Asked) -> bool {
    let doubted = |path: &String| memory.extraction.get(path).is_some_and(|field| field.doubted().is_some());
    !asked.to_confirm.is_empty() && asked.to_confirm.iter().all(doubted)
}

fn confirmation(engine: &Engine, memory: &WorkingMemory, asked: &Asked) -> AnswerCard {
    let path = match (&memory.asked[..], &asked.to_confirm[..]) {
        ([_], [path]) => Some(path.clone()),
        _ => None,
    };
    let field = path.as_deref().and_then(|path| engine.field(path));
    let about = field.map_or_else(String::new, |field| name(engine, memory, field));
    let card = AnswerCard::of(&asked.obligation, about, CardKind::Confirmation, memory);
    AnswerCard { field: path, choices: yes_and_no(memory), ..card }
}

fn yes_and_no(memory: &WorkingMemory) -> Vec<String> {
    let says = &words::spoken(memory.language.current.as_deref()).review;
    vec![says.yes().to_owned(), says.no().to_owned()]
}

/// What people call a field in the language of the session.
fn name(engine: &Engine, memory: &WorkingMemory, field: &Field) -> String {
    field_name(engine.definition(), field, memory.language.current.as_deref())
}

/// The card of a question for a field whose answers are of a closed kind.
fn to_choose(engine: &Engine, memory: &WorkingMemory, asked: &Asked) -> Option<AnswerCard> {
    if asked.follows_up || !is_open(memory, &asked.obligation) {
        return None;
    }
    let path = asked_field(engine, memory, &asked.obligation)?;
    let field = engine.field(path)?;
    let language = memory.language.current.as_deref().unwrap_or(engine.definition().language());
    let shape = &field.shape;
    let (kind, choices) = match shape.r#type {
        Kind::Enum => {
            let said = shape.options.iter().map(|option| option_word(shape, language, option));
            (CardKind::Choice, said.collect())
        }
        Kind::Boolean => (CardKind::YesNo, yes_and_no(memory)),
        Kind::Number => (CardKind::Number, quick(engine, shape, language)),
        Kind::String if shape.measure == Some(Measure::Date) => (CardKind::Date, quick(engine, shape, language)),
        Kind::String | Kind::Array | Kind::Object => return None,
    };
    let is_number = kind == CardKind::Number;
    let own_unit = || shape.unit.clone();
    let unit = shape.unit_in.get(language).map(|unit| unit.value.clone()).or_else(own_unit);
    Some(AnswerCard {
        field: Some(path.to_owned()),
        choices,
        unit: unit.filter(|_| is_number),
        min: shape.min.filter(|_| is_number),
        max: shape.max.filter(|_| is_number),
        ..AnswerCard::of(&asked.obligation, name(engine, memory, field), kind, memory)
    })
}

/// Whether an answer is still wanted: what was settled or set aside by hand since is not asked any more.
fn is_open(memory: &WorkingMemory, obligation: &str) -> bool {
    memory.obligations.get(obligation).is_some_and(|state| match state.status {
        Status::Pending | Status::Partial => true,
        // What was left open is offered once more at the end.
        Status::Deferred => state.reviewed && state.last_asked == Some(memory.turn),
        Status::Satisfied => false,
    })
}

/// The field that the question of an obligation is about: the first of which nothing is known. Where a part is known
/// already, the question asks for the next only if there are words for that.
fn asked_field<'e>(engine: &'e Engine, memory: &WorkingMemory, obligation: &str) -> Option<&'e str> {
    let fields = engine.fields_of(obligation);
    let open = fields.iter().find(|path| !memory.extraction.is_known(path))?;
    let some_known = fields.iter().any(|path| memory.extraction.is_known(path));
    let language = memory.language.current.as_deref().unwrap_or(engine.definition().language());
    (!some_known || asked_as(engine, language, open).is_some()).then_some(open.as_str())
}

/// What the engine offers to be said quickly, in the language of the session or not at all.
fn quick(engine: &Engine, shape: &Shape, language: &str) -> Vec<String> {
    let own = language == engine.definition().language();
    let other = shape.quick_in.get(language).map(|words| words.value.clone());
    other.or_else(|| own.then(|| shape.quick.clone())).unwrap_or_default()
}
