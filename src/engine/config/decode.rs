//! Reads typed definitions out of a parsed TOML tree. One declaration of a table gives its Rust type, its reader, its
//! JSON form and its JSON Schema, so that the four cannot disagree.
//!
//! Reading never stops at a problem: what is faulty is reported and takes its blank value, so that one run over a file
//! tells everything that is wrong with it.

use std::ops::Deref;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use toml::Spanned as TomlSpanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::{Problems, Span};

/// A place in the parsed tree.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    value: &'a DeValue<'a>,
    start: usize,
    end: usize,
}

impl<'a> Node<'a> {
    /// The node of a value with its span.
    pub fn new(spanned: &'a TomlSpanned<DeValue<'a>>) -> Self {
        let span = spanned.span();
        Self { value: spanned.get_ref(), start: span.start, end: span.end }
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        self.start..self.end
    }

    fn wrong_type(&self, expected: &str, problems: &mut Problems) {
        let found = match self.value {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a decimal number",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        problems.error("wrong-type", self.span(), format!("expected {expected}, found {found}"));
    }
}

/// Something an engine file can contain.
pub trait Surface: Sized + Default {
    /// Reads the value, reporting what is wrong and going on with blanks.
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self;
    /// Its JSON form, as `engines show --json` prints it.
    fn encode(&self) -> Value;
    /// Its JSON Schema; named types go to `definitions` once.
    fn schema(definitions: &mut Map<String, Value>) -> Value;
}

/// A surface that is a table, and so can also be read as a part of a larger table.
pub trait Table: Surface {
    /// Reads its keys from a table that may have others.
    fn read(reader: &mut TableReader<'_>, problems: &mut Problems) -> Self;
    /// Writes its keys into a JSON object.
    fn write(&self, object: &mut Map<String, Value>);
    /// Describes its keys.
    fn properties(keys: &mut Keys<'_>);
}

/// The keys of a table while its schema is drawn up.
#[derive(Debug)]
pub struct Keys<'d> {
    /// Named types.
    pub definitions: &'d mut Map<String, Value>,
    /// Schema per key.
    pub properties: Map<String, Value>,
    /// Keys that must be there.
    pub required: Vec<Value>,
    /// What holds only for one form of a tagged table.
    pub conditions: Vec<Value>,
}

/// One form of a tagged table: its word, what it is for, and what draws up its keys.
pub type Form = (&'static str, &'static str, fn(&mut Keys<'_>));

impl Keys<'_> {
    /// Adds a key with what its doc comment says.
    pub fn add<T: Surface>(&mut self, key: &str, doc: &str, default: Option<Value>, required: bool) {
        let mut schema = T::schema(self.definitions);
        if let Value::Object(object) = &mut schema {
            object.insert("description".into(), doc.trim().into());
            if let Some(default) = default {
                object.insert("default".into(), default);
            }
        }
        self.properties.insert(key.into(), schema);
        if required {
            self.required.push(key.into());
        }
    }

    /// Adds a tag and, for each of its words, the keys that go with it and the refusal of those that do not.
    pub fn add_forms(&mut self, tag: &str, forms: &[Form]) {
        let words: Vec<&str> = forms.iter().map(|(word, ..)| *word).collect();
        let docs: Vec<String> = forms.iter().map(|(word, doc, _)| format!("{word}: {}", doc.trim())).collect();
        self.properties.insert(tag.into(), json!({ "enum": words, "description": docs.join("\n") }));
        self.required.push(tag.into());
        let drawn: Vec<(Map<String, Value>, Vec<Value>)> = forms
            .iter()
            .map(|(_, _, draw)| {
                let mut keys = Keys::new(self.definitions);
                draw(&mut keys);
                (keys.properties, keys.required)
            })
            .collect();
        for key in drawn.iter().flat_map(|(properties, _)| properties.keys()) {
            self.properties.entry(key.clone()).or_insert_with(|| json!({}));
        }
        for (word, (properties, required)) in words.iter().zip(&drawn) {
            let mut allowed = properties.clone();
            for key in drawn.iter().flat_map(|(properties, _)| properties.keys()) {
                allowed.entry(key.clone()).or_insert(Value::Bool(false));
            }
            self.conditions.push(json!({
                "if": { "properties": { tag: { "const": word } }, "required": [tag] },
                "then": { "properties": allowed, "required": required },
            }));
        }
    }

    fn new(definitions: &mut Map<String, Value>) -> Keys<'_> {
        Keys { definitions, properties: Map::new(), required: Vec::new(), conditions: Vec::new() }
    }
}

/// Reads the keys of one table and remembers which were asked for.
#[derive(Debug)]
pub struct TableReader<'a> {
    table: &'a DeTable<'a>,
    span: Span,
    what: &'static str,
    known: Vec<&'static str>,
    lenient: bool,
}

impl<'a> TableReader<'a> {
    /// Starts reading `table`, which a person would call `what`.
    pub fn new(table: &'a DeTable<'a>, span: Span, what: &'static str) -> Self {
        Self { table, span, what, known: Vec::new(), lenient: false }
    }

