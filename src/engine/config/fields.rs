//! Surface 12, the extraction schema: the fields that the conversation fills.

use std::ops::Deref;

use super::expression::Expr;
use crate::decode::{Entries, Fraction, Id, Named, Places, Spanned, table, words};

words! {
    /// What kind of value a field holds.
    Kind called "a field type" {
        /// Text.
        String = "string",
        /// A number.
        Number = "number",
        /// Yes or no.
        Boolean = "boolean",
        /// One of `options`.
        Enum = "enum",
        /// Several values, each as `items` says.
        Array = "array",
        /// A record with `properties`.
        Object = "object",
    }
}

impl Kind {
    /// The word as a sentence needs it.
    pub(crate) fn with_article(self) -> String {
        match self {
            Self::Enum | Self::Array | Self::Object => format!("an {self}"),
            Self::String | Self::Number | Self::Boolean => format!("a {self}"),
        }
    }
}

words! {
    /// What kind of quantity a value is about.
    Measure called "a measure" {
        /// An amount of money.
        Money = "money",
        /// A day or a period.
        Date = "date",
        /// A length of time.
        Duration = "duration",
        /// A share.
        Percent = "percent",
        /// How many.
        Count = "count",
    }
}

table! {
    /// The shape of a value.
    Shape called "a shape" {
        /// Its kind.
        required r#type: Kind,
        /// For an enum: the values it can take.
        optional options: Vec<String>,
        /// What people read instead of those in other languages, by language and value.
        optional options_in: Named<Entries<String>>,
        /// For an array: the shape of an element.
        optional items: Option<Box<Part>>,
        /// For an object: the shape of each part.
        optional properties: Named<Part>,
        /// For an enum or a boolean: phrases that mean one of its values, by value.
        optional option_cues: Entries<Vec<Spanned<String>>>,
        /// The same in other languages, by language.
        optional option_cues_in: Named<Entries<Vec<Spanned<String>>>>,
        /// For a text or a number: what kind of quantity it is about.
        optional measure: Option<Measure>,
        /// For a number: what it counts, such as `days`, as people read it after the number.
        optional unit: Option<String>,
        /// The same in other languages, by language.
        optional unit_in: Named<String>,
        /// For a number: the least that is believed.
        optional min: Option<f64>,
        /// For a number: the most that is believed.
        optional max: Option<f64>,
        /// For a number, or a text about a date: answers that are offered to be chosen, said as they stand.
        optional quick: Vec<String>,
        /// The same in other languages, by language.
        optional quick_in: Named<Vec<String>>,
        places at: Places,
    }
}

table! {
    /// A part of a value: a property of a record, or an element of a list.
    Part called "a shape" {
        /// What people read instead of its key.
        optional name: Option<String>,
        /// The same in other languages, by language.
        optional name_in: Named<String>,
        flatten shape: Shape,
    }
}

impl Deref for Part {
    type Target = Shape;
    fn deref(&self) -> &Shape {
        &self.shape
    }
}

words! {
    /// What happens when a field that has a value gets another.
    Merge called "a way to merge" {
        /// The new value takes the place of the old.
        Replace = "replace",
        /// Elements that are new are added.
        Union = "union",
        /// Elements are added, or updated where `key` is the same.
        Upsert = "upsert",
    }
}

table! {
    /// What people say of each field, asked or unasked. A message is brought to the field whose lines it is most like.
    Sayings called "the examples" {
        /// Lines by the path of their field.
        optional says: Entries<Vec<String>>,
        /// The same in other languages, by language.
        optional says_in: Named<Entries<Vec<String>>>,
    }
}

table! {
    /// One thing to be learned, with proof.
    Field called "a field" {
        /// Where it lives, such as `purpose.core_problem`.
        required path: Id,
        /// What people read.
        required name: String,
        /// The same in other languages, by language; without it, the name of the obligation that only this field settles.
        optional name_in: Named<String>,
        /// What it is in a question about what was said, "Is that …?": `what goes wrong today`.
        optional asked_as: Option<String>,
        /// The same in other languages, by language.
        optional asked_as_in: Named<String>,
        /// What exactly belongs here, for the model.
        required description: String,
        flatten shape: Shape,
        /// Phrases that mean this field when nobody asked for it.
        optional cues: Vec<Spanned<String>>,
        /// The same in other languages, by language.
        optional cues_in: Named<Vec<Spanned<String>>>,
        /// Phrases that are no answer to a question for it, though they sound like one: `^i am a {word}`.
        optional unlike: Vec<Spanned<String>>,
        /// The same in other languages, by language.
        optional unlike_in: Named<Vec<Spanned<String>>>,
        /// Whether the result is worth little without it.
        optional required: bool,
        /// The confidence from which a value is accepted.
        optional confidence_threshold: Fraction = Fraction(0.70),
        /// What happens when another value comes.
        optional merge: Merge,
        /// For `upsert`: the property that tells elements apart.
        optional key: Option<Id>,
        /// For a list: the field of what is left out of it. "Not the chat" is no element here, but one there.
        optional left_out: Option<Id>,
        /// Fields whose change puts this one in doubt.
        optional depends_on: Vec<Id>,
        /// Whether it may be concluded without being said in so many words.
        optional inferable: bool,
        /// For a yes or no: whether it is the user's yes to everything that is noted, which the review asks for too.
        optional confirmation: bool,
        /// What an earlier session has found out about it already: an expression over `handoff`.
        optional from_handoff: Option<Expr>,
        places at: Places,
    }
}
