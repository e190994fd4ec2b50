//! Surface 3, the obligations: what the conversation has to bring out.

use super::expression::Expr;
use crate::decode::{Id, Named, Places, Spanned, table, words};

table! {
    /// A group of obligations.
    Category called "a category" {
        /// Name by which obligations, phases and sections refer to it.
        required id: Id,
        /// What people read.
        required name: String,
    }
}

table! {
    /// Something the conversation has to find out, settle or confirm.
    Obligation called "an obligation" {
        /// Name by which checkpoints, tasks and expressions refer to it.
        required id: Id,
        /// The category it belongs to.
        required category: Id,
        /// A few words for the checklist.
        required name: String,
        /// The same in other languages, by language.
        optional name_in: Named<String>,
        /// What exactly is wanted, for the model.
        required description: String,
        /// How to ask for it plainly.
        required question: String,
        /// The same in other languages, by language.
        optional question_in: Named<String>,
        /// What is meant, said to the user who asks.
        optional meaning: Option<String>,
        /// The same in other languages, by language.
        optional meaning_in: Named<String>,
        /// Why it is asked, said to the user who asks.
        optional why: Option<String>,
        /// The same in other languages, by language.
        optional why_in: Named<String>,
        /// An example of an answer, from another trade.
        optional example: Option<String>,
        /// The same in other languages, by language.
        optional example_in: Named<String>,
        /// Whether an answer is followed up.
        optional probe: Probe,
        /// What a follow-up asks for, in this order.
        optional probe_for: Vec<ProbeFor>,
        /// Whether a question of the user's can be the answer.
        optional takes_questions: bool,
        /// Whether what the user will do is the answer: "I'll ask two suppliers".
        optional takes_plans: bool,
        /// Fields whose values are shown above the question.
        optional shows: Vec<Id>,
        /// Whether the result is worth little without it.
        optional required: bool = true,
        /// How much it matters among its like when the agenda is ranked.
        optional weight: Spanned<f64> = Spanned { value: 1.0, span: 0..0 },
        /// Fields that satisfy it once all of them are known.
        optional satisfied_by: Vec<Id>,
        /// Instead of fields: an expression that satisfies it while true.
        optional when: Option<Expr>,
        /// An expression: while it is true there is no need to ask any more, answered or not.
        optional unless: Option<Expr>,
        /// Obligations that come first.
        optional after: Vec<Id>,
        /// What may have been said elsewhere that does not go with it, and how to ask then.
        optional doubts: Vec<Doubt>,
        places at: Places,
    }
}

table! {
    /// Something that does not go with what was said on an obligation.
    Doubt called "a doubt" {
        /// An expression that is true while the two do not go together.
        required when: Expr,
        /// How to ask which of them is right.
        required question: String,
        /// The same in other languages, by language.
        optional question_in: Named<String>,
        places at: Places,
    }
}

words! {
    /// Whether an answer is followed up.
    Probe called "a way to follow up" {
        /// Never.
        None = "none",
        /// Where it says little.
        IfVague = "if_vague",
        /// Once, whatever it says.
        Once = "once",
        /// Until everything asked for is there.
        Rounds = "rounds",
    }
}

words! {
    /// What a follow-up asks for.
    ProbeFor called "something to follow up for" {
        /// Why it is so.
        Reason = "reason",
        /// When it last happened.
        Instance = "instance",
        /// How much it is.
        Number = "number",
    }
}

table! {
    /// How the agenda of a turn is drawn up.
    Agenda called "`agenda`" {
        /// At most this many questions a turn.
        optional max_questions: u32 = 2,
        places at: Places,
    }
}

words! {
    /// The status of an obligation.
    StatusWord called "a status" {
        /// Nothing is known.
        Pending = "pending",
        /// Something is known.
        Partial = "partial",
        /// All is known.
        Satisfied = "satisfied",
        /// The user does not know or would not say.
        Deferred = "deferred",
    }
}
