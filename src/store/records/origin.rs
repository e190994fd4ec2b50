//! Where an artifact comes from: what its `meta` holds, written and read here alone.

use serde::Deserialize;
use serde_json::Value;

use super::work::Artifact;

/// Where an artifact comes from. What is not known is left out.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ArtifactOrigin {
    /// Who says so, for people: the engine of a brief, what research rests on.
    pub source: Option<String>,
    /// The turn that it was made after, or that its task was ordered in.
    pub turn: Option<u32>,
    /// The engine of the session, where it is a brief.
    pub engine: Option<String>,
    /// The task, where it is the result of one.
    pub task: Option<String>,
    /// That result.
    pub result: Option<Value>,
}

impl ArtifactOrigin {
    /// As it is kept.
    pub fn meta(self) -> Value {
        let Self { source, turn, engine, task, result } = self;
        let words = [("source", source), ("engine", engine), ("task", task)];
        let words = words.into_iter().filter_map(|(key, word)| Some((key.to_owned(), Value::from(word?))));
        let turn = turn.map(|turn| ("turn".to_owned(), Value::from(turn)));
        let result = result.map(|result| ("result".to_owned(), result));
        Value::Object(words.chain(turn).chain(result).collect())
    }
}

impl Artifact {
    /// Where it comes from; nothing is known where its `meta` is none of ours.
    pub fn origin(&self) -> ArtifactOrigin {
        ArtifactOrigin::deserialize(&self.meta).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_is_not_known_is_left_out() {
        let brief = ArtifactOrigin { source: Some("Ideas".into()), turn: Some(3), ..ArtifactOrigin::default() };
        let meta = brief.clone().meta();
        assert_eq!(meta, serde_json::json!({ "source": "Ideas", "turn": 3 }));
        assert_eq!(ArtifactOrigin::deserialize(&meta).unwrap(), brief);
        let result = ArtifactOrigin { task: Some("scan".into()), result: Some([1, 2].into()), ..brief };
        assert_eq!(ArtifactOrigin::deserialize(&result.clone().meta()).unwrap(), result);
    }
}
