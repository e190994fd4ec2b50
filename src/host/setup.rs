//! Sets up what a front end asks for: profiles are checked, tested and kept, settings changed, everything looked at.
//!
//! **Invariant:** nothing is sent to a host that neither the settings name nor the user has agreed to.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;

use super::audience::{Listener, Teller};
use super::backend::Backend;
use super::doctor::Examiner;
use super::protocol::{Answer, Event, LeadsTo, ModelChoice, ModelsFound, Notice, OFFLINE, SetupCommand, SetupNews};
use crate::llm::local::{self, KNOWN_SERVERS};
use crate::llm::{Budget, CallRole, Client, Endpoint, KeySource, Models, Remembered};
use crate::settings::{self, Flags, ProfileDraft, Settings, Surroundings, named_hosts};
use crate::words::Words;

/// An endpoint that is asked for its list beside other things gets no longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What stands for a model while its name is not known: the list is asked for to find one.
const ANY_MODEL: &str = "model";

/// Sets up what a front end asks for.
pub(super) struct Setup {
    flags: Flags,
    examiner: Examiner,
    /// Tells what comes of it. That is under the number of a run and not of a request: there is more than one piece of news.
    teller: Teller,
    words: &'static Words,
    /// The hosts that the user has agreed to.
    agreed: Arc<Mutex<BTreeSet<String>>>,
    running: Option<AbortHandle>,
}

impl Setup {
    pub fn new(flags: Flags, examiner: Examiner, listener: Listener, words: &'static Words) -> Self {
        let teller = Teller { listener, answers: None, session: None };
        Self { flags, examiner, teller, words, agreed: Arc::default(), running: None }
    }

    /// Begins to carry out a command. What is returned is a profile that answers from now on.
    pub async fn take(&mut self, command: SetupCommand) -> Option<String> {
        match command {
            SetupCommand::Agree(host) => drop(lock(&self.agreed).insert(host)),
            SetupCommand::Stop => self.stop(),
            SetupCommand::Check(profile) => self.beside(move |setup| setup.checked(profile)),
            SetupCommand::Settings => self.beside(Asker::settings),
            SetupCommand::Change { path, value } => self.beside(move |setup| {
                let changed = settings::change(&path, value.as_deref(), &setup.flags, &Surroundings::system());
                match changed {
                    Ok(()) => setup.settings(),
                    Err(words) => setup.tell(SetupNews::NotChanged { path, words }),
                }
            }),
            SetupCommand::ListModels(profile) => {
                let task = tokio::spawn(self.asker().models_of(profile));
                self.run(task.abort_handle());
            }
            SetupCommand::Test { run, profile } => {
                let task = tokio::spawn(self.asker().test(run, profile));
                self.run(task.abort_handle());
            }
            SetupCommand::Examine { run, tries } => self.examine(run, tries),
            SetupCommand::Save { profile, in_use } => return self.save(profile, in_use).await,
        }
        None
    }

