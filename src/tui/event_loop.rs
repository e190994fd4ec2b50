//! The event loop: everything that waits to be taken in is taken in, then one frame is drawn, at most every 16 ms. What
//! the user does is shown at once, however much else there is to show.
//!
//! **Invariant:** nothing is drawn without a cause, so that an idle app costs nothing.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use super::effects::{EffectHandler, Messages};
use crate::app::effect::TerminalEffect;
use crate::app::msg::ChatMsg;
use crate::app::{Effect, Model, Msg, update};
use crate::ui::frames::Frames;

/// The shortest time between two frames.
const FRAME: Duration = Duration::from_millis(16);

/// A window that is dragged about may tell of its last size before it has it: all is drawn once more after this.
const SETTLES: Duration = Duration::from_millis(120);
/// The time between two frames that only the clock is the cause of.
const TICK: Duration = Duration::from_millis(100);

/// What a frame is due to.
#[derive(Clone, Copy)]
enum Cause {
    /// A key, the mouse, the window.
    User,
    Outside,
    Clock,
}

/// Where messages from outside the program come from: keys, the mouse, signals.
pub trait Input {
    /// The next message; `None` when there will be none any more. Dropping the future loses nothing.
    fn next(&mut self) -> impl Future<Output = Option<Msg>>;

    /// Stops listening while another program has the terminal.
    fn pause(&mut self);
}

/// Paints a frame and says where the cursor belongs.
pub type Paint<'p> = dyn FnMut(&mut Buffer) -> Option<Position> + 'p;

/// Where frames go.
pub trait Screen {
    fn show(&mut self, paint: &mut Paint<'_>) -> io::Result<()>;

    /// Finds out, or asks the terminal, what a theme that follows it has to know. Nothing waits for the answer.
    fn look_around(&mut self, _theme: &str) -> io::Result<Vec<Msg>> {
        Ok(Vec::new())
    }

    /// Carries out what is the terminal's business.
    fn perform(&mut self, effect: TerminalEffect) -> io::Result<Option<Msg>>;
}

/// The app with everything it runs on.
#[derive(Debug)]
pub struct EventLoop<H> {
    pub model: Model,
    frames: Frames,
    handler: H,
    sender: Messages,
    receiver: mpsc::UnboundedReceiver<Msg>,
    started: Instant,
    idle: watch::Sender<u64>,
}

impl<H: EffectHandler> EventLoop<H> {
    /// An app that is about to start. `handler` makes what carries out its effects and gets the way back to the app.
    pub fn start(model: Model, mut frames: Frames, handler: impl FnOnce(Messages) -> H) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        let wake = sender.clone();
        frames.colour_beside(Arc::new(move || wake.send(Msg::Chat(ChatMsg::Coloured)).is_ok()));
        let handler = handler(sender.clone());
        Self { model, frames, handler, sender, receiver, started: Instant::now(), idle: watch::channel(0).0 }
    }

    /// What carried out the effects, to be finished once the app has ended.
    pub(crate) fn into_handler(self) -> H {
        self.handler
    }

    /// The way to send messages into the loop.
    pub fn messages(&self) -> Messages {
        self.sender.clone()
    }

    /// Counts the moments at which everything was taken in and drawn: tests wait for it instead of for time.
    pub fn idle(&self) -> watch::Receiver<u64> {
        self.idle.subscribe()
    }

