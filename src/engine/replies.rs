//! Plain replies that every conversation has: yes, no, I don't know, I'd rather not say, not now. They touch only what was
//! really asked and shown.

use super::claims;
use super::config::{Act, Doing, Kind};
use super::extraction::{Change, ChangeKind, Merger};
use super::memory::{Asked, Evidence, FieldState, Status};
use super::reading::Heard;
use super::turn::Turn;
use super::values::brief_text;
use super::words::content_words;

/// What a reply amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Yes,
    No,
    /// They do not know.
    DoesNotKnow,
    /// They would rather not say.
    Declines,
    /// Not now.
    Parks,
}

/// What a message amounts to, if it is a plain reply or has one in it.
pub(crate) fn plain_reply(heard: &Heard) -> Option<Reply> {
    let clause = |act: Act| heard.clauses.iter().find(|clause| clause.act == act);
    if let Some(refusal) = clause(Act::Refuse) {
        return Some(if refusal.does == Some(Doing::Skip) { Reply::Parks } else { Reply::Declines });
    }
    if clause(Act::DontKnow).is_some() {
        return Some(Reply::DoesNotKnow);
    }
    if heard.does.contains(&Doing::Rest) {
        return Some(Reply::Yes);
    }
    // Of a yes and a no the first counts: "No, exactly two."
    let first = heard.clauses.iter().find(|clause| matches!(clause.act, Act::Confirm | Act::Deny));
    first.map(|clause| if clause.act == Act::Confirm { Reply::Yes } else { Reply::No })
}

/// What a model reports of a message besides values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported<'a> {
    pub intents: &'a [String],
    /// Whether it is the whole report of a model that hears by itself.
    pub reliable: bool,
}

/// So many words beside an "I don't know" are only talk: "Sorry".
const LITTLE: usize = 2;

/// Whether rules are believed that the user does not know: a model that hears by itself would have reported it, unless
/// nothing else is said at all.
fn is_unknown(heard: &Heard, reported: &Reported<'_>) -> bool {
    let told = reported.intents.iter().any(|intent| intent == "does_not_know");
    let mut clauses = heard.clauses.iter();
    let says_little = |text: &str| text.split_whitespace().count() <= LITTLE;
    let mut is_all =
        || clauses.all(|clause| matches!(clause.act, Act::DontKnow | Act::Social) || says_little(&clause.text));
    !reported.reliable || told || is_all()
}

/// A plain reply answers what was asked, whatever a model made of it.
pub(super) fn take_in(turn: &mut Turn<'_>, reported: Reported<'_>, merger: &mut Merger<'_>) {
    // Who has just told something has not refused to: a model that reports both is not believed.
    let told = merger.changes.iter().any(|change| change.kind.is_accepted());
    let shown = |intent: &str| !told && reported.intents.iter().any(|shown| shown == intent);
    // Who has said it already meant what is offered, or something they said before; not who says so of a "skip".
    let moves_on = turn.heard.has(Act::Refuse) || turn.heard.has(Act::DontKnow);
    let said_already = turn.heard.does.contains(&Doing::SaidAlready) && !turn.heard.tells() && !moves_on;
    let offered = claims::is_offered(turn);
    let agrees = agrees_to_shown(turn);
    if said_already && !offered && !agrees {
        return claims::take_in(turn, merger);
    }
    let heard = plain_reply(&turn.heard);
    let reply = match heard.filter(|reply| *reply != Reply::DoesNotKnow || is_unknown(&turn.heard, &reported)) {
        _ if said_already || agrees => Some(Reply::Yes),
        Some(reply) => Some(reply),
        None if shown("declines_to_say") => Some(Reply::Declines),
        None if shown("does_not_know") => Some(Reply::DoesNotKnow),
        None => None,
    };
    spare(turn, merger);
    // What is noted is the user's to change: somebody else who answers a question takes nothing of it back.
    let is_own = turn.memory.speaker(turn.memory.turn).is_none();
    if is_own {
        restore(turn, merger);
    }
    let asked = turn.memory.asked.clone();
    if is_own && !matches!(reply, Some(Reply::Yes | Reply::No)) {
        leave_out(turn, &asked, merger);
    }
    let Some(reply) = reply else { return };
    // A guess without proof is no answer, so it does not stand in the way of one.
    let answers = |change: &&Change| change.kind != ChangeKind::Candidate || change.evidence.is_some();
    let touched: Vec<String> = merger.changes.iter().filter(answers).map(|change| change.path.clone()).collect();
    let untouched = |path: &str| !touched.iter().any(|other| other == path);
    match reply {
        // "Do you also know until when it lasts?" – "No."
        Reply::No if is_asked_for_rest(turn, &asked) && !turn.heard.tells() => {
            for path in asked.iter().flat_map(|question| turn.engine.fields_of(&question.obligation)) {
                if untouched(path) && !turn.memory.extraction.is_known(path) {
                    merger.set_aside(&mut turn.memory, path, FieldState::Unknown);
                }
            }
        }
        Reply::Yes | Reply::No => {
            let verdict = Verdict { yes: reply == Reply::Yes, corrects: told };
            if reply == Reply::No && turn.heard.clauses.len() == 1 {
                leave_rest(turn, &asked, merger);
            }
            for question in answered_plainly(turn, &asked, &untouched) {
                settle(turn, question, verdict, &untouched, merger);
            }
            if is_own {
                leave_out(turn, &asked, merger);
            }
        }
        Reply::DoesNotKnow | Reply::Declines => {
            let state = if reply == Reply::Declines { FieldState::Declined } else { FieldState::Unknown };
            for path in asked.iter().flat_map(|question| turn.engine.fields_of(&question.obligation)) {
                if untouched(path) {
                    merger.set_aside(&mut turn.memory, path, state);
                }
            }
        }
        Reply::Parks => park(turn, &asked),
    }
}

