//! Who answers for the engine: the models of an endpoint, the offline interviewer, or a script.

use std::fmt::Write as _;
use std::sync::Arc;

use jiff::Timestamp;

use super::protocol::Endpoint;
use super::scripted::ScriptedModel;
use super::{tools, write_on};
use crate::engine::Engine;
use crate::engine::context::AssembledContext;
use crate::engine::memory::WorkingMemory;
use crate::engine::ports::{
    AnalysisReply, AnalysisRequest, CallError, CallRecord, Pacing, ResponseReply, ResponseRequest, SummaryReply,
    SummaryRequest,
};
use crate::engine::qa::{AGAIN, Said, is_worth_its_end as is_worth};
use crate::engine::reading::Heard;
use crate::engine::transcript::{Role, Transcript};
use crate::llm::{
    Booking, Budget, BudgetReached, CallRole, Capabilities, ChatError, ChatEvent, ChatMessage, ChatReply, ChatRequest,
    Ended, Finish, Means, Models, OutputSchema, json_text, offline,
};

use crate::settings::Settings;

/// Who answers for the engine.
#[derive(Clone, Debug)]
pub enum Backend {
    /// The embedded interviewer.
    Offline,
    /// Models on an endpoint.
    Models(Arc<Models>),
    /// A model that says what it was told to say.
    Scripted(Arc<ScriptedModel>),
}

/// What an answer to words beside the conversation is made from.
pub(super) struct AsideRequest<'a> {
    pub engine: &'a Engine,
    pub memory: &'a WorkingMemory,
    pub transcript: &'a Transcript,
    pub message: &'a str,
    /// What rules make of them.
    pub heard: &'a Heard,
    /// The conversation, with them as its last message.
    pub context: &'a AssembledContext<'a>,
}

/// The most tokens of an answer to an aside.
const ASIDE_TOKENS: u32 = 600;

/// How freely an answer is written that takes the place of another.
const VARIED: f32 = 1.0;

/// Where events of a call go.
pub(super) type OnChat<'a> = &'a mut (dyn FnMut(ChatEvent) + Send);

impl Backend {
    /// Who answers by the settings.
    pub fn configured(settings: &Settings) -> Result<Self, ChatError> {
        Ok(settings.models()?.map_or(Self::Offline, |models| Self::Models(Arc::new(models))))
    }

    /// The same for a session: what its calls cost is booked into its own budget.
    pub(super) fn under(&self, budget: &Arc<Budget>) -> Self {
        match self {
            Self::Models(models) => Self::Models(Arc::new(models.under(budget))),
            Self::Offline | Self::Scripted(_) => self.clone(),
        }
    }

    /// The name for the status line.
    pub fn name(&self) -> String {
        match self {
            Self::Offline => "offline".to_owned(),
            Self::Scripted(_) => "scripted".to_owned(),
            Self::Models(models) => models.client(CallRole::Respond).endpoint().model.clone(),
        }
    }

    /// The models behind it, if there are any.
    pub fn models(&self) -> Option<Arc<Models>> {
        match self {
            Self::Offline | Self::Scripted(_) => None,
            Self::Models(models) => Some(Arc::clone(models)),
        }
    }

    /// Thresholds of the budget that were crossed since somebody last asked, in words.
    pub(super) fn alerts(&self) -> Vec<String> {
        let alerts = self.models().map(|models| models.budget().take_alerts()).unwrap_or_default();
        alerts.iter().map(ToString::to_string).collect()
    }

    /// What answers, for people.
    pub fn endpoint(&self) -> Endpoint {
        let label = if self.is_offline() { "offline interviewer".to_owned() } else { self.name() };
        let mut hosts: Vec<String> = Vec::new();
        if let Some(models) = self.models() {
            // What reads along is named as well, the one that answers first.
            for host in CallRole::ALL.map(|role| models.client(role).endpoint().host()) {
                if !hosts.contains(&host) {
                    hosts.push(host);
                }
            }
        }
        Endpoint { label, offline: self.is_offline(), host: hosts.join(", ") }
    }

    /// Whether there is no model behind it.
    pub fn is_offline(&self) -> bool {
        matches!(self, Self::Offline)
    }

    /// In which order analysis and answer are best asked for now.
    /// The prompt has about so many tokens.
    pub(super) fn pacing(&self, prompt: u64) -> Pacing {
        match self {
            Self::Offline | Self::Scripted(_) => Pacing::AtOnce,
            Self::Models(models) if models.budget().is_near_a_cap() || !models.fits_a_turn(prompt) => {
                Pacing::AnalysisFirst("a cap is near")
            }
            Self::Models(models) if models.serves_at_once() => Pacing::Together,
            Self::Models(_) => Pacing::AnswerFirst,
        }
    }

    /// Whether a tool and the answer after it, with a prompt of about so many tokens, are within the budget.
    pub(super) fn affords_tools(&self, prompt: u64) -> bool {
        match self {
            Self::Models(models) => !models.budget().is_near_a_cap() && models.fits_tools(prompt),
            Self::Offline | Self::Scripted(_) => true,
        }
    }

