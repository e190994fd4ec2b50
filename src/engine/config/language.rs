//! What the interviewer knows of a language: acts, small words, numbers, dates, and how it puts things itself.

use super::answering::Answering;
use super::notes::Notes;
use crate::decode::{Entries, Id, Places, Spanned, table, words};

table! {
    /// A language: how people say yes, ask back, correct themselves, write numbers and dates, and what they are told.
    Language called "the language file" {
        /// The code of the language, such as `en`; the same as the file's name.
        required id: Id,
        /// What people call it.
        required name: String,
        /// Its code in three letters, by which it is recognised.
        required iso639_3: String,
        /// Small words: they tell languages apart and count little in cues.
        required stopwords: Vec<String>,
        /// Endings that words take, so that a cue finds all forms of a word.
        optional endings: Vec<String>,
        /// Talk before the point, cut off the beginning of a clause.
        optional fillers: Vec<Spanned<String>>,
        /// Talk after the point, cut off the end of a clause.
        optional trailers: Vec<Spanned<String>>,
        /// Words at which clauses are split.
        optional joints: Vec<String>,
        /// Words with which a clause begins.
        optional subjects: Vec<Spanned<String>>,
        /// Words before a noun: what they begin after a joint may be the second half of a subject.
        optional determiners: Vec<String>,
        /// Verbs as several do them, by which such a subject is known: `see`, not `sees`.
        optional plural_verbs: Vec<String>,
        /// Words with which a condition begins: the comma after it does not part it from what holds under it.
        optional conditions: Vec<String>,
        /// Words that say that a clause has a verb.
        optional verbs: Vec<Spanned<String>>,
        /// Words that deny what follows.
        optional negations: Vec<Spanned<String>>,
        /// What takes back the words before it within a sentence.
        optional repairs: Vec<Spanned<String>>,
        /// Patterns that take a figure back where they stand between it and another of its kind.
        optional figure_repairs: Vec<Spanned<String>>,
        /// Words that are a yes or a no by themselves, also where the sentence goes on without a comma.
        optional plain_replies: Vec<String>,
        /// Words with which questions begin.
        optional question_words: Vec<String>,
        /// Words for the person who is spoken to.
        optional addressee: Vec<String>,
        /// Words for the person who speaks.
        optional speaker: Vec<String>,
        /// Words by which people speak of what is theirs, and an interviewer never does: `our`.
        optional ours: Vec<String>,
        /// Words after which a stop ends no sentence.
        optional abbreviations: Vec<String>,
        /// What makes a guess of somebody who does not know: `maybe`.
        optional guesses: Vec<Spanned<String>>,
        /// Words by which who speaks of themselves asks for something: `i want to see the list`.
        optional wishes: Vec<Spanned<String>>,
        /// How people say that there is none.
        optional nothing: Vec<Spanned<String>>,
        /// Quotation marks, with `{}` between them.
        optional quotation: String = "“{}”".to_owned(),
        /// Numbers in words.
        optional numbers: Numbers,
        /// What numbers count.
        optional units: Units,
        /// How dates are written.
        optional dates: Dates,
        /// How lists are written.
        optional lists: Lists,
        /// What is left out where a value is noted.
        optional notes: Notes,
        /// Words that say that a sentence is about something else than the one before it: `by the way`.
        optional by_the_way: Vec<Spanned<String>>,
        /// How a question is answered, beside the point of the answer.
        optional answering: Answering,
        /// Corrections of what was said before.
        optional corrections: Corrections,
        /// Replies to "is that right?".
        optional verdicts: Verdicts,
        /// How people say that they have said it already.
        optional retold: Retold,
        /// Commands about what was noted.
        optional edits: Edits,
        /// What a clause does, by rules in order.
        optional acts: Vec<ActRule>,
        /// What the interviewer says, by occasion; each a list of wordings that take turns.
        optional replies: Entries<Vec<String>>,
        /// How the interviewer follows up.
        optional probes: Probes,
        places at: Places,
    }
}

