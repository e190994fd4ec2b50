//! A handoff as the person reads and changes it before it goes on: in plain words, without the figures of the machine.

use crate::words::HandoffWords as Says;

use super::{Assumption, Constraint, Decision, EliminatedOption, Handoff};

/// Below this a decision is shown as one that is not certain.
const CERTAIN: f64 = 0.7;

/// A part of a handoff that people read and change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Decided,
    Out,
    Limits,
    Granted,
    Goals,
    Pains,
    Present,
    Unknown,
    Unanswered,
    Delicate,
}

impl Part {
    pub const ALL: [Self; 10] = [
        Self::Decided,
        Self::Out,
        Self::Limits,
        Self::Granted,
        Self::Goals,
        Self::Pains,
        Self::Present,
        Self::Unknown,
        Self::Unanswered,
        Self::Delicate,
    ];

    pub fn title(self, says: &Says) -> &str {
        match self {
            Self::Decided => says.decided(),
            Self::Out => says.out(),
            Self::Limits => says.limits(),
            Self::Granted => says.granted(),
            Self::Goals => says.goals(),
            Self::Pains => says.pains(),
            Self::Present => says.present(),
            Self::Unknown => says.unknown(),
            Self::Unanswered => says.unanswered(),
            Self::Delicate => says.delicate(),
        }
    }

    /// What a second line of an item says; none where an item is one line.
    pub fn second_line(self, says: &Says) -> Option<&str> {
        match self {
            Self::Decided | Self::Out => Some(says.why()),
            Self::Limits => Some(says.what_follows()),
            _ => None,
        }
    }

    /// Its items, a line each.
    pub fn shown(self, handoff: &Handoff, says: &Says) -> Vec<String> {
        let actions = &handoff.action_list;
        match self {
            Self::Decided => actions.decisions_reached.iter().map(|item| decided(item, says)).collect(),
            Self::Out => {
                let all = actions.options_eliminated.iter();
                all.map(|item| with_more(&item.option, &item.reasons.join("; "))).collect()
            }
            Self::Limits => {
                let all = actions.constraints_identified.iter();
                all.map(|item| with_more(&item.constraint, &item.implication)).collect()
            }
            Self::Granted => actions.assumptions_carried_forward.iter().map(|item| item.assumption.clone()).collect(),
            _ => self.words(handoff).cloned().unwrap_or_default(),
        }
    }

    /// How many items it has.
    pub fn count(self, handoff: &Handoff) -> usize {
        let actions = &handoff.action_list;
        match self {
            Self::Decided => actions.decisions_reached.len(),
            Self::Out => actions.options_eliminated.len(),
            Self::Limits => actions.constraints_identified.len(),
            Self::Granted => actions.assumptions_carried_forward.len(),
            _ => self.words(handoff).map_or(0, Vec::len),
        }
    }

    /// An item as it is changed: its words, and on the lines below what is added to them. Empty for one that is not there.
    pub fn text(self, handoff: &Handoff, at: usize) -> String {
        let actions = &handoff.action_list;
        let lines = |first: &str, more: &str| {
            [first, more].into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
        };
        let found = match self {
            Self::Decided => actions.decisions_reached.get(at).map(|item| lines(&item.decision, &item.reasoning)),
            Self::Out => actions.options_eliminated.get(at).map(|item| lines(&item.option, &item.reasons.join("\n"))),
            Self::Limits => {
                actions.constraints_identified.get(at).map(|item| lines(&item.constraint, &item.implication))
            }
            Self::Granted => actions.assumptions_carried_forward.get(at).map(|item| item.assumption.clone()),
            _ => self.words(handoff).and_then(|items| items.get(at)).cloned(),
        };
        found.unwrap_or_default()
    }

