//! Finds the colours of code beside the drawing: the first block unpacks all grammars, and a long one takes as long as
//! several frames.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::markdown::{CodeBlock, Highlighted, highlight};

/// Asks for a frame. Returns false once the event loop is gone.
pub(crate) type Wake = Arc<dyn Fn() -> bool + Send + Sync>;

/// A thread that finds colours, begun with the first block and ended with this.
pub(super) struct CodePainter {
    wake: Wake,
    thread: Option<(Sender<CodeBlock>, Receiver<Coloured>)>,
}

/// A block and its colours, if there are any.
type Coloured = (CodeBlock, Option<Highlighted>);

impl std::fmt::Debug for CodePainter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodePainter").field("thread", &self.thread).finish_non_exhaustive()
    }
}

impl CodePainter {
    /// A painter that asks for a frame whenever it has found something.
    pub fn new(wake: Wake) -> Self {
        Self { wake, thread: None }
    }

    /// Begins to find the colours of a block.
    pub fn ask(&mut self, block: CodeBlock) {
        let wake = &self.wake;
        let (blocks, _) = self.thread.get_or_insert_with(|| start(Arc::clone(wake)));
        // A thread that is gone finds no colours, and the block stays plain.
        let _ = blocks.send(block);
    }

    /// What was found since the last time.
    pub fn found(&self) -> impl Iterator<Item = Coloured> {
        self.thread.iter().flat_map(|(_, found)| found.try_iter())
    }
}

fn start(wake: Wake) -> (Sender<CodeBlock>, Receiver<Coloured>) {
    let (blocks, asked) = channel::<CodeBlock>();
    let (answer, found) = channel();
    let paint = move || {
        for block in asked {
            let colours = highlight(block.language.as_deref(), &block.text);
            if answer.send((block, colours)).is_err() || !wake() {
                return;
            }
        }
    };
    // Without a thread the blocks stay plain.
    let _ = thread::Builder::new().name("code colours".to_owned()).spawn(paint);
    (blocks, found)
}