table! {
    /// Numbers in words.
    Numbers called "`numbers`" {
        /// Their values.
        optional words: Entries<f64>,
        /// Words before an ordinal number, where numbers become ordinals by a dot: `am 2. Mai`.
        optional before_ordinals: Vec<String>,
        /// Those of them that are articles too, and numbers only before what they count: `a`, `an`.
        optional articles: Vec<String>,
        /// Words that multiply the number before them.
        optional scales: Entries<f64>,
        /// Several words that make one number.
        optional phrases: Entries<f64>,
        /// What adds a half to the number before it.
        optional and_a_half: Vec<String>,
        /// The mark before decimals.
        optional decimal: String = ".".to_owned(),
        /// What stands between the ends of a range.
        optional range: Vec<String>,
        /// What stands before a range whose ends are joined by `and`.
        optional between: Vec<String>,
        /// What joins the ends of such a range.
        optional and: Vec<String>,
        /// Whether numbers are written in one word: `zwölftausend`.
        optional compounds: bool,
        /// What stands between a mark and the best mark.
        optional out_of: Vec<String>,
    }
}

table! {
    /// What numbers count.
    Units called "`units`" {
        /// Money.
        optional money: Vec<String>,
        /// Shares.
        optional percent: Vec<String>,
        /// Minutes.
        optional minutes: Vec<String>,
        /// Hours.
        optional hours: Vec<String>,
        /// Days.
        optional days: Vec<String>,
        /// Weeks.
        optional weeks: Vec<String>,
        /// Months.
        optional months: Vec<String>,
        /// Years.
        optional years: Vec<String>,
    }
}

table! {
    /// How dates are written.
    Dates called "`dates`" {
        /// Names of months.
        optional months: Vec<String>,
        /// Names of weekdays.
        optional weekdays: Vec<String>,
        /// Patterns of dates.
        optional forms: Vec<Spanned<String>>,
    }
}

table! {
    /// How lists are written.
    Lists called "`lists`" {
        /// What joins the last two elements.
        optional joints: Vec<String>,
        /// Words before an element that are no part of it.
        optional leads: Vec<String>,
        /// Words after a comma that say more of the element before it.
        optional continues: Vec<String>,
        /// Words before several elements that are no part of the first: `the options are`.
        optional introductions: Vec<String>,
        /// Words for what was named before: a clause that begins with one is no element by itself, unless the first one
        /// is such a clause too.
        optional asides: Vec<String>,
        /// Those of `continues` that are articles too: before a name they begin an element.
        optional articles: Vec<String>,
        /// Words after an element that are no part of it: `would be nice`.
        optional tails: Vec<Spanned<String>>,
        /// Words by which something is left out of a list: `not the`, `we wont do`.
        optional excludes: Vec<Spanned<String>>,
    }
}

table! {
    /// Corrections of what was said before. In each pattern `{old}` is what is taken back and `{new}` what holds.
    Corrections called "`corrections`" {
        /// Both are said: `{new}, not {old}`.
        optional exchanges: Vec<String>,
        /// Only what holds is said: `i meant {new}`.
        optional renewals: Vec<String>,
        /// Words before what is taken back, where what holds follows after a pause: `not 20, 30`.
        optional denials: Vec<Spanned<String>>,
        /// Words before what holds that are no part of it: `it is`, `more like`.
        optional leads: Vec<Spanned<String>>,
        /// Words by which a correction is announced: `actually`, `sorry`.
        optional announced: Vec<Spanned<String>>,
        /// Words before what holds that announce a correction and are no part of it: `it should say`.
        optional heads: Vec<Spanned<String>>,
        /// Words before a figure that was said before, where another one follows: `i said`.
        optional recalls: Vec<Spanned<String>>,
        /// What takes an element off a list: `remove {old} from the list`.
        optional removals: Vec<String>,
        /// What puts one on it: `add {new}`.
        optional additions: Vec<String>,
        /// What brings a value to another field: `{new}` names the right one, `{old}` the wrong one.
        optional moves: Vec<String>,
        /// What gives a field by its name a value: `{value}` is the value, `{new}` names the field.
        optional placings: Vec<String>,
    }
}

