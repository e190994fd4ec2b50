//! The engine designer's test bench: conversations as data, run through the same turn as real ones, judged by the state
//! they lead to. They run on sessions that are kept nowhere, with a clock that counts, so that the same files give the
//! same results everywhere.

mod any_order;
mod coverage;
mod declare;
mod expectation;
mod frame;
mod judge;
mod load;
mod mutation;
mod person;
mod random;
mod replay;
mod report;
mod run;
mod suite;

pub use any_order::{AnyOrder, FactHeard, Heard, Stray, any_order, any_order_json, any_order_text};
pub use coverage::{Coverage, CoverageItem, CoverageKind};
pub use declare::{Fact, Habits, Model, Person, Reading, Reveal, Scenario, Simulated, Talk, TaskNews, Turn};
pub use expectation::{Expectations, FieldExpectation, FrameExpectation};
pub use frame::DrawnFrame;
pub use judge::Unmet;
pub use load::{Case, json_schema, load};
pub use mutation::{Mutant, Mutation, mutants};
pub use person::{Simulation, Utterance};
pub use replay::{TurnDifference, replay};
pub use report::{junit, text, to_json};
pub use run::{Played, Voice, play};
pub use suite::{EngineRun, ScenarioRun, run_all, run_mutants};
