//! What the user sees of a model that looks something up: a line while it does, and what the answer rests on.

use std::sync::Arc;

use elenchus::host::{Backend, Host};
use elenchus::settings::{Flags, Surroundings};
use elenchus::words::english;
use serde_json::json;

use super::desk::Desk;
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};
use crate::support::program::Program;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_is_shown_while_it_matters_and_stands_in_the_inspector() {
    let (slow, feed) = Answer::fed();
    let nothing = json!({ "fields": [], "signals": {} }).to_string();
    let called = Answer::stream(openai::calling("search_project", &json!({ "query": "kegs" })));
    let fake = FakeEndpoint::conversing([called, Answer::stream(openai::saying(&nothing)), slow]).await;
    let program = Program::new().settings(&format!(
        "[profiles.fake]\nendpoint = \"http://127.0.0.1:{}/v1\"\nmodel = \"test-model\"\nattempts = 1\n",
        fake.port()
    ));
    let flags = Flags { config: Some(program.config()), data_dir: Some(program.data()), ..Flags::default() };
    let surroundings =
        Surroundings { variable: &|_| None, keyring: &|_| Err("there is none".to_owned()), program: None };
    let host = Arc::new(Host::open(&flags, &surroundings).expect("a host"));
    let mut before = host.start("project-discovery", Some("brewery")).await.expect("a session");
    before.set_backend(&Backend::Offline);
    before.say("We rent out forty kegs to pubs.", &mut |_| {}).await.expect("a turn");

    let mut desk = Desk::on(Arc::clone(&host), flags.clone(), Some("brewery"), false);
    desk.begin("project-discovery").await;
    desk.screen.send(elenchus::app::Msg::Paste("As with the kegs.".to_owned()));
    desk.press("enter");
    let looked_up = |desk: &Desk| {
        let turn = desk.screen.model.turn.as_ref();
        turn.is_some_and(|turn| turn.doing(&english().turns).starts_with("looked up “kegs” and found"))
    };
    desk.until(looked_up).await;
    assert!(desk.text().contains("looked up “kegs” and found"), "{}", desk.text());
    feed.send(openai::saying("Forty kegs, you said. Who books them?"));
    drop(feed);
    desk.until(|desk| desk.turn() == 1).await;
    let text = desk.text();
    assert!(text.contains("looked up “kegs” and found") && text.contains("Who books them?"), "{text}");
    desk.press("F2 tab tab tab tab tab tab");
    let text = desk.text();
    for part in ["Tools that the model called", "looked up “kegs” and found", "said by the person in “"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    desk.press("esc");
    let (id, line) = (desk.screen.model.session.as_ref().expect("a session").id.clone(), "looked up “kegs” and found");
    desk.leave().await;
    let mut again = Desk::on(host, flags, Some("brewery"), false);
    again.resume(&id).await;
    let text = again.text();
    assert!(text.contains(line) && text.contains("test-model may search the other sessions"), "{text}");
    again.leave().await;
}
