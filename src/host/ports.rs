//! The outside of one turn: who answers, where the turn is kept, who watches.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::backend::Backend;
use super::protocol::TurnNews;
use super::session::{Keeping, Kept};
use super::spending::Told;
use super::tools::Tools;
use super::waiting::Waiting;
use super::{records, title};
use crate::engine::Engine;
use crate::engine::config::Tool;
use crate::engine::given_back::Beginning;
use crate::engine::memory::WorkingMemory;
use crate::engine::ports::{
    AnalysisReply, AnalysisRequest, CallError, CallRecord, Pacing, PersistError, Ports, ResponseReply, ResponseRequest,
    SummaryReply, SummaryRequest, TurnEvent, TurnToKeep,
};
use crate::engine::reading::Lexicon;
use crate::engine::tools::{ToolFinding, ToolUse};
use crate::llm::ChatEvent;
use crate::store::{Committed, SessionRecord, Store, StoreError, TaskRow};
use crate::tasks;
use crate::words;

/// Is told how a turn is coming along.
pub type OnNews<'a> = &'a mut (dyn FnMut(TurnNews) + Send);

/// The outside of one turn.
pub(super) struct TurnPorts<'a> {
    pub engine: &'a Engine,
    /// The memory before the turn.
    pub memory: &'a WorkingMemory,
    pub backend: &'a Backend,
    pub keeping: &'a Keeping,
    pub record: &'a SessionRecord,
    /// Whether the turns after the one of the record go when this one is kept.
    pub replaces: bool,
    pub started: Instant,
    /// Two calls may be under way, and both have news.
    pub on_news: Mutex<OnNews<'a>>,
    /// What the turn waits for when its answer is there.
    pub waiting: &'a Waiting,
    /// Calls that this turn tells of: those of turns before it that came to nothing, and its own.
    pub told: Told<'a>,
    /// Whether words of the answer have been shown that still count.
    pub shown: AtomicBool,
    /// Words of the answer that are kept back until it is known whether it holds.
    pub held: Mutex<Option<String>>,
    /// Whether the analysis has come to its last part, so that waiting for it is no longer waiting.
    pub nearly_analysed: AtomicBool,
    /// What the store said once the turn was kept, and the title it got.
    pub committed: Mutex<Option<(Committed, Option<String>)>>,
    /// Tasks that were kept with the turn, and the memory they start from.
    pub ordered: Mutex<Option<(Vec<TaskRow>, Arc<WorkingMemory>)>>,
    /// What the model may use besides.
    pub tools: Tools,
    /// Whether the answer waits for the analysis because a cap is near.
    pub serial: AtomicBool,
    /// The last analysis, for a turn that is tried again.
    pub analysed: &'a Mutex<Option<Analysed>>,
}

/// An analysis of which no turn was kept yet.
#[derive(Debug)]
pub(super) struct Analysed {
    /// The turn before the one that it was made for.
    turn: u32,
    message: String,
    reply: AnalysisReply,
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// What was said in this answer before tools were called.
fn said_before(request: &ResponseRequest<'_>) -> String {
    let said = request.rounds.iter().map(|round| round.said.as_str()).filter(|said| !said.is_empty());
    let said: Vec<&str> = said.filter(|_| request.revision.is_none()).collect();
    said.join("\n\n")
}

/// Why the store does not take a turn.
pub(super) fn not_kept(error: StoreError) -> PersistError {
    match error {
        StoreError::Conflict { .. } => PersistError::Elsewhere(
            "this session was changed by another window or process and is loaded again as it stands now; say it again \
             if it still fits"
                .to_owned(),
        ),
        StoreError::TurnUnderWay { .. } => PersistError::Elsewhere(
            "another window or process has a turn of this session under way; say it again when it is done".to_owned(),
        ),
        other => PersistError::Failed(other.to_string()),
    }
}

/// Watches a report being written for its last part, `signals`: what was found stands before it.
#[derive(Default)]
struct LastPart {
    /// The end of what has been written.
    tail: String,
}

impl LastPart {
    const NAME: &str = "\"signals\"";

