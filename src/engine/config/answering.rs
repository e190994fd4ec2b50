//! How people answer a question, beside the point of their answer.

use crate::decode::{Spanned, table};

table! {
    /// How people answer a question, beside the point of their answer: what they say back, what they call it, how a mail
    /// begins and ends.
    Answering called "`answering`" {
        /// Words that point to what was just said. Where only the name of what was asked follows, or nothing, that was the
        /// answer: `that was [the]`.
        optional points_back: Vec<Spanned<String>>,
        /// Words for how it is now. What they say is no aim: `at the moment`.
        optional present: Vec<Spanned<String>>,
        /// What names a sum without a figure: `as cheap as possible`.
        optional sums: Vec<Spanned<String>>,
        /// What names a time without a date: `as soon as possible`.
        optional times: Vec<Spanned<String>>,
        /// What somebody says of the effort of the element before it: `ben reckons 2 days`.
        optional estimates: Vec<Spanned<String>>,
        /// Words between the elements of an order: `then`.
        optional then: Vec<Spanned<String>>,
        /// Where something goes in an order. `{new}` is what is moved, `{old}` what it is told apart from.
        optional moves: Moves,
        /// What means all of a list that stands with the question: `all of them`.
        optional all: Vec<Spanned<String>>,
        /// What takes back the few words before it, because they were not meant: `just kidding`.
        optional jokes: Vec<Spanned<String>>,
        /// Words with a colon behind them with which the head of a mail is written: `subject`.
        optional mail_heads: Vec<String>,
        /// How a mail greets its reader: `dear {word}`.
        optional mail_greetings: Vec<Spanned<String>>,
        /// How a mail ends, before the name of its writer: `kind regards`.
        optional mail_ends: Vec<Spanned<String>>,
    }
}

table! {
    /// Where something goes in an order: in each form `{new}` is what is moved and `{old}` what it is told apart from.
    Moves called "`moves`" {
        /// One place up: `move {new} up`.
        optional up: Vec<String>,
        /// One place down: `{new} further down`.
        optional down: Vec<String>,
        /// To the top: `{new} first`.
        optional first: Vec<String>,
        /// To the end: `{new} last`.
        optional last: Vec<String>,
        /// Right before something else: `{new} before {old}`.
        optional before: Vec<String>,
        /// Right after it: `{new} after {old}`.
        optional after: Vec<String>,
    }
}