    pub fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.abort();
        }
    }

    fn run(&mut self, task: AbortHandle) {
        self.stop();
        self.running = Some(task);
    }

    fn asker(&self) -> Asker {
        Asker {
            flags: self.flags.clone(),
            examiner: self.examiner.clone(),
            teller: self.teller.clone(),
            words: self.words,
            agreed: Arc::clone(&self.agreed),
        }
    }

    /// Does something that reads files, without anybody waiting for it.
    fn beside(&self, work: impl FnOnce(&Asker) + Send + 'static) {
        let asker = self.asker();
        tokio::task::spawn_blocking(move || work(&asker));
    }

    fn examine(&mut self, run: u32, tries: bool) {
        let mut asker = self.asker();
        asker.examiner.only_says = !tries;
        let task = tokio::spawn(async move {
            let settings = match Settings::load(&asker.flags, &Surroundings::system()) {
                Ok(settings) => Arc::new(settings),
                Err(error) => {
                    asker.teller.tell(Notice::error(error));
                    return asker.tell(SetupNews::Done { run });
                }
            };
            let mut tell = |finding| asker.tell(SetupNews::Found { run, finding });
            if let Err(error) = asker.examiner.examine(settings, &mut tell).await {
                asker.teller.tell(Notice::error(error));
            }
            asker.tell(SetupNews::Done { run });
        });
        self.run(task.abort_handle());
    }

    /// Keeps a profile; it is returned where it answers from now on.
    async fn save(&self, profile: ProfileDraft, in_use: bool) -> Option<String> {
        let asker = self.asker();
        let kept = tokio::task::spawn_blocking(move || {
            if let Some(problem) = profile.problem() {
                asker.tell(SetupNews::NotSaved(problem));
                return None;
            }
            let again = SetupCommand::Save { profile: profile.clone(), in_use };
            if in_use {
                asker.leads_to(&profile, again, |words| asker.tell(SetupNews::NotSaved(words)))?;
            }
            match profile.save(in_use, &asker.flags, &Surroundings::system()) {
                Ok(()) => {
                    asker.tell(SetupNews::Saved(profile.name.clone()));
                    if in_use && !asker.starts_with(&profile) {
                        let words =
                            "at the next start a flag or an ELENCHUS_ variable goes before it; /settings says which";
                        asker.teller.tell(Notice::warning(words));
                    }
                    in_use.then_some(profile.name)
                }
                Err(words) => {
                    asker.tell(SetupNews::NotSaved(words));
                    None
                }
            }
        });
        kept.await.ok().flatten()
    }

    /// Lists what can answer: at once what is known, and then what endpoints and servers on this machine say.
    pub fn list_models(&self, backend: Backend, own: Backend, teller: Teller) {
        let asker = Asker { teller, ..self.asker() };
        tokio::spawn(async move { asker.list_models(&backend, &own).await });
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        self.stop();
    }
}

fn lock(agreed: &Mutex<BTreeSet<String>>) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
    agreed.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What works beside the front end's other commands.
struct Asker {
    flags: Flags,
    examiner: Examiner,
    teller: Teller,
    words: &'static Words,
    agreed: Arc<Mutex<BTreeSet<String>>>,
}

impl Asker {
    fn tell(&self, news: SetupNews) {
        self.teller.tell(Event::Setup(news));
    }

    fn settings(&self) {
        match settings::settings(&self.flags, &Surroundings::system()) {
            Ok(all) => self.tell(SetupNews::Settings(all)),
            Err(error) => self.teller.tell(Notice::error(error)),
        }
    }

    /// Whether a profile is what the next start like this one would use.
    fn starts_with(&self, profile: &ProfileDraft) -> bool {
        let settings = Settings::load(&self.flags, &Surroundings::system());
        let default = settings.ok().and_then(|settings| settings.endpoints).map(|endpoints| endpoints.default.endpoint);
        default.is_none_or(|endpoint| endpoint.name == profile.name && endpoint.model == profile.model)
    }

    /// Says what a profile would lead to. The keyring is not asked for that: it might ask the user.
    fn checked(&self, profile: ProfileDraft) {
        let variable = |name: &str| std::env::var(name).ok();
        let quiet = Surroundings { variable: &variable, keyring: &|_| Ok(String::from("-")), ..Surroundings::system() };
        let with_model = ProfileDraft { model: or_any(&profile.model), ..profile.clone() };
        let leads = match with_model.resolve(&self.flags, &quiet) {
            Ok((_, resolved)) => {
                let endpoint = resolved.endpoint;
                let here = endpoint.is_local();
                let key = match endpoint.key_source() {
                    KeySource::Missing => String::new(),
                    source => source.to_string(),
                };
                // What makes a connection also refuses what must not be sent.
                let refused = Client::new(endpoint.clone()).err().map(|error| error.to_string());
                LeadsTo { host: endpoint.host(), here, key, problem: refused.or_else(|| profile.problem()) }
            }
            Err(words) => LeadsTo { problem: Some(words), ..LeadsTo::default() },
        };
        self.tell(SetupNews::Checked { profile, leads });
    }

