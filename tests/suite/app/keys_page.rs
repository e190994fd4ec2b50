//! The page of keys is the keymap.

use std::fmt::Write as _;

use elenchus::app::keymap::{Action, Context, Keymap};
use elenchus::words::english;

const BEGIN: &str = "<!-- keys: made by `UPDATE_KEYS=1 cargo test the_page_of_keys` -->\n";
const END: &str = "<!-- end of keys -->\n";

/// The table as it should be.
fn table() -> String {
    let keymap = Keymap::defaults();
    let mut table = String::from("| where | keys | what |\n|---|---|---|\n");
    for context in Context::ALL {
        for (action, chords) in keymap.of(context).filter(|(_, chords)| !chords.is_empty()) {
            let keys: Vec<String> = chords.iter().map(|chord| format!("`{chord}`").replace('|', "\\|")).collect();
            let name = match action {
                Action::Run(command) => format!(" (`/{}`)", command.entry().name),
                Action::Do(_) => String::new(),
            };
            let _ = writeln!(
                table,
                "| {} | {} | {}{name} |",
                context.about(&english().keys),
                keys.join(" "),
                action.about(english())
            );
        }
    }
    table
}

#[test]
fn the_page_of_keys_lists_exactly_the_keys_of_the_keymap() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/keys.md");
    let text = std::fs::read_to_string(file).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the table begins");
    let (found, after) = rest.split_once(END).expect("the table ends");
    if std::env::var_os("UPDATE_KEYS").is_some() {
        std::fs::write(file, format!("{before}{BEGIN}{}{END}{after}", table())).unwrap();
        return;
    }
    pretty_assertions::assert_eq!(found, table());
}