    /// Says what stands in the way of an analysis that an answer follows.
    pub(super) fn check_turn(&self, prompt: u64) -> Result<(), CallError> {
        let Self::Models(models) = self else { return Ok(()) };
        models.check_turn(prompt).map_err(|reached| call_error(ChatError::Budget(reached)))
    }

    /// How many tokens fit into a request to each of the two models of a conversation, where that is known.
    pub(super) fn window(&self) -> Option<u32> {
        let models = self.models()?;
        let window = |role: CallRole| models.client(role).window();
        [CallRole::Analyse, CallRole::Respond].into_iter().filter_map(window).min()
    }

    /// Whether a small model answers, which needs short prompts and help from rules.
    pub(super) fn is_small(&self) -> bool {
        matches!(self, Self::Models(models) if models.are_small())
    }

    /// Calls that ended since this was last asked and whose reply nobody has.
    pub(super) fn other_calls(&self) -> Vec<CallRecord> {
        let ended = self.models().map(|models| models.budget().take_ended()).unwrap_or_default();
        ended.into_iter().map(record).collect()
    }

    pub(super) async fn analyse(
        &self,
        request: &AnalysisRequest<'_>,
        on_event: OnChat<'_>,
    ) -> Result<AnalysisReply, CallError> {
        let models = match self {
            Self::Models(models) => models,
            Self::Offline => return Ok(offline::analyse(request)),
            Self::Scripted(model) => return Ok(model.analyse()),
        };
        let chat = ChatRequest {
            system: owned(&request.context.system_parts()),
            messages: messages(request.context.report_messages(&request.report())),
            schema: Some(OutputSchema {
                name: "analysis".to_owned(),
                schema: Arc::clone(&request.schema),
                in_parts: true,
            }),
            max_output_tokens: Some(request.max_output_tokens),
            temperature: Some(0.0),
            ..ChatRequest::default()
        };
        let client = models.client(CallRole::Analyse);
        let before = client.capabilities();
        let asked = models.chat(CallRole::Analyse, &chat, on_event).await;
        let mut warnings = means_changed(&before, &client.capabilities());
        let reply = match asked {
            Ok(reply) => reply,
            // What a model wrote may still have something in it; and if not, the conversation goes on, and is paid for.
            Err(error) if error.is_about_the_answer() => {
                let text = error.answer().unwrap_or_default().to_owned();
                let cut = !json_text::is_whole(&text);
                return Ok(AnalysisReply { text, cut, warnings, call: CallRecord::default() });
            }
            Err(error) => return Err(call_error(error)),
        };
        warnings.extend(peculiarities(&before, &reply));
        let call = of_reply(models, CallRole::Analyse, &reply);
        Ok(AnalysisReply { call, cut: false, warnings, text: reply.text })
    }

    pub(super) async fn respond(
        &self,
        request: &ResponseRequest<'_>,
        varied: bool,
        on_event: OnChat<'_>,
    ) -> Result<ResponseReply, CallError> {
        let models = match self {
            Self::Models(_) if request.by_rules => return Ok(offline::respond(request)),
            Self::Models(models) => models,
            Self::Offline => return Ok(offline::respond(request)),
            Self::Scripted(model) => return Ok(model.respond(request)),
        };
        let context = request.context;
        let mut messages = messages(context.chat_messages());
        messages.extend(request.rounds.iter().flat_map(tools::told));
        if let Some(revision) = &request.revision {
            let wrong: Vec<&str> = revision.findings.iter().map(|finding| finding.message.as_str()).collect();
            messages.push(ChatMessage::assistant(revision.draft));
            messages.push(ChatMessage::user(format!(
                "{AGAIN}, better: {} Reply with the new answer only.]",
                wrong.join(" ")
            )));
        }
        let chat = ChatRequest {
            system: owned(&context.system_parts()),
            messages,
            tools: request.tools.iter().copied().map(tools::offer).collect(),
            may_call: request.may_call,
            max_output_tokens: Some(context.output_reserve),
            // A user who asks for another answer does not want the same one again.
            temperature: varied.then_some(VARIED),
            ..ChatRequest::default()
        };
        let client = models.client(CallRole::Respond);
        let before = client.capabilities();
        let is_worth_it = |begun: &str| request.revision.is_none() && is_worth_its_end(request, begun);
        let reply = write_on::answer(models, chat, &is_worth_it, on_event).await.map_err(call_error)?;
        let warnings = peculiarities(&before, &reply);
        Ok(ResponseReply {
            call: of_reply(models, CallRole::Respond, &reply),
            cut: reply.finish == Finish::Length,
            text: reply.text,
            asked: None,
            tools_refused: !before.no_tools && client.capabilities().no_tools,
            warnings,
            calls: reply.calls,
        })
    }

