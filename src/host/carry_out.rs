//! What the actor does for each command, and what the listeners are told of it.

use std::sync::Arc;

use super::Host;
use super::actor::Actor;
use super::engine_watch::{EngineWatch, faults};
use super::export::files;
use super::handle::{Done, Reply};
use super::protocol::{
    Command, Edit, Event, Export, HandoffCommand, Notice, Open, Query, SessionCommand, SessionNews, TurnCommand,
};
use super::session::Voice;
use super::{HostError, Session, task_news};
use crate::engine::changes;
use crate::engine::edit::asks_for_all;
use crate::store::SessionId;
use crate::words::HostWords;

/// How many changes of an engine are told at once.
const TOLD: usize = 6;

impl Actor {
    pub(super) async fn carry_out(&mut self, command: Command) -> Reply {
        match command {
            Command::Turn(command) => return Box::pin(self.talk(command)).await,
            Command::Edit(request) => {
                let says_yes = matches!(request, Edit::Confirm { .. })
                    && asks_for_all(self.session.engine(), self.session.memory());
                let wraps_up = matches!(request, Edit::WrapUp);
                let note = edit(&mut self.session, request).await?;
                if wraps_up {
                    // What is still to come is worth more than a moment.
                    self.tell_changed("");
                    self.audience.tell(Event::Session(SessionNews::Remark(note)));
                } else {
                    self.tell_changed(note);
                }
                // It answers the question on the table, so the conversation goes on from there.
                if says_yes {
                    let yes = self.session.words().review.yes_to_all().to_owned();
                    return Box::pin(self.turn_by(None, yes, Voice::Pressed)).await;
                }
            }
            Command::Handoff(command) => return Ok(self.hand_off(command).await?),
            Command::Task(command) => task_news::carry_out(&self.session, &self.audience, command).await?,
            Command::Session(SessionCommand::ImportAnswers { file, speaker }) => {
                Box::pin(self.import(&file, &speaker)).await?;
            }
            Command::Session(command) => self.change(command).await?,
            Command::Open(Open::Fork) => {
                let host = self.host()?;
                let record = self.session.record();
                let forked = host.fork(&record.id.to_string(), record.turn).await?;
                return Ok(Done::Next(host.join(&forked.id.to_string()).await?));
            }
            Command::Open(Open::ForkCourse(course)) => {
                let host = self.host()?;
                let id = self.session.record().id;
                let new = SessionId::new(jiff::Timestamp::now());
                let forked = host.store().call_async(move |store| store.fork_course(id, course, new)).await;
                let forked = forked.map_err(HostError::from)?;
                return Ok(Done::Next(host.join(&forked.id.to_string()).await?));
            }
            // Everything that was asked before is done by now.
            Command::Ask(Query::Reached) => {}
            // The connection of a front end sees to these itself.
            Command::Open(Open::Engine(_) | Open::Saying { .. } | Open::Session(_))
            | Command::Ask(_)
            | Command::UseModel(_)
            | Command::Setup(_)
            | Command::Delete(_)
            | Command::File(_) => {
                return Err(HostError::NotForSession.into());
            }
        }
        Ok(Done::Told)
    }

    pub(super) fn host(&self) -> Result<Arc<Host>, HostError> {
        self.host.clone().ok_or(HostError::Rehearsal)
    }

