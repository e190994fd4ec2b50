//! Settings: who wins, what is refused, and that keys stay where they belong.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use elenchus::llm::{CallRole, Caps, Endpoint, KeySource, Price, Provider};
use elenchus::settings::{
    ChosenModel, Flags, KeyDraft, Kind, Origin, Paths, ProfileDraft, Settings, SettingsError, Surroundings, change,
    check, every_key, settings,
};
use pretty_assertions::assert_eq;
use secrecy::ExposeSecret;
use serde_json::json;

/// Resolves a file with flags and variables, without touching the machine.
fn resolve(text: &str, flags: &Flags, variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    let variable = |name: &str| variables.get(name).map(|value| (*value).to_owned());
    let keyring = |entry: &str| if entry == "work" { Ok("kr-secret".to_owned()) } else { Err("no entry".to_owned()) };
    let surroundings = Surroundings { variable: &variable, keyring: &keyring, program: None };
    let flags = Flags {
        config: Some(flags.config.clone().unwrap_or_else(|| PathBuf::from("/etc/elenchus/config.toml"))),
        data_dir: Some(PathBuf::from("/var/elenchus")),
        ..flags.clone()
    };
    let paths = Paths::resolve(&flags, &surroundings)?;
    Settings::resolve(text, paths, &flags, &surroundings)
}

fn problems(text: &str, variables: &[(&str, &str)]) -> Vec<String> {
    match resolve(text, &Flags::default(), variables) {
        Err(SettingsError::Invalid { problems }) => problems.iter().map(ToString::to_string).collect(),
        other => panic!("no problems: {other:?}"),
    }
}

fn explained(settings: &Settings, key: &str) -> (String, String) {
    let found = settings.explain().iter().find(|explained| explained.key == key);
    found.map(|found| (found.value.clone(), found.origin.to_string())).expect("an explained key")
}

const FILE: &str = r#"
profile = "work"
sensitive = "redact"

[profiles.work]
endpoint = "https://models.example/v1"
model = "large"
key_env = "WORK_KEY"
headers = { X-Team = "intake", X-Auth = "$TEAM_SECRET" }
proxy = "http://proxy:3128"
context_window = 128_000
max_output_tokens = 2000
attempts = 2
price = { input = 2.5, cached = 0.25, output = 10 }
timeouts = { connect = 3, stall = 1.5 }
extra = { reasoning_effort = "low", seed = 7, nested = { on = true } }

[profiles.local]
endpoint = "http://127.0.0.1:11434/v1"
model = "small"

[roles.analyse]
profile = "local"

[roles.summarise]
model = "medium"

[budget]
session_usd = 1.5
day_tokens = 1_000_000
alerts = [60, 90]
requests_per_minute = 30
"#;

const SECRETS: &[(&str, &str)] = &[("WORK_KEY", "sk-work-secret"), ("TEAM_SECRET", "team-secret")];

#[test]
fn a_fresh_machine_has_settings_and_no_endpoint() {
    let settings = resolve("", &Flags::default(), &[("OPENAI_API_KEY", "sk-never-used-unasked")]).expect("settings");
    assert!(settings.endpoints.is_none());
    assert!(settings.models().expect("no endpoint is no error").is_none());
    assert_eq!(settings.limits.caps, Caps::default());
    assert_eq!(explained(&settings, "sensitive"), ("warn".to_owned(), "default".to_owned()));
}

#[test]
fn a_whole_file_is_resolved() {
    let settings = resolve(FILE, &Flags::default(), SECRETS).expect("settings");
    let endpoints = settings.endpoints.as_ref().expect("endpoints");
    let work = &endpoints.default.endpoint;
    assert_eq!((work.name.as_str(), work.model.as_str(), work.provider), ("work", "large", Provider::OpenAi));
    assert_eq!(work.key_source(), KeySource::Variable("WORK_KEY".to_owned()));
    let headers: Vec<_> = work.headers.iter().map(|(name, value)| (name.as_str(), value.expose_secret())).collect();
    assert_eq!(headers, [("X-Team", "intake"), ("X-Auth", "team-secret")]);
    assert_eq!(work.price, Some(Price { input: 2.5, cached: Some(0.25), output: 10.0 }));
    assert_eq!(work.timeouts.connect, Duration::from_secs(3));
    assert_eq!(work.timeouts.stall, Duration::from_millis(1500));
    assert_eq!((work.context_window, work.max_output_tokens, work.retry.attempts), (Some(128_000), Some(2000), 2));
    let extra = json!({ "reasoning_effort": "low", "seed": 7, "nested": { "on": true } });
    assert_eq!(serde_json::Value::Object(work.extra_body.clone()), extra);

    let roles: Vec<_> =
        endpoints.by_role.iter().map(|(role, resolved)| (*role, resolved.endpoint.model.as_str())).collect();
    assert_eq!(roles, [(CallRole::Analyse, "small"), (CallRole::Summarise, "medium")]);
    assert!(endpoints.by_role[0].1.endpoint.key.is_none(), "a local profile gets no key of another");

    assert_eq!(settings.limits.caps.session_usd, Some(1.5));
    assert_eq!(settings.limits.caps.day_tokens, Some(1_000_000));
    assert_eq!((settings.limits.alerts.as_slice(), settings.limits.requests_per_minute), (&[60, 90][..], Some(30)));
    assert_eq!(explained(&settings, "model"), ("large".to_owned(), "config.toml:7".to_owned()));
    assert_eq!(explained(&settings, "roles.analyse.model"), ("small".to_owned(), "config.toml:20".to_owned()));
    assert_eq!(explained(&settings, "key"), ("the key in WORK_KEY".to_owned(), "config.toml:8".to_owned()));
    assert_eq!(explained(&settings, "budget.session_usd"), ("$1.50".to_owned(), "config.toml:29".to_owned()));
    let shown = format!("{settings:?}");
    assert!(!shown.contains("sk-work-secret") && !shown.contains("team-secret"), "{shown}");
    assert!(settings.models().expect("usable").is_some());
}