    /// The value of a key that must be there.
    pub fn required<T: Surface>(&mut self, key: &'static str, problems: &mut Problems) -> T {
        if let Some(value) = self.optional(key, problems) {
            return value;
        }
        let head = self.span.start..self.span.start.saturating_add(1).max(self.header_end(problems));
        problems.error("missing-key", head, format!("{} has no `{key}`", self.what));
        T::default()
    }

    /// The value of a key that may be absent.
    pub fn optional<T: Surface>(&mut self, key: &'static str, problems: &mut Problems) -> Option<T> {
        self.known.push(key);
        self.table.get(key).map(|value| T::decode(Node::new(value), problems))
    }

    /// Takes every key as known: where the form of a table is unknown, so are its keys.
    pub fn accept_rest(&mut self) {
        self.lenient = true;
    }

    /// Reports the keys that nobody asked for.
    pub fn finish(self, problems: &mut Problems) {
        for key in self.table.keys() {
            if !self.lenient && !self.known.contains(&key.get_ref().as_ref()) {
                let name = key.get_ref();
                problems
                    .error("unknown-key", key.span(), format!("{} has no key `{name}`", self.what))
                    .suggest(name, self.known.iter().copied());
            }
        }
    }

    fn header_end(&self, problems: &Problems) -> usize {
        let text = problems.text();
        let rest = text.get(self.span.start..).unwrap_or_default();
        self.span.start + rest.find('\n').unwrap_or(rest.len()).min(self.span.len().max(1))
    }
}

/// Reads a whole table, refusing keys it does not have.
pub fn decode_table<T: Table>(node: Node<'_>, what: &'static str, problems: &mut Problems) -> T {
    let DeValue::Table(table) = node.value else {
        node.wrong_type("a table", problems);
        return T::default();
    };
    let mut reader = TableReader::new(table, node.span(), what);
    let value = T::read(&mut reader, problems);
    reader.finish(problems);
    value
}

/// The schema of a table, put once among the definitions under its name.
pub fn table_schema<T: Table>(name: &'static str, doc: &str, definitions: &mut Map<String, Value>) -> Value {
    if !definitions.contains_key(name) {
        definitions.insert(name.into(), Value::Null);
        let mut keys = Keys::new(definitions);
        T::properties(&mut keys);
        let mut schema = json!({
            "type": "object",
            "description": doc.trim(),
            "properties": keys.properties,
            "required": keys.required,
            "additionalProperties": false,
        });
        if !keys.conditions.is_empty() {
            schema["allOf"] = Value::Array(keys.conditions);
        }
        definitions.insert(name.into(), schema);
    }
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// Reads the tag of a tagged table.
pub fn read_tag(reader: &mut TableReader<'_>, key: &'static str, problems: &mut Problems) -> Option<Spanned<String>> {
    let tag: Spanned<String> = reader.required(key, problems);
    (!tag.is_empty()).then_some(tag)
}

/// A value that remembers where it stands. Two are equal when their values are.
#[derive(Clone, Debug, Default)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Span,
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Surface> Surface for Spanned<T> {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        Self { value: T::decode(node, problems), span: node.span() }
    }
    fn encode(&self) -> Value {
        self.value.encode()
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        T::schema(definitions)
    }
}

/// A name by which one definition refers to another.
#[derive(Clone, Debug, Default)]
pub struct Id {
    name: String,
    /// Where it stands.
    pub span: Span,
}

impl Id {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.name
    }
}

impl Deref for Id {
    type Target = str;
    fn deref(&self) -> &str {
        &self.name
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

const ID_PATTERN: &str = "^[A-Za-z][A-Za-z0-9_.-]{0,79}$";

impl Surface for Id {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let DeValue::String(text) = node.value else {
            node.wrong_type("a name in quotes", problems);
            return Self::default();
        };
        let legal = text.len() <= 80
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        if legal {
            return Self { name: text.to_string(), span: node.span() };
        }
        problems
            .error("bad-name", node.span(), "this is not a name")
            .help("a name starts with a letter and has letters, digits, `_`, `-` and `.`, at most 80");
        Self::default()
    }
    fn encode(&self) -> Value {
        self.name.clone().into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "string", "pattern": ID_PATTERN })
    }
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fraction(pub f64);

