//! What an engine reads with: each language's lexicon, and the engine's cues in it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::clauses::Material;
use super::cues::{Cues, Score};
use super::detect;
use super::lexicon::Lexicon;
use super::pattern::{Manner, Pattern};
use super::patterns::Patterns;
use super::topics::Topics;
use crate::engine::config::{Definition, Field, Sayings, Shape};
use crate::engine::memory::WorkingMemory;

/// Below this share a field is not worth a mention.
const FAINT: f64 = 0.05;

/// What an engine reads with.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    tongues: Vec<Tongue>,
    sayings: Arc<Sayings>,
}

/// A language as an engine knows it.
#[derive(Clone, Debug)]
pub(super) struct Tongue {
    pub lexicon: Arc<Lexicon>,
    pub cues: Cues,
    /// What is no answer to a question for a field, by its path.
    unlike: HashMap<String, Patterns>,
    /// What people say of fields, by the place of the field.
    lines: Vec<(usize, String)>,
    /// What the lines and the cues teach; learned when the first message is read.
    topics: OnceLock<Topics>,
}

impl Tongue {
    fn new(definition: &Definition, lexicon: &Arc<Lexicon>, sayings: &Sayings) -> Self {
        let own = lexicon.id() == definition.language();
        let said = if own { Some(&sayings.says) } else { sayings.says_in.get(lexicon.id()).map(|said| &said.value) };
        let mut lines = Vec::new();
        for (at, field) in definition.fields.iter().enumerate() {
            let of_field = said.and_then(|said| said.get(field.path.as_str()));
            lines.extend(of_field.into_iter().flat_map(|said| said.value.iter().map(|line| (at, line.clone()))));
        }
        let cues = Cues::compile(definition, lexicon, own);
        let unlike = definition.fields.iter().filter_map(|field| {
            let other = || field.unlike_in.get(lexicon.id()).map(|phrases| &phrases.value);
            let phrases = if own { Some(&field.unlike) } else { other() };
            // What is wrong with a pattern has been told when the engine was checked.
            let parsed =
                phrases?.iter().filter_map(|phrase| Pattern::parse(phrase, Manner::Exact, &str::to_owned).ok());
            let patterns: Vec<Pattern> = parsed.collect();
            (!patterns.is_empty()).then(|| (field.path.to_string(), patterns.into()))
        });
        let unlike = unlike.collect();
        Self { lexicon: Arc::clone(lexicon), cues, unlike, lines, topics: OnceLock::new() }
    }

    /// Whether some words are known to be no answer to a question for a field.
    pub fn is_unlike(&self, path: &str, material: &Material<'_, '_>, tokens: &Range<usize>) -> bool {
        self.unlike.get(path).is_some_and(|phrases| material.has(phrases, tokens))
    }

    /// What some tokens have to do with each field, by cues and by what they sound like, the most first. `around`: what
    /// their sentence sounds like, where it has more to it.
    pub fn score(&self, material: &Material<'_, '_>, tokens: &Range<usize>, around: Option<&[f64]>) -> Vec<Score> {
        let mut scores = self.cues.score(material, tokens);
        for (field, like) in self.topics().about(material, tokens, around).into_iter().enumerate() {
            if let Some(score) = scores.iter_mut().find(|score| score.field == field) {
                score.like = like;
            } else if like >= FAINT {
                scores.push(Score { field, score: 0.0, like, cues: Vec::new(), option: None, figure: None });
            }
        }
        scores.sort_by(|a, b| b.rank().total_cmp(&a.rank()));
        scores
    }

    /// The field that a text is about, where its cues clearly lead to one.
    fn field_of(&self, text: &str) -> Option<String> {
        let text = self.lexicon.text(text);
        let quantities = super::quantity::Quantities::find(&text, &self.lexicon);
        let material = Material { text: &text, lexicon: &self.lexicon, quantities: &quantities };
        let scores = self.cues.score(&material, &(0..text.tokens.len()));
        let best = scores.first().filter(|best| best.score >= super::settle::LEAVE_LATER.0)?;
        let second = scores.get(1).map_or(0.0, |score| score.score);
        (best.score >= second + super::settle::LEAVE_LATER.1).then(|| self.cues.path(best.field).to_owned())
    }

    /// What fields are talked about like.
    pub fn topics(&self) -> &Topics {
        self.topics.get_or_init(|| {
            let cues: Vec<(usize, String)> = self.cues.sources().collect();
            Topics::learn(&self.lexicon, self.cues.fields(), &self.lines, &cues)
        })
    }
}

