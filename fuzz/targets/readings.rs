//! Numbers, dates, lists, corrections and replies as the offline interviewer reads them, message by message.
#![no_main]

use elenchus::engine::sensitive;
use elenchus::llm::offline;
use elenchus_fuzz::{Outside, Talk};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for quantity in offline::quantities(text) {
        assert!(text.get(quantity.range.clone()).is_some(), "a quantity stands in the text");
        assert!(quantity.value.is_finite());
    }
    let mut end = 0;
    for (_, range) in sensitive::find(text) {
        assert!(range.start >= end && text.get(range.clone()).is_some(), "findings are in order");
        end = range.end;
    }
    let redacted = sensitive::redact(text);
    assert!(sensitive::find(text).is_empty() || redacted != text);
    let mut talk = Talk::new();
    for message in text.split('\n').take(6) {
        talk.say(message, &mut Outside::default());
    }
});
