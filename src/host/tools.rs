//! The tools of a turn: which there are, how a model is told of them, and how it gets back what they brought.

use std::sync::Arc;

use super::HostError;
use super::session::{Keeping, Session};
use crate::engine::config::Tool;
use crate::engine::tools::{ToolCall, ToolRound};
use crate::llm::{ChatMessage, ToolOffer, ToolResult};
use crate::tasks::Search;

pub(super) fn offer(tool: Tool) -> ToolOffer {
    ToolOffer {
        name: tool.called().to_owned(),
        description: tool.description().to_owned(),
        parameters: Arc::new(tool.parameters()),
    }
}

/// Calls with what the model had said before them, and what they brought.
pub(super) fn told(round: &ToolRound) -> [ChatMessage; 2] {
    let result = |(call, text): &(ToolCall, String)| ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        text: text.clone(),
    };
    let calls = round.answered.iter().map(|(call, _)| call.clone()).collect();
    let results = round.answered.iter().map(result).collect();
    [ChatMessage::calling(round.said.clone(), calls), ChatMessage::telling(results)]
}

/// The tools of a turn.
#[derive(Debug, Default)]
pub(super) struct Tools {
    pub granted: Vec<Tool>,
    pub search: Option<Search>,
    /// What the user should know about them.
    pub notice: Option<String>,
}

impl Session {
    /// The tools of a turn: what the engine declares, where there is something to work on and the user lets it. Whether
    /// there is something was seen when the session was opened: requests begin alike as long as it is open.
    pub(super) async fn tools(&self) -> Result<Tools, HostError> {
        let declared = &self.engine.definition().tools.r#use;
        let Keeping::Store(kept) = &self.keeping else { return Ok(Tools::default()) };
        if !self.searchable || self.memory.without_project || declared.is_empty() || self.backend.is_offline() {
            return Ok(Tools::default());
        }
        let allowed = kept.scheduler.allowed().await?;
        if allowed != Some(true) {
            let unasked = allowed.is_none() && self.memory.turn == 0;
            let notice = self.engine_folder().filter(|_| unasked).map(|folder| {
                let folder = folder.display();
                format!("This engine would search earlier sessions of the project; `elenchus engines trust {folder}` lets you agree")
            });
            return Ok(Tools { notice, ..Tools::default() });
        }
        let search = Search {
            store: kept.store.clone(),
            project: self.record.project_id,
            own: self.record.id,
            sensitive: self.sensitive,
        };
        Ok(Tools { granted: declared.clone(), search: Some(search), notice: None })
    }
}