impl Reader {
    /// The engine's own language comes first.
    pub(in crate::engine) fn new(definition: &Definition, lexicons: &[Arc<Lexicon>], sayings: &Arc<Sayings>) -> Self {
        let own = definition.language();
        let mut tongues: Vec<Tongue> =
            lexicons.iter().map(|lexicon| Tongue::new(definition, lexicon, sayings)).collect();
        tongues.sort_by_key(|tongue| tongue.lexicon.id() != own);
        Self { tongues, sayings: Arc::clone(sayings) }
    }

    /// Learns what is learned from examples now, and not when the first message is read.
    pub fn prepare(&self) {
        if let Some(tongue) = self.tongues.first() {
            tongue.topics();
            tongue.lexicon.likeness();
        }
    }

    /// The examples it was made with.
    pub(in crate::engine) fn sayings(&self) -> &Arc<Sayings> {
        &self.sayings
    }

    /// The languages it was made with.
    pub(in crate::engine) fn lexicons(&self) -> Vec<Arc<Lexicon>> {
        self.tongues.iter().map(|tongue| Arc::clone(&tongue.lexicon)).collect()
    }

    /// The lexicon of a language; the engine's own where there is none.
    pub fn lexicon(&self, language: Option<&str>) -> Option<&Lexicon> {
        let named = language.and_then(|id| self.tongues.iter().find(|tongue| tongue.lexicon.id() == id));
        named.or(self.tongues.first()).map(|tongue| tongue.lexicon.as_ref())
    }

    /// The languages it knows.
    pub fn languages(&self) -> impl Iterator<Item = &str> {
        self.tongues.iter().map(|tongue| tongue.lexicon.id())
    }

    /// The language that a message is read in: the one that was chosen, the one it is written in, or the session's.
    pub(super) fn tongue_for(&self, memory: &WorkingMemory, message: &str) -> Option<&Tongue> {
        let by_id = |id: &str| self.tongues.iter().find(|tongue| tongue.lexicon.id() == id);
        let session = memory.language.current.as_deref().and_then(by_id).or(self.tongues.first());
        if memory.language.chosen {
            return session;
        }
        let lexicons: Vec<&Lexicon> = self.tongues.iter().map(|tongue| tongue.lexicon.as_ref()).collect();
        detect::of_message(&lexicons, session.map(|tongue| tongue.lexicon.as_ref()), message)
            .and_then(by_id)
            .or(session)
    }

    /// Whether some words state a figure, in whatever unit of time, as a field of that shape counts it.
    pub(crate) fn states(&self, shape: &Shape, words: &str, figure: f64) -> bool {
        self.tongues.iter().any(|tongue| {
            let said = super::values::figures(shape, words, &tongue.lexicon);
            said.iter().any(|said| (said - figure).abs() <= 0.006 * figure.abs().max(1.0))
        })
    }

    /// Whether some words mean another choice of a field than this one.
    pub(crate) fn means_another(&self, field: &Field, option: &str, words: &str) -> bool {
        self.tongues.iter().any(|tongue| {
            let found = tongue.cues.options_in(&tongue.lexicon, &field.path, words);
            !found.is_empty() && !found.iter().any(|found| found == option)
        })
    }

    /// Whether some words mean this choice of a field.
    pub(crate) fn means(&self, field: &Field, option: &str, words: &str) -> bool {
        let found = |tongue: &Tongue| tongue.cues.options_in(&tongue.lexicon, &field.path, words);
        self.tongues.iter().any(|tongue| found(tongue).iter().any(|found| found == option))
    }

    /// Whether some words have one of a field's cues.
    pub(crate) fn has_cue(&self, field: &Field, words: &str) -> bool {
        self.tongues.iter().any(|tongue| tongue.cues.has_cue(&tongue.lexicon, &field.path, words))
    }

    /// The field that a text is about, where its cues clearly lead to one, in whichever language it is.
    pub(crate) fn field_of(&self, text: &str) -> Option<String> {
        self.tongues.iter().find_map(|tongue| tongue.field_of(text))
    }

    /// The language that a message is surely written in: by its letters where it is long enough, else by its small words.
    pub(crate) fn detected(&self, message: &str) -> Option<String> {
        let lexicons: Vec<&Lexicon> = self.tongues.iter().map(|tongue| tongue.lexicon.as_ref()).collect();
        detect::for_sure(&lexicons, message).or_else(|| detect::of_few_words(&lexicons, message))
    }
}
