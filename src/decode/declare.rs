//! The macros by which surfaces declare their tables, closed sets of words and tables of several forms.

/// Declares a table of the engine file: `required`, `optional` (with an optional default) and `flatten` keys, and last
/// the `places` of them where checks point at single ones.
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
                Self { $( $field: $crate::decode::table!(@default [$($default)?] $ty), )* }
            }
        }

        impl $crate::decode::Table for $name {
            const WHAT: &'static str = $what;
            fn read(
                reader: &mut $crate::decode::TableReader<'_>,
                problems: &mut $crate::decode::Problems,
            ) -> Self {
                let _ = (&reader, &problems);
                Self { $(
                    $field: $crate::decode::table!(
                        @read $kind reader problems
                        ($crate::decode::key(stringify!($field))) [$($default)?] $ty
                    ),
                )* }
            }
            fn write(&self, object: &mut serde_json::Map<String, serde_json::Value>) {
                let _ = &object;
                $( $crate::decode::table!(
                    @write $kind object ($crate::decode::key(stringify!($field))) (&self.$field)
                ); )*
            }
            fn properties(keys: &mut $crate::decode::Keys<'_>) {
                let _ = &keys;
                $( $crate::decode::table!(
                    @keys $kind keys ($crate::decode::key(stringify!($field)))
                    (concat!($($fdoc),*)) [$($default)?] $ty
                ); )*
            }
        }

        impl $crate::decode::Surface for $name {
            fn decode(
                node: $crate::decode::Node<'_>,
                problems: &mut $crate::decode::Problems,
            ) -> Self {
                $crate::decode::decode_table(node, problems)
            }
            fn encode(&self) -> serde_json::Value {
                let mut object = serde_json::Map::new();
                $crate::decode::Table::write(self, &mut object);
                serde_json::Value::Object(object)
            }
            fn schema(definitions: &mut serde_json::Map<String, serde_json::Value>) -> serde_json::Value {
                $crate::decode::table_schema::<Self>(
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
            .unwrap_or_else(|| $crate::decode::table!(@default [$($default)?] $ty))
    };
    (@read places $reader:ident $problems:ident $key:tt [] $ty:ty) => { $reader.places($problems) };
    (@read flatten $reader:ident $problems:ident $key:tt [] $ty:ty) => {
        <$ty as $crate::decode::Table>::read($reader, $problems)
    };

    (@write flatten $object:ident $key:tt $value:expr) => {
        $crate::decode::Table::write($value, $object)
    };
    (@write places $object:ident $key:tt $value:expr) => {};
    (@write $kind:ident $object:ident $key:tt $value:expr) => {
        $object.insert($key.to_owned(), $crate::decode::Surface::encode($value))
    };

    (@keys required $keys:ident $key:tt $doc:tt [] $ty:ty) => { $keys.add::<$ty>($key, $doc, None, true) };
    (@keys optional $keys:ident $key:tt $doc:tt [] $ty:ty) => { $keys.add::<$ty>($key, $doc, None, false) };
    (@keys optional $keys:ident $key:tt $doc:tt [$default:expr] $ty:ty) => {
        $keys.add::<$ty>(
            $key, $doc, Some($crate::decode::Surface::encode(&{ let value: $ty = $default; value })), false,
        )
    };
    (@keys places $keys:ident $key:tt $doc:tt [] $ty:ty) => {};
    (@keys flatten $keys:ident $key:tt $doc:tt [] $ty:ty) => {
        <$ty as $crate::decode::Table>::properties($keys)
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

        impl $crate::decode::Surface for $name {
            fn decode(
                node: $crate::decode::Node<'_>,
                problems: &mut $crate::decode::Problems,
            ) -> Self {
                let word = <$crate::decode::Spanned<String>>::decode(node, problems);
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

/// Declares a table whose other keys depend on the word under one key; the first form is the blank value. With `or text`
/// a text in the table's place stands for the form named.
macro_rules! tagged {
    (
        $(#[doc = $doc:literal])*
        $name:ident called $what:literal by $tag:literal $(or text $textual:ident)? {
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

        impl $crate::decode::Table for $name {
            const WHAT: &'static str = $what;
            fn read(
                reader: &mut $crate::decode::TableReader<'_>,
                problems: &mut $crate::decode::Problems,
            ) -> Self {
                let Some(tag) = $crate::decode::read_tag(reader, $tag, problems) else {
                    reader.accept_rest();
                    return Self::default();
                };
                match tag.as_str() {
                    $($word => {
                        reader.rename(<$inner as $crate::decode::Table>::WHAT);
                        Self::$variant($crate::decode::Table::read(reader, problems))
                    })*
                    wrong => {
                        problems
                            .error("unknown-word", tag.span.clone(), format!("`{wrong}` is no `{}` of {}", $tag, $what))
                            .suggest(wrong, [$($word),*]);
                        reader.accept_rest();
                        Self::default()
                    }
                }
            }
            fn write(&self, object: &mut serde_json::Map<String, serde_json::Value>) {
                object.insert($tag.to_owned(), self.word().into());
                match self { $(Self::$variant(inner) => $crate::decode::Table::write(inner, object)),* }
            }
            fn properties(keys: &mut $crate::decode::Keys<'_>) {
                keys.add_forms($tag, &[$(
                    ($word, concat!($($vdoc),*), <$inner as $crate::decode::Table>::properties),
                )*]);
            }
        }

        impl $crate::decode::Surface for $name {
            fn decode(
                node: $crate::decode::Node<'_>,
                problems: &mut $crate::decode::Problems,
            ) -> Self {
                $(if node.is_text() {
                    return Self::$textual($crate::decode::Textual::from_text(node, problems));
                })?
                $crate::decode::decode_table(node, problems)
            }
            fn encode(&self) -> serde_json::Value {
                $(if let Self::$textual(inner) = self {
                    return $crate::decode::Textual::to_text(inner);
                })?
                let mut object = serde_json::Map::new();
                $crate::decode::Table::write(self, &mut object);
                serde_json::Value::Object(object)
            }
            fn schema(definitions: &mut serde_json::Map<String, serde_json::Value>) -> serde_json::Value {
                let schema = $crate::decode::table_schema::<Self>(
                    stringify!($name), concat!($($doc),*), definitions,
                );
                $(let schema = {
                    let _ = stringify!($textual);
                    serde_json::json!({ "anyOf": [{ "type": "string", "minLength": 1 }, schema] })
                };)?
                schema
            }
        }
    };
}

pub(crate) use {table, tagged, words};
