//! What there is to say of a form for an endpoint: that it is left unfinished, and that words would go out unencrypted.

use super::form::EndpointForm;

impl EndpointForm {
    /// Whether something stands in it that one would not like to type again.
    pub(super) fn is_typed(&self) -> bool {
        let own = self.preset().and_then(|preset| preset.address).unwrap_or_default();
        let typed = [&self.model, &self.place].iter().any(|line| !line.text().trim().is_empty());
        typed || self.named || ![own, ""].contains(&self.address.text().trim())
    }

    /// Whether what is said would go to another machine unencrypted.
    pub(crate) fn is_open_to_all(&self) -> bool {
        let address = self.address.text().trim().to_lowercase();
        !self.leads.host.is_empty() && !self.leads.here && address.starts_with("http://")
    }
}
