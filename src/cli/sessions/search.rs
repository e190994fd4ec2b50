//! `elenchus sessions search`: everything that was said, best match first.

use serde_json::json;

use super::short;
use crate::cli::{Exit, Failure, Output};
use crate::host::Host;
use crate::store::SearchQuery;
use crate::store::query::marks;
use crate::text::sanitise_line;

pub async fn run(host: &Host, words: &str, limit: u32, as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let query = SearchQuery { text: words.to_owned(), limit: Some(limit), ..SearchQuery::default() };
    let hits = host.store().call_async(move |store| store.search(&query)).await?;
    if as_json {
        let list = hits.iter().map(|hit| {
            let (text, found) = marks(&hit.snippet);
            json!({
                "session_id": hit.session_id,
                "title": hit.session_title,
                "turn": hit.turn,
                "role": hit.role,
                "snippet": text,
                "matches": found.iter().map(|range| [range.start, range.end]).collect::<Vec<_>>(),
                "score": hit.score,
            })
        });
        output.json(&list.collect());
        return Ok(Exit::Ok);
    }
    for hit in &hits {
        let (text, found) = marks(&hit.snippet);
        let title = sanitise_line(&hit.session_title);
        output.line(format!("{}  turn {:>3}  {title}", short(hit.session_id), hit.turn));
        if output.has_colour() {
            output.coloured(&format!("    {}\n", highlighted(&text, &found)));
        } else {
            output.line(format!("    {}", text.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
    }
    if hits.is_empty() {
        output.remark("Nothing was found.");
    }
    Ok(Exit::Ok)
}

fn highlighted(text: &str, found: &[std::ops::Range<usize>]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for range in found {
        out.push_str(&sanitise_line(&text[at..range.start]));
        out.push_str("\u{1b}[1m");
        out.push_str(&sanitise_line(&text[range.clone()]));
        out.push_str("\u{1b}[0m");
        at = range.end;
    }
    out.push_str(&sanitise_line(&text[at..]));
    out
}
