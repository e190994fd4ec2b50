//! What the host tells, handed on to the area that it is about.

use super::effect::Effect;
use super::model::Model;
use super::{brief, overlay, session, setup, sidebar, turn};
use crate::host::protocol::{Event, News};

/// What the host has to tell. News of another session than the one that is shown comes too late.
pub(super) fn take_in(model: &mut Model, news: News) -> Vec<Effect> {
    if !news.concerns(model.session.as_ref().map(|session| session.id.as_str())) {
        return Vec::new();
    }
    let answers = news.answers;
    match news.event {
        Event::Opened(snapshot) => return session::open(model, &snapshot),
        Event::NotOpened(why) => session::not_opened(model, &why),
        Event::Turn(news) => return turn::update(model, news),
        Event::Session(news) => return session::update(model, news),
        Event::Task(event) => return sidebar::task(model, event),
        Event::Answer(answer) => return overlay::update(model, answer, answers),
        Event::Endpoint(endpoint) => model.endpoint = endpoint,
        Event::Setup(news) => return setup::update(model, news),
        Event::Notice(notice) => {
            brief::refused(model, answers);
            model.toasts.take(notice, model.now);
        }
        // What is different was told before.
        Event::Concluded(_) => {}
    }
    Vec::new()
}
