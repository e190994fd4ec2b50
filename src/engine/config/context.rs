//! Surface 6, context configuration: what of the conversation the model gets to see.

use crate::decode::{Fraction, Places, Spanned, table, words};

table! {
    /// How the context window is shared out.
    Context called "`context`" {
        /// Everything together, answer included; a million at most.
        optional max_tokens: Spanned<u32> = Spanned { value: 16_000, span: 0..0 },
        /// Kept free for the answer; 32,000 at most.
        optional output_reserve: u32 = 1_200,
        /// Shares of what the fixed sections leave, summing to 1.
        optional allocation: Spanned<Allocation>,
        /// In which order the parts stand.
        optional order: ContextOrder,
        /// What happens when the history outgrows its share.
        optional compression_strategy: CompressionStrategy,
        /// Turns that are never compressed.
        optional keep_recent_turns: u32 = 6,
        /// Limits of the sections that have no share.
        optional caps: Caps,
        places at: Places,
    }
}

table! {
    /// Shares of the context, summing to 1.
    Allocation called "`allocation`" {
        /// What is settled and what is open.
        optional obligations: Fraction = Fraction(0.40),
        /// What was said.
        optional conversation_history: Fraction = Fraction(0.30),
        /// What background tasks and the project brought.
        optional background_intelligence: Fraction = Fraction(0.20),
        /// What is known, field by field.
        optional extraction_summary: Fraction = Fraction(0.10),
    }
}

words! {
    /// In which order the parts of a context stand.
    ContextOrder called "an order of the context" {
        /// What never changes first, then the conversation with its notes as they were sent, then a note for this answer.
        Append = "append",
        /// As in the source document: instructions before the history, what is known after it.
        Document = "document",
    }
}

words! {
    /// What happens when the history outgrows its share.
    CompressionStrategy called "a compression strategy" {
        /// Old turns are summarised by the model.
        SummarizeOld = "summarize_old",
        /// Old turns are left out.
        SlidingWindow = "sliding_window",
        /// Old turns are reduced to what was learned from them.
        Extractive = "extractive",
    }
}

table! {
    /// Limits in tokens of the sections that have no share.
    Caps called "`caps`" {
        /// What an earlier engine handed over.
        optional handoff: u32 = 1_500,
        /// Phase instructions, agenda and techniques.
        optional phase: u32 = 1_500,
        /// The user's message.
        optional user_message: u32 = 4_000,
    }
}
