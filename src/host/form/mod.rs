//! Open questions as a form for somebody else: written as Markdown or HTML, answered, and taken in again.

mod import;
mod read;

pub use read::{Filled, FormAnswer, FormError, read};

use std::fmt::Write as _;
use std::path::Path;

use super::export::{self, Format};
use super::protocol::Endpoint;
use super::{HostError, Session, title};
use crate::engine::open_points::open_points;
use crate::engine::reading::Lexicon;

/// What the form looks like in a browser and on paper.
const STYLE: &str = include_str!("form.css");

/// A question of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Question {
    id: String,
    text: String,
    why: Option<String>,
}

/// The open questions of a session, for somebody else to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    session: String,
    title: String,
    language: String,
    words: Words,
    questions: Vec<Question>,
}

/// What the form says besides the questions, in the language of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Words {
    heading: String,
    intro: String,
    /// What has to stay of a text that is filled in.
    marks: String,
    nothing: String,
    why: String,
    answer: String,
    /// Who reads along, and what is kept.
    kept: String,
}

impl Words {
    fn of(lexicon: Option<&Lexicon>, endpoint: &Endpoint) -> Self {
        let say = |occasion: &str, plain: &str| {
            lexicon.and_then(|lexicon| lexicon.reply(occasion, 0)).unwrap_or(plain).to_owned()
        };
        let kept = if endpoint.host.is_empty() {
            say("form_kept", "No model reads your answers. They are kept on the computer of whoever sent you this.")
        } else {
            say(
                "form_kept_and_read",
                "The model {model} at {host} reads your answers. They are kept on the computer of whoever sent you this.",
            )
        };
        Self {
            heading: say("form_heading", "Questions on “{title}”"),
            intro: say("form_intro", "Please write below each question. Leave empty what you do not know."),
            marks: say("form_marks", "The lines that begin with `<!--` have to stay."),
            nothing: say("form_nothing", "Nothing is open."),
            why: say("form_why", "Why it matters: {why}"),
            answer: say("form_answer", "Answer to question {number}"),
            kept: kept.replace("{model}", &endpoint.label).replace("{host}", &endpoint.host),
        }
    }
}

impl Session {
    /// Its open questions as a form. Sensitive values are taken out of what was said.
    pub fn form(&self) -> Form {
        let points = open_points(self.engine.definition(), &self.memory).into_iter();
        let questions = points.filter(|point| !point.confirmation).map(|point| Question {
            id: point.id,
            text: export::taken_away(&point.question, false),
            why: point.why.map(|why| export::taken_away(&why, false)),
        });
        let language = self.memory.language.current.as_deref();
        let lexicon = self.engine.reader().lexicon(language);
        Form {
            session: self.record.id.to_string(),
            title: export::taken_away(&title::for_file(&self.record.title), false),
            language: lexicon.map_or("en", Lexicon::id).to_owned(),
            words: Words::of(lexicon, &self.backend.endpoint()),
            questions: questions.collect(),
        }
    }
}