#[test]
fn flags_win_over_variables_and_variables_over_the_file() {
    let variables = [SECRETS, &[("ELENCHUS_MODEL", "from-variable"), ("ELENCHUS_SENSITIVE", "allow")]].concat();
    let settings = resolve(FILE, &Flags::default(), &variables).expect("settings");
    assert_eq!(explained(&settings, "model"), ("from-variable".to_owned(), "ELENCHUS_MODEL".to_owned()));
    assert_eq!(explained(&settings, "sensitive"), ("allow".to_owned(), "ELENCHUS_SENSITIVE".to_owned()));
    let flags = Flags { model: Some("from-flag".to_owned()), sensitive: Some("warn".to_owned()), ..Flags::default() };
    let settings = resolve(FILE, &flags, &variables).expect("settings");
    assert_eq!(explained(&settings, "model"), ("from-flag".to_owned(), "--model".to_owned()));
    assert_eq!(explained(&settings, "roles.summarise.model"), ("from-flag".to_owned(), "--model".to_owned()));
    assert_eq!(settings.sensitive.origin, Origin::Flag("--sensitive"));
}

#[test]
fn an_endpoint_can_be_given_without_any_file() {
    let variables =
        [("ELENCHUS_ENDPOINT", "http://127.0.0.1:8091"), ("ELENCHUS_MODEL", "local"), ("ELENCHUS_API_KEY", "k-123")];
    let settings = resolve("", &Flags::default(), &variables).expect("settings");
    let endpoint = settings.endpoints.expect("an endpoint").default.endpoint;
    assert_eq!(endpoint.chat_url().as_str(), "http://127.0.0.1:8091/v1/chat/completions");
    assert_eq!(endpoint.key_source(), KeySource::Variable("ELENCHUS_API_KEY".to_owned()));

    let anthropic = [("ELENCHUS_PROVIDER", "anthropic"), ("ELENCHUS_MODEL", "m"), ("ANTHROPIC_API_KEY", "k-456")];
    let settings = resolve("", &Flags::default(), &anthropic).expect("settings");
    let endpoint = settings.endpoints.expect("an endpoint").default.endpoint;
    assert_eq!(endpoint.chat_url().as_str(), "https://api.anthropic.com/v1/messages");
    assert_eq!(endpoint.key_source(), KeySource::Variable("ANTHROPIC_API_KEY".to_owned()));
}

#[test]
fn keys_do_not_follow_an_endpoint_to_another_host() {
    let variables = [
        ("ELENCHUS_ENDPOINT", "http://elsewhere.example/v1"),
        ("ELENCHUS_MODEL", "m"),
        ("OPENAI_API_KEY", "sk-openai"),
        ("WORK_KEY", "sk-work-secret"),
        ("TEAM_SECRET", "team-secret"),
    ];
    for file in ["", FILE] {
        let endpoint =
            resolve(file, &Flags::default(), &variables).expect("settings").endpoints.expect("one").default.endpoint;
        assert_eq!(endpoint.host(), "elsewhere.example");
        assert!(endpoint.key.is_none() && endpoint.headers.is_empty(), "{endpoint:?}");
    }
    let own = "[profiles.p]\nprovider = \"openai\"\nmodel = \"m\"\nkey_env = \"WORK_KEY\"\n\
               headers = { X-Team = \"$TEAM_SECRET\" }\nextra = { api_key = \"sk-extra\" }\n";
    let provider = Flags { provider: Some("lmstudio".to_owned()), ..Flags::default() };
    let address = Flags { endpoint: Some("http://127.0.0.1:38082/v1".to_owned()), ..Flags::default() };
    for flags in [&provider, &address] {
        let endpoint = resolve(own, flags, &variables[2..]).expect("settings").endpoints.expect("one").default.endpoint;
        assert!(endpoint.host().starts_with("127.0.0.1:"));
        assert!(endpoint.key.is_none() && endpoint.headers.is_empty() && endpoint.extra_body.is_empty());
    }
    let same = Flags { endpoint: Some("https://models.example/v2".to_owned()), ..Flags::default() };
    let endpoint = resolve(FILE, &same, SECRETS).expect("settings").endpoints.expect("one").default.endpoint;
    assert_eq!(endpoint.key_source(), KeySource::Variable("WORK_KEY".to_owned()));
}

