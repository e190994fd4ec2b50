//! Providers by name: what protocol they speak, where they are, and which variable usually holds a key for them.

use super::endpoint::Provider;

/// A provider that settings can name instead of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    pub name: &'static str,
    pub protocol: Provider,
    /// Its address; none where every customer has one of their own.
    pub address: Option<&'static str>,
    /// The variable that holds a key for it; none where none is needed.
    pub key_variable: Option<&'static str>,
}

/// All of them. To add one, add a line.
pub const PRESETS: &[Preset] = &[
    hosted("openai", Provider::OpenAi, "https://api.openai.com/v1", "OPENAI_API_KEY"),
    hosted("openai-responses", Provider::Responses, "https://api.openai.com/v1", "OPENAI_API_KEY"),
    hosted("anthropic", Provider::Anthropic, "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    hosted("openrouter", Provider::OpenAi, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    hosted("gemini", Provider::OpenAi, "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
    hosted("groq", Provider::OpenAi, "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    hosted("mistral", Provider::OpenAi, "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    hosted("deepseek", Provider::OpenAi, "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    hosted("together", Provider::OpenAi, "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    hosted("xai", Provider::OpenAi, "https://api.x.ai/v1", "XAI_API_KEY"),
    Preset { name: "azure", protocol: Provider::OpenAi, address: None, key_variable: Some("AZURE_OPENAI_API_KEY") },
    local("ollama", Provider::Ollama, "http://127.0.0.1:11434"),
    local("lmstudio", Provider::OpenAi, "http://127.0.0.1:1234/v1"),
    local("llamacpp", Provider::OpenAi, "http://127.0.0.1:8080/v1"),
];

const fn hosted(name: &'static str, protocol: Provider, address: &'static str, key: &'static str) -> Preset {
    Preset { name, protocol, address: Some(address), key_variable: Some(key) }
}

const fn local(name: &'static str, protocol: Provider, address: &'static str) -> Preset {
    Preset { name, protocol, address: Some(address), key_variable: None }
}

impl Preset {
    /// The one of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// The first that speaks a protocol: by its name the settings say which protocol a server of one's own speaks.
    pub fn speaking(protocol: Provider) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.protocol == protocol)
    }

    /// The one at a host, if it has one of its own on the internet.
    pub fn at(host: &str) -> Option<&'static Self> {
        let is_there = |preset: &&Self| {
            let address = preset.address.filter(|_| preset.key_variable.is_some());
            let own = address.and_then(|address| address.strip_prefix("https://")?.split('/').next());
            own == Some(host) || (preset.name == "azure" && host.ends_with(".openai.azure.com"))
        };
        PRESETS.iter().find(is_there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Endpoint;

    #[test]
    fn every_address_is_one_and_leads_back_to_its_provider() {
        for preset in PRESETS {
            let Some(address) = preset.address else { continue };
            let endpoint = Endpoint::new(preset.name, preset.protocol, address, "m").expect(address);
            let found = Preset::at(endpoint.base_url().host_str().expect("it has a host"));
            assert_eq!(found.and_then(|found| found.key_variable), preset.key_variable, "{}", preset.name);
            assert_eq!(endpoint.is_local(), preset.key_variable.is_none(), "{}", preset.name);
        }
        assert_eq!(Preset::at("team.openai.azure.com").map(|preset| preset.name), Some("azure"));
        assert_eq!(Preset::at("api.openai.com.example.org"), None);
    }
}
