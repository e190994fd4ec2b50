//! A theme file as it is written: read with places, and everything wrong with it told at once.

use ratatui::style::Modifier;
use serde_json::{Map, Value, json};
use toml::de::DeValue;

use super::{color, scope};
use crate::decode::{Entries, Node, Place, Problems, Spanned, Surface, decode_table, table};

table! {
    /// A theme as written.
    ThemeFile called "a theme" {
        /// What people read.
        optional title: Option<String>,
        /// Whether it is dark on light.
        optional light: Option<bool>,
        /// The theme it starts from.
        optional inherits: Option<Written>,
        /// Colours by name.
        optional palette: Entries<PaletteColour>,
        /// Looks by scope.
        optional scopes: Scopes,
    }
}

/// A text or a number with its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub text: String,
    pub place: Place,
}

impl Surface for Written {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let text = match node.value() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => number.as_str().to_owned(),
            _ => {
                node.wrong_type("a text", problems);
                String::new()
            }
        };
        Self { text, place: problems.place(node.span()) }
    }
    fn encode(&self) -> Value {
        self.text.clone().into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": ["string", "integer"] })
    }
}

/// A colour that the palette gives a name to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PaletteColour(pub String);

impl Surface for PaletteColour {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let before = problems.count();
        let text = Written::decode(node, problems).text;
        if problems.count() == before && color::parse(&text).is_none() {
            problems
                .error("bad-colour", node.span(), format!("`{text}` is not a colour"))
                .help("write #rrggbb, a number up to 255, `terminal`, or a name such as `light-red`");
            return Self::default();
        }
        Self(text)
    }
    fn encode(&self) -> Value {
        self.0.clone().into()
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        Written::schema(definitions)
    }
}

/// Looks by the name of their scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scopes(pub Entries<Look>);

impl Surface for Scopes {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let mut scopes = Entries::<Look>::decode(node, problems);
        for (name, look) in scopes.0.iter().filter(|(name, _)| !scope::is_known(name)) {
            problems.error("unknown-name", look.span.clone(), format!("there is no scope `{name}`")).suggest_or(
                name,
                scope::names(),
                "themes/README.md lists them all; a name with dots needs quotes".to_owned(),
            );
        }
        scopes.0.retain(|name, _| scope::is_known(name));
        Self(scopes)
    }
    fn encode(&self) -> Value {
        self.0.encode()
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        Entries::<Look>::schema(definitions)
    }
}

/// The look of a scope as written: colours still by name, because a theme that inherits may change the palette.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    pub fg: Option<Written>,
    pub bg: Option<Written>,
    pub modifiers: Option<Modifier>,
}

table! {
    /// A look that says more than a colour.
    LookTable called "a look" {
        /// The colour of the text.
        optional fg: Option<Written>,
        /// The colour of the ground.
        optional bg: Option<Written>,
        /// Words such as `bold`, with spaces between them.
        optional style: Option<Spanned<String>>,
    }
}

/// A colour alone, or a table.
impl Surface for Look {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        if !matches!(node.value(), DeValue::Table(_)) {
            return Self { fg: Some(Written::decode(node, problems)), ..Self::default() };
        }
        let LookTable { fg, bg, style } = decode_table(node, problems);
        Self { fg, bg, modifiers: style.map(|style| modifiers(&style, problems)) }
    }
    fn encode(&self) -> Value {
        let style = self.modifiers.map(|modifiers| {
            let words = MODIFIERS.iter().filter(|(_, one)| !one.is_empty() && modifiers.contains(*one));
            let words = words.map(|(word, _)| *word).collect::<Vec<_>>().join(" ");
            Spanned { value: if words.is_empty() { "plain".to_owned() } else { words }, span: 0..0 }
        });
        LookTable { fg: self.fg.clone(), bg: self.bg.clone(), style }.encode()
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        json!({ "anyOf": [Written::schema(definitions), LookTable::schema(definitions)] })
    }
}

const MODIFIERS: [(&str, Modifier); 7] = [
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underline", Modifier::UNDERLINED),
    ("reverse", Modifier::REVERSED),
    ("strike", Modifier::CROSSED_OUT),
    ("plain", Modifier::empty()),
];

fn modifiers(written: &Spanned<String>, problems: &mut Problems) -> Modifier {
    let mut modifiers = Modifier::empty();
    for word in written.split_whitespace() {
        match MODIFIERS.iter().find(|(name, _)| *name == word) {
            Some((_, modifier)) => modifiers |= *modifier,
            None => problems
                .error("unknown-word", written.span.clone(), format!("there is no style `{word}`"))
                .suggest(word, MODIFIERS.map(|(name, _)| name)),
        }
    }
    modifiers
}