    async fn talk(&mut self, command: TurnCommand) -> Reply {
        match command {
            TurnCommand::Say { message } => self.turn(None, message).await,
            TurnCommand::SayInstead { turn, message } => self.turn(Some(turn), message).await,
            TurnCommand::Aside { message } => self.aside(message).await,
            TurnCommand::Retry => self.retry().await,
            // There is no turn to be cancelled any more.
            TurnCommand::Cancel => Ok(Done::Told),
            TurnCommand::Undo => self.undo(1).await,
            TurnCommand::UndoTurns(count) => self.undo(count).await,
            TurnCommand::UndoChange => {
                if self.session.undo_change().await? {
                    self.tell_changed(self.session.words().host.change_back());
                } else {
                    self.audience.tell(Event::Session(SessionNews::NoChange));
                }
                Ok(Done::Told)
            }
            TurnCommand::Redo => {
                if self.session.redo_change().await? {
                    self.tell_changed(self.session.words().host.change_again());
                } else {
                    self.go_back_to(None).await?;
                }
                Ok(Done::Told)
            }
            TurnCommand::Restore(course) => {
                self.go_back_to(Some(course)).await?;
                Ok(Done::Told)
            }
        }
    }

    /// Takes back the last turns.
    async fn undo(&mut self, turns: u32) -> Reply {
        let turn = self.session.memory().turn;
        let count = self.host()?.rewind(&mut self.session, turn.saturating_sub(turns)).await?;
        self.audience.tell(Event::Opened(Arc::new(self.session.snapshot())));
        let says = &self.session.words().host;
        let told = if count == 0 { says.nothing_to_take_back().to_owned() } else { says.taken_back(count) };
        self.audience.tell(Notice::info(told));
        Ok(Done::Told)
    }

    async fn hand_off(&mut self, command: HandoffCommand) -> Result<Done, HostError> {
        match command {
            HandoffCommand::Accept => {
                let host = self.host()?;
                let (next, gate) = host.take_next_step(&mut self.session).await?;
                return Ok(Done::Next(host.open_for_all(next, &gate)));
            }
            HandoffCommand::Edit(handoff) => {
                self.session.edit_handoff(*handoff).await?;
                self.tell_changed(self.session.words().host.changes_kept());
            }
            HandoffCommand::Decline => {
                self.session.decline_handoff().await?;
                self.tell_changed(self.session.words().host.handoff_declined());
            }
            HandoffCommand::Reconsider => {
                self.session.reconsider_handoffs().await?;
                self.tell_changed("");
            }
        }
        Ok(Done::Told)
    }

    async fn change(&mut self, command: SessionCommand) -> Result<(), HostError> {
        match command {
            SessionCommand::Rename(title) => {
                self.session.rename(&title).await?;
                let kept = self.session.record().title.clone();
                self.audience.tell(Event::Session(SessionNews::Renamed(kept)));
            }
            SessionCommand::SaveDraft(draft) => {
                self.session.save_draft(&draft).await?;
                self.prepare_ahead(&draft).await;
            }
            SessionCommand::UseProject(wanted) => {
                self.session.use_project(wanted).await?;
                let says = &self.session.words().host;
                self.tell_changed(if wanted { says.project_used() } else { says.project_unused() });
            }
            SessionCommand::RaiseCap { cap, limit } => {
                self.session.raise_cap(cap, limit).await?;
                self.tell_changed("");
            }
            SessionCommand::ReloadEngine => self.reload().await,
            SessionCommand::WatchEngine => self.watch_engine()?,
            SessionCommand::Export(what) => {
                let host = self.host()?;
                let written = match what {
                    Export::Brief(file) => files::brief(&self.session, &host, file).await?,
                    Export::Transcript(file) => files::transcript(&self.session, file)?,
                    Export::Questions(file) => files::questions(&self.session, file)?,
                    Export::Scenario(file) => files::scenario(&self.session, &host, file).await?,
                };
                self.audience.tell(written);
            }
            // It is a row of turns, and seen to above.
            SessionCommand::ImportAnswers { .. } => return Err(HostError::NotForSession),
        }
        Ok(())
    }

    /// Tells what is known now, after a change outside a turn.
    pub(super) fn tell_changed(&self, note: impl Into<String>) {
        let memory = self.session.memory_now();
        let (sidebar, card) = (self.session.sidebar(), self.session.card().map(Box::new));
        self.audience.tell(Event::Session(SessionNews::Changed { memory, sidebar, card, note: note.into() }));
    }