    /// Answers an aside, and says what that has cost. Without a model the engine's own words are the answer, where the
    /// aside asks back; else there is none.
    pub(super) async fn aside(
        &self,
        request: &AsideRequest<'_>,
        on_event: OnChat<'_>,
    ) -> Result<(Option<String>, CallRecord), CallError> {
        let Self::Models(models) = self else {
            let request = ResponseRequest {
                engine: request.engine,
                memory: request.memory,
                transcript: request.transcript,
                message: request.message,
                heard: request.heard,
                agenda: &[],
                techniques: &[],
                changes: &[],
                left_phase: None,
                context: request.context,
                tools: &[],
                may_call: false,
                rounds: &[],
                by_rules: true,
                revision: None,
            };
            return Ok((offline::aside(&request), CallRecord::default()));
        };
        let context = request.context;
        let chat = ChatRequest {
            system: owned(&context.system_parts()),
            messages: messages(context.aside_messages()),
            max_output_tokens: Some(context.output_reserve.min(ASIDE_TOKENS)),
            ..ChatRequest::default()
        };
        let reply = models.chat(CallRole::Respond, &chat, on_event).await.map_err(call_error)?;
        let call = of_reply(models, CallRole::Respond, &reply);
        Ok((Some(reply.text), call))
    }

    pub(super) async fn summarise(
        &self,
        request: &SummaryRequest<'_>,
        memory: &WorkingMemory,
        on_event: OnChat<'_>,
    ) -> Result<SummaryReply, CallError> {
        let Self::Models(models) = self else { return Ok(offline::summarise(request, memory)) };
        let mut material = request.previous.map(|text| format!("Summary so far:\n{text}\n\n")).unwrap_or_default();
        for message in request.messages {
            let who = if message.role == Role::User { "User" } else { "Interviewer" };
            let _ = writeln!(material, "{who}: {}", message.text);
        }
        let chat = ChatRequest {
            system: vec![format!(
                "You shorten a conversation. Keep every fact, figure, name, decision and open point the user gave, in \
                 plain sentences, in at most {} words. Add nothing.",
                request.target_tokens * 3 / 4
            )],
            messages: vec![ChatMessage::user(material)],
            max_output_tokens: Some(request.target_tokens.max(64)),
            temperature: Some(0.0),
            ..ChatRequest::default()
        };
        let reply = models.chat(CallRole::Summarise, &chat, on_event).await.map_err(call_error)?;
        Ok(SummaryReply { call: of_reply(models, CallRole::Summarise, &reply), text: reply.text })
    }
}

/// What there is to tell of how a reply came.
fn peculiarities(before: &Capabilities, reply: &ChatReply) -> Vec<String> {
    let unmarked = (reply.finish == Finish::Unmarked && !before.no_end_mark).then_some(
        "The endpoint does not say when an answer has come to its end; what ends with a whole sentence is taken as whole.",
    );
    let astray = reply.astray.then_some("The model called a tool that it was not given; nothing was done about that.");
    unmarked.into_iter().chain(astray).map(str::to_owned).collect()
}

/// What there is to tell where data is asked for in another way than before.
fn means_changed(before: &Capabilities, now: &Capabilities) -> Vec<String> {
    let changed = before.means() != now.means() && now.means() != Means::JsonSchema;
    let told = || {
        let means = now.means().in_words();
        format!("The endpoint does not give reports by a JSON Schema; {means} is used instead.")
    };
    changed.then(told).into_iter().collect()
}

/// Whether an answer that was cut is worth another call.
fn is_worth_its_end(request: &ResponseRequest<'_>, begun: &str) -> bool {
    let note = request.context.note();
    let said = Said { message: request.message, transcript: request.transcript, note: &note, asks_back: false };
    is_worth(request.engine, request.memory, &said, begun)
}

fn owned(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|part| (*part).to_owned()).collect()
}

fn messages(said: Vec<(Role, String)>) -> Vec<ChatMessage> {
    let message = |(role, text)| match role {
        Role::User => ChatMessage::user(text),
        Role::Assistant => ChatMessage::assistant(text),
    };
    said.into_iter().map(message).collect()
}

fn call_error(error: ChatError) -> CallError {
    if let ChatError::Budget(BudgetReached::Cap(reached)) = error {
        return reached.into();
    }
    if error.is_context_overflow() {
        return CallError::ContextOverflow(error.to_string());
    }
    CallError::Failed { message: error.to_string(), source: Some(Box::new(error)) }
}

/// The call that a reply came from.
fn of_reply(models: &Models, role: CallRole, reply: &ChatReply) -> CallRecord {
    let booking = Booking { role, model: reply.model.clone(), usage: reply.usage.clone(), at: Timestamp::UNIX_EPOCH };
    // It ended, and is told by its reply.
    models.budget().take_last(role);
    record(Ended { booking, took: reply.latency.total, refused: false })
}

fn record(ended: Ended) -> CallRecord {
    let Ended { booking: Booking { role, model, usage, .. }, took, refused } = ended;
    CallRecord {
        role: role.name().to_owned(),
        model,
        input_tokens: usage.input_tokens,
        cached_tokens: usage.cached_input_tokens,
        output_tokens: usage.output_tokens,
        cost_usd: usage.cost_usd.unwrap_or(0.0),
        latency_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        estimated: usage.estimated,
        refused,
    }
}
