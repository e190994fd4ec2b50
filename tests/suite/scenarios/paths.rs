//! Files that scenarios name stay in their folder, whatever is read or written there.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use pretty_assertions::assert_eq;

use super::models::{endpoint, program, run};
use crate::support::program::Program;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("a file").permissions().mode() & 0o777
}

/// A scenario with a recording of this name, recorded by an endpoint that would answer.
async fn record(
    file: &str,
    prepare: impl FnOnce(&Path),
) -> (Program, std::path::PathBuf, crate::support::program::Ran) {
    let fake = endpoint(&[true]).await;
    let (program, scenario) = program(&fake, &format!("type = \"recorded\", file = \"{file}\""));
    let folder = Path::new(&scenario).parent().expect("a folder").to_owned();
    prepare(&folder);
    let (program, ran) = run(program, &["test", &scenario, "--record"]).await;
    (program, folder, ran)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_is_never_written_outside_its_folder() {
    for file in ["../engine.toml", "/tmp/elenchus-recording.jsonl", "a/../../x.jsonl"] {
        let (_program, folder, ran) = record(file, |_| {}).await;
        assert_eq!(ran.code, 2, "{file}: {}", ran.words);
        assert!(ran.words.contains("a recording stands beside the scenario"), "{}", ran.words);
        let engine = fs::read_to_string(folder.join("../engine.toml")).expect("the engine");
        assert!(engine.contains("look-back"));
    }
    let (_program, folder, ran) =
        record("out.jsonl", |folder| symlink("../engine.toml", folder.join("out.jsonl")).unwrap()).await;
    assert_eq!(ran.code, 1, "{}", ran.words);
    assert!(ran.words.contains("it leads out of its folder"), "{}", ran.words);
    assert!(fs::read_to_string(folder.join("../engine.toml")).expect("the engine").contains("look-back"));
    let (_program, folder, ran) = record("up/new.jsonl", |folder| symlink("..", folder.join("up")).unwrap()).await;
    assert_eq!(ran.code, 2, "{}", ran.words);
    assert!(ran.words.contains("up/engine.toml is not read: it leads out of its folder"), "{}", ran.words);
    assert!(!folder.join("../new.jsonl").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_takes_the_place_of_a_recording_and_of_nothing_else() {
    for file in ["told.toml", "notes.txt", "sheet.jsonl"] {
        let (_program, folder, ran) = record(file, |folder| {
            fs::write(folder.join("notes.txt"), "dear diary").unwrap();
            fs::write(folder.join("sheet.jsonl"), "{\"a\": 1}\n").unwrap();
            fs::write(folder.join("notes.new"), "new notes").unwrap();
        })
        .await;
        assert_eq!(ran.code, 2, "{file}: {}", ran.words);
        assert!(ran.words.contains("is there and is not a recording"), "{}", ran.words);
        assert_eq!(fs::read_to_string(folder.join("notes.txt")).unwrap(), "dear diary");
        assert_eq!(fs::read_to_string(folder.join("notes.new")).unwrap(), "new notes");
    }
    let (_program, folder, ran) = record("deep/shed.jsonl", |folder| {
        fs::create_dir(folder.join("deep")).unwrap();
        fs::write(folder.join("deep/shed.jsonl"), "").unwrap();
    })
    .await;
    assert_eq!(ran.code, 0, "{}{}", ran.data, ran.words);
    assert_eq!(mode(&folder.join("deep/shed.jsonl")), 0o600, "it holds a conversation");
    assert_eq!(fs::read_dir(folder.join("deep")).unwrap().count(), 1, "nothing else is left");
}

#[test]
fn scenarios_and_people_that_lead_out_are_refused() {
    let program = Program::new();
    let engine = program.new_engine("look-back");
    let scenarios = engine.join("scenarios");
    fs::rename(scenarios.join("people/anna.toml"), engine.join("anna.toml")).unwrap();
    symlink("../../anna.toml", scenarios.join("people/anna.toml")).unwrap();
    let ran = program.run(&["test", engine.to_str().unwrap()]);
    assert_eq!(ran.code, 2, "{}", ran.data);
    assert!(ran.words.contains("people/anna.toml is not read: it leads out of its folder"), "{}", ran.words);
}

#[test]
fn a_frame_is_not_written_through_a_link() {
    let program = Program::new();
    let engine = program.new_engine("look-back");
    let scenarios = engine.join("scenarios");
    let file = scenarios.join("told.toml");
    let text = fs::read_to_string(&file).unwrap();
    let frame = "\n[expect]\nframes = [{ file = \"seen.frame\", size = \"60x20\" }]\n";
    fs::write(&file, text.replace("\n[expect]\n", frame)).unwrap();
    symlink("../engine.toml", scenarios.join("seen.frame")).unwrap();
    let before = fs::read_to_string(engine.join("engine.toml")).unwrap();
    let refused = program.run(&["test", file.to_str().unwrap(), "--update-frames"]);
    assert!(refused.words.contains("leads out of its folder"), "{}{}", refused.data, refused.words);
    assert_eq!(fs::read_to_string(engine.join("engine.toml")).unwrap(), before);
    fs::remove_file(scenarios.join("seen.frame")).unwrap();
    let written = program.run(&["test", file.to_str().unwrap(), "--update-frames"]);
    assert!(written.words.contains("seen.frame was written"), "{}{}", written.data, written.words);
    assert_eq!(mode(&scenarios.join("seen.frame")), 0o600);
}

#[test]
fn a_folder_of_engines_is_all_of_them() {
    let program = Program::new();
    let folder = program.folder().join("engines-of-mine");
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["first-one", "second-one"] {
        let made = program.new_engine(name);
        std::fs::rename(made, folder.join(name)).unwrap();
    }
    let ran = program.run(&["test", &folder.display().to_string()]);
    assert_eq!(ran.code, 0, "{}{}", ran.data, ran.words);
    assert!(ran.data.contains("first-one") && ran.data.contains("second-one"), "{}", ran.data);
}
