//! Every engine in the binary passes its scenarios; they reach all of it and notice most faults.

use std::path::Path;

use elenchus::catalogue::Catalogue;
use elenchus::decode::render_all;
use elenchus::scenario::{self, Coverage, CoverageKind, Voice};

use crate::support::block_on;

fn suite(id: &str) {
    let catalogue = Catalogue::open(Path::new("/nonexistent")).expect("a folder that does not exist is empty");
    let (files, _) = catalogue.files(id).expect("it is in the binary");
    let engine = catalogue.check(&files).engine.expect("it has no errors");
    let cases = catalogue.scenarios(id).expect("it has scenarios");
    let (cases, problems) = scenario::load(&cases, &mut |_| Ok(engine.clone()));
    assert!(problems.is_empty(), "{}", render_all(&problems, false));
    let text = String::from_utf8(files.files["engine.toml"].clone()).expect("it is text");
    let coverage = Coverage::new(&engine, "engine.toml", &text);
    let voice = &mut |_: &_| Ok(Voice::AsWritten);
    let mut run = block_on(scenario::run_all(&cases, &engine, 1, voice, Some(coverage)));
    run.mutants = Some(scenario::run_mutants(&cases, scenario::mutants(&engine, &text)));
    let report = scenario::text(std::slice::from_ref(&run));
    assert!(run.passed(), "{report}");
    let coverage = run.coverage.as_ref().expect("it was watched");
    for kind in [
        CoverageKind::Phase,
        CoverageKind::Trigger,
        CoverageKind::EntryCondition,
        CoverageKind::Checkpoint,
        CoverageKind::Obligation,
        CoverageKind::Exit,
    ] {
        let (reached, all) = coverage.of(kind);
        assert_eq!(reached, all, "{}\n{report}", kind.plural());
    }
    assert!(run.score().expect("there are mutants") >= 0.8, "{report}");
}

macro_rules! engines {
    ($($name:ident = $id:literal),* $(,)?) => {
        $(#[test]
        fn $name() {
            suite($id);
        })*
    };
}

engines! {
    business_profile_is_reached_and_watched_by_its_scenarios = "business-profile",
    exploration_is_reached_and_watched_by_its_scenarios = "exploration",
    feature_prioritization_is_reached_and_watched_by_its_scenarios = "feature-prioritization",
    ideation_is_reached_and_watched_by_its_scenarios = "ideation",
    project_discovery_is_reached_and_watched_by_its_scenarios = "project-discovery",
}
