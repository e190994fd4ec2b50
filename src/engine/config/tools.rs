//! Tools: what the model may do besides writing, while it answers.

use crate::decode::{table, words};

table! {
    /// What the model may do besides writing, while it answers.
    Tools called "`tools`" {
        /// Tools that it may call, at most three times in an answer.
        optional r#use: Vec<Tool>,
    }
}

words! {
    /// A tool that the model may call while it answers.
    Tool called "a tool" {
        /// Looks for words in earlier sessions of the project, in what is known from them, and in its briefs and research.
        Search = "search",
    }
}
