//! What a key can do: run a command of the table, or move about in what has the focus.

use crate::app::commands::{COMMANDS, Command};

/// Where a key is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    Global,
    Composer,
    Chat,
    Sidebar,
    /// In a list that is narrowed by typing, and in fields for one line of text.
    Palette,
    /// In any other overlay.
    Overlay,
    /// On the first screen.
    Picker,
}

impl Context {
    pub const ALL: [Self; 7] =
        [Self::Global, Self::Composer, Self::Chat, Self::Sidebar, Self::Palette, Self::Overlay, Self::Picker];

    /// Its name in keymaps.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Composer => "composer",
            Self::Chat => "chat",
            Self::Sidebar => "sidebar",
            Self::Palette => "palette",
            Self::Overlay => "overlay",
            Self::Picker => "picker",
        }
    }

    /// Where that is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Global => "Everywhere",
            Self::Composer => "In the composer",
            Self::Chat => "In the conversation",
            Self::Sidebar => "In the sidebar",
            Self::Palette => "In lists and fields",
            Self::Overlay => "In other windows",
            Self::Picker => "On the first screen",
        }
    }
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Runs a command of the table.
    Run(Command),
    Do(Motion),
}

/// Declares the motions once: their variants, their names in keymaps and what the help says of them.
macro_rules! motions {
    ($($variant:ident = $name:literal, $about:literal;)*) => {
        /// What a key does that is not a command.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Motion {
            $(#[doc = $about] $variant,)*
        }

        impl Motion {
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name in keymaps.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// What it does, in a few words.
            pub fn about(self) -> &'static str {
                match self { $(Self::$variant => $about),* }
            }
        }
    };
}

motions! {
    Palette = "palette", "commands";
    FocusNext = "focus_next", "next pane";
    FocusPrevious = "focus_previous", "previous pane";
    Back = "close", "close, cancel or dismiss";
    Interrupt = "interrupt", "cancel, clear the draft, or leave";
    Suspend = "suspend", "put the program to sleep";
    Redraw = "redraw", "draw the screen anew";
    Send = "send", "send";
    Newline = "newline", "new line";
    HistoryPrevious = "history_previous", "earlier draft";
    HistoryNext = "history_next", "later draft";
    Complete = "complete", "complete the command";
    Undo = "undo_edit", "undo typing";
    Redo = "redo_edit", "redo typing";
    Up = "up", "up";
    Down = "down", "down";
    Left = "left", "fold, or back";
    Right = "right", "unfold, or on";
    PageUp = "page_up", "a page up";
    PageDown = "page_down", "a page down";
    Top = "top", "to the beginning";
    Bottom = "bottom", "to the end";
    PreviousMessage = "previous_message", "previous message";
    NextMessage = "next_message", "next message";
    FindNext = "find_next", "next match";
    FindPrevious = "find_previous", "previous match";
    CopyMessage = "copy_message", "copy this message";
    CopyCode = "copy_code", "copy its code";
    EditMessage = "edit_message", "change this message";
    Open = "open", "open";
    Toggle = "toggle", "fold or unfold";
    Accept = "accept", "accept";
    Decline = "decline", "decline";
    Change = "change", "change";
    Clear = "clear", "clear";
    Erase = "erase", "erase at once";
    Later = "later", "set aside";
}

impl Action {
    /// Its name in keymaps.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run(command) => command.entry().name,
            Self::Do(motion) => motion.name(),
        }
    }

    /// What it does, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Run(command) => command.entry().about,
            Self::Do(motion) => motion.about(),
        }
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        COMMANDS.iter().map(|entry| entry.name).chain(Motion::ALL.iter().map(|motion| motion.name()))
    }

    pub fn named(name: &str) -> Option<Self> {
        let motion = || Motion::ALL.iter().find(|motion| motion.name() == name).map(|motion| Self::Do(*motion));
        COMMANDS.iter().find(|entry| entry.name == name).map(|entry| Self::Run(entry.command)).or_else(motion)
    }
}