/// The endpoint of a model that was chosen while the program runs.
fn chosen(
    file: &str,
    flags: &Flags,
    variables: &[(&str, &str)],
    choice: (Option<&str>, &str),
) -> Result<Endpoint, String> {
    let (endpoint, model) = choice;
    let choice = ChosenModel { endpoint: endpoint.map(ToOwned::to_owned), model: model.to_owned() };
    let settings = resolve(file, &Flags { chosen: Some(choice), ..flags.clone() }, variables);
    let settings = settings.map_err(|error| error.to_string())?;
    Ok(settings.endpoints.expect("an endpoint").default.endpoint)
}

#[test]
fn a_server_that_is_chosen_gets_no_key_unless_the_settings_name_it() {
    let key = ("ELENCHUS_API_KEY", "k-123");
    let elsewhere = (Some("http://127.0.0.1:11434/v1"), "llama3");
    let cloud = ("ELENCHUS_ENDPOINT", "https://models.example/v1");
    let work = [SECRETS, &[key]].concat();
    let flag = Flags { endpoint: Some("https://models.example/v1".to_owned()), ..Flags::default() };
    for (file, flags, variables) in [
        ("", &Flags::default(), &[key][..]),
        ("", &Flags::default(), &[key, cloud, ("ELENCHUS_MODEL", "m")]),
        ("", &flag, &[key, ("ELENCHUS_MODEL", "m"), ("OPENAI_API_KEY", "sk")]),
        (FILE, &Flags::default(), &work),
        (FILE, &Flags { key_env: Some("WORK_KEY".to_owned()), ..Flags::default() }, &work),
    ] {
        let endpoint = chosen(file, flags, variables, elsewhere).expect("a server");
        assert_eq!((endpoint.host().as_str(), endpoint.model.as_str()), ("127.0.0.1:11434", "llama3"));
        assert!(endpoint.key.is_none() && endpoint.headers.is_empty(), "{file}: {endpoint:?}");
    }
    // The configured server, and one that a profile names, have their own.
    let own = (Some("https://models.example/v1"), "other");
    let endpoint = chosen("", &Flags::default(), &[key, cloud, ("ELENCHUS_MODEL", "m")], own).expect("a server");
    assert_eq!(endpoint.key_source(), KeySource::Variable("ELENCHUS_API_KEY".to_owned()));
    let endpoint = chosen(FILE, &Flags::default(), SECRETS, (None, "other")).expect("a server");
    assert_eq!((endpoint.host().as_str(), endpoint.model.as_str()), ("models.example", "other"));
    assert_eq!(endpoint.key_source(), KeySource::Variable("WORK_KEY".to_owned()));
    let local = Flags { profile: Some("local".to_owned()), ..Flags::default() };
    let endpoint = chosen(FILE, &local, &work, own).expect("a server");
    assert_eq!(endpoint.key_source(), KeySource::Variable("WORK_KEY".to_owned()), "not that of the profile in use");
}

#[test]
fn a_flag_that_names_a_key_goes_before_the_variable() {
    let flags = Flags {
        endpoint: Some("https://other.example/v1".to_owned()),
        model: Some("m".to_owned()),
        key_env: Some("OTHER_KEY".to_owned()),
        ..Flags::default()
    };
    let own = ("ELENCHUS_API_KEY", "k-own");
    let source = |variables: &[(&str, &str)]| {
        let settings = resolve("", &flags, variables).expect("settings");
        settings.endpoints.expect("one").default.endpoint.key_source()
    };
    assert_eq!(source(&[own, ("OTHER_KEY", "k-other")]), KeySource::Variable("OTHER_KEY".to_owned()));
    let missing = source(&[own]);
    assert_ne!(missing, KeySource::Variable("ELENCHUS_API_KEY".to_owned()), "it was set for another host");
}

#[test]
fn a_model_without_an_address_reaches_for_nothing() {
    let key = ("OPENAI_API_KEY", "sk-never-used-unasked");
    let error = chosen("", &Flags::default(), &[key], (None, "llama3")).expect_err("no address");
    assert!(error.contains("the model `llama3` has no address") && error.contains("/model http://"), "{error}");
    let named = [key, ("ELENCHUS_PROVIDER", "openai")];
    let endpoint = chosen("", &Flags::default(), &named, (None, "gpt")).expect("a server");
    assert_eq!(endpoint.host(), "api.openai.com", "who names a provider means its address");
}

