//! The tools of a turn: which there are, how a model is told of them, and how it gets back what they brought.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::HostError;
use super::session::{Keeping, Session};
use crate::engine::config::Tool;
use crate::engine::tools::{ToolCall, ToolRound};
use crate::llm::{CallRole, ChatMessage, ToolOffer, ToolResult};
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
        let Keeping::Store(kept) = &self.keeping else { return Ok(Tools::default()) };
        if !self.has_use_for_tools() {
            return Ok(Tools::default());
        }
        let allowed = kept.scheduler.allowed().await?;
        self.allowed.store(allowed == Some(true), Ordering::Relaxed);
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
        let granted = self.engine.definition().tools.r#use.clone();
        Ok(Tools { granted, search: Some(search), notice: None })
    }

    /// Whether the engine declares tools, a model answers, and there is something to work on.
    fn has_use_for_tools(&self) -> bool {
        let declared = !self.engine.definition().tools.r#use.is_empty();
        declared && self.searchable && !self.memory.without_project && !self.backend.is_offline()
    }

    /// That a model may search the project, and who gets what it finds: told before the first message. A small model gets
    /// no tools.
    pub(super) fn may_search(&self) -> Option<String> {
        let models = self.backend.models().filter(|_| self.has_use_for_tools() && !self.backend.is_small())?;
        let allowed = self.allowed.load(Ordering::Relaxed);
        let project = self.project.as_deref().filter(|_| allowed)?;
        let endpoint = models.client(CallRole::Respond).endpoint();
        let (model, host) = (&endpoint.model, endpoint.host());
        Some(self.words().host.may_search(model, project, host))
    }
}
