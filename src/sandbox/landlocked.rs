//! Landlock: this process and all it starts reach only the files they are given.

use std::fs::File;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::helper::Reach;

/// The newest rules that are known; an older kernel keeps those that it knows.
const RULES: ABI = ABI::V9;

/// Devices that every program may use.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full"];
/// What else of the machine every program may read. Not `/proc` as a whole: it shows what others run.
const MACHINE: &[&str] = &[
    "/dev/random",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/meminfo",
    "/proc/self",
    "/proc/version",
];

/// `granted` are files and folders that are held open, and whether they may be changed.
pub(super) fn restrict(reach: &Reach, granted: Vec<(File, bool)>, network: bool) -> Result<(), String> {
    match enforce(reach, granted, network) {
        Ok(RulesetStatus::NotEnforced) => Err("the kernel has no Landlock, or it is switched off".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

fn enforce(reach: &Reach, granted: Vec<(File, bool)>, network: bool) -> Result<RulesetStatus, RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(RULES))?
        .scope(Scope::from_all(RULES))?;
    if !network {
        ruleset = ruleset.handle_access(AccessNet::from_all(RULES))?;
    }
    let (read, all) = (AccessFs::from_read(RULES), AccessFs::from_all(RULES));
    let device = AccessFs::ReadFile | AccessFs::WriteFile;
    // By the open file and not by its path, which may lead elsewhere by now.
    let granted = granted.into_iter().map(|(file, writes)| {
        let access = if writes { all } else { read };
        let is_folder = file.metadata().is_ok_and(|seen| seen.is_dir());
        let access = if is_folder { access } else { access & AccessFs::from_file(RULES) };
        Ok::<_, RulesetError>(PathBeneath::new(file, access))
    });
    let status = ruleset
        .create()?
        .add_rules(path_beneath_rules(&reach.read, read))?
        .add_rules(path_beneath_rules(MACHINE, read))?
        .add_rules(path_beneath_rules(&reach.write, all))?
        .add_rules(granted)?
        .add_rules(path_beneath_rules(DEVICES, device))?
        .restrict_self()?;
    Ok(status.ruleset)
}