#[test]
fn the_key_of_the_environment_belongs_to_the_address_beside_it() {
    let flags = Flags { endpoint: Some("https://other.example/v1".to_owned()), ..Flags::default() };
    let beside =
        [("ELENCHUS_ENDPOINT", "https://models.example/v1"), ("ELENCHUS_MODEL", "m"), ("ELENCHUS_API_KEY", "k")];
    let endpoint = |flags: &Flags, file: &str, variables: &[(&str, &str)]| {
        resolve(file, flags, variables).expect("settings").endpoints.expect("one").default
    };
    assert!(endpoint(&flags, "", &beside).endpoint.key.is_none(), "it was set for another address");
    assert!(endpoint(&flags, FILE, &[SECRETS, &beside[1..]].concat()).endpoint.key.is_none());
    assert!(endpoint(&flags, "", &beside[1..]).endpoint.key.is_some(), "there is no other that it could be for");
    let settings = resolve("", &Flags::default(), &beside).expect("settings");
    assert_eq!(explained(&settings, "key_host"), ("models.example".to_owned(), "ELENCHUS_ENDPOINT".to_owned()));
}

#[test]
fn a_key_goes_to_another_machine_encrypted_or_not_at_all() {
    let file = |address: &str, more: &str| {
        format!("[profiles.a]\nendpoint = \"{address}\"\nmodel = \"m\"\nkey_env = \"MY_KEY\"\n{more}")
    };
    let key = [("MY_KEY", "sk-1234567")];
    let models = |file: &str, variables: &[(&str, &str)]| {
        resolve(file, &Flags::default(), variables)
            .expect("settings")
            .models()
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let error = models(&file("http://models.example/v1", ""), &key).expect_err("it is not encrypted");
    assert!(error.contains("unencrypted to models.example") && error.contains("insecure_http"), "{error}");
    assert!(models(&file("http://10.0.0.7:8000/v1?api_key=0123456", ""), &[]).is_err(), "a key in the address");
    let header = "headers = { Authorization = \"Bearer 0123456\" }\n";
    assert!(models(&file("http://10.0.0.7:8000/v1", header), &[]).is_err(), "a key in a header");
    for (more, variables) in [
        ("headers = { X-Site = \"$SITE\" }\n", &[("SITE", "hidden")][..]),
        ("headers = { X-Site = \"a1b2c3d4e5f6a1b2c3d4e5f6\" }\n", &[]),
        ("extra = { api_key = \"0123456\" }\n", &[]),
    ] {
        assert!(models(&file("http://10.0.0.7:8000/v1", more), variables).is_err(), "{more}");
    }
    let proxy = "proxy = \"http://other.example:3128\"\n";
    let error = models(&file("http://127.0.0.1:8000/v1", proxy), &key).expect_err("the proxy could read it");
    assert!(error.contains("unencrypted to the proxy") && error.contains("other.example"), "{error}");
    for (address, more, variables) in [
        ("http://models.example/v1", "insecure_http = true\n", &key[..]),
        ("https://models.example/v1", "", &key),
        ("http://127.0.0.1:8000/v1", "", &key),
        ("http://127.0.0.1:8000/v1", "proxy = \"http://127.0.0.1:3128\"\n", &key),
        ("https://models.example/v1", proxy, &key),
        ("http://models.example/v1", "", &[]),
        ("http://models.example/v1", "headers = { X-Title = \"Elenchus\" }\nextra = { seed = 3 }\n", &[]),
    ] {
        assert_eq!(models(&file(address, more), variables), Ok(()), "{address}");
    }
}

#[test]
fn a_key_that_is_not_set_is_named_where_it_is_missed() {
    let file = "[profiles.a]\nendpoint = \"https://h/v1\"\nmodel = \"m\"\nkey_env = \"MY_KEY\"\n";
    let endpoint = resolve(file, &Flags::default(), &[]).expect("settings").endpoints.expect("one").default.endpoint;
    assert_eq!(endpoint.key_source(), KeySource::Unset("MY_KEY".to_owned()));
}

#[test]
fn a_provider_is_named_and_its_address_and_variable_follow() {
    let one = |file: &str, variables: &[(&str, &str)]| {
        resolve(file, &Flags::default(), variables).expect("settings").endpoints.expect("one").default.endpoint
    };
    let file = "[profiles.a]\nprovider = \"openrouter\"\nmodel = \"m\"\n";
    let endpoint = one(file, &[("OPENROUTER_API_KEY", "sk-or"), ("OPENAI_API_KEY", "sk-oa")]);
    assert_eq!(endpoint.chat_url().as_str(), "https://openrouter.ai/api/v1/chat/completions");
    assert_eq!(endpoint.key_source(), KeySource::Variable("OPENROUTER_API_KEY".to_owned()));

    let endpoint = one("[profiles.a]\nprovider = \"ollama\"\nmodel = \"m\"\n", &[]);
    assert_eq!(
        (endpoint.provider, endpoint.chat_url().as_str()),
        (Provider::Ollama, "http://127.0.0.1:11434/api/chat")
    );
    assert_eq!(endpoint.key_source(), KeySource::Missing);

    // An address of one's own at the provider gets the provider's key; another's gateway does not.
    let azure =
        "[profiles.a]\nprovider = \"azure\"\nendpoint = \"https://team.openai.azure.com/openai/v1\"\nmodel = \"m\"\n";
    let endpoint = one(azure, &[("AZURE_OPENAI_API_KEY", "sk-az")]);
    assert_eq!(endpoint.key_source(), KeySource::Variable("AZURE_OPENAI_API_KEY".to_owned()));
    let gateway = file.replace("model =", "endpoint = \"https://gateway.example/v1\"\nmodel =");
    assert_eq!(one(&gateway, &[("OPENROUTER_API_KEY", "sk-or")]).key_source(), KeySource::Missing);
    let nowhere = "[profiles.a]\nprovider = \"azure\"\nmodel = \"m\"\n";
    assert_eq!(problems(nowhere, &[]).len(), 1, "every customer has an address of their own there");
}

#[test]
fn keys_can_be_printed_by_a_program() {
    let file = "[profiles.a]\nprovider = \"groq\"\nmodel = \"m\"\nkey_command = [\"pass\", \"show\", \"groq\"]\n";
    let endpoint = resolve(file, &Flags::default(), &[]).expect("settings").endpoints.expect("one").default.endpoint;
    assert_eq!(endpoint.key_source(), KeySource::Command("pass".to_owned()));
    let empty = file.replace("[\"pass\", \"show\", \"groq\"]", "[]");
    assert_eq!(problems(&empty, &[]), ["config.toml:4: `key_command` names no program."]);
}

#[test]
fn keys_come_from_the_keyring_too() {
    let file = "[profiles.a]\nendpoint = \"https://h/v1\"\nmodel = \"m\"\nkey_keyring = \"work\"\n";
    let endpoint = resolve(file, &Flags::default(), &[]).expect("settings").endpoints.expect("one").default.endpoint;
    assert_eq!(endpoint.key_source(), KeySource::Keyring("work".to_owned()));
    let missing = file.replace("\"work\"", "\"play\"");
    assert_eq!(problems(&missing, &[]), ["config.toml:4: no key `play`: no entry."]);
}

#[test]
fn every_problem_is_reported_at_once_with_its_line_and_what_was_meant() {
    let file = r#"
sensitiv = "warn"
profile = "wrok"
[profiles.work]
modle = "m"
endpoint = 7
price = { input = -1 }
[roles.analyze]
model = "m"
[budget]
sesion_usd = 1
alerts = [500]
"#;
    assert_eq!(
        problems(file, &[]),
        [
            "config.toml:2: unknown key `sensitiv`; did you mean `sensitive`?",
            "config.toml:5: unknown key `modle` in [profiles.work]; did you mean `model`?",
            "config.toml:6: `endpoint` must be a string.",
            "config.toml:7: `input` must be a number of zero or more.",
            "config.toml:8: unknown key `analyze` in [roles]; did you mean `analyse`?",
            "config.toml:11: unknown key `sesion_usd` in [budget]; did you mean `session_usd`?",
            "config.toml:12: `alerts` must be a list of whole numbers from 1 to 100.",
            "config.toml:3: there is no profile `wrok`; did you mean `work`?",
        ]
    );
}

#[test]
fn values_that_cannot_work_are_refused_where_they_stand() {
    for (file, variables, expected) in [
        ("model = ", &[][..], "config.toml:1: "),
        (
            "sensitive = \"alow\"",
            &[],
            "config.toml:1: `sensitive` is warn, redact or allow, not `alow`; did you mean `allow`?",
        ),
        (
            "",
            &[("ELENCHUS_PROVIDER", "antropic"), ("ELENCHUS_MODEL", "m")],
            "ELENCHUS_PROVIDER: there is no provider `antropic`; did you mean `anthropic`?",
        ),
        (
            "",
            &[("ELENCHUS_ENDPOINT", "http://h/v1")],
            "ELENCHUS_ENDPOINT: the endpoint `environment` has no model; set `model`, ELENCHUS_MODEL or --model.",
        ),
        (
            "",
            &[("ELENCHUS_ENDPOINT", "localhost"), ("ELENCHUS_MODEL", "m")],
            "ELENCHUS_ENDPOINT: The endpoint `environment` cannot be used: its address is not a URL",
        ),
        (
            "[profiles.a]\nmodel=\"m\"\nprice={input=1}\nprovider=\"openai\"",
            &[],
            "config.toml:3: `price` needs both `input` and `output`.",
        ),
        (
            "[profiles.a]\nmodel=\"m\"\n[profiles.b]\nmodel=\"m\"",
            &[],
            "config.toml: there are several profiles and none is chosen",
        ),
        (
            "[profiles.a]\nmodel=\"m\"\nheaders={X=\"$NOPE\"}\nprovider=\"openai\"",
            &[],
            "config.toml:3: the header `X` needs NOPE, which is not set.",
        ),
        ("profiles = 3", &[], "config.toml:1: `profiles` must be a table."),
        ("[profiles.a]\nmodel=\"m\"", &[], "config.toml:2: the model `m` has no address; name it: `endpoint`"),
        ("", &[("ELENCHUS_MODEL", "llama3")], "ELENCHUS_MODEL: the model `llama3` has no address; name it"),
    ] {
        let found = problems(file, variables);
        assert!(found[0].starts_with(expected), "{found:?}\ninstead of {expected}");
    }
}

#[test]
fn a_named_settings_file_must_exist_and_the_usual_one_need_not() {
    let surroundings = Surroundings { variable: &|_| None, keyring: &|_| Err(String::new()), program: None };
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("none.toml");
    let data_dir = Some(folder.path().to_owned());
    let flags = Flags { config: Some(config.clone()), data_dir, ..Flags::default() };
    assert!(matches!(Settings::load(&flags, &surroundings), Err(SettingsError::Unreadable { .. })));
    std::fs::write(config, "sensitive = \"allow\"").expect("written");
    let settings = Settings::load(&flags, &surroundings).expect("settings");
    assert_eq!(explained(&settings, "sensitive"), ("allow".to_owned(), "none.toml:1".to_owned()));
    assert_eq!(settings.paths.engines(), folder.path().join("engines"));
    assert_eq!(settings.paths.database(), folder.path().join("elenchus.db"));
}

#[test]
fn the_example_is_valid_and_shows_every_key() {
    let example = include_str!("../../config.example.toml");
    let settings = resolve(example, &Flags::default(), &[("OPENAI_API_KEY", "sk")]).expect("a valid example");
    let endpoints = settings.endpoints.expect("endpoints");
    assert_eq!(endpoints.default.endpoint.model, "gpt-5-mini");
    assert_eq!(endpoints.by_role.len(), 2);
    let words: Vec<&str> = example.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    for key in every_key() {
        let missing: Vec<&str> = key.split('.').filter(|step| *step != "*" && !words.contains(step)).collect();
        assert!(missing.is_empty(), "`{key}` is not shown");
    }
}

/// A settings file in a folder of its own.
fn kept(text: &str) -> (tempfile::TempDir, Flags) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("config.toml");
    std::fs::write(&file, text).expect("written");
    let flags = Flags { config: Some(file), data_dir: Some(folder.path().to_owned()), ..Flags::default() };
    (folder, flags)
}

