//! What a scenario file holds. Declared like the engine file, so that reader, places of errors and JSON Schema are one.

use serde_json::Value;

use super::expectation::Expectations;
use crate::decode::{Spanned, table, tagged, words};
use crate::engine::memory::TaskStatus;

table! {
    /// A test of an engine: what a user says, what the model makes of it, and where that must lead.
    Scenario called "the scenario file" {
        /// What it shows, in a few words.
        required name: String,
        /// Why it matters.
        optional description: Option<String>,
        /// Name of the engine or path of its folder; by default the folder this file stands in.
        optional engine: Option<Spanned<String>>,
        /// Who answers for the engine.
        optional model: Model,
        /// A file of facts that the user knows, beside this one.
        optional person: Option<Spanned<String>>,
        /// What an earlier session handed over.
        optional handoff: Option<Spanned<Value>>,
        /// What the session may cost.
        optional cap_usd: Option<f64>,
        /// The turns, when they are written out.
        optional turns: Vec<Spanned<Turn>>,
        /// The turns, when the person holds the conversation.
        optional simulated: Option<Simulated>,
        /// What must hold at the end.
        optional expect: Expectations,
    }
}

impl Scenario {
    /// Whether pictures of the app are expected anywhere in it.
    pub(crate) fn expects_frames(&self) -> bool {
        self.turns.iter().map(|turn| &turn.expect).chain([&self.expect]).any(|expect| !expect.frames.is_empty())
    }
}

tagged! {
    /// Who answers for the engine.
    Model called "a model" by "type" {
        /// The embedded interviewer.
        Offline(Offline) = "offline",
        /// What the turns say it finds and answers.
        Scripted(Scripted) = "scripted",
        /// Exchanges with an endpoint that were recorded.
        Recorded(Recorded) = "recorded",
        /// The configured endpoint; runs only with `--live`.
        Live(Live) = "live",
    }
}

table! {
    /// The embedded interviewer.
    Offline called "the offline model" {}
}

table! {
    /// What the turns say it finds and answers.
    Scripted called "the scripted model" {}
}

table! {
    /// Exchanges with an endpoint that were recorded.
    Recorded called "a recorded model" {
        /// The recording, beside this file.
        required file: Spanned<String>,
    }
}

table! {
    /// The configured endpoint.
    Live called "the live model" {}
}

table! {
    /// One message of the user.
    Turn called "a turn" {
        /// What the user says; may be left out where facts are told.
        optional says: Option<String>,
        /// Facts of the person that are told after it, by field path.
        optional tells: Vec<Spanned<String>>,
        /// How often the turn happens.
        optional times: u32 = 1,
        /// What the scripted model finds in it.
        optional readings: Vec<Reading>,
        /// What the scripted model notices besides.
        optional signals: Signals,
        /// What the scripted model answers; by default it asks the first question of the agenda.
        optional answer: Option<String>,
        /// News of background tasks.
        optional tasks: Vec<TaskNews>,
        /// What must hold after it.
        optional expect: Expectations,
    }
}

table! {
    /// A value that the scripted model finds.
    Reading called "a reading" {
        /// The field.
        required path: Spanned<String>,
        /// The value; left out, the user takes the field back.
        optional value: Value,
        /// How sure it is.
        optional confidence: f64 = 0.9,
        /// The words it is read from; by default the whole message.
        optional quote: Option<String>,
    }
}

table! {
    /// What the scripted model notices besides values.
    Signals called "`signals`" {
        /// How openly the user speaks, 0 to 1.
        optional trust: Option<f64>,
        /// How well the two get on, 0 to 1.
        optional rapport: Option<f64>,
        /// How much the user resists, 0 to 1.
        optional friction: Option<f64>,
        /// Intents that the user shows.
        optional intents: Vec<String>,
        /// Techniques that the last answer used.
        optional techniques_used: Vec<String>,
    }
}

table! {
    /// News of a background task, known before the turn.
    TaskNews called "news of a task" {
        /// The task.
        required task: Spanned<String>,
        /// How far it has come.
        required status: TaskStatus,
        /// What it brought.
        optional result: Value,
        /// What there is to say about it.
        optional note: Option<String>,
    }
}

table! {
    /// Conversations that the person holds, with no model and no chance that a seed does not repeat.
    Simulated called "`simulated`" {
        /// Turns at most.
        optional turns: u32 = 20,
        /// How many sessions, each with the next seed.
        optional sessions: u32 = 1,
        /// The first seed.
        optional seed: u32 = 1,
    }
}

table! {
    /// A person: what they know, when they say it, and how they talk.
    Person called "the person's file" {
        /// Who it is.
        required name: String,
        /// What they are after.
        optional description: Option<String>,
        /// How they talk.
        optional habits: Habits,
        /// What they say when their mind wanders.
        optional wanders: Vec<String>,
        /// What they say beside what they know, when they tell it in any order.
        optional talk: Talk,
        /// What they know.
        required facts: Vec<Spanned<Fact>>,
    }
}

table! {
    /// How a person talks: how often, from 0 to 1, they do what they do.
    Habits called "`habits`" {
        /// Says something wrong first and puts it right later, where a fact has a `first`.
        optional corrects: f64,
        /// Says again what they said first, against what they have said since.
        optional contradicts: f64,
        /// Would rather not say.
        optional refuses: f64,
        /// Does not know.
        optional unsure: f64,
        /// Talks about something else.
        optional wanders: f64,
        /// Answers in a few words, without a sentence around them.
        optional terse: f64,
    }
}

table! {
    /// What a person says beside what they know. What is left out is said in English.
    Talk called "`talk`" {
        /// Greetings and thanks.
        optional greets: Vec<String>,
        /// Words before a fact, without a mark at their end.
        optional fillers: Vec<String>,
        /// Questions back.
        optional asks: Vec<String>,
    }
}

table! {
    /// Something a person knows.
    Fact called "a fact" {
        /// The field it is about.
        required path: Spanned<String>,
        /// How they put it.
        required says: String,
        /// Its value; by default what they say.
        optional value: Option<Value>,
        /// When they come out with it.
        optional reveal: Reveal,
        /// The turn from which they do, whatever is asked.
        optional after: Option<u32>,
        /// Whether it says something only as a reply, such as a yes to a summary; such a fact is not told in any order.
        optional only_as_reply: bool,
        /// Other fields that it tells something of: filed there too, it is not misfiled.
        optional also: Vec<Spanned<String>>,
        /// What they say first, if they are wrong at first.
        optional first: Option<FirstTold>,
    }
}

table! {
    /// What a person says before they put it right.
    FirstTold called "`first`" {
        /// How they put it.
        required says: String,
        /// Its value; by default what they say.
        optional value: Option<Value>,
        /// How they put it right when they tell things in any order; by default they announce it and say it anew.
        optional put_right: Option<String>,
    }
}

words! {
    /// When a fact comes out.
    Reveal called "a rule of revealing" {
        /// When it is asked for.
        Asked = "asked",
        /// At the first occasion, unasked.
        Volunteers = "volunteers",
        /// Never, unless a turn tells it.
        Never = "never",
    }
}
