//! The app without a terminal: frames, keys, a streamed answer. The bytes for the terminal are made and thrown away.

use std::io::sink;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use elenchus::app::{Model, Msg, Options, update};
use elenchus::catalogue::Catalogue;
use elenchus::engine::memory::WorkingMemory;
use elenchus::engine::outline::EngineOutline;
use elenchus::engine::sidebar;
use elenchus::engine::transcript::{Message, Role};
use elenchus::host::protocol::{Draft, Event, Snapshot, TurnNews};
use elenchus::ui::frames::Frames;
use elenchus::ui::theme::{ColorDepth, Themes};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

use super::figure::{median, ms, show};

const SAMPLE: &str = include_str!("../../tests/fixtures/ui/sample.md");
const SIZE: Rect = Rect::new(0, 0, 120, 40);
/// Tokens that an answer has, and how many come in a second.
const TOKENS: u32 = 10_000;
const PER_SECOND: u32 = 500;

/// The app with a terminal that swallows everything.
struct App {
    model: Model,
    frames: Frames,
    terminal: Terminal<CrosstermBackend<std::io::Sink>>,
}

impl App {
    /// A session in which so many messages were said.
    fn with_messages(count: usize) -> Self {
        let catalogue = Catalogue::open(Path::new("does-not-exist")).expect("the engines in the binary");
        let engine = catalogue.load("project-discovery").expect("an engine").0.engine.expect("a sound one");
        let messages = (0..count).map(|n| {
            let (role, text) = if n % 2 == 0 { (Role::Assistant, SAMPLE) } else { (Role::User, "About forty a day.") };
            Message::new(n.div_ceil(2) as u32, role, text)
        });
        let memory = WorkingMemory::new(engine.definition());
        let opened = Snapshot {
            id: "01".to_owned(),
            title: "Clinic intake app".to_owned(),
            project: None,
            tags: Vec::new(),
            engine: Arc::new(EngineOutline::of(&engine)),
            sidebar: sidebar::build(&engine, &memory, None).state,
            memory: Arc::new(memory),
            messages: messages.collect(),
            draft: Draft::default(),
            trust: None,
            engine_change: None,
            under_way: None,
            may_search: None,
            card: None,
            recap: None,
        };
        let mut frames = Frames::new(Themes::built_in(), ColorDepth::TrueColor);
        // As in the app: no frame waits for colours. Nobody listens to when they come.
        frames.colour_beside(Arc::new(|| false));
        let mut model = Model::new(Options { size: (SIZE.width, SIZE.height), ..Options::default() });
        update(&mut model, Msg::host(Event::Opened(Arc::new(opened))));
        let fixed = TerminalOptions { viewport: Viewport::Fixed(SIZE) };
        let terminal = Terminal::with_options(CrosstermBackend::new(sink()), fixed).expect("a terminal");
        Self { model, frames, terminal }
    }

    fn draw(&mut self) {
        let (model, frames) = (&mut self.model, &mut self.frames);
        self.terminal
            .draw(|frame| {
                frames.paint(model, frame.buffer_mut());
            })
            .expect("a frame");
    }

    fn send(&mut self, msg: Msg) {
        update(&mut self.model, msg);
    }

    fn press(&mut self, code: KeyCode) {
        self.send(Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    }

    /// Sends a message; the answer is on its way.
    fn ask(&mut self) {
        self.press(KeyCode::Char('x'));
        self.press(KeyCode::Enter);
    }
}

/// Prints all figures of the app without a terminal.
pub fn figures() {
    frames();
    streaming();
}

fn frames() {
    let frame = |count| {
        let mut app = App::with_messages(count);
        app.draw();
        // Another top row each time, so that every row is drawn.
        let mut up = false;
        median(400, || {
            up = !up;
            app.press(if up { KeyCode::PageUp } else { KeyCode::PageDown });
            app.draw();
        })
    };
    let (few, many) = (ms(frame(10)), ms(frame(10_000)));
    show("frame at 120x40, scrolled a page, of 10 messages", few, "ms", 2.0);
    show("frame at 120x40, scrolled a page, of 10,000 messages", many, "ms", 2.0);
    show("the second as a multiple of the first", many / few, "x", 1.5);
    let start = Instant::now();
    App::with_messages(10_000).draw();
    show("opening 10,000 messages to their first frame", ms(start.elapsed()), "ms", 1000.0);
}

/// An answer of 10,000 tokens with everything that answers have, at 500 a second, drawn 60 times a second.
fn streaming() {
    let text = SAMPLE.repeat(((TOKENS as usize) * 4).div_ceil(SAMPLE.len()));
    let letters: Vec<char> = text.chars().collect();
    let tokens: Vec<String> = letters.chunks(4).take(TOKENS as usize).map(|token| token.iter().collect()).collect();
    let mut app = App::with_messages(100);
    app.ask();
    app.draw();
    let per_frame = (PER_SECOND as usize).div_ceil(60);
    let (mut keys, start) = (Vec::new(), Instant::now());
    for (at, frame) in tokens.chunks(per_frame).enumerate() {
        for token in frame {
            app.send(Msg::host(Event::Turn(TurnNews::Delta(token.clone()))));
        }
        app.send(Msg::Clock(Duration::from_millis(at as u64 * 16)));
        app.draw();
        // Now and then somebody writes the next message already.
        if at % 20 == 0 {
            let pressed = Instant::now();
            app.press(KeyCode::Char('w'));
            app.draw();
            keys.push(pressed.elapsed());
        }
    }
    let share = start.elapsed().as_secs_f64() / f64::from(TOKENS / PER_SECOND) * 100.0;
    show("streaming 10,000 tokens at 500 a second, of one core", share, "%", 10.0);
    keys.sort_unstable();
    show("key to frame while streaming, median", ms(keys[keys.len() / 2]), "ms", 5.0);
    show("key to frame while streaming, slowest", ms(keys[keys.len() - 1]), "ms", 5.0);
}
