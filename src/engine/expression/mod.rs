//! The one language of engine files: expressions and templates over a read-only view of the working memory.
//!
//! Sources are bounded, compiled when the engine loads, run on limited fuel and on a limited number of bytes, and an
//! undefined result is an error. What an engine file makes us compute therefore ends, and a mistake in it is reported
//! rather than taken for "no".

mod check;
mod filters;
mod functions;
mod lexer;
mod limits;
mod meter;
mod names;
mod view;

pub use check::Names;
pub(crate) use check::{NameProblem, TemplateKind, check_expression, check_template, fields_read};
pub(in crate::engine) use check::{Reads, lies_below};
pub(in crate::engine) use names::{Reference, references};
pub use view::MemoryView;
pub(in crate::engine) use view::from_json;

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value, escape_formatter};

use self::meter::Metered;
use self::view::Record;
use super::values::brief_text;

/// The longest expression, and the longest tag of a template, in bytes.
pub(crate) const MAX_EXPRESSION: usize = 1024;
/// The longest text that a template may become, in bytes.
const MAX_OUTPUT: usize = 1024 * 1024;
/// Steps of the machine that one evaluation may take.
const FUEL: u64 = 100_000;
/// Steps for a template, which may walk over everything that is known.
const TEMPLATE_FUEL: u64 = 500_000;

/// A compiled expression, and the way back from what was compiled to what was written.
#[derive(Debug)]
struct Compiled {
    expression: minijinja::Expression<'static, 'static>,
    metered: Metered,
}

static LANGUAGE: LazyLock<Environment<'static>> = LazyLock::new(|| environment(FUEL));

fn environment(fuel: u64) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(fuel));
    environment.set_recursion_limit(64);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    // Errors then say which value is undefined.
    environment.set_debug(true);
    // What could make a small source compute something large, or divide by zero, is not part of the language.
    for global in ["range", "debug", "namespace", "dict"] {
        environment.remove_global(global);
    }
    for filter in filters::LEFT_OUT {
        environment.remove_filter(filter);
    }
    environment.remove_test("divisibleby");
    functions::register(&mut environment);
    filters::register(&mut environment);
    meter::register(&mut environment);
    environment
}

/// What went wrong in a source, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub message: String,
    /// The bytes of the source at fault, where they are known.
    pub range: Option<Range<usize>>,
}

impl Fault {
    fn new(error: &Error, metered: &Metered) -> Self {
        let detail = meter::plain(error.detail().unwrap_or_default());
        let message = match error.kind() {
            ErrorKind::OutOfFuel => "it takes too long to evaluate".to_owned(),
            ErrorKind::WriteFailure => format!("its text is longer than {} KiB", MAX_OUTPUT / 1024),
            ErrorKind::UnknownFilter => unknown("filter", &detail),
            ErrorKind::UnknownTest => unknown("test", &detail),
            kind if detail.is_empty() => kind.to_string(),
            _ => in_words(detail),
        };
        let range = error.range().or_else(|| line(&metered.source, error.line()?));
        Self { message, range: range.map(|range| metered.original(&range)) }
    }

    fn plain(message: impl Into<String>) -> Self {
        Self { message: message.into(), range: None }
    }

    fn at(message: impl Into<String>, range: Range<usize>) -> Self {
        Self { message: message.into(), range: Some(range) }
    }
}

fn unknown(what: &str, detail: &str) -> String {
    let name = detail.strip_prefix(what).and_then(|rest| rest.strip_suffix("is unknown")).unwrap_or(detail);
    format!("there is no {what} `{}`", name.trim())
}

/// A message of the machine for people who do not know the machine.
fn in_words(detail: String) -> String {
    // What is undefined explains why nothing can be done with it.
    if let Some((_, cause)) = detail.strip_suffix(')').and_then(|detail| detail.rsplit_once(" (`")) {
        return format!("`{cause}");
    }
    let operation = detail.strip_prefix("tried to use ");
    match operation.and_then(|rest| rest.split_once(" operator on unsupported types ")) {
        Some((operator, types)) => format!("`{operator}` does not work on {types}"),
        None => detail,
    }
}

/// The range of a line, counted from 1.
fn line(source: &str, number: usize) -> Option<Range<usize>> {
    let before = number.checked_sub(1)?;
    let start = source.split_inclusive('\n').take(before).map(str::len).sum();
    let line = source.get(start..)?.lines().next()?;
    Some(start..start + line.len())
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
    metered: HashMap<String, Metered>,
}