    /// Takes in what comes, and says whether the last part has begun with it.
    fn has_begun(&mut self, text: &str) -> bool {
        self.tail.push_str(text);
        let begun = self.tail.contains(Self::NAME);
        let keep = self.tail.len().saturating_sub(Self::NAME.len());
        self.tail.drain(..self.tail.floor_char_boundary(keep));
        begun
    }
}

/// What the next prompt has about, in tokens: a little more than the last.
pub(super) fn prompt_tokens(engine: &Engine, memory: &WorkingMemory) -> u64 {
    u64::from(memory.context.tokens.max(engine.preamble().tokens) + MORE_PROMPT)
}

/// What a turn adds to a prompt, about.
const MORE_PROMPT: u32 = 500;

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TurnPorts<'_> {
    fn tell(&self, news: TurnNews) {
        match &news {
            TurnNews::Delta(_) => self.shown.store(true, Ordering::Relaxed),
            TurnNews::Revising(_) => self.shown.store(false, Ordering::Relaxed),
            TurnNews::Begun { .. }
            | TurnNews::Reading
            | TurnNews::Writing
            | TurnNews::Summarising
            | TurnNews::Tool(_)
            | TurnNews::ToolDone(_)
            | TurnNews::Reasoning(_)
            | TurnNews::Queued
            | TurnNews::Retrying { .. }
            | TurnNews::Compressed(_)
            | TurnNews::Step(_)
            | TurnNews::Done(_)
            | TurnNews::AsideDone(_)
            | TurnNews::Failed(_)
            | TurnNews::Cancelled => {}
        }
        (locked(&self.on_news))(news);
    }

    /// Shows words of the answer, or keeps them back. The first words are kept back too where the analysis is all but in.
    fn show(&self, text: String) {
        let mut held = locked(&self.held);
        if held.is_none() && !self.has_shown() && self.nearly_analysed.load(Ordering::Relaxed) {
            *held = Some(String::new());
        }
        match held.as_mut() {
            Some(held) => held.push_str(&text),
            None => self.tell(TurnNews::Delta(text)),
        }
    }

    /// Passes on what happens while a model is asked. Of analyses and summaries the words are not shown, and that one of
    /// them is tried again takes nothing back that was.
    fn relay(&self, event: ChatEvent, shown: bool) {
        match event {
            ChatEvent::Delta(text) if shown => self.show(text),
            ChatEvent::Reasoning(text) if shown => self.tell(TurnNews::Reasoning(text)),
            ChatEvent::Retrying { attempt, wait, error } => {
                if let Some(held) = locked(&self.held).as_mut().filter(|_| shown) {
                    held.clear();
                }
                let voids = shown && self.shown.swap(false, Ordering::Relaxed);
                let reason = error.to_string();
                self.tell(TurnNews::Retrying { attempt, wait_ms: millis(wait), reason, voids });
            }
            ChatEvent::Queued { .. } => self.tell(TurnNews::Queued),
            ChatEvent::Started | ChatEvent::Delta(_) | ChatEvent::Reasoning(_) => {}
        }
    }

    /// The turn as the store keeps it, with its tasks and its title.
    fn prepared(
        &self,
        kept: &Kept,
        commit: &TurnToKeep<'_>,
    ) -> (Result<crate::store::TurnCommit, serde_json::Error>, Vec<TaskRow>, Option<String>) {
        let title = title::from_content(self.engine, commit.memory, &commit.message.text);
        let tasks: Vec<_> = commit.orders.iter().map(|order| kept.scheduler.row(order.clone())).collect();
        let turn = records::turn(self.record, self.memory, commit, title.clone(), tasks.clone(), Timestamp::now());
        (turn, tasks, title)
    }
}