fn text_in(flags: &Flags) -> String {
    std::fs::read_to_string(flags.config.as_ref().expect("a file")).expect("text")
}

const BARE: Surroundings<'static> =
    Surroundings { variable: &|_| None, keyring: &|_| Err(String::new()), program: None };

fn path(dotted: &str) -> Vec<String> {
    dotted.split('.').map(str::to_owned).collect()
}

#[test]
fn every_setting_is_listed_with_what_it_does_and_where_it_comes_from() {
    let (_folder, flags) = kept(&FILE.replace("models.example/v1", "models.example/v1?api_key=hidden-in-url"));
    let variables = |name: &str| (name == "ELENCHUS_MODEL" || name == "TEAM_SECRET").then(|| "other".to_owned());
    let surroundings = Surroundings { variable: &variables, ..BARE };
    let all = settings(&flags, &surroundings).expect("a listing");
    let of = |key: &str| all.iter().find(|setting| setting.path == path(key)).expect(key);
    assert!(all.iter().all(|setting| !setting.about.is_empty()), "all say what they do");
    assert_eq!((of("sensitive").value.as_str(), of("sensitive").from.as_str()), ("redact", "config.toml:3"));
    assert_eq!((of("theme").value.as_str(), of("theme").from.as_str()), ("auto", "default"));
    let address = of("profiles.work.endpoint");
    assert!(!address.value.contains("hidden-in-url"), "no screen shows a key: {address:?}");
    let model = of("profiles.work.model");
    assert!(model.overridden && model.value == "other" && model.from == "ELENCHUS_MODEL", "{model:?}");
    assert_eq!(model.stated.as_deref(), Some("large"));
    assert!(!of("profiles.local.model").overridden, "only the profile in use is overridden");
    assert_eq!(of("profiles.work.timeouts.stall").value, "1.5");
    assert_eq!(all.first().map(|setting| setting.section.as_str()), Some("General"));
}

