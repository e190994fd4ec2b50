//! Part of a probe: whether an endpoint takes tools, whether its model calls them, and whether what they bring is taken back.

use std::sync::Arc;

use super::chat::{ChatMessage, ChatRequest, ToolOffer, ToolResult};
use super::client::Client;
use super::probe::{Check, PROBE_TOKENS, ProbeReport};
use crate::engine::config::Tool;
use crate::engine::tools::ToolCall;

impl ProbeReport {
    /// A tool is offered, and what it would have brought is sent back: some endpoints take the one and not the other.
    pub(super) async fn try_tools(&mut self, client: &Client) {
        client.forget_about_tools();
        let mut request = tool_request();
        for told in [false, true] {
            let reply = match client.chat(&request, &mut |_| {}).await {
                Ok(reply) => reply,
                Err(error) => {
                    self.tools = Check::Unknown(error.to_string());
                    return;
                }
            };
            self.spent.push(reply.usage.clone());
            self.tools = match (client.capabilities().no_tools, reply.calls.is_empty()) {
                (true, _) if told => Check::Fails("what they bring is not taken back; none are offered".to_owned()),
                (true, _) => Check::Fails("not taken; answers are written without looking anything up".to_owned()),
                (false, true) if !told => Check::Unknown("they are taken, but the model did not call one".to_owned()),
                (false, _) => Check::Works("the model calls them and goes on with what they bring".to_owned()),
            };
            if reply.calls.is_empty() || client.capabilities().no_tools {
                return;
            }
            let bring = |call: &ToolCall| ToolResult {
                id: call.id.clone(),
                name: call.name.clone(),
                text: "“Forty kegs”, said by the person in an earlier session.".to_owned(),
            };
            let results = reply.calls.iter().map(bring).collect();
            request.messages.extend([ChatMessage::calling(reply.text, reply.calls), ChatMessage::telling(results)]);
            request.may_call = false;
        }
    }
}

/// A question that only the tool can answer.
pub(super) fn tool_request() -> ChatRequest {
    let tool = Tool::Search;
    let offer = ToolOffer {
        name: tool.called().to_owned(),
        description: tool.description().to_owned(),
        parameters: Arc::new(tool.parameters()),
    };
    let asked = "Search my earlier sessions for “kegs”, and tell me in one short sentence how many there were.";
    ChatRequest {
        messages: vec![ChatMessage::user(asked)],
        tools: vec![offer],
        may_call: true,
        max_output_tokens: Some(PROBE_TOKENS),
        ..ChatRequest::default()
    }
}
