//! What an engine listens by: cues that can be read, that no two fields share, and questions without faults.

use std::collections::HashMap;

use crate::decode::{Problems, Spanned};
use crate::engine::config::definition::Definition;
use crate::engine::config::fields::{Field, Kind, Sayings};
use crate::engine::config::load::Library;
use crate::engine::reading::{cue_fault, question_faults};

pub fn check(definition: &Definition, library: &Library, problems: &mut Problems) {
    let mut seen: HashMap<&str, &Field> = HashMap::new();
    for field in definition.fields.iter() {
        for cue in cues(field) {
            if let Some(fault) = cue_fault(cue).filter(|_| !cue.is_empty()) {
                problems.error("bad-pattern", cue.span.clone(), fault);
            }
        }
        options(field, problems);
        for cue in field.cues.iter().filter(|cue| !cue.is_empty()) {
            match seen.get(cue.as_str()) {
                Some(other) if other.path != field.path => {
                    let message = format!("`{}` has the cue “{}” too", other.path, cue.value);
                    problems
                        .warning("shared-cue", cue.span.clone(), message)
                        .help("a cue that several fields share points to none of them; say it more precisely");
                }
                _ => {
                    seen.insert(cue.as_str(), field);
                }
            }
        }
    }
    let own = library.lexicons.iter().find(|lexicon| lexicon.id() == definition.language());
    let paths = definition.fields.iter().map(|field| field.path.as_str()).collect();
    for obligation in definition.obligations.iter() {
        for fault in own.map(|lexicon| question_faults(lexicon, &obligation.question)).unwrap_or_default() {
            problems.warning("bad-question", obligation.at.of("question"), fault);
        }
        for (language, question) in &obligation.question_in {
            let lexicon = library.lexicons.iter().find(|lexicon| lexicon.id() == language);
            for fault in lexicon.map(|lexicon| question_faults(lexicon, &question.value)).unwrap_or_default() {
                problems.warning("bad-question", question.span.clone(), fault);
            }
        }
        for shown in &obligation.shows {
            super::refers(shown, "field", &paths, problems);
        }
    }
}

/// All cues of a field, in every language.
fn cues(field: &Field) -> impl Iterator<Item = &Spanned<String>> {
    let shape = &field.shape;
    let plain = field.cues.iter().chain(field.cues_in.values().flat_map(|cues| cues.value.iter()));
    let unlike = field.unlike.iter().chain(field.unlike_in.values().flat_map(|phrases| phrases.value.iter()));
    let plain = plain.chain(unlike);
    let own = shape.option_cues.values().flat_map(|cues| cues.value.iter());
    let others = shape.option_cues_in.values().flat_map(|by_option| by_option.value.values());
    plain.chain(own).chain(others.flat_map(|cues| cues.value.iter()))
}

/// Cues for values that the field cannot have.
fn options(field: &Field, problems: &mut Problems) {
    let shape = &field.shape;
    let flags = ["true".to_owned(), "false".to_owned()];
    let allowed: &[String] = match shape.r#type {
        Kind::Enum => &shape.options,
        Kind::Boolean => &flags,
        _ => &[],
    };
    let others = shape.option_cues_in.values().flat_map(|by_option| by_option.value.iter());
    for (option, cues) in shape.option_cues.iter().chain(others) {
        if !allowed.contains(option) {
            problems
                .error("bad-reference", cues.span.clone(), format!("`{option}` is no value of `{}`", field.path))
                .suggest(option, allowed.iter().map(String::as_str));
        }
    }
}

/// Examples belong to fields that there are.
pub fn check_sayings(definition: &Definition, sayings: &Sayings, problems: &mut Problems) {
    let known = || definition.fields.iter().map(|field| field.path.as_str());
    let others = sayings.says_in.values().flat_map(|lines| lines.value.iter());
    for (path, lines) in sayings.says.iter().chain(others) {
        if !known().any(|known| known == path) {
            problems
                .error("bad-reference", lines.span.clone(), format!("there is no field `{path}`"))
                .suggest(path, known());
        }
    }
}
