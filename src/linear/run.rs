//! The loop of the linear front end: lines in, lines out, in the order in which they come.
//!
//! **Invariant:** a line is never answered while a turn or a session that it would be for is on its way. Where lines come
//! from a file or a pipe, the next one also waits for lists, findings and the brief.

use std::time::Duration;

use tokio::sync::mpsc::{self, Receiver};
use tokio::time::{Instant, sleep_until, timeout};

use super::Linear;
use crate::app::commands::slash;
use crate::app::effect::TerminalEffect;
use crate::app::{Effect, Msg};
use crate::host::protocol::Notice;
use crate::tui::effects::{EffectHandler, Messages};

/// The time between two looks at the clock, while something moves.
const TICK: Duration = Duration::from_millis(500);

/// Lines that are typed come one by one; those that follow each other faster were pasted, and are one message.
const TOGETHER: Duration = Duration::from_millis(40);

/// Where lines come from.
#[derive(Debug)]
pub struct LinesIn {
    /// What is typed; an error in words where it cannot be read.
    pub lines: Receiver<Result<String, String>>,
    /// Ctrl-C (`true`), or that the program is to end.
    pub signals: Receiver<bool>,
    /// Whether a person types. Lines from a pipe are repeated in the output, and each waits until everything that the line
    /// before asked for is done, so that the output is a complete record.
    pub typed: bool,
}

/// Where lines go, and what else only the outside can do.
pub trait Lines {
    fn line(&mut self, line: &str);

    /// Says that a line can be typed, without ending its own.
    fn ask(&mut self, prompt: &str);

    /// Ends the line that was left open by [`ask`](Self::ask), since something is told meanwhile.
    fn end_line(&mut self);

    /// Copies, opens the editor, rings.
    fn perform(&mut self, effect: TerminalEffect) -> Option<Msg>;

    /// Whether nobody reads any more.
    fn is_gone(&self) -> bool;
}

/// The front end with everything it runs on.
struct Talk<'a, H, L> {
    linear: &'a mut Linear,
    handler: H,
    messages: (Messages, mpsc::UnboundedReceiver<Msg>),
    out: &'a mut L,
    started: Instant,
    /// Whether a prompt stands at the end of what was told.
    asked: bool,
    /// A line that was read and is still to be taken in.
    next: Option<String>,
}

/// Talks until the program ends or the input does. What carried out the effects comes back, to be finished.
pub async fn hold<H: EffectHandler, L: Lines>(
    linear: &mut Linear,
    connect: impl FnOnce(Messages) -> H,
    first: Vec<Effect>,
    mut input: LinesIn,
    out: &mut L,
) -> H {
    let (sender, receiver) = mpsc::unbounded_channel();
    let handler = connect(sender.clone());
    let mut talk =
        Talk { linear, handler, messages: (sender, receiver), out, started: Instant::now(), asked: false, next: None };
    talk.carry_out(first);
    let begun = talk.linear.hear(Msg::Begun);
    talk.carry_out(begun);
    talk.run(&mut input).await;
    talk.handler
}

impl<H: EffectHandler, L: Lines> Talk<'_, H, L> {
    async fn run(&mut self, input: &mut LinesIn) {
        while !self.linear.model.quitting && !self.out.is_gone() {
            self.tell();
            let ready = if input.typed { self.linear.is_ready() } else { self.linear.is_settled() };
            // While more is on its way, a prompt would only be one more line.
            if ready && input.typed && !self.asked && self.linear.is_settled() {
                self.out.ask(&self.linear.prompt());
                self.asked = true;
            }
            let draft = self.linear.model.draft_due().map(|due| self.started + due);
            let tick = self.linear.model.turn.is_some().then(|| Instant::now() + TICK);
            let wake = draft.into_iter().chain(tick).min();
            if ready && let Some(line) = self.next.take() {
                let effects = self.answer(line, input).await;
                self.carry_out(effects);
                continue;
            }
            let effects = tokio::select! {
                biased;
                Some(interrupts) = input.signals.recv() => {
                    self.clock();
                    if interrupts { self.linear.interrupt() } else { self.linear.end() }
                }
                Some(msg) = self.messages.1.recv() => {
                    self.clock();
                    self.linear.hear(msg)
                }
                line = input.lines.recv(), if ready => match line {
                    Some(Ok(line)) => self.answer(line, input).await,
                    Some(Err(problem)) => self.linear.hear(Msg::host(Notice::error(problem))),
                    None => self.linear.end(),
                },
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {
                    self.linear.hear(Msg::Clock(self.started.elapsed()))
                }
            };
            self.carry_out(effects);
        }
        self.tell();
    }

    /// Takes a line in, with those that belong to it.
    async fn answer(&mut self, first: String, input: &mut LinesIn) -> Vec<Effect> {
        let mut line = first;
        loop {
            let goes_on = line.ends_with('\\');
            // A command stands alone, and so does what answers a window.
            let pasted = input.typed && self.linear.talks() && slash(&line).is_none();
            let next = match (goes_on, pasted) {
                (true, _) => input.lines.recv().await,
                (false, true) => timeout(TOGETHER, input.lines.recv()).await.ok().flatten(),
                (false, false) => None,
            };
            let Some(Ok(next)) = next else { break };
            if !goes_on && slash(&next).is_some() {
                self.next = Some(next);
                break;
            }
            if goes_on {
                line.pop();
            }
            line.push('\n');
            line.push_str(&next);
        }
        self.asked = false;
        if !input.typed {
            self.out.line(&format!("{}{line}", self.linear.prompt()));
        }
        self.clock();
        let mut effects = self.linear.line(&line);
        // Then the prompt comes once all of it was told.
        if !effects.is_empty() {
            effects.extend(self.linear.ask_when_done());
        }
        effects
    }

    fn clock(&mut self) {
        let effects = self.linear.hear(Msg::Clock(self.started.elapsed()));
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Outside(effect) => self.handler.handle(effect, &self.messages.0),
                Effect::Terminal(effect @ TerminalEffect::Copy(_)) => {
                    let outcome = self.out.perform(effect);
                    let effects = self.linear.copied(outcome);
                    self.carry_out(effects);
                }
                Effect::Terminal(effect) => {
                    if let Some(msg) = self.out.perform(effect) {
                        let _ = self.messages.0.send(msg);
                    }
                }
            }
        }
    }

    fn tell(&mut self) {
        for line in self.linear.take_lines() {
            if std::mem::take(&mut self.asked) {
                self.out.end_line();
            }
            self.out.line(&line);
        }
    }
}
