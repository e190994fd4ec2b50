//! What a source may ask for. The template machine walks its syntax tree on the stack, so that a long chain of
//! operators is as dangerous as a tower of brackets; and half of its statements exist to build large things.

use super::lexer::{Kind, Tag, Token};
use super::{Fault, MAX_EXPRESSION};

/// Brackets in brackets, and operators that wait for what stands to their right.
const MAX_DEPTH: usize = 32;
/// Operators, attributes, filters and calls in one tag.
const MAX_LINKS: usize = 256;
/// Blocks in blocks.
const MAX_BLOCKS: usize = 16;
/// Branches of one `if`.
const MAX_BRANCHES: usize = 32;

const STATEMENTS: &[&str] = &["if", "elif", "else", "endif", "for", "endfor", "set", "break", "continue"];

/// Refuses an expression that asks for too much.
pub(super) fn check_expression(tag: &Tag<'_>) -> Result<(), Fault> {
    size(tag, "an expression")?;
    chain(tag)?;
    let mut depth = 0usize;
    for token in &tag.tokens {
        if token.opens() {
            depth += 1;
        } else if token.closes() {
            depth = depth.saturating_sub(1);
        } else if token.is("=") && depth == 0 {
            return Err(Fault::at("`=` gives a value; write `==` to compare", token.range()));
        }
    }
    Ok(())
}

/// Refuses a template that asks for too much.
pub(super) fn check_template(tags: &[Tag<'_>]) -> Result<(), Fault> {
    // Each block that is open, with its branches so far.
    let mut blocks: Vec<(Token<'_>, usize)> = Vec::new();
    for tag in tags {
        size(tag, "a tag")?;
        chain(tag)?;
        let Some(keyword) = tag.keyword() else { continue };
        if !STATEMENTS.contains(&keyword.text) {
            let message = format!("templates have no `{}`; they have if, for and set", keyword.text);
            return Err(Fault::at(message, keyword.range()));
        }
        match keyword.text {
            "if" | "for" => blocks.push((keyword, 0)),
            "endif" | "endfor" => {
                blocks.pop();
            }
            "elif" => {
                if let Some((_, branches)) = blocks.last_mut() {
                    *branches += 1;
                }
            }
            "set" if !tag.tokens.iter().any(|token| token.is("=")) => {
                return Err(Fault::at("a `set` needs `=` and a value", keyword.range()));
            }
            _ => {}
        }
        if let Some(recursive) = tag.tokens.iter().find(|token| keyword.is("for") && token.is("recursive")) {
            return Err(Fault::at("loops cannot be recursive", recursive.range()));
        }
        if blocks.len() > MAX_BLOCKS {
            return Err(Fault::at("the template is nested too deeply", tag.range.clone()));
        }
        if blocks.last().is_some_and(|(_, branches)| *branches > MAX_BRANCHES) {
            let message = format!("an `if` has at most {MAX_BRANCHES} branches");
            return Err(Fault::at(message, tag.range.clone()));
        }
    }
    match blocks.last() {
        Some((keyword, _)) => Err(Fault::at(format!("this `{}` is never closed", keyword.text), keyword.range())),
        None => Ok(()),
    }
}

fn size(tag: &Tag<'_>, what: &str) -> Result<(), Fault> {
    let length = tag.range.len();
    if length <= MAX_EXPRESSION {
        return Ok(());
    }
    let message = format!("{what} has at most {MAX_EXPRESSION} bytes, this has {length}");
    Err(Fault::at(message, tag.range.clone()))
}

fn chain(tag: &Tag<'_>) -> Result<(), Fault> {
    let (mut depth, mut waiting, mut links) = (0usize, 0usize, 0usize);
    let mut last: Option<&Token<'_>> = None;
    for token in &tag.tokens {
        if token.opens() {
            depth += 1;
        } else if token.closes() {
            depth = depth.saturating_sub(1);
        }
        let prefix = token.is("-") && !last.is_some_and(Token::ends_operand);
        waiting += usize::from(prefix || token.is("not") || token.is("if") || token.is("**"));
        let keyword = matches!(token.text, "and" | "or" | "not" | "is" | "in" | "if");
        let mark = token.kind == Kind::Mark && !token.closes() && !matches!(token.text, "," | ":" | "=");
        links += usize::from(mark || (token.kind == Kind::Name && keyword));
        if depth.max(waiting) > MAX_DEPTH {
            return Err(Fault::at("this is nested too deeply", token.range()));
        }
        if links > MAX_LINKS {
            let message = format!("this has more than {MAX_LINKS} operators; split it up");
            return Err(Fault::at(message, token.range()));
        }
        last = Some(token);
    }
    Ok(())
}