impl Surface for Fraction {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let number = f64::decode(node, problems);
        if !(0.0..=1.0).contains(&number) {
            problems.error("out-of-range", node.span(), format!("{number} is not between 0 and 1"));
            return Self::default();
        }
        Self(number)
    }
    fn encode(&self) -> Value {
        self.0.into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

impl Surface for String {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        match node.value {
            DeValue::String(text) if text.trim().is_empty() => {
                problems.error("empty-text", node.span(), "this text is empty");
                Self::new()
            }
            DeValue::String(text) => text.to_string(),
            _ => {
                node.wrong_type("a string", problems);
                Self::new()
            }
        }
    }
    fn encode(&self) -> Value {
        self.clone().into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "string", "minLength": 1 })
    }
}

impl Surface for bool {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let DeValue::Boolean(value) = node.value else {
            node.wrong_type("true or false", problems);
            return false;
        };
        *value
    }
    fn encode(&self) -> Value {
        (*self).into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "boolean" })
    }
}

impl Surface for u32 {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let DeValue::Integer(number) = node.value else {
            node.wrong_type("a whole number", problems);
            return 0;
        };
        Self::from_str_radix(number.as_str(), number.radix()).unwrap_or_else(|_| {
            problems.error("out-of-range", node.span(), format!("expected a whole number from 0 to {}", u32::MAX));
            0
        })
    }
    fn encode(&self) -> Value {
        (*self).into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "integer", "minimum": 0 })
    }
}

impl Surface for f64 {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let parsed = match node.value {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => {
                node.wrong_type("a number", problems);
                return 0.0;
            }
        };
        parsed.filter(|number: &f64| number.is_finite()).unwrap_or_else(|| {
            problems.error("out-of-range", node.span(), "expected a finite decimal number");
            0.0
        })
    }
    fn encode(&self) -> Value {
        (*self).into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "number" })
    }
}

/// Any value at all, where the shape is somebody else's business: that of a field, or of a task's result.
impl Surface for Value {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        match node.value {
            DeValue::String(text) => text.to_string().into(),
            DeValue::Boolean(value) => (*value).into(),
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).map_or_else(
                |_| {
                    problems.error("out-of-range", node.span(), "this number is too large");
                    Self::Null
                },
                Self::from,
            ),
            DeValue::Float(_) => f64::decode(node, problems).into(),
            DeValue::Array(items) => items.iter().map(|item| Self::decode(Node::new(item), problems)).collect(),
            DeValue::Table(table) => {
                let mut keys: Vec<_> = table.iter().collect();
                keys.sort_by_key(|(key, _)| key.span().start);
                let parts = keys
                    .into_iter()
                    .map(|(key, value)| (key.get_ref().to_string(), Self::decode(Node::new(value), problems)));
                Self::Object(parts.collect())
            }
            DeValue::Datetime(_) => {
                node.wrong_type("a value that JSON has", problems);
                Self::Null
            }
        }
    }
    fn encode(&self) -> Value {
        self.clone()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({})
    }
}

impl<T: Surface> Surface for Option<T> {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        Some(T::decode(node, problems))
    }
    fn encode(&self) -> Value {
        self.as_ref().map_or(Value::Null, Surface::encode)
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        T::schema(definitions)
    }
}

impl<T: Surface> Surface for Box<T> {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        Self::new(T::decode(node, problems))
    }
    fn encode(&self) -> Value {
        self.as_ref().encode()
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        T::schema(definitions)
    }
}

impl<T: Surface> Surface for Vec<T> {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let DeValue::Array(items) = node.value else {
            node.wrong_type("an array", problems);
            return Self::new();
        };
        items.iter().map(|item| T::decode(Node::new(item), problems)).collect()
    }
    fn encode(&self) -> Value {
        self.iter().map(Surface::encode).collect()
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        json!({ "type": "array", "items": T::schema(definitions) })
    }
}

/// Values by a name that the file chooses, in the order of the file.
pub type Named<T> = IndexMap<String, Spanned<T>>;