    /// The endpoint of a profile, if words may go there; otherwise the user is asked first, or told what is wrong.
    fn leads_to(
        &self,
        profile: &ProfileDraft,
        then: SetupCommand,
        refuse: impl FnOnce(String),
    ) -> Option<(Settings, Endpoint)> {
        let (settings, endpoint) = match profile.resolve(&self.flags, &Surroundings::system()) {
            Ok((settings, resolved)) => (settings, resolved.endpoint),
            Err(words) => {
                refuse(words);
                return None;
            }
        };
        let host = endpoint.host();
        if self.may_hear(&host) {
            return Some((settings, endpoint));
        }
        self.tell(SetupNews::Consent { host, here: endpoint.is_local(), then: Box::new(then) });
        None
    }

    /// Whether the user has named a host or agreed to it. Servers on this machine that are looked for were found there.
    fn may_hear(&self, host: &str) -> bool {
        let known = KNOWN_SERVERS.iter().any(|(_, port)| host == format!("127.0.0.1:{port}"));
        known
            || lock(&self.agreed).contains(host)
            || named_hosts(&self.flags, &Surroundings::system()).iter().any(|named| named == host)
    }

    /// Asks an endpoint for its models.
    async fn models_of(self, profile: ProfileDraft) {
        let again = SetupCommand::ListModels(profile.clone());
        let any = ProfileDraft { model: or_any(&profile.model), ..profile };
        let refuse = |words| self.tell(SetupNews::Models(Err(words)));
        let Some((_, endpoint)) = self.leads_to(&any, again, refuse) else { return };
        self.tell(SetupNews::Models(models_of(endpoint).await));
    }

    /// Tries an endpoint.
    async fn test(self, run: u32, profile: ProfileDraft) {
        let refuse = |words| {
            self.tell(SetupNews::NotSaved(words));
            self.tell(SetupNews::Done { run });
        };
        if let Some(problem) = profile.problem() {
            return refuse(problem);
        }
        let again = SetupCommand::Test { run, profile: profile.clone() };
        let Some((settings, endpoint)) = self.leads_to(&profile, again, refuse) else { return };
        let budget = Arc::new(Budget::new(settings.limits.clone()));
        match Models::new(endpoint, Vec::new(), budget) {
            Ok(models) => {
                let models = models.remembering(Arc::new(Remembered::at(&settings.paths.endpoints())));
                let mut tell = |finding| self.tell(SetupNews::Found { run, finding });
                self.examiner.try_models(&models, &Arc::new(settings), None, &mut tell).await;
            }
            Err(error) => self.tell(SetupNews::NotSaved(error.to_string())),
        }
        self.tell(SetupNews::Done { run });
    }

    async fn list_models(&self, backend: &Backend, own: &Backend) {
        let mut choices = self.known_models(backend, own);
        let told = |choices: &[ModelChoice], looking| {
            let found = ModelsFound { models: choices.to_vec(), looking };
            self.teller.tell(Event::Answer(Answer::Models(found)));
        };
        told(&choices, true);
        let listed = async {
            let Backend::Models(models) = own else { return Vec::new() };
            let endpoint = models.client(CallRole::Respond).endpoint().clone();
            models_of(endpoint).await.unwrap_or_default()
        };
        let (listed, servers) = tokio::join!(listed, local::detect());
        if let Backend::Models(models) = own {
            let endpoint = models.client(CallRole::Respond).endpoint();
            let known = choices.clone();
            let others = listed.into_iter().filter(|model| *model != endpoint.model);
            for model in others.filter(|model| means_itself(model, &known)) {
                choices.push(choice(&model, &model, self.words.host.your_endpoint(endpoint.host()), backend, endpoint));
            }
        }
        let known = choices.clone();
        for server in servers {
            for model in server.models.iter().filter(|model| means_itself(model, &known)) {
                let id = format!("{} {model}", server.base_url);
                let host = server.base_url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
                let in_use = is_in_use(backend, &host, model);
                let detail = self.words.host.on_machine(&server.name, &host);
                choices.push(ModelChoice { id, label: model.clone(), detail, in_use });
            }
        }
        told(&choices, false);
    }

