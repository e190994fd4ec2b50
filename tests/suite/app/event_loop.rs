//! The event loop on a clock of its own: frames are coalesced, and nothing is drawn without a cause.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::time::Duration;

use elenchus::app::effect::{Outside, TerminalEffect};
use elenchus::app::{Model, Msg, Options};
use elenchus::host::protocol::{Event, Request, SessionCommand, TurnNews};
use elenchus::tui::effects::Messages;
use elenchus::tui::event_loop::{EventLoop, Input, Paint, Screen};
use elenchus::ui::frames::Frames;
use elenchus::ui::theme::{ColorDepth, Themes};
use ratatui::buffer::Buffer;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::support::{App, key};

struct Keys(UnboundedReceiver<Msg>);

impl Input for Keys {
    async fn next(&mut self) -> Option<Msg> {
        self.0.recv().await
    }

    fn pause(&mut self) {}
}

/// Counts frames.
struct Counter(Rc<Cell<u32>>);

impl Screen for Counter {
    fn show(&mut self, paint: &mut Paint<'_>) -> io::Result<()> {
        self.0.set(self.0.get() + 1);
        paint(&mut Buffer::empty(ratatui::layout::Rect::new(0, 0, 80, 24)));
        Ok(())
    }

    fn perform(&mut self, _: TerminalEffect) -> io::Result<Option<Msg>> {
        Ok(None)
    }
}

fn frames() -> Frames {
    Frames::new(Themes::built_in(), ColorDepth::TrueColor)
}