#[test]
fn a_change_keeps_the_file_and_a_bad_one_is_refused_in_the_words_of_the_reader() {
    let text = "# mine\n[profiles.a] # the only one\nprovider = \"ollama\"\nmodel = \"m\"\n";
    let (_folder, flags) = kept(text);
    change(&path("profiles.a.timeouts.connect"), Some("3"), &flags, &BARE).expect("changed");
    assert_eq!(text_in(&flags), format!("{text}timeouts = {{ connect = 3 }}\n"));
    let refused = |key: &str, value: &str| change(&path(key), Some(value), &flags, &BARE).expect_err("refused");
    let before = text_in(&flags);
    assert_eq!(refused("profiles.a.attempts", "0"), "`attempts` must be a whole number above zero");
    assert!(refused("profile", "b").contains("there is no profile `b`"));
    assert!(refused("profiles.a.endpoint", "ftp://x").contains("must begin with http"));
    assert!(refused("budget.alerts", "[0]").contains("from 1 to 100"));
    assert!(refused("no.such", "1").contains("no such setting"));
    assert_eq!(text_in(&flags), before, "what is refused changes nothing");
    change(&path("profiles.a.model"), None, &flags, &BARE).expect_err("a profile needs a model");
    change(&path("theme"), Some("light"), &flags, &BARE).expect("changed");
    change(&path("theme"), None, &flags, &BARE).expect("taken out");
    assert!(text_in(&flags).contains("# theme = \"light\""), "{}", text_in(&flags));
    assert_eq!(check(&path("budget.day_usd"), &Kind::Amount, "1_000.5"), Ok(()));
}

