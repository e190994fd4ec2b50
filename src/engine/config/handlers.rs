//! Handlers: who does the work of a background task.
//!
//! A kind of handler is added in two files. Here stands what an engine file says of it: its row in `handler_kinds`, its
//! table, and what is checked of it. How it works stands in `src/tasks/handler`, in a file of the name that its row gives.

use super::expression::Prose;
use super::fields::Shape;
use super::validate::{address, shapes};
use crate::decode::{Named, Places, Problems, Span, Spanned, table, tagged, words};

/// Hands the kinds of handlers to a macro: for each its table, its word in the engine file, and the module in
/// `tasks::handler` that does its work.
macro_rules! handler_kinds {
    ($each:ident) => {
        $each! {
            /// A model answers a prompt with a record.
            Llm(LlmHandler) = "llm" in llm,
            /// A program reads JSON and writes JSON.
            Command(CommandHandler) = "command" in command,
            /// An HTTP endpoint reads JSON and writes JSON.
            Http(HttpHandler) = "http" in http,
        }
    };
}
pub(crate) use handler_kinds;

macro_rules! declare {
    ($( #[doc = $doc:literal] $kind:ident($table:ident) = $word:literal in $module:ident, )*) => {
        tagged! {
            /// Who does the work of a task.
            Handler called "a handler" by "type" { $( #[doc = $doc] $kind($table) = $word, )* }
        }

        impl Handler {
            /// What its kind says of it.
            pub(crate) fn declared(&self) -> &dyn DeclaredHandler {
                match self { $( Self::$kind(table) => table, )* }
            }
        }
    };
}
handler_kinds!(declare);

/// What the engine has to know of a handler, whatever its kind.
pub(crate) trait DeclaredHandler {
    /// What a result consists of; anything, when empty.
    fn output(&self) -> &Named<Shape>;

    /// The templates that it fills in from the working memory.
    fn templates(&self) -> Vec<&Prose> {
        Vec::new()
    }

    /// Whether it looks up what was said in other sessions, so that its result may have words of those in it. Every kind
    /// says so itself: the user is told of it before such a result goes elsewhere.
    fn looks_up(&self) -> bool;

    /// Reports what the reader of a single value cannot see.
    fn check(&self, _name: &str, _place: &Span, _problems: &mut Problems) {}
}

table! {
    /// A model answers a prompt with a record.
    LlmHandler called "an `llm` handler" {
        /// The prompt, a template over the working memory.
        required prompt: Prose,
        /// Words to look up in earlier sessions of the project before, a template; what is found goes with the prompt.
        optional look_up: Option<Prose>,
        /// What the answer consists of.
        required output: Named<Shape>,
    }
}

impl DeclaredHandler for LlmHandler {
    fn output(&self) -> &Named<Shape> {
        &self.output
    }

    fn templates(&self) -> Vec<&Prose> {
        std::iter::once(&self.prompt).chain(&self.look_up).collect()
    }

    fn looks_up(&self) -> bool {
        self.look_up.is_some()
    }

    fn check(&self, name: &str, place: &Span, problems: &mut Problems) {
        // A handler of an unknown type is blank; so is its prompt.
        if self.output.is_empty() && !self.prompt.span.is_empty() {
            let message = format!("the handler `{name}` does not say what its answer consists of");
            problems.error("bad-shape", place.clone(), message);
        }
        self.output.values().for_each(|shape| shapes::check(shape, problems));
    }
}

table! {
    /// A program reads JSON on its input and writes JSON on its output.
    CommandHandler called "a `command` handler" {
        /// The program; no shell is involved.
        required program: String,
        /// Its arguments; `./name` is a file of the engine's folder.
        optional args: Vec<String>,
        /// Files and folders of the user that it has to read: whole paths, or `~/…`.
        optional read: Vec<String>,
        /// Files and folders of the user that it has to change: whole paths, or `~/…`.
        optional write: Vec<String>,
        /// Whom it has to talk to.
        optional network: Reachable,
        /// What its output consists of; anything, when empty.
        optional output: Named<Shape>,
        places at: Places,
    }
}

words! {
    /// Whom a program has to talk to.
    Reachable called "a network" {
        /// No one; the same as leaving it out.
        None = "none",
        /// Any address.
        All = "all",
    }
}

impl DeclaredHandler for CommandHandler {
    fn output(&self) -> &Named<Shape> {
        &self.output
    }

    fn looks_up(&self) -> bool {
        false
    }

    fn check(&self, _: &str, _: &Span, problems: &mut Problems) {
        for (key, paths) in [("read", &self.read), ("write", &self.write)] {
            let place = self.at.of(key);
            let partial = paths.iter().find(|path| !path.starts_with('/') && !path.starts_with("~/"));
            if let Some(path) = partial.filter(|_| !problems.within(&place)) {
                let message = format!("`{path}` in `{key}` is not a whole path");
                problems.error("bad-path", place, message).help("write /folder/file, or ~/folder/file");
            }
        }
    }
}

table! {
    /// An HTTP endpoint gets JSON and answers JSON.
    HttpHandler called "an `http` handler" {
        /// The address, https or loopback http.
        required url: Spanned<String>,
        /// What its answer consists of; anything, when empty.
        optional output: Named<Shape>,
    }
}

impl DeclaredHandler for HttpHandler {
    fn output(&self) -> &Named<Shape> {
        &self.output
    }

    fn looks_up(&self) -> bool {
        false
    }

    fn check(&self, _: &str, _: &Span, problems: &mut Problems) {
        address::check(&self.url, problems);
    }
}
