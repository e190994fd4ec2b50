//! The scopes: the names under which a theme gives things their look.

/// What a scope paints, which decides how much it must stand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text that is read: it must stand out from its background by the contrast that WCAG asks of text.
    Text,
    /// Lines, tracks and empty parts: they may be faint.
    Line,
}

macro_rules! scopes {
    ($($kind:ident $variant:ident = $name:literal, $doc:literal;)*) => {
        /// A name under which a theme gives a thing its look.
        ///
        /// An enum and not a string, so that a misspelt scope does not compile and looking one up costs an index.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Scope {
            $(#[doc = $doc] $variant,)*
        }

        impl Scope {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in theme files.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it paints.
            pub const fn kind(self) -> Kind {
                match self { $(Self::$variant => Kind::$kind,)* }
            }

            /// What it is for, in a sentence.
            pub const fn purpose(self) -> &'static str {
                match self { $(Self::$variant => $doc,)* }
            }
        }
    };
}

scopes! {
    Text Default = "default", "Plain text, and the ground everything stands on.";
    Text Muted = "muted", "Text of less weight: times, hints, notes.";
    Text Accent = "accent", "Text that draws the eye.";
    Line Border = "border", "Lines around and between panes.";
    Line BorderFocused = "border.focused", "Lines around the pane that has the keys.";
    Text Header = "header", "The line at the top.";
    Text HeaderTitle = "header.title", "The engine and the session in it.";
    Text HeaderDetail = "header.detail", "Model, tokens and cost in it.";
    Text Footer = "footer", "The line of key hints at the bottom.";
    Text FooterKey = "footer.key", "A key in it.";
    Text ChatUser = "chat.user", "The user's own words.";
    Line ChatUserMark = "chat.user.mark", "The mark beside the user's own words.";
    Text ChatAssistant = "chat.assistant", "What the engine says.";
    Text ChatName = "chat.name", "Who speaks.";
    Text ChatSystem = "chat.system", "What the program itself has to say.";
    Text ChatStreaming = "chat.streaming", "The place where an answer is still being written.";
    Text Heading = "markdown.heading", "A heading of the lower ranks.";
    Text Heading1 = "markdown.heading.1", "A heading of the first rank.";
    Text Heading2 = "markdown.heading.2", "A heading of the second rank.";
    Text Heading3 = "markdown.heading.3", "A heading of the third rank.";
    Text Emphasis = "markdown.emphasis", "Emphasised text.";
    Text Strong = "markdown.strong", "Strong text.";
    Text Strike = "markdown.strike", "Text struck out.";
    Text InlineCode = "markdown.code", "Code within a sentence.";
    Text Link = "markdown.link", "The text of a link.";
    Text LinkTarget = "markdown.link.target", "Where a link leads.";
    Text Quote = "markdown.quote", "Quoted text.";
    Line QuoteMark = "markdown.quote.mark", "The mark beside quoted text.";
    Text ListMarker = "markdown.list", "Bullets and numbers.";
    Text ListDone = "markdown.list.done", "The box of a task that is done.";
    Line Rule = "markdown.rule", "A line across.";
    Text TableHead = "markdown.table.head", "The head of a table.";
    Line TableLine = "markdown.table.line", "The lines of a table.";
    Text Code = "code", "A block of code.";
    Text CodeLabel = "code.label", "The language of a block.";
    Text CodeComment = "code.comment", "Comments in code.";
    Text CodeKeyword = "code.keyword", "Keywords.";
    Text CodeString = "code.string", "Strings.";
    Text CodeNumber = "code.number", "Numbers and other constants.";
    Text CodeFunction = "code.function", "Names of functions.";
    Text CodeType = "code.type", "Names of types.";
    Text CodeVariable = "code.variable", "Parameters and variables.";
    Text CodeTag = "code.tag", "Tags, keys and headings in data.";
    Text CodeOperator = "code.operator", "Operators and punctuation.";
    Text CodeInserted = "code.inserted", "Lines that a change adds.";
    Text CodeDeleted = "code.deleted", "Lines that a change removes.";
    Text Sidebar = "sidebar", "The sidebar.";
    Text SidebarTitle = "sidebar.title", "Titles in it.";
    Text SidebarCount = "sidebar.count", "Counts and numbers in it.";
    Text Obligation = "sidebar.obligation", "An obligation of the checklist.";
    Text ObligationPending = "sidebar.obligation.pending", "One of which nothing is known.";
    Text ObligationPartial = "sidebar.obligation.partial", "One of which something is known.";
    Text ObligationSatisfied = "sidebar.obligation.satisfied", "One of which all is known.";
    Text ObligationDeferred = "sidebar.obligation.deferred", "One that was put off.";
    Text Confidence = "sidebar.confidence", "How sure it is.";
    Text PhaseDone = "sidebar.phase.done", "A phase that is over.";
    Text PhaseCurrent = "sidebar.phase.current", "The phase the conversation is in.";
    Text PhaseAhead = "sidebar.phase.ahead", "A phase still to come.";
    Line ProgressFull = "sidebar.progress.full", "The full part of the completeness bar.";
    Line ProgressEmpty = "sidebar.progress.empty", "Its empty part.";
    Line ProgressTick = "sidebar.progress.tick", "Its tick where \"ready\" begins.";
    Text ProgressReady = "sidebar.progress.ready", "The bar and the number once it is ready.";
    Text Task = "sidebar.task", "A background task.";
    Text TaskRunning = "sidebar.task.running", "One that runs.";
    Text TaskCompleted = "sidebar.task.completed", "One that is done.";
    Text TaskFailed = "sidebar.task.failed", "One that was given up.";
    Text TaskNeedsUser = "sidebar.task.needs_user", "One that needs the user.";
    Text Mode = "sidebar.mode", "The name of a mode.";
    Line ModeObserved = "sidebar.mode.observed", "Its observed share.";
    Line ModeTarget = "sidebar.mode.target", "The share it aims at.";
    Line ModeEmpty = "sidebar.mode.empty", "The rest of the bar.";
    Text Budget = "sidebar.budget", "What the session cost.";
    Line BudgetFull = "sidebar.budget.full", "The spent part of the bar.";
    Line BudgetEmpty = "sidebar.budget.empty", "The rest of it.";
    Text BudgetWarning = "sidebar.budget.warning", "Most of the budget is spent.";
    Text BudgetExceeded = "sidebar.budget.exceeded", "More than the budget is spent.";
    Text Composer = "composer", "What is being written.";
    Text ComposerPlaceholder = "composer.placeholder", "What stands in an empty composer.";
    Text ComposerCursor = "composer.cursor", "The place where typing goes on.";
    Text Selection = "selection", "Selected text.";
    Text Highlight = "highlight", "Quoted words that were jumped to.";
    Text SearchMatch = "search.match", "What a search found.";
    Text SearchCurrent = "search.match.current", "The find that is looked at.";
    Text List = "list", "A line of a list.";
    Text ListSelected = "list.selected", "The selected line.";
    Text ListMatch = "list.match", "Letters that match what was typed.";
    Text ListDetail = "list.detail", "The second thing said on a line.";
    Text Overlay = "overlay", "A window over the rest.";
    Line OverlayBorder = "overlay.border", "Its border.";
    Text OverlayTitle = "overlay.title", "Its title.";
    Text ToastInfo = "toast.info", "A notice.";
    Text ToastSuccess = "toast.success", "Something worked.";
    Text ToastWarning = "toast.warning", "Something to look at.";
    Text ToastError = "toast.error", "Something failed.";
    Line ScrollThumb = "scrollbar.thumb", "The moving part of a scroll bar.";
    Line ScrollTrack = "scrollbar.track", "The track of a scroll bar.";
    Line PlotLine = "plot.line", "Observed values over turns.";
    Line PlotTarget = "plot.target", "The value that was aimed at.";
    Line PlotAxis = "plot.axis", "The axes.";
    Text Good = "status.good", "A check that passed, a trigger that fired.";
    Text Warning = "status.warning", "A check with a doubt.";
    Text Bad = "status.bad", "A check that failed.";
}

impl Scope {
    /// The names that are tried for this scope, from the nearest to the furthest; `default` is not among them, because
    /// what a scope leaves open shows what lies under it.
    pub fn fallbacks(self) -> impl Iterator<Item = &'static str> {
        let mut rest = Some(self.name());
        std::iter::from_fn(move || {
            let name = rest?;
            rest = name.rfind('.').map(|dot| &name[..dot]);
            Some(name)
        })
    }
}

/// Whether some scope has this name or falls back to it.
pub(super) fn is_known(name: &str) -> bool {
    Scope::ALL.iter().any(|scope| scope.fallbacks().any(|known| known == name))
}

/// Every name that a theme may give a look.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    Scope::ALL.iter().flat_map(|scope| scope.fallbacks())
}