    /// Puts what was written in the place of an item, or behind the last. Without words the item goes.
    pub fn put(self, handoff: &mut Handoff, at: usize, text: &str) {
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let Some((first, more)) = lines.split_first() else { return self.take(handoff, at) };
        let (first, more) = ((*first).to_owned(), more.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        let actions = &mut handoff.action_list;
        match self {
            Self::Decided => {
                let item =
                    slot(&mut actions.decisions_reached, at, || Decision { confidence: 1.0, ..Decision::default() });
                (item.decision, item.reasoning) = (first, more.join(" "));
            }
            Self::Out => {
                let item = slot(&mut actions.options_eliminated, at, EliminatedOption::default);
                (item.option, item.reasons) = (first, more);
            }
            Self::Limits => {
                let item = slot(&mut actions.constraints_identified, at, Constraint::default);
                (item.constraint, item.implication) = (first, more.join(" "));
            }
            Self::Granted => {
                slot(&mut actions.assumptions_carried_forward, at, Assumption::default).assumption = lines.join(" ");
            }
            _ => {
                if let Some(items) = self.words_mut(handoff) {
                    *slot(items, at, String::new) = lines.join(" ");
                }
            }
        }
    }

    /// Takes an item out.
    pub fn take(self, handoff: &mut Handoff, at: usize) {
        let actions = &mut handoff.action_list;
        match self {
            Self::Decided => remove(&mut actions.decisions_reached, at),
            Self::Out => remove(&mut actions.options_eliminated, at),
            Self::Limits => remove(&mut actions.constraints_identified, at),
            Self::Granted => remove(&mut actions.assumptions_carried_forward, at),
            _ => {
                if let Some(items) = self.words_mut(handoff) {
                    remove(items, at);
                }
            }
        }
    }

    /// The items of a part that are nothing but words.
    fn words(self, handoff: &Handoff) -> Option<&Vec<String>> {
        let (situation, relation) = (&handoff.situation_awareness, &handoff.relational_state);
        match self {
            Self::Goals => Some(&situation.user_goals),
            Self::Pains => Some(&situation.key_pain_points),
            Self::Present => Some(&handoff.accumulated_context.prior_experience),
            Self::Unknown => Some(&situation.knowledge_gaps_revealed),
            Self::Unanswered => Some(&relation.open_questions),
            Self::Delicate => Some(&relation.sensitivities),
            Self::Decided | Self::Out | Self::Limits | Self::Granted => None,
        }
    }

    fn words_mut(self, handoff: &mut Handoff) -> Option<&mut Vec<String>> {
        let (situation, relation) = (&mut handoff.situation_awareness, &mut handoff.relational_state);
        match self {
            Self::Goals => Some(&mut situation.user_goals),
            Self::Pains => Some(&mut situation.key_pain_points),
            Self::Present => Some(&mut handoff.accumulated_context.prior_experience),
            Self::Unknown => Some(&mut situation.knowledge_gaps_revealed),
            Self::Unanswered => Some(&mut relation.open_questions),
            Self::Delicate => Some(&mut relation.sensitivities),
            Self::Decided | Self::Out | Self::Limits | Self::Granted => None,
        }
    }
}

/// What goes on, part by part; those with nothing in them are left out.
pub fn preview<'w>(handoff: &Handoff, says: &'w Says) -> Vec<(&'w str, Vec<String>)> {
    let all = Part::ALL.into_iter().map(|part| (part.title(says), part.shown(handoff, says)));
    all.filter(|(_, items)| !items.is_empty()).collect()
}

/// The item at a place; beyond the last, a new one.
fn slot<T>(items: &mut Vec<T>, at: usize, new: impl FnOnce() -> T) -> &mut T {
    let at = at.min(items.len());
    if at == items.len() {
        items.push(new());
    }
    &mut items[at]
}

fn remove<T>(items: &mut Vec<T>, at: usize) {
    if at < items.len() {
        items.remove(at);
    }
}

fn decided(decision: &Decision, says: &Says) -> String {
    let said = with_more(&decision.decision, &decision.reasoning);
    if decision.confidence < CERTAIN { says.not_certain(said) } else { said }
}

/// A text with what is added to it, where there is something.
fn with_more(text: &str, more: &str) -> String {
    if more.is_empty() { text.to_owned() } else { format!("{text}: {more}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_read_changed_added_to_and_emptied() {
        let (mut handoff, says) = (Handoff::default(), &crate::words::english().handoff);
        for part in Part::ALL {
            assert_eq!((part.shown(&handoff, says), part.text(&handoff, 0)), (Vec::new(), String::new()));
            part.put(&mut handoff, 0, " the first \n\n and why ");
            part.put(&mut handoff, 9, "the second");
            let joined = if part.second_line(says).is_some() { "the first: and why" } else { "the first and why" };
            assert_eq!(part.shown(&handoff, says), [joined, "the second"], "{part:?}");
            let text = part.text(&handoff, 0);
            part.put(&mut handoff, 0, &text);
            assert_eq!(part.shown(&handoff, says)[0], joined, "what is not changed stays as it is: {part:?}");
            part.put(&mut handoff, 0, "  ");
            assert_eq!(part.shown(&handoff, says), ["the second"]);
            part.take(&mut handoff, 7);
            part.take(&mut handoff, 0);
            assert_eq!(part.shown(&handoff, says), [""; 0]);
        }
        assert_eq!(handoff, Handoff::default());
        assert_eq!(preview(&handoff, says), []);
    }
}