/// Whether a message begins with a yes to what was shown: whatever stands behind it takes nothing of that back.
fn agrees_to_shown(turn: &Turn<'_>) -> bool {
    let shown = turn.memory.asked.iter().any(|asked| !asked.to_confirm.is_empty());
    let mut clauses = turn.heard.clauses.iter().filter(|clause| clause.act != Act::Social);
    shown && clauses.next().is_some_and(|clause| clause.act == Act::Confirm)
}

/// Whether the question was for the rest of what was asked for together, which is put so that a no means "I don't know".
fn is_asked_for_rest(turn: &Turn<'_>, asked: &[Asked]) -> bool {
    let is_boolean = |path: &String| turn.engine.field(path).is_some_and(|field| field.shape.r#type == Kind::Boolean);
    asked.iter().any(|question| {
        let fields = turn.engine.fields_of(&question.obligation);
        let known = fields.iter().filter(|path| turn.memory.extraction.is_known(path)).count();
        let open = question.to_confirm.is_empty() && !fields.iter().any(is_boolean);
        open && known > 0 && known < fields.len()
    })
}

/// A question that stays without an answer because something else was put right has not been asked in vain: it comes next.
fn spare(turn: &mut Turn<'_>, merger: &Merger<'_>) {
    let told = |path: &String| merger.changes.iter().any(|change| change.path == *path);
    for question in turn.memory.asked.iter().filter(|question| question.to_confirm.is_empty()) {
        let answered = turn.engine.fields_of(&question.obligation).iter().any(told);
        if turn.heard.has(Act::Correction)
            && !answered
            && let Some(state) = turn.memory.obligations.get_mut(&question.obligation)
        {
            state.times_asked = state.times_asked.saturating_sub(1);
        }
    }
}

/// Takes back the last change of what the user wants back. What was moved elsewhere by it does not stay there.
fn restore(turn: &mut Turn<'_>, merger: &mut Merger<'_>) {
    let evidence = words_of_reply(turn);
    for path in turn.heard.restores.clone() {
        let Some(old) = turn.memory.extraction.get(&path).and_then(|field| field.superseded.last().cloned()) else {
            continue;
        };
        let moved = turn.memory.extraction.iter().filter(|(other, field)| {
            let there = field.value.as_ref().is_some_and(|value| brief_text(value) == brief_text(&old.value));
            *other != path && there && field.last_updated_at_turn == old.at_turn
        });
        for other in moved.map(|(other, _)| other.to_owned()).collect::<Vec<_>>() {
            merger.clear(&mut turn.memory, &other, "you took the change back");
        }
        merger.restore(&mut turn.memory, &path, evidence.clone());
    }
}

/// Puts off what was asked, or the question that the user names, until what is open is looked at again.
fn park(turn: &mut Turn<'_>, asked: &[Asked]) {
    let now = turn.before.turn + 1;
    let named = turn.heard.about.as_deref().and_then(|words| question_about(turn, words));
    let meant: Vec<String> = match &named {
        Some(obligation) => vec![obligation.clone()],
        None if asked.is_empty() => last_asked(turn),
        None => asked.iter().map(|question| question.obligation.clone()).collect(),
    };
    for obligation in meant {
        if let Some(state) = turn.memory.obligations.get_mut(&obligation) {
            state.park(now);
        }
    }
}

/// The last question that was put and is still open, where none is on the table: something else was spoken of meanwhile.
fn last_asked(turn: &Turn<'_>) -> Vec<String> {
    let open = |status: Status| matches!(status, Status::Pending | Status::Partial);
    let asked = turn.memory.obligations.iter().filter(|(_, state)| open(state.status));
    let last = asked.filter_map(|(id, state)| Some((state.last_asked?, id))).max_by_key(|(turn, _)| *turn);
    last.map(|(_, id)| id.to_owned()).into_iter().collect()
}

/// The question that some words are about: the one that has most of them in it, the one on the table first.
fn question_about(turn: &Turn<'_>, words: &str) -> Option<String> {
    let said: Vec<String> = content_words(words).collect();
    let on_the_table = |id: &str| turn.memory.asked.iter().any(|asked| asked.obligation == id);
    let language = turn.memory.language.current.as_deref().unwrap_or(&turn.heard.language);
    let ranked = turn.engine.definition().obligations.iter().filter_map(|o| {
        let other = o.question_in.get(language).map_or("", |question| question.value.as_str());
        let named = o.name_in.get(language).map_or("", |name| name.value.as_str());
        let own: Vec<String> = content_words(&format!("{} {} {other} {named}", o.question, o.name)).collect();
        let shared = own.iter().filter(|word| said.contains(word)).count();
        (shared > 0).then(|| (shared, on_the_table(&o.id), o.id.to_string()))
    });
    ranked.max_by_key(|(shared, asked, _)| (*shared, *asked)).map(|(.., id)| id)
}

/// "Do you also know until when?" – "No": of what was asked the rest stays open.
fn leave_rest(turn: &mut Turn<'_>, asked: &[Asked], merger: &mut Merger<'_>) {
    let engine = turn.engine;
    let known = |turn: &Turn<'_>, path: &String| turn.before.extraction.is_known(path);
    for question in asked.iter().filter(|question| question.to_confirm.is_empty() && !question.follows_up) {
        let paths = engine.fields_of(&question.obligation);
        if !paths.iter().any(|path| known(turn, path)) {
            continue;
        }
        let boolean = |path: &String| engine.field(path).is_some_and(|field| field.shape.r#type == Kind::Boolean);
        for path in paths.iter().filter(|path| !known(turn, path) && !boolean(path)).cloned().collect::<Vec<_>>() {
            merger.set_aside(&mut turn.memory, &path, FieldState::Unknown);
        }
    }
}

/// A yes or a no, and whether it came with something that was put right.
#[derive(Clone, Copy, Debug)]
struct Verdict {
    yes: bool,
    corrects: bool,
}

/// Takes a yes or a no to one question in.
fn settle(
    turn: &mut Turn<'_>,
    question: &Asked,
    Verdict { yes, corrects }: Verdict,
    open: &dyn Fn(&str) -> bool,
    merger: &mut Merger<'_>,
) {
    let engine = turn.engine;
    let agrees = yes;
    let evidence = words_of_reply(turn);
    let except = turn.heard.except.clone();
    let corrected = turn.heard.has(Act::Correction);
    // Of several things that were shown together, who says which one is not right has said that the others are.
    let yes = yes || question.together && (corrects || !except.is_empty());
    // "No, 3" says what is wrong; the rest of what was shown still stands to be confirmed.
    let several = question.to_confirm.len() > 1 || question.together;
    let corrects = !yes && except.is_empty() && (turn.heard.tells() || several);
    for path in question.to_confirm.iter().filter(|path| open(path) && !corrects) {
        // What was offered is what the yes or no is about, not what a model has guessed since.
        let offered = turn.before.extraction.get(path).and_then(|field| field.candidate.clone());
        turn.memory.extraction.entry(path).candidate = offered;
        if turn.heard.keeps_both {
            merger.keep_both(&mut turn.memory, path);
        } else if yes && !except.contains(path) {
            merger.confirm(&mut turn.memory, path, evidence.clone());
        } else if !agrees || question.together {
            merger.reject(&mut turn.memory, path);
        }
    }
    // The yes-or-no field that a question is about is answered by a plain yes or no.
    let field = engine.fields_of(&question.obligation).iter().find(|path| open(path));
    if let Some(path) = field.filter(|_| question.to_confirm.is_empty() && except.is_empty() && !corrected) {
        merger.answer_plainly(&mut turn.memory, path, yes, evidence);
    }
}

/// What is known and was named as not right counts no longer.
fn leave_out(turn: &mut Turn<'_>, asked: &[Asked], merger: &mut Merger<'_>) {
    // "Everything except the deadline", of all that was said: it stays until they say how it should be.
    let obligations = asked.iter().filter_map(|question| turn.engine.obligation(&question.obligation));
    let reviews = obligations.into_iter().any(|o| o.when.is_some()) && !turn.heard.has(Act::Correction);
    for path in turn.heard.except.clone() {
        let shown = asked.iter().any(|question| question.to_confirm.contains(&path));
        if !shown && !reviews && turn.memory.extraction.is_known(&path) {
            merger.clear(&mut turn.memory, &path, "you said it is not right");
        }
    }
}

/// The question that a plain yes or no answers: the only one that such a reply can answer, or the one whose words are
/// taken up with it. Where it could be several, it is none of them, and they are asked one at a time.
fn answered_plainly<'q>(turn: &mut Turn<'_>, asked: &'q [Asked], open: &dyn Fn(&str) -> bool) -> Vec<&'q Asked> {
    let engine = turn.engine;
    let is_boolean = |path: &String| engine.field(path).is_some_and(|field| field.shape.r#type == Kind::Boolean);
    let can_be_answered = |question: &&Asked| match question.to_confirm.as_slice() {
        [] => engine.fields_of(&question.obligation).iter().find(|path| open(path)).is_some_and(is_boolean),
        offered => offered.iter().any(|path| open(path)),
    };
    let possible: Vec<&Asked> = asked.iter().filter(can_be_answered).collect();
    // What was shown together has one answer.
    if possible.len() < 2 || possible.iter().all(|question| question.together) {
        return possible;
    }
    let said: Vec<String> = content_words(&turn.message).collect();
    let taken_up = |question: &Asked| {
        let wording = engine.obligation(&question.obligation).map_or("", |obligation| obligation.question.as_str());
        let offered = question.to_confirm.iter().filter_map(|path| turn.before.extraction.get(path)?.doubted());
        let about = offered.map(brief_text).fold(wording.to_owned(), |about, value| format!("{about} {value}"));
        content_words(&about).filter(|word| said.contains(word)).count()
    };
    let mut ranked: Vec<(usize, &Asked)> = possible.into_iter().map(|asked| (taken_up(asked), asked)).collect();
    ranked.sort_by_key(|(words, _)| std::cmp::Reverse(*words));
    if ranked[0].0 > ranked[1].0 {
        return vec![ranked[0].1];
    }
    // That they stayed without an answer is not for want of one.
    for (_, question) in ranked {
        if let Some(state) = turn.memory.obligations.get_mut(&question.obligation) {
            state.times_asked = state.times_asked.saturating_sub(1);
        }
    }
    turn.one_at_a_time = true;
    Vec::new()
}

/// The words that give a yes or a no: their clause with what goes on after it in the sentence, and never a part of a word.
fn words_of_reply(turn: &Turn<'_>) -> Evidence {
    const LONGEST: usize = 120;
    let message = &turn.message;
    let replies = |act: Act| matches!(act, Act::Confirm | Act::Deny);
    let clause = turn.heard.clauses.iter().find(|clause| replies(clause.act)).or(turn.heard.clauses.first());
    let start = message.floor_char_boundary(clause.map_or(0, |clause| clause.start));
    let least = message.floor_char_boundary(clause.map_or(0, |clause| clause.start + clause.text.len())).max(start);
    let sentence = message[least..].find(['.', '!', '?', '\n']).map_or(message.len(), |end| least + end);
    if sentence - start <= LONGEST {
        return Evidence::at(turn.memory.turn, message, start..sentence);
    }
    let most = message.floor_char_boundary(start + LONGEST).max(least).min(sentence);
    let end = if least < most {
        message[least..most].rfind(char::is_whitespace).map_or(least, |at| least + at)
    } else {
        most
    };
    Evidence::at(turn.memory.turn, message, start..end)
}