    /// Runs until the app ends or the input does. `first` is carried out before anything else.
    pub async fn run<I: Input, S: Screen>(
        &mut self,
        first: Vec<Effect>,
        input: &mut I,
        screen: &mut S,
    ) -> io::Result<()> {
        self.carry_out(first, input, screen)?;
        let mut due: Option<Instant> = Some(Instant::now());
        let mut last = Instant::now() - FRAME;
        // The last frame that was due because of the user.
        let mut answered = last;
        let mut settles: Option<Instant> = None;
        let mut is_first = true;
        while !self.model.quitting {
            if due.is_some_and(|due| due <= Instant::now()) && self.receiver.is_empty() {
                let mut more = self.paint(input, screen)?;
                // What the first frame could not show yet is drawn as soon as it comes.
                last = Instant::now();
                if std::mem::take(&mut is_first) {
                    last -= FRAME;
                    if self.model.is_new {
                        self.take_in(Msg::Begun, input, screen)?;
                        more = true;
                    }
                    // Asked now, it delays nothing that is to be seen.
                    for msg in screen.look_around(&self.model.theme)? {
                        self.take_in(msg, input, screen)?;
                        more = true;
                    }
                }
                due = more.then_some(last);
                self.idle.send_modify(|count| *count += 1);
            }
            // With nothing to draw, the next frame is the clock's, and only if something moves.
            let ticking = due.is_none() && self.model.wants_clock();
            let frame = [due, settles, ticking.then(|| last + TICK)].into_iter().flatten().min();
            // The draft is kept without a frame.
            let keeping = self.model.draft_due().map(|due| self.started + due);
            let wake = [frame, keeping].into_iter().flatten().min();
            let (msg, cause) = tokio::select! {
                msg = input.next() => match msg {
                    Some(msg) => (msg, Cause::User),
                    None => return self.end(input, screen),
                },
                // A frame is on its way already: what else comes until then is taken in with it, all at once.
                Some(msg) = self.receiver.recv(), if due.is_none_or(|due| due <= Instant::now()) => {
                    (msg, Cause::Outside)
                }
                () = sleep_until(wake.unwrap_or(last)), if wake.is_some() => {
                    if settles.is_some_and(|settled| wake.is_some_and(|wake| settled <= wake)) {
                        settles = None;
                        screen.perform(TerminalEffect::Redraw)?;
                    }
                    if wake == frame {
                        due = wake;
                    }
                    (Msg::Clock(self.started.elapsed()), Cause::Clock)
                }
            };
            if matches!(msg, Msg::Resize(..)) {
                // A window that was small for a moment has lost what it showed, though its size is what it was.
                screen.perform(TerminalEffect::Redraw)?;
                settles = Some(Instant::now() + SETTLES);
            }
            self.take_in(msg, input, screen)?;
            while let Ok(msg) = self.receiver.try_recv() {
                self.take_in(msg, input, screen)?;
            }
            let next = match cause {
                Cause::User => {
                    answered = (answered + FRAME).max(Instant::now());
                    Some(answered)
                }
                Cause::Outside => Some((last + FRAME).max(Instant::now())),
                Cause::Clock => None,
            };
            due = [due, next].into_iter().flatten().min();
        }
        Ok(())
    }

    /// The terminal went away: what was written is kept.
    fn end<I: Input, S: Screen>(&mut self, input: &mut I, screen: &mut S) -> io::Result<()> {
        let effects = crate::app::leaving::quit_now(&mut self.model);
        self.carry_out(effects, input, screen)
    }

    fn take_in<I: Input, S: Screen>(&mut self, msg: Msg, input: &mut I, screen: &mut S) -> io::Result<()> {
        let mut effects = update(&mut self.model, Msg::Clock(self.started.elapsed()));
        effects.extend(update(&mut self.model, msg));
        self.carry_out(effects, input, screen)
    }

    fn carry_out<I: Input, S: Screen>(
        &mut self,
        effects: Vec<Effect>,
        input: &mut I,
        screen: &mut S,
    ) -> io::Result<()> {
        for effect in effects {
            let effect = match effect {
                Effect::Terminal(effect) => effect,
                Effect::Outside(effect) => {
                    self.handler.handle(effect, &self.sender);
                    continue;
                }
            };
            if matches!(effect, TerminalEffect::OpenEditor(_) | TerminalEffect::Suspend) {
                input.pause();
            }
            if let Some(msg) = screen.perform(effect)? {
                let _ = self.sender.send(msg);
            }
        }
        Ok(())
    }

    /// Draws a frame. Says whether something came of it that wants the next one.
    fn paint<I: Input, S: Screen>(&mut self, input: &mut I, screen: &mut S) -> io::Result<bool> {
        let (model, frames) = (&mut self.model, &mut self.frames);
        screen.show(&mut |buffer| frames.paint(model, buffer))?;
        let Some(text) = self.frames.take_selected() else { return Ok(false) };
        self.take_in(Msg::Selected(text), input, screen)?;
        Ok(true)
    }
}