#[tokio::test(start_paused = true)]
async fn an_app_nobody_uses_draws_once() {
    let count = Rc::new(Cell::new(0));
    let (_keys, input) = unbounded_channel();
    let nothing = |_: Messages| |_: Outside, _: &Messages| {};
    let mut app = EventLoop::start(Model::new(Options::default()), frames(), nothing);
    let (mut input, mut screen) = (Keys(input), Counter(Rc::clone(&count)));
    let run = app.run(Vec::new(), &mut input, &mut screen);
    assert!(tokio::time::timeout(Duration::from_hours(1), run).await.is_err(), "it waits for ever");
    assert_eq!(count.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_messages_is_drawn_in_a_few_frames() {
    let count = Rc::new(Cell::new(0));
    let (keys, input) = unbounded_channel();
    let mut session = App::in_session(80, 24);
    session.write("hello");
    session.press("enter");
    let mut app = EventLoop::start(session.model, frames(), |_| |_: Outside, _: &Messages| {});
    let messages = app.messages();
    for n in 0..5_000 {
        messages.send(Msg::host(Event::Turn(TurnNews::Delta(format!("word{n} "))))).unwrap();
    }
    keys.send(Msg::host(Event::Turn(TurnNews::Cancelled))).unwrap();
    // Clears the draft, asks, leaves.
    for _ in 0..3 {
        keys.send(Msg::Key(key("ctrl-c"))).unwrap();
    }
    let (mut input, mut screen) = (Keys(input), Counter(Rc::clone(&count)));
    app.run(Vec::new(), &mut input, &mut screen).await.unwrap();
    assert!(count.get() <= 3, "{} frames", count.get());
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_terminal_keeps_the_draft() {
    let (keys, input) = unbounded_channel();
    let mut session = App::in_session(80, 24);
    session.write("half a thought");
    drop(keys);
    let seen = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&seen);
    let mut app = EventLoop::start(session.model, frames(), |_| {
        move |effect: Outside, _: &Messages| log.borrow_mut().push(effect)
    });
    let (mut input, mut screen) = (Keys(input), Counter(Rc::default()));
    app.run(Vec::new(), &mut input, &mut screen).await.unwrap();
    assert_eq!(*seen.borrow(), [Outside::Host(Request::plain(SessionCommand::SaveDraft("half a thought".into())))]);
}

#[tokio::test(start_paused = true)]
async fn the_draft_is_kept_without_a_frame() {
    let (keys, input) = unbounded_channel();
    let (count, seen) = (Rc::new(Cell::new(0)), Rc::new(RefCell::new(Vec::new())));
    let log = Rc::clone(&seen);
    let mut app = EventLoop::start(App::in_session(80, 24).model, frames(), |_| {
        move |effect: Outside, _: &Messages| log.borrow_mut().push(effect)
    });
    keys.send(Msg::Key(key("x"))).unwrap();
    let (mut input, mut screen) = (Keys(input), Counter(Rc::clone(&count)));
    let wait = async {
        let typed = count.clone();
        while seen.borrow().is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let frames = typed.get();
        tokio::time::sleep(Duration::from_mins(1)).await;
        drop(keys);
        frames
    };
    let (ran, frames) = tokio::join!(app.run(Vec::new(), &mut input, &mut screen), wait);
    ran.unwrap();
    assert_eq!(seen.borrow()[0], Outside::Host(Request::plain(SessionCommand::SaveDraft("x".into()))));
    assert!(frames <= 2, "{frames} frames for a key");
    assert_eq!(count.get(), frames, "nothing is drawn because the draft was kept");
}

/// Keeps every frame as text.
struct Album(Rc<RefCell<Vec<String>>>);

impl Screen for Album {
    fn show(&mut self, paint: &mut Paint<'_>) -> io::Result<()> {
        let mut frame = Buffer::empty(ratatui::layout::Rect::new(0, 0, 80, 24));
        paint(&mut frame);
        self.0.borrow_mut().push(elenchus::ui::frame_export::to_text(&frame));
        Ok(())
    }

    fn perform(&mut self, _: TerminalEffect) -> io::Result<Option<Msg>> {
        Ok(None)
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_told_on_a_first_start_comes_with_the_second_frame() {
    let frames_seen = Rc::new(RefCell::new(Vec::new()));
    let (_keys, input) = unbounded_channel();
    let nothing = |_: Messages| |_: Outside, _: &Messages| {};
    let model = Model::new(Options { is_new: true, ..Options::default() });
    let mut app = EventLoop::start(model, frames(), nothing);
    let (mut input, mut screen) = (Keys(input), Album(Rc::clone(&frames_seen)));
    let run = app.run(Vec::new(), &mut input, &mut screen);
    assert!(tokio::time::timeout(Duration::from_hours(1), run).await.is_err(), "it waits for ever");
    let told: Vec<bool> = frames_seen.borrow().iter().map(|frame| frame.contains("Who answers")).collect();
    assert_eq!(told, [false, true], "and nothing more is drawn");
}

/// Keeps the last frame as the styles of its cells under a word.
struct LastFrame(Rc<RefCell<Buffer>>);

impl Screen for LastFrame {
    fn show(&mut self, paint: &mut Paint<'_>) -> io::Result<()> {
        let mut frame = Buffer::empty(ratatui::layout::Rect::new(0, 0, 80, 24));
        paint(&mut frame);
        *self.0.borrow_mut() = frame;
        Ok(())
    }

    fn perform(&mut self, _: TerminalEffect) -> io::Result<Option<Msg>> {
        Ok(None)
    }
}

/// The colour of the first cell of a word.
fn colour_of(frame: &Buffer, word: &str) -> Option<ratatui::style::Color> {
    let text: Vec<&str> = frame.content().iter().map(ratatui::buffer::Cell::symbol).collect();
    let letters: Vec<String> = word.chars().map(String::from).collect();
    let at = text.windows(letters.len()).position(|cells| cells == letters)?;
    Some(frame.content()[at].fg)
}

#[tokio::test]
async fn code_is_drawn_plain_first_and_in_colours_when_they_are_found() {
    let (keys, input) = unbounded_channel();
    let mut session = App::in_session(80, 24);
    session.turn("hello", "```rust\nfn main() { body }\n```", &[]);
    let mut app = EventLoop::start(session.model, frames(), |_| |_: Outside, _: &Messages| {});
    let frame = Rc::new(RefCell::new(Buffer::empty(ratatui::layout::Rect::ZERO)));
    let mut idle = app.idle();
    let (mut input, mut screen) = (Keys(input), LastFrame(Rc::clone(&frame)));
    let watch = async {
        idle.changed().await.unwrap();
        let plain = colour_of(&frame.borrow(), "fn");
        assert!(plain.is_some());
        assert_eq!(plain, colour_of(&frame.borrow(), "body"), "the first frame does not wait for colours");
        while colour_of(&frame.borrow(), "fn") == plain {
            idle.changed().await.unwrap();
        }
        keys.send(Msg::Key(key("ctrl-q"))).unwrap();
        std::future::pending::<()>().await;
    };
    let run = app.run(Vec::new(), &mut input, &mut screen);
    let limited = tokio::time::timeout(Duration::from_secs(20), async {
        tokio::select! { ended = run => ended.unwrap(), () = watch => {} }
    });
    limited.await.expect("the colours come");
}

#[tokio::test(start_paused = true)]
async fn a_key_is_shown_at_once_although_a_frame_was_drawn_just_now() {
    let count = Rc::new(Cell::new(0));
    let (keys, input) = unbounded_channel();
    let mut session = App::in_session(80, 24);
    session.write("hello");
    session.press("enter");
    let mut app = EventLoop::start(session.model, frames(), |_| |_: Outside, _: &Messages| {});
    let (messages, mut idle) = (app.messages(), app.idle());
    let (mut input, mut screen) = (Keys(input), Counter(Rc::clone(&count)));
    let drive = async {
        idle.changed().await.unwrap();
        messages.send(Msg::host(Event::Turn(TurnNews::Delta("word ".to_owned())))).unwrap();
        idle.changed().await.unwrap();
        let (before, drawn) = (tokio::time::Instant::now(), count.get());
        keys.send(Msg::Key(key("x"))).unwrap();
        idle.changed().await.unwrap();
        assert_eq!((before.elapsed(), count.get()), (Duration::ZERO, drawn + 1));
        // Whoever leans on a key gets a frame for many.
        for _ in 0..100 {
            keys.send(Msg::Key(key("x"))).unwrap();
        }
        idle.changed().await.unwrap();
        assert_eq!(count.get(), drawn + 2);
    };
    let run = app.run(Vec::new(), &mut input, &mut screen);
    tokio::select! { ended = run => panic!("it goes on: {ended:?}"), () = drive => {} }
}
