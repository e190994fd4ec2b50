//! Reads a form that somebody has filled in. Who wrote it is not known: everything in it is bounded, and text only.

use std::borrow::Cow;

/// The most that a form may hold, in bytes.
pub(super) const MAX_FORM: u64 = 1 << 20;
/// The most questions of a form.
const MAX_ANSWERS: usize = 200;
/// The longest answer, in bytes.
const MAX_ANSWER: usize = 32 * 1024;
/// The longest name of a question.
const MAX_ID: usize = 100;

/// What somebody has filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// The session that the form says it is of.
    pub session: Option<String>,
    pub answers: Vec<FormAnswer>,
    /// Questions that were left empty.
    pub empty: usize,
}

/// An answer to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormAnswer {
    /// The question, by its name in the engine.
    pub question: String,
    pub text: String,
}

/// Why a form cannot be taken in.
#[derive(Debug, thiserror::Error)]
pub enum FormError {
    #[error("{path} cannot be read: {error}")]
    Unreadable { path: String, error: std::io::Error },
    #[error("there is no question of a form in it: export one, and keep its lines that begin with <!--")]
    NoForm,
    #[error("it has more than {MAX_ANSWERS} answers")]
    TooMany,
    #[error("the answer to `{question}` has {} KiB; at most {} KiB are taken in", size.div_ceil(1024), MAX_ANSWER / 1024)]
    TooLong { question: String, size: usize },
    #[error("`{0}` is answered twice in it")]
    Twice(String),
    #[error("it is a form of another session ({0})")]
    OtherSession(String),
    #[error("whose answers these are has to be said, in a name of at most 80 characters on one line")]
    NoSpeaker,
}

/// Reads a form, as Markdown or as a page.
pub fn read(text: &str) -> Result<Filled, FormError> {
    // An answer may hold the mark of the other kind: the first one in the file says which kind it is.
    let page = text.find(PAGE_MARK).unwrap_or(text.len());
    let markdown = text.find(HEAD).or_else(|| text.find(BEGIN)).unwrap_or(text.len());
    let found = if page < markdown { answers_of_page(text) } else { answers_of_markdown(text) };
    let mut filled = Filled { session: session_of(text), ..Filled::default() };
    let mut seen: Vec<&str> = Vec::new();
    for (question, answer) in &found {
        if seen.len() == MAX_ANSWERS {
            return Err(FormError::TooMany);
        }
        if seen.contains(question) {
            return Err(FormError::Twice((*question).to_owned()));
        }
        seen.push(question);
        let answer = answer.trim();
        if answer.len() > MAX_ANSWER {
            return Err(FormError::TooLong { question: (*question).to_owned(), size: answer.len() });
        }
        if answer.is_empty() {
            filled.empty += 1;
        } else {
            filled.answers.push(FormAnswer { question: (*question).to_owned(), text: answer.to_owned() });
        }
    }
    if found.is_empty() { Err(FormError::NoForm) } else { Ok(filled) }
}

const PAGE_MARK: &str = "data-answer-to=\"";
const HEAD: &str = "<!-- elenchus form, session ";
const BEGIN: &str = "<!-- answer to ";
const END: &str = "<!-- end of answer -->";

/// The session that the head of a form names.
fn session_of(text: &str) -> Option<String> {
    let after = |mark: &str| text.split_once(mark).map(|(_, rest)| rest);
    let rest = after(HEAD).or_else(|| after("name=\"elenchus-form\" content=\"session "))?;
    let id: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').take(MAX_ID).collect();
    Some(id).filter(|id| !id.is_empty())
}

/// A name of a question: the letters that names in engines have.
fn name(text: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!text.is_empty() && text.len() <= MAX_ID && text.chars().all(is_name)).then_some(text)
}

/// What stands between the marks. An answer whose end is missing ends where the next begins.
fn answers_of_markdown(text: &str) -> Vec<(&str, Cow<'_, str>)> {
    let parts = text.split(BEGIN).skip(1).take(MAX_ANSWERS + 1);
    let answers = parts.filter_map(|part| {
        let (id, rest) = part.split_once("-->")?;
        let answer = rest.split(END).next().unwrap_or(rest);
        // Where the end is missing, what follows is the heading of the next question.
        let answer = if rest.contains(END) { answer } else { answer.split("\n## ").next().unwrap_or(answer) };
        Some((name(id.trim())?, Cow::Borrowed(answer)))
    });
    answers.collect()
}

/// What was typed into the fields of a page, without its tags.
fn answers_of_page(text: &str) -> Vec<(&str, Cow<'_, str>)> {
    let parts = text.split(PAGE_MARK).skip(1).take(MAX_ANSWERS + 1);
    let answers = parts.filter_map(|part| {
        let (id, rest) = part.split_once('"')?;
        let (_, inside) = rest.split_once('>')?;
        Some((name(id)?, Cow::Owned(text_inside(inside))))
    });
    answers.collect()
}

