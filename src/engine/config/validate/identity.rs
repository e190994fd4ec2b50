//! Identity: required texts, the id, the version, the information ratio.

use super::Surroundings;
use crate::decode::Problems;
use crate::engine::config::definition::Definition;
use crate::engine::config::identity::EngineType;

pub fn check(definition: &Definition, around: &Surroundings<'_>, problems: &mut Problems) {
    let id = &definition.id;
    let folder = &around.files.folder;
    let kebab = id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if !id.is_empty() && !kebab {
        problems
            .error("bad-name", id.span.clone(), "an engine's id has lower-case letters, digits and hyphens")
            .help(format!("write `{}`", id.to_lowercase().replace(['_', '.'], "-")));
    } else if !id.is_empty() && !folder.is_empty() && **id != **folder {
        problems
            .error("bad-name", id.span.clone(), format!("the engine is called `{id}`, its folder `{folder}`"))
            .help("give both the same name: engines are found by their folder");
    }
    let version = &definition.version;
    let semver = version.split('.').count() == 3 && version.split('.').all(|part| part.parse::<u32>().is_ok());
    if !version.is_empty() && !semver {
        problems
            .error("bad-version", version.span.clone(), format!("`{}` is not a version", version.value))
            .help("write three numbers, such as 1.0.0");
    }
    if definition.duration_minutes == 0 {
        super::at_least_one("duration_minutes", &definition.at, problems);
    }
    ratio(definition, problems);
}

fn ratio(definition: &Definition, problems: &mut Problems) {
    let ratio = &definition.information_ratio;
    if problems.within(&ratio.span) {
        return;
    }
    let sum = u64::from(ratio.user) + u64::from(ratio.system);
    if sum != 100 {
        let message = format!("the information ratio sums to {sum}, not 100");
        problems.error("ratio", ratio.span.clone(), message);
        return;
    }
    let agrees = match definition.engine_type {
        EngineType::ExtractDominant => ratio.user >= ratio.system,
        EngineType::InformDominant => ratio.system >= ratio.user,
    };
    if !agrees && !problems.faulty("engine_type") {
        let message = format!(
            "an {} engine in which the user speaks {} % and the engine {} %",
            definition.engine_type, ratio.user, ratio.system
        );
        problems.warning("ratio", ratio.span.clone(), message);
    }
}