    /// What can answer without anybody being asked: the offline interviewer, the profiles, the endpoint's own model.
    fn known_models(&self, backend: &Backend, own: &Backend) -> Vec<ModelChoice> {
        let mut all = vec![ModelChoice {
            id: String::new(),
            label: self.words.status.offline().to_owned(),
            detail: self.words.host.offline_detail().to_owned(),
            in_use: backend.is_offline(),
        }];
        let profiles = Settings::load(&self.flags, &Surroundings::system()).map(|settings| settings.profiles);
        let name = backend.models().map(|models| models.client(CallRole::Respond).endpoint().name.clone());
        for (profile, leads_to) in profiles.unwrap_or_default() {
            let in_use = name.as_ref() == Some(&profile);
            let detail = self.words.host.your_profile(leads_to);
            all.push(ModelChoice { id: profile.clone(), label: profile, detail, in_use });
        }
        if let Backend::Models(models) = own {
            let endpoint = models.client(CallRole::Respond).endpoint();
            let is_profile = all.iter().any(|choice| choice.id == endpoint.name);
            if !is_profile {
                let detail = self.words.host.your_endpoint(endpoint.host());
                all.push(choice(&endpoint.model, &endpoint.model, detail, backend, endpoint));
            }
        }
        all
    }
}

/// Whether a name of an endpoint's list leads to that endpoint. One that looks like an address would lead to another
/// server, and one that is called like something else that can be chosen would lead there.
fn means_itself(model: &str, known: &[ModelChoice]) -> bool {
    let name = model.trim();
    let is_word = name.is_empty() || name.eq_ignore_ascii_case(OFFLINE);
    let is_called = |choice: &ModelChoice| choice.id == name || choice.label.eq_ignore_ascii_case(name);
    !is_word && !name.contains("://") && !known.iter().any(is_called)
}

fn choice(id: &str, label: &str, detail: String, backend: &Backend, endpoint: &Endpoint) -> ModelChoice {
    let in_use = is_in_use(backend, &endpoint.host(), label);
    ModelChoice { id: id.to_owned(), label: label.to_owned(), detail, in_use }
}

fn is_in_use(backend: &Backend, host: &str, model: &str) -> bool {
    backend.models().is_some_and(|models| {
        let endpoint = models.client(CallRole::Respond).endpoint();
        endpoint.host() == host && endpoint.model == model
    })
}

fn or_any(model: &str) -> String {
    if model.trim().is_empty() { ANY_MODEL.to_owned() } else { model.to_owned() }
}

/// The models of an endpoint, asked for once and not for long.
async fn models_of(mut endpoint: Endpoint) -> Result<Vec<String>, String> {
    endpoint.timeouts.connect = endpoint.timeouts.connect.min(PATIENCE);
    endpoint.timeouts.first_byte = endpoint.timeouts.first_byte.min(PATIENCE);
    let client = Client::new(endpoint).map_err(|error| error.to_string())?;
    client.models().await.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_in_a_list_of_models_leads_to_anything_else() {
        let profile = ModelChoice { id: "work".into(), label: "work".into(), detail: String::new(), in_use: false };
        let known = [profile];
        for name in ["work", " work ", "Work", "", " ", "Offline", "http://elsewhere.example/v1 m", "a://b"] {
            assert!(!means_itself(name, &known), "{name:?}");
        }
        assert!(means_itself("working-3:8b", &known));
    }
}