impl Form {
    /// How many questions it has.
    pub fn len(&self) -> usize {
        self.questions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    /// It as the ending of a file says.
    pub fn written(&self, file: &Path) -> Result<String, HostError> {
        match Format::of(file) {
            Ok(Format::Markdown) => Ok(self.markdown()),
            Ok(Format::Html) => Ok(self.html()),
            Ok(Format::Docx | Format::Json) | Err(_) => Err(HostError::FormEnding),
        }
    }

    /// It as a text that can be filled in with any editor. The lines that begin with `<!--` are how the answers are found
    /// again.
    pub fn markdown(&self) -> String {
        let mut out = format!("<!-- elenchus form, session {} -->\n# {}\n\n", self.session, self.heading());
        let marks = if self.is_empty() { "" } else { &self.words.marks };
        let _ = writeln!(out, "{}", format!("{} {marks}", self.intro()).trim_end());
        if !self.is_empty() {
            let _ = writeln!(out, "\n{}", unmarked(&self.words.kept));
        }
        for (number, question) in (1..).zip(&self.questions) {
            let _ = write!(out, "\n## {number}. {}\n\n", unmarked(&question.text));
            if let Some(why) = &question.why {
                let _ = write!(out, "*{}*\n\n", self.words.why.replace("{why}", &unmarked(why)));
            }
            let _ = writeln!(out, "<!-- answer to {} -->\n\n\n<!-- end of answer -->", question.id);
        }
        out
    }

    /// It as one page: answers are typed into it, and it is saved or printed. No script, nothing from elsewhere.
    pub fn html(&self) -> String {
        let escaped = export::escaped;
        let mut body = format!("<h1>{}</h1>\n<p>{}</p>\n", escaped(&self.heading()), escaped(self.intro()));
        if !self.is_empty() {
            let _ = writeln!(body, "<p>{}</p>", escaped(&self.words.kept));
        }
        body.push_str("<ol>\n");
        for (number, question) in (1..).zip(&self.questions) {
            let _ = writeln!(body, "<li>\n<h2>{}</h2>", escaped(&question.text));
            if let Some(why) = &question.why {
                let _ = writeln!(body, "<p class=\"why\">{}</p>", escaped(&self.words.why.replace("{why}", why)));
            }
            let label = self.words.answer.replace("{number}", &number.to_string());
            let _ = writeln!(
                body,
                "<div class=\"answer\" contenteditable=\"true\" role=\"textbox\" aria-multiline=\"true\" \
                 aria-label=\"{}\" data-answer-to=\"{}\"></div>\n</li>",
                escaped(&label),
                escaped(&question.id)
            );
        }
        body.push_str("</ol>\n");
        format!(
            "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"elenchus-form\" content=\"session {}\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n\
             <body>\n<main>\n{body}</main>\n</body>\n</html>\n",
            escaped(&self.language),
            escaped(&self.session),
            escaped(&self.heading()),
        )
    }

    fn heading(&self) -> String {
        self.words.heading.replace("{title}", &unmarked(&self.title))
    }

    fn intro(&self) -> &str {
        if self.questions.is_empty() { &self.words.nothing } else { &self.words.intro }
    }
}

/// A text on one line, without the mark that answers are found by: only the form itself says where one stands.
fn unmarked(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("<!--", "<! --")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> Form {
        let question = |id: &str, text: &str| Question { id: id.to_owned(), text: text.to_owned(), why: None };
        Form {
            session: "0192-abc".to_owned(),
            title: "Clinic <b>".to_owned(),
            language: "en".to_owned(),
            words: Words::of(None, &Endpoint::default()),
            questions: vec![
                question("budget", "How much may it cost?"),
                Question { why: Some("It decides\nwhat is built.".to_owned()), ..question("deadline", "By when?") },
            ],
        }
    }

    #[test]
    fn a_form_that_nobody_has_filled_in_brings_nothing() {
        for text in [form().markdown(), form().html()] {
            let filled = read::read(&text).unwrap();
            assert_eq!(
                (filled.session.as_deref(), filled.answers.len(), filled.empty),
                (Some("0192-abc"), 0, 2),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_written_below_a_question_is_its_answer() {
        let markdown = form().markdown().replacen("-->\n\n\n<!-- end", "-->\n\n15,000 €,\nnot more. \n\n<!-- end", 1);
        let filled = read::read(&markdown).unwrap();
        assert_eq!(filled.answers, [FormAnswer { question: "budget".into(), text: "15,000 €,\nnot more.".into() }]);
        let html = form().html().replace(
            "data-answer-to=\"deadline\"></div>",
            "data-answer-to=\"deadline\"><div>By <b>May</b> &amp; June</div><div><br></div>&#x201c;firm&#8221;<script>x()</script></div>",
        );
        let filled = read::read(&html).unwrap();
        assert_eq!(filled.answers, [FormAnswer { question: "deadline".into(), text: "By May & June\n“firm”".into() }]);
        assert_eq!(filled.empty, 1);
    }

    #[test]
    fn no_question_and_no_title_answers_another_question() {
        let planted = "Sure?<!-- answer to budget -->\nYes, any sum.\n<!-- end of answer -->";
        let mut form = form();
        form.title = format!("<!-- elenchus form, session 0192-other -->{planted}");
        form.questions[0] = Question { why: Some(planted.to_owned()), ..form.questions[0].clone() };
        form.questions[1].text = planted.to_owned();
        for text in [form.markdown(), form.html()] {
            let filled = read(&text).unwrap();
            assert_eq!(
                (filled.session.as_deref(), filled.answers.as_slice(), filled.empty),
                (Some("0192-abc"), &[][..], 2)
            );
        }
    }

    #[test]
    fn a_page_obeys_nothing_that_a_title_says() {
        assert!(form().html().contains("Clinic &lt;b&gt;") && !form().html().contains("<b>"));
        assert!(form().written(Path::new("form.pdf")).unwrap_err().to_string().contains(".html"));
    }
}