table! {
    /// Replies to "is that right?": a verdict on all of it or some of it, with facts beside it.
    Verdicts called "`verdicts`" {
        /// Words that say there is none of something: `no`. Followed by a noun (`no budget`) they are no verdict.
        optional none: Vec<String>,
        /// Words that agree, whatever follows them.
        optional yes: Vec<Spanned<String>>,
        /// Words that agree where a pause or an exception follows.
        optional agreed: Vec<Spanned<String>>,
        /// Words that disagree.
        optional no: Vec<Spanned<String>>,
        /// Words that agree with most of it.
        optional almost: Vec<Spanned<String>>,
        /// Words between a verdict and what it does not hold for.
        optional except: Vec<Spanned<String>>,
        /// Words about what was shown as a whole: `the rest is right`, `those are the three`.
        optional whole: Vec<Spanned<String>>,
        /// Words that keep what was known and what was shown: `it is both`.
        optional both: Vec<Spanned<String>>,
        /// Words that keep what was known in the place of what was shown: `leave it as it was`.
        optional keeps: Vec<Spanned<String>>,
        /// What begins like a verdict and is none: `right now`.
        optional unless: Vec<Spanned<String>>,
        /// Exchanges that are meant as such only here: `{old} is {new}`.
        optional exchanges: Vec<String>,
    }
}

table! {
    /// "I told you": cut off before what was told, which is read as an answer.
    Retold called "`retold`" {
        /// Words before what was told.
        optional heads: Vec<Spanned<String>>,
        /// Words after which no answer follows.
        optional unless: Vec<Spanned<String>>,
        /// What sounds like it and says what there is: `we have that already`, behind what they have.
        optional facts: Vec<Spanned<String>>,
        /// Words before what it was about.
        optional about: Vec<Spanned<String>>,
    }
}

table! {
    /// Commands about what was noted. In each form `{thing}` is what is meant: a place on a list, "that", or some words of
    /// it.
    Edits called "`edits`" {
        /// Forms that take something out: `take {thing} off`, `{thing} can go`.
        optional removes: Vec<Spanned<String>>,
        /// Forms that take something off the list that was just told, and nothing else: `not {thing}`.
        optional drops: Vec<Spanned<String>>,
        /// Forms that keep everything but something: `everything except {thing}`.
        optional all_but: Vec<Spanned<String>>,
        /// Forms that bring back what the last change took: `put {thing} back`, `leave it in`.
        optional restores: Vec<Spanned<String>>,
        /// Forms that put something on the list that was just told: `oh and {thing}`.
        optional adds: Vec<Spanned<String>>,
        /// Forms that call something wrong; what holds may follow after a pause: `{thing} is wrong`.
        optional faults: Vec<Spanned<String>>,
        /// Forms that deny that there is such a thing: `there is no such {thing}`.
        optional no_such: Vec<Spanned<String>>,
        /// Forms that say that something was no answer: `{thing} was not meant as an answer`.
        optional unmeant: Vec<Spanned<String>>,
        /// Forms that go back to something: `back to {thing}`.
        optional returns: Vec<Spanned<String>>,
        /// Forms that want to change something that was told: `i want to change {thing}`.
        optional reopens: Vec<Spanned<String>>,
        /// What sounds like a command and takes nothing out: `forget it`.
        optional idioms: Vec<Spanned<String>>,
        /// What means several things at once: `those two`, `both of them`.
        optional several: Vec<Spanned<String>>,
        /// What stands between two things of which one is not part of the other: `are not`, `doesnt belong to`.
        optional not_in: Vec<Spanned<String>>,
        /// Words with which a command begins that takes something out of something: `take`, `strike`.
        optional takes: Vec<Spanned<String>>,
        /// Words before what it is taken out of: `out of the`.
        optional from: Vec<Spanned<String>>,
        /// Words before a command: `please`, `you can`.
        optional before: Vec<Spanned<String>>,
        /// Words after it: `again`, `from the list`.
        optional after: Vec<Spanned<String>>,
        /// What points to what was said last: `that`, `it`.
        optional pointers: Vec<Spanned<String>>,
        /// Words before some words of what is meant: `the one about`.
        optional about: Vec<Spanned<String>>,
        /// Words that stand with a place on a list: `one`, `item`.
        optional nouns: Vec<String>,
        /// Places on a list; from its end they are negative.
        optional places: Entries<f64>,
        /// How a clause begins that only says why: `nobody`, `because`.
        optional reasons: Vec<Spanned<String>>,
    }
}

