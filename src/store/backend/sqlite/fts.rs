//! Queries in the syntax of FTS5.

use crate::store::query::Wanted;

/// Every term must occur; the last word may be the beginning of one where the reader of the text says so.
pub(super) fn all(wanted: &Wanted) -> String {
    let begun = if wanted.last_may_be_begun { "*" } else { "" };
    format!("{}{begun}", quoted(wanted).join(" AND "))
}

/// Any term will do.
pub(super) fn any(wanted: &Wanted) -> String {
    quoted(wanted).join(" OR ")
}

/// Each term is quoted, so that nothing in it is syntax. There is no quote in a term: it is what separates terms.
fn quoted(wanted: &Wanted) -> Vec<String> {
    wanted.terms.iter().map(|term| format!("\"{term}\"")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_of(text: &str) -> Option<String> {
        Wanted::read(text).map(|wanted| all(&wanted))
    }

    #[test]
    fn words_are_quoted_and_the_last_one_is_a_prefix() {
        assert_eq!(all_of("clinic intake").as_deref(), Some("\"clinic\" AND \"intake\"*"));
        assert_eq!(all_of("clinic intake ").as_deref(), Some("\"clinic\" AND \"intake\""));
        let any = Wanted::read("clinic intake").map(|wanted| any(&wanted));
        assert_eq!(any.as_deref(), Some("\"clinic\" OR \"intake\""));
    }

    #[test]
    fn quoted_text_is_one_term_and_an_open_quote_reaches_to_the_end() {
        assert_eq!(all_of("\"to be\" or").as_deref(), Some("\"to be\" AND \"or\"*"));
        assert_eq!(all_of("x \"to be").as_deref(), Some("\"x\" AND \"to be\"*"));
    }

    #[test]
    fn what_has_no_words_is_no_query() {
        assert_eq!(all_of(" \"\" ( * - \0 ^"), None);
    }
}