fn mine(endpoint: &str, key: KeyDraft) -> ProfileDraft {
    ProfileDraft {
        name: "mine".to_owned(),
        provider: "openai".to_owned(),
        endpoint: endpoint.to_owned(),
        model: "m".to_owned(),
        key,
    }
}

#[test]
fn a_profile_that_is_added_gets_no_key_of_another_host() {
    let (_folder, flags) = kept("[profiles.a]\nprovider = \"ollama\"\nmodel = \"x\"\n");
    let variables = |name: &str| match name {
        "ELENCHUS_API_KEY" | "OPENAI_API_KEY" | "MINE" => Some(format!("sk-of-{name}")),
        "ELENCHUS_ENDPOINT" => Some("https://elsewhere.example".to_owned()),
        _ => None,
    };
    let surroundings = Surroundings { variable: &variables, ..BARE };
    let source = |draft: ProfileDraft| {
        let (_, resolved) = draft.resolve(&flags, &surroundings).expect("resolved");
        (resolved.endpoint.host(), resolved.endpoint.key_source())
    };
    let host = || "models.example.com".to_owned();
    assert_eq!(source(mine("https://models.example.com/v1", KeyDraft::Usual)), (host(), KeySource::Missing));
    let named = KeyDraft::Variable("MINE".to_owned());
    let variable = KeySource::Variable("MINE".to_owned());
    assert_eq!(source(mine("https://models.example.com/v1", named)), (host(), variable));
    let nowhere = ProfileDraft { provider: String::new(), ..mine("", KeyDraft::Usual) };
    assert_eq!(nowhere.resolve(&flags, &surroundings).map(drop).unwrap_err(), "the address is missing");
    let usual = KeySource::Variable("OPENAI_API_KEY".to_owned());
    assert_eq!(source(mine("", KeyDraft::Usual)), ("api.openai.com".to_owned(), usual));
}

#[test]
fn a_second_profile_leaves_the_first_in_use_unless_it_is_to_be_used() {
    let text = "# one\n[profiles.a]\nprovider = \"ollama\"\nmodel = \"x\"\n";
    for (in_use, chosen) in [(false, "a"), (true, "mine")] {
        let (_folder, flags) = kept(text);
        let draft = mine("http://127.0.0.1:9/v1", KeyDraft::Usual);
        draft.save(in_use, &flags, &BARE).expect("kept");
        let settings = Settings::load(&flags, &BARE).expect("sound");
        assert_eq!(settings.endpoints.expect("an endpoint").default.endpoint.name, chosen);
        assert!(text_in(&flags).contains("# one"));
        let again = draft.save(in_use, &flags, &BARE).expect_err("it is there already");
        assert!(again.contains("there is a profile `mine` already"), "{again}");
    }
}

#[test]
fn a_profile_can_be_chosen_by_its_name() {
    let file = "profile = \"main\"\n[profiles.main]\nendpoint = \"http://127.0.0.1:1/v1\"\nmodel = \"a\"\n\
                [profiles.other]\nprovider = \"anthropic\"\nendpoint = \"http://127.0.0.1:2\"\nmodel = \"b\"\n";
    let chosen = |model: &str| {
        let chosen = Some(ChosenModel { endpoint: None, model: model.to_owned() });
        let settings = resolve(file, &Flags { chosen, ..Flags::default() }, &[]).expect("valid");
        let endpoint = settings.endpoints.expect("an endpoint").default.endpoint;
        (endpoint.host(), endpoint.model.clone())
    };
    assert_eq!(chosen("other"), ("127.0.0.1:2".to_owned(), "b".to_owned()));
    assert_eq!(chosen("c"), ("127.0.0.1:1".to_owned(), "c".to_owned()));
    let listed = resolve(file, &Flags::default(), &[]).expect("valid").profiles;
    assert_eq!(listed[1], ("other".to_owned(), "b at 127.0.0.1:2".to_owned()));
}

