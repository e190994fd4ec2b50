//! The macro by which the keys of the texts are declared.

/// Declares areas of keys. `key;` is a text as it stands, `key(name);` one with something put in, `key[n];` one that
/// counts. Each becomes a method of its area, which takes what the text needs.
macro_rules! areas {
    ($(
        $(#[doc = $doc:literal])*
        $area:ident: $type:ident {
            $( $key:ident $( ( $($name:ident),+ ) )? $( [ $count:ident $(, $more:ident)* ] )? ; )*
        }
    )*) => {
        table! {
            /// Everything that the program says, in one language.
            Words called "the file of a language" {
                /// The code of the language, as its file is called.
                required code: String,
                /// What its speakers call it.
                required name: String,
                $( $(#[doc = $doc])* required $area: $type, )*
            }
        }

        impl Words {
            /// Reports names in texts that are not those of their keys.
            pub(super) fn check(&self, problems: &mut Problems) {
                $( $(
                    let path = concat!(stringify!($area), ".", stringify!($key));
                    areas!(@check (self.$area.$key) path problems $( ( $($name),+ ) )? $( [ $count $(, $more)* ] )?);
                )* )*
            }
        }

        $(
            table! {
                $(#[doc = $doc])*
                $type called "an area of the texts" {
                    $( required $key: Text, )*
                }
            }

            impl $type {
                $( areas!(@method $key $( ( $($name),+ ) )? $( [ $count $(, $more)* ] )?); )*
            }
        )*
    };

    (@check ($text:expr) $path:ident $problems:ident) => { $text.check($path, false, &[], $problems) };
    (@check ($text:expr) $path:ident $problems:ident ( $($name:ident),+ )) => {
        $text.check($path, false, &[$(stringify!($name)),+], $problems)
    };
    (@check ($text:expr) $path:ident $problems:ident [ $count:ident $(, $more:ident)* ]) => {
        $text.check($path, true, &[stringify!($count) $(, stringify!($more))*], $problems)
    };

    (@method $key:ident) => {
        pub(crate) fn $key(&self) -> &str {
            self.$key.plain()
        }
    };
    (@method $key:ident ( $($name:ident),+ )) => {
        pub(crate) fn $key(&self, $($name: impl Display),+) -> String {
            self.$key.filled(&[$((stringify!($name), &$name)),+])
        }
    };
    (@method $key:ident [ $count:ident $(, $more:ident)* ]) => {
        pub(crate) fn $key(&self, $count: impl Into<Count> $(, $more: impl Display)*) -> String {
            let $count: Count = $count.into();
            self.$key.counted($count, &[(stringify!($count), &$count) $(, (stringify!($more), &$more))*])
        }
    };
}

pub(super) use areas;