impl Ports for TurnPorts<'_> {
    fn now_micros(&self) -> u64 {
        match self.keeping {
            Keeping::Store(_) => u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX),
            Keeping::Nowhere(rehearsal) => rehearsal.tick(),
        }
    }

    fn pacing(&self) -> Pacing {
        let pacing = self.backend.pacing(prompt_tokens(self.engine, self.memory));
        self.serial.store(matches!(pacing, Pacing::AnalysisFirst(_)), Ordering::Relaxed);
        pacing
    }

    fn window(&self) -> Option<u32> {
        self.backend.window()
    }

    fn model_is_small(&self) -> bool {
        self.backend.is_small()
    }

    async fn analyse(&self, request: &AnalysisRequest<'_>) -> Result<AnalysisReply, CallError> {
        // A turn that came to nothing after its analysis was paid for is tried again with it.
        let same = |kept: &&Analysed| kept.turn == self.memory.turn && kept.message == request.message;
        if let Some(kept) = locked(self.analysed).as_ref().filter(same) {
            return Ok(AnalysisReply { call: CallRecord::default(), ..kept.reply.clone() });
        }
        if self.serial.load(Ordering::Relaxed) {
            self.backend.check_turn(u64::from(request.context.tokens))?;
        }
        self.waiting.analyses(true);
        self.tell(TurnNews::Reading);
        let mut written = LastPart::default();
        let mut on_event = |event: ChatEvent| {
            match &event {
                ChatEvent::Delta(text) if written.has_begun(text) => {
                    self.nearly_analysed.store(true, Ordering::Relaxed);
                }
                ChatEvent::Retrying { wait, error, .. } => {
                    self.nearly_analysed.store(false, Ordering::Relaxed);
                    self.waiting.pause(*wait, &error.to_string());
                }
                ChatEvent::Delta(_) | ChatEvent::Reasoning(_) | ChatEvent::Queued { .. } | ChatEvent::Started => {}
            }
            self.relay(event, false);
        };
        let reply = tokio::select! {
            biased;
            reply = self.backend.analyse(request, &mut on_event) => reply,
            why = self.waiting.left() => Err(CallError::failed(why)),
        };
        self.nearly_analysed.store(false, Ordering::Relaxed);
        self.waiting.analyses(false);
        reply.inspect(|reply| {
            self.told.note(&reply.call);
            let (turn, message) = (self.memory.turn, request.message.to_owned());
            let kept = (!reply.cut).then(|| Analysed { turn, message, reply: reply.clone() });
            *locked(self.analysed) = kept;
        })
    }

    async fn respond(&self, request: &ResponseRequest<'_>) -> Result<ResponseReply, CallError> {
        self.waiting.answers();
        self.tell(TurnNews::Writing);
        let said = said_before(request);
        // What was written before a tool was called comes first; an answer that is begun again begins with it as well.
        let mut begun = said.is_empty();
        let ours = request.engine.reader().lexicon(request.memory.language.current.as_deref()).map(Lexicon::ours);
        let ours = ours.cloned().unwrap_or_default();
        let next = request.agenda.first().map_or("", |item| item.question.as_str());
        // Rules say what they mean: only a model's words are weighed.
        let weighed = self.backend.is_small() && !request.by_rules;
        let beginning = || weighed.then(|| Beginning::new(request.message, next, &ours));
        let mut first_words = beginning();
        let mut on_event = |event: ChatEvent| {
            let (again, first) = (matches!(event, ChatEvent::Retrying { .. }), matches!(event, ChatEvent::Delta(_)));
            if first && !std::mem::replace(&mut begun, true) {
                self.show(if self.has_shown() { "\n\n".to_owned() } else { format!("{said}\n\n") });
            }
            begun &= !again || said.is_empty();
            first_words = if again { beginning() } else { first_words.take() };
            match (event, &mut first_words) {
                (ChatEvent::Delta(text), Some(first_words)) => {
                    if let Some(text) = first_words.add(text) {
                        self.show(text);
                    }
                }
                (event, _) => self.relay(event, true),
            }
        };
        let mut reply = self.backend.respond(request, self.replaces, &mut on_event).await?;
        if let Some(first_words) = &mut first_words {
            if let Some(rest) = first_words.rest() {
                self.show(rest);
            }
            reply.text = Beginning::new(request.message, next, &ours).leave_out(&reply.text);
        }
        self.told.note(&reply.call);
        if self.waiting.answered() {
            self.tell(TurnNews::Reading);
        }
        Ok(reply)
    }

    fn tools(&self) -> &[Tool] {
        &self.tools.granted
    }

    fn may_use_tools(&self) -> bool {
        self.backend.affords_tools(prompt_tokens(self.engine, self.memory))
    }

    async fn use_tool(&self, tool: Tool, query: &str) -> Result<ToolFinding, String> {
        let words = words::spoken(self.memory.language.current.as_deref());
        self.tell(TurnNews::Tool(tool.doing(query, words)));
        let found = match (&self.tools.search, tool) {
            (Some(search), Tool::Search) => search.look(query).await,
            (None, Tool::Search) => Err("there is nothing to search".to_owned()),
        };
        let (places, failed) = match &found {
            Ok(found) => (found.places.clone(), None),
            Err(why) => (Vec::new(), Some(why.clone())),
        };
        let used = ToolUse { tool: tool.word().to_owned(), query: query.to_owned(), places, ms: 0.0, failed };
        self.tell(TurnNews::ToolDone(used.in_words(words)));
        found
    }

    async fn summarise(&self, request: &SummaryRequest<'_>) -> Result<SummaryReply, CallError> {
        self.tell(TurnNews::Summarising);
        let reply = self.backend.summarise(request, self.memory, &mut |event| self.relay(event, false)).await;
        reply.inspect(|reply| self.told.note(&reply.call))
    }

    fn other_calls(&self) -> Vec<CallRecord> {
        self.told.with_earlier(self.backend.other_calls())
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = self.backend.alerts();
        notices.extend(self.tools.notice.clone());
        notices
    }

    fn has_shown(&self) -> bool {
        self.shown.load(Ordering::Relaxed)
    }

    fn hold(&self) {
        locked(&self.held).get_or_insert_default();
    }

    fn release(&self, holds: bool) {
        let held = locked(&self.held).take();
        if let Some(text) = held.filter(|text| holds && !text.is_empty()) {
            self.tell(TurnNews::Delta(text));
        }
    }

    fn persist(&self, commit: &TurnToKeep<'_>) -> impl Future<Output = Result<(), PersistError>> + Send {
        let prepared = match self.keeping {
            Keeping::Store(kept) => {
                let (turn, tasks, title) = self.prepared(kept, commit);
                *locked(&self.ordered) = Some((tasks, Arc::new(commit.memory.clone())));
                Some((turn, title, kept.clone()))
            }
            Keeping::Nowhere(rehearsal) => {
                rehearsal.order(commit.orders);
                None
            }
        };
        let committed = &self.committed;
        let (replaces, before) = (self.replaces, self.record.turn);
        async move {
            let Some((turn, title, kept)) = prepared else { return Ok(()) };
            let turn = turn.map_err(|error| PersistError::Failed(error.to_string()))?;
            let budget = Arc::clone(&kept.budget);
            let keep = move |store: &mut Store| {
                tasks::keep_with(&budget, turn.session_id, |budget, settled| {
                    let turn = crate::store::TurnCommit { budget, settled, ..turn };
                    if replaces { store.replace(turn) } else { store.commit(turn) }
                })
            };
            let done = kept.store.call_async(keep).await;
            let done = done.map_err(not_kept)?;
            *locked(committed) = Some((done, title));
            if replaces {
                kept.scheduler.rewound_to(before);
            }
            Ok(())
        }
    }

    fn dispatch(&self) -> impl Future<Output = ()> + Send {
        if let (Keeping::Store(kept), Some((tasks, memory))) = (self.keeping, locked(&self.ordered).take()) {
            kept.scheduler.start(tasks, &memory);
        }
        std::future::ready(())
    }

    fn emit(&self, event: TurnEvent<'_>) {
        match event {
            TurnEvent::StepDone(entry) => self.tell(TurnNews::Step(Box::new(entry.clone()))),
            TurnEvent::Compressed(strategy) => self.tell(TurnNews::Compressed(strategy.to_owned())),
            TurnEvent::Revising(findings) => {
                let reasons = findings.iter().map(|finding| finding.message.clone()).collect();
                self.tell(TurnNews::Revising(reasons));
            }
            TurnEvent::Discarded(why) => self.tell(TurnNews::Revising(vec![why.to_owned()])),
        }
    }
}
