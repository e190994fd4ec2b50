//! Finds the colours of code beside the drawing: the first block unpacks all grammars, and a long one takes as long as
//! several frames.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::effects::Messages;
use crate::app::Msg;
use crate::app::msg::ChatMsg;
use crate::ui::markdown::{CodeBlock, Highlighted, highlight};

/// A thread that finds colours, begun with the first block and ended with this.
#[derive(Debug)]
pub(super) struct CodePainter {
    messages: Messages,
    thread: Option<(Sender<CodeBlock>, Receiver<Coloured>)>,
}

/// A block and its colours, if there are any.
type Coloured = (CodeBlock, Option<Highlighted>);

impl CodePainter {
    /// A painter that asks for a frame by a message whenever it has found something.
    pub fn new(messages: Messages) -> Self {
        Self { messages, thread: None }
    }

    /// Begins to find the colours of a block.
    pub fn ask(&mut self, block: CodeBlock) {
        let messages = &self.messages;
        let (blocks, _) = self.thread.get_or_insert_with(|| start(messages.clone()));
        // A thread that is gone finds no colours, and the block stays plain.
        let _ = blocks.send(block);
    }

    /// What was found since the last time.
    pub fn found(&self) -> impl Iterator<Item = Coloured> {
        self.thread.iter().flat_map(|(_, found)| found.try_iter())
    }
}

fn start(messages: Messages) -> (Sender<CodeBlock>, Receiver<Coloured>) {
    let (blocks, asked) = channel::<CodeBlock>();
    let (answer, found) = channel();
    let paint = move || {
        for block in asked {
            let colours = highlight(block.language.as_deref(), &block.text);
            if answer.send((block, colours)).is_err() || messages.send(Msg::Chat(ChatMsg::Coloured)).is_err() {
                return;
            }
        }
    };
    // Without a thread the blocks stay plain.
    let _ = thread::Builder::new().name("code colours".to_owned()).spawn(paint);
    (blocks, found)
}