    /// Takes over the engine's files whenever they are saved, if it has any.
    fn watch_engine(&mut self) -> Result<(), HostError> {
        let Some(folder) = self.session.engine_folder() else {
            return Err(HostError::NothingToWatch(self.session.engine().definition().id.to_string()));
        };
        let unwatchable = |error: notify::Error| HostError::Unwatchable { folder: folder.to_owned(), error };
        self.watch = Some(EngineWatch::start(folder).map_err(unwatchable)?);
        Ok(())
    }

    /// Takes the engine's files over, between two turns.
    pub(super) async fn reload(&mut self) {
        let Some(host) = self.host.clone() else { return };
        let news = match host.reload(&mut self.session).await {
            Ok(None) => return,
            Ok(Some(different)) => {
                // The new version has its own tasks.
                self.tasks = self.session.task_events();
                if let Err(error) = self.session.resume_tasks().await {
                    self.audience.tell(Notice::error(error));
                }
                let name = &self.session.engine().definition().id;
                SessionNews::EngineChanged {
                    engine: Arc::clone(&self.session.outline),
                    memory: self.session.memory_now(),
                    sidebar: self.session.sidebar(),
                    card: self.session.card().map(Box::new),
                    note: format!("`{name}` is taken over: {}", changes::in_short(&different, TOLD)),
                }
            }
            Err(error) => SessionNews::EngineFaulty(faults(&error)),
        };
        self.audience.tell(Event::Session(news));
    }
}

/// Changes by hand what is known; says what was done.
async fn edit(session: &mut Session, request: Edit) -> Result<String, HostError> {
    let says = &session.words().host;
    let outline = session.outline.speaking(session.memory().language.current.as_deref());
    let field = |path: String| outline.field(&path).map_or(path, |field| field.name.clone());
    Ok(match request {
        Edit::Correct { path, value } => {
            let doubted = session.correct(&path, &value).await?;
            with_doubts(says.put_right(field(path)), &doubted.into_iter().map(field).collect::<Vec<_>>(), says)
        }
        Edit::Confirm { shown } => {
            session.confirm(&shown).await?;
            says.confirmed(shown.len())
        }
        Edit::Clear { path } => {
            let doubted = session.clear(&path).await?;
            with_doubts(says.forgotten(field(path)), &doubted.into_iter().map(field).collect::<Vec<_>>(), says)
        }
        Edit::Defer { obligation } => {
            session.defer(&obligation, "set aside by you").await?;
            let label = outline.obligation(&obligation).map_or(obligation, |obligation| obligation.name.clone());
            says.set_aside(label)
        }
        Edit::WrapUp => {
            let wrapped = session.wrap_up().await?;
            let name = |id: &String| outline.obligation(id).map_or_else(|| id.clone(), |known| known.name.clone());
            let names = |ids: &[String]| ids.iter().map(name).collect::<Vec<_>>().join(", ");
            let left = match wrapped.left.len() {
                0 => says.all_asked().to_owned(),
                count => says.last_ones(count, names(&wrapped.left)),
            };
            match wrapped.aside.len() {
                0 => left,
                count => format!("{left} {}", says.wrapped_up(count, names(&wrapped.aside))),
            }
        }
        Edit::Phase { phase } => {
            session.force_phase(&phase).await?;
            let name = outline.phase(&phase).map_or(phase, |phase| phase.name.clone());
            says.moves_on(name)
        }
    })
}

/// What was done, and what is in doubt since.
fn with_doubts(done: String, doubted: &[String], says: &HostWords) -> String {
    if doubted.is_empty() { done } else { format!("{done}; {}", says.doubted(doubted.len(), named(doubted, says))) }
}

fn named(names: &[String], says: &HostWords) -> String {
    names.iter().map(|name| says.titled(name)).collect::<Vec<_>>().join(", ")
}
