//! The one protocol between the host and its front ends: [`Command`]s go in as [`Request`]s, [`Event`]s come out as [`News`].
//!
//! Both are plain data that can be written as JSON and read back, so that a front end may live in another process. The
//! terminal app, `converse`, `render` and the tests are all clients of it.

mod command;
mod event;
mod request;
mod setup;
mod view;

pub use command::{
    Command, Delete, Edit, Export, File, HandoffCommand, Listing, OFFLINE, Open, Query, SessionCommand, Since,
    TaskCommand, TurnCommand, UseModel,
};
pub use event::{
    Answer, AsideDone, Endpoint, Event, Level, NotOpened, Notice, SessionNews, TurnDone, TurnFailure, TurnNews,
};
pub use request::{Conclusion, News, Request, RequestId};
pub use setup::{
    Finding, KeyDraft, Kind, LeadsTo, Outcome, ProfileDraft, Setting, SetupCommand, SetupNews, TakesEffect,
};
pub use view::{
    CopyOf, CourseChoice, EngineChange, EngineChoice, ImportedAnswer, ImportedAnswers, JourneyStop, ModelChoice,
    ModelsFound, ProvenBrief, SearchHit, SessionChoice, Shelves, Snapshot, Standing, TrustDetail, TrustQuestion,
    TrustedAct, TurnUnderWay, WhatBecame,
};

pub use crate::store::{Draft, Refiling, Shelf};