/// The text up to the end of the field: tags are left out, some of them end a line.
fn text_inside(mut rest: &str) -> String {
    let mut out = String::new();
    let mut depth = 1;
    while let Some(open) = rest.find('<') {
        unescape(&rest[..open], &mut out);
        let Some(close) = rest[open..].find('>') else { return out };
        let tag = rest[open + 1..open + close].to_ascii_lowercase();
        rest = &rest[open + close + 1..];
        let kind = tag.trim_start_matches('/').split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let ends = tag.starts_with('/');
        match kind {
            "div" if ends => {
                depth -= 1;
                if depth == 0 {
                    return out;
                }
                end_line(&mut out);
            }
            "div" => {
                depth += 1;
                end_line(&mut out);
            }
            "br" | "p" | "li" | "tr" => end_line(&mut out),
            "script" | "style" if !ends => {
                rest = end_of_element(rest, kind).map_or("", |end| &rest[end..]);
            }
            _ => {}
        }
        if out.len() > MAX_ANSWER {
            return out;
        }
    }
    unescape(rest, &mut out);
    out
}

/// Where the end tag of an element begins. What is looked through is not looked through again.
fn end_of_element(rest: &str, kind: &str) -> Option<usize> {
    let is_end = |at: usize| {
        let name = rest[at..].strip_prefix("</").and_then(|tag| tag.get(..kind.len()));
        name.is_some_and(|name| name.eq_ignore_ascii_case(kind))
    };
    rest.match_indices('<').map(|(at, _)| at).find(|at| is_end(*at))
}

fn end_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// A text of a page as it reads.
fn unescape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.char_indices().take(12).find(|(_, c)| *c == ';').map(|(end, _)| end);
        let found = end.and_then(|end| Some((sign(&rest[1..end])?, end)));
        let (sign, length) = found.map_or(('&', 1), |(sign, end)| (sign, end + 1));
        out.push(sign);
        rest = &rest[length..];
    }
    out.push_str(rest);
}

fn sign(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => {
            let number = name.strip_prefix('#')?;
            let hex = number.strip_prefix(['x', 'X']);
            let code = hex.map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())?;
            char::from_u32(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_form_is_refused_in_words_and_costs_little() {
        let answer = |id: &str, text: &str| format!("{BEGIN}{id} -->\n{text}\n{END}\n");
        let told = |text: &str| read(text).unwrap_err().to_string();
        assert!(told("nothing at all").contains("no question"));
        assert!(told(&answer("../../etc", "x")).contains("no question"));
        let many: String = (0..=MAX_ANSWERS).map(|at| answer(&format!("q{at}"), "x")).collect();
        assert!(told(&many).contains("more than 200"));
        assert!(told(&answer("budget", &"x".repeat(MAX_ANSWER + 1))).contains("at most 32 KiB"));
        assert!(told(&(answer("budget", "1") + &answer("budget", "2"))).contains("twice"));
        let deep = format!("<div {PAGE_MARK}budget\">{}", "<div>".repeat(100_000));
        assert_eq!(read(&deep).unwrap().empty, 1);
        let open = format!("<div {PAGE_MARK}budget\">{}", "<script>".repeat(50_000));
        assert_eq!(read(&open).unwrap().empty, 1);
        let closed = format!("<div {PAGE_MARK}budget\">{}5</div>", "<script></script>".repeat(50_000));
        assert_eq!(read(&closed).unwrap().answers[0].text, "5");
        let signs = format!("<div {PAGE_MARK}budget\">&&#x110000;&#55555555555;&lt;b&gt;</div>");
        assert_eq!(read(&signs).unwrap().answers[0].text, "&&#x110000;&#55555555555;<b>");
    }

    #[test]
    fn an_element_ends_at_its_own_end_tag_however_it_is_written() {
        assert_eq!(end_of_element("x</p></STYLE >y", "style"), Some(5));
        assert_eq!(end_of_element("x<style</sty", "style"), None);
        assert_eq!(end_of_element("é</scripté", "script"), Some(2));
    }

    #[test]
    fn an_answer_that_speaks_of_the_other_kind_of_form_stays_an_answer() {
        let text = format!("{HEAD}0192-abc -->\n{BEGIN}a -->\nUse <i {PAGE_MARK}a\"> there\n{END}\n");
        assert_eq!(read(&text).unwrap().answers[0].text, format!("Use <i {PAGE_MARK}a\"> there"));
        let page = format!("<p {PAGE_MARK}a\">Write {HEAD}x --&gt; there</p>");
        assert_eq!(read(&page).unwrap().answers.len(), 1);
    }

    #[test]
    fn an_answer_whose_end_was_lost_ends_before_the_next_question() {
        let text = format!("{BEGIN}a -->\none\n\n## 2. Next?\n\n{BEGIN}b -->\ntwo\n{END}\n");
        let answers: Vec<String> = read(&text).unwrap().answers.into_iter().map(|answer| answer.text).collect();
        assert_eq!(answers, ["one", "two"]);
    }
}