impl<T: Surface> Surface for Named<T> {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let DeValue::Table(table) = node.value else {
            node.wrong_type("a table", problems);
            return Self::new();
        };
        let mut keys: Vec<_> = table.iter().collect();
        keys.sort_by_key(|(key, _)| key.span().start);
        keys.into_iter()
            .map(|(key, value)| {
                let value = T::decode(Node::new(value), problems);
                (key.get_ref().to_string(), Spanned { value, span: key.span() })
            })
            .collect()
    }
    fn encode(&self) -> Value {
        Value::Object(self.iter().map(|(key, value)| (key.clone(), value.encode())).collect())
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        json!({ "type": "object", "additionalProperties": T::schema(definitions) })
    }
}

/// Declares a table of the engine file: `required`, `optional` (with an optional default) and `flatten` keys.
macro_rules! table {
    (
        $(#[doc = $doc:literal])*
        $name:ident called $what:literal {
            $( $(#[doc = $fdoc:literal])* $kind:ident $field:ident : $ty:ty $(= $default:expr)?, )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $( $(#[doc = $fdoc])* pub $field: $ty, )* }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: $crate::engine::config::decode::table!(@default [$($default)?] $ty), )* }
            }
        }

        impl $crate::engine::config::decode::Table for $name {
            fn read(
                reader: &mut $crate::engine::config::decode::TableReader<'_>,
                problems: &mut $crate::engine::config::diagnostic::Problems,
            ) -> Self {
                let _ = (&reader, &problems);
                Self { $(
                    $field: $crate::engine::config::decode::table!(
                        @read $kind reader problems
                        ($crate::engine::config::decode::key(stringify!($field))) [$($default)?] $ty
                    ),
                )* }
            }
            fn write(&self, object: &mut serde_json::Map<String, serde_json::Value>) {
                let _ = &object;
                $( $crate::engine::config::decode::table!(
                    @write $kind object ($crate::engine::config::decode::key(stringify!($field))) (&self.$field)
                ); )*
            }
            fn properties(keys: &mut $crate::engine::config::decode::Keys<'_>) {
                let _ = &keys;
                $( $crate::engine::config::decode::table!(
                    @keys $kind keys ($crate::engine::config::decode::key(stringify!($field)))
                    (concat!($($fdoc),*)) [$($default)?] $ty
                ); )*
            }
        }

        impl $crate::engine::config::decode::Surface for $name {
            fn decode(
                node: $crate::engine::config::decode::Node<'_>,
                problems: &mut $crate::engine::config::diagnostic::Problems,
            ) -> Self {
                $crate::engine::config::decode::decode_table(node, $what, problems)
            }
            fn encode(&self) -> serde_json::Value {
                let mut object = serde_json::Map::new();
                $crate::engine::config::decode::Table::write(self, &mut object);
                serde_json::Value::Object(object)
            }
            fn schema(definitions: &mut serde_json::Map<String, serde_json::Value>) -> serde_json::Value {
                $crate::engine::config::decode::table_schema::<Self>(
                    stringify!($name), concat!($($doc),*), definitions,
                )
            }
        }
    };

    (@default [] $ty:ty) => { <$ty>::default() };
    (@default [$default:expr] $ty:ty) => { $default };

    (@read required $reader:ident $problems:ident $key:tt [] $ty:ty) => { $reader.required::<$ty>($key, $problems) };
    (@read optional $reader:ident $problems:ident $key:tt [$($default:expr)?] $ty:ty) => {
        $reader.optional::<$ty>($key, $problems)
            .unwrap_or_else(|| $crate::engine::config::decode::table!(@default [$($default)?] $ty))
    };
    (@read flatten $reader:ident $problems:ident $key:tt [] $ty:ty) => {
        <$ty as $crate::engine::config::decode::Table>::read($reader, $problems)
    };

    (@write flatten $object:ident $key:tt $value:expr) => {
        $crate::engine::config::decode::Table::write($value, $object)
    };
    (@write $kind:ident $object:ident $key:tt $value:expr) => {
        $object.insert($key.to_owned(), $crate::engine::config::decode::Surface::encode($value))
    };

    (@keys required $keys:ident $key:tt $doc:tt [] $ty:ty) => { $keys.add::<$ty>($key, $doc, None, true) };
    (@keys optional $keys:ident $key:tt $doc:tt [] $ty:ty) => { $keys.add::<$ty>($key, $doc, None, false) };
    (@keys optional $keys:ident $key:tt $doc:tt [$default:expr] $ty:ty) => {
        $keys.add::<$ty>(
            $key, $doc, Some($crate::engine::config::decode::Surface::encode(&{ let value: $ty = $default; value })), false,
        )
    };
    (@keys flatten $keys:ident $key:tt $doc:tt [] $ty:ty) => {
        <$ty as $crate::engine::config::decode::Table>::properties($keys)
    };
}

/// Declares a closed set of words; the first is the blank value.
macro_rules! words {
    (
        $(#[doc = $doc:literal])*
        $name:ident called $what:literal { $( $(#[doc = $vdoc:literal])* $variant:ident = $word:literal, )* }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name { $( $(#[doc = $vdoc])* #[serde(rename = $word)] $variant, )* }

        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word in files and on screens.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }

        impl Default for $name {
            fn default() -> Self { Self::ALL[0] }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.word()) }
        }

        impl $crate::engine::config::decode::Surface for $name {
            fn decode(
                node: $crate::engine::config::decode::Node<'_>,
                problems: &mut $crate::engine::config::diagnostic::Problems,
            ) -> Self {
                let word = <$crate::engine::config::decode::Spanned<String>>::decode(node, problems);
                match word.as_str() {
                    $($word => Self::$variant,)*
                    "" => Self::default(),
                    wrong => {
                        problems
                            .error("unknown-word", word.span.clone(), format!("`{wrong}` is not {}", $what))
                            .suggest(wrong, [$($word),*]);
                        Self::default()
                    }
                }
            }
            fn encode(&self) -> serde_json::Value { self.word().into() }
            fn schema(_: &mut serde_json::Map<String, serde_json::Value>) -> serde_json::Value {
                serde_json::json!({ "enum": [$($word),*] })
            }
        }
    };
}

/// Declares a table whose other keys depend on the word under one key; the first form is the blank value.
macro_rules! tagged {
    (
        $(#[doc = $doc:literal])*
        $name:ident called $what:literal by $tag:literal {
            $( $(#[doc = $vdoc:literal])* $variant:ident ($inner:ident) = $word:literal, )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name { $( $(#[doc = $vdoc])* $variant($inner), )* }

        impl $name {
            /// The word that tells the form.
            pub fn word(&self) -> &'static str {
                match self { $(Self::$variant(_) => $word),* }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                let forms = [$( (|| Self::$variant(Default::default())) as fn() -> Self ),*];
                forms[0]()
            }
        }

        impl $crate::engine::config::decode::Table for $name {
            fn read(
                reader: &mut $crate::engine::config::decode::TableReader<'_>,
                problems: &mut $crate::engine::config::diagnostic::Problems,
            ) -> Self {
                let Some(tag) = $crate::engine::config::decode::read_tag(reader, $tag, problems) else {
                    reader.accept_rest();
                    return Self::default();
                };
                match tag.as_str() {
                    $($word => Self::$variant($crate::engine::config::decode::Table::read(reader, problems)),)*
                    wrong => {
                        problems
                            .error("unknown-word", tag.span.clone(), format!("`{wrong}` is not {}", $what))
                            .suggest(wrong, [$($word),*]);
                        reader.accept_rest();
                        Self::default()
                    }
                }
            }
            fn write(&self, object: &mut serde_json::Map<String, serde_json::Value>) {
                object.insert($tag.to_owned(), self.word().into());
                match self { $(Self::$variant(inner) => $crate::engine::config::decode::Table::write(inner, object)),* }
            }
            fn properties(keys: &mut $crate::engine::config::decode::Keys<'_>) {
                keys.add_forms($tag, &[$(
                    ($word, concat!($($vdoc),*), <$inner as $crate::engine::config::decode::Table>::properties),
                )*]);
            }
        }

        impl $crate::engine::config::decode::Surface for $name {
            fn decode(
                node: $crate::engine::config::decode::Node<'_>,
                problems: &mut $crate::engine::config::diagnostic::Problems,
            ) -> Self {
                $crate::engine::config::decode::decode_table(node, $what, problems)
            }
            fn encode(&self) -> serde_json::Value {
                let mut object = serde_json::Map::new();
                $crate::engine::config::decode::Table::write(self, &mut object);
                serde_json::Value::Object(object)
            }
            fn schema(definitions: &mut serde_json::Map<String, serde_json::Value>) -> serde_json::Value {
                $crate::engine::config::decode::table_schema::<Self>(
                    stringify!($name), concat!($($doc),*), definitions,
                )
            }
        }
    };
}

pub(crate) use {table, tagged, words};

/// The key of a field: its Rust name without the mark that keywords need.
pub fn key(field: &'static str) -> &'static str {
    field.strip_prefix("r#").unwrap_or(field)
}
