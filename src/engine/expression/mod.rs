//! The one language of engine files: expressions and templates over a read-only view of the working memory.
//!
//! Sources are bounded, compiled when the engine loads, run on limited fuel, and an undefined result is an error. What
//! an engine file makes us compute therefore ends, and a mistake in it is reported rather than taken for "no".

mod check;
mod functions;
mod view;

pub use check::{NameProblem, Names, TemplateKind, check_expression, check_template, fields_read};
pub use view::MemoryView;
pub(in crate::engine) use view::from_json;

use std::collections::HashMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value, escape_formatter};

use super::values::brief_text;

/// The longest expression, in bytes.
pub const MAX_EXPRESSION: usize = 1024;
/// Steps of the machine that one evaluation may take.
const FUEL: u64 = 100_000;
/// Steps for a template, which may walk over everything that is known.
const TEMPLATE_FUEL: u64 = 2_000_000;

type Compiled = minijinja::Expression<'static, 'static>;

static LANGUAGE: LazyLock<Environment<'static>> = LazyLock::new(|| environment(FUEL));

fn environment(fuel: u64) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(fuel));
    environment.set_recursion_limit(64);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_debug(false);
    // What could make a small source compute something large, or divide by zero, is not part of the language.
    for global in ["range", "debug", "namespace", "dict"] {
        environment.remove_global(global);
    }
    for filter in ["indent", "batch", "slice", "format", "pprint", "safe", "escape", "e", "chain", "zip"] {
        environment.remove_filter(filter);
    }
    environment.remove_test("divisibleby");
    functions::register(&mut environment);
    environment
}

/// What went wrong in a source, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// In words.
    pub message: String,
    /// The bytes of the source at fault, where they are known.
    pub range: Option<Range<usize>>,
}

impl Fault {
    fn new(error: &Error) -> Self {
        let message = match error.kind() {
            ErrorKind::OutOfFuel => "it takes too long to evaluate".to_owned(),
            kind => error.detail().map_or_else(|| kind.to_string(), ToOwned::to_owned),
        };
        Self { message, range: error.range() }
    }

    fn plain(message: impl Into<String>) -> Self {
        Self { message: message.into(), range: None }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// The compiled expressions and templates of one engine, found by their source.
#[derive(Debug)]
pub struct Program {
    expressions: HashMap<String, Compiled>,
    templates: Environment<'static>,
}

impl Default for Program {
    fn default() -> Self {
        let mut templates = environment(TEMPLATE_FUEL);
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        templates.set_syntax(syntax.unwrap_or_default());
        templates.set_formatter(format_for_people);
        Self { expressions: HashMap::new(), templates }
    }
}

/// Writes a value as a reader of a brief wants it: what is not known as a dash, lists with commas, truth as a word.
fn format_for_people(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.kind() {
        ValueKind::None | ValueKind::Bool | ValueKind::Seq | ValueKind::Map | ValueKind::Iterable => {
            let json = serde_json::to_value(value)
                .map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))?;
            Ok(out.write_str(&brief_text(&json))?)
        }
        _ => escape_formatter(out, state, value),
    }
}

impl Program {
    /// Compiles an expression; compiling the same source again costs nothing.
    pub fn add_expression(&mut self, source: &str) -> Result<(), Fault> {
        if self.expressions.contains_key(source) {
            return Ok(());
        }
        if source.len() > MAX_EXPRESSION {
            return Err(Fault::plain(format!(
                "an expression has at most {MAX_EXPRESSION} bytes, this has {}",
                source.len()
            )));
        }
        // Parentheses and operators nest on the parser's stack; far below its limit is still far above any use.
        if nesting(source) > 32 {
            return Err(Fault::plain("the expression is nested too deeply"));
        }
        let compiled = guarded(|| LANGUAGE.compile_expression_owned(source.to_owned()))?;
        self.expressions.insert(source.to_owned(), compiled);
        Ok(())
    }

    /// Compiles a template under its own source as a name.
    pub fn add_template(&mut self, source: &str) -> Result<(), Fault> {
        if nesting(source) > 64 {
            return Err(Fault::plain("the template is nested too deeply"));
        }
        let (name, text) = (source.to_owned(), source.to_owned());
        guarded(|| self.templates.add_template_owned(name, text))
    }

    /// The value of a compiled expression.
    pub fn evaluate(&self, source: &str, view: &MemoryView) -> Result<Value, Fault> {
        let expression =
            self.expressions.get(source).ok_or_else(|| Fault::plain("the expression was never compiled"))?;
        let value = guarded(|| expression.eval(view.to_value()))?;
        if value.is_undefined() {
            return Err(Fault::plain("the result is undefined"));
        }
        Ok(value)
    }

    /// The value of an expression as a score: true is 1, false and none are 0, numbers are cut to 0..1.
    pub fn score(&self, source: &str, view: &MemoryView) -> Result<f64, Fault> {
        let value = self.evaluate(source, view)?;
        let number = match value.kind() {
            ValueKind::Number => f64::try_from(value).map_err(|error| Fault::new(&error))?,
            _ => f64::from(u8::from(value.is_true())),
        };
        if number.is_nan() { Err(Fault::plain("the result is not a number")) } else { Ok(number.clamp(0.0, 1.0)) }
    }

    /// Whether an expression holds.
    pub fn holds(&self, source: &str, view: &MemoryView) -> Result<bool, Fault> {
        Ok(self.evaluate(source, view)?.is_true())
    }

    /// A template filled in.
    pub fn render(&self, source: &str, view: &MemoryView) -> Result<String, Fault> {
        guarded(|| self.templates.get_template(source)?.render(view.to_value()))
    }

    /// Names that an expression reads, with the attributes it reads of them.
    fn names_of_expression(&self, source: &str) -> Vec<String> {
        sorted(self.expressions.get(source).map(|e| e.undeclared_variables(true)))
    }

    /// Names that a template reads, with the attributes it reads of them.
    fn names_of_template(&self, source: &str) -> Vec<String> {
        sorted(self.templates.get_template(source).ok().map(|t| t.undeclared_variables(true)))
    }
}

fn sorted(names: Option<std::collections::HashSet<String>>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().flatten().collect();
    names.sort();
    names
}

/// Runs the template machine so that a bug in it is an error like any other.
fn guarded<T>(run: impl FnOnce() -> Result<T, Error>) -> Result<T, Fault> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result.map_err(|error| Fault::new(&error)),
        Err(_) => Err(Fault::plain("the expression machine failed on it")),
    }
}

/// How deep brackets nest, and how many unary operators follow each other.
fn nesting(source: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0usize);
    for word in source.split_inclusive(|c: char| c.is_whitespace() || "()[]{}".contains(c)) {
        if word.ends_with(['(', '[', '{']) {
            depth += 1;
        } else if word.ends_with([')', ']', '}']) {
            depth = depth.saturating_sub(1);
        }
        deepest = deepest.max(depth);
    }
    let nots = source.split("not ").count().max(source.split('-').count());
    deepest.max(nots / 4)
}