#[test]
fn what_a_profile_says_of_its_model_is_explained() {
    let file = "[profiles.p]\nendpoint = \"http://127.0.0.1:1/v1\"\nmodel = \"a\"\ncontext_window = 8192\n\
                max_output_tokens = 500\nsmall_model = true\nwarm_up = false\nprice = { input = 1, output = 2 }\n\
                [profiles.p.timeouts]\nstall = 9\n";
    let settings = resolve(file, &Flags::default(), &[]).expect("valid");
    for (key, value) in [
        ("context_window", "8192"),
        ("max_output_tokens", "500 for an answer"),
        ("small_model", "true"),
        ("warm_up", "false"),
        ("price", "$1 in, $2 out"),
        ("timeouts.stall", "9 s"),
    ] {
        let explained = settings.explain().iter().find(|explained| explained.key == key).expect(key);
        assert!(explained.value.starts_with(value), "{key} = {}", explained.value);
    }
}

#[test]
fn who_has_an_address_of_their_own_at_a_provider_is_told_so() {
    let file = "[profiles.az]\nprovider = \"azure\"\nmodel = \"dep\"\n";
    let error = resolve(file, &Flags::default(), &[]).expect_err("no address");
    let SettingsError::Invalid { problems } = error else { panic!("{error}") };
    let help = elenchus::decode::render_all(&problems, false);
    assert!(help.contains("an address of their own") && !help.contains("11434"), "{help}");
}

/// The profiles of the example that are commented out, with their marks taken off.
fn profiles_by_name(example: &str) -> String {
    let of_profile = |line: &&str| line.starts_with("# [profiles.") || line.contains(" = \"");
    let lines =
        example.lines().skip_while(|line| !line.starts_with("# [profiles.")).take_while(|line| line.starts_with('#'));
    let lines: Vec<&str> = lines.filter(of_profile).filter_map(|line| line.strip_prefix("# ")).collect();
    lines.join("\n")
}

#[test]
fn every_profile_of_the_example_leads_to_its_provider_with_its_key() {
    let example = include_str!("../../config.example.toml");
    let text = format!("{example}\n{}", profiles_by_name(example));
    let variables = ["OPENROUTER_API_KEY", "GEMINI_API_KEY", "AZURE_OPENAI_API_KEY", "OPENAI_API_KEY", "GATEWAY_KEY"];
    let variables: Vec<(&str, &str)> = variables.into_iter().map(|name| (name, "sk-0123456789")).collect();
    for (profile, address, key) in [
        ("router", "https://openrouter.ai/api/v1/chat/completions", Some("OPENROUTER_API_KEY")),
        ("google", "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions", Some("GEMINI_API_KEY")),
        ("azure", "https://resource.openai.azure.com/openai/v1/chat/completions", Some("AZURE_OPENAI_API_KEY")),
        ("local", "http://127.0.0.1:11434/api/chat", None),
        ("openai", "https://api.openai.com/v1/chat/completions", Some("OPENAI_API_KEY")),
        ("gateway", "https://models.example.com/anthropic/v1/messages", Some("GATEWAY_KEY")),
    ] {
        let flags = Flags { profile: Some(profile.to_owned()), ..Flags::default() };
        let settings = resolve(&text, &flags, &variables).expect("a valid example");
        let endpoint = settings.endpoints.expect("endpoints").default.endpoint;
        assert_eq!(endpoint.chat_url().as_str(), address, "{profile}");
        let source = key.map_or(KeySource::Missing, |name| KeySource::Variable(name.to_owned()));
        assert_eq!(endpoint.key_source(), source, "{profile}");
    }
}

#[test]
fn the_language_is_asked_for_before_the_environment_is_listened_to() {
    let german = [("LANG", "de_DE.UTF-8")];
    let language = |text: &str, flag: Option<&str>, variables: &[(&str, &str)]| {
        let flags = Flags { language: flag.map(str::to_owned), ..Flags::default() };
        let settings = resolve(text, &flags, variables).unwrap();
        let (code, origin) = explained(&settings, "language");
        (code, settings.language.value.chosen, origin)
    };
    let said = |code: &str, chosen: bool, origin: &str| (code.to_owned(), chosen, origin.to_owned());
    assert_eq!(language("", None, &[]), said("en", false, "default"));
    assert_eq!(language("", None, &german), said("de", false, "LANG"));
    assert_eq!(language("", None, &[("LC_ALL", "en_GB"), german[0]]), said("en", false, "LC_ALL"));
    let (code, chosen, origin) = language("language = \"en\"", None, &german);
    assert_eq!((code.as_str(), chosen), ("en", true));
    assert!(origin.contains("config.toml"), "{origin}");
    let variables = [("ELENCHUS_LANG", "de"), ("LANG", "en_GB")];
    assert_eq!(language("language = \"en\"", None, &variables), said("de", true, "ELENCHUS_LANG"));
    assert_eq!(language("language = \"en\"", Some("de-AT"), &[("ELENCHUS_LANG", "en")]), said("de", true, "--lang"));
    assert_eq!(language("", Some("fr"), &[]), said("fr", true, "--lang"), "models speak any");
    assert!(problems("language = \"deutsch\"", &[])[0].contains("`language` is de or en"));
}
