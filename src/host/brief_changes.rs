//! What has changed in the brief of a session: since a turn, since a day, or against another session.

use std::sync::Arc;

use jiff::Timestamp;

use super::protocol::Since;
use super::{Host, HostError, Session, export};
use crate::engine::Engine;
use crate::engine::brief;
use crate::engine::brief_changes::BriefChanges;
use crate::engine::memory::WorkingMemory;
use crate::store::SessionRecord;
use crate::words;

/// What a brief is written from.
pub struct BriefBasis {
    pub(super) engine: Arc<Engine>,
    pub(super) memory: Arc<WorkingMemory>,
}

impl Session {
    /// What its brief is written from, as it stands.
    pub fn brief_basis(&self) -> BriefBasis {
        BriefBasis { engine: Arc::clone(&self.engine), memory: Arc::clone(&self.memory) }
    }
}

impl Host {
    /// What has changed in the brief of a session. Sensitive values are taken out.
    pub async fn brief_changes(
        &self,
        record: &SessionRecord,
        now: &BriefBasis,
        since: Since,
    ) -> Result<BriefChanges, HostError> {
        let says = &words::spoken(now.memory.language.current.as_deref()).host;
        let (told, before) = match since {
            Since::Session(other) => {
                let (other, basis) = self.brief_basis(&other).await?;
                (says.compared_with(&other.title), basis)
            }
            Since::Turn(0) => (says.since_beginning().to_owned(), self.basis_after(record, now, 0).await?),
            Since::Turn(turn) => (says.since_turn(turn), self.basis_after(record, now, turn).await?),
            Since::Date(date) => {
                let turn = self.last_turn_before(record, moment(&date)?).await?;
                (says.since_date(&date), self.basis_after(record, now, turn).await?)
            }
        };
        let proofs = |basis: &BriefBasis| brief::proofs(&basis.engine, &basis.memory);
        let changes = BriefChanges::between(told, proofs(&before), proofs(now));
        Ok(changes.with_texts(|text| export::taken_away(&text, false)))
    }

    /// What the brief was written from after a turn.
    async fn basis_after(&self, record: &SessionRecord, now: &BriefBasis, turn: u32) -> Result<BriefBasis, HostError> {
        if turn > record.turn {
            return Err(HostError::NoSuchTurn { turn, last: record.turn });
        }
        let id = record.id;
        let state = self.store().call_async(move |store| store.state_at(id, turn)).await?;
        let memory = Arc::new(serde_json::from_value(state)?);
        Ok(BriefBasis { engine: Arc::clone(&now.engine), memory })
    }

    /// The last turn that was over at a moment; 0 where there was none.
    async fn last_turn_before(&self, record: &SessionRecord, moment: Timestamp) -> Result<u32, HostError> {
        let id = record.id;
        let said = self.store().call_async(move |store| Ok(store.resume(id, u32::MAX)?.messages)).await?;
        Ok(said.iter().filter(|message| message.created_at < moment).map(|message| message.turn).max().unwrap_or(0))
    }
}

/// The moment that a day begins, or the moment itself.
fn moment(text: &str) -> Result<Timestamp, HostError> {
    let day = text.parse::<jiff::civil::Date>().ok().and_then(|day| day.to_zoned(jiff::tz::TimeZone::system()).ok());
    let moment = day.map(|day| day.timestamp()).or_else(|| text.parse().ok());
    moment.ok_or_else(|| HostError::NoMoment(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_a_moment_and_nothing_else_can_be_given() {
        assert!(moment("2026-11-18").is_ok());
        assert_eq!(moment("2026-11-18T09:30:00Z").unwrap().to_string(), "2026-11-18T09:30:00Z");
        for wrong in ["yesterday", "", "2026-13-40", "18.11.2026"] {
            assert!(moment(wrong).unwrap_err().to_string().contains("2026-11-18"), "{wrong}");
        }
    }
}
