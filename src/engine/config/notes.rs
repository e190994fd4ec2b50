//! What people put around what they mean, and a note leaves out.

use crate::decode::{Spanned, table};

table! {
    /// What is left out where a value is noted; its quote keeps it.
    Notes called "`notes`" {
        /// What introduces a value, whatever it is of: `the problem is that`.
        optional openings: Vec<Spanned<String>>,
        /// What introduces the elements of a list: `it should`.
        optional of_lists: Vec<Spanned<String>>,
        /// What says how sure somebody is: `probably`. Before a figure it is kept.
        optional hedges: Vec<Spanned<String>>,
        /// What stands between the name of something and what it is: `is that`.
        optional copulas: Vec<Spanned<String>>,
        /// Words before a figure that belong to it: `about`.
        optional qualifiers: Vec<String>,
    }
}