impl Default for Program {
    fn default() -> Self {
        let mut templates = environment(TEMPLATE_FUEL);
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        templates.set_syntax(syntax.unwrap_or_default());
        templates.set_formatter(format_for_people);
        Self { expressions: HashMap::new(), templates, metered: HashMap::new() }
    }
}

/// Writes a value as a reader of a brief wants it: what is not known as a dash, lists with commas, truth as a word.
fn format_for_people(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    meter::count(state, value)?;
    match value.kind() {
        ValueKind::None | ValueKind::Bool | ValueKind::Seq | ValueKind::Map | ValueKind::Iterable => {
            Ok(out.write_str(&text_for_people(value)?)?)
        }
        _ => escape_formatter(out, state, value),
    }
}

fn text_for_people(value: &Value) -> Result<String, Error> {
    if let Some(record) = value.downcast_object_ref::<Record>() {
        return Ok(record.to_string());
    }
    if matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable) {
        let items = value.try_iter()?.map(|item| text_for_people(&item)).collect::<Result<Vec<_>, _>>()?;
        return Ok(items.join(", "));
    }
    let json =
        serde_json::to_value(value).map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))?;
    Ok(brief_text(&json))
}

impl Program {
    /// Compiles an expression; compiling the same source again costs nothing.
    pub(crate) fn add_expression(&mut self, source: &str) -> Result<(), Fault> {
        if self.expressions.contains_key(source) {
            return Ok(());
        }
        let tag = lexer::expression(source)?;
        limits::check_expression(&tag)?;
        let metered = Metered::new(source, &[tag]);
        let expression = guarded(&metered, || LANGUAGE.compile_expression_owned(metered.source.clone()))?;
        self.expressions.insert(source.to_owned(), Compiled { expression, metered });
        Ok(())
    }

    pub(crate) fn has_expression(&self, source: &str) -> bool {
        self.expressions.contains_key(source)
    }

    /// Compiles a template under its own source as a name.
    pub(crate) fn add_template(&mut self, source: &str) -> Result<(), Fault> {
        let tags = lexer::template(source)?;
        limits::check_template(&tags)?;
        let metered = Metered::new(source, &tags);
        let (name, text) = (source.to_owned(), metered.source.clone());
        guarded(&metered, || self.templates.add_template_owned(name, text))?;
        self.metered.insert(source.to_owned(), metered);
        Ok(())
    }

    pub(crate) fn has_template(&self, source: &str) -> bool {
        self.metered.contains_key(source)
    }

    /// The value of a compiled expression.
    pub fn evaluate(&self, source: &str, view: &MemoryView) -> Result<Value, Fault> {
        let Compiled { expression, metered } =
            self.expressions.get(source).ok_or_else(|| Fault::plain("the expression was never compiled"))?;
        view.refill(meter::BUDGET);
        let value = guarded(metered, || expression.eval(view.to_value()))?;
        if value.is_undefined() {
            let name = if source.len() <= 60 { format!("`{}`", source.trim()) } else { "the result".to_owned() };
            return Err(Fault::plain(format!("{name} is undefined")));
        }
        Ok(value)
    }

    /// What the last evaluation on a view has cost, in bytes that it moved.
    pub(crate) fn cost(view: &MemoryView) -> u64 {
        meter::BUDGET.saturating_sub(view.left())
    }

    /// The value of an expression as a score: true is 1, false and none are 0, numbers are cut to 0..1.
    pub fn score(&self, source: &str, view: &MemoryView) -> Result<f64, Fault> {
        let value = self.evaluate(source, view)?;
        let number = match value.kind() {
            ValueKind::Number => f64::try_from(value).map_err(|error| Fault::plain(error.to_string()))?,
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
        let metered = self.metered.get(source).ok_or_else(|| Fault::plain("the template was never compiled"))?;
        view.refill(meter::BUDGET);
        let mut page = Page(Vec::new());
        guarded(metered, || {
            self.templates.get_template(source)?.render_captured_to(view.to_value(), &mut page).map(|_| ())
        })?;
        String::from_utf8(page.0).map_err(|error| Fault::plain(error.to_string()))
    }
}

/// Takes the text of a template until there is too much of it.
struct Page(Vec<u8>);

impl io::Write for Page {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if self.0.len() + text.len() > MAX_OUTPUT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs the template machine so that a bug in it is an error like any other.
fn guarded<T>(metered: &Metered, run: impl FnOnce() -> Result<T, Error>) -> Result<T, Fault> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result.map_err(|error| Fault::new(&error, metered)),
        Err(_) => Err(Fault::plain("the expression machine failed on it")),
    }
}
