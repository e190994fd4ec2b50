//! Earlier courses of a session: going back to one, and what is said of what was taken back.

use super::HostError;
use super::actor::Actor;
use super::protocol::{Event, Notice, SessionNews};

impl Actor {
    /// Goes back to an earlier course, or to the one that was left last.
    pub(super) async fn go_back_to(&mut self, course: Option<u64>) -> Result<(), HostError> {
        let store = self.host()?.store();
        let (id, revision, turn) = {
            let record = self.session.record();
            (record.id, record.revision, record.turn)
        };
        let found = store
            .call_async(move |store| {
                let all = store.courses(id)?;
                let found = all.into_iter().find(|known| course.is_none_or(|course| known.rewind == course));
                if let Some(found) = &found {
                    store.restore_course(id, revision, found.rewind)?;
                }
                Ok(found)
            })
            .await?;
        let Some(found) = found else {
            self.audience.tell(Notice::info(self.session.words().host.nothing_back()));
            return Ok(());
        };
        // Tasks of turns that were taken back are dropped; tasks of turns that came back are loaded again.
        let kept = self.session.kept()?;
        kept.scheduler.rewound_to(found.after.min(turn));
        kept.scheduler.load().await?;
        self.catch_up().await;
        self.session.retitle().await?;
        self.audience.tell(Event::Session(SessionNews::Renamed(self.session.own_title())));
        let (says, aside) = (&self.session.words().host, turn.saturating_sub(found.after));
        let back = says.back_again(found.turns.len());
        self.audience.tell(Notice::info(if aside == 0 { back } else { says.in_its_place(aside, back) }));
        Ok(())
    }
}