words! {
    /// What a clause does in a conversation.
    Act called "an act" {
        /// It answers what was asked.
        Answer = "answer",
        /// It tells what was not asked for.
        Volunteered = "volunteered",
        /// It changes what was said before.
        Correction = "correction",
        /// It agrees.
        Confirm = "confirm",
        /// It disagrees.
        Deny = "deny",
        /// It says that the answer will not be given.
        Refuse = "refuse",
        /// It says that the answer is not known.
        DontKnow = "dont_know",
        /// It complains about the interview.
        Objection = "objection",
        /// It asks what the question means, why it is asked, or for an example.
        CounterQuestion = "counter_question",
        /// It is about the interview: go back, skip, how many more.
        Meta = "meta",
        /// It has nothing to do with the interview.
        OffTopic = "off_topic",
        /// It greets or thanks.
        Social = "social",
    }
}

words! {
    /// What the interviewer does about an act.
    Doing called "something the interviewer does" {
        /// Leaves the question for now.
        Skip = "skip",
        /// Never asks again.
        Decline = "decline",
        /// Notes that it is not known.
        Unknown = "unknown",
        /// Asks the question before again.
        Back = "back",
        /// Says what is kept.
        Stop = "stop",
        /// Asks nothing in this answer: the user wants to read or to think.
        Pause = "pause",
        /// Says how many questions are left.
        Left = "left",
        /// Shows what is known.
        List = "list",
        /// Says the question again.
        Repeat = "repeat",
        /// Says what the question means.
        Meaning = "meaning",
        /// Says why it asks.
        Why = "why",
        /// Gives an example.
        Example = "example",
        /// Says what it has on what was asked.
        Recall = "recall",
        /// Asks which one is wrong.
        Wrong = "wrong",
        /// Says what it cannot decide for anybody, and gives an example.
        YourPart = "your_part",
        /// Offers what was said before, or leaves the question.
        SaidAlready = "said_already",
        /// Says how to take the result away.
        Export = "export",
        /// Says who reads what was said.
        WhoReads = "who_reads",
        /// Says how the interview works.
        HowItWorks = "how_it_works",
        /// Takes a yes.
        Confirm = "confirm",
        /// Takes a no.
        Deny = "deny",
        /// Takes a yes to all that the message has put right nothing of.
        Rest = "rest",
    }
}

table! {
    /// A rule by which the act of a clause is known.
    ActRule called "an act" {
        /// Its name, as the inspector shows it.
        required rule: String,
        /// The act.
        required act: Act,
        /// Patterns; one of them stands in the clause. Without any, the rule is known by its examples alone.
        optional says: Vec<Spanned<String>>,
        /// Patterns that must not stand in it.
        optional unless: Vec<Spanned<String>>,
        /// What is answered: a key of `replies`.
        optional reply: Option<Id>,
        /// What the interviewer does.
        optional does: Option<Doing>,
        /// Longer clauses do not match.
        optional max_words: Option<u32>,
        /// Only clauses that ask, or only those that do not.
        optional question: Option<bool>,
        /// Only where a yes or a no can be the answer.
        optional yes_no: bool,
        places at: Places,
    }
}

table! {
    /// What people type: what no rule knows is told from an answer by its likeness to these.
    Examples called "the examples" {
        /// Answers.
        required answers: Vec<String>,
        /// What is no answer, by the name of the rule that it belongs to.
        optional rules: Entries<Vec<String>>,
    }
}

table! {
    /// How the interviewer follows up.
    Probes called "`probes`" {
        /// Questions for a reason.
        optional reason: Vec<String>,
        /// Questions for a real occasion.
        optional instance: Vec<String>,
        /// Questions for a number.
        optional number: Vec<String>,
        /// Words that make a short answer vague.
        optional vague: Vec<Spanned<String>>,
        /// Words by which a reason is known.
        optional because: Vec<String>,
        /// Words by which a real occasion is known.
        optional occasion: Vec<Spanned<String>>,
        /// Signs of questions that lead, ask twice, or suppose: designers are warned of them.
        optional faults: Entries<Vec<String>>,
        /// Signs of an answer that offers to stop: nothing is asked after it.
        optional stops: Vec<String>,
    }
}
